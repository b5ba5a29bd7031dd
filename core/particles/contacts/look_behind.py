"""What is behind a vertex of cloth that something presses: what it lies on and nothing moves.

That is a collider, or a body that only its animation moves.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ...arrays import NONE
from ...collision.contact_law import joint_friction
from ...collision.kinds import MESH
from ...collision.narrow_phase import parts_of
from ...collision.point_distance import solid_distance
from ...collision.shapes import Shapes, face_count, passes_by, place_before
from ...kernels.jit import lean_inline
from ...model import Model
from ...model.body_table import PASSIVE
from ...vec3 import ZERO, dot, load, rotate, store, sub, unrotate
from .mesh_ground import BACKED_GAP, MeshGround

OPPOSITE = 0.5
"""Cosine between a push and the way into what backs the vertex, from which it does."""


Grounds = namedtuple(
    "Grounds",
    [
        "shapes",
        "row",  # (g,) of the shapes of colliders, and of bodies that only their animation moves
        "radius",  # (n,) m that vertices keep away
        "mesh",  # what of meshes is next to vertices of cloth, see `MeshGround`
    ],
)
"""What vertices may lie on."""

Backed = namedtuple(
    "Backed",
    [
        "shape",  # (n,) that a vertex lies on, or `NONE`
        "gap",  # (n,) m, between the two
        "out",  # (n, 3) unit, out of it
        "friction",  # (n,) of the two
        "moved",  # (n, 3) m, how far what it lies on has moved besides as its shape does
        "barred",  # (n, 3) unit, along which contacts that it is not backed in leave it alone, or 0
    ],
)
"""What is found of vertices that bodies press on."""


def grounds_of(model: Model, shapes: Shapes, mesh: MeshGround) -> Grounds:
    """All that vertices may lie on and nothing moves; shapes: where they are."""
    table = model.shapes
    is_passive = np.zeros(model.owner_count + 1, dtype=bool)
    is_passive[: len(model.bodies)] = model.bodies.follows == PASSIVE
    is_ground = is_passive[table.owner]
    is_ground[: model.collider_shape_count] = True
    row = np.flatnonzero(is_ground).astype(np.int32)
    return Grounds(shapes, row, model.particles.radius, mesh)


def backed_room(count: int) -> Backed:
    """Room for so many vertices, of which none lies on anything."""
    gap, friction = np.zeros((2, count))
    out, moved, barred = (np.zeros((count, 3)) for _ in range(3))
    return Backed(np.full(count, NONE, dtype=np.int32), gap, out, friction, moved, barred)


@lean_inline
def _mesh_behind(i, s, x, grounds):
    """Gap (m) to mesh s of vertex i of cloth, at both ends of the substep; way out; `Backed.moved`.

    Infinite where another is nearer, or none.
    """
    shapes, mesh, radius = grounds.shapes, grounds.mesh, grounds.radius[i]
    if i >= mesh.shape.shape[0] or mesh.shape[i] != s:
        return math.inf, 0.0, ZERO, ZERO
    out, point = load(mesh.out, i), load(mesh.point, i)
    gap = dot(sub(load(x, i), point), out) - radius
    carried = sub(point, place_before(shapes, s, point))
    return gap, mesh.distance[i] - radius, out, sub(load(mesh.way, i), carried)


@lean_inline
def solid_behind(i, s, face, x, previous, grounds):
    """`_mesh_behind` of a shape that has an inside."""
    shapes, radius = grounds.shapes, grounds.radius[i]
    _, hulls, _ = parts_of(shapes)
    kind, size, hull, r = shapes.kind[s], shapes.size[s], shapes.hull[s], shapes.rotation[s]
    p = unrotate(r, sub(load(x, i), load(shapes.centre, s)))
    o = unrotate(shapes.rotation_before[s], sub(load(previous, i), load(shapes.centre_before, s)))
    gap, out = solid_distance(hulls, kind, size, hull, face, p, o, radius)
    if gap > BACKED_GAP * radius:
        return gap, 0.0, ZERO, ZERO
    was, _ = solid_distance(hulls, kind, size, hull, face, o, o, radius)
    return gap, was, rotate(r, out), ZERO


@lean_inline
def look_behind(i, x, previous, friction, grounds, backed):
    """Write to ``backed`` the collider that vertex i lies on, its shape or `NONE`, and return that.

    One that was in it already lies on nothing: to be laid on it would be a leap.
    """
    shapes, radius = grounds.shapes, grounds.radius[i]
    backed.shape[i] = NONE
    for s in grounds.row:
        is_mesh = shapes.kind[s] == MESH
        if not is_mesh and passes_by(shapes, s, x, previous, i, (1.0 + BACKED_GAP) * radius):
            continue
        for face in range(face_count(shapes.kind[s])):
            if is_mesh:
                gap, was, out, moved = _mesh_behind(i, s, x, grounds)
            else:
                gap, was, out, moved = solid_behind(i, s, face, x, previous, grounds)
            if gap <= BACKED_GAP * radius and was >= -BACKED_GAP * radius:
                backed.shape[i], backed.gap[i] = s, gap
                backed.friction[i] = joint_friction(friction[i], shapes.friction[s])
                store(backed.out, i, out)
                store(backed.moved, i, moved)
                return s
    return NONE
