"""Drives a real Blender window: drags the hand of a ragdoll with the mouse, forgets and keeps it.

Run like panel.py.
"""

import importlib

import bpy
from bpy_extras import view3d_utils
from mathutils import Vector

HAND = "forearm.L"
BONES = [
    ("pelvis", None, (0, 0, 1.0), (0, 0, 1.2)),
    ("chest", "pelvis", (0, 0, 1.2), (0, 0, 1.5)),
    ("head", "chest", (0, 0, 1.55), (0, 0, 1.8)),
    ("upper_arm.L", "chest", (0.2, 0, 1.45), (0.45, 0, 1.4)),
    ("forearm.L", "upper_arm.L", (0.45, 0, 1.4), (0.7, -0.03, 1.35)),
    ("upper_arm.R", "chest", (-0.2, 0, 1.45), (-0.45, 0, 1.4)),
    ("forearm.R", "upper_arm.R", (-0.45, 0, 1.4), (-0.7, -0.03, 1.35)),
    ("thigh.L", "pelvis", (0.1, 0, 1.0), (0.1, -0.02, 0.55)),
    ("shin.L", "thigh.L", (0.1, -0.02, 0.55), (0.1, 0, 0.1)),
    ("thigh.R", "pelvis", (-0.1, 0, 1.0), (-0.1, -0.02, 0.55)),
    ("shin.R", "thigh.R", (-0.1, -0.02, 0.55), (-0.1, 0, 0.1)),
]
NEAR = 40  # pixels, by which a hand may lag behind the mouse that has stopped


def addon_module(name):
    return importlib.import_module(f"bl_ext.user_default.verlet_physics.verlet_addon.{name}")


def make_scene():
    for ob in list(bpy.data.objects):
        if ob.type == "MESH":
            bpy.data.objects.remove(ob)
    bpy.ops.mesh.primitive_plane_add(size=12)
    bpy.ops.verlet.collider()
    data = bpy.data.armatures.new("Figure")
    rig = bpy.data.objects.new("Figure", data)
    bpy.context.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for name, parent, head, tail in BONES:
        bone = data.edit_bones.new(name)
        bone.head, bone.tail = head, tail
        bone.parent = data.edit_bones[parent] if parent else None
    bpy.ops.object.mode_set(mode="OBJECT")
    for ob in bpy.data.objects:
        ob.select_set(ob == rig)
    bpy.ops.verlet.ragdoll()
    bpy.ops.object.mode_set(mode="POSE")
    for bone in rig.pose.bones:
        holder = bone if hasattr(bone, "select") else bone.bone  # until Blender 5.0
        holder.select = bone.name == HAND
    data.bones.active = data.bones[HAND]
    bpy.context.scene.frame_end = 1000
    return rig


def hand_seen(g, view):
    """Where in the window the end of the hand is seen."""
    rig = bpy.data.objects["Figure"]
    evaluated = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    place = evaluated.matrix_world @ evaluated.pose.bones[HAND].tail
    region = g.region(view, "WINDOW")
    seen = view3d_utils.location_3d_to_region_2d(region, view.spaces.active.region_3d, place)
    return seen + Vector((region.x, region.y))


def drag_hand(g, view, start, first, ways, name):
    """Move the mouse from where it is; yields until the hand has come after it, each time.

    ``first``: where the hand was seen before it was held, and sagged with the figure's weight.
    """
    for number, way in enumerate(ways):
        for step in range(1, 9):
            before = ways[number - 1] if number else (0, 0)
            share = step / 8
            x, y = (b + share * (w - b) for b, w in zip(before, way))
            yield from g.move(start[0] + x, start[1] + y)
            yield 0.15
        frame = bpy.context.scene.frame_current
        for _ in range(100):  # software drawing plays slowly
            if bpy.context.scene.frame_current >= frame + 15:
                break
            yield 0.2
        g.check(bpy.context.scene.frame_current > frame, f"{name} {number}: the timeline plays")
        for _ in range(100):
            off = (hand_seen(g, view) - first - Vector(way)).length
            if off < NEAR:
                break
            yield 0.2
        g.check(off < NEAR, f"{name} {number}: the hand is {off:.0f} pixels from the mouse")
        g.shot(f"{name}_{number}")


def start_drag(g, view, ui):
    """Press Drag in the sidebar; returns where the mouse is then."""
    place = yield from g.find("verlet.drag_bone", view, ui)
    g.check(place is not None, "the panel shows Drag")
    yield from g.click(*place)
    yield 0.5
    return place


def state():
    """All that a drag may change and Escape gives back."""
    rig = bpy.data.objects["Figure"]
    bone = rig.pose.bones[HAND]
    return {
        "objects": sorted(ob.name for ob in bpy.data.objects),
        "target": bone.verlet.pin_target and bone.verlet.pin_target.name,
        "firmness": round(bone.verlet.pin_firmness, 6),
        "frame": bpy.context.scene.frame_current,
        "plays": bpy.context.screen.is_animation_playing,
    }


def steps(g):
    view = g.area("VIEW_3D")
    make_scene()
    space = view.spaces.active.region_3d
    space.view_location, space.view_distance = (0.3, 0.0, 0.9), 6.0
    space.view_rotation = (0.7, 0.7, 0.0, 0.0)  # from the front
    bpy.ops.ed.undo_push(message="ragdoll")
    yield from g.n_panel("Verlet")
    ui = g.region(view, "UI")
    yield 1.0
    g.shot("40_ragdoll_pose")

    own, first = state(), hand_seen(g, view)
    place = yield from start_drag(g, view, ui)
    g.check(state()["plays"], "Drag plays the timeline")
    g.check(state()["target"] is not None, "Drag pins the hand")
    yield from drag_hand(g, view, place, first, [(-60, 80), (-200, 60), (-150, -40)], "41_drag")
    yield from g.key("Escape", "ESC")
    yield 1.0
    g.check(state() == own, f"Escape gives all back: {state()} was {own}")
    g.shot("42_escape")

    place = yield from start_drag(g, view, ui)
    yield from drag_hand(g, view, place, first, [(-60, 120), (-180, 120)], "43_drag")
    yield from g.click(place[0] - 180, place[1] + 120)
    yield 1.0
    kept = state()
    g.check(not kept["plays"], "a click ends it")
    handle = bpy.data.objects.get(kept["target"] or "")
    g.check(handle is not None, "the pin stays")
    if handle is not None:
        keys = addon_module("blender.compat").fcurves_of(handle)
        count = len(keys[0].keyframe_points) if len(keys) else 0
        g.check(count > 10, f"the way is keyed in {count} frames")
        far = (handle.matrix_world.translation - Vector((0.7, -0.03, 1.35))).length
        g.check(far > 0.2, f"the pin was moved by {far:.2f} m")
    g.shot("44_kept")
    yield from g.move(*hand_seen(g, view))
    yield from g.key("ctrl+z", "Z")
    yield 1.0
    undone = state()
    undone["frame"] = own["frame"]
    g.check(undone == own, f"Undo gives all back: {undone} was {own}")
    bpy.context.scene.frame_set(1)
    yield 0.5
    g.shot("45_undone")
