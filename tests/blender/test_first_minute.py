"""What a newcomer meets: menus, hints with buttons, examples, a look before the first play."""

import fnmatch

import bpy
import numpy as np
import pytest
from small_scenes import (
    addon,
    box,
    floor,
    grid,
    new_object,
    play,
    refusal,
    seen,
    select,
    session_of,
)

pytestmark = pytest.mark.usefixtures("scene")


def hints_of(ob, scene):
    return {hint.operator: hint for hint in addon("scene.hints").of_object(ob, scene)}


def mend(hint):
    """Press the button beside a hint."""
    name = hint.operator.removeprefix("verlet.")
    options = {"uid": str(hint.object_uid)} if hint.object_uid else {}
    assert getattr(bpy.ops.verlet, name)(**options) == {"FINISHED"}
    bpy.context.view_layer.update()


def press(verb, ob):
    select(ob)
    assert getattr(bpy.ops.verlet, verb)() == {"FINISHED"}


@pytest.mark.without_wheels
@pytest.mark.parametrize("make", [box, lambda: grid(size=2, spacing=2.0)])
def test_few_vertices_are_told_and_cut(scene, make):
    ob = make()
    press("cloth", ob)
    hint = hints_of(ob, scene)["verlet.subdivide"]
    assert f"{len(ob.data.vertices)} vertices can hardly fold" in hint.message
    size = np.ptp(seen(ob), axis=0)
    mend(hint)
    assert len(ob.data.vertices) >= 20**2
    assert np.allclose(np.ptp(seen(ob), axis=0), size)
    assert "verlet.subdivide" not in hints_of(ob, scene)


@pytest.mark.without_wheels
def test_faces_of_a_rope_are_told_to_hold_nothing(scene):
    tube, line = box(), new_object("Line", [(0, 0, 0), (1, 0, 0)], edges=[(0, 1)])
    press("rope", tube)
    press("rope", line)
    assert "its faces hold nothing" in hints_of(tube, scene)[""].message
    assert hints_of(line, scene) == {}


@pytest.mark.without_wheels
def test_the_panel_says_to_press_a_verb_before_it_says_to_press_play(scene):
    status = addon("live.status").status
    assert "press a verb" in status(scene)[0]
    press("collider", floor())
    assert "press a verb" in status(scene)[0]
    press("cloth", grid())
    assert status(scene)[0] == "Not simulated: press Play"


@pytest.mark.without_wheels
def test_cutting_leaves_others_and_keeps_weights(scene):
    ob = grid(size=2)
    ob.vertex_groups.new(name="Hem").add([0, 1], 1.0, "REPLACE")
    twin = ob.copy()
    scene.collection.objects.link(twin)
    press("cloth", ob)
    mend(hints_of(ob, scene)["verlet.subdivide"])
    assert len(twin.data.vertices) == 4
    held = [
        vertex for vertex in ob.data.vertices if vertex.groups and vertex.groups[0].weight > 0.99
    ]
    assert len(held) == 21


@pytest.mark.without_wheels
def test_open_edges_are_told_and_closed(scene):
    cup = box()
    lid = len(cup.data.polygons) - 1
    vertices = [vertex.co[:] for vertex in cup.data.vertices]
    faces = [tuple(face.vertices) for face in cup.data.polygons][:lid]
    ob = new_object("Cup", vertices, faces=faces)
    select(ob)
    assert "Close Holes" in refusal(bpy.ops.verlet.soft_body)
    assert ob.verlet.kind == "NONE"
    hint = hints_of(ob, scene)["verlet.close_holes"]
    assert "4 edges" in hint.message
    mend(hint)
    assert len(ob.data.polygons) == 6
    assert ob.verlet.kind == "SOFT_BODY"
    assert "verlet.close_holes" not in hints_of(ob, scene)


@pytest.mark.without_wheels
def test_a_mesh_that_cannot_be_closed_is_left_as_it_is(scene):
    fin = new_object(
        "Fin", [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1)],
        faces=[(0, 1, 2), (0, 1, 3), (0, 1, 4)],
    )  # fmt: skip
    select(fin)
    refusal(bpy.ops.verlet.soft_body)
    assert "Non Manifold" in refusal(bpy.ops.verlet.close_holes)
    assert len(fin.data.polygons) == 3


@pytest.mark.without_wheels
def test_a_floor_is_offered_to_what_falls_only(scene):
    of_scene = addon("scene.hints").of_scene
    assert of_scene(scene) == []
    ob = box(location=(4, 4, -3))
    press("rigid_body", ob)
    (hint,) = of_scene(scene)
    assert "Nothing here is a collider" in hint.message
    scene.use_gravity = False
    assert of_scene(scene) == []
    scene.use_gravity = True
    mend(hint)
    assert of_scene(scene) == []
    assert bpy.data.objects["Floor"].location.z == pytest.approx(-3.2)
    bpy.data.objects.remove(bpy.data.objects["Floor"])
    flag = grid()
    flag.vertex_groups.new(name="Pins")
    press("cloth", flag)
    ob.verlet.kind = "NONE"
    assert len(of_scene(scene)) == 1
    flag.verlet.pin_group = "Pins"
    assert of_scene(scene) == []


@pytest.mark.without_wheels
def test_wind_is_offered_to_pinned_cloth_in_still_air(scene):
    flag = grid(size=9)
    press("cloth", flag)
    assert hints_of(flag, scene) == {}
    flag.vertex_groups.new(name="Pins")
    flag.verlet.pin_group = "Pins"
    mend(hints_of(flag, scene)["verlet.add_wind"])
    assert scene.verlet.wind.velocity.length > 4.0
    assert hints_of(flag, scene) == {}
    scene.verlet.wind.velocity = (0, 0, 0)
    scene.verlet.wind.keyframe_insert("velocity", frame=1)
    assert hints_of(flag, scene) == {}


def test_a_look_before_playing_tells_bones_and_problems(scene):
    assert bpy.ops.verlet.add_ragdoll_dummy() == {"FINISHED"}
    rig = bpy.context.object
    assert session_of(scene) is None
    look = addon("look_ahead").look
    assert look(scene)
    running = session_of(scene)
    assert "hinge" in " ".join(running.bone_notes[rig.session_uid]["forearm.L"]).lower()
    points, _ = addon("overlays.collect").lines_of(bpy.context)
    assert len(points) > 100
    assert not look(scene)  # nothing was changed
    rig.verlet.ragdoll.mass = 50.0
    assert look(scene)
    assert session_of(scene) is not running
    scene.frame_set(2)
    rig.verlet.ragdoll.mass = 60.0
    assert not look(scene)  # only where everything stands at its own place


def test_drape_falls_over_the_selection(scene):
    ball = box(size=1.0, location=(3, 1, 0.5))
    floor()
    select(ball)
    assert bpy.ops.verlet.drape() == {"FINISHED"}
    sheet = bpy.context.object
    assert ball.verlet.kind == "COLLIDER"
    assert sheet.verlet.kind == "CLOTH"
    bpy.context.view_layer.update()
    start = seen(sheet)
    assert np.allclose(start.mean(axis=0)[:2], (3, 1), atol=1e-4)
    assert start[:, 2].min() > 1.0
    play(scene, 1, 36)
    now = seen(sheet)
    inside = (np.abs(now - (3, 1, 0.5)) < 0.47).all(axis=1)
    assert not inside.any()
    assert now[:, 2].min() < 0.6  # it hangs down the sides
    assert now[:, 2].max() > 0.98  # and lies on the top


@pytest.mark.parametrize("name", ["WIND", "WRECKING", "BRIDGE", "SOFT"])
def test_examples_leave_the_open_scene_alone(scene, name):
    mine = box()
    before = {"objects": set(scene.objects), "wind": scene.verlet.wind.velocity[:]}
    assert bpy.ops.verlet.example(example=name) == {"FINISHED"}
    assert set(scene.objects) == before["objects"] == {mine}
    assert scene.verlet.wind.velocity[:] == before["wind"]
    (made,) = [other for other in bpy.data.scenes if other != scene]
    assert made.camera is not None
    kinds = {ob.verlet.kind for ob in made.objects}
    assert "COLLIDER" in kinds
    assert len(kinds) > 2


@pytest.mark.without_wheels
def test_menus_and_manual_are_there_and_go(scene, extension):
    menus = addon("panels.menus")
    for name, draw in menus.PLACES:
        assert draw in getattr(bpy.types, name)._dyn_ui_initialize()
    address, pages = addon("manual").manual_map()
    assert address.startswith(("http", "file:"))
    assert pages
    for what in (
        "bpy.ops.verlet.cloth",
        "bpy.types.verletcloth.bend",
        "bpy.types.verletscene.show_joints",
        "bpy.types.posebone.verlet_limp",
    ):
        assert any(fnmatch.fnmatchcase(what, pattern) for pattern, _ in pages), what


@pytest.mark.without_wheels
def test_texts_break_between_words():
    lines_of = addon("panels.settings").lines_of
    text = "Nothing here is a collider: what falls goes on falling"
    for room in range(4, 60):
        lines = lines_of(text, lambda part, room=room: len(part) <= room)
        assert " ".join(lines) == text
        assert all(len(line) <= max(room, 10) for line in lines)


@pytest.mark.without_wheels
def test_method_is_hidden_until_it_is_asked_for_or_used(scene):
    panel = bpy.types.VERLET_PT_solver_method
    chosen = addon("preferences").get()
    chosen.show_method = False
    assert not panel.poll(bpy.context)
    scene.verlet.solver.integrator = "LEAPFROG"
    assert panel.poll(bpy.context)
    scene.verlet.solver.property_unset("integrator")
    assert not panel.poll(bpy.context)
    chosen.show_method = True
    assert panel.poll(bpy.context)


@pytest.mark.without_wheels
def test_order_of_the_work():
    order = ("setup", "simulate", "bake", "bone", "object", "world", "overlay", "convert")
    numbers = [getattr(bpy.types, f"VERLET_PT_{name}").bl_order for name in order]
    assert numbers == sorted(numbers)
