"""Check Scene finds what is wrong before a bake, at the object, with a button that mends it."""

from pathlib import Path

import bpy
import pytest
from small_rigs import person, ragdoll, seen_bones
from small_scenes import (
    addon,
    body,
    box,
    cloth,
    floor,
    grid,
    new_object,
    pin,
    play,
    refusal,
    seen,
    seen_matrix,
    select,
)

pytestmark = pytest.mark.usefixtures("scene")


def check(scene):
    """Findings by operator and name of the object."""
    assert bpy.ops.verlet.check_scene() == {"FINISHED"}
    found = {}
    for number, problem in enumerate(addon("doctor").of(scene).findings):
        ob = (
            addon("properties.participants").find_object(problem.object_uid)
            if problem.object_uid
            else None
        )
        found[problem.operator, "" if ob is None else ob.name] = number, problem
    return found


def mend(found):
    """Press the button beside a finding."""
    assert bpy.ops.verlet.mend_finding(number=found[0]) == {"FINISHED"}


def hung(ob):
    """The object is held by its first vertex, so that it needs no floor."""
    pin(ob, [0])
    bpy.context.scene.verlet.wind.velocity = (1, 0, 0)
    return ob


def test_a_sound_scene_has_no_findings(scene):
    floor()
    body(location=(0, 0, 0.2))
    hung(cloth(size=9, location=(5, 0, 2)))
    assert check(scene) == {}


def test_findings_come_once_and_stay_until_the_next_look(scene):
    ob = body()
    found = check(scene)
    assert list(found) == [("verlet.add_floor_below", ob.name)]
    assert scene.frame_current == 1
    scene.frame_set(3)
    assert set(check(scene)) == set(found)
    assert scene.frame_current == 3
    assert bpy.ops.verlet.forget_findings() == {"FINISHED"}
    assert addon("doctor").of(scene) is None


@pytest.mark.without_wheels
def test_vertices_on_each_other_are_merged_and_threads_are_not(scene):
    one = [(x * 0.25, y * 0.25, 0) for y in range(5) for x in range(3)]
    two = [(0.5 + x * 0.25, y * 0.25, 0) for y in range(5) for x in range(3)]
    faces = [
        (k + i, k + i + 1, k + i + 4, k + i + 3) for k in (0, 15) for y in range(4)
        for i in range(3 * y, 3 * y + 2)
    ]  # fmt: skip
    ob = new_object("Shirt", one + two, faces=faces)
    select(ob)
    bpy.ops.verlet.cloth()
    hung(ob)
    weights = ob.vertex_groups.new(name="Bend")
    weights.add([2], 0.5, "REPLACE")
    found = check(scene)["verlet.merge_doubles", "Shirt"]
    assert "5 vertices lie on another one" in found[1].message
    mend(found)
    assert len(ob.data.vertices) == 25
    assert len(ob.data.polygons) == 16
    assert ("verlet.merge_doubles", "Shirt") not in check(scene)
    sewn = new_object("Sewn", one + two, edges=[(2 + 3 * i, 15 + 3 * i) for i in range(5)],
                      faces=faces)  # fmt: skip
    select(sewn)
    bpy.ops.verlet.cloth()
    assert ("verlet.merge_doubles", "Sewn") not in check(scene)


@pytest.mark.without_wheels
def test_flat_faces_and_loose_vertices_are_mended(scene):
    sound = grid(size=6)
    vertices = [v.co[:] for v in sound.data.vertices]
    faces = [tuple(p.vertices) for p in sound.data.polygons]
    n = len(vertices)
    bpy.data.objects.remove(sound)
    ob = new_object(
        "Scrap",
        [*vertices, (0.625, -0.625, 0.1), (0.625, -0.625, 0.2), (3, 3, 3)],
        faces=[*faces, (5, n, n + 1)],
    )
    select(ob)
    bpy.ops.verlet.cloth()
    hung(ob)
    found = check(scene)
    assert "1 face has no area" in found["verlet.dissolve_flat_faces", "Scrap"][1].message
    assert "1 vertex belongs to no edge" in found["verlet.delete_loose", "Scrap"][1].message
    mend(found["verlet.dissolve_flat_faces", "Scrap"])
    found = check(scene)
    assert ("verlet.dissolve_flat_faces", "Scrap") not in found
    mend(found["verlet.delete_loose", "Scrap"])
    assert ("verlet.delete_loose", "Scrap") not in check(scene)
    assert min(p.area for p in ob.data.polygons) > 0.05


@pytest.mark.without_wheels
def test_faces_that_cross_are_selected(scene):
    sound = grid(size=6)
    vertices = [v.co[:] for v in sound.data.vertices]
    faces = [tuple(p.vertices) for p in sound.data.polygons]
    n = len(vertices)
    bpy.data.objects.remove(sound)
    fin = [(vertices[i][0], vertices[i][1], 0.25) for i in (14, 15)]
    ob = new_object("Fin", [*vertices, *fin], faces=[*faces, (14, 15, n + 1, n)])
    select(ob)
    bpy.ops.verlet.cloth()
    hung(ob)
    found = check(scene)["verlet.show_crossing_edges", "Fin"]
    assert "1 edge lies between more than two faces" in found[1].message
    mend(found)
    assert ob.mode == "EDIT"
    bpy.ops.object.mode_set(mode="OBJECT")
    assert [set(e.vertices) for e in ob.data.edges if e.select] == [{14, 15}]


@pytest.mark.without_wheels
def test_thick_cloth_and_pins_that_hold_nothing(scene):
    ob = cloth(size=6)
    floor()
    ob.vertex_groups.new(name="Empty")
    ob.verlet.pin_group = "Empty"
    ob.verlet.cloth.thickness = 3.0
    found = check(scene)
    assert '"Empty" holds no vertex' in found["verlet.show_object", ob.name][1].message
    mend(found["verlet.default_thickness", ob.name])
    assert ob.verlet.cloth.thickness == pytest.approx(0.1)
    assert ("verlet.default_thickness", ob.name) not in check(scene)


@pytest.mark.without_wheels
def test_a_subdivision_that_is_not_simulated_is_applied(scene):
    ob = cloth(size=2, spacing=1.0)
    floor()
    modifier = ob.modifiers.new("Subdivision", "SUBSURF")
    modifier.levels, modifier.subdivision_type = 3, "SIMPLE"
    found = check(scene)["verlet.apply_finer_mesh", ob.name]
    mend(found)
    assert len(ob.data.vertices) == 81
    assert not ob.modifiers


@pytest.mark.without_wheels
def test_colliders_that_change_their_vertices_are_named(scene):
    ob = floor()
    ob.modifiers.new("Grow", "BUILD")
    steady = floor(name="Steady")
    steady.modifiers.new("Mask", "BOOLEAN")
    cloth(size=6)
    found = check(scene)
    assert "Grow modifier makes other vertices" in found["verlet.show_object", ob.name][1].message
    assert ("verlet.show_object", "Steady") not in found
    knife = box()
    steady.modifiers["Mask"].object = knife
    assert ("verlet.show_object", "Steady") not in check(scene)
    knife.keyframe_insert("location", frame=1)
    assert "Mask modifier" in check(scene)["verlet.show_object", "Steady"][1].message


@pytest.mark.without_wheels
def test_a_unit_that_is_no_metre_is_told(scene):
    floor()
    cloth(size=6)
    scene.unit_settings.scale_length = 0.01
    found = check(scene)["verlet.fit_gravity", ""]
    assert "too slowly" in found[1].message
    mend(found)
    assert scene.gravity[2] == pytest.approx(-981.0)
    assert ("verlet.fit_gravity", "") not in check(scene)


@pytest.mark.parametrize("make", [cloth, body], ids=["cloth", "body"])
def test_a_bake_that_is_played_at_another_frame_rate_is_told(scene, make):
    """By Doctor and in the Bake panel, with the way out; not for 23.976 in place of 24."""
    floor()
    ob = make(location=(0, 0, 2))
    scene.frame_end, scene.render.fps = 4, 60
    bpy.ops.verlet.bake()
    told = addon("doctor.bakes").other_rates
    assert not told(scene)
    scene.render.fps = 24
    (problem,) = told(scene)
    assert "60 frames a second" in problem.message
    assert "played at 24, 2.5 times too slow" in problem.message
    assert check(scene)["verlet.show_object", ob.name][1].message == problem.message
    bpy.ops.verlet.free_bake()
    assert not told(scene)
    bpy.ops.verlet.bake()
    scene.render.fps_base = 1.001
    assert not told(scene)


def test_stretched_time_is_told_where_it_would_be_simulated_wrong(scene):
    """Frames of the timeline are no frames of animation then: keys, caches and bakes disagree."""
    floor()
    ob = body(location=(0, 0, 2))
    play(scene, 1, 5)
    scene.render.frame_map_new = 200
    scene.frame_set(1)
    play(scene, 1, 5)
    found = check(scene)["verlet.unstretch_time", ""]
    assert "makes 200 frames of 100" in found[1].message
    assert seen_matrix(ob)[2, 3] == 2.0
    with pytest.raises(RuntimeError, match="Time Stretching"):
        bpy.ops.verlet.bake()
    mend(found)
    play(scene, 1, 5)
    fallen = seen_matrix(ob)[2, 3]
    assert fallen < 1.95
    scene.frame_end = 9
    bpy.ops.verlet.bake()
    scene.render.frame_map_new = 200
    assert ("verlet.unstretch_time", "") not in check(scene)
    scene.frame_set(10)
    assert seen_matrix(ob)[2, 3] == pytest.approx(fallen, abs=1e-6)


def test_a_ragdoll_in_rest_position_is_told(scene):
    floor()
    rig = ragdoll(person(location=(0, 0, 1)))
    rig.data.pose_position = "REST"
    found = check(scene)["verlet.pose_position", rig.name]
    assert "Rest Position" in found[1].message
    play(scene, 1, 5)
    still = seen_bones(rig)["pelvis"][2, 3]
    mend(found)
    assert rig.data.pose_position == "POSE"
    bpy.context.view_layer.update()
    assert seen_bones(rig)["pelvis"][2, 3] < still - 0.05
    assert ("verlet.pose_position", rig.name) not in check(scene)


@pytest.mark.without_wheels
def test_what_falls_past_the_floor_gets_one(scene):
    floor()
    body(name="Over", location=(1, 1, 1))
    ob = body(name="Beside", location=(30, 4, 1))
    thrown = body(name="Thrown", location=(-30, 0, 1))
    thrown.verlet.body.velocity = (5, 0, 0)
    found = check(scene)
    assert [name for operator, name in found if operator == "verlet.add_floor_below"] == ["Beside"]
    mend(found["verlet.add_floor_below", "Beside"])
    made = bpy.data.objects["Floor.001"]
    assert made.location[:] == pytest.approx((30, 4, 0))
    assert not any(operator == "verlet.add_floor_below" for operator, _ in check(scene))
    assert ob.verlet.kind == "BODY"


def test_bodies_in_a_skew_space_are_told(scene):
    """What turns there is drawn sheared; a space with one scale, however turned, is none."""
    floor()
    parents = {"even": (2, 2, 2), "mirrored": (-2, 2, 2), "uneven": (1, 1, 2)}
    for number, (name, scale) in enumerate(parents.items()):
        parent = bpy.data.objects.new(f"{name} parent", None)
        scene.collection.objects.link(parent)
        parent.scale, parent.rotation_euler = scale, (0.3, 0.2, 0.4)
        body(name=name, size=0.4, location=(3 * number, 0, 0.5)).parent = parent
    bpy.context.view_layer.update()
    check(scene)
    told = [one.message for one in addon("doctor").of(scene).findings if "unevenly" in one.message]
    assert len(told) == 1
    assert told[0].startswith("uneven: its parent uneven parent is scaled unevenly")


def test_bodies_that_overlap_are_parted(scene):
    floor()
    lower = body(name="Lower", location=(0, 0, 0.2))
    upper = body(name="Upper", location=(0.1, 0, 0.5))
    far = body(name="Far", location=(3, 0, 0.2))
    before = {ob: ob.matrix_world.copy() for ob in (lower, upper, far)}
    found = [p for p in check(scene).values() if p[1].operator == "verlet.part_bodies"]
    assert len(found) == 1
    assert "overlaps" in found[0][1].message
    assert "10 cm" in found[0][1].message or "9.9 cm" in found[0][1].message
    mend(found[0])
    assert not any(operator == "verlet.part_bodies" for operator, _ in check(scene))
    assert far.matrix_world == before[far]
    gap = seen(upper)[:, 2].min() - seen(lower)[:, 2].max()
    assert -0.002 < gap < 0.05
    assert seen(lower)[:, 2].min() > -0.005


def _two_sheets():
    """Two sheets that are held by a border each; the lower border of one is through the other."""
    level = cloth(name="Level", size=13, spacing=0.1, location=(0, 0, 1.0))
    upright = cloth(name="Upright", size=11, spacing=0.1, location=(0.03, 0.013, 1.3))
    upright.rotation_euler = (1.57, 0.0, 0.1)
    for ob in (level, upright):
        ob.verlet.cloth.meets_itself = True
    bpy.context.view_layer.update()
    pin(level, list(range(13)))
    pin(upright, [max(range(121), key=lambda i: (upright.matrix_world @ v(upright, i)).z)])
    return level, upright


def v(ob, i):
    return ob.data.vertices[i].co


def test_cloth_that_starts_through_cloth_is_taken_apart(scene):
    floor()
    _, upright = _two_sheets()
    far = hung(cloth(name="Far", size=5, location=(9, 0, 2)))
    before = seen(far).copy()
    found = check(scene)
    texts = {key: one for key, one in found.items() if key[0] == "verlet.take_apart"}
    assert len(texts) == 1
    ((_, name),) = texts
    assert name in {"Level", "Upright"}
    assert "comes apart at up to 1 m/s" in found["verlet.take_apart", name][1].message
    lengths = [e.vertices[:] for e in upright.data.edges]
    mend(found["verlet.take_apart", name])
    assert not any(operator == "verlet.take_apart" for operator, _ in check(scene))
    assert (seen(far) == before).all()
    edge = max((v(upright, a) - v(upright, b)).length for a, b in lengths)
    assert edge < 0.11  # it is not stretched


def test_cloth_with_shape_keys_is_not_taken_apart_but_told(scene):
    floor()
    level, upright = _two_sheets()
    for ob in (level, upright):
        ob.shape_key_add(name="Basis")
    assert any(operator == "verlet.take_apart" for operator, _ in check(scene))
    assert "it has shape keys" in refusal(bpy.ops.verlet.take_apart)


def test_cloth_that_pins_hold_through_cloth_is_left_as_it_is(scene):
    floor()
    sheets = _two_sheets()
    before = [seen(ob).copy() for ob in sheets]
    for ob in sheets:
        ob.vertex_groups["Pin"].add(list(range(len(ob.data.vertices))), 1.0, "REPLACE")
    assert any(operator == "verlet.take_apart" for operator, _ in check(scene))
    assert "what pins hold" in refusal(bpy.ops.verlet.take_apart)
    assert all((seen(ob) == was).all() for ob, was in zip(sheets, before))


def test_cloth_that_starts_in_a_collider_is_moved_out(scene):
    floor()
    block = box(name="Block", size=1.0, location=(0, 0, 0.5))
    select(block)
    bpy.ops.verlet.collider()
    ob = cloth(name="Sheet", size=9, spacing=0.1, location=(0.1, 0, 0.9))
    found = check(scene)["verlet.move_out", "Sheet"]
    assert "inside Block" in found[1].message
    mend(found)
    assert ob.location.z == pytest.approx(1.002, abs=1e-3)
    assert ob.location.x == pytest.approx(0.1)
    assert ("verlet.move_out", "Sheet") not in check(scene)


def test_cloth_through_the_floor_is_found_and_pins_in_a_pole_are_not(scene):
    ground = floor()
    ob = cloth(name="Sheet", size=9, spacing=0.1, location=(0, 0, 0.1))
    ob.rotation_euler = (0.6, 0, 0)
    bpy.context.view_layer.update()
    assert "inside Floor" in check(scene)["verlet.move_out", "Sheet"][1].message
    bpy.data.objects.remove(ground)
    ob.rotation_euler = (0, 0, 0)
    pole = box(name="Pole", size=0.12, location=(-0.4, -0.4, 0.1))
    select(pole)
    bpy.ops.verlet.collider()
    assert ("verlet.move_out", "Sheet") in check(scene)
    pin(ob, [0])
    assert ("verlet.move_out", "Sheet") not in check(scene)


def test_keys_on_what_is_read_once_and_errors_come_first(scene):
    floor()
    ob = cloth(size=6)
    ob.verlet.pin_group = "Gone"
    found = list(check(scene).values())
    assert found[0][1].is_error
    assert "Gone" in found[0][1].message


def test_previews_that_are_gone_are_found(scene):
    floor()
    ob = cloth(size=6)
    play(scene, 1, 4)
    path = addon("blender.point_cache").attached(ob).filepath
    Path(path).unlink()
    found = check(scene)["verlet.reset", ob.name]
    mend(found)
    assert scene.frame_current == 1
    play(scene, 1, 4)
    assert seen(ob)[:, 2].max() < 2.0


@pytest.mark.without_wheels
def test_what_could_not_be_baked_is_an_error_before_the_bake(scene):
    floor()
    ob = cloth(size=6)
    ob.shape_key_add(name="Basis")
    ob.data.shape_keys.use_relative = True
    ob.animation_data_create()
    select(ob)
    track = ob.animation_data.nla_tracks.new()
    track.strips.new("Strip", 1, bpy.data.actions.new("Own"))
    bake = addon("bake.shape_keys")
    try:
        bake.require_bakeable(ob)
        is_bakeable = True
    except Exception:
        is_bakeable = False
    assert is_bakeable == (("verlet.show_object", ob.name) not in check(scene))


@pytest.mark.without_wheels
def test_the_command_line_says_what_is_found_and_saves_nothing(scene, tmp_path, capsys):
    floor()
    ob = cloth(size=6)
    ob.verlet.cloth.thickness = 3.0
    path = tmp_path / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    before = path.read_bytes()
    assert addon("cli").run(["--check"]) == 0
    assert "Warning: Cloth: Thickness is 3 edge lengths" in capsys.readouterr().out
    ob.verlet.pin_group = "Gone"
    assert addon("cli").run(["--check"]) == 1
    assert 'Error: Cloth: its pin group "Gone" is missing' in capsys.readouterr().out
    assert path.read_bytes() == before


@pytest.mark.without_wheels
def test_a_scene_without_anything_cannot_be_checked(scene):
    assert "Nothing is set up" in refusal(bpy.ops.verlet.check_scene)


@pytest.mark.without_wheels
def test_undo_makes_the_list_an_old_one(scene):
    floor()
    body(location=(40, 0, 1))
    check(scene)
    marks = addon("overlays.marks")
    assert [text for _, text, _ in marks.marks_of(scene)] == ["Box: 1 finding"]
    marks._undone()
    assert addon("doctor").of(scene).is_stale
    marks._loaded()
    assert addon("doctor").of(scene) is None


def test_a_mend_is_one_step_of_undo(scene):
    floor()
    block = box(name="Block", size=1.0, location=(0, 0, 0.5))
    select(block)
    bpy.ops.verlet.collider()
    cloth(name="Sheet", size=9, spacing=0.1, location=(0.1, 0, 0.9))
    bpy.context.preferences.edit.use_global_undo = True
    bpy.ops.ed.undo_push(message="before")
    number = check(scene)["verlet.move_out", "Sheet"][0]
    bpy.ops.verlet.mend_finding("EXEC_DEFAULT", True, number=number)
    assert bpy.data.objects["Sheet"].location.z > 0.99
    bpy.ops.ed.undo()
    assert bpy.data.objects["Sheet"].location.z == pytest.approx(0.9)


@pytest.mark.without_wheels
def test_cloth_through_a_mesh_is_named_before_it_plays_and_has_no_tick(scene):
    floor()
    block = box(name="Block", size=0.5, location=(0, 0, 0.5))
    select(block)
    bpy.ops.verlet.collider()
    block.verlet.collider.shape = "MESH"
    ob = cloth(name="Sheet", size=9, spacing=0.1, location=(0, 0, 0.72))
    pin(ob, [40], name="Middle")  # inside, and held there
    messages = [problem.message for _, problem in check(scene).values()]
    assert any("Sheet: it passes through Block at the start" in one for one in messages)
    play(scene, 1, 4)
    status = addon("live.status")
    assert status.status(scene) == ("Simulated 1–4, something is gone through in 2", "ERROR")
    remarks = [text for text, _ in status.remarks(addon("session").of(scene))]
    assert any(text.startswith("Sheet passes through Block") for text in remarks)
    low = cloth(name="Low", size=9, spacing=0.1, location=(0, 0, 0.4))
    pin(low, [40], name="Middle")
    play(scene, 1, 4)
    (remark, *_) = [text for text, _ in status.remarks(addon("session").of(scene))]
    assert "and 1 more like it, first in frame 2" in remark
