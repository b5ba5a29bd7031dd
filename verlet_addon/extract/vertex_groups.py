"""Vertex groups as arrays."""

import bpy
import numpy as np

from ...core.arrays import Floats
from ..blender.data import mesh_of


def group_weights(ob: bpy.types.Object, name: str) -> Floats:
    """Weight of every vertex in a vertex group, 0 for those outside."""
    index = ob.vertex_groups[name].index
    weights = np.zeros(len(mesh_of(ob).vertices))
    for vertex in mesh_of(ob).vertices:
        for entry in vertex.groups:
            if entry.group == index:
                weights[vertex.index] = entry.weight
    return weights
