"""Narrow phase: where two shapes that may touch do, and in which points.

Every item of the broad phase gets a manifold of up to four points. Cheap pairs have their own
code (balls, capsules, boxes, planes); all others share GJK, the expanding polytope and clipping.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ..kernels.jit import inline, kernel
from .ball_contact import ball_ball, ball_contact
from .box_pair import box_pair
from .capsule_pair import capsule_contact
from .clip import MOST_FACE_CORNERS, POLYGON_ROOM, Polygon
from .convex_contact import convex_contact
from .gjk import Simplex
from .kinds import BOX, CAPSULE, MESH, PLANE, ROOM, SPHERE
from .manifold import Place
from .penetration import MOST_POLYTOPE_CORNERS, MOST_POLYTOPE_FACES, Polytope
from .plane_contact import plane_contact
from .support import SWEPT_BY, Core, Hulls, Meshes, Placed, ShapeParts

SCRATCHES = 1
"""Parts into which the items are dealt, each with scratch memory of its own. Just one: the kernel
compiled for several threads kept old point counts where it should have written 0."""

NarrowPhaseScratch = namedtuple(
    "NarrowPhaseScratch",
    [  # all (SCRATCHES, …); flat, for parallel loops take no tuples of tuples
        "core_points",
        "core_count",
        "core_swept",
        "spot",
        "on_a",
        "index",
        "weight",
        "face",
        "plane",
        "edge",
        "faces",
        "corner",
        "label",
        "height",
        "chosen",
    ],
)
Slot = namedtuple(
    "Slot",
    [
        "core",  # the two shapes of a pair
        "polytope",
        "faces",  # (2, MOST_FACE_CORNERS, 3) m, their faces that look at each other
        "polygon",
    ],
)


def narrow_phase_scratch(most_vertices: int) -> NarrowPhaseScratch:
    """Scratch memory for `narrow_phase`; ``most_vertices`` of any hull among the shapes."""
    return NarrowPhaseScratch(
        np.zeros((SCRATCHES, 2, max(8, most_vertices), 3)),
        np.zeros((SCRATCHES, 2), dtype=np.int64),
        np.zeros((SCRATCHES, 2), SWEPT_BY),
        np.zeros((SCRATCHES, MOST_POLYTOPE_CORNERS, 3)),
        np.zeros((SCRATCHES, MOST_POLYTOPE_CORNERS, 3)),
        np.zeros((SCRATCHES, MOST_POLYTOPE_CORNERS), dtype=np.int64),
        np.zeros((SCRATCHES, 4)),
        np.zeros((SCRATCHES, MOST_POLYTOPE_FACES, 3), dtype=np.int64),
        np.zeros((SCRATCHES, MOST_POLYTOPE_FACES, 4)),
        np.zeros((SCRATCHES, 3 * MOST_POLYTOPE_FACES, 2), dtype=np.int64),
        np.zeros((SCRATCHES, 2, MOST_FACE_CORNERS, 3)),
        np.zeros((SCRATCHES, 2, POLYGON_ROOM, 3)),
        np.zeros((SCRATCHES, 2, POLYGON_ROOM, 2), dtype=np.int64),
        np.zeros((SCRATCHES, POLYGON_ROOM)),
        np.zeros((SCRATCHES, 4), dtype=np.int64),
    )


@inline
def slot_of(scratch, n):
    """The part of the scratch memory that belongs to slot n."""
    simplex = Simplex(scratch.spot[n], scratch.on_a[n], scratch.index[n], scratch.weight[n])
    return Slot(
        Core(scratch.core_points[n], scratch.core_count[n], scratch.core_swept[n]),
        Polytope(simplex, scratch.face[n], scratch.plane[n], scratch.edge[n]),
        scratch.faces[n],
        Polygon(scratch.corner[n], scratch.label[n], scratch.height[n], scratch.chosen[n]),
    )


@inline
def parts_of(shapes):
    """`Shapes` as the functions of the narrow phase take them: (Placed, Hulls, Meshes)."""
    placed = Placed(shapes.kind, shapes.size, shapes.centre, shapes.rotation)
    hulls = Hulls(
        shapes.hull,
        shapes.hull_first_vertex,
        shapes.hull_vertex,
        shapes.hull_first_face,
        shapes.hull_face_first_corner,
        shapes.hull_face_corner,
        shapes.hull_face_normal,
        shapes.hull_face_offset,
    )
    meshes = Meshes(
        shapes.mesh,
        shapes.mesh_first_triangle,
        shapes.mesh_triangle,
        shapes.mesh_vertex,
        shapes.mesh_two_sided,
    )
    return placed, hulls, meshes


@inline
def _is_turned(kind_a, kind_b):
    """Whether two kinds change places: each pair has one order, so both ways give the same."""
    return (
        kind_b != PLANE
        and kind_b != ROOM
        and kind_b != MESH
        and kind_a != SPHERE
        and (kind_b == SPHERE or kind_a > kind_b)
    )


@kernel
def narrow_phase(item, item_count, shapes, reach, edges, manifolds, scratch):
    """Write the manifold of each of the first ``item_count`` rows of item (m,) `ITEM`.

    The first shape is any convex one, the second one any. There are no points where the gap is
    larger than reach (m,) ≥ 0 m. edges from `mesh_edges` of shapes.mesh_triangle; scratch from
    `narrow_phase_scratch`.
    """
    for slot in range(SCRATCHES):
        own = slot_of(scratch, slot)
        placed, hulls, meshes = parts_of(shapes)
        solids = ShapeParts(placed, hulls, meshes, edges)
        for m in range(slot, item_count, SCRATCHES):
            a = np.int64(item[m]["shape"][0])
            b = np.int64(item[m]["shape"][1])
            sub = np.int64(item[m]["sub_shape"])
            room = reach[m]
            flip = _is_turned(shapes.kind[a], shapes.kind[b])
            p, q = (b, a) if flip else (a, b)
            place = Place(manifolds, m, flip)
            kind_p = shapes.kind[p]
            kind_q = shapes.kind[q]
            manifolds.count[m] = 0
            if kind_p in (PLANE, ROOM, MESH):
                continue  # nothing that could be pushed out
            if kind_q in (PLANE, ROOM):
                plane_contact(solids, p, q, sub, room, own, place)
            elif kind_p == SPHERE and kind_q == SPHERE:
                ball_ball(placed, p, q, room, place)
            elif kind_p == SPHERE:
                ball_contact(solids, p, q, sub, room, own.core, place)
            elif kind_p == CAPSULE and kind_q == CAPSULE:
                capsule_contact(placed, p, q, room, own.faces, place)
            else:
                found = -1
                if kind_p == BOX and kind_q == BOX:
                    found = box_pair(placed, p, q, room, own, place)
                if found < 0:
                    convex_contact(solids, p, q, sub, room, own, place)
