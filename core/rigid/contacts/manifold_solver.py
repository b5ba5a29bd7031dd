"""The points of one manifold along their normal, solved together.

A box that lands flat must be met by all four corners at once: one corner after the other turns it a
little each time, and a tower of boxes that is hit from above sways until it falls. What an impulse
at one point does to the others is known (`coupling`), so a few rounds over four numbers do, and
bodies are pushed once.

Four points are written out, so that the rounds stay in registers; those that there are not have no
mass and do nothing.
"""

from __future__ import annotations

from ...collision.contact_law import normal_change, normal_sum
from ...kernels.jit import lean_inline
from ...kernels.lanes import any_of, larger, select, size_of
from ...vec3 import ZERO, along, cross, load, scale, vec
from .contact_table import NORMAL
from .pair_motion import pushed

RESTING_ROUNDS = 4
"""Rounds over the points of a manifold in each sweep."""

MANIFOLD_SETTLED = 1e-5
"""Share of the impulses of a manifold that may change in a round which needs no other."""


@lean_inline
def _point_state(rows, first, k, axis):
    """Impulse, velocity error, mass and what is kept of an impulse, of point k or of none."""
    if k >= rows[first]["points"]:
        return 0.0, 0.0, 0.0, 0.0
    row = rows[first + k]
    kept = 1.0 - row["softness"]
    return row["impulse"][axis], row["velocity_error"], kept * row["mass"], kept


@lean_inline
def _couplings(rows, first, k):
    """What an impulse at point k does to the speed of all four, 1/kg."""
    row = rows[first + k if k < rows[first]["points"] else first]
    w = row["coupling"]
    return w[0], w[1], w[2], w[3]


@lean_inline
def _next_impulse(impulse, error, mass, kept):
    return normal_sum(kept * impulse, -(mass * error))


@lean_inline
def settled(impulses, errors, masses, kept, coupling, pushes, is_many):
    """Impulses of four points that take away their velocity errors, by those that they have now.

    All are tuples of four, floats or lanes; masses: of an impulse that keeps that share of itself;
    coupling: of each point by itself and those after it, 1/kg. pushes: whether there is anything to
    do; is_many: whether there are more points than one. A round goes over all four, where things
    have not settled.
    """
    p0, p1, p2, p3 = impulses
    e0, e1, e2, e3 = errors
    m0, m1, m2, m3 = masses
    k0, k1, k2, k3 = kept
    w00, w01, w02, w03, w11, w12, w13, w22, w23, w33 = coupling
    going = pushes
    for _ in range(RESTING_ROUNDS):
        p, p0 = p0, select(going, _next_impulse(p0, e0, m0, k0), p0)
        d0 = p0 - p
        e1 += w01 * d0
        e2 += w02 * d0
        e3 += w03 * d0
        p, p1 = p1, select(going, _next_impulse(p1, e1, m1, k1), p1)
        d1 = p1 - p
        e2 += w12 * d1
        e3 += w13 * d1
        p, p2 = p2, select(going, _next_impulse(p2, e2, m2, k2), p2)
        d2 = p2 - p
        e3 += w23 * d2
        p, p3 = p3, select(going, _next_impulse(p3, e3, m3, k3), p3)
        d3 = p3 - p
        e0 += w00 * d0 + w01 * d1 + w02 * d2 + w03 * d3
        e1 += w11 * d1 + w12 * d2 + w13 * d3
        e2 += w22 * d2 + w23 * d3
        e3 += w33 * d3
        moved = size_of(d0) + size_of(d1) + size_of(d2) + size_of(d3)
        going = going & is_many & (moved > MANIFOLD_SETTLED * (p0 + p1 + p2 + p3))
        if not any_of(going):
            break
    return p0, p1, p2, p3


@lean_inline
def _write_impulse(rows, first, k, axis, impulse):
    if k < rows[first]["points"]:
        row = rows[first + k]
        row["impulse_before"] = row["impulse"][axis]
        row["impulse"][axis] = impulse


@lean_inline
def settle_points(rows, first, axis):
    """Impulses of a manifold that take away its velocity errors; those before in impulse_before.

    axis: NORMAL for impulses that are remembered, PARTS for those that part an overlap.
    """
    p0, e0, m0, k0 = _point_state(rows, first, 0, axis)
    p1, e1, m1, k1 = _point_state(rows, first, 1, axis)
    p2, e2, m2, k2 = _point_state(rows, first, 2, axis)
    p3, e3, m3, k3 = _point_state(rows, first, 3, axis)
    w0, w1 = _couplings(rows, first, 0), _couplings(rows, first, 1)
    w2, w3 = _couplings(rows, first, 2), _couplings(rows, first, 3)
    coupling = (w0[0], w0[1], w0[2], w0[3], w1[1], w1[2], w1[3], w2[2], w2[3], w3[3])
    is_many = rows[first]["points"] > 1
    p0, p1, p2, p3 = settled(
        (p0, p1, p2, p3),
        (e0, e1, e2, e3),
        (m0, m1, m2, m3),
        (k0, k1, k2, k3),
        coupling,
        True,
        is_many,
    )
    _write_impulse(rows, first, 0, axis, p0)
    _write_impulse(rows, first, 1, axis, p1)
    _write_impulse(rows, first, 2, axis, p2)
    _write_impulse(rows, first, 3, axis, p3)


@lean_inline
def holding(normal, before, softness):
    """Normal impulse N·s that friction holds on to, of one that was another before the sweep."""
    leaks = (softness > 0.0) & (normal > 0.0)
    return select(leaks, larger(normal, before), normal)  # what leaks for a moment still holds


@lean_inline
def relaxed(before, impulse, relaxation):
    """Kenwright's c_r (eq. 10) of what an impulse has changed, N·s; what is left pulls nothing."""
    return normal_change(before, relaxation * (impulse - before))


@lean_inline
def relaxed_change(row, axis, relaxation):
    """Cut what a row has changed to Kenwright's c_r (eq. 10) of it; returns it, N·s."""
    before = row["impulse_before"]
    change = relaxed(before, row["impulse"][axis], relaxation)
    row["impulse"][axis] = before + change
    return change


@lean_inline
def push_points(rows, first, axis, relaxation, masses, motion):
    """`settle_points` of two bodies alone: their motion after it, and whether it has changed."""
    settle_points(rows, first, axis)
    head = rows[first]
    total, about_a, about_b, is_changed = 0.0, ZERO, ZERO, False
    for c in range(first, first + head["points"]):
        change = relaxed_change(rows[c], axis, relaxation)
        total += change
        about_a = along(about_a, change, load(rows[c]["arm"], 0))
        about_b = along(about_b, change, load(rows[c]["arm"], 1))
        is_changed = is_changed or change != 0.0
    if not is_changed:
        return motion, False
    normal = vec(head["axis"][NORMAL])
    push = scale(total, normal)
    return pushed(masses, motion, push, cross(about_a, normal), cross(about_b, normal)), True
