"""Baked shape keys play the positions they were given, and Free Bake leaves no trace of them."""

import importlib
import time

import bpy
import numpy as np
import pytest
from object_snapshot import animation_snapshot, differences, file_snapshot, mesh_snapshot
from small_scenes import addon

pytestmark = pytest.mark.usefixtures("scene")

FRAMES = list(range(3, 15))
FRAME_COUNT = len(FRAMES)


@pytest.fixture
def shape_keys(extension):
    return importlib.import_module(f"{extension.__name__}.verlet_addon.bake.shape_keys")


def new_grid(scene, name="Cloth", size=4):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(
        [(x * 0.3, y * 0.3, 0.1) for y in range(size) for x in range(size)],
        [],
        [
            (i, i + 1, i + size + 1, i + size)
            for y in range(size - 1)
            for i in range(y * size, y * size + size - 1)
        ],
    )
    ob = bpy.data.objects.new(name, mesh)
    scene.collection.objects.link(ob)
    return ob


def motion(ob, frame_count=FRAME_COUNT, seed=5):
    shape = (frame_count, len(ob.data.vertices), 3)
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def evaluated(ob, graph=None):
    mesh = ob.evaluated_get(graph or bpy.context.evaluated_depsgraph_get()).data
    co = np.empty(len(mesh.vertices) * 3, dtype=np.float32)
    mesh.vertices.foreach_get("co", co)
    return co.reshape(-1, 3)


def worst_error(ob, frames, positions):
    """Largest distance of an evaluated coordinate from what was baked, metres."""
    worst = 0.0
    for frame, expected in zip(frames, positions):
        bpy.context.scene.frame_set(frame)
        worst = max(worst, float(np.abs(evaluated(ob) - expected).max()))
    return worst


def reload(tmp_path):
    """Save, open, and return a function that finds objects again."""
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "saved.blend"))
    return lambda name: bpy.data.objects[name]


def settle(frame=1):
    bpy.context.scene.frame_set(frame)
    bpy.context.view_layer.update()


def add_relative_keys(ob, compat):
    """Keys as a character has them: values, limits, a group, mute, an action, a driver, NLA."""
    ob.vertex_groups.new(name="Half").add(range(8), 1.0, "REPLACE")
    ob.shape_key_add(name="Basis")
    for number, name in enumerate(("Smile", "Frown", "Blink", "Off")):
        block = ob.shape_key_add(name=name, from_mix=False)
        block.points.foreach_set("co", motion(ob, 1, seed=number).ravel())
        block.slider_max = 2.0
        block.value = 0.1 + number
    keys = ob.data.shape_keys
    keys.key_blocks["Frown"].vertex_group = "Half"
    keys.key_blocks["Blink"].relative_key = keys.key_blocks["Smile"]
    keys.key_blocks["Off"].mute = True
    keys.key_blocks["Off"].interpolation = "KEY_BSPLINE"
    curve = compat.ensure_fcurve(keys, 'key_blocks["Smile"].value')
    for frame, value in ((1, 0.0), (10, 1.0)):
        curve.keyframe_points.insert(frame, value)
    driver = keys.driver_add('key_blocks["Frown"].value').driver
    driver.expression = "frame * 0.03"
    strip_action = bpy.data.actions.new("Strip Action")
    handle = compat.ensure_slot(strip_action, keys)
    compat.new_fcurves(strip_action, handle, [('key_blocks["Blink"].value', 0)])[
        0
    ].keyframe_points.insert(1, 0.4)
    track = keys.animation_data.nla_tracks.new()
    strip = track.strips.new("Strip", 1, strip_action)
    if compat.HAS_SLOTS:
        strip.action_slot = strip_action.slots[0]
    ob.active_shape_key_index = 3
    ob.show_only_shape_key = False


def add_absolute_keys(ob, compat):
    """Absolute keys whose eval_time is in the middle, with a curve and a driver on it."""
    ob.shape_key_add(name="Basis")
    for number in range(3):
        block = ob.shape_key_add(name=f"Pose {number}", from_mix=False)
        block.points.foreach_set("co", motion(ob, 1, seed=number).ravel())
    keys = ob.data.shape_keys
    ob.shape_key_remove(keys.key_blocks[1])  # leaves a gap between the frames of the keys
    keys.key_blocks[1].interpolation = "KEY_CARDINAL"
    keys.use_relative = False
    keys.eval_time = 12.5
    curve = compat.ensure_fcurve(keys, "eval_time")
    for frame, value in ((1, 3.0), (20, 28.0)):
        curve.keyframe_points.insert(frame, value)
    ob.active_shape_key_index = 1
    ob.show_only_shape_key = True


def add_driven_absolute_keys(ob, compat):
    add_absolute_keys(ob, compat)
    bpy.data.actions.remove(ob.data.shape_keys.animation_data.action)
    ob.data.shape_keys.animation_data_clear()
    ob.data.shape_keys.driver_add("eval_time").driver.expression = "frame * 2"


def add_solo_track(ob, compat):
    """A solo NLA track on eval_time, and an action with an influence, a blend and an offset."""
    add_absolute_keys(ob, compat)
    keys = ob.data.shape_keys
    animation = keys.animation_data
    for number in range(2):
        action = bpy.data.actions.new(f"Track {number}")
        handle = compat.ensure_slot(action, keys)
        curve = compat.new_fcurves(action, handle, [("eval_time", 0)])[0]
        curve.keyframe_points.insert(1, 5.0 + number)
        curve.keyframe_points.insert(30, 25.0)
        curve = compat.new_fcurves(action, handle, [("use_relative", 0)])[0]
        curve.keyframe_points.insert(1, 1.0)
        strip = animation.nla_tracks.new().strips.new("S", 1, action)
        if compat.HAS_SLOTS:
            strip.action_slot = action.slots[0]
    animation.nla_tracks[0].mute = True
    animation.nla_tracks[1].is_solo = True
    animation.action_blend_type = "ADD"
    animation.action_influence = 0.5
    animation.action_extrapolation = "NOTHING"


def share_mesh(ob, compat):
    other = bpy.data.objects.new("Other", ob.data)
    bpy.context.scene.collection.objects.link(other)


def share_mesh_with_keys(ob, compat):
    add_relative_keys(ob, compat)
    share_mesh(ob, compat)


def keep_by_fake_user(ob, compat):
    ob.data.use_fake_user = True


def share_and_keep(ob, compat):
    share_mesh_with_keys(ob, compat)
    ob.data.use_fake_user = True


def add_modifiers(ob, compat):
    ob.modifiers.new("Mine", "SUBSURF").show_viewport = False
    ob.data.attributes.new("Mine", "FLOAT", "POINT")
    ob.data.materials.append(bpy.data.materials.new("Red"))


def empty_animation(ob, compat):
    ob.shape_key_add(name="Basis")
    ob.data.shape_keys.animation_data_create()


def shared_key_action(ob, compat):
    """Two meshes whose keys share one action (each with its own slot where there are slots)."""
    add_absolute_keys(ob, compat)
    other = new_grid(bpy.context.scene, "Second")
    other.shape_key_add(name="Basis")
    other.shape_key_add(name="B")
    keys = other.data.shape_keys
    keys.animation_data_create().action = ob.data.shape_keys.animation_data.action
    compat.ensure_fcurve(keys, "eval_time").keyframe_points.insert(4, 4.0)


SETUPS = [
    lambda ob, compat: None,
    add_relative_keys,
    add_absolute_keys,
    add_driven_absolute_keys,
    add_solo_track,
    share_mesh,
    share_mesh_with_keys,
    keep_by_fake_user,
    share_and_keep,
    add_modifiers,
    empty_animation,
    shared_key_action,
]
SETUP_NAMES = ["plain", *(setup.__name__ for setup in SETUPS[1:])]


@pytest.mark.parametrize("reloaded", [False, True], ids=["", "reloaded"])
@pytest.mark.parametrize("setup", SETUPS, ids=SETUP_NAMES)
def test_bake_plays_and_free_restores(
    scene, shape_keys, restore, compat, tmp_path, setup, reloaded
):
    ob = new_grid(scene)
    setup(ob, compat)
    settle(7)
    before = file_snapshot()
    others = [other.name for other in scene.objects if other != ob]
    shown_before = {name: evaluated(bpy.data.objects[name]).tobytes() for name in others}
    rest_before = evaluated(ob).tobytes()

    positions = motion(ob)
    shape_keys.write(ob, FRAMES, positions)
    bpy.context.view_layer.update()
    np.testing.assert_allclose(evaluated(ob), positions[FRAMES.index(7)], atol=1e-5)
    assert addon("properties.bake_record").is_baked(ob)
    assert addon("properties.bake_record").baked_range(ob) == (FRAMES[0], FRAMES[-1])
    assert worst_error(ob, FRAMES, positions) < 1e-5
    if reloaded:
        ob = reload(tmp_path)("Cloth")
        assert addon("properties.bake_record").is_baked(ob)
        assert worst_error(ob, FRAMES, positions) < 1e-5
    settle(7)
    for name in others:
        assert evaluated(bpy.data.objects[name]).tobytes() == shown_before[name]

    assert restore.free(ob)
    settle(7)
    assert differences(before, file_snapshot()) == []
    assert evaluated(ob).tobytes() == rest_before
    assert not addon("properties.bake_record").is_baked(ob)
    assert addon("properties.bake_record").baked_range(ob) is None
    assert not restore.free(ob)
    shape_keys.free(ob)
    assert differences(before, file_snapshot()) == []


def test_existing_keys_stay_in_the_mesh_while_baked(scene, shape_keys, compat):
    ob = new_grid(scene)
    add_relative_keys(ob, compat)
    before = [block["points"] for block in mesh_snapshot(ob.data)["shape keys"]["blocks"]]
    shape_keys.write(ob, FRAMES, motion(ob))
    blocks = mesh_snapshot(ob.data)["shape keys"]["blocks"]
    assert [block["points"] for block in blocks[:5]] == before
    names = [f"Verlet {frame:04d}" for frame in FRAMES]
    assert [block["name"] for block in blocks[5:]] == names


def test_the_action_is_the_objects_own(scene, shape_keys, compat):
    ob = new_grid(scene)
    shape_keys.write(ob, FRAMES, motion(ob))
    keys = ob.data.shape_keys
    action = keys.animation_data.action
    assert action.name == "Cloth Verlet Bake"
    (curve,) = compat.fcurves_of(keys)
    assert (curve.data_path, len(curve.keyframe_points)) == ("eval_time", len(FRAMES))
    assert {key.interpolation for key in curve.keyframe_points} == {"LINEAR"}
    if compat.HAS_SLOTS:
        assert len(action.slots) == 1


def test_subframes_lie_on_the_line_between_frames(scene, shape_keys):
    ob = new_grid(scene)
    positions = motion(ob)
    shape_keys.write(ob, FRAMES, positions)
    for subframe in (0.25, 0.5, 0.9):
        scene.frame_set(FRAMES[4], subframe=subframe)
        line = (1 - subframe) * positions[4] + subframe * positions[5]
        np.testing.assert_allclose(evaluated(ob), line, atol=2e-5)


def test_frames_may_have_gaps_and_the_ends_are_held(scene, shape_keys):
    ob = new_grid(scene)
    frames = [-4, 0, 1, 20]
    positions = motion(ob, 4)
    shape_keys.write(ob, frames, positions)
    assert worst_error(ob, frames, positions) < 1e-5
    assert worst_error(ob, [-90, 500], positions[[0, -1]]) < 1e-5


def test_a_long_bake_of_fast_points_stays_exact(scene, shape_keys):
    """Positions of shape keys drift as floats: 10 m a frame must not turn that into millimetres."""
    ob = new_grid(scene)
    frames = list(range(1, 1201))
    positions = 10.0 * motion(ob, len(frames))
    shape_keys.write(ob, frames, positions)
    assert worst_error(ob, frames[::7], positions[::7]) < 1e-5


@pytest.mark.parametrize("setup", [add_relative_keys, share_mesh_with_keys, share_mesh])
def test_baking_over_a_bake(scene, shape_keys, restore, compat, setup):
    ob = new_grid(scene)
    setup(ob, compat)
    settle()
    before = file_snapshot()
    shape_keys.write(ob, FRAMES, motion(ob, seed=1))
    later = [frame + 3 for frame in FRAMES[:5]]
    positions = motion(ob, 5, seed=2)
    shape_keys.write(ob, later, positions)
    assert worst_error(ob, later, positions) < 1e-5
    assert addon("properties.bake_record").baked_range(ob) == (later[0], later[-1])
    restore.free(ob)
    settle()
    assert differences(before, file_snapshot()) == []


def test_every_user_of_a_mesh_can_be_baked(scene, shape_keys, restore, compat):
    ob = new_grid(scene)
    share_mesh_with_keys(ob, compat)
    other = bpy.data.objects["Other"]
    settle()
    before = file_snapshot()
    mine, theirs = motion(ob, seed=1), motion(ob, seed=2)
    shape_keys.write(ob, FRAMES, mine)
    shape_keys.write(other, FRAMES, theirs)
    assert worst_error(ob, FRAMES, mine) < 1e-5
    assert worst_error(other, FRAMES, theirs) < 1e-5
    restore.free(ob)
    assert worst_error(other, FRAMES, theirs) < 1e-5
    restore.free(other)
    settle()
    assert differences(before, file_snapshot()) == []


@pytest.mark.parametrize("first", ["Cloth", "Copy"])
@pytest.mark.parametrize("linked", [False, True], ids=["duplicate", "linked duplicate"])
@pytest.mark.parametrize("setup", [SETUPS[0], add_relative_keys, share_mesh_with_keys])
def test_duplicates_are_freed_independently(
    scene, shape_keys, restore, compat, setup, linked, first
):
    ob = new_grid(scene)
    setup(ob, compat)
    settle()
    mesh_before = mesh_snapshot(ob.data)["shape keys"]
    action_count = len(bpy.data.actions)
    positions = motion(ob)
    shape_keys.write(ob, FRAMES, positions)
    bpy.context.view_layer.objects.active = ob
    ob.select_set(True)
    with bpy.context.temp_override(selected_objects=[ob], active_object=ob, object=ob):
        bpy.ops.object.duplicate(linked=linked)
    copy = next(other for other in scene.objects if other.name == "Cloth.001")
    copy.name = "Copy"
    order = [ob, copy] if first == "Cloth" else [copy, ob]
    restore.free(order[0])
    settle(5)
    assert addon("properties.bake_record").is_baked(order[1])
    assert worst_error(order[1], FRAMES, positions) < 1e-5
    restore.free(order[1])
    settle()
    for each in order:
        after = mesh_snapshot(each.data)["shape keys"]
        if mesh_before is None:
            assert after is None
            continue
        for both in (mesh_before, after):
            both["name"] = ""
            both["animation"].pop("action", None)  # duplicates may hold copies of it
        assert differences(mesh_before, after) == []
    assert not [action.name for action in bpy.data.actions if "Verlet Bake" in action.name]
    assert not [mesh.name for mesh in bpy.data.meshes if mesh.users == 0]
    assert len(bpy.data.actions) <= action_count * 2


def test_what_the_user_adds_meanwhile_is_kept(scene, shape_keys, restore):
    ob = new_grid(scene)
    shape_keys.write(ob, FRAMES, motion(ob))
    ob.shape_key_add(name="Mine", from_mix=False)
    ob.data.attributes.new("Painted", "FLOAT", "POINT")
    restore.free(ob)
    assert [block.name for block in ob.data.shape_keys.key_blocks] == ["Basis", "Mine"]
    assert "Painted" in ob.data.attributes


def test_keys_that_the_user_removed_are_no_harm(scene, shape_keys, restore):
    ob = new_grid(scene)
    settle()
    before = file_snapshot()
    shape_keys.write(ob, FRAMES, motion(ob))
    ob.shape_key_remove(ob.data.shape_keys.key_blocks[4])
    restore.free(ob)
    settle()
    assert differences(before, file_snapshot()) == []
    shape_keys.write(ob, FRAMES, motion(ob))
    ob.shape_key_clear()
    restore.free(ob)
    assert not addon("properties.bake_record").is_baked(ob)
    assert ob.data.shape_keys is None


def test_a_name_that_is_taken(scene, shape_keys, restore):
    ob = new_grid(scene)
    ob.shape_key_add(name="Basis")
    ob.shape_key_add(name="Verlet 0004")
    settle()
    before = file_snapshot()
    positions = motion(ob)
    shape_keys.write(ob, FRAMES, positions)
    assert worst_error(ob, FRAMES, positions) < 1e-5
    restore.free(ob)
    settle()
    assert differences(before, file_snapshot()) == []


def test_other_actions_on_the_object_are_untouched(scene, shape_keys, restore, compat):
    ob = new_grid(scene)
    compat.ensure_fcurve(ob, "location", 1).keyframe_points.insert(3, 2.0)
    before = animation_snapshot(ob)
    shape_keys.write(ob, FRAMES, motion(ob))
    assert animation_snapshot(ob) == before


def test_a_mesh_kept_by_a_fake_user_is_baked_in_place(scene, shape_keys):
    ob = new_grid(scene)
    mesh = ob.data
    mesh.use_fake_user = True
    shape_keys.write(ob, FRAMES, motion(ob))
    assert ob.data == mesh


def linked_object(tmp_path, as_override=False):
    """The object "Linked" from a file of its own."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    new_grid(bpy.context.scene, "Linked")
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.objects = ["Linked"]
    ob = bpy.data.objects["Linked"]
    bpy.context.scene.collection.objects.link(ob)
    return ob.override_create(remap_local_usages=True) if as_override else ob


@pytest.mark.parametrize("as_override", [False, True])
def test_linked_objects_are_refused_unchanged(scene, shape_keys, bake_error, tmp_path, as_override):
    ob = linked_object(tmp_path, as_override)
    settle()
    before = file_snapshot()
    with pytest.raises(bake_error, match=r"^Linked: .*[Ll]ocal"):
        shape_keys.write(ob, FRAMES, motion(ob))
    assert differences(before, file_snapshot()) == []


def test_a_linked_mesh_of_a_local_object_is_baked_as_a_copy(scene, shape_keys, restore, tmp_path):
    linked_object(tmp_path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, wanted):
        wanted.meshes = ["Linked"]
    mesh = bpy.data.meshes["Linked"]
    ob = bpy.data.objects.new("Mine", mesh)
    bpy.context.scene.collection.objects.link(ob)
    settle()
    before = file_snapshot()
    positions = motion(ob)
    shape_keys.write(ob, FRAMES, positions)
    assert worst_error(ob, FRAMES, positions) < 1e-5
    restore.free(ob)
    settle()
    assert differences(before, file_snapshot()) == []
    assert ob.data == mesh


def test_bad_input_is_refused_unchanged(scene, shape_keys, bake_error):
    ob = new_grid(scene)
    positions = motion(ob)
    nan = positions.copy()
    nan[4, 2, 1] = np.nan
    empty = bpy.data.objects.new("Empty", None)
    hollow = bpy.data.objects.new("Hollow", bpy.data.meshes.new("Hollow"))
    scene.collection.objects.link(hollow)
    settle()
    before = file_snapshot()
    for target, frames, values, message in (
        (ob, FRAMES, positions[:, :-1], "Cloth: .*16 vertices"),
        (ob, FRAMES[:-1], positions, "Cloth: .*11 frames"),
        (ob, FRAMES, nan, f"Cloth: frame {FRAMES[4]}"),
        (ob, [], positions[:0], "Cloth: there are no frames"),
        (ob, FRAMES[::-1], positions, "Cloth: .*rise"),
        (empty, FRAMES, positions, "Empty: only a mesh"),
        (hollow, FRAMES, positions[:, :0], "Hollow: .*no vertices"),
    ):
        with pytest.raises(bake_error, match=message):
            shape_keys.write(target, frames, values)
        assert differences(before, file_snapshot()) == []


def test_edit_mode_and_tweak_mode_are_refused(scene, shape_keys, restore, bake_error, compat):
    ob = new_grid(scene)
    add_solo_track(ob, compat)
    animation = ob.data.shape_keys.animation_data
    settle()
    bpy.context.view_layer.objects.active = ob
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(bake_error, match=r"Cloth: .*Edit Mode"):
        shape_keys.write(ob, FRAMES, motion(ob))
    bpy.ops.object.mode_set(mode="OBJECT")
    animation.nla_tracks[1].is_solo = False
    animation.nla_tracks.active = animation.nla_tracks[1]
    animation.nla_tracks[1].strips[0].select = True
    animation.use_tweak_mode = True
    if animation.use_tweak_mode:
        with pytest.raises(bake_error, match=r"Cloth: .*[Tt]weak"):
            shape_keys.write(ob, FRAMES, motion(ob))
    assert not addon("properties.bake_record").is_baked(ob)


def test_a_bake_that_breaks_off_leaves_nothing(scene, shape_keys, monkeypatch, compat):
    ob = new_grid(scene)
    add_relative_keys(ob, compat)
    settle()
    before = file_snapshot()

    def run_out_of_memory(*_, **__):
        raise MemoryError

    monkeypatch.setattr(shape_keys, "write_curves", run_out_of_memory)
    with pytest.raises(MemoryError):
        shape_keys.write(ob, FRAMES, motion(ob))
    settle()
    assert differences(before, file_snapshot()) == []


def test_250_frames_of_10000_vertices_take_under_a_second(scene, shape_keys, restore):
    ob = new_grid(scene, size=100)
    frames = list(range(1, 251))
    positions = motion(ob, len(frames))
    start = time.thread_time()
    shape_keys.write(ob, frames, positions)
    written = time.thread_time()
    restore.free(ob)
    freed = time.thread_time()
    print(f"\nwrite {written - start:.3f} s, free {freed - written:.3f} s")
    assert written - start < 1.0
    assert freed - written < 0.5
