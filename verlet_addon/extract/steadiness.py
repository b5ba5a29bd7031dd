"""Whether a collider keeps its form and stays level, as far as its file tells."""

from __future__ import annotations

from collections.abc import Iterator

import bpy

from ...core.arrays import Floats
from ..blender.compat import all_fcurves, fcurves_of
from ..properties.kinds import is_particles
from ..properties.participants import is_moved
from .own_motion import CARRIERS, shapes_vary

CHANGE_BY_THEMSELVES = CARRIERS | {"CLOTH", "DYNAMIC_PAINT", "FLUID", "OCEAN", "SOFT_BODY"}
"""Types of modifiers that deform from frame to frame without a key of their own."""

SCALING = frozenset({"COPY_SCALE", "STRETCH_TO"})
"""Types of constraints that are there to scale."""

SAME_KEYS = 1e-5
"""Share of a value by which keys of it may differ that say the same; a bake rounds to 32 bits."""

THIN = 0.05
"""Share of its length that a board is thick at most: a door, a paddle, a sword."""


def keeps_form(ob: bpy.types.Object) -> bool:
    """Whether the mesh that is seen stays as large and as it is: it may move and turn."""
    modifiers = [modifier for modifier in ob.modifiers if modifier.show_viewport]
    changed = ("modifiers", "scale", "delta_scale")
    if shapes_vary(ob) or any(path.startswith(changed) for path in _varying(ob)):
        return False
    if any(modifier.type in CHANGE_BY_THEMSELVES for modifier in modifiers):
        return False
    for link in _chain(ob):
        if any(c.type in SCALING and not c.mute for c in link.constraints):
            return False
        hangs_on_bone = link.parent_type == "BONE"
        for path in _varying(link.parent) if link.parent is not None else ():
            if path.startswith(("scale", "delta_scale")) or (
                hangs_on_bone and path.endswith(".scale")
            ):
                return False
    return True


def stays_level(ob: bpy.types.Object) -> bool:
    """Whether neither keys, drivers, constraints, bones nor a simulation may turn an object."""
    return not any(map(_may_turn, _chain(ob)))


def stays_put(ob: bpy.types.Object) -> bool:
    """Whether nothing of its own, nor what carries it, may move an object either."""
    paths = (path for link in _chain(ob) for path in _varying(link))
    return not any(map(_is_of_place, paths)) and stays_level(ob)


def is_thin(extents: Floats) -> bool:
    """Whether extents (3,) m are those of a board or a plate, which is past a vertex in one substep
    where it moves fast.
    """
    return bool(0.0 < min(extents) <= THIN * max(extents))


def _chain(ob: bpy.types.Object) -> Iterator[bpy.types.Object]:
    """The object, its parent, that one's parent and so on."""
    link: bpy.types.Object | None = ob
    while link is not None:
        yield link
        link = link.parent


def _is_of_place(path: str) -> bool:
    return path.startswith(("location", "delta_location"))


def _may_turn(ob: bpy.types.Object) -> bool:
    is_carried_whole = ob.parent is None or ob.parent_type == "OBJECT"
    if not is_carried_whole or any(not constraint.mute for constraint in ob.constraints):
        return True
    is_rigid = ob.rigid_body is not None and ob.rigid_body.type == "ACTIVE"
    if is_rigid or (is_moved(ob) and not is_particles(ob.verlet.kind)):
        return True
    return any(path.startswith(("rotation", "delta_rotation")) for path in _varying(ob))


def _varying(ob: bpy.types.Object) -> Iterator[str]:
    """Paths of what keys, drivers and strips change of an object, but for keys that are alike."""
    animation = ob.animation_data
    if animation is None:
        return
    yield from (driver.data_path for driver in animation.drivers)
    curves = [*fcurves_of(ob)]
    for track in animation.nla_tracks:
        for strip in track.strips if not track.mute else ():
            curves += all_fcurves(strip.action) if strip.action is not None else []
    yield from (curve.data_path for curve in curves if not curve.mute and _varies(curve))


def _varies(curve: bpy.types.FCurve) -> bool:
    """Whether a curve has other values in some frames than in others."""
    values = [point.co[1] for point in curve.keyframe_points]
    if not values or any(not modifier.mute for modifier in curve.modifiers):
        return True
    least, most = min(values), max(values)
    return bool(most - least > SAME_KEYS * max(abs(least), abs(most)))
