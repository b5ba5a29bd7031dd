"""Modifiers behind ours that draw something else than what is simulated.

A simulation moves the vertices of the mesh itself. What a mirror, an array or a thickness adds to
them meets nothing, and what a subdivision smooths is not where contacts have put it.
"""

from __future__ import annotations

from collections.abc import Iterator

import bpy
import numpy as np

from ..blender.data import mesh_of
from ..blender.mesh_arrays import edge_vertices
from ..blender.point_cache import attached
from ..properties.kinds import KINDS
from ..properties.objects import group_of
from ..transforms.affine import matrix_of, mean_scale, transformed
from .mesh import places_of
from .own_motion import CARRIERS, carriers

WITH_SURFACES = frozenset({"CLOTH", "SOFT_BODY"})
"""Kinds of which what is drawn is the surface that is simulated; ropes are made into tubes."""

SAME_SURFACE = frozenset(
    {"CLOTH", "COLLISION", "DATA_TRANSFER", "DYNAMIC_PAINT", "EDGE_SPLIT", "NORMAL_EDIT"}
    | {"PARTICLE_SYSTEM", "SOFT_BODY", "SURFACE", "TRIANGULATE", "UV_PROJECT", "UV_WARP"}
    | {"VERTEX_WEIGHT_EDIT", "VERTEX_WEIGHT_MIX", "VERTEX_WEIGHT_PROXIMITY", "WEIGHTED_NORMAL"}
    | {"WELD"}
)
"""Types that leave the surface where it is, or of which something else is told."""

ADDS_SURFACE = frozenset({"ARRAY", "BOOLEAN", "MIRROR", "SCREW", "SKIN", "WIREFRAME"})
"""Types that draw surface far from any that is simulated."""

COUNTED = 1.01
"""Thicknesses that may be drawn of what is kept free."""


def changers(ob: bpy.types.Object) -> list[bpy.types.Modifier]:
    """Modifiers that are to be applied for what is drawn to be what is simulated, from the top."""
    return [
        modifier
        for modifier in _behind(ob)
        if modifier.type not in SAME_SURFACE | CARRIERS | {"NODES", "SOLIDIFY"}
        and not (isinstance(modifier, bpy.types.SubsurfModifier) and modifier.levels == 0)
    ]


def making_nodes(ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> list[bpy.types.Modifier]:
    """Geometry nodes that make vertices, where nothing else behind ours does."""
    behind = {modifier.type for modifier in _behind(ob)} - SAME_SURFACE - CARRIERS
    if behind != {"NODES"}:
        return []
    if len(mesh_of(ob.evaluated_get(depsgraph)).vertices) == len(mesh_of(ob).vertices):
        return []
    return [modifier for modifier in _behind(ob) if modifier.type == "NODES"]


def too_thick(ob: bpy.types.Object) -> bpy.types.SolidifyModifier | None:
    """A thickness that is drawn and not kept free from what the cloth touches, if any."""
    if ob.verlet.kind != "CLOTH":
        return None
    thick = (m for m in _behind(ob) if isinstance(m, bpy.types.SolidifyModifier))
    return next((m for m in thick if drawn_reach(ob, m) > COUNTED * kept_free(ob)), None)


def drawn_reach(ob: bpy.types.Object, modifier: bpy.types.SolidifyModifier) -> float:
    """How far from what is simulated the farther side of a thickness is drawn, m."""
    share = 0.5 * max(abs(modifier.offset - 1.0), abs(modifier.offset + 1.0))
    return share * world_thickness(ob, modifier)


def world_thickness(ob: bpy.types.Object, modifier: bpy.types.SolidifyModifier) -> float:
    """The thickness that a modifier draws, m."""
    return mean_scale(matrix_of(ob)) * abs(modifier.thickness)


def kept_free(ob: bpy.types.Object) -> float:
    """How far cloth keeps from what it touches, m."""
    return float(group_of(ob, KINDS[ob.verlet.kind]).thickness) * mean_edge_length(ob)


def mean_edge_length(ob: bpy.types.Object) -> float:
    """Mean length of the mesh's edges in the world, m."""
    mesh = mesh_of(ob)
    ends = transformed(matrix_of(ob), places_of(mesh))[edge_vertices(mesh)]
    return float(np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1).mean()) if len(ends) else 0.0


def _behind(ob: bpy.types.Object) -> Iterator[bpy.types.Modifier]:
    """What is shown or rendered of an object with a surface, behind what carries its vertices."""
    if ob.type != "MESH" or ob.verlet.kind not in WITH_SURFACES:
        return
    ours = [*carriers(ob), attached(ob)]
    for modifier in ob.modifiers:
        if modifier not in ours and (modifier.show_viewport or modifier.show_render):
            yield modifier
