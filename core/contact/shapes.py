"""Collision shapes: what they are, where they are, and how far a point is from them."""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ..bodies import pose_of
from ..jit import inline, kernel
from ..model import Model
from ..vector import unrotate, write_rotation

PLANE, BOX, ROOM, SPHERE, CAPSULE = range(5)
KINDS = {"PLANE": PLANE, "BOX": BOX, "ROOM": ROOM, "SPHERE": SPHERE, "CAPSULE": CAPSULE}

Shapes = namedtuple(
    "Shapes",
    [
        "kind",  # (k,) one of the constants above
        # (k, 3) m. box, room: half extents; sphere: radius; capsule: radius, half length along z;
        # plane: nothing, the solid half space is z < 0
        "size",
        "body",  # (k,) index of the rigid body, -1 for a collider
        "friction",  # (k,)
        "restitution",  # (k,)
        "centre",  # (k, 3) m, now
        "rotation",  # (k, 3, 3) now
        "centre_before",  # (k, 3) m, one substep ago
        "rotation_before",  # (k, 3, 3)
        "lower",  # (k, 3) m, bounding box of the substep's motion
        "upper",  # (k, 3)
    ],
)


def place_shapes(model: Model) -> Shapes:
    """The model's shapes with room for their poses."""
    count = len(model.shape_kind)
    return Shapes(
        model.shape_kind,
        model.shape_size,
        model.shape_body,
        model.shape_friction,
        model.shape_restitution,
        np.zeros((count, 3)),
        np.zeros((count, 3, 3)),
        np.zeros((count, 3)),
        np.zeros((count, 3, 3)),
        np.zeros((count, 3)),
        np.zeros((count, 3)),
    )


@inline
def _interpolate_pose(x0, q0, x1, q1, share, centre, r):
    """Pose between two poses: straight line and normalised quaternion blend."""
    for k in range(3):
        centre[k] = x0[k] + share * (x1[k] - x0[k])
    dot = q0[0] * q1[0] + q0[1] * q1[1] + q0[2] * q1[2] + q0[3] * q1[3]
    t = share if dot >= 0.0 else -share
    w = (1.0 - share) * q0[0] + t * q1[0]
    x = (1.0 - share) * q0[1] + t * q1[1]
    y = (1.0 - share) * q0[2] + t * q1[2]
    z = (1.0 - share) * q0[3] + t * q1[3]
    size = math.sqrt(w * w + x * x + y * y + z * z)
    write_rotation(r, w / size, x / size, y / size, z / size)


@inline
def half_extent(kind, size, r, k):
    """Half the size along world axis k of the shape's bounding box; infinite for plane and room."""
    if kind == BOX:
        return abs(r[k, 0]) * size[0] + abs(r[k, 1]) * size[1] + abs(r[k, 2]) * size[2]
    if kind == SPHERE:
        return size[0]
    if kind == CAPSULE:
        return abs(r[k, 2]) * size[1] + size[0]
    return math.inf


@kernel
def move_shapes(
    shapes, x, previous, first_particle, extent, start_x, start_q, end_x, end_q, share, share_before
):
    """Pose all shapes for one substep and bound their motion in it.

    Colliders stand between (start_x, start_q) and (end_x, end_q) at ``share`` of the frame;
    bodies where their particles are. x, previous (n, 3).
    """
    for s in range(shapes.kind.shape[0]):
        body = shapes.body[s]
        if body < 0:
            _interpolate_pose(
                start_x[s],
                start_q[s],
                end_x[s],
                end_q[s],
                share_before,
                shapes.centre_before[s],
                shapes.rotation_before[s],
            )
            _interpolate_pose(
                start_x[s],
                start_q[s],
                end_x[s],
                end_q[s],
                share,
                shapes.centre[s],
                shapes.rotation[s],
            )
        else:
            first = first_particle[body]
            pose_of(
                previous, first, extent[body], shapes.centre_before[s], shapes.rotation_before[s]
            )
            pose_of(x, first, extent[body], shapes.centre[s], shapes.rotation[s])
        for k in range(3):
            now = half_extent(shapes.kind[s], shapes.size[s], shapes.rotation[s], k)
            then = half_extent(shapes.kind[s], shapes.size[s], shapes.rotation_before[s], k)
            shapes.lower[s, k] = min(shapes.centre[s, k] - now, shapes.centre_before[s, k] - then)
            shapes.upper[s, k] = max(shapes.centre[s, k] + now, shapes.centre_before[s, k] + then)


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
def _through_box(px, py, pz, ox, oy, oz, hx, hy, hz):
    """Face of a box (0..5 = +x −x +y −y +z −z) by which the path o → p came in, -1 if it did not.

    Slab test; a path that starts inside has no entry.
    """
    face = -1
    enter = 0.0
    leave = 1.0
    for k in range(3):
        if k == 0:
            o, d, h = ox, px - ox, hx
        elif k == 1:
            o, d, h = oy, py - oy, hy
        else:
            o, d, h = oz, pz - oz, hz
        if d == 0.0:
            if abs(o) >= h:
                return -1
            continue
        near = (-h - o) / d
        far = (h - o) / d
        entry = 2 * k + 1
        if near > far:
            near, far = far, near
            entry = 2 * k
        if near >= enter and (near > enter or face < 0) and abs(o) >= h:
            enter = near
            face = entry
        leave = min(leave, far)
    return face if enter <= leave else -1


@inline
def face_count(kind):
    """How many separate surfaces `distance` knows of: the six walls of a room, else one."""
    return 6 if kind == ROOM else 1


@inline
def _face_normal(face):
    sign = 1.0 if face % 2 == 0 else -1.0
    axis = face // 2
    return (
        sign if axis == 0 else 0.0,
        sign if axis == 1 else 0.0,
        sign if axis == 2 else 0.0,
    )


@inline
def distance(kind, size, face, px, py, pz, ox, oy, oz, radius):
    """Signed distance of a ball of ``radius`` around p from a shape, and the way out.

    p in the shape's frame, o where p was one step ago: a ball that crossed a thin box in one step
    is sent back through the face by which it came in. Returns (distance, nx, ny, nz).
    """
    if kind == PLANE:
        return pz - radius, 0.0, 0.0, 1.0
    if kind == ROOM:
        nx, ny, nz = _face_normal(face)
        wall = abs(nx) * size[0] + abs(ny) * size[1] + abs(nz) * size[2]
        return wall - radius - (nx * px + ny * py + nz * pz), -nx, -ny, -nz
    if kind == BOX:
        hx = size[0] + radius
        hy = size[1] + radius
        hz = size[2] + radius
        entry = _through_box(px, py, pz, ox, oy, oz, hx, hy, hz)
        if entry >= 0:
            nx, ny, nz = _face_normal(entry)
            wall = abs(nx) * hx + abs(ny) * hy + abs(nz) * hz
            return nx * px + ny * py + nz * pz - wall, nx, ny, nz
        dx = abs(px) - size[0]
        dy = abs(py) - size[1]
        dz = abs(pz) - size[2]
        if dx <= 0.0 and dy <= 0.0 and dz <= 0.0:
            if dx >= dy and dx >= dz:
                return dx - radius, math.copysign(1.0, px), 0.0, 0.0
            if dy >= dz:
                return dy - radius, 0.0, math.copysign(1.0, py), 0.0
            return dz - radius, 0.0, 0.0, math.copysign(1.0, pz)
        nx = math.copysign(max(dx, 0.0), px)
        ny = math.copysign(max(dy, 0.0), py)
        nz = math.copysign(max(dz, 0.0), pz)
        gap = math.sqrt(nx * nx + ny * ny + nz * nz)
        return gap - radius, nx / gap, ny / gap, nz / gap
    along = 0.0
    if kind == CAPSULE:
        along = min(max(pz, -size[1]), size[1])
    dz = pz - along
    gap = math.sqrt(px * px + py * py + dz * dz)
    if gap == 0.0:  # dead centre: any way out is as short, take a fixed one
        return -size[0] - radius, 1.0, 0.0, 0.0
    return gap - size[0] - radius, px / gap, py / gap, dz / gap


@kernel
def deepest_particle(x, colliding, shapes, collider_count):
    """Deepest penetration in m of any particle's centre into a collider, 0 when none is inside."""
    deepest = 0.0
    for j in range(colliding.shape[0]):
        i = colliding[j]
        for s in range(collider_count):
            r = shapes.rotation[s]
            px, py, pz = unrotate(
                r,
                x[i, 0] - shapes.centre[s, 0],
                x[i, 1] - shapes.centre[s, 1],
                x[i, 2] - shapes.centre[s, 2],
            )
            for face in range(face_count(shapes.kind[s])):
                gap, _, _, _ = distance(
                    shapes.kind[s], shapes.size[s], face, px, py, pz, px, py, pz, 0.0
                )
                deepest = max(deepest, -gap)
    return deepest
