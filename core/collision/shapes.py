"""Collision shapes: what they are and where they are."""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ..arrays import Floats
from ..kernels.jit import inline, kernel, lean_inline
from ..model import Model
from ..model.body_table import ShapeTable
from ..vec3 import add, load, rotate, sub, unrotate
from ..vector import rotation_matrix
from .kinds import BOX, CAPSULE, CYLINDER, HULL, MESH, PLANE, ROOM, SPHERE

TURNED_AT_MOST = 1.8
"""Chord of a turn (2 sin of half of it) by the largest change of any of the nine numbers of a
rotation matrix, at most: 1.781 where the turn changes them as evenly as can be."""

Shapes = namedtuple(
    "Shapes",
    [
        "kind",  # (k,) one of the constants above
        # (k, 3) m. box, room: half extents; sphere: radius; capsule, cylinder: radius, half length
        # of the axis along z; hull, mesh: half extents about the shape's origin; plane: nothing,
        # the solid half space is z < 0
        "size",
        "owner",  # (k,) see rigid.owners
        "particle_body",  # (k,) row of the body of particles that carries it, -1 for none
        "offset",  # (k, 3) m, place in the owner's frame
        "turn",  # (k, 3, 3) rotation in the owner's frame
        "friction",  # (k,)
        "static_friction",  # (k,) factor on friction for what stands still
        "restitution",  # (k,)
        "layers",  # (k,) bits; two shapes meet when they share one
        "hull",  # (k,) row of the hull table, -1 for none
        "hull_first_vertex",  # (h + 1,)
        "hull_vertex",  # (v, 3) m, in the frame of the shape
        "hull_first_face",  # (h + 1,)
        "hull_face_first_corner",  # (f + 1,)
        "hull_face_corner",  # (c,) rows of hull_vertex, counter-clockwise seen from outside
        "hull_face_normal",  # (f, 3)
        "hull_face_offset",  # (f,) m, n·x on the face
        "hull_first_edge",  # (h + 1,)
        "hull_edge",  # (e, 4) two rows of hull_vertex, two of faces
        "mesh",  # (k,) row of the mesh table, -1 for none
        "mesh_first_triangle",  # (m + 1,)
        "mesh_triangle",  # (t, 3) rows of mesh_vertex
        "mesh_vertex",  # (v, 3) m, in the frame of the shape
        "mesh_two_sided",  # (m,)
        "pressed",  # (k,) how many shapes press it, as far as contacts are remembered
        "centre",  # (k, 3) m, at the end of the substep as far as is known
        "rotation",  # (k, 3, 3) likewise
        "centre_before",  # (k, 3) m, at its start
        "rotation_before",  # (k, 3, 3)
        "lower",  # (k, 3) m, bounding box of the substep's motion
        "upper",  # (k, 3)
    ],
)


def place_shapes(model: Model) -> Shapes:
    """The model's shapes with room for their poses."""
    table = model.shapes
    count = len(table)
    solid_count = len(model.bodies) + len(model.colliders)
    turn = np.zeros((count, 3, 3))
    for s in range(count):
        turn[s] = rotation_matrix(table.turn[s])
    hulls, meshes = table.hulls, table.meshes
    return Shapes(
        kind=table.kind,
        size=table.size.copy(),
        owner=table.owner,
        particle_body=np.where(table.owner >= solid_count, table.owner - solid_count, -1).astype(
            np.int32
        ),
        offset=table.offset,
        turn=turn,
        friction=table.friction,
        static_friction=table.static_friction,
        restitution=table.restitution,
        layers=table.layers,
        hull=table.hull,
        hull_first_vertex=hulls.first_vertex,
        hull_vertex=hulls.vertex,
        hull_first_face=hulls.first_face,
        hull_face_first_corner=hulls.face_first_corner,
        hull_face_corner=hulls.face_corner,
        hull_face_normal=hulls.face_normal,
        hull_face_offset=hulls.face_offset,
        hull_first_edge=hulls.first_edge,
        hull_edge=hulls.edge,
        mesh=table.mesh,
        mesh_first_triangle=meshes.first_triangle,
        mesh_triangle=meshes.triangle,
        mesh_vertex=meshes.vertex.copy(),
        mesh_two_sided=meshes.two_sided,
        pressed=np.zeros(count, dtype=np.int32),
        centre=np.zeros((count, 3)),
        rotation=np.zeros((count, 3, 3)),
        centre_before=np.zeros((count, 3)),
        rotation_before=np.zeros((count, 3, 3)),
        lower=np.zeros((count, 3)),
        upper=np.zeros((count, 3)),
    )


def smallest_half_extent(table: ShapeTable) -> Floats:
    """Half the least thickness (k,) m of each shape; infinite for planes."""
    size = table.size
    least = size.min(axis=1, initial=np.inf)
    least = np.where(np.isin(table.kind, (SPHERE, CAPSULE)), size[:, 0], least)
    least = np.where(table.kind == CYLINDER, size[:, :2].min(axis=1, initial=np.inf), least)
    return np.where(np.isin(table.kind, (PLANE, ROOM)), np.inf, least)


def largest_radius(table: ShapeTable) -> Floats:
    """Radius (k,) m of the ball around each shape's own origin that holds it; 0 for planes."""
    size = table.size
    radius = np.linalg.norm(size, axis=1)
    radius = np.where(table.kind == CAPSULE, size[:, 0] + size[:, 1], radius)
    return np.where(table.kind == PLANE, 0.0, radius)


def at_start(shapes: Shapes) -> Shapes:
    """The same shapes where they are at the start of the substep: a view, nothing is copied."""
    return shapes._replace(centre=shapes.centre_before, rotation=shapes.rotation_before)


@inline
def half_extent(kind, size, r, k):
    """Half the size along world axis k of the shape's bounding box; infinite for plane and room."""
    if kind in (BOX, HULL, MESH):
        return abs(r[k, 0]) * size[0] + abs(r[k, 1]) * size[1] + abs(r[k, 2]) * size[2]
    if kind == SPHERE:
        return size[0]
    if kind == CAPSULE:
        return abs(r[k, 2]) * size[1] + size[0]
    if kind == CYLINDER:
        side = max(0.0, 1.0 - r[k, 2] * r[k, 2])
        return abs(r[k, 2]) * size[1] + size[0] * math.sqrt(side)
    return math.inf


@inline
def place(centre, rotation, s, owners, o, offset, turn):
    """Pose of shape s from position and rotation of its owner o."""
    r = owners.rotation[o]
    for i in range(3):
        centre[s, i] = owners.position[o, i]
        for j in range(3):
            centre[s, i] += r[i, j] * offset[j]
            rotation[s, i, j] = r[i, 0] * turn[0, j] + r[i, 1] * turn[1, j] + r[i, 2] * turn[2, j]


@kernel
def move_shapes(shapes, owners, ahead, room):
    """Pose all shapes for one substep and bound their motion in it.

    owners: where they are at the start of the substep; ahead: where they get to by its end;
    room (k,) m: how much wider the bounds are.
    """
    for s in range(shapes.kind.shape[0]):
        o = shapes.owner[s]
        offset = shapes.offset[s]
        turn = shapes.turn[s]
        place(shapes.centre_before, shapes.rotation_before, s, owners, o, offset, turn)
        place(shapes.centre, shapes.rotation, s, ahead, o, offset, turn)
        for k in range(3):
            now = half_extent(shapes.kind[s], shapes.size[s], shapes.rotation[s], k)
            then = half_extent(shapes.kind[s], shapes.size[s], shapes.rotation_before[s], k)
            low = min(shapes.centre[s, k] - now, shapes.centre_before[s, k] - then)
            high = max(shapes.centre[s, k] + now, shapes.centre_before[s, k] + then)
            shapes.lower[s, k] = low - room[s]
            shapes.upper[s, k] = high + room[s]


@lean_inline
def way_by_turning(shapes, s):
    """How far m any place of shape s gets by its turn in this substep, at most.

    The sum of its half extents is a bound of how far from the centre that lies.
    """
    change, extent = 0.0, 0.0
    for k in range(3):
        extent += shapes.size[s, k]
        for m in range(3):
            change = max(change, abs(shapes.rotation[s, k, m] - shapes.rotation_before[s, k, m]))
    return TURNED_AT_MOST * change * extent


@inline
def place_before(shapes, s, point):
    """Where a place of shape s at the end of the step was at its start."""
    local = unrotate(shapes.rotation[s], sub(point, load(shapes.centre, s)))
    return add(rotate(shapes.rotation_before[s], local), load(shapes.centre_before, s))


@inline
def passes_by(shapes, s, x, previous, i, reach):
    """Whether particle i's step, ``reach`` wide, stays clear of the box around shape s."""
    for k in range(3):
        if max(x[i, k], previous[i, k]) + reach < shapes.lower[s, k]:
            return True
        if min(x[i, k], previous[i, k]) - reach > shapes.upper[s, k]:
            return True
    return False


@inline
def face_count(kind):
    """How many separate surfaces `solid_distance` knows of: the six walls of a room, else one."""
    return 6 if kind == ROOM else 1
