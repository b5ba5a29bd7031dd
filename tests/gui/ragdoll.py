"""Drives a real Blender window: every panel of ragdolls, all opened, and what is drawn of them.

Run like panel.py, with demo_files/drag, puppets and stairs.blend copied to the folder for the
pictures, which the window sees as /out. A window of 1600 by 2000 pixels holds them all.
"""

import importlib

import bpy


def addon_module(name):
    return importlib.import_module(f"bl_ext.user_default.verlet_physics.verlet_addon.{name}")


def open_all_panels():
    """Let no panel begin closed; to be called before the tab is seen for the first time."""
    panels = addon_module("panels")
    panels.unregister()
    for module in panels._MODULES:
        for cls in module.CLASSES:
            if "DEFAULT_CLOSED" in getattr(cls, "bl_options", ()):
                cls.bl_options = set()
    panels.register()


def press(g, needle, *, area, region, xfrac=(0.5, 0.75, 0.25)):
    """Click the button whose Python text contains ``needle``."""
    place = yield from g.find(needle, area, region, xfrac=xfrac)
    g.check(place is not None, f"the panel shows {needle}")
    if place is not None:
        yield from g.click(*place)
    return place


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


def look(view, place, distance):
    """Turn the view to a place in m, from where the camera looks."""
    space = view.spaces.active
    space.region_3d.view_perspective = "PERSP"
    space.region_3d.view_rotation = bpy.context.scene.camera.rotation_euler.to_quaternion()
    space.region_3d.view_location, space.region_3d.view_distance = place, distance
    space.shading.type, space.shading.color_type = "SOLID", "OBJECT"
    space.overlay.show_cursor = False


def choose_bone(rig, name):
    """In Pose Mode, this bone alone."""
    for bone in rig.pose.bones:
        holder = bone if hasattr(bone, "select") else bone.bone  # until Blender 5.0
        holder.select = bone.name == name
    rig.data.bones.active = rig.data.bones[name]


def settled(view):
    """Panels that have grown find their places with the second drawing."""
    for _ in range(2):
        view.tag_redraw()
        yield 0.8


def steps(g):
    open_all_panels()
    view = g.area("VIEW_3D")
    yield from g.n_panel("Verlet")
    yield from g.properties("PHYSICS")
    where = {"area": view, "region": g.region(view, "UI")}

    yield from show(g, "drag", 1)
    rig = next(ob for ob in bpy.context.scene.objects if ob.type == "ARMATURE")
    settings = rig.verlet.ragdoll
    select(rig.name)
    look(view, (0.0, 0.0, 1.0), 4.0)
    yield from settled(view)
    g.shot("50_object")
    mass = settings.mass
    settings.mass = 5.0
    yield 0.5
    place = yield from press(g, "verlet.weigh", **where, xfrac=(0.83,))
    g.check(abs(settings.mass - mass) < 0.01 * mass, f"Weigh gives {settings.mass} kg again")
    if place is not None:
        yield from g.move(place[0] - 200, place[1])
        yield 0.5
        yield from g.move(place[0], place[1])
        yield 0.5
        yield from g.move(place[0] + 1, place[1])
        yield 3.0
        g.shot("51_tooltip")
    settings.model = "STICKS"
    yield from settled(view)
    g.shot("52_sticks")
    settings.model = "BODIES"

    bpy.ops.object.mode_set(mode="POSE")
    bpy.context.scene.verlet.show_shapes = True
    for bone in ("hand.L", "forearm.L", "upper_arm.R", "shin.R", "head"):
        choose_bone(rig, bone)
        yield from settled(view)
        g.shot(f"53_bone_{bone.lower().replace('.', '_')}")
    yield from press(g, "verlet.take_limits", **where, xfrac=(0.83,))
    own = rig.pose.bones["head"].verlet
    g.check(own.has_limits and own.swing < 0.6, f"Take Limits begins with {own.swing} rad")
    yield from settled(view)
    g.shot("54_limits_by_hand")
    rig.pose.bones["head"].verlet.joint = "HINGE"
    yield from settled(view)
    g.shot("55_limits_of_a_hinge")
    yield from g.properties("BONE")
    yield from settled(view)
    g.shot("56_properties_bone")
    yield from press(g, "verlet.reset_limits", **where, xfrac=(0.75,))
    g.check(not rig.pose.bones["head"].verlet.has_limits, "Reset Limits forgets limits by hand")
    bpy.ops.object.mode_set(mode="OBJECT")
    yield from g.properties("PHYSICS")

    yield from show(g, "stairs", 1)
    rig = next(ob for ob in bpy.context.scene.objects if ob.type == "ARMATURE")
    select(rig.name)
    look(view, (0.0, -0.5, 1.6), 7.0)
    yield from settled(view)
    yield from press(g, "verlet.learn_limits", **where, xfrac=(0.25,))
    yield 1.0
    learnt = [bone.name for bone in rig.pose.bones if bone.verlet.has_limits]
    g.check(len(learnt) > 5, f"Learn Limits sets those of {len(learnt)} bones")
    g.shot("57_limits_learnt")
    place = yield from press(g, "verlet.ragdoll_between", **where)
    yield 1.0
    g.shot("58_ragdoll_between")
    yield from g.key("Escape", "ESC")
    for frame in range(2, 31):
        bpy.context.scene.frame_set(frame)
    yield from settled(view)
    g.shot("59_falls")

    yield from show(g, "puppets", 30)
    rigs = [ob.name for ob in bpy.context.scene.objects if ob.type == "ARMATURE"]
    select(*rigs)
    bpy.context.scene.verlet.show_shapes = True
    look(view, (0.6, -0.3, 0.8), 8.0)
    yield from settled(view)
    g.shot("60_puppets")
