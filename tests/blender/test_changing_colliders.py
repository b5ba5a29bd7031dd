"""A collider that bends or grows collides as it is drawn, whatever its shape would be at rest."""

import math

import bpy
import numpy as np
import pytest
from mathutils.bvhtree import BVHTree
from small_rigs import armature
from small_scenes import addon, body, floor, grid, new_object, play, seen, select, session_of

pytestmark = pytest.mark.usefixtures("scene")

LAST = 50


def key(owner, path, *keys):
    for frame, value in keys:
        setattr(owner, path, value)
        owner.keyframe_insert(path, frame=frame)


def ball(around=24, rings=12, radius=0.3):
    """A sphere well above the floor; Blender's own has its faces in another order each time."""
    places = [(0, 0, -radius)]
    for ring in range(1, rings):
        polar = math.pi * ring / rings
        for number in range(around):
            angle = 2.0 * math.pi * number / around
            aside = radius * math.sin(polar)
            x, y = aside * math.cos(angle), aside * math.sin(angle)
            places.append((x, y, -radius * math.cos(polar)))
    places.append((0, 0, radius))
    last = len(places) - 1
    faces = []
    for i in range(around):
        j = (i + 1) % around
        faces += [(0, 1 + j, 1 + i), (last, last - around + i, last - around + j)]
        for k in range(1, last - around, around):
            faces.append((k + i, k + j, k + around + j, k + around + i))
    return new_object("Ball", places, faces=faces, location=(0, 0, 1))


def by_bone(ob):
    rig = armature([("Bone", None, (0, 0, 0), (0, 0, 1), 0)])
    everything = range(len(ob.data.vertices))
    ob.vertex_groups.new(name="Bone").add(everything, 1.0, "REPLACE")
    ob.modifiers.new("Rig", "ARMATURE").object = rig
    key(rig.pose.bones["Bone"], "location", (20, (0, 0, 0)), (40, (0.3, 0, 0)))


def by_shape_key(ob):
    ob.shape_key_add(name="Basis")
    wide = ob.shape_key_add(name="Wide")
    for point, vertex in zip(wide.data, ob.data.vertices):
        point.co = vertex.co * 1.6
    key(wide, "value", (20, 0.0), (40, 1.0))


def by_scale(ob):
    key(ob, "scale", (20, (1, 1, 1)), (40, (1.6, 1.6, 1.6)))


def by_parent(ob):
    hub = bpy.data.objects.new("Hub", None)
    bpy.context.scene.collection.objects.link(hub)
    ob.parent = hub
    key(hub, "scale", (20, (1, 1, 1)), (40, (1.6, 1.6, 1.0)))


def by_modifier(ob):
    stretch = ob.modifiers.new("Stretch", "SIMPLE_DEFORM")
    stretch.deform_method, stretch.deform_axis, stretch.factor = "STRETCH", "Z", 0.0
    key(stretch, "factor", (20, 0.0), (40, 0.7))


def by_driver(ob):
    for curve in ob.driver_add("scale"):
        curve.driver.expression = "1.0 + 0.6 * min(max((frame - 20) / 20, 0), 1)"


WAYS = [by_bone, by_shape_key, by_scale, by_parent, by_modifier, by_driver]


def tree(ob):
    """Of the triangles that are drawn."""
    mesh = ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    mesh.calc_loop_triangles()
    triangles = [tuple(t.vertices) for t in mesh.loop_triangles]
    return BVHTree.FromPolygons(seen(ob).tolist(), triangles, all_triangles=True)


def collider(ob, **settings):
    select(ob)
    assert bpy.ops.verlet.collider() == {"FINISHED"}
    for name, value in settings.items():
        setattr(ob.verlet.collider, name, value)
    return ob


@pytest.mark.parametrize("change", WAYS)
def test_cloth_and_bodies_stay_out_of_a_ball_that_changes(scene, change):
    floor()
    ob = ball()
    change(ob)
    collider(ob)
    sheet = grid(size=16, spacing=0.08, location=(0, 0, 1.4))
    select(sheet)
    bpy.ops.verlet.cloth()
    brick = body(size=0.15, location=(0.05, 0, 1.6))
    for frame in range(1, LAST + 1):
        scene.frame_set(frame)
        assert tree(ob).overlap(tree(sheet)) == [], frame
    assert session_of(scene).problems == []
    assert session_of(scene).last == LAST
    middle = seen(brick).mean(axis=0)
    place, _, _, distance = tree(ob).find_nearest(middle.tolist())
    place = np.array(place)
    outwards = place - seen(ob).mean(axis=0)  # it is convex; at a corner its normals say nothing
    assert (middle - place) @ outwards > 0.0
    assert distance > 0.07


@pytest.mark.parametrize("change", [by_scale, by_bone])
def test_a_shape_that_cannot_follow_is_told(scene, change):
    floor()
    body(location=(0, 0, 2))
    ob = ball()
    change(ob)
    collider(ob, shape="SPHERE")
    scene.frame_set(1)
    (problem,) = session_of(scene).problems
    assert problem.message.startswith(f"{ob.name}: it is seen to change its form or size")
    assert "Automatic" in problem.message
    ob.verlet.collider.shape = "AUTO"
    scene.frame_set(1)
    assert session_of(scene).problems == []


def test_a_rigid_body_that_grows_is_told(scene):
    floor()
    ob = body(location=(0, 0, 2))
    by_scale(ob)
    scene.frame_set(1)
    assert any("a rigid body keeps" in p.message for p in session_of(scene).problems)


@pytest.mark.without_wheels
def test_keys_that_are_alike_change_nothing(scene):
    body(location=(0, 0, 2))
    ob = collider(ball())
    for frame in (1, 20):
        ob.location.x = 0.01 * frame
        for path in ("location", "rotation_euler", "scale"):
            ob.keyframe_insert(path, frame=frame)
    ob.modifiers.new("Finer", "SUBSURF").show_viewport = True
    steadiness = addon("extract.steadiness")
    assert steadiness.keeps_form(ob)
    assert steadiness.stays_level(ob)
    play(scene, 1, 2)
    shapes = session_of(scene).model.shapes
    assert (shapes.mesh == -1).all()
