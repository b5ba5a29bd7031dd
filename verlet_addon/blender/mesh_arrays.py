"""What the edges and faces of a mesh join, as arrays, straight from its attributes.

A hundred times as quick as asking edges and corners one by one: that takes 70 ms for 200,000
vertices.
"""

from __future__ import annotations

import bpy
import numpy as np

from ...core.arrays import Ints


def edge_vertices(mesh: bpy.types.Mesh) -> Ints:
    """The vertices (m, 2) that each edge joins."""
    numbers = np.empty(2 * len(mesh.edges), np.int32)
    if not _read(mesh, ".edge_verts", len(mesh.edges), numbers):
        mesh.edges.foreach_get("vertices", numbers)
    return numbers.reshape(-1, 2)


def corner_vertices(mesh: bpy.types.Mesh) -> Ints:
    """The vertex (loops,) of each corner, face by face."""
    numbers = np.empty(len(mesh.loops), np.int32)
    if not _read(mesh, ".corner_vert", len(mesh.loops), numbers):
        mesh.loops.foreach_get("vertex_index", numbers)
    return numbers


def _read(mesh: bpy.types.Mesh, name: str, count: int, numbers: Ints) -> bool:
    """Read an attribute of whole numbers; False where it is not there: none are in Edit Mode."""
    found = mesh.attributes.get(name)
    if not isinstance(found, (bpy.types.IntAttribute, bpy.types.Int2Attribute)):
        return False
    if len(found.data) != count:
        return False
    found.data.foreach_get("value", numbers)
    return True
