"""Drives a real Blender window: rigid bodies, joints, ties, conversion, and what is drawn of them.

Run like panel.py. Every panel is looked at in the pictures; the checks say that its buttons work.
"""

import math

import bpy


def select(*names):
    for ob in bpy.context.view_layer.objects:
        ob.select_set(ob.name in names)
    bpy.context.view_layer.objects.active = bpy.data.objects[names[0]]


LEFT = (0.25,)  # of two buttons in a row: Bake beside Bake Selected


def press(g, needle, *, area, region, xfrac=(0.5, 0.75, 0.25)):
    """Click the button whose Python text contains ``needle``."""
    place = yield from g.find(needle, area, region, xfrac=xfrac)
    g.check(place is not None, f"the panel shows {needle}")
    if place is not None:
        yield from g.click(*place)


def add_cube(name, location, size):
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=location, scale=size)
    bpy.context.object.name = name


def make_scene():
    for ob in list(bpy.data.objects):
        if ob.type == "MESH":
            bpy.data.objects.remove(ob)
    bpy.ops.mesh.primitive_plane_add(size=8)
    bpy.context.object.name = "Floor"
    add_cube("Post", (-1.5, 0, 1), (0.2, 0.2, 2.0))
    add_cube("Door", (-0.85, 0, 1), (1.0, 0.08, 1.8))
    add_cube("Lift", (1.2, 0, 0.3), (1.0, 1.0, 0.2))
    add_cube("Crate", (0.6, -1.2, 1.0), (0.4, 0.4, 0.4))
    points = [(0.6, -1.2, 2.4 - 0.12 * n) for n in range(11)]
    mesh = bpy.data.meshes.new("Rope")
    mesh.from_pydata(points, [(n, n + 1) for n in range(10)], [])
    bpy.context.collection.objects.link(bpy.data.objects.new("Rope", mesh))
    bpy.context.scene.frame_end = 30


def look(view):
    """Turn the view to where the scene is seen whole."""
    space = view.spaces.active.region_3d
    space.view_location, space.view_distance = (0.0, 0.0, 0.8), 7.0


def steps(g):
    scene = bpy.context.scene
    view = g.area("VIEW_3D")
    make_scene()
    look(view)
    yield from g.n_panel("Verlet")
    yield from g.properties("PHYSICS")
    ui = g.region(view, "UI")
    where = {"area": view, "region": ui}

    select("Floor")
    yield 0.3
    yield from press(g, "verlet.collider", **where)
    select("Crate", "Door", "Lift", "Post")
    yield 0.3
    yield from press(g, "verlet.rigid_body", **where)
    yield 0.5
    g.shot("20_body_active")
    select("Lift")
    bpy.data.objects["Lift"].verlet.body.type = "ANIMATED"
    yield 0.8
    g.shot("21_body_animated")
    select("Post")
    bpy.data.objects["Post"].verlet.body.type = "PASSIVE"
    yield 0.8
    g.shot("22_body_passive")

    select("Door", "Post")
    yield 0.3
    yield from press(g, "verlet.join(", **where)
    yield 0.8
    hinge = bpy.context.object
    g.check(hinge.verlet.is_joint, "Join makes a joint of the two")
    g.shot("23_joint_ball")
    for kind in ("HINGE", "CONE_TWIST", "SLIDER", "FIXED", "DISTANCE", "SPRING", "GENERIC"):
        hinge.verlet.joint.kind = kind
        hinge.verlet.joint.is_limited = True
        yield 0.8
        g.shot(f"24_joint_{kind.lower()}")
    hinge.verlet.joint.kind = "HINGE"
    hinge.verlet.joint.motor = "VELOCITY"
    hinge.verlet.joint.lower, hinge.verlet.joint.upper = -math.pi / 2, math.pi / 2

    select("Rope")
    yield 0.3
    yield from press(g, "verlet.rope(", **where)
    select("Rope", "Crate")
    yield 0.3
    yield from press(g, "verlet.join(", **where)
    yield 0.8
    tie = bpy.context.object
    g.check(tie.verlet.joint.object_a == bpy.data.objects["Rope"], "Join ties a rope to a crate")
    g.shot("25_tie")
    rope = bpy.data.objects["Rope"]
    rope.vertex_groups.new(name="Pin").add([0], 1.0, "REPLACE")
    rope.verlet.pin_group = "Pin"
    tie.verlet.joint.object_b = None
    yield 0.8
    g.shot("26_tie_wrong")
    tie.verlet.joint.object_b = bpy.data.objects["Crate"]
    select("Rope")
    yield 0.8
    g.shot("27_rope_tied")

    scene.frame_set(1)
    scene.verlet.show_shapes = True
    scene.verlet.reduce_keys = True
    for frame in range(2, 13):
        scene.frame_set(frame)
    select(hinge.name)
    yield 1.0
    g.shot("28_overlay")
    crate = bpy.data.objects["Crate"]
    g.check(crate.matrix_world.translation.z > 0.9, "the rope holds the crate")
    yield from press(g, "verlet.bake(", **where, xfrac=LEFT)
    for _ in range(600):
        if crate.animation_data is not None:
            break
        yield 0.1
    yield 0.5
    g.check(crate.animation_data is not None, "Bake wrote keyframes")
    g.shot("29_baked")
    bpy.ops.verlet.free_bake()
    data = crate.animation_data
    g.check(data is None or data.action is None, "Free Bake takes the keyframes away")
    scene.frame_set(1)

    bpy.ops.verlet.convert_to_rigid_body_world()
    yield 0.8
    select("Crate")
    yield 0.8
    g.shot("30_converted_to_blender")
    bpy.ops.verlet.convert_rigid_body_world()
    yield 0.8
    g.check(crate.verlet.kind == "BODY", "Convert takes Blender's rigid bodies over")
    g.shot("31_converted_back")
