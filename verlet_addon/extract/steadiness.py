"""Whether anything may turn a collider or bend it: a floor that stays as level as it starts."""

from __future__ import annotations

import bpy

from ..blender.compat import fcurves_of
from ..properties.kinds import is_particles
from ..properties.participants import is_moved
from .own_motion import may_deform


def is_steady(ob: bpy.types.Object) -> bool:
    """Whether an object keeps its axes and its form, as far as its file tells: it may go along."""
    return not may_deform(ob) and not any(map(_may_turn, _chain(ob)))


def _chain(ob: bpy.types.Object) -> list[bpy.types.Object]:
    """The object and all that carries it."""
    found = [ob]
    while found[-1].parent is not None:
        found.append(found[-1].parent)
    return found


def _may_turn(ob: bpy.types.Object) -> bool:
    """Whether keys, drivers, constraints, bones or a simulation may turn or scale what it is."""
    is_carried_whole = ob.parent is None or ob.parent_type == "OBJECT"
    if not is_carried_whole or any(not constraint.mute for constraint in ob.constraints):
        return True
    is_rigid = ob.rigid_body is not None and ob.rigid_body.type == "ACTIVE"
    if is_rigid or (is_moved(ob) and not is_particles(ob.verlet.kind)):
        return True
    animation = ob.animation_data
    if animation is None:
        return False
    paths = [curve.data_path for curve in (*fcurves_of(ob), *animation.drivers)]
    has_strips = any(not track.mute for track in animation.nla_tracks)
    return has_strips or any(
        path.startswith(("rotation", "delta_rotation", "scale", "delta_scale")) for path in paths
    )
