"""Triangles that must not pass through each other, in a tree that keeps up with their motion.

The tree is built once, where things stand at rest: neighbours on the cloth stay neighbours. When
pairs are looked for, boxes, speeds and normals of all nodes are gathered anew, from the leaves up.

* Speeds: two nodes are near only if their boxes come near each other with the speeds that their
  triangles have, so that layers which fly together are told from layers that meet.
* Normals: a connected patch whose normals all lie within a cone does not touch itself (Volino &
  Magnenat-Thalmann 1994, "Efficient Self-Collision Detection on Smoothly Discretized Surface
  Animations using Geometrical Shape Regularity"). A flat sheet is one such patch: looking for its
  contacts with itself costs one comparison. What lies around it must be flat with it: where a
  triangle beside it turns over, its rim may close like a fan that is shut, and the patch go through
  itself though all its normals agree. Normals are bounded for all of a straight flight: while
  corners fly from a, b, c to a', b', c', the normal is a Bézier curve with the control points
  (b − a) × (c − a), half the sum of both mixed products, and (b' − a') × (c' − a').
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ..arrays import Floats, Ints
from ..kernels.jit import kernel, lean_inline
from ..pairs import distinct_pairs
from ..vec3 import add, between, cross, length, scale
from .tree import build_tree, tree_room, tree_scratch

LEAST_COSINE = 0.2
"""Cosine of the angle that the bounds of a patch's normals may have with its axis, so also how far
a normal may leave its bounds before a patch that was flat may be so no longer."""

LOWER, UPPER, SLOWEST, FASTEST, LEAST_NORMAL, MOST_NORMAL = range(0, 18, 3)
"""Columns of `SurfaceTree.bounds`."""

SurfaceTree = namedtuple(
    "SurfaceTree",
    [
        "skip",  # (2f,) as in `tree.Tree`
        "leaf",  # (2f,) triangle, -1 for a node with children
        "whole",  # (2f,) 1 where the triangles below hang together by their vertices
        "after",  # (2f,) of a patch: the node after the largest one around it without contacts
        "patch",  # (2f,) number of the patch that this node is the root of, -1 for other nodes
        "root",  # (p,) node of each patch
        "near_start",  # (p + 1,) first entry of each patch in `near`
        "near",  # patches that share a vertex with it
        "rim_start",  # (p + 1,) first entry of each patch in `rim`
        "rim",  # nodes of the triangles around it: they share a vertex with it
        "counted",  # (2f,) 1 for a triangle whose normals make some patch flat
        "normals",  # (2f, 6) least and most of the unit normals of a triangle alone
        "stale",  # (2f,) 1 where pairs of a triangle below are to be looked for
        "bounds",  # (2f, 18) see `LOWER`; m, m a substep, and normals of patches with their rims
    ],
)

PATCH = 16
"""Triangles of a patch, at most."""

MEETS_OTHERS, MEETS_MESHES, IS_MESH = 1, 2, 4
"""Bits of a vertex: its surface meets others of its kind; meshes; it is a mesh's that is led from
outside, which meets nothing by itself."""

Surface = namedtuple(
    "Surface",
    [
        "triangle",  # (f, 3)
        "owned",  # (f,) bits 0–2: corners, 3–5: edges from them on, that are the triangle's own
        "part",  # (n,) object of each vertex; negative: it does not meet itself
        "meets",  # (n,) bits: `MEETS_OTHERS`, `MEETS_MESHES`, `IS_MESH`
        "rest",  # (n, 3) m
        "thickness",  # (n,) m, kept from what is met
        "inverse_mass",  # (n,) 1/kg
    ],
)


@lean_inline
def do_meet(one, other):
    """Whether two objects with these bits meet."""
    both = one & other & MEETS_OTHERS
    led = (one & MEETS_MESHES) * (other & IS_MESH) + (other & MEETS_MESHES) * (one & IS_MESH)
    return both + led != 0


def owned_features(triangle: Ints) -> Ints:
    """Bits (f,) as in `Surface.owned`: each vertex and each edge belongs to one triangle.

    (Curtis et al. 2008, "Fast Collision Detection for Deformable Models using
    Representative-Triangles".) So each pair of features is found once.
    """
    count = len(triangle)
    owned = np.zeros(count, dtype=np.int32)
    _, first = np.unique(triangle.reshape(-1), return_index=True)
    np.bitwise_or.at(owned, first // 3, 1 << (first % 3))
    ends = np.stack([triangle, np.roll(triangle, -1, axis=1)], axis=2).reshape(-1, 2)
    _, first = np.unique(np.sort(ends, axis=1), axis=0, return_index=True)
    np.bitwise_or.at(owned, first // 3, 8 << (first % 3))
    return owned


def surface_tree(triangle: Ints, rest: Floats) -> SurfaceTree:
    """A tree over triangles (f, 3) of the places rest (n, 3) m; its bounds are still empty."""
    count = len(triangle)
    tree = tree_room(count)
    corner = rest[triangle]
    build_tree(tree, corner.min(axis=1), corner.max(axis=1), 0, count, tree_scratch(count))
    whole = np.zeros(2 * count, dtype=np.int32)
    _find_whole(tree.skip, tree.leaf, whole, triangle, np.zeros(len(rest), dtype=np.int32))
    patch, root = _patches(tree.skip, tree.leaf, whole)
    node_of = _node_of(tree.skip, tree.leaf, count)
    patch_of = (np.searchsorted(root, node_of, side="right") - 1).astype(np.int32)
    held = _held(patch_of, triangle)
    near_start, near = _neighbours(held, len(root))
    rim_start, rim = _rims(held, patch_of, node_of, triangle)
    return SurfaceTree(
        tree.skip,
        tree.leaf,
        whole,
        np.zeros(2 * count, dtype=np.int32),
        patch,
        root,
        near_start,
        near,
        rim_start,
        rim,
        np.zeros(2 * count, dtype=np.int32),
        np.zeros((2 * count, 6)),
        np.zeros(2 * count, dtype=np.int32),
        np.zeros((2 * count, 18)),
    )


def without_bounds(tree: SurfaceTree) -> SurfaceTree:
    """The same tree, whose bounds are gathered apart from those of the first."""
    gathered = ("after", "counted", "normals", "stale", "bounds")
    return tree._replace(**{name: np.zeros_like(getattr(tree, name)) for name in gathered})


def _patches(skip: Ints, leaf: Ints, whole: Ints) -> tuple[Ints, Ints]:
    """Patch (2f,) that each node is the root of, or -1, and roots (p,): in the order of nodes."""
    patch = np.full(len(skip), -1, dtype=np.int32)
    roots: list[int] = []
    node, end = 0, 0 if not len(skip) else int(skip[0])
    while node < end:
        leaves = (int(skip[node]) - node + 1) // 2
        if leaf[node] >= 0 or (leaves <= PATCH and whole[node]):
            patch[node] = len(roots)
            roots.append(node)
            node = int(skip[node])
        else:
            node += 1
    return patch, np.array(roots, dtype=np.int32)


def _held(patch_of: Ints, triangle: Ints) -> Ints:
    """Rows of a vertex and a patch (f,) that has it, rising, each once."""
    return distinct_pairs(np.stack([triangle.reshape(-1), np.repeat(patch_of, 3)], axis=1))


def _neighbours(held: Ints, patches: int) -> tuple[Ints, Ints]:
    """Patches that share a vertex: first entry of each (p + 1,), and their numbers, rising."""
    pairs = []
    ahead = 1
    while ahead < len(held):  # patches around one vertex stand together
        same = held[:-ahead, 0] == held[ahead:, 0]
        if not same.any():
            break
        pairs.append(np.stack([held[:-ahead, 1][same], held[ahead:, 1][same]], axis=1))
        ahead += 1
    both = np.concatenate([*pairs, np.zeros((0, 2), dtype=np.int64)])
    both = distinct_pairs(np.concatenate([both, both[:, ::-1]]))
    start = np.searchsorted(both[:, 0], np.arange(patches + 1))
    return start.astype(np.int32), both[:, 1].astype(np.int32)


def _node_of(skip: Ints, leaf: Ints, count: int) -> Ints:
    """Leaf (f,) that each of ``count`` triangles is."""
    node_of: Ints = np.zeros(count, dtype=np.int32)
    nodes = np.flatnonzero(leaf[: skip[0] if count else 0] >= 0)
    node_of[leaf[nodes]] = nodes
    return node_of


def _rims(held: Ints, patch_of: Ints, node_of: Ints, triangle: Ints) -> tuple[Ints, Ints]:
    """Leaves around each patch: first entry of each (p + 1,), and their nodes.

    held: see `_held`; patch_of (f,); node_of (f,).
    """
    corner = triangle.reshape(-1)
    first = np.searchsorted(held[:, 0], corner, side="left")
    count = np.searchsorted(held[:, 0], corner, side="right") - first
    entry = np.repeat(first - np.cumsum(count) + count, count) + np.arange(count.sum())
    around = np.repeat(np.arange(len(corner)) // 3, count)
    pairs = np.stack([held[entry, 1], around], axis=1)
    pairs = distinct_pairs(pairs[pairs[:, 0] != patch_of[around]])
    start = np.searchsorted(pairs[:, 0], np.arange(patch_of.max(initial=-1) + 2))
    return start.astype(np.int32), node_of[pairs[:, 1]]


@kernel
def _find_whole(skip, leaf, whole, triangle, root):
    """Mark nodes whose triangles hang together; root (n,) is scratch of union–find."""
    for node in range(2 * triangle.shape[0] - 1):
        end = skip[node]
        for n in range(node, end):
            if leaf[n] >= 0:
                for k in range(3):
                    v = triangle[leaf[n], k]
                    root[v] = v
        for n in range(node, end):
            if leaf[n] < 0:
                continue
            for k in range(2):
                a, b = triangle[leaf[n], k], triangle[leaf[n], k + 1]
                while root[a] != a:
                    root[a] = root[root[a]]
                    a = root[a]
                while root[b] != b:
                    root[b] = root[root[b]]
                    b = root[b]
                root[max(a, b)] = min(a, b)
        roots = 0
        for n in range(node, end):
            if leaf[n] < 0:
                continue
            for k in range(3):
                v = triangle[leaf[n], k]
                if root[v] == v:
                    roots += 1
                    root[v] = -1 - v  # counted
        whole[node] = roots == 1


@lean_inline
def _bound_normals(normals, node, ab, ac, turn_b, turn_c):
    """Bounds of the unit normals of a triangle with sides that go from ab, ac to these and turn."""
    end_b, end_c = add(ab, turn_b), add(ac, turn_c)
    mixed = add(cross(ab, end_c), cross(end_b, ac))
    for n in range(3):
        normal = cross(ab, ac) if n == 0 else (mixed if n == 1 else cross(end_b, end_c))
        size = length(normal)
        f = 1.0 / size if size > 0.0 else 0.0
        for k in range(3):
            low = high = f * normal[k]
            if n > 0:
                low = min(low, normals[node, k])
                high = max(high, normals[node, 3 + k])
            normals[node, k] = low
            normals[node, 3 + k] = high


@lean_inline
def _bound_children(bounds, node, other, low, high):
    """Bounds of a node by those of its two children, of which ``other`` is the second."""
    child = node + 1
    for k in range(3):
        bounds[node, low + k] = min(bounds[child, low + k], bounds[other, low + k])
        bounds[node, high + k] = max(bounds[child, high + k], bounds[other, high + k])


@lean_inline
def _bound_triangle(tree, node, triangle, t, x, speed, room, stale):
    """Box and speeds of a leaf."""
    bounds = tree.bounds
    a, b, c = triangle[t, 0], triangle[t, 1], triangle[t, 2]
    tree.stale[node] = stale[a] | stale[b] | stale[c]
    away = max(room[a], max(room[b], room[c]))
    for k in range(3):
        bounds[node, LOWER + k] = min(x[a, k], min(x[b, k], x[c, k])) - away
        bounds[node, UPPER + k] = max(x[a, k], max(x[b, k], x[c, k])) + away
        bounds[node, SLOWEST + k] = min(speed[a, k], min(speed[b, k], speed[c, k]))
        bounds[node, FASTEST + k] = max(speed[a, k], max(speed[b, k], speed[c, k]))


@kernel
def gather_bounds(tree, triangle, x, speed, room, stale, horizon):
    """Boxes and speeds as `gather_boxes` does, and normals, of all triangles.

    horizon: substeps ahead for which normals are bounded. They say which patches nobody looks into
    until they are gathered again: see `count_turned`.
    """
    _gather_boxes(tree, triangle, x, speed, room, stale)
    for node in range(tree.skip[0]):
        t = tree.leaf[node]
        tree.counted[node] = 0
        if t < 0:
            continue
        a, b, c = triangle[t, 0], triangle[t, 1], triangle[t, 2]
        turn_b = scale(horizon, between(speed, a, b))
        turn_c = scale(horizon, between(speed, a, c))
        _bound_normals(tree.normals, node, between(x, a, b), between(x, a, c), turn_b, turn_c)
    _gather_normals(tree)
    _find_patches(tree, tree.skip[0])


@lean_inline
def _widen_normals(tree, node, leaf):
    """Widen the bounds of a patch's normals by those of a triangle."""
    bounds, normals = tree.bounds, tree.normals
    for k in range(3):
        bounds[node, LEAST_NORMAL + k] = min(bounds[node, LEAST_NORMAL + k], normals[leaf, k])
        bounds[node, MOST_NORMAL + k] = max(bounds[node, MOST_NORMAL + k], normals[leaf, 3 + k])


@lean_inline
def _gather_normals(tree):
    """Normals of patches with their rims, and of the nodes above; which triangles count for any."""
    for node in range(tree.skip[0] - 1, -1, -1):
        p = tree.patch[node]
        if p < 0:
            if tree.leaf[node] < 0:  # below a patch that is of no meaning, and of no harm
                other = tree.skip[node + 1]
                _bound_children(tree.bounds, node, other, LEAST_NORMAL, MOST_NORMAL)
            continue
        for k in range(3):
            tree.bounds[node, LEAST_NORMAL + k] = 1.0
            tree.bounds[node, MOST_NORMAL + k] = -1.0
        for leaf in range(node, tree.skip[node]):
            if tree.leaf[leaf] >= 0:
                _widen_normals(tree, node, leaf)
        for n in range(tree.rim_start[p], tree.rim_start[p + 1]):
            _widen_normals(tree, node, tree.rim[n])
        if are_flat(tree.bounds, node, node):
            for leaf in range(node, tree.skip[node]):
                tree.counted[leaf] = tree.leaf[leaf] >= 0
            for n in range(tree.rim_start[p], tree.rim_start[p + 1]):
                tree.counted[tree.rim[n]] = 1


@kernel
def gather_boxes(tree, triangle, x, speed, room, stale):
    """Boxes of triangles at x (n, 3) m and their speeds (n, 3) m a substep, upwards.

    room (n,) m: how much wider the boxes are around each vertex. stale (n,): 1 for vertices whose
    pairs are to be looked for.
    """
    _gather_boxes(tree, triangle, x, speed, room, stale)


@lean_inline
def _gather_boxes(tree, triangle, x, speed, room, stale):
    """See `gather_boxes`."""
    bounds = tree.bounds
    for node in range(tree.skip[0] - 1, -1, -1):
        t = tree.leaf[node]
        if t < 0:
            other = tree.skip[node + 1]
            _bound_children(bounds, node, other, LOWER, UPPER)
            _bound_children(bounds, node, other, SLOWEST, FASTEST)
            tree.stale[node] = tree.stale[node + 1] | tree.stale[other]
            continue
        _bound_triangle(tree, node, triangle, t, x, speed, room, stale)


@lean_inline
def _has_turned(normals, node, normal):
    """Whether a normal has left its bounds too far to be that of a flat patch still."""
    size = length(normal)
    away = 0.0
    for k in range(3):
        low = size * normals[node, k] - normal[k]
        high = normal[k] - size * normals[node, 3 + k]
        out = max(0.0, max(low, high))
        away += out * out
    return away >= LEAST_COSINE * LEAST_COSINE * size * size


@kernel
def count_turned(tree, triangle, x):
    """How many triangles have turned at x (n, 3) m by more than keeps a patch flat."""
    turned = 0
    for node in range(tree.skip[0]):
        if tree.counted[node] == 0:
            continue
        t = tree.leaf[node]
        a, b, c = triangle[t, 0], triangle[t, 1], triangle[t, 2]
        normal = cross(between(x, a, b), between(x, a, c))
        turned += _has_turned(tree.normals, node, normal)
    return turned


@lean_inline
def are_flat(bounds, one, other):
    """Whether the normals below two nodes lie in a cone around the middle of their bounds."""
    reach = 0.0
    size = 0.0
    for k in range(LEAST_NORMAL, LEAST_NORMAL + 3):
        low = min(bounds[one, k], bounds[other, k])
        high = max(bounds[one, k + 3], bounds[other, k + 3])
        axis = low + high
        size += axis * axis
        reach += axis * (low if axis > 0.0 else high)
    return reach > 0.0 and reach * reach > LEAST_COSINE * LEAST_COSINE * size


@lean_inline
def are_neighbours(tree, p, q):
    """Whether two patches share a vertex."""
    found = False
    for n in range(tree.near_start[p], tree.near_start[p + 1]):
        found = found or tree.near[n] == q
    return found


@lean_inline
def _find_patches(tree, end):
    """Write `after` for the roots of patches, which look for partners from there on."""
    node = 0
    flat_until = 0
    while node < end:
        if node >= flat_until and tree.whole[node] == 1 and are_flat(tree.bounds, node, node):
            flat_until = tree.skip[node]
        if tree.patch[node] >= 0:
            tree.after[node] = flat_until if node < flat_until else node
            node = tree.skip[node]
        else:
            node += 1
