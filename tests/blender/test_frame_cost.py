"""A frame looks at what differs from what was shown, lists objects once, asks bones together."""

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix, Quaternion
from small_rigs import (
    armature,
    largest_difference,
    person,
    ragdoll,
    seen_bones,
    simulated_bones,
)
from small_scenes import addon, body, floor, play, seen_matrix, session_of

pytestmark = pytest.mark.usefixtures("scene")


def crates_at_rest(scene, count, last=40):
    floor()
    crates = [
        body(name=f"Crate {i:02}", size=0.4, location=(0.6 * (i % 6), 0.6 * (i // 6), 0.2))
        for i in range(count)
    ]
    play(scene, 1, last)
    assert (session_of(scene).cache[last].body_rest >= 0.5).all()
    return crates


@pytest.fixture
def written(monkeypatch):
    """How many bodies were looked at closely in each frame."""
    module, found = addon("live.body_preview"), []
    inner = module._write
    note = lambda *given: (found.append(len(given[3])), inner(*given))[1]  # noqa: E731
    monkeypatch.setattr(module, "_write", note)
    return found


def test_sleepers_are_compared_and_no_more(scene, written):
    crates_at_rest(scene, 30)
    running = session_of(scene)
    written.clear()
    play(scene, 41, 45)
    assert not written
    assert running.placement(45).bodies is running.placement(41).bodies


@pytest.mark.parametrize("count", [3, 30])
def test_of_many_sleepers_only_those_that_were_changed_are_put_back(scene, written, count):
    crates = crates_at_rest(scene, count)
    before = [seen_matrix(crate).copy() for crate in crates]
    written.clear()
    crates[0].location.z += 1.0
    crates[1].rotation_euler = (0.3, 0.4, 0.5)
    crates[2].rotation_mode = "QUATERNION"
    scene.frame_set(41)
    assert written == [count]  # another rotation mode: all are compared anew
    crates[1].scale = (1.0, -1.0, 1.0)
    crates[2].delta_location = (0.0, 0.0, 0.5)
    scene.frame_set(42)
    assert written == [count, 2]
    for crate, matrix in zip(crates, before):
        np.testing.assert_allclose(seen_matrix(crate)[:3, 3], matrix[:3, 3], atol=1e-6)
    np.testing.assert_allclose(seen_matrix(crates[0]), before[0], atol=1e-6)
    np.testing.assert_allclose(seen_matrix(crates[2]), before[2], atol=1e-6)


def test_a_sleeper_on_a_parent_that_moves_stays_where_it_is(scene):
    carrier = bpy.data.objects.new("Carrier", None)
    scene.collection.objects.link(carrier)
    floor()
    crate = body(size=0.4, location=(0, 0, 0.2))
    crate.parent = carrier
    play(scene, 1, 40)
    place = seen_matrix(crate).copy()
    carrier.location = (3.0, 0.0, 0.0)
    scene.frame_set(41)
    scene.frame_set(42)
    np.testing.assert_allclose(seen_matrix(crate), place, atol=1e-6)
    assert crate.location.x == pytest.approx(place[0, 3] - 3.0, abs=1e-5)


def test_all_objects_are_listed_once_in_each_handler(scene, monkeypatch):
    crates_at_rest(scene, 30)
    module, made = addon("properties.participants"), []
    inner = module.Listing.__init__
    monkeypatch.setattr(module.Listing, "__init__", lambda self: (made.append(1), inner(self))[1])
    scene.frame_set(41)
    assert 1 <= len(made) <= 2
    bpy.data.objects.remove(bpy.data.objects["Crate 03"])  # between frames anything may go
    scene.frame_set(42)
    scene.frame_set(30)
    assert not session_of(scene).failure


def test_a_listing_is_forgotten_with_the_frame(scene):
    module = addon("properties.participants")
    crates_at_rest(scene, 25, last=40)
    wanted = session_of(scene).participants("BODY")
    assert not module._passes
    bpy.data.objects.remove(bpy.data.objects["Crate 07"])
    found = module.find_objects(wanted)
    assert [ob is None for ob in found] == [one.name == "Crate 07" for one in wanted]
    with module.listed_once():
        assert module.find_objects(wanted) is module.find_objects(wanted)
        with pytest.raises(RuntimeError, match="on the way"), module.listed_once():
            raise RuntimeError("on the way")
        assert len(module._passes) == 1
    assert not module._passes


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ([(1, 0, 0), (0, 1, 0), (0, 0, 1)], True),
        ([(1e-6, 0, 0), (0, 1e-6, 0), (0, 0, -1e-6)], True),
        ([(1e6, 0, 0), (0, 1e-3, 0), (0, 0, 1)], True),
        ([(1, 0, 0), (1, 1e-8, 0), (0, 0, 1)], False),
        ([(1, 0, 0), (0, 1, 0), (0, 0, 0)], False),
        ([(1, 0, 0), (0, 1, 0), (0, 0, np.nan)], False),
        ([(np.inf, 0, 0), (0, 1, 0), (0, 0, 1)], False),
    ],
)
def test_what_is_flat_or_not_a_number_has_no_inverse(scene, columns, expected):
    matrix = np.eye(4)
    matrix[:3, :3] = np.array(columns).T
    assert addon("transforms.affine").is_invertible(matrix) is expected


def random_rig(number, random):
    """A tree of ten bones, some of them connected."""
    bones, heads = [], {}
    for i in range(10):
        parent = None if i == 0 else f"b{random.integers(max(0, i - 4), i)}"
        head = random.normal(size=3) if parent is None else heads[parent]
        tail = head + random.normal(size=3)
        heads[f"b{i}"] = tail
        bones.append((f"b{i}", parent, tuple(head), tuple(tail), random.uniform(-3, 3)))
    ob = armature(bones, name=f"Rig {number}")
    bpy.context.view_layer.objects.active = ob
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in ob.data.edit_bones:
        bone.use_connect = bone.parent is not None and bool(random.integers(2))
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone in ob.pose.bones:
        bone.rotation_mode = "QUATERNION"
        bone.rotation_quaternion = random.normal(size=4)
        bone.location = random.normal(size=3)
    return ob


def test_all_bones_at_one_go_are_as_blender_has_them_one_by_one(scene):
    """Trees of bones, connected or not, some moved, others between them or above."""
    module, random = addon("ragdoll.own_transforms"), np.random.default_rng(5)
    objects = [random_rig(i, random) for i in range(6)]
    bpy.context.view_layer.update()
    graph = bpy.context.evaluated_depsgraph_get()
    rigs = []
    for ob in objects:
        names = tuple(bone.name for bone in ob.data.bones)
        parent = [-1 if b.parent is None else names.index(b.parent.name) for b in ob.data.bones]
        moved = tuple(sorted(random.choice(10, 6, replace=False).tolist()))
        targets = np.array(
            [
                Matrix.Translation(random.normal(size=3)) @ Matrix.Rotation(2.0, 4, axis)
                for axis in random.normal(size=(6, 3))
            ],
            dtype=np.float64,
        )
        evaluated = ob.evaluated_get(graph).pose.bones
        rigs.append(module.Rig(ob, evaluated, names, tuple(parent), moved, targets))
    assert all(module._lay_out(rig) is not None for rig in rigs)
    found = module.own_transforms(rigs)
    for rig, own in zip(rigs, found):
        np.testing.assert_allclose(own, module._one_by_one(rig), atol=2e-5)


def test_bones_that_inherit_otherwise_are_asked_of_blender(scene):
    ob = person()
    ragdoll(ob)
    floor()
    play(scene, 1, 3)
    module = addon("ragdoll.own_transforms")
    asked = []
    inner = module._one_by_one
    module._one_by_one = lambda rig: (asked.append(rig.ob.name), inner(rig))[1]
    try:
        scene.frame_set(4)
        assert not asked
        ob.data.bones[2].use_inherit_rotation = False
        scene.frame_set(5)
    finally:
        module._one_by_one = inner
    assert asked == [ob.name]


def test_a_ragdoll_is_evaluated_once_where_it_is_only_shown_again(scene):
    """Its bones get their own transforms back for what is yet to be simulated alone."""
    ob = person()
    ragdoll(ob)
    floor()
    updated, graphs = [], bpy.app.handlers.frame_change_post
    graphs.insert(0, lambda scene, graph: updated.append([u.id.name for u in graph.updates]))
    try:
        play(scene, 1, 8)
        assert ob.name in updated[-1]  # evaluated with its own pose before the frame is simulated
        shown = seen_bones(ob)
        scene.frame_set(5)
        scene.frame_set(8)
        assert not [names for names in updated[-2:] if ob.name in names]
    finally:
        graphs.pop(0)
    assert largest_difference(seen_bones(ob), shown, shown) < 1e-6
    play(scene, 9, 12)
    wanted = simulated_bones(scene, ob, 12)
    assert largest_difference(seen_bones(ob), wanted, wanted) < 1e-5
    scene.frame_set(1)
    assert max(abs(v) for bone in ob.pose.bones for v in bone.location) < 1e-6


def test_settings_of_the_same_values_are_one_object(scene):
    properties, settings = addon("properties.tunable_properties"), addon("properties.scenes")
    wind = lambda: properties.settings_from(scene.verlet.wind, settings.WindSettings)  # noqa: E731
    first = wind()
    assert wind() is first
    scene.verlet.wind.velocity = (1.0, 2.0, 0.1)
    assert wind().velocity == (1.0, 2.0, 0.1)
    scene.verlet.wind.velocity = first.velocity
    assert wind() is first
    assert str(properties.number_of(-0.0)) == "0.0"


def test_one_rotation_among_many_is_what_it_is_alone(scene):
    rotations, random = addon("transforms.rotations"), np.random.default_rng(3)
    turns = rotations.nearest_rotation(random.normal(size=(40, 3, 3)))
    scale = random.uniform(0.1, 3.0, (40, 3)) * np.where(random.random((40, 3)) < 0.2, -1, 1)
    linear = turns * scale[:, None, :]
    linear[::5] += 0.1 * random.normal(size=(8, 3, 3))  # askew
    linear[7] = 0.0
    given = linear.copy()
    found = rotations.rotations_without_scale(linear, scale)
    assert (linear == given).all()
    np.testing.assert_allclose(
        found @ np.swapaxes(found, 1, 2), np.tile(np.eye(3), (40, 1, 1)), atol=1e-9
    )
    nearest = rotations.nearest_rotation(np.delete(linear * scale[:, None, :], 7, 0))
    np.testing.assert_allclose(np.delete(found, 7, 0), nearest, atol=1e-6)
    each = rotations.quaternions_each(turns)
    for row in range(40):
        one = slice(row, row + 1)
        assert (rotations.rotations_without_scale(linear[one], scale[one]) == found[row]).all()
        assert (rotations.quaternions_each(turns[one]) == each[row]).all()
    for quaternion, turn in zip(each, turns):
        np.testing.assert_allclose(np.array(Quaternion(quaternion).to_matrix()), turn, atol=1e-6)


def test_blender_copies_little_of_a_body_that_moves(scene):
    """Blender copies all that an object holds each time it has moved."""
    floor()
    crate = body(location=(0, 0, 3))
    play(scene, 1, 3)
    rest = crate.verlet.rest
    assert rest.owner
    assert not crate.is_property_set("verlet_bake")
    assert not rest.is_property_set("muted_constraints")
    assert not rest.is_property_set("muted_drivers")
    crate.constraints.new("COPY_ROTATION").name = "Late"
    scene.frame_set(1)
    play(scene, 1, 3)
    assert crate.verlet.rest.muted_constraints == "Late"
    scene.frame_set(1)
    assert not crate.constraints["Late"].mute
    assert not crate.verlet.rest.is_property_set("muted_constraints")


def test_few_objects_of_a_large_file_are_found_at_one_go(scene, monkeypatch):
    """A name is looked for through the whole file."""
    module, asked = addon("properties.participants"), []
    floor()
    body(location=(0, 0, 3))
    for i in range(30):
        scene.collection.objects.link(bpy.data.objects.new(f"Empty {i}", None))
    play(scene, 1, 3)
    inner = module.find_object
    monkeypatch.setattr(module, "find_object", lambda *given: asked.append(given) or inner(*given))
    play(scene, 4, 5)
    assert not asked
    assert not session_of(scene).failure


@pytest.mark.parametrize("mode", ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"])
def test_angles_turn_as_the_rotation_does_and_lie_near_what_was_shown(scene, mode):
    modes, random = addon("transforms.rotation_modes"), np.random.default_rng(6)
    asked = random.uniform(-7.0, 7.0, (60, 3))
    asked[:20, "XYZ".index(mode[1])] = np.pi / 2 * random.choice([-1, 1], 20)  # gimbal lock
    turns = np.array([Euler(angles, mode).to_matrix() for angles in asked.tolist()])
    turns = addon("transforms.rotations").nearest_rotation(turns)
    for before in (asked, asked + random.normal(size=asked.shape)):
        found = modes.rotations_near(mode, turns, before)
        again = np.array([Euler(angles, mode).to_matrix() for angles in found.tolist()])
        np.testing.assert_allclose(again, turns, atol=2e-6)
        assert np.abs(found - before).max() < np.pi + 1e-9
        other = found + np.pi  # the other angles that turn so
        middle = "XYZ".index(mode[1])
        other[:, middle] = np.pi - found[:, middle]
        other += 2.0 * np.pi * np.round((before - other) / (2.0 * np.pi))
        assert (np.abs(found - before).sum(1) <= np.abs(other - before).sum(1) + 1e-9).all()
    np.testing.assert_allclose(
        modes.rotations_near(mode, turns[20:], asked[20:]), asked[20:], atol=2e-6
    )


def test_a_bone_that_gets_another_rotation_mode_is_posed_as_before(scene):
    """Which channels bones are posed in is kept from frame to frame."""
    ob = person()
    ragdoll(ob)
    floor()
    play(scene, 1, 20)
    moved = session_of(scene).moved_bones[ob.session_uid]
    wanted = simulated_bones(scene, ob, 20)
    scene.frame_set(10)
    assert largest_difference(seen_bones(ob), wanted, moved) > 0.1
    for mode in ("YZX", "AXIS_ANGLE", "QUATERNION", "XYZ"):
        scene.frame_set(10)
        for name in moved:
            ob.pose.bones[name].rotation_mode = mode
        scene.frame_set(20)
        assert largest_difference(seen_bones(ob), wanted, moved) < 1e-4
    scene.frame_set(1)
    for name in moved:
        np.testing.assert_allclose(ob.pose.bones[name].matrix_basis, np.eye(4), atol=1e-6)


def test_bones_are_lent_their_own_pose_after_they_were_shown_the_simulation(scene):
    ob = person()
    ob.pose.bones[2].location = (0.0, 0.1, 0.0)
    bpy.context.view_layer.update()
    own = {bone.name: bone.matrix_basis.copy() for bone in ob.pose.bones}
    ragdoll(ob)
    floor()
    play(scene, 1, 20)
    assert any(not np.allclose(own[bone.name], bone.matrix_basis) for bone in ob.pose.bones)
    addon("ragdoll.bone_preview").lend(ob)
    for bone in ob.pose.bones:
        np.testing.assert_allclose(bone.matrix_basis, own[bone.name], atol=1e-6)
    scene.frame_set(1)
    for bone in ob.pose.bones:
        np.testing.assert_allclose(bone.matrix_basis, own[bone.name], atol=1e-6)
