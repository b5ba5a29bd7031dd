"""Triangles that must not pass through each other, in a tree that keeps up with their motion.

The tree is built once, where things stand at rest: neighbours on the cloth stay neighbours. A patch
is a node with a few triangles that hang together. When pairs are looked for, boxes, speeds and
normals of patches and of what stands above them are gathered anew: see `surface_bounds`.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from ..elementary import angles
from ..islands import join
from ..kernels.jit import kernel, lean_inline
from ..pairs import counted_pairs, distinct_pairs
from .tree import build_tree, tree_room, tree_scratch

MOVING_BOX = np.dtype(
    [
        ("lower", np.float64, (3,)),  # m
        ("upper", np.float64, (3,)),
        ("slowest", np.float64, (3,)),  # m a substep, along each axis
        ("fastest", np.float64, (3,)),
    ],
    align=True,
)
"""A box around triangles, and the speeds that these have."""

NORMAL_RANGE = np.dtype([("least", np.float64, (3,)), ("most", np.float64, (3,))], align=True)
"""Unit normals of a triangle in flight, along each axis."""

NORMAL_CONE = np.dtype(
    [
        ("axis", np.float64, (3,)),
        ("cosine", np.float64),  # of the largest angle of a normal with it; of a right one: 0
        ("sine", np.float64),
    ],
    align=True,
)
"""Around what axis normals lie, and how near it."""

SurfaceTree = namedtuple(
    "SurfaceTree",
    [
        "skip",  # (2f,) as in `tree.Tree`
        "leaf",  # (2f,) triangle, -1 for a node with children
        "whole",  # (2f,) 1 where the triangles below hang together, and no notch parts them
        "after",  # (2f,) of a patch: the node after the largest one around it without contacts
        "single",  # (2f,) 1 where all below are single vertices, which do not meet each other
        "alone",  # (p,) object of all of a patch's triangles if it does not meet itself, or -1
        "meets",  # (p,) bits of `CollisionSurface.meets` that any of its vertices has
        "patch",  # (2f,) number of the patch that this node is the root of, -1 for other nodes
        "root",  # (p,) node of each patch
        "upper",  # (u,) nodes above patches, rising
        "near_start",  # (p + 1,) first entry of each patch in `near`
        "near",  # patches that share a vertex with it, and no notch
        "rim_start",  # (p + 1,) first entry of each patch in `rim`
        "rim",  # triangles around it: they share a vertex with it
        "watched",  # (f,) of the triangles whose normals make some patch flat `safe`, ∞ of others
        "calm",  # (1,) the least of these: up to there nobody has to be watched
        "turned",  # (f,) 1 for those that have left their bounds: see `turned_patches`
        "normals",  # (f,) NORMAL_RANGE
        "safe",  # (f,) share of the slack of its corners up to which these keep to that, about
        "cone",  # (2f,) NORMAL_CONE of patches with their rims and of what is above
        "opened",  # (p,) whether what a patch contains is bounded: see `surface_bounds.WANTED`
        "stale",  # (2f,) 1 where pairs of a triangle below are to be looked for
        "bounds",  # (2f,) MOVING_BOX
    ],
)

PATCH_TRIANGLES = 16
"""Triangles of a patch, at most."""

MOST_NOTCHED = 1.75
"""Rad by which the outline turns inwards on what is still taken to be `SurfaceTree.whole`."""

MEETS_OTHERS, MEETS_MESHES, IS_MESH, IS_SKIN, HANGS = 1, 2, 4, 8, 16
"""Bits of a vertex: its surface meets others of its kind; meshes; it is a mesh's that is led from
outside, which meets nothing by itself; a skin's that several bodies carry; it hangs on such bodies,
and lies in their skin or on it as it likes."""

CollisionSurface = namedtuple(
    "CollisionSurface",
    [
        "triangle",  # (f, 3); i j j is a line, i i i a single vertex
        "seam",  # (n,) number of each vertex, the same for those that threads close on each other
        "owned",  # (f,) bits 0–2: corners, 3–5: edges from them on, that are the triangle's own
        "part",  # (n,) object of each vertex; negative: it does not meet itself
        "meets",  # (n,) bits: `MEETS_OTHERS`, `MEETS_MESHES`, `IS_MESH`
        "rest",  # (n, 3) m
        "thickness",  # (n,) m, kept from what is met
        "inverse_mass",  # (n,) 1/kg
    ],
)


@lean_inline
def is_line(triangle, t):
    """Whether a triangle is a line or a single vertex, which have no face."""
    return triangle[t, 1] == triangle[t, 2]


@lean_inline
def do_meet(one, other):
    """Whether two objects with these bits meet."""
    both = one & other & MEETS_OTHERS
    led = (one & MEETS_MESHES) * (other & IS_MESH) + (other & MEETS_MESHES) * (one & IS_MESH)
    return both + led != 0


@lean_inline
def are_in_skin(meets, i, j, k, m):
    """Whether of four vertices one is of a skin, and one hangs on what carries skins."""
    bits = meets[i] | meets[j] | meets[k] | meets[m]
    return bits & IS_SKIN != 0 and bits & HANGS != 0


def owned_features(triangle: Ints) -> Ints:
    """Bits (f,) as in `CollisionSurface.owned`: each vertex and each edge belongs to one triangle.

    (Curtis et al. 2008, "Fast Collision Detection for Deformable Models using
    Representative-Triangles".) So each pair of features is found once.
    """
    count = len(triangle)
    owned = np.zeros(count, dtype=np.int32)
    _, first = np.unique(triangle.reshape(-1), return_index=True)
    np.bitwise_or.at(owned, first // 3, 1 << (first % 3))
    ends = np.stack([triangle, np.roll(triangle, -1, axis=1)], axis=2).reshape(-1, 2)
    edge, first = np.unique(np.sort(ends, axis=1), axis=0, return_index=True)
    first = first[edge[:, 0] < edge[:, 1]]  # lines have two corners in one place
    np.bitwise_or.at(owned, first // 3, 8 << (first % 3))
    return owned


def _outline(triangle: Ints, count: int) -> tuple[Ints, Ints]:
    """How many edges of the outline of triangles (f, 3) each of ``count`` vertices has.

    And the ends (e, 2) of the edges that more than two triangles have.
    """
    ends = np.sort(np.stack([triangle, np.roll(triangle, -1, axis=1)], axis=2).reshape(-1, 2))
    edge, _, triangles = counted_pairs(ends)
    outlines = np.bincount(edge[triangles == 1].reshape(-1), minlength=count)
    return outlines.astype(np.int32), edge[triangles > 2]


def ways_inwards(triangle: Ints, rest: Floats) -> Floats:
    """Unit vectors (n, 3) from the outline of triangles (f, 3) into them, at rest; 0 elsewhere."""
    count, corner = len(rest), rest[triangle]
    into = (corner.mean(axis=1, keepdims=True) - corner).reshape(-1, 3)
    way = np.stack([np.bincount(triangle.reshape(-1), axis, count) for axis in into.T], axis=1)
    size = np.linalg.norm(way, axis=1)
    size[_outline(triangle, count)[0] == 0] = 0.0
    return np.where(size[:, None] > 0.0, way / np.where(size > 0.0, size, 1.0)[:, None], 0.0)


def notches(triangle: Ints, rest: Floats) -> Floats:
    """By how much (n,) rad the outline of triangles (f, 3) turns inwards at each vertex, at rest.

    On both sides of a notch, or a slit, surfaces may meet though all their normals agree, as the
    ribbons of a fringe do. Where outlines meet in one vertex, or three triangles in an edge, or
    lines branch, it is taken for the tip of a slit.
    """
    count, corner = len(rest), rest[triangle]
    one, other = np.roll(corner, -1, axis=1) - corner, np.roll(corner, 1, axis=1) - corner
    sine = np.linalg.norm(np.cross(one, other), axis=2)
    angle = angles(sine.reshape(-1), (one * other).sum(axis=2).reshape(-1))
    around = np.bincount(triangle.reshape(-1), angle, count)
    outlines, branching = _outline(triangle, count)
    notch = np.where(outlines > 0, np.maximum(around - math.pi, 0.0), 0.0)
    notch[outlines > 2] = math.pi
    notch[branching.reshape(-1)] = math.pi
    notch[_branchings(triangle, count)] = math.pi
    return notch


def _branchings(triangle: Ints, count: int) -> NDArray[np.bool_]:
    """Which of ``count`` vertices more than two lines share, or a line and a face."""
    is_face = triangle[:, 1] != triangle[:, 2]
    line = triangle[~is_face & (triangle[:, 0] != triangle[:, 1]), :2]
    lines = np.bincount(line.reshape(-1), minlength=count)
    faces = np.bincount(triangle[is_face].reshape(-1), minlength=count)
    branches: NDArray[np.bool_] = (lines > 2) | ((lines > 0) & (faces > 0))
    return branches


def surface_tree(triangle: Ints, rest: Floats, part: Ints, meets: Ints) -> SurfaceTree:
    """A tree over triangles (f, 3) of the places rest (n, 3) m; its bounds are still empty.

    part, meets (n,): see `CollisionSurface`.
    """
    count = len(triangle)
    tree = tree_room(count)
    corner = rest[triangle]
    build_tree(tree, corner.min(axis=1), corner.max(axis=1), 0, count, tree_scratch(count))
    whole = np.zeros(2 * count, dtype=np.int32)
    notch = notches(triangle, rest)
    _find_whole(tree.skip, tree.leaf, whole, triangle, notch, np.zeros((2, len(rest)), np.int32))
    patch, root, upper = _patches(tree.skip, tree.leaf, whole)
    node_of = _node_of(tree.skip, tree.leaf, count)
    patch_of = (np.searchsorted(root, node_of, side="right") - 1).astype(np.int32)
    held = _held(patch_of, triangle)
    near_start, near = _neighbours(held, len(root), notch)
    rim_start, rim = _rims(held, patch_of, triangle)
    of_nodes = np.zeros((2, 2 * count), np.int32)
    alone, meets_of = _who_meets(patch_of, triangle, part, meets, len(root))
    return SurfaceTree(
        skip=tree.skip,
        leaf=tree.leaf,
        whole=whole,
        after=of_nodes[0],
        single=_nodes_of_singles(tree.skip, tree.leaf, triangle),
        alone=alone,
        meets=meets_of,
        patch=patch,
        root=root,
        upper=upper,
        near_start=near_start,
        near=near,
        rim_start=rim_start,
        rim=rim,
        watched=np.zeros(count),
        calm=np.zeros(1),
        turned=np.zeros(count, dtype=np.int32),
        normals=np.zeros(count, NORMAL_RANGE),
        safe=np.zeros(count),
        cone=np.zeros(2 * count, NORMAL_CONE),
        opened=np.zeros(len(root), dtype=np.int32),
        stale=of_nodes[1],
        bounds=np.zeros(2 * count, MOVING_BOX),
    )


def _who_meets(
    patch_of: Ints, triangle: Ints, part: Ints, meets: Ints, patches: int
) -> tuple[Ints, Ints]:
    """`alone` and `meets` (p,) of patches, which triangles (f, 3) are of by patch_of (f,)."""
    of = -1 - part[triangle[:, 0]]  # below 0 where an object meets itself
    least, most = np.full(patches, np.iinfo(np.int32).max), np.full(patches, -1)
    np.minimum.at(least, patch_of, of)
    np.maximum.at(most, patch_of, of)
    bits = np.zeros(patches, dtype=np.int32)
    for corner in triangle.T:
        np.bitwise_or.at(bits, patch_of, meets[corner])
    return np.where(least == most, most, -1).astype(np.int32), bits


def _nodes_of_singles(skip: Ints, leaf: Ints, triangle: Ints) -> Ints:
    """Nodes (2f,), 1 where all below are single vertices."""
    is_other = np.zeros(len(leaf) + 1, dtype=np.int64)
    of = np.flatnonzero(leaf >= 0)
    is_other[of + 1] = triangle[leaf[of], 0] != triangle[leaf[of], 1]
    before = np.cumsum(is_other)  # of those, in nodes up to each
    return (before[skip] == before[:-1]).astype(np.int32)


def without_bounds(tree: SurfaceTree) -> SurfaceTree:
    """The same tree, whose bounds are gathered apart from those of the first."""
    flat = ("after", "watched", "calm", "turned", "normals", "safe", "cone")
    names = (*flat, "opened", "stale", "bounds")
    return tree._replace(**{name: np.zeros_like(getattr(tree, name)) for name in names})


def _patches(skip: Ints, leaf: Ints, whole: Ints) -> tuple[Ints, Ints, Ints]:
    """Patch (2f,) that each node is the root of, or -1; roots (p,) and nodes above (u,), rising."""
    patch = np.full(len(skip), -1, dtype=np.int32)
    roots: list[int] = []
    upper: list[int] = []
    node, end = 0, 0 if not len(skip) else int(skip[0])
    while node < end:
        leaves = (int(skip[node]) - node + 1) // 2
        if leaf[node] >= 0 or (leaves <= PATCH_TRIANGLES and whole[node]):
            patch[node] = len(roots)
            roots.append(node)
            node = int(skip[node])
        else:
            upper.append(node)
            node += 1
    return patch, np.array(roots, dtype=np.int32), np.array(upper, dtype=np.int32)


def _held(patch_of: Ints, triangle: Ints) -> Ints:
    """Rows of a vertex and a patch (f,) that has it, rising, each once."""
    return distinct_pairs(np.stack([triangle.reshape(-1), np.repeat(patch_of, 3)], axis=1))


def _neighbours(held: Ints, patches: int, notch: Floats) -> tuple[Ints, Ints]:
    """Patches that share a vertex: first entry of each (p + 1,), and their numbers, rising.

    But for those between which a notch may be, as in `_find_whole`.
    """
    notched = np.bincount(held[:, 1], notch[held[:, 0]], patches)
    pairs = []
    ahead = 1
    while ahead < len(held):  # patches around one vertex stand together
        same = held[:-ahead, 0] == held[ahead:, 0]
        if not same.any():
            break
        pairs.append(np.stack([held[:-ahead, 1][same], held[ahead:, 1][same]], axis=1))
        ahead += 1
    both = np.concatenate([*pairs, np.zeros((0, 2), dtype=np.int64)])
    both = both[notched[both[:, 0]] + notched[both[:, 1]] <= MOST_NOTCHED]
    both = distinct_pairs(np.concatenate([both, both[:, ::-1]]))
    start = np.searchsorted(both[:, 0], np.arange(patches + 1))
    return start.astype(np.int32), both[:, 1].astype(np.int32)


def _node_of(skip: Ints, leaf: Ints, count: int) -> Ints:
    """Leaf (f,) that each of ``count`` triangles is."""
    node_of: Ints = np.zeros(count, dtype=np.int32)
    nodes = np.flatnonzero(leaf[: skip[0] if count else 0] >= 0)
    node_of[leaf[nodes]] = nodes
    return node_of


def _rims(held: Ints, patch_of: Ints, triangle: Ints) -> tuple[Ints, Ints]:
    """Triangles around each patch: first entry of each (p + 1,), and their numbers.

    held: see `_held`; patch_of (f,).
    """
    corner = triangle.reshape(-1)
    first = np.searchsorted(held[:, 0], corner, side="left")
    count = np.searchsorted(held[:, 0], corner, side="right") - first
    entry = np.repeat(first - np.cumsum(count) + count, count) + np.arange(count.sum())
    around = np.repeat(np.arange(len(corner)) // 3, count)
    pairs = np.stack([held[entry, 1], around], axis=1)
    pairs = distinct_pairs(pairs[pairs[:, 0] != patch_of[around]])
    start = np.searchsorted(pairs[:, 0], np.arange(patch_of.max(initial=-1) + 2))
    return start.astype(np.int32), pairs[:, 1].astype(np.int32)


@kernel
def _find_whole(skip, leaf, whole, triangle, notch, scratch):
    """Mark nodes whose triangles hang together, with no notch (n,) rad between them.

    scratch (2, n): of union–find, and the node in which each vertex was met last.
    """
    root, met = scratch
    for node in range(2 * triangle.shape[0] - 1):
        end = skip[node]
        notched = 0.0
        for n in range(node, end):
            if leaf[n] < 0:
                continue
            for k in range(3):
                v = triangle[leaf[n], k]
                root[v] = v
                if met[v] != node + 1:
                    met[v] = node + 1
                    notched += notch[v]
        for n in range(node, end):
            if leaf[n] < 0:
                continue
            for k in range(2):
                join(root, triangle[leaf[n], k], triangle[leaf[n], k + 1])
        roots = 0
        for n in range(node, end):
            if leaf[n] < 0:
                continue
            for k in range(3):
                v = triangle[leaf[n], k]
                if root[v] == v:
                    roots += 1
                    root[v] = -1 - v  # counted
        whole[node] = roots == 1 and notched <= MOST_NOTCHED
