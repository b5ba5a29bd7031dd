"""Contact of any convex shape with a plane: the corners of the face that looks at it."""

from __future__ import annotations

from ..kernels.jit import lean
from .clip import set_corner
from .kinds import PLANE, SPHERE
from .manifold import one_point, supporting_face, write_chosen
from .support import farthest, load_core


@lean
def plane_contact(placed, hulls, meshes, p, q, wall, reach, scratch, manifolds, m, flip):
    """Manifold m of shape p and the plane q, or face ``wall`` of the room q; its points, 0 … 4.

    Walls 0 … 5 of a room are those at +x −x +y −y +z −z; a wall goes on beyond the room's edges.
    """
    r = placed.rotation
    o = placed.centre[p]
    nx, ny, nz = r[q, 0, 2], r[q, 1, 2], r[q, 2, 2]
    offset = 0.0
    if placed.kind[q] != PLANE:
        axis = wall // 2
        sign = -1.0 if wall % 2 == 0 else 1.0
        nx, ny, nz = sign * r[q, 0, axis], sign * r[q, 1, axis], sign * r[q, 2, axis]
        offset = -placed.size[q, axis]
    # height of p's centre above the plane
    height = (
        nx * (o[0] - placed.centre[q, 0])
        + ny * (o[1] - placed.centre[q, 1])
        + nz * (o[2] - placed.centre[q, 2])
        - offset
    )
    if placed.kind[p] == SPHERE:
        radius = placed.size[p, 0]
        gap = height - radius
        if gap > reach:
            return 0
        return one_point(
            manifolds,
            m,
            flip,
            o[0] - radius * nx,
            o[1] - radius * ny,
            o[2] - radius * nz,
            gap,
            nx,
            ny,
            nz,
        )
    core = scratch.core
    polygon = scratch.polygon
    faces = scratch.faces
    load_core(core, 0, placed, hulls, meshes, p, -1, o[0], o[1], o[2])
    radius = core.about[0, 0]
    limit = reach + radius
    _, x, y, z = farthest(core, 0, -nx, -ny, -nz)
    lowest = height + nx * x + ny * y + nz * z
    if lowest > limit:
        return 0
    count, number, _, _, _ = supporting_face(core, 0, placed, hulls, p, faces, -nx, -ny, -nz)
    found = 0
    for n in range(count):
        x, y, z = faces[0, n, 0], faces[0, n, 1], faces[0, n, 2]
        gap = height + nx * x + ny * y + nz * z
        if gap <= limit:
            set_corner(polygon, found, x, y, z)
            polygon.label[0, found, 0] = n
            polygon.height[found] = gap
            found += 1
    return write_chosen(
        manifolds, m, flip, polygon, 0, found, 1, number << 14, nx, ny, nz, radius, 0.0, o
    )
