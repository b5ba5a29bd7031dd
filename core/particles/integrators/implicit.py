"""Implicit (backward) Euler: stable at any stiffness and step, at the price of damping.

Baraff & Witkin 1998, "Large Steps in Cloth Simulation", eq. 6, with drag in D:

    (M − h D − h² K) Δv = h (f + h K v),   v' = v + Δv,   x' = x + h v'

K = ∂f/∂x and D = ∂f/∂v of the springs, of which no matrix is ever made: conjugate gradients need
only products with a vector. Across a spring K is k (1 − r/|δ|), taken as 0 for a pushed-together
spring so that the system stays positive definite (Choi & Ko 2002, §4.1).
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ...arrays import Floats
from ...forces.spring import SpringSystem, spring_direction
from ...kernels.jit import allocating_kernel, inline
from ...vec3 import ZERO, add, along, between, divide, dot, load, move, scale, shift, store, vec

TOLERANCE = 1e-8
"""Speed that the conjugate gradients may leave unsolved, as a share of the change of speed."""

ITERATION_LIMIT = 2000


Matrix = namedtuple(
    "Matrix",
    [
        "mass",  # (n,) kg, m + h m d, 0 for driven particles
        "inverse",  # (n,) 1/kg of that, 0 likewise
        "diagonal",  # (n, 3) kg
        "direction",  # (c, 3) of each spring
        "along",  # (c,) kg, h² k + h b
        "across",  # (c,) kg
    ],
)
"""A of A Δv = right."""


@inline
def _multiply(p, matrix, pair, q):
    """Write q = A p, both (n, 3); driven particles stay 0."""
    for i in range(p.shape[0]):
        store(q, i, scale(matrix.mass[i], load(p, i)))
    for s in range(pair.shape[0]):
        a, b = pair[s, 0], pair[s, 1]
        d, n = between(p, a, b), load(matrix.direction, s)
        c = matrix.across[s]
        f = along(scale((matrix.along[s] - c) * dot(n, d), n), c, d)
        shift(q, a, -1.0, f)
        move(q, b, f)
    for i in range(p.shape[0]):
        if matrix.mass[i] == 0.0:
            store(q, i, ZERO)


@inline
def _dot(a, b, weight):
    """Σ weight a·b, in the order of the arrays: the same bits on any number of threads."""
    total = 0.0
    for i in range(a.shape[0]):
        total += weight[i] * dot(load(a, i), load(b, i))
    return total


@inline
def _set_up(x, v, system, h, matrix, right):
    """Write A and the right-hand side; returns what rounding alone leaves of the forces, squared.

    The square is weighed by the inverse masses.
    """
    rounding = np.zeros(x.shape[0])
    gravity = vec(system.gravity)
    for i in range(x.shape[0]):
        w = system.inverse_mass[i]
        if w == 0.0:
            continue
        drag = system.drag[i]
        mass = (1.0 + h * drag) / w
        matrix.mass[i] = mass
        matrix.inverse[i] = 1.0 / mass
        store(matrix.diagonal, i, (mass, mass, mass))
        pushed = divide(along(gravity, -drag, load(v, i)), w)
        store(right, i, scale(h, add(pushed, load(system.held, i))))
    for s in range(system.pair.shape[0]):
        a, b = system.pair[s, 0], system.pair[s, 1]
        apart, n = spring_direction(x, a, b)
        stiffness, rest = system.stiffness[s], system.rest_length[s]
        store(matrix.direction, s, n)
        stretched = h * h * stiffness
        slack = 1.0 - rest / apart if apart > rest else 0.0
        if apart == 0.0 and rest == 0.0:
            slack = 1.0
        matrix.along[s] = stretched + h * system.damping[s]
        matrix.across[s] = stretched * slack
        extra, across = matrix.along[s] - matrix.across[s], matrix.across[s]
        d = between(v, a, b)
        f = h * stiffness * (apart - rest) + extra * dot(n, d)
        force = along(scale(f, n), across, d)
        move(right, a, force)
        shift(right, b, -1.0, force)
        for k in range(3):
            part = across + extra * n[k] * n[k]
            matrix.diagonal[a, k] += part
            matrix.diagonal[b, k] += part
        size = h * stiffness * (apart + rest)
        rounding[a] += size
        rounding[b] += size
    floor = 0.0
    for i in range(x.shape[0]):
        floor += matrix.inverse[i] * rounding[i] * rounding[i]
    return 1e-30 * floor


@allocating_kernel
def solve_backward_euler(x, v, system, h, tolerance, limit, change):
    """Solve for Δv; ``change`` (n, 3) m/s holds the first guess and then the solution.

    Conjugate gradients with the diagonal as preconditioner (Shewchuk 1994, B3). Driven particles
    are filtered: their rows and columns are left out. At the end Δv is computed once more from
    the forces that the solution gives; those come in pairs, so linear momentum is kept to the
    last digit. Returns (iterations, speed left unsolved over change of speed).
    """
    n = x.shape[0]
    pair = system.pair
    count = pair.shape[0]
    matrix = Matrix(
        np.zeros(n),
        np.zeros(n),
        np.zeros((n, 3)),
        np.zeros((count, 3)),
        np.zeros(count),
        np.zeros(count),
    )
    right = np.zeros((n, 3))
    r = np.zeros((n, 3))
    z = np.zeros((n, 3))
    p = np.zeros((n, 3))
    q = np.zeros((n, 3))
    one = np.ones(n)
    floor = _set_up(x, v, system, h, matrix, right)
    mass, inverse, diagonal = matrix.mass, matrix.inverse, matrix.diagonal
    for i in range(n):
        if mass[i] == 0.0:
            store(change, i, ZERO)
    _multiply(change, matrix, pair, q)
    for i in range(n):
        if mass[i] > 0.0:
            for k in range(3):
                r[i, k] = right[i, k] - q[i, k]
                z[i, k] = r[i, k] / diagonal[i, k]
                p[i, k] = z[i, k]
    rz = _dot(r, z, one)
    done = 0
    left = _dot(r, r, inverse)
    moved = _dot(change, change, mass)
    while done < limit and left > floor and left > tolerance * tolerance * moved:
        _multiply(p, matrix, pair, q)
        pq = _dot(p, q, one)
        if not pq > 0.0:
            break
        step = rz / pq
        for i in range(n):
            for k in range(3):
                change[i, k] += step * p[i, k]
                r[i, k] -= step * q[i, k]
                if mass[i] > 0.0:
                    z[i, k] = r[i, k] / diagonal[i, k]
        before = rz
        rz = _dot(r, z, one)
        share = rz / before
        for i in range(n):
            for k in range(3):
                p[i, k] = z[i, k] + share * p[i, k]
        done += 1
        left = _dot(r, r, inverse)
        moved = _dot(change, change, mass)

    _multiply(change, matrix, pair, q)
    left = 0.0
    for i in range(n):
        for k in range(3):
            miss = right[i, k] - q[i, k] if mass[i] > 0.0 else 0.0
            r[i, k] = miss
            left += inverse[i] * miss * miss
    if left <= 1e-12 * moved:
        for i in range(n):
            for k in range(3):
                change[i, k] += inverse[i] * r[i, k]
    return done, math.sqrt(left / moved) if moved > 0.0 else 0.0


def implicit_euler(
    system: SpringSystem, x: Floats, v: Floats, h: float, change: Floats
) -> tuple[Floats, Floats]:
    """Places x' and velocities v' (n, 3) one step of h seconds later; first order.

    ``change`` (n, 3) m/s is Δv of the step before, from which the solver starts, and becomes this
    step's.
    """
    solve_backward_euler(x, v, system, h, TOLERANCE, ITERATION_LIMIT, change)
    v = v + change
    return x + h * v, v
