"""Clothes: what bends hangs on the bodies of a ragdoll, and pulls on them."""

import bpy
import numpy as np
import pytest
from mathutils import Quaternion
from mathutils.bvhtree import BVHTree
from small_rigs import chain, key_bend, largest_difference, person, ragdoll, seen_bones
from small_scenes import (
    addon,
    body,
    cloth,
    floor,
    new_object,
    pin,
    play,
    refusal,
    seen,
    seen_matrix,
    select,
    session_of,
)

pytestmark = pytest.mark.usefixtures("scene")

SIZE = 6  # vertices along an edge of a cape
COLLAR = range(SIZE)
NECK = (2, 3)  # vertices of it that lie within the chest, which the floor keeps out
OFF = 1e-3  # m, by which what is worn may be


def weigh(ob, vertices, **weights):
    """Give vertices weights of bones, by name."""
    for name, weight in weights.items():
        name = name.replace("_L", ".L")
        group = ob.vertex_groups.get(name) or ob.vertex_groups.new(name=name)
        group.add(list(vertices), weight, "REPLACE")


def sheet(name="Cape", location=(0, 0.35, 1.45), pins=COLLAR):
    """A square of cloth of half a metre behind the neck of a person."""
    ob = cloth(name=name, size=SIZE, spacing=0.1, location=location)
    pin(ob, pins)
    return ob


def cape(rig, pins=COLLAR, **weights):
    """A sheet whose front edge an armature carries."""
    ob = sheet(pins=pins)
    weigh(ob, pins, **(weights or {"chest": 1.0}))
    ob.modifiers.new("Armature", "ARMATURE").object = rig
    ob.parent = rig
    bpy.context.view_layer.update()
    return ob


def carried(rig, bone, rest, points):
    """Where a bone has carried points (n, 3) of the world since it had the matrix ``rest``."""
    moved = seen_bones(rig)[bone] @ np.linalg.inv(rest)
    return points @ moved[:3, :3].T + moved[:3, 3]


def holders(scene):
    """Names of the bodies that vertices are tied to, each with the numbers of its vertices."""
    model = session_of(scene).model
    names = {span.body: span.name for span in model.objects if span.body >= 0}
    first = {n: span.first_particle for n, span in enumerate(model.objects)}
    found = {}
    for tie in model.constraints:
        if type(tie).__name__ == "Attachments":
            for row, particle in zip(tie.body.tolist(), tie.particle[:, 0].tolist()):
                found.setdefault(names[row], []).append(particle - first[tie.object])
    return found


def simulated_gap(running):
    """How far (m) tied vertices were from where their bodies hold them, in any frame."""
    worst = 0.0
    for frame in range(running.start, running.last + 1):
        state = running.cache[frame]
        for tie in running.model.constraints:
            if type(tie).__name__ == "Attachments":
                places = tie.places(state.body_position, state.body_orientation)
                off = np.linalg.norm(state.position[tie.particle[:, 0]] - places, axis=1)
                worst = max(worst, off.max())
    return worst


def test_a_cape_falls_with_the_character_that_wears_it(scene):
    floor()
    rig = person(location=(0, 0, 0.3))
    rig.pose.bones["chest"].rotation_mode = "XYZ"
    rig.pose.bones["chest"].rotation_euler.x = 0.4  # the collar begins where the pose has it
    ob = cape(ragdoll(rig), pins=NECK)
    scene.frame_set(1)
    start, rest = seen(ob)[[*NECK]], seen_bones(rig)["chest"]
    for frame in range(2, 61):
        scene.frame_set(frame)
        garment = carried(rig, "chest", rest, start)
        assert np.linalg.norm(seen(ob)[[*NECK]] - garment, axis=1).max() < OFF, frame
    running = session_of(scene)
    assert running.problems == []
    assert len(running.model.pins) == 0
    assert holders(scene) == {"Person: chest": [*NECK]}
    assert simulated_gap(running) < 2e-2  # of the landing, in one frame: what is shown hides it
    assert seen_bones(rig)["chest"][2, 3] < 0.7  # it began at 1.5
    # on the floor, also what the character lies on
    assert seen(ob)[SIZE:, 2].min() > running.model.particles.radius.max() - 1e-4
    assert seen(ob)[:, 2].max() < 0.8


@pytest.mark.parametrize("way", ["ARMATURE", "PIN_TO", "BONE_PARENT", "JOINT"])
def test_a_stick_figure_wears_a_cape_too(scene, way):
    floor()
    rig = ragdoll(person(location=(0, 0, 0.1)))
    rig.verlet.ragdoll.model = "STICKS"
    tied = [*COLLAR]
    if way == "ARMATURE":
        ob = cape(rig)
    else:
        ob = sheet(pins=COLLAR if way != "JOINT" else [])
    if way == "PIN_TO":
        ob.verlet.pin_target, ob.verlet.pin_bone = rig, "chest"
    elif way == "BONE_PARENT":
        own = ob.matrix_world.copy()
        ob.parent, ob.parent_type, ob.parent_bone = rig, "BONE", "chest"
        ob.matrix_world = own
        bpy.context.view_layer.update()
    elif way == "JOINT":
        select(ob, rig)
        assert bpy.ops.verlet.join() == {"FINISHED"}
    ob.verlet.cloth.meets_itself = False  # folds below the chest would keep it out of the floor
    scene.frame_set(1)
    start, rest = seen(ob), seen_bones(rig)["chest"]
    assert session_of(scene).problems == []
    assert len(session_of(scene).model.pins) == 0
    if way == "JOINT":
        (garment,) = session_of(scene).model.constraints[-1].row[:1, 0]
        tied = [int(garment)]
    for frame in range(2, 31):
        scene.frame_set(frame)
        garment = carried(rig, "chest", rest, start[tied])
        assert np.linalg.norm(seen(ob)[tied] - garment, axis=1).max() < 0.01, frame
    assert session_of(scene).failure == ""
    assert seen_bones(rig)["chest"][2, 3] < 1.0  # it began at 1.3


def test_clothes_change_no_body_of_the_character(scene):
    rig = ragdoll(person())
    scene.frame_set(1)
    bare = session_of(scene).bone_notes[rig.session_uid]
    cape(rig)
    scene.frame_set(1)
    assert len(session_of(scene).model.particles) == SIZE * SIZE
    assert session_of(scene).bone_notes[rig.session_uid] == bare


def test_weights_of_bones_that_are_one_body_count_together(scene):
    rig = person()
    rig.pose.bones["head"].verlet.part = "JOINED"
    rig.pose.bones["forearm.L"].verlet.part = "NONE"
    ob = cape(ragdoll(rig), head=0.3, chest=0.3, thigh_L=0.4)
    ob.vertex_groups["chest"].remove([4, 5])
    weigh(ob, [5], forearm_L=0.8)  # no body: it follows the upper arm
    ob.vertex_groups["Pin"].add([3], 0.3, "REPLACE")  # a weak pin is no tie
    scene.frame_set(1)
    assert holders(scene) == {
        "Person: chest": [0, 1, 2],
        "Person: thigh.L": [4],
        "Person: upper_arm.L": [5],
    }
    assert len(session_of(scene).model.pins) == 0


def height_of_arm(mass):
    """Of the hand, after a second, of an arm with muscles on which a sheet of a mass (kg) hangs."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    rig = ragdoll(chain())
    rig.verlet.ragdoll.mass = 3.0
    for name, limp in (("Bone 0", 0.0), ("Bone 1", 0.1), ("Bone 2", 0.1)):
        rig.pose.bones[name].verlet_limp = limp
    ob = sheet(location=(1.2, 0.0, 1.0), pins=[0, SIZE - 1])
    ob.verlet.cloth.area_density = mass / 0.25
    ob.verlet.pin_target, ob.verlet.pin_bone = rig, "Bone 2"
    scene.frame_set(1)
    corners, rest = seen(ob)[[0, SIZE - 1]], seen_bones(rig)["Bone 2"]
    for frame in range(2, 25):
        scene.frame_set(frame)
        garment = carried(rig, "Bone 2", rest, corners)
        assert np.linalg.norm(seen(ob)[[0, SIZE - 1]] - garment, axis=1).max() < OFF, frame
    assert session_of(scene).problems == []
    return seen_bones(rig)["Bone 2"][2, 3]


def test_a_heavy_cloth_pulls_the_arm_down():
    light, heavy = height_of_arm(0.05), height_of_arm(20.0)
    assert light > 0.9  # it began at 1
    assert heavy < light - 0.1


def momenta(running, first, last):
    """Momentum (f, 3) of everything that moves, N s, from frame to frame."""
    model, spans = running.model, running.model.objects
    bodies = model.bodies.mass
    places = []
    for frame in range(first, last + 1):
        state = running.cache[frame]
        places.append(
            (bodies[:, None] * state.body_position).sum(axis=0)
            + (model.particles.mass[:, None] * state.position).sum(axis=0)
        )
    assert len(spans) == len(bodies) + 1
    return np.diff(places, axis=0) / running.inputs.frame_duration


def test_character_and_clothes_share_their_momentum(scene):
    scene.use_gravity = False
    rig = ragdoll(person())
    rig.verlet.ragdoll.drag = rig.verlet.ragdoll.angular_drag = 0.0
    for frame, x in ((0, -0.1), (1, 0.0), (2, 0.1)):  # it comes along at 2.4 m/s
        rig.location.x = x
        rig.keyframe_insert("location", frame=frame)
    scene.frame_set(1)
    ob = cape(rig)
    ob.verlet.cloth.drag = 0.0
    ob.verlet.cloth.area_density = 40.0  # 10 kg
    play(scene, 1, 30)
    running = session_of(scene)
    assert running.problems == []
    total = momenta(running, 1, 30)
    np.testing.assert_allclose(total, np.tile(total[0], (29, 1)), atol=2e-4 * total[0, 0])
    assert total[0, 0] == pytest.approx(rig.verlet.ragdoll.mass * 2.4, rel=0.05)
    assert seen(ob)[:, 0].mean() > 1.5  # the cape came along


def test_clothes_hang_on_bones_that_follow_their_keys_too(scene):
    rig = person(location=(0, 0, 0.2))
    for bone in rig.pose.bones:
        bone.verlet_limp = 0.0
    chest = rig.pose.bones["chest"]
    key_bend(chest, (1, 0.0), (13, 1.0))
    scene.frame_set(1)
    ob = cape(ragdoll(rig))
    scene.frame_set(1)
    start, rest = seen(ob)[COLLAR], seen_bones(rig)["chest"]
    for frame in range(2, 20):
        scene.frame_set(frame)
        garment = carried(rig, "chest", rest, start)
        assert np.linalg.norm(seen(ob)[COLLAR] - garment, axis=1).max() < OFF, frame
    assert np.abs(seen(ob)[COLLAR] - start).max() > 0.1


def drawn_rope(name="Rope"):
    """A curve that hangs down from the hand of a chain of bones, pinned at its ends."""
    curve = bpy.data.curves.new(name, "CURVE")
    curve.dimensions = "3D"
    spline = curve.splines.new("POLY")
    spline.points.add(5)
    for number, point in enumerate(spline.points):
        point.co = (1.15, 0, 1 - 0.1 * number, 1)
    ob = bpy.data.objects.new(name, curve)
    bpy.context.scene.collection.objects.link(ob)
    select(ob)
    assert bpy.ops.verlet.rope() == {"FINISHED"}
    return ob


def seen_top(ob):
    """World place of the first point of a curve as it is seen."""
    evaluated = ob.evaluated_get(bpy.context.evaluated_depsgraph_get())
    first = np.array(evaluated.to_mesh().vertices[0].co)
    evaluated.to_mesh_clear()
    matrix = seen_matrix(ob)
    return matrix[:3, :3] @ first + matrix[:3, 3]


@pytest.mark.parametrize("way", ["NEAREST", "BONE_PARENT", "JOINT"])
def test_a_rope_hangs_on_the_hand(scene, way):
    rig = ragdoll(chain())
    rig.pose.bones["Bone 0"].verlet_limp = 0.0
    ob = drawn_rope()
    if way == "JOINT":
        select(ob, rig)
        assert bpy.ops.verlet.join() == {"FINISHED"}
        np.testing.assert_allclose(bpy.context.object.location, (1.15, 0, 1), atol=1e-6)
    else:
        addon("extract.pins").store_pinned_points(ob, np.arange(6) == 0)
    if way == "NEAREST":
        ob.verlet.pin_target = rig
    elif way == "BONE_PARENT":
        ob.parent, ob.parent_type, ob.parent_bone = rig, "BONE", "Bone 2"
        bpy.context.view_layer.update()
        ob.matrix_parent_inverse = ob.matrix_world.inverted()
        bpy.context.view_layer.update()
    scene.frame_set(1)
    rest = seen_bones(rig)["Bone 2"]
    end = np.array([(1.15, 0, 1)])
    for frame in range(2, 20):
        scene.frame_set(frame)
        garment = carried(rig, "Bone 2", rest, end)
        assert np.linalg.norm(seen_top(ob) - garment) < OFF, frame
    running = session_of(scene)
    if way == "JOINT":  # and is drawn where the hand has it
        scene.verlet.show_joints = True
        lines, _ = addon("overlays.collect").lines_of(bpy.context)
        assert np.linalg.norm(lines - garment, axis=1).min() < 0.02  # a small ball around it
    assert running.problems == []
    assert holders(scene) == {"Rig: Bone 2": [0]}
    assert seen_bones(rig)["Bone 2"][2, 3] < 0.9


def test_what_is_the_child_of_a_bone_is_shown_where_it_was_simulated(scene):
    floor()
    rig = ragdoll(person(location=(0, 0, 0.3)))
    hat = body(name="Hat", size=0.1, location=(0, 0.5, 2.2))
    flag = sheet(name="Flag", location=(0.8, 0, 2.0), pins=[])
    for ob in (hat, flag):
        own = ob.matrix_world.copy()
        ob.parent, ob.parent_type, ob.parent_bone = rig, "BONE", "head"
        ob.matrix_world = own
        bpy.context.view_layer.update()
    play(scene, 1, 30)
    running = session_of(scene)
    assert running.problems == []
    state = running.cache[30]
    np.testing.assert_allclose(seen_matrix(hat)[:3, 3], state.body_position[0], atol=1e-5)
    np.testing.assert_allclose(seen(flag), state.position[: SIZE * SIZE], atol=1e-5)
    scene.frame_end = 30
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    scene.frame_set(30)
    np.testing.assert_allclose(seen_matrix(hat)[:3, 3], state.body_position[0], atol=1e-4)
    np.testing.assert_allclose(seen(flag), state.position[: SIZE * SIZE], atol=1e-4)


def test_a_bake_of_both_is_what_was_seen(scene, tmp_path):
    floor()
    rig = ragdoll(person(location=(0, 0, 0.3)))
    ob = cape(rig)
    play(scene, 1, 24)
    cloth_seen, bones_seen = seen(ob), seen_bones(rig)
    scene.frame_end = 24
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    scene.frame_set(24)
    np.testing.assert_allclose(seen(ob), cloth_seen, atol=1e-5)
    assert largest_difference(seen_bones(rig), bones_seen, bones_seen) < 1e-4
    path = str(tmp_path / "baked.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    scene, ob, rig = bpy.context.scene, bpy.data.objects["Cape"], bpy.data.objects["Person"]
    scene.frame_set(24)
    np.testing.assert_allclose(seen(ob), cloth_seen, atol=1e-5)
    assert largest_difference(seen_bones(rig), bones_seen, bones_seen) < 1e-4
    select(rig, ob)
    assert bpy.ops.verlet.free_bake() == {"FINISHED"}
    play(scene, 1, 24)  # the file remembers who wears what
    np.testing.assert_array_equal(seen(ob), cloth_seen)


def test_what_cannot_be_worn_is_named_with_the_way_out(scene):
    rig, ob = ragdoll(chain()), sheet()
    ob.verlet.pin_target, ob.verlet.pin_bone = rig, "Hand"
    scene.frame_set(1)
    (problem,) = session_of(scene).problems
    assert "Cape: it is pinned to bone Hand of Rig" in problem.message
    assert "choose another Bone" in problem.message
    load = body()
    select(load, rig)
    for model in ("BODIES", "STICKS"):
        rig.verlet.ragdoll.model = model
        assert "pin a bone of it to Box" in refusal(bpy.ops.verlet.join)


def test_a_bone_of_an_armature_that_is_no_ragdoll_carries_pins(scene):
    rig, ob = chain(), sheet()
    ob.verlet.pin_target, ob.verlet.pin_bone = rig, "Bone 1"
    key_bend(rig.pose.bones["Bone 1"], (1, 0.0), (9, 1.0))
    scene.frame_set(1)
    start, rest = seen(ob)[COLLAR], seen_bones(rig)["Bone 1"]
    play(scene, 1, 9)
    assert session_of(scene).problems == []
    assert session_of(scene).model.pins.particle.tolist() == [*COLLAR]
    np.testing.assert_allclose(seen(ob)[COLLAR], carried(rig, "Bone 1", rest, start), atol=1e-5)
    assert np.abs(seen(ob)[COLLAR] - start).max() > 0.1


# ---------------------------------------------------------------------- the skin


def sleeve(rig, bones, radius=0.12, around=10, along=24, levels=1):
    """A closed tube around a chain along X, weighed by halves beside its joints, and subdivided."""
    x = np.repeat(np.linspace(-0.05, 0.4 * bones + 0.05, along), around)
    turn = np.tile(2.0 * np.pi * np.arange(around) / around, along)
    points = np.stack([x, radius * np.cos(turn), 1.0 + radius * np.sin(turn)], axis=1)
    faces = [tuple(range(around)), tuple(range(len(points) - 1, len(points) - 1 - around, -1))]
    for i in range(along - 1):
        for j in range(around):
            a, b = i * around + j, i * around + (j + 1) % around
            faces.append((a, a + around, b + around, b))
    skin = new_object("Skin", points.tolist(), faces=faces)
    for bone in range(bones):
        near = np.clip(1.0 - np.abs((x - 0.4 * bone - 0.2) / 0.4), 0.0, 1.0)
        near[(x < 0.2) & (bone == 0) | (x > 0.4 * bones - 0.2) & (bone == bones - 1)] = 1.0
        group = skin.vertex_groups.new(name=f"Bone {bone}")
        for vertex in np.flatnonzero(near).tolist():
            group.add([vertex], 2.0 * near[vertex], "REPLACE")  # Blender makes them 1
    skin.parent = rig
    skin.modifiers.new("Armature", "ARMATURE").object = rig
    if levels:
        skin.modifiers.new("Subdivision", "SUBSURF").levels = levels
    bpy.context.view_layer.update()
    return skin


def tree_of(ob):
    """What is seen of an object, as Blender's own tree, which tells what overlaps."""
    mesh = ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    mesh.calc_loop_triangles()
    triangles = [tuple(t.vertices) for t in mesh.loop_triangles]
    return BVHTree.FromPolygons(seen(ob).tolist(), triangles)


def skin_of(scene, frame):
    """Where the core has the skin (v, 3) m in a frame."""
    running = session_of(scene)
    table, state = running.model.body_surfaces, running.cache[frame]
    turn = np.array([Quaternion(q).to_matrix() for q in state.body_orientation])
    body, hold = table.hold["body"], table.hold
    places = np.einsum("hij,hj->hi", turn[body], hold["place"]) + state.body_position[body]
    return np.add.reduceat(hold["weight"][:, None] * places, table.first_hold[:-1], axis=0)


@pytest.mark.parametrize(
    ("levels", "scale", "off"),
    [
        (0, 1.0, 2e-4),
        (0, 1.3, 2e-4),
        (1, 1.0, 4e-3),
    ],  # m; faces of 4 cm, made round where they bend
)
def test_cloth_keeps_off_the_skin_of_a_ragdoll_as_it_is_drawn(scene, levels, scale, off):
    rig = chain(3)
    rig.pose.bones["Bone 1"].rotation_mode = "XYZ"
    rig.pose.bones["Bone 1"].rotation_euler = (0.3, 0.2, 0.5)
    rig.pose.bones["Bone 2"].scale = (1.0, 1.0, scale)
    skin = sleeve(rig, 3, around=10 * (levels + 1), along=24 * (levels + 1), levels=levels)
    ragdoll(rig)
    floor()
    blanket = cloth(name="Blanket", size=24, spacing=0.05, location=(0.5, 0.05, 1.7))
    overlaps = []
    for frame in range(1, 49):
        scene.frame_set(frame)
        if frame == 1 or frame % 4 == 0:
            overlaps.append(len(tree_of(blanket).overlap(tree_of(skin))))
            away = np.linalg.norm(skin_of(scene, frame) - seen(skin), axis=1)
            assert away.max() < off
    # a subdivision bends otherwise by up to a millimetre, and cloth is pressed as near as that
    assert max(overlaps) <= (40 if levels else 0)


def test_the_skin_is_read_where_there_is_cloth_alone(scene):
    rig = chain(3)
    skin = sleeve(rig, 3)
    ragdoll(rig)
    play(scene, 1, 2)
    assert len(session_of(scene).model.body_surfaces) == 0
    cloth(name="Blanket", size=8, location=(0.5, 0, 2.3))
    play(scene, 1, 2)
    assert session_of(scene).model.body_surfaces.is_skin.tolist() == [True]
    skin.hide_render = True  # a hull for games, say
    play(scene, 1, 2)
    assert len(session_of(scene).model.body_surfaces) == 0
