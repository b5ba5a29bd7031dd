"""Contact of any convex shape with a plane: the corners of the face that looks at it."""

from __future__ import annotations

from ..kernels.jit import lean
from ..vec3 import along, between, column, dot, load, plus_dot, scale, vec
from .clip import set_corner
from .kinds import PLANE, SPHERE
from .manifold import one_point, supporting_face, write_chosen
from .support import farthest, load_core


@lean
def plane_contact(solids, p, q, wall, reach, scratch, place):
    """Manifold of shape p and the plane q, or face ``wall`` of the room q; its points, 0 … 4.

    Walls 0 … 5 of a room are those at +x −x +y −y +z −z; a wall goes on beyond the room's edges.
    """
    placed = solids.placed
    o = placed.centre[p]
    normal = column(placed.rotation[q], 2)
    offset = 0.0
    if placed.kind[q] != PLANE:
        axis = wall // 2
        normal = scale(-1.0 if wall % 2 == 0 else 1.0, column(placed.rotation[q], axis))
        offset = -placed.size[q, axis]
    # height of p's centre above the plane
    height = dot(normal, between(placed.centre, q, p)) - offset
    if placed.kind[p] == SPHERE:
        radius = placed.size[p, 0]
        gap = height - radius
        if gap > reach:
            return 0
        return one_point(place, along(vec(o), -radius, normal), gap, normal)
    core = scratch.core
    polygon = scratch.polygon
    faces = scratch.faces
    load_core(core, 0, solids, p, -1, vec(o))
    radius = core.swept[0]["ball"]
    limit = reach + radius
    down = scale(-1.0, normal)
    _, lowest = farthest(core, 0, down)
    if plus_dot(height, normal, lowest) > limit:
        return 0
    count, number, _ = supporting_face(core, 0, solids, p, faces, down)
    found = 0
    for n in range(count):
        corner = load(faces[0], n)
        gap = plus_dot(height, normal, corner)
        if gap <= limit:
            set_corner(polygon, found, corner)
            polygon.label[0, found, 0] = n
            polygon.height[found] = gap
            found += 1
    radii = (radius, 0.0)
    return write_chosen(place, polygon, 0, found, 1, number << 14, normal, radii, o)
