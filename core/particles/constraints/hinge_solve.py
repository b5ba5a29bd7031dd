"""The solution of all hinges of an object together: conjugate gradients, four numbers at once.

What is of one hinge alone, its angle, gradients and softness, is computed for four hinges at once.
What goes from hinges to vertices and back cannot be, for neighbours share vertices; there the
numbers are the three coordinates of a vertex, and a fourth that says nothing there.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ...elementary import atan2
from ...kernels.jit import kernel, lean_inline
from ...kernels.lanes import LANES, any_of, lane, pack, put, root, select, size_of, take
from ...vec3 import along, cross, dot, load, move, scale, sub

THINNEST_TRIANGLE = 1e-6
"""A triangle lower than this many lengths of the hinge's edge has no direction to bend in."""

MOST_GRADIENT_ROUNDS = 200
"""Of conjugate gradients, in one pass."""

HINGE_SETTLED = 1e-4
"""Rounds end when the error is this share of what it was."""

LARGEST_CHANGE = 0.5
"""Rad a step beyond which the gradient one step ago says nothing about now."""

HINGES = np.dtype(
    [
        # rows of `HingeBends.vertex`: the edge's ends, both corners, and the second of each corner
        ("vertex", np.int32, (6, LANES)),
        # of the second ones in their corner; 0: a corner is one vertex
        ("share", np.float64, (2, LANES)),
        ("rest_angle", np.float64, (LANES,)),  # rad, 0 = flat
        # A/(D |e|²) of the triangles with the first and the second corner, 1/(N m)
        ("compliance", np.float64, (2, LANES)),
        ("is_split", np.int32),  # whether any corner is two vertices
    ],
    align=True,
)
"""Four hinges. One that only fills up has zeros, and so three corners in one point."""

Begins = namedtuple(
    "Begins",
    [
        "is_first",  # whether multipliers begin at 0
        "known",  # from how many substeps before they are known, for a guess
    ],
)

SOLUTION = np.dtype(
    [
        ("multiplier", np.float64, (LANES,)),  # λ, carried from pass to pass
        ("earlier", np.float64, (LANES,)),  # λ of the substep before
        # of each hinge and both sides of it: minus the gradient of the angle by the corner there,
        # 1/m, and how far along the edge the foot of that corner lies, in edge lengths
        ("gradient", np.float64, (LANES, 2, LANES)),
        ("residual", np.float64, (LANES,)),
        ("direction", np.float64, (LANES,)),
        ("weight", np.float64, (LANES,)),  # 1 over the diagonal of the matrix
        ("softness", np.float64, (LANES,)),  # α̃
        ("product", np.float64, (LANES,)),  # of matrix and direction
    ],
    align=True,
)


@lean_inline
def _total(a):
    """The sum of the four lanes."""
    return (lane(a, 0) + lane(a, 1)) + (lane(a, 2) + lane(a, 3))


@lean_inline
def _columns(a, b, c, d):
    """First, second, third and fourth numbers of four lanes: rows of four vertices turned."""
    return (
        pack(lane(a, 0), lane(b, 0), lane(c, 0), lane(d, 0)),
        pack(lane(a, 1), lane(b, 1), lane(c, 1), lane(d, 1)),
        pack(lane(a, 2), lane(b, 2), lane(c, 2), lane(d, 2)),
        pack(lane(a, 3), lane(b, 3), lane(c, 3), lane(d, 3)),
    )


@lean_inline
def _at(place, row):
    """Places of a vertex of each hinge, and its inverse mass, from place (q, 4)."""
    x, y, z, w = _columns(
        take(place[np.uint32(row[0])]),
        take(place[np.uint32(row[1])]),
        take(place[np.uint32(row[2])]),
        take(place[np.uint32(row[3])]),
    )
    return (x, y, z), w


@lean_inline
def _corner(place, four, side):
    """A corner between two vertices, and the inverse mass that a push on it meets."""
    row, share = four["vertex"], take(four["share"][side])
    a, wa = _at(place, row[2 + side])
    if four["is_split"]:
        b, wb = _at(place, row[4 + side])
        rest = 1.0 - share
        return along(scale(rest, a), share, b), rest * rest * wa + share * share * wb
    return a, wa


@lean_inline
def _corners(place, four):
    """Where the ends of the edge and both corners are, and their inverse masses."""
    row = four["vertex"]
    p, wp = _at(place, row[0])
    q, wq = _at(place, row[1])
    a, wa = _corner(place, four, 0)
    b, wb = _corner(place, four, 1)
    return (p, q, a, b), (wp, wq, wa, wb)


@lean_inline
def _normals(corners):
    """Edge e and the two triangles' normals of the length of twice their areas."""
    p, q, a, b = corners
    e = sub(q, p)
    # (p − a) × (q − a) = (p − a) × e and (q − b) × (p − b) = e × (p − b)
    return e, cross(sub(p, a), e), cross(e, sub(p, b))


@lean_inline
def _direction(corners):
    """Sine and cosine of θ, both times the same number; those of 0 where a triangle has no size."""
    p, _, _, b = corners
    e, u, v = _normals(corners)
    # (u × v) · e/|e| = |e| (p − b) · u, for v = e × (p − b) and u · e = 0
    sine, cosine = root(dot(e, e)) * dot(sub(p, b), u), dot(u, v)
    return sine, select((sine == 0.0) & (cosine == 0.0), 1.0, cosine)


@lean_inline
def _angle_between(before, now):
    """From one direction to another, rad, −π to π."""
    sine, cosine = before
    return atan2(cosine * now[0] - sine * now[1], cosine * now[1] + sine * now[0])


@lean_inline
def _wrapped(angle):
    """The same angle, −2π to 2π, between −π and π."""
    less = select(angle >= math.pi, angle - 2.0 * math.pi, angle)
    return select(angle < -math.pi, angle + 2.0 * math.pi, less)


@lean_inline
def _gradients(corners):
    """Minus ∂θ/∂a and ∂θ/∂b, the feet of both corners, and where a triangle has no size.

    The angle does not change where all move or turn together, so that with feet f and f′
    ∂θ/∂q = f u + f′ v and ∂θ/∂p = (1 − f) u + (1 − f′) v.
    """
    p, _, a, b = corners
    e, u, v = _normals(corners)
    ee, uu, vv = dot(e, e), dot(u, u), dot(v, v)
    least = THINNEST_TRIANGLE * THINNEST_TRIANGLE * ee * ee
    is_flat = (ee <= 0.0) | (uu <= least) | (vv <= least)
    size = select(is_flat, 0.0, root(ee))
    # how far along the edge the feet of a and b lie, from p, in edge lengths
    ee = select(is_flat, 1.0, ee)
    feet = dot(sub(a, p), e) / ee, dot(sub(b, p), e) / ee
    u = scale(size / select(is_flat, 1.0, uu), u)
    v = scale(size / select(is_flat, 1.0, vv), v)
    return (u, v, feet), is_flat


@lean_inline
def _either(mask, a, b):
    """Of two sets of gradients, hinge by hinge."""
    feet = select(mask, a[2][0], b[2][0]), select(mask, a[2][1], b[2][1])
    return _either_vector(mask, a[0], b[0]), _either_vector(mask, a[1], b[1]), feet


@lean_inline
def _either_vector(mask, a, b):
    return select(mask, a[0], b[0]), select(mask, a[1], b[1]), select(mask, a[2], b[2])


@lean_inline
def _stiffness(gradients, mass):
    """G W Gᵀ of each hinge alone."""
    u, v, feet = gradients
    at_p = along(scale(1.0 - feet[0], u), 1.0 - feet[1], v)
    at_q = along(scale(feet[0], u), feet[1], v)
    ends = mass[0] * dot(at_p, at_p) + mass[1] * dot(at_q, at_q)
    return ends + mass[2] * dot(u, u) + mass[3] * dot(v, v)


@lean_inline
def _store_side(gradient, side, v, foot):
    """Turn the gradients of four hinges by one corner into a row of each."""
    rows = _columns(v[0], v[1], v[2], foot)
    put(gradient[0, side], rows[0])
    put(gradient[1, side], rows[1])
    put(gradient[2, side], rows[2])
    put(gradient[3, side], rows[3])


@lean_inline
def _set_up(was, now, four, per_step, begins, row):
    """Gradients, residual and diagonal of four hinges; returns their shares of what is to solve.

    begins: see `project_hinges`. The directions lead to the guess.
    """
    is_first, known = begins
    before, mass = _corners(was, four)
    after, _ = _corners(now, four)
    direction = _direction(before)
    change = _angle_between(direction, _direction(after))
    # through the last step's angle, so that a fold of 180° does not snap to the other side
    error = _wrapped(atan2(direction[0], direction[1]) - take(four["rest_angle"])) + change
    gradients, is_flat = _gradients(before)
    is_other = is_flat | (size_of(change) > LARGEST_CHANGE)
    if any_of(is_other):
        other, _ = _gradients(after)
        gradients = _either(is_other, other, gradients)
    _store_side(row["gradient"], 0, gradients[0], gradients[2][0])
    _store_side(row["gradient"], 1, gradients[1], gradients[2][1])
    total = _stiffness(gradients, mass)
    soft = _free_compliance(four["compliance"], mass) * per_step
    moves = total > 0.0  # else it is pinned, or without size
    weight = 1.0 / select(moves, total + soft, 1.0)
    last, earlier = take(row["multiplier"]), take(row["earlier"])
    guess = select(known > 1, last + (last - earlier), select(known > 0, last, 0.0))
    multiplier = select(is_first, 0.0, last)
    residual = select(moves, -(error + soft * multiplier), 0.0)
    put(row["multiplier"], multiplier)
    put(row["softness"], soft)
    put(row["weight"], weight)
    put(row["residual"], residual)
    put(row["earlier"], select(is_first, last, earlier))
    put(row["direction"], select(moves, guess, 0.0))
    return residual * (residual * weight)


@lean_inline
def _free_compliance(compliance, mass):
    """That of the triangles of which any corner moves."""
    edge = mass[0] + mass[1]
    first = select(edge + mass[2] > 0.0, take(compliance[0]), 0.0)
    return first + select(edge + mass[3] > 0.0, take(compliance[1]), 0.0)


@lean_inline
def _push(pushed, i, v):
    """Add v to row i of pushed (q, 4)."""
    place = pushed[np.uint32(i)]
    put(place, take(place) + v)


@lean_inline
def _push_corner(four, side, k, pushed, v):
    """Take v from the corner of hinge k on one side, by their shares where it is two vertices."""
    vertex, share = four["vertex"], four["share"][side, k]
    if share == 0.0:
        _push(pushed, vertex[2 + side, k], -v)
    else:
        _push(pushed, vertex[2 + side, k], (share - 1.0) * v)
        _push(pushed, vertex[4 + side, k], -share * v)


@lean_inline
def _add_pushed(four, row, pushed):
    """Add Gᵀ of the directions of four hinges to pushed (q, 4)."""
    vertex = four["vertex"]
    for k in range(LANES):
        amount, gradient = row["direction"][k], row["gradient"][k]
        u, v = amount * take(gradient[0]), amount * take(gradient[1])
        at_q = gradient[0, 3] * u + gradient[1, 3] * v
        _push(pushed, vertex[0, k], u + v - at_q)
        _push(pushed, vertex[1, k], at_q)
        _push_corner(four, 0, k, pushed, u)
        _push_corner(four, 1, k, pushed, v)


@lean_inline
def _pushed_corner(four, side, k, pushed):
    """What pushed (q, 4) does to the corner of hinge k on one side."""
    vertex, share = four["vertex"], four["share"][side, k]
    there = take(pushed[np.uint32(vertex[2 + side, k])])
    if share != 0.0:
        there = (1.0 - share) * there + share * take(pushed[np.uint32(vertex[4 + side, k])])
    return there


@lean_inline
def _turned_by(four, row, pushed, k):
    """What pushed (q, 4) does to the angle of hinge k, in three parts: along x, y and z."""
    vertex, gradient = four["vertex"], row["gradient"][k]
    p = take(pushed[np.uint32(vertex[0, k])])
    edge = take(pushed[np.uint32(vertex[1, k])]) - p
    at_a = p + gradient[0, 3] * edge - _pushed_corner(four, 0, k, pushed)
    at_b = p + gradient[1, 3] * edge - _pushed_corner(four, 1, k, pushed)
    return take(gradient[0]) * at_a + take(gradient[1]) * at_b


@lean_inline
def _multiply(four, row, pushed):
    """Multiply the directions, whose W Gᵀ is in pushed, by the matrix; returns both's product."""
    x, y, z, _ = _columns(
        _turned_by(four, row, pushed, 0),
        _turned_by(four, row, pushed, 1),
        _turned_by(four, row, pushed, 2),
        _turned_by(four, row, pushed, 3),
    )
    direction = take(row["direction"])
    product = take(row["softness"]) * direction + (x + y + z)
    put(row["product"], product)
    return direction * product


@lean_inline
def _begin(particles, vertex, hinges, per_step, begins, solution, places):
    """Set all hinges up; returns the square of what is to be solved."""
    x, previous, inverse_mass = particles
    pushed, now, mass, was = places[0], places[1], places[2], places[3]
    pushed[:] = 0.0
    for i in range(vertex.shape[0]):
        v = np.uint32(vertex[i])
        put(mass[i], inverse_mass[v])
        put(was[i], pack(previous[v, 0], previous[v, 1], previous[v, 2], inverse_mass[v]))
        put(now[i], pack(x[v, 0], x[v, 1], x[v, 2], 0.0))
    square = pack(0.0, 0.0, 0.0, 0.0)
    for t in range(hinges.shape[0]):
        square = square + _set_up(was, now, hinges[t], per_step, begins, solution[t])
        if begins.known > 0:
            _add_pushed(hinges[t], solution[t], pushed)
    now[:] = 0.0
    return _total(square)


@lean_inline
def _take_step(solution, step, pushed, moved):
    """Go so far along the directions; returns the square of what is left to be solved."""
    for i in range(pushed.shape[0]):
        put(moved[i], take(moved[i]) + step * take(pushed[i]))
    square = pack(0.0, 0.0, 0.0, 0.0)
    for t in range(solution.shape[0]):
        row = solution[t]
        put(row["multiplier"], take(row["multiplier"]) + step * take(row["direction"]))
        residual = take(row["residual"]) - step * take(row["product"])
        put(row["residual"], residual)
        square = square + residual * (residual * take(row["weight"]))
    return _total(square)


@lean_inline
def _weigh(pushed, mass):
    """Multiply what is pushed by the inverse masses."""
    for i in range(pushed.shape[0]):
        put(pushed[i], take(mass[i]) * take(pushed[i]))


@lean_inline
def _begin_at_guess(hinges, solution, places, start):
    """Go along the directions, which lead to the guess; returns the square of what is left.

    Unless that is no less than without a guess: nothing is changed then.
    """
    pushed, moved, mass = places[0], places[1], places[2]
    _weigh(pushed, mass)
    square = pack(0.0, 0.0, 0.0, 0.0)
    for t in range(hinges.shape[0]):
        row = solution[t]
        _multiply(hinges[t], row, pushed)
        left = take(row["residual"]) - take(row["product"])
        square = square + left * (left * take(row["weight"]))
    return _take_step(solution, 1.0, pushed, moved) if _total(square) < start else start


# (G W Gᵀ + α̃) Δλ = −(C + α̃λ), Δx = W Gᵀ Δλ, C = θ − θ₀, for all hinges at once. G are the gradients
# one step ago, which keep angular momentum (see `stick.momentum`); α = (A + B)/(D |e|²) in 1/(N m).
@kernel
def project_hinges(particles, vertex, hinges, per_step, begins, solution, places):
    """Solve the bending of all hinges by conjugate gradients.

    per_step: 1/h² over the stiffness factor. begins: see `Begins`. A guess from one leaves half the
    rounds to do, one from two, by a straight line, a third. places (4, q, 4): scratch.
    """
    pushed, moved = places[0], places[1]
    start = _begin(particles, vertex, hinges, per_step, begins, solution, places)
    if start == 0.0:
        return
    fit, kept, enough = start, 0.0, HINGE_SETTLED * HINGE_SETTLED * start
    if begins.known > 0:
        fit = _begin_at_guess(hinges, solution, places, start)
    rounds = MOST_GRADIENT_ROUNDS if fit > enough else 0
    for _ in range(rounds):
        pushed[:] = 0.0
        for t in range(hinges.shape[0]):
            row = solution[t]
            direction = take(row["residual"]) * take(row["weight"]) + kept * take(row["direction"])
            put(row["direction"], direction)
            _add_pushed(hinges[t], row, pushed)
        _weigh(pushed, places[2])
        both = pack(0.0, 0.0, 0.0, 0.0)
        for t in range(hinges.shape[0]):
            both = both + _multiply(hinges[t], solution[t], pushed)
        curved = _total(both)
        if not curved > 0.0:
            break
        following = _take_step(solution, fit / curved, pushed, moved)
        if following <= enough:
            break
        fit, kept = following, following / fit
    for i in range(vertex.shape[0]):
        move(particles.x, vertex[i], load(moved, i))
