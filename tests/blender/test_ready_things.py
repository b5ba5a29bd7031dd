"""Add › Verlet: each ready thing simulates well as it is, and is undone in one step."""

import itertools

import bpy
import numpy as np
import pytest
from small_scenes import grid, play, refusal, seen, seen_matrix, select, session_of

pytestmark = pytest.mark.usefixtures("scene")

THINGS = (
    "flag",
    "curtain",
    "rope_bridge",
    "jelly",
    "brick_wall",
    "wrecking_ball",
    "ragdoll_dummy",
)
CURSOR = (3.0, -2.0, 1.5)


def add(name, **options):
    """Press the button at an oblique cursor; returns what it added, by name."""
    before = set(bpy.data.objects)
    bpy.context.scene.cursor.location = CURSOR
    assert getattr(bpy.ops.verlet, f"add_{name}")(**options) == {"FINISHED"}
    bpy.context.view_layer.update()
    return {ob.name: ob for ob in bpy.data.objects if ob not in before}


def simulate(scene, frame):
    """Play up to a frame; nothing may be doubtful or wrong."""
    play(scene, 1, frame)
    running = session_of(scene)
    assert running is not None
    assert [problem.message for problem in running.problems] == []
    assert running.failure == ""
    assert running.last == frame
    return running


def place(ob):
    return np.array(ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world)[:3, 3]


@pytest.mark.parametrize("name", THINGS)
def test_is_selected_named_and_at_the_cursor(scene, name):
    found = add(name)
    chosen = [ob for ob in found.values() if ob.select_get()]
    assert bpy.context.view_layer.objects.active in chosen
    assert all(ob.name == "Floor" or ob.select_get() for ob in found.values())
    assert all(not ob.name[-4:].startswith(".") for ob in found.values())
    corners = np.concatenate(
        [(np.array(ob.matrix_world) @ np.c_[np.array(ob.bound_box), np.ones(8)].T).T[:, :3]
         for ob in chosen if ob.type in {"MESH", "ARMATURE"}]
    )  # fmt: skip
    assert corners[:, 2].min() >= CURSOR[2] - 0.02
    assert abs(corners[:, :2].mean(axis=0) - CURSOR[:2]).max() < 2.5


def test_flag_waves_and_its_hoist_stays(scene):
    flag = add("flag")["Flag"]
    rest = seen(flag)
    assert scene.verlet.wind.velocity[0] > 0.0
    simulate(scene, 24)
    now = seen(flag)
    hoist = rest[:, 0] < rest[:, 0].min() + 1e-4
    assert hoist.sum() == 29
    assert abs(now - rest)[hoist].max() < 1e-5
    fly = rest[:, 0] > rest[:, 0].max() - 1e-4
    assert abs(now - rest)[fly].max() > 0.1
    assert np.linalg.norm(now - now[hoist].mean(axis=0), axis=1).max() < 1.9  # not torn off


def test_curtain_hangs_in_folds(scene):
    curtain = add("curtain")["Curtain"]
    rest = seen(curtain)
    simulate(scene, 24)
    now = seen(curtain)
    assert abs(now - rest).max() < 0.12
    assert now[:, 2].min() == pytest.approx(rest[:, 2].min(), abs=0.05)
    foot = now[np.argsort(rest[:, 2])[:65]]
    assert np.ptp(foot[:, 1]) > 0.07  # still folded at its foot
    assert scene.verlet.wind.velocity[:] == (0.0, 0.0, 0.0)


def test_bridge_hangs_between_its_ends(scene):
    found = add("rope_bridge")
    planks = [ob for name, ob in found.items() if name.startswith("Plank")]
    for side in ("Near", "Far"):
        found[f"Hand Rope {side}"].modifiers["Skin"].show_viewport = False  # bare vertices
    first = {ob: place(ob) for ob in planks}
    simulate(scene, 48)
    heights = np.array([place(ob)[2] for ob in planks])
    assert 0.85 - 0.15 < heights.min() - CURSOR[2] < 0.85
    assert heights[0] - CURSOR[2] == pytest.approx(1.1, abs=0.1)
    assert heights[0] == pytest.approx(heights[-1], abs=0.01)
    moved = max(np.linalg.norm(place(ob) - first[ob]) for ob in planks)
    assert moved < 0.1
    ropes = [seen(found[f"Hand Rope {side}"]) for side in ("Near", "Far")]
    for rope in ropes:
        # each foot of a dropper is where its plank's edge is
        feet = rope[23::4]
        spans = [min(np.linalg.norm(foot - place(ob)) for ob in planks) for foot in feet]
        assert np.allclose(spans, 0.45, atol=0.06)


def test_bridge_and_hand_ropes_hold_each_other(scene):
    found = add("rope_bridge")
    rope = found["Hand Rope Far"]
    rope.modifiers["Skin"].show_viewport = False
    planks = [found[f"Plank {number:02}"] for number in range(2, 19, 3)]
    rope.verlet.pin_group = ""  # only the planks hold it now
    simulate(scene, 8)
    edges = [(seen_matrix(ob) @ (0.0, 0.45, 0.0, 1.0))[:3] for ob in planks]
    assert np.allclose(seen(rope)[23::4], edges, atol=0.01)


def test_jelly_wobbles_and_keeps_its_volume(scene):
    jelly = add("jelly")["Jelly"]

    def volume():
        points, mesh = seen(jelly), jelly.data
        total = 0.0
        for face in mesh.polygons:
            a, *rest = (points[v] for v in face.vertices)
            total += sum(np.dot(a, np.cross(b, c)) for b, c in itertools.pairwise(rest))
        return total / 6.0

    start, height = volume(), seen(jelly)[:, 2].mean()
    shares = []
    for frame in range(2, 49):
        scene.frame_set(frame)
        shares.append(volume() / start)
    assert session_of(scene).problems == []
    assert min(shares) > 0.9
    assert max(shares) < 1.1
    assert min(shares) < 0.9999 or max(shares) > 1.0001
    now = seen(jelly)
    assert now[:, 2].mean() < height - 0.3
    assert now[:, 2].min() > CURSOR[2] - 0.02


def test_wall_stands(scene):
    bricks = [ob for name, ob in add("brick_wall").items() if name.startswith("Brick")]
    assert len(bricks) == 38
    first = {ob: place(ob) for ob in bricks}
    simulate(scene, 48)
    assert max(np.linalg.norm(place(ob) - first[ob]) for ob in bricks) < 0.005


def test_ball_swings_on_its_chain_and_breaks_the_wall(scene):
    bricks = [ob for name, ob in add("brick_wall").items() if name.startswith("Brick")]
    first = {ob: place(ob) for ob in bricks}
    found = add("wrecking_ball")
    assert "Floor" not in found  # that of the wall is there
    ball = found["Wrecking Ball"]
    hook = np.array(CURSOR) + (0, 0, 4.4)
    length = np.linalg.norm(place(ball) - hook)
    simulate(scene, 36)
    assert np.linalg.norm(place(ball) - hook) == pytest.approx(length, rel=0.02)
    assert sum(np.linalg.norm(place(ob) - first[ob]) > 0.2 for ob in bricks) > 5


def test_dummy_lies_on_the_floor(scene):
    found = add("ragdoll_dummy")
    rig, skin = found["Dummy"], found["Dummy Skin"]
    assert rig.verlet.ragdoll.mass == 75.0
    running = simulate(scene, 72)
    points = seen(skin)
    assert points[:, 2].max() < CURSOR[2] + 0.9  # it has fallen
    assert points[:, 2].min() > CURSOR[2] - 0.04
    assert len(running.participants("RAGDOLL")) == 1
    notes = running.bone_notes[rig.session_uid]
    assert len(notes) == len(rig.pose.bones) == 19


@pytest.mark.parametrize("name", THINGS)
def test_one_undo_takes_it_away(scene, name):
    bpy.ops.ed.undo_push(message="before")
    add(name)
    bpy.ops.ed.undo_push(message="added")
    play(bpy.context.scene, 1, 3)
    bpy.ops.ed.undo()
    scene = bpy.context.scene
    assert len(scene.objects) == 0
    assert scene.verlet.wind.velocity[:] == (0.0, 0.0, 0.0)


@pytest.mark.without_wheels
@pytest.mark.parametrize("name", THINGS)
def test_can_be_added_anywhere(scene, name):
    """A hidden collection, other units, a turned cursor, another frame, something selected."""
    mine = grid()
    select(mine)
    assert bpy.ops.verlet.cloth() == {"FINISHED"}
    mine.verlet.cloth.bend = 0.77
    hidden = bpy.data.collections.new("Hidden")
    scene.collection.children.link(hidden)
    layer = bpy.context.view_layer.layer_collection.children["Hidden"]
    bpy.context.view_layer.active_layer_collection = layer
    layer.hide_viewport = True
    scene.unit_settings.scale_length = 0.01
    scene.cursor.rotation_euler = (0.4, 0.5, 0.6)
    scene.frame_set(30)
    scene.verlet.wind.velocity = (0.0, 2.0, 0.0)
    found = add(name)
    assert all(ob.visible_get() for ob in found.values())  # Blender leaves a hidden collection
    assert not mine.select_get()
    assert mine.verlet.kind == "CLOTH"
    assert mine.verlet.cloth.bend == pytest.approx(0.77)
    assert scene.verlet.wind.velocity[:] == (0.0, 2.0, 0.0)
    upright = [ob for ob in found.values() if ob.type == "ARMATURE" or ob.name == "Flag"]
    assert all(np.allclose(np.array(ob.matrix_world)[:3, :3], np.eye(3)) for ob in upright)


@pytest.mark.without_wheels
def test_two_of_a_kind_stand_on_one_floor(scene):
    first, second = add("jelly"), add("jelly")
    assert set(first) == {"Jelly", "Floor"}
    assert set(second) == {"Jelly.001"}
    scene.cursor.location = (40.0, 0.0, 0.0)
    assert bpy.ops.verlet.add_jelly(with_floor=False) == {"FINISHED"}
    assert len([ob for ob in scene.objects if ob.name.startswith("Floor")]) == 1
    assert bpy.ops.verlet.add_jelly() == {"FINISHED"}
    assert len([ob for ob in scene.objects if ob.name.startswith("Floor")]) == 2


@pytest.mark.without_wheels
def test_is_refused_where_nothing_can_be_added(scene):
    select(grid())
    bpy.ops.object.mode_set(mode="EDIT")
    assert "Object Mode" in refusal(bpy.ops.verlet.add_flag)
    assert "Object Mode" in refusal(bpy.ops.verlet.drape)
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.objects.active.select_set(False)
    assert "Select the meshes first" in refusal(bpy.ops.verlet.drape)
