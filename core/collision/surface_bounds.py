"""Boxes, speeds and normals of surfaces in a tree, gathered anew when pairs are looked for.

* Only patches and what stands above them are bounded for all. What lies inside a patch is looked
  into for a few: these are opened, see `open_patches`.
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
* Lines: a path whose directions lie within such a cone gets on along its axis, and does not meet
  itself either. They stand for normals; where lines branch nothing is flat.
* Corners leave that flight. Up to some share of what they may stray this can turn no normal out of
  the cone; beyond it, triangles are watched: see `turned_patches`.
"""

from __future__ import annotations

import math

from ..arrays import Floats, Ints
from ..kernels.jit import kernel, lean_inline, parallel_kernel, prange
from ..vec3 import ZERO, add, between, cross, dot, length, load, norm1, scale, set_vec, sub
from .axis_boxes import highest, lowest, widened
from .surface_tree import SurfaceTree, is_line

LEAST_COSINE = 0.3
"""Cosine of the angle that the bounds of a patch's normals may have with its axis, so also how far
a normal may leave its bounds before a patch that was flat may be so no longer."""

WANTED, OPENED = 1, 2
"""Of `SurfaceTree.opened`: what lies inside is asked for; it is bounded."""

TWICE_LARGEST = 2.6
"""Twice the largest area of a triangle in a circle, in squares of its radius: 3√3/2."""

MOST_MOVED = 0.296
"""Share of its length by which the end of a vector may move for its direction to move by no more
than `LEAST_COSINE`: sin(2 asin(.15))."""

HARDLY_TURNED = 0.1
"""Share of its length by which a normal may move in flight to be bounded as if it strayed."""


@lean_inline
def _corner_bounds(triangle, t, x):
    """Lowest and highest of the corners of a triangle, of places or speeds x (n, 3)."""
    a, b, c = load(x, triangle[t, 0]), load(x, triangle[t, 1]), load(x, triangle[t, 2])
    return lowest(a, lowest(b, c)), highest(a, highest(b, c))


@lean_inline
def _write(box, low, high, slow, fast):
    """Write a `MOVING_BOX`."""
    set_vec(box["lower"], low)
    set_vec(box["upper"], high)
    set_vec(box["slowest"], slow)
    set_vec(box["fastest"], fast)


@lean_inline
def _triangle_bounds(triangle, t, moving):
    """Box of a triangle with the room around it, lowest and highest speed, whether it is stale."""
    x, speed, room, stale = moving
    a, b, c = triangle[t, 0], triangle[t, 1], triangle[t, 2]
    away = max(room[a], max(room[b], room[c]))
    low, high = _corner_bounds(triangle, t, x)
    slow, fast = _corner_bounds(triangle, t, speed)
    low, high = widened(low, high, away)
    return low, high, slow, fast, stale[a] | stale[b] | stale[c]


@lean_inline
def _bound_patch(tree, p, triangle, moving):
    """Box and speeds of a patch, which is shut."""
    root = tree.root[p]
    low = slow = math.inf, math.inf, math.inf
    high = fast = -math.inf, -math.inf, -math.inf
    any_stale = 0
    for node in range(root, tree.skip[root]):
        t = tree.leaf[node]
        if t < 0:
            continue
        lower, upper, slower, faster, is_stale = _triangle_bounds(triangle, t, moving)
        low, high = lowest(low, lower), highest(high, upper)
        slow, fast = lowest(slow, slower), highest(fast, faster)
        any_stale |= is_stale
    _write(tree.bounds[root], low, high, slow, fast)
    tree.stale[root] = any_stale
    tree.opened[p] = 0


@lean_inline
def _bound_by_children(tree, node):
    """Box and speeds of a node by those of its two children, and whether anything is stale."""
    other = tree.skip[node + 1]
    a, b = tree.bounds[node + 1], tree.bounds[other]
    low, high = lowest(a["lower"], b["lower"]), highest(a["upper"], b["upper"])
    slow, fast = lowest(a["slowest"], b["slowest"]), highest(a["fastest"], b["fastest"])
    _write(tree.bounds[node], low, high, slow, fast)
    tree.stale[node] = tree.stale[node + 1] | tree.stale[other]


@parallel_kernel
def _bound_patches(tree, triangle, x, speed, room, stale):
    moving = (x, speed, room, stale)
    for p in prange(tree.root.shape[0]):
        _bound_patch(tree, p, triangle, moving)


@kernel
def _bound_upper_boxes(tree):
    for n in range(tree.upper.shape[0] - 1, -1, -1):
        _bound_by_children(tree, tree.upper[n])


def gather_boxes(
    tree: SurfaceTree,
    triangle: Ints,
    x: Floats,
    speed: Floats,
    room: Floats,
    stale: Ints,
    threads: int = 1,
) -> None:
    """Boxes of patches at x (n, 3) m and their speeds (n, 3) m a substep, and of what is above.

    room (n,) m: how much wider the boxes are around each vertex. stale (n,): 1 for vertices whose
    pairs are to be looked for.
    """
    _bound_patches.on(threads)(tree, triangle, x, speed, room, stale)
    _bound_upper_boxes(tree)


@lean_inline
def _open_patch(tree, p, triangle, moving):
    """Boxes and speeds of all that lies inside a patch."""
    root = tree.root[p]
    for node in range(tree.skip[root] - 1, root, -1):
        t = tree.leaf[node]
        if t < 0:
            _bound_by_children(tree, node)
            continue
        low, high, slow, fast, is_stale = _triangle_bounds(triangle, t, moving)
        _write(tree.bounds[node], low, high, slow, fast)
        tree.stale[node] = is_stale
    tree.opened[p] = OPENED


@parallel_kernel
def open_patches(tree, triangle, x, speed, room, stale):
    """Open the patches that are wanted; see `gather_boxes`."""
    moving = (x, speed, room, stale)
    for p in prange(tree.root.shape[0]):
        if tree.opened[p] == WANTED:
            _open_patch(tree, p, triangle, moving)


@lean_inline
def want_patch(tree, p):
    """Ask for what lies inside a patch; who asks at the same time writes the same."""
    if tree.opened[p] == 0:
        tree.opened[p] = WANTED


@parallel_kernel
def _bound_all_normals(tree, triangle, x, speed, slack, horizon):
    flight = (x, speed, slack)
    for p in prange(tree.root.shape[0]):
        _bound_own_normals(tree, p, triangle, flight, horizon)


@parallel_kernel
def _find_flat_patches(tree):
    for p in prange(tree.root.shape[0]):
        _bound_patch_normals(tree, p)


@lean_inline
def bound_upper_normals(tree):
    """Cones of what stands above patches, and where these begin to look for their partners."""
    for n in range(tree.upper.shape[0] - 1, -1, -1):
        _bound_cone_of_children(tree, tree.upper[n])
    _find_flat_ends(tree)
    tree.calm[0] = math.inf
    for t in range(tree.watched.shape[0]):
        tree.calm[0] = min(tree.calm[0], tree.watched[t])


@kernel
def _bound_upper_normals(tree):
    bound_upper_normals(tree)


def gather_normals(
    tree: SurfaceTree,
    triangle: Ints,
    x: Floats,
    speed: Floats,
    slack: Floats,
    horizon: float,
    threads: int = 1,
) -> None:
    """Normals of patches and of what is above, for a flight of ``horizon`` substeps.

    slack (n,) m: how far vertices may stray from it. They say which patches nobody looks into until
    they are gathered again: see `turned_patches`.
    """
    _bound_all_normals.on(threads)(tree, triangle, x, speed, slack, horizon)
    _find_flat_patches.on(threads)(tree)
    _bound_upper_normals(tree)


@lean_inline
def _bound_own_normals(tree, p, triangle, flight, horizon):
    """Unit normals of a patch's triangles along their flight, and how safe it is that they keep it.

    Strays move a normal by no more than that times the circumference, and by what three strays span
    between them. Three sides are at most the root of three times the sum of their squares. A normal
    in flight has at least the length that all control points have along the first.
    """
    x, speed, slack = flight
    root = tree.root[p]
    for node in range(root, tree.skip[root]):
        t = tree.leaf[node]
        if t < 0:
            continue
        tree.watched[t] = math.inf
        a, b, c = triangle[t, 0], triangle[t, 1], triangle[t, 2]
        stray = max(slack[a], max(slack[b], slack[c]))
        ab, ac = between(x, a, b), between(x, a, c)
        turn_b = scale(horizon, between(speed, a, b))
        if is_line(triangle, t):
            tree.safe[t] = _bound_direction(tree.normals[t], ab, turn_b, stray)
            continue
        turn_c = scale(horizon, between(speed, a, c))
        end_b, end_c = add(ab, turn_b), add(ac, turn_c)
        normal = cross(ab, ac)
        size = length(normal)
        least, sides = size, max(_sides(ab, ac), _sides(end_b, end_c))
        moved = norm1(add(cross(ab, turn_c), cross(turn_b, ac))) + norm1(cross(turn_b, turn_c))
        _bound_normal(tree.normals[t], normal, True)
        if moved > HARDLY_TURNED * size:
            moved = 0.0
            last, mixed = cross(end_b, end_c), add(cross(ab, end_c), cross(end_b, ac))
            _bound_normal(tree.normals[t], mixed, False)
            _bound_normal(tree.normals[t], last, False)
            along = min(0.5 * dot(normal, mixed), dot(normal, last))
            least = min(size, along / size if size > 0.0 else 0.0)
        around = math.sqrt(3.0 * sides)  # m, what three sides are at most
        more = stray * around + TWICE_LARGEST * stray * stray
        tree.safe[t] = _safe_share(least, moved, more)


@lean_inline
def _bound_direction(bounds, way, turn, stray):
    """Direction of a line in flight, in place of a normal; returns how safe it is that it keeps.

    A path whose directions all lie within a cone gets on along its axis: like a flat patch, it does
    not meet itself. way m: from its first end to the second; turn m: by how much that changes.
    """
    size, moved = length(way), length(turn)
    least = size
    _bound_normal(bounds, way, True)
    if moved > HARDLY_TURNED * size:
        moved = 0.0
        end = add(way, turn)
        _bound_normal(bounds, end, False)
        least = min(size, dot(way, end) / size if size > 0.0 else 0.0)
    return _safe_share(least, moved, 2.0 * stray)


@lean_inline
def _safe_share(least, moved, more):
    """Share of what corners may stray, at most 1, up to which a normal keeps to its bounds.

    As near as `LEAST_COSINE`; less than 0 if it might not though nobody strays. How long it is at
    least, how far it moves in flight, and by how much more if they stray: all m², of lines m.
    """
    spare = MOST_MOVED * least - moved
    if spare <= 0.0:
        return -1.0
    return spare / more if spare < more else 1.0


@lean_inline
def _bound_normal(bounds, normal, is_first):
    """Take a normal into the bounds of those of a triangle."""
    size = length(normal)
    low = high = scale(1.0 / size if size > 0.0 else 0.0, normal)
    if not is_first:
        low, high = lowest(low, bounds["least"]), highest(high, bounds["most"])
    set_vec(bounds["least"], low)
    set_vec(bounds["most"], high)


@lean_inline
def _sides(ab, ac):
    """Sum of the squares of a triangle's sides, m²."""
    bc = sub(ac, ab)
    return dot(ab, ab) + dot(ac, ac) + dot(bc, bc)


@lean_inline
def _bound_patch_normals(tree, p):
    """The cone of the normals of a patch with its rim; if it is flat, these have to keep to it."""
    root = tree.root[p]
    axis = ZERO
    for node in range(root, tree.skip[root]):
        if tree.leaf[node] >= 0:
            axis = _added_normals(axis, tree.normals[tree.leaf[node]])
    for n in range(tree.rim_start[p], tree.rim_start[p + 1]):
        axis = _added_normals(axis, tree.normals[tree.rim[n]])
    size = length(axis)
    axis = scale(1.0 / size if size > 0.0 else 0.0, axis)
    cosine = 1.0
    for node in range(root, tree.skip[root]):
        if tree.leaf[node] >= 0:
            cosine = min(cosine, _least_along(axis, tree.normals[tree.leaf[node]]))
    for n in range(tree.rim_start[p], tree.rim_start[p + 1]):
        cosine = min(cosine, _least_along(axis, tree.normals[tree.rim[n]]))
    _write_cone(tree.cone[root], axis, cosine)
    if cosine >= LEAST_COSINE:
        watch_flat_patch(tree, p)


@lean_inline
def watch_flat_patch(tree, p):
    """Watch the triangles of a patch that is flat, and those around it."""
    root = tree.root[p]
    for node in range(root, tree.skip[root]):
        if tree.leaf[node] >= 0:
            _watch(tree, tree.leaf[node])
    for n in range(tree.rim_start[p], tree.rim_start[p + 1]):
        _watch(tree, tree.rim[n])


@lean_inline
def facing(x, triangle, t):
    """A vector along a triangle's normal, m², or along a line, m."""
    a, b, c = triangle[t, 0], triangle[t, 1], triangle[t, 2]
    ab = between(x, a, b)
    return ab if is_line(triangle, t) else cross(ab, between(x, a, c))


@lean_inline
def _added_normals(axis, bounds):
    """A vector with those in the middle of a triangle's bounds added twice."""
    return add(add(axis, bounds["least"]), bounds["most"])


@lean_inline
def _least_along(axis, bounds):
    """The least product of an axis with what the bounds of a triangle's normals hold."""
    least = 0.0
    for k in range(3):
        least += min(axis[k] * bounds["least"][k], axis[k] * bounds["most"][k])
    return least


@lean_inline
def _watch(tree, t):
    """Watch a triangle of a flat patch; who does so at the same time writes the same."""
    tree.watched[t] = tree.safe[t]


@lean_inline
def _write_cone(cone, axis, cosine):
    """Note around what axis a node's normals lie, and how near it; nothing wider than a half."""
    set_vec(cone["axis"], axis)
    cone["cosine"] = max(cosine, 0.0)
    cone["sine"] = math.sqrt(1.0 - min(max(cosine, 0.0), 1.0) ** 2)


@lean_inline
def _joint_cosine(one, other):
    """Cosine of half the opening of a cone around two, whose axis lies between theirs; else ≤ 0."""
    along = dot(one["axis"], other["axis"])
    cosine, sine = math.sqrt(max(0.5 + 0.5 * along, 0.0)), math.sqrt(max(0.5 - 0.5 * along, 0.0))
    return min(
        one["cosine"] * cosine - one["sine"] * sine,
        other["cosine"] * cosine - other["sine"] * sine,
    )


@lean_inline
def _bound_cone_of_children(tree, node):
    """The cone of a node by those of its two children."""
    one, other = tree.cone[node + 1], tree.cone[tree.skip[node + 1]]
    axis = add(one["axis"], other["axis"])
    size = length(axis)
    axis = scale(1.0 / size if size > 0.0 else 0.0, axis)
    _write_cone(tree.cone[node], axis, _joint_cosine(one, other))


@lean_inline
def are_flat(tree, one, other):
    """Whether what lies below two nodes is flat together, and stays so or is watched."""
    return _joint_cosine(tree.cone[one], tree.cone[other]) >= LEAST_COSINE


@lean_inline
def _find_flat_ends(tree):
    """Write `after` for the roots of patches, which look for partners from there on."""
    node, end = 0, tree.skip[0]
    flat_until = 0
    while node < end:
        if node >= flat_until and tree.whole[node] == 1 and are_flat(tree, node, node):
            flat_until = tree.skip[node]
        if tree.patch[node] >= 0:
            tree.after[node] = flat_until if node < flat_until else node
            node = tree.skip[node]
        else:
            node += 1
