"""Colliders whose meshes change in a way that a simulation cannot follow."""

from __future__ import annotations

import bpy

from ..blender.compat import fcurves_of
from ..extract.own_motion import CARRIERS
from ..problem import Problem
from ..properties import participants

ALWAYS_CHANGES = frozenset({"BUILD", "EXPLODE", "FLUID", "PARTICLE_INSTANCE"})
"""Modifiers that make other vertices from frame to frame by themselves."""

MAY_CHANGE = frozenset({"ARRAY", "BEVEL", "BOOLEAN", "DECIMATE", "MASK", "REMESH", "SKIN", "WELD"})
"""Modifiers that do so once they, or what comes before them, are animated."""


def of_scene(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> list[Problem]:
    """Colliders that will stay as they are in the start frame."""
    found = []
    for ob in participants.simulated_objects(scene):
        name = changing_modifier(ob) if ob.verlet.kind == "COLLIDER" else ""
        if name:
            text = (
                f"{ob.name}: its {name} modifier makes other vertices from frame to frame. What "
                "falls on it meets it as it is in the start frame"
            )
            found.append(Problem(text, ob.session_uid, "verlet.show_object", "Show Object"))
    return found


def changing_modifier(ob: bpy.types.Object) -> str:
    """Name of a modifier that changes the number of vertices from frame to frame, "" for none."""
    keyed = [curve.data_path for curve in fcurves_of(ob)]
    if ob.animation_data is not None:
        keyed += [driver.data_path for driver in ob.animation_data.drivers]
    is_deformed = False
    for modifier in ob.modifiers:
        if not modifier.show_viewport:
            continue
        path = modifier.path_from_id()
        is_keyed = any(own.startswith(path) for own in keyed)
        cuts_with = getattr(modifier, "object", None) if modifier.type == "BOOLEAN" else None
        is_cut = cuts_with is not None and _may_move(cuts_with)
        if modifier.type in ALWAYS_CHANGES:
            return str(modifier.name)
        if modifier.type in MAY_CHANGE and (is_deformed or is_keyed or is_cut):
            return str(modifier.name)
        is_deformed |= modifier.type in CARRIERS or is_keyed
    return ""


def _may_move(ob: bpy.types.Object) -> bool:
    """Whether an object is animated, or simulated itself."""
    return ob.animation_data is not None or participants.is_moved(ob) or ob.parent is not None
