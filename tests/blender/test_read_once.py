"""What nothing animates is read once; what begins to move while it plays must not be missed."""

import bpy
import numpy as np
import pytest
from mathutils import Matrix
from small_rigs import chain, largest_difference, ragdoll, seen_bones, simulated_bones
from small_scenes import (
    addon,
    body,
    box,
    cloth,
    floor,
    grid,
    play,
    seen,
    seen_matrix,
    select,
    session_of,
)

pytestmark = pytest.mark.usefixtures("scene")


def drag(ob):
    """The factor on an object's drag that its last simulated frame had."""
    running = session_of(bpy.context.scene)
    row = [p.uid for p in running.inputs.moving].index(ob.session_uid)
    return running.last_inputs.animated[row].drag


def collider_place(number=0):
    """Where a collider was when the last frame was simulated."""
    return session_of(bpy.context.scene).last_inputs.collider_position[number]


@pytest.fixture
def on_frame():
    """Handlers of somebody else's that run when the frame changes."""
    added = []

    def add(event, function):
        handler = lambda scene, *_: function(scene.frame_current)  # noqa: E731
        handlers = getattr(bpy.app.handlers, event)
        handlers.append(handler)
        added.append((handlers, handler))

    yield add
    for handlers, handler in added:
        handlers.remove(handler)


@pytest.fixture
def push():
    edit = bpy.context.preferences.edit
    before, edit.use_global_undo = edit.use_global_undo, True
    yield lambda: bpy.ops.ed.undo_push(message="step")
    edit.use_global_undo = before


def be_current(scene):
    """As if nothing had been edited since the start."""
    session_of(scene).happened(addon("session.phase").EventKind.FOUND_CURRENT)


def test_what_nothing_animates_is_read_once(scene, monkeypatch):
    crates = [body(name=f"Crate {i}", location=(i, 0, 3)) for i in range(3)]
    crates[1].verlet.animated.keyframe_insert("drag", frame=1)
    crates[2].driver_add("scale", 0).driver.expression = "1"
    play(scene, 1, 3)
    read = []
    frame_inputs = addon("scene.frame_inputs")
    real = frame_inputs.read_animated
    monkeypatch.setattr(
        frame_inputs, "read_animated", lambda ob, graph: read.append(ob.name) or real(ob, graph)
    )
    play(scene, 4, 6)
    assert read == ["Crate 1", "Crate 2"] * 3


def test_a_factor_that_is_set_while_it_plays(scene):
    crate, other = body(location=(0, 0, 9)), body(name="Other", location=(3, 0, 9))
    play(scene, 1, 5)
    crate.verlet.animated.drag = 7.0
    play(scene, 6, 7)
    assert (drag(crate), drag(other)) == (7.0, 1.0)
    crate.verlet.animated.drag = 3.0
    play(scene, 8, 8)
    assert drag(crate) == 3.0


def test_a_factor_that_is_keyed_while_it_plays(scene):
    crate = body(location=(0, 0, 9))
    play(scene, 1, 5)
    crate.verlet.animated.keyframe_insert("drag", frame=6)
    crate.verlet.animated.drag = 11.0
    crate.verlet.animated.keyframe_insert("drag", frame=16)
    play(scene, 6, 11)
    assert drag(crate) == pytest.approx(6.0)
    crate.animation_data_clear()
    kept = crate.verlet.animated.drag
    play(scene, 12, 13)
    assert drag(crate) == pytest.approx(kept)


def test_a_driver_that_is_added_while_it_plays(scene):
    sheet = cloth()
    play(scene, 1, 4)
    sheet.verlet.animated.driver_add("drag").driver.expression = "frame"
    for frame in (5, 6, 7):
        scene.frame_set(frame)
        assert drag(sheet) == frame


def test_a_strip_that_is_added_while_it_plays(scene):
    crate = body(location=(0, 0, 9))
    crate.verlet.animated.keyframe_insert("drag", frame=1)
    crate.verlet.animated.drag = 21.0
    crate.verlet.animated.keyframe_insert("drag", frame=21)
    action = crate.animation_data.action
    slot = getattr(crate.animation_data, "action_slot", None)
    crate.animation_data_clear()
    crate.verlet.animated.drag = 1.0
    play(scene, 1, 4)
    track = crate.animation_data_create().nla_tracks.new()
    strip = track.strips.new("strip", 1, action)
    if slot is not None:
        strip.action_slot = slot
    play(scene, 5, 11)
    assert drag(crate) == pytest.approx(11.0)


@pytest.mark.parametrize(("event", "late"), [("frame_change_pre", 0), ("frame_change_post", 1)])
def test_a_script_that_sets_a_factor_in_every_frame(scene, on_frame, event, late):
    crate = body(location=(0, 0, 9))
    play(scene, 1, 3)

    def set_it(frame):
        crate.verlet.animated.drag = frame

    on_frame(event, set_it)
    play(scene, 4, 5)
    for frame in (6, 7, 8):
        scene.frame_set(frame)
        assert drag(crate) == frame - late


def test_a_factor_that_undo_brings_back(scene, push):
    crate, other = body(location=(0, 0, 9)), body(name="Other", location=(3, 0, 9))
    push()
    scene.frame_set(1)
    other.verlet.animated.drag = 4.0
    push()
    play(scene, 1, 5)
    crate.verlet.animated.drag = 7.0
    push()
    play(scene, 6, 6)
    assert (drag(crate), drag(other)) == (7.0, 4.0)
    bpy.ops.ed.undo()
    scene = bpy.context.scene
    crate, other = bpy.data.objects["Box"], bpy.data.objects["Other"]
    play(scene, 7, 8)
    assert (drag(crate), drag(other)) == (1.0, 4.0)
    bpy.ops.ed.redo()
    scene = bpy.context.scene
    crate, other = bpy.data.objects["Box"], bpy.data.objects["Other"]
    play(scene, 9, 9)
    assert (drag(crate), drag(other)) == (7.0, 4.0)


def test_the_motor_of_a_joint_that_is_set_or_keyed_while_it_plays(scene):
    door = body(location=(0, 0, 3))
    hinge = bpy.data.objects.new("Hinge", None)
    scene.collection.objects.link(hinge)
    hinge.location = (0, 0, 3)
    hinge.verlet.is_joint = True
    hinge.verlet.joint.object_a = door
    hinge.verlet.joint.kind = "HINGE"
    hinge.verlet.joint.motor_speed = 0.1
    bpy.context.view_layer.update()
    play(scene, 1, 3)
    speed = session_of(scene).last_inputs.joint_speed
    assert speed[0] == np.float32(0.1)
    hinge.verlet.joint.motor_speed = 2.0
    play(scene, 4, 4)
    assert session_of(scene).last_inputs.joint_speed[0] == 2.0
    hinge.verlet.joint.driver_add("motor_speed").driver.expression = "frame"
    play(scene, 5, 6)
    assert session_of(scene).last_inputs.joint_speed[0] == 6.0


def test_a_collider_that_is_moved_by_hand_between_frames(scene):
    ground = floor()
    body(location=(0, 0, 3))
    play(scene, 1, 4)
    assert collider_place()[2] == 0.0
    ground.location.z = -1.5
    play(scene, 5, 6)
    assert collider_place()[2] == -1.5


def test_a_collider_that_gets_a_constraint_while_it_plays(scene):
    ground, leader = floor(), box(name="Leader", location=(0, 0, 0))
    body(location=(0, 0, 3))
    play(scene, 1, 4)
    ground.constraints.new("COPY_LOCATION").target = leader
    leader.driver_add("location", 2).driver.expression = "-frame"
    play(scene, 5, 7)
    assert collider_place()[2] == -7.0


def test_a_collider_that_gets_a_parent_while_it_plays(scene, on_frame):
    ground, leader = floor(), box(name="Leader", location=(0, 0, 0))
    body(location=(0, 0, 3))
    play(scene, 1, 4)
    ground.parent = leader
    on_frame("frame_change_pre", lambda frame: setattr(leader.location, "z", -0.1 * frame))
    play(scene, 5, 7)
    assert collider_place()[2] == pytest.approx(-0.7)


def test_a_script_that_moves_a_collider_after_every_frame(scene, on_frame):
    ground = floor()
    body(location=(0, 0, 3))
    play(scene, 1, 4)
    on_frame("frame_change_post", lambda frame: setattr(ground.location, "z", -0.1 * frame))
    play(scene, 5, 8)
    assert collider_place()[2] == pytest.approx(-0.7)  # evaluated with the frame before


def test_a_mesh_whose_armature_begins_to_move(scene):
    ground = grid(name="Ground", size=4, spacing=1.0, location=(0, 0, 0))
    rig = chain(1)
    ground.vertex_groups.new(name="Bone 0").add(range(16), 1.0, "REPLACE")
    ground.modifiers.new("Rig", "ARMATURE").object = rig
    select(ground)
    bpy.ops.verlet.collider()
    ground.verlet.collider.shape = "MESH"
    body(location=(0, 0, 3))
    play(scene, 1, 4)
    before = session_of(scene).last_inputs.mesh_vertex
    play(scene, 5, 6)
    assert session_of(scene).last_inputs.mesh_vertex is before  # nothing was copied
    bone = rig.pose.bones[0]
    bone.keyframe_insert("location", frame=6)
    bone.location = (0.5, 0, 0)
    bone.keyframe_insert("location", frame=8)
    be_current(scene)
    play(scene, 7, 8)
    after = session_of(scene).last_inputs.mesh_vertex
    moved = np.linalg.norm(after - before, axis=1)
    np.testing.assert_allclose(moved, 0.5, atol=1e-5)


def test_a_force_field_that_appears_while_it_plays(scene, on_frame):
    body(location=(0, 0, 3))
    fan = box(name="Fan", location=(-2, 0, 3))
    play(scene, 1, 4)
    select(fan)
    bpy.ops.object.forcefield_toggle()
    play(scene, 5, 5)
    assert [field.name for field in session_of(scene).last_inputs.fields] == ["Fan"]

    def add_another(frame):
        if frame == 7:
            late = bpy.data.objects.new("Late", None)
            scene.collection.objects.link(late)
            bpy.context.view_layer.objects.active = late
            bpy.ops.object.forcefield_toggle()

    on_frame("frame_change_post", add_another)
    play(scene, 6, 8)
    assert [field.name for field in session_of(scene).last_inputs.fields] == ["Fan", "Late"]


def test_two_scenes_that_simulate_do_not_mix(scene):
    first = body(name="First", location=(0, 0, 9))
    other = bpy.data.scenes.new("Other")
    bpy.context.window.scene = other
    second = body(name="Second", location=(0, 0, 9))
    for frame in range(1, 5):
        scene.frame_set(frame)
        other.frame_set(frame)
    first.verlet.animated.drag = 5.0
    second.location = (0, 0, 77)  # the preview writes it again
    for frame in range(5, 7):
        scene.frame_set(frame)
        other.frame_set(frame)
    assert session_of(scene).last_inputs.animated[0].drag == 5.0
    assert session_of(other).last_inputs.animated[0].drag == 1.0
    place = session_of(other).placement(6).bodies[0, :3, 3]
    np.testing.assert_allclose(second.location, place, atol=1e-6)


def test_a_resting_body_is_not_written_and_yet_shown_again_when_it_was_moved(scene, monkeypatch):
    floor()
    crates = [body(name=f"Crate {i}", size=0.4, location=(i, 0, 0.2)) for i in range(2)]
    play(scene, 1, 40)
    assert (session_of(scene).cache[40].body_rest >= 0.5).all()
    updated = []
    bpy.app.handlers.frame_change_pre.append(
        lambda scene, graph: updated.extend(u.id.name for u in graph.updates)
    )
    place = crates[0].location.copy()
    play(scene, 41, 42)
    bpy.app.handlers.frame_change_pre.pop()
    assert not {"Crate 0", "Crate 1"} & set(updated)
    crates[0].location = (0, 0, 5)
    scene.frame_set(43)
    assert crates[0].location == place
    np.testing.assert_allclose(seen_matrix(crates[0])[:3, 3], place)


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE", "XYZ", "ZXY"])
def test_many_bodies_are_shown_where_they_are(scene, mode):
    """All at one go: parents, deltas, uneven and mirrored scales, each rotation mode."""
    random = np.random.default_rng(4)
    carrier = box(name="Carrier", location=(0, 0, 1))
    carrier.rotation_euler, carrier.scale = (0.3, 0.2, 0.1), (1, 2, 1.5)
    crates = []
    for i in range(30):
        crate = body(name=f"Crate {i}", location=(i % 6, i // 6, 4))
        crate.rotation_mode = mode
        crate.matrix_basis = Matrix.Translation(crate.location) @ Matrix.Rotation(
            random.uniform(-3, 3), 4, random.normal(size=3)
        )
        crate.scale = (1, 1, 1) if i % 3 else (1.5, 0.5, -1)
        crate.delta_location = (0, 0, 1) if i % 4 == 0 else (0, 0, 0)
        if i % 5 == 0:
            crate.delta_rotation_euler = (0.5, 0.2, 0.1)
            crate.delta_rotation_quaternion = (0.8, 0.6, 0, 0)
            crate.delta_scale = (2, 1, 1)
        if i % 7 == 0:
            crate.parent = carrier
        crates.append(crate)
    floor()
    play(scene, 1, 20)
    for frame in (20, 12):
        scene.frame_set(frame)
        places = session_of(scene).placement(frame).bodies
        rows = {p.uid: n for n, p in enumerate(session_of(scene).participants("BODY"))}
        for i, crate in enumerate(crates):
            if i % 7:  # a parent of uneven scale makes what it carries askew
                wanted = places[rows[crate.session_uid]]
                np.testing.assert_allclose(seen_matrix(crate), wanted, atol=3e-6)


def test_an_active_body_with_keys_is_shown_where_the_simulation_has_it(scene):
    floor()
    crate = body(location=(0, 0, 0.2))
    crate.keyframe_insert("location", frame=1)
    crate.location = (9, 0, 0.2)
    crate.keyframe_insert("location", frame=50)
    play(scene, 1, 45)
    place = session_of(scene).placement(45).bodies[0, :3, 3]
    scene.frame_set(44)
    scene.frame_set(45)
    np.testing.assert_allclose(seen_matrix(crate)[:3, 3], place, atol=1e-6)
    assert seen(crate).shape == (8, 3)


def test_bones_that_are_edited_while_a_ragdoll_plays(scene):
    """A constraint, another rotation mode, and a bone that the simulation does not move."""
    rig = chain(4, location=(0, 0, 2))
    rig.data.bones["Bone 3"].use_deform = False
    control, own = rig.pose.bones["Bone 3"], {b.name: b.matrix_basis.copy() for b in rig.pose.bones}
    ragdoll(rig)
    play(scene, 1, 5)
    moved = session_of(scene).moved_bones[rig.session_uid]
    assert moved == ["Bone 0", "Bone 1", "Bone 2"]
    target = bpy.data.objects.new("Target", None)
    scene.collection.objects.link(target)
    held = rig.pose.bones["Bone 1"].constraints.new("COPY_ROTATION")
    held.target = target
    rig.pose.bones["Bone 2"].rotation_mode = "YZX"
    control.location = (0.1, 0.2, 0.3)
    be_current(scene)
    for frame in (6, 7, 4, 8):
        scene.frame_set(frame)
        now = simulated_bones(scene, rig, frame)
        assert largest_difference(seen_bones(rig), now, moved) < 1e-4
        assert held.mute
        np.testing.assert_allclose(control.location, (0.1, 0.2, 0.3), atol=1e-6)
    scene.frame_set(1)
    assert not held.mute
    for name in moved:
        np.testing.assert_allclose(rig.pose.bones[name].matrix_basis, own[name], atol=1e-6)
    np.testing.assert_allclose(control.location, (0.1, 0.2, 0.3), atol=1e-6)


def test_bones_that_are_keyed_while_a_ragdoll_plays(scene):
    rig = ragdoll(chain(3, location=(0, 0, 2)))
    play(scene, 1, 5)
    bone = rig.pose.bones["Bone 0"]
    bone.location = (0, 0, 0)
    bone.keyframe_insert("location", frame=1)
    bone.location = (0, 0, 2)
    bone.keyframe_insert("location", frame=11)
    be_current(scene)
    play(scene, 6, 7)
    assert 0.1 < bone.verlet.rest.location[2] < 1.9
    addon("live.preview").clear(rig)
    assert 0.1 < bone.location[2] < 1.9
