"""Takes the README's pictures of the panel in a real Blender window, in scenes of the demo files.

Run like panel.py, with demo_files/drape, boxes, bridge, drag and cape.blend copied to the folder
for the pictures, which the window sees as /out.
"""

import importlib

import bpy


def addon_module(name):
    return importlib.import_module(f"bl_ext.user_default.verlet_physics.verlet_addon.{name}")


def show(g, name, frame):
    """Bring a demo file's scene into the window, simulated up to a frame."""
    with bpy.data.libraries.load(f"/out/{name}.blend") as (there, here):
        here.scenes = there.scenes
    scene = here.scenes[0]
    g.window.scene = scene
    for ob in scene.objects:
        if ob.type == "CAMERA":
            ob.hide_set(True)
    yield 0.5
    for number in range(scene.frame_start, frame + 1):
        scene.frame_set(number)
    yield 0.5


def select(*names):
    """Select these, the last one active."""
    scene = bpy.context.scene
    for ob in scene.objects:
        ob.select_set(ob.name in names)
    bpy.context.view_layer.objects.active = scene.objects[names[-1]]


def look(view, place, distance, turn):
    """Turn the view to a place in m, from a direction (w, x, y, z)."""
    space = view.spaces.active
    space.region_3d.view_perspective = "PERSP"
    space.region_3d.view_rotation = turn
    space.region_3d.view_location, space.region_3d.view_distance = place, distance
    space.shading.type, space.shading.color_type = "SOLID", "OBJECT"
    space.overlay.show_cursor = False


CORNER = (0.8, 0.44, 0.2, 0.36)  # from above, between X and −Y


def steps(g):
    view = g.area("VIEW_3D")
    yield from g.n_panel("Verlet")
    yield from g.properties("PHYSICS")

    yield from show(g, "drape", 30)
    select("Cloth")
    look(view, (0.4, -0.4, 0.8), 5.0, CORNER)
    yield 1.0
    g.shot("panel", area=view)
    bpy.ops.verlet.bake(frame_end=40)
    for _ in range(2):  # panels that have grown find their places with the second drawing
        view.tag_redraw()
        yield 1.0
    g.shot("baked", area=view)
    bpy.ops.verlet.free_bake()

    yield from show(g, "boxes", 40)
    boxes = [ob.name for ob in bpy.context.scene.objects if ob.verlet.kind == "BODY"]
    select(*boxes[:5])
    look(view, (0.6, -0.6, 0.8), 7.0, CORNER)
    yield 1.0
    g.shot("panel_body", area=view)

    yield from show(g, "bridge", 60)
    joints = [ob.name for ob in bpy.context.scene.objects if ob.verlet.is_joint]
    select(joints[len(joints) // 2])
    look(view, (0.8, -0.8, 1.0), 7.0, CORNER)
    yield 1.0
    g.shot("panel_joint", area=view)

    yield from show(g, "drag", 112)
    rig = next(ob for ob in bpy.context.scene.objects if ob.type == "ARMATURE")
    select(rig.name)
    bpy.ops.object.mode_set(mode="POSE")
    for bone in rig.pose.bones:
        holder = bone if hasattr(bone, "select") else bone.bone  # before Blender 5.0
        holder.select = bone.name == "hand.L"
    rig.data.bones.active = rig.data.bones["hand.L"]
    bpy.context.scene.verlet.show_shapes = True
    look(view, (0.3, -1.6, 0.5), 5.0, bpy.context.scene.camera.rotation_euler.to_quaternion())
    yield 1.0
    g.shot("panel_ragdoll", area=view)
    yield from g.properties("BONE")
    yield 1.0
    g.shot("properties_bone")
    bpy.ops.object.mode_set(mode="OBJECT")
    yield from g.properties("PHYSICS")
    yield 1.0
    g.shot("ragdoll_object")

    yield from show(g, "cape", 26)
    select("Cape")
    look(view, (0.5, -0.8, 1.8), 5.0, CORNER)
    yield 1.0
    g.shot("cape", area=view)
