"""Each verb on each odd input: it works, or says which object it is and what to do."""

import math

import bpy
import numpy as np
import pytest
from small_rigs import chain
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
    seen,
    select,
    session_of,
)

pytestmark = pytest.mark.usefixtures("scene")

VERBS = {
    "CLOTH": "cloth",
    "BODY": "rigid_body",
    "COLLIDER": "collider",
}


def pinned(ob):
    return addon("extract.pins").pin_weights(ob, None) > 0


def press(verb, *objects):
    select(*objects)
    return getattr(bpy.ops.verlet, verb)()


@pytest.mark.without_wheels
@pytest.mark.parametrize("kind", VERBS)
def test_a_verb_sets_all_selected_objects_up(kind):
    first, second, other = grid("A"), grid("B"), grid("C")
    press(VERBS[kind], first, second)
    assert [ob.verlet.kind for ob in (first, second, other)] == [kind, kind, "NONE"]


@pytest.mark.without_wheels
def test_remove_takes_all_selected_objects_out():
    first, second = cloth(name="A"), body(name="B")
    press("remove", first, second)
    assert first.verlet.kind == second.verlet.kind == "NONE"


@pytest.mark.parametrize("verb", ["cloth", "rigid_body", "collider", "remove"])
def test_greyed_out_without_a_mesh(verb):
    empty = bpy.data.objects.new("Empty", None)
    bpy.context.scene.collection.objects.link(empty)
    select(empty)
    operator = getattr(bpy.ops.verlet, verb)
    assert not operator.poll()
    with pytest.raises(RuntimeError, match=r"(?i)select"):
        operator()


def fails(verb, ob, match):
    """Pressing the verb reports an error that names the object; nothing has changed."""
    kind = ob.verlet.kind
    with pytest.raises(RuntimeError, match=match) as error:
        press(verb, ob)
    assert ob.name in str(error.value)
    assert ob.verlet.kind == kind


@pytest.mark.without_wheels
@pytest.mark.parametrize("verb", VERBS.values())
def test_no_vertices(verb):
    fails(verb, new_object("Hollow", []), "no vertices")


def test_cloth_without_edges():
    fails("cloth", new_object("Dust", [(0, 0, 0), (1, 0, 0)]), "no edges")


@pytest.mark.parametrize("verb", VERBS.values())
@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_coordinates_that_are_not_numbers(verb, bad):
    ob = grid("Broken")
    ob.data.vertices[7].co.y = bad
    fails(verb, ob, "not numbers.*Edit Mode")


@pytest.mark.parametrize("verb", VERBS.values())
def test_zero_scale(verb):
    ob = grid("Flat")
    ob.scale = (1, 0, 1)
    fails(verb, ob, "scale.*zero")


def test_zero_scale_of_a_parent():
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.scale = (1, 1, 0)
    ob = grid("Child")
    ob.parent = parent
    fails("cloth", ob, "parent")


def test_one_bad_object_does_not_keep_the_others_from_it():
    good, bad = grid("Good"), new_object("Bad", [])
    assert press("cloth", bad, good) == {"FINISHED"}
    assert good.verlet.kind == "CLOTH"
    assert bad.verlet.kind == "NONE"


@pytest.fixture
def library(tmp_path):
    """A .blend file with an object "Linked"."""
    ob = grid("Linked")
    path = tmp_path / "library.blend"
    bpy.data.libraries.write(str(path), {ob})
    bpy.data.objects.remove(ob)
    return path


def link(path, name="Linked"):
    with bpy.data.libraries.load(str(path), link=True) as (_, wanted):
        wanted.objects = [name]
    ob = wanted.objects[0]
    bpy.context.scene.collection.objects.link(ob)
    return ob


def test_linked_object(library):
    ob = link(library)
    with pytest.raises(RuntimeError, match=r"Linked.*Make Local"):
        press("cloth", ob)
    assert ob.verlet.kind == "NONE"


def test_a_library_override_is_previewed_but_not_baked(scene, library):
    ob = link(library).override_create(remap_local_usages=True)
    press("cloth", ob)
    height = seen(ob)[:, 2].max()
    play(scene, 1, 6)
    assert seen(ob)[:, 2].max() < height - 0.05
    with pytest.raises(RuntimeError, match=r"Linked.*Make Local|Linked.*Clear"):
        bpy.ops.verlet.bake()
    bpy.ops.verlet.reset()
    assert seen(ob)[:, 2].max() == height
    assert not ob.modifiers


def test_local_object_with_a_linked_mesh(scene, library):
    mesh = link(library).data
    ob = bpy.data.objects.new("Local", mesh)
    scene.collection.objects.link(ob)
    ob.location.z = 2
    press("cloth", ob)
    play(scene, 1, 4)
    assert seen(ob)[:, 2].max() < 1.99
    scene.frame_end = 4
    bpy.ops.verlet.bake()
    baked = seen(ob)
    assert bpy.ops.verlet.free_bake() == {"FINISHED"}
    assert ob.data == mesh
    np.testing.assert_array_equal(seen(ob), baked)  # the preview of the same frame


@pytest.mark.parametrize("mode", ["OBJECT", "EDIT"])
def test_edges_and_corners_are_read_as_blender_tells_them(mode):
    ob = box()
    select(ob)
    bpy.ops.object.mode_set(mode=mode)
    mesh, arrays = ob.data, addon("blender.mesh_arrays")
    assert arrays.edge_vertices(mesh).tolist() == [list(edge.vertices) for edge in mesh.edges]
    assert arrays.corner_vertices(mesh).tolist() == [c.vertex_index for c in mesh.loops]


def test_cloth_that_was_linked_with_its_setup_is_named(scene, tmp_path):
    ob = cloth(name="Linked")
    path = tmp_path / "library.blend"
    bpy.data.libraries.write(str(path), {ob})
    bpy.data.objects.remove(ob)
    link(path)
    play(scene, 1, 2)
    (problem,) = session_of(scene).problems
    assert problem.is_error
    assert "Linked" in problem.message
    assert "Make Local" in problem.message


@pytest.mark.parametrize(
    ("vertices", "edges", "faces"),
    [
        pytest.param(
            [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (3, 3, 0)], [], [(0, 1, 2, 3)], id="loose"
        ),
        pytest.param(
            [(0, 0, 0), (0, 0, 0), (1, 0, 0), (1, 1, 0)],
            [(0, 1)],
            [(1, 2, 3)],
            id="zero-length edge",
        ),
        pytest.param(
            [(math.cos(a), math.sin(a), 0) for a in np.arange(7)], [], [tuple(range(7))], id="n-gon"
        ),
        pytest.param([(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(0, 1), (1, 2)], [], id="no faces"),
        pytest.param([(0, 0, 0)] * 4, [], [(0, 1, 2, 3)], id="all in one place"),
    ],
)
def test_odd_meshes_fall_as_cloth(scene, vertices, edges, faces):
    ob = new_object("Odd", vertices, edges, faces, location=(0, 0, 3))
    press("cloth", ob)
    start = seen(ob)
    play(scene, 1, 6)
    now = seen(ob)
    assert np.isfinite(now).all()
    assert session_of(scene).failure == ""
    fallen = 0.5 * 9.81 * (5 / 24) ** 2
    np.testing.assert_allclose(start[:, 2] - now[:, 2], fallen, rtol=0.25)


@pytest.mark.parametrize("verb", VERBS.values())
def test_scale_parent_and_rotation_mode_are_no_obstacle(scene, verb):
    parent = bpy.data.objects.new("Parent", None)
    scene.collection.objects.link(parent)
    parent.location = (1, 2, 3)
    parent.rotation_euler = (0.3, 0.2, 0.1)
    ob = box("Skewed", location=(0, 0, 1))
    ob.parent = parent
    ob.rotation_mode = "AXIS_ANGLE"
    ob.rotation_axis_angle = (0.7, 1, 0, 0)
    ob.scale = (-2, 0.5, 3)
    assert press(verb, ob) == {"FINISHED"}
    play(scene, 1, 3)
    assert session_of(scene).problems == []


def test_shape_keys_are_mixed_in(scene):
    ob = grid()
    ob.shape_key_add(name="Basis")
    key = ob.shape_key_add(name="Up")
    for point in key.data:
        point.co.z += 1
    key.value = 0.5
    press("cloth", ob)
    play(scene, 1, 2)
    fallen = 2.5 - seen(ob)[:, 2]
    assert fallen.min() > 0.0
    assert fallen.max() < 0.05


def test_pin_selected_vertices_in_edit_mode():
    ob = cloth()
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="DESELECT")
    bpy.ops.object.mode_set(mode="OBJECT")
    for index in (0, 4):
        ob.data.vertices[index].select = True
    bpy.ops.object.mode_set(mode="EDIT")
    assert bpy.ops.verlet.pin_selected() == {"FINISHED"}
    assert ob.mode == "EDIT"
    bpy.ops.object.mode_set(mode="OBJECT")
    assert list(np.flatnonzero(pinned(ob))) == [0, 4]
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.verlet.pin_selected(unpin=True)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert not pinned(ob).any()


def test_pinning_two_cloths_at_once():
    first, second = cloth(name="A"), cloth(name="B")
    select(first, second)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.verlet.pin_selected()
    bpy.ops.object.mode_set(mode="OBJECT")
    for ob in (first, second):
        assert pinned(ob).all()
    assert set(bpy.context.selected_objects) == {first, second}


def test_pin_selected_is_greyed_out_in_object_mode():
    select(cloth())
    with pytest.raises(RuntimeError, match="Edit Mode"):
        bpy.ops.verlet.pin_selected()


def test_a_missing_pin_group_is_named(scene):
    ob = cloth(name="Flag")
    pin(ob, [0])
    ob.vertex_groups.remove(ob.vertex_groups["Pin"])
    play(scene, 1, 2)
    (problem,) = session_of(scene).problems
    assert problem.is_error
    assert "Flag" in problem.message
    assert "Pin" in problem.message


def test_a_deforming_modifier_behind_the_cloth_is_pointed_out(scene):
    ob = cloth(name="Flag")
    ob.modifiers.new("Finer", "SUBSURF")
    ob.modifiers.new("Bones", "ARMATURE")
    play(scene, 1, 3)
    (problem,) = session_of(scene).problems
    assert not problem.is_error
    assert "Bones" in problem.message
    assert session_of(scene).last == 3


def test_modifiers_work_on_the_simulated_mesh(scene):
    ob = cloth()
    ob.modifiers.new("Subdivision", "SUBSURF").levels = 1
    play(scene, 1, 5)
    assert len(seen(ob)) > len(ob.data.vertices)
    assert seen(ob)[:, 2].max() < 1.99
    assert ob.modifiers[0].type == "MESH_CACHE"


def test_show_object_selects_the_object_of_a_problem():
    first, second = grid("A"), grid("B")
    select(first)
    bpy.ops.verlet.show_object(uid=str(second.session_uid))
    assert bpy.context.selected_objects == [second]
    assert bpy.context.object == second


def test_blenders_own_rigid_body_is_pointed_out_and_taken_off(scene):
    ob = body(name="Twice")
    floor()
    select(ob)
    bpy.ops.rigidbody.object_add()
    play(scene, 1, 2)
    (problem,) = session_of(scene).problems
    assert "Twice" in problem.message
    assert problem.operator == "verlet.remove_own_rigid_body"
    bpy.ops.verlet.remove_own_rigid_body(uid=str(problem.object_uid))
    assert ob.rigid_body is None


@pytest.mark.parametrize(
    ("operator", "way"),
    [
        ("pin_ends", "Go to Object Mode first"),
        ("add_explosion", "Go to Object Mode first"),
        ("join", "Go to Object Mode first"),
        ("ragdoll_between", "Go to Object Mode or Pose Mode first"),
        ("bake", "Go to Object Mode or Pose Mode first"),
    ],
)
def test_operators_tell_the_mode_that_they_want(scene, operator, way):
    select(grid())
    bpy.ops.verlet.cloth()
    bpy.ops.object.mode_set(mode="WEIGHT_PAINT")
    with pytest.raises(RuntimeError, match=way):
        getattr(bpy.ops.verlet, operator)()
    bpy.ops.object.mode_set(mode="OBJECT")


OF_LIBRARY = ["not set up", "set up", "with another bend"]


@pytest.mark.parametrize("in_library", OF_LIBRARY)
def test_settings_of_a_library_override_come_back_with_the_file(scene, tmp_path, in_library):
    """Also in groups that the library never stored, which Blender cannot read again."""
    ob = grid("Linked")
    if in_library != "not set up":
        press("cloth", ob)
    if in_library == "with another bend":
        ob.verlet.cloth.bend, ob.verlet.cloth.shear = 0.7, 0.6
    bpy.data.libraries.write(str(tmp_path / "library.blend"), {ob})
    bpy.data.objects.remove(ob)
    ob = link(tmp_path / "library.blend").override_create(remap_local_usages=True)
    if in_library == "not set up":
        press("cloth", ob)
    bar = box(name="Bar")
    ob.verlet.cloth.bend = 0.31
    ob.verlet.pin_target = bar
    ob.verlet.animated.wind = 0.5
    ob.override_library.operations_update()  # as the window does with each step of undo
    for number in range(2):  # once more, from what was read
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / f"use{number}.blend"))
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / f"use{number}.blend"))
        (ob,) = (found for found in bpy.data.objects if found.override_library)
        assert ob.verlet.kind == "CLOTH"
        assert ob.verlet.cloth.bend == pytest.approx(0.31)
        assert ob.verlet.pin_target.name == "Bar"
        assert ob.verlet.animated.wind == 0.5
        changed = {one.rna_path for one in ob.override_library.properties}
        assert not any("shear" in path for path in changed), "the library's own goes on"


def test_bones_of_an_overridden_rig_keep_their_settings(scene, tmp_path):
    rig = chain(3, name="Linked")
    bpy.data.libraries.write(str(tmp_path / "library.blend"), {rig})
    bpy.data.objects.remove(rig)
    rig = link(tmp_path / "library.blend").override_create(remap_local_usages=True)
    select(rig)
    bpy.ops.verlet.ragdoll()
    rig.pose.bones["Bone 1"].verlet.shape = "BOX"
    rig.pose.bones["Bone 2"].verlet_limp = 0.25
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "use.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "use.blend"))
    (rig,) = (found for found in bpy.data.objects if found.override_library)
    assert rig.verlet.kind == "RAGDOLL"
    assert rig.pose.bones["Bone 1"].verlet.shape == "BOX"
    assert rig.pose.bones["Bone 2"].verlet_limp == 0.25
