"""How thick a rope is drawn: by the bevel of its curve, or by the Skin of its mesh."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import bpy
import numpy as np

from ..blender.data import mesh_of
from ..transforms.affine import matrix_of, mean_scale


def counted(ob: bpy.types.Object, settings: Any) -> Any:
    """Settings of an object, in which a rope that leaves its Diameter open has the drawn one."""
    if ob.verlet.kind != "ROPE" or settings.diameter > 0.0:
        return settings
    drawn = mean_scale(matrix_of(ob)) * drawn_diameter(ob)
    return replace(settings, diameter=drawn) if np.isfinite(drawn) else settings


def drawn_diameter(ob: bpy.types.Object) -> float:
    """Mean diameter of what is drawn around the edges, in the object's own unit; 0 for a line."""
    data = ob.data
    if isinstance(data, bpy.types.Curve):
        if data.bevel_mode == "OBJECT" or not data.bevel_depth:
            return 0.0
        points = [p for spline in data.splines for p in (*spline.bezier_points, *spline.points)]
        return 2.0 * data.bevel_depth * _mean([point.radius for point in points])
    if any(m.type == "SKIN" and (m.show_viewport or m.show_render) for m in ob.modifiers):
        layers = mesh_of(ob).skin_vertices
        radii = [radius for vertex in layers[0].data for radius in vertex.radius] if layers else []
        return 2.0 * _mean(radii)
    return 0.0


def _mean(values: list[float]) -> float:
    return float(np.mean(values)) if values else 0.0
