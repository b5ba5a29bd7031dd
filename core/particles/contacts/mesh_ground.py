"""What of mesh colliders lies next to vertices of cloth, as contacts between their surfaces tell.

These see to it that cloth does not pass through a mesh; who presses cloth onto one asks here what
is behind it.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ...arrays import NONE
from ...kernels.jit import kernel
from ...vec3 import ZERO, along, load, store, sub, vec

BACKED_GAP = 0.5
"""Gap to what backs a vertex, as a share of what the vertex keeps away, up to which it does."""

MeshGround = namedtuple(
    "MeshGround",
    [
        "shape",  # (n,) of the mesh that is nearest to a vertex, or `NONE`
        "distance",  # (n,) m, how far that was at the start of the substep
        "out",  # (n, 3) from there to the vertex
        "point",  # (n, 3) m, where that place of the mesh is at the end of the substep
        "way",  # (n, 3) m, how far it has come
    ],
)


def mesh_ground_room(count: int) -> MeshGround:
    """Room for so many vertices, with nothing near any of them."""
    out, point, way = (np.zeros((count, 3)) for _ in range(3))
    return MeshGround(np.full(count, NONE, np.int32), np.zeros(count), out, point, way)


@kernel
def note_mesh_ground(ground, contacts, first, count, now, start, led, shape_of):
    """Note what of meshes is nearest to each vertex, by the contacts from row ``first`` on.

    now and start (n, 3) m at the end and the start of the substep; shape_of: of the vertices of
    meshes, which are those from row ``led`` on.
    """
    shape, distance = ground.shape, ground.distance
    for i in range(shape.shape[0]):
        shape[i] = NONE
    for n in range(first, count):
        contact = contacts[n]
        corner, weight = contact["corner"], contact["weight"]
        i = corner[0]
        if contact["is_edges"] == 1 or contact["mobility"] == 0.0 or i >= led:
            continue
        if shape[i] != NONE and distance[i] <= contact["distance"]:
            continue
        point, way = ZERO, ZERO
        for c in range(1, 4):
            k = corner[c]
            point = along(point, -weight[c], load(now, k))
            way = along(way, -weight[c], sub(load(now, k), load(start, k)))
        shape[i], distance[i] = shape_of[corner[1] - led], contact["distance"]
        store(ground.out, i, vec(contact["normal"]))
        store(ground.point, i, point)
        store(ground.way, i, way)
