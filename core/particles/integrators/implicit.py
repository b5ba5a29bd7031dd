"""Implicit (backward) Euler: stable at any stiffness and step, at the price of damping.

Baraff & Witkin 1998, "Large Steps in Cloth Simulation", eq. 6, with drag in D:

    (M − h D − h² K) Δv = h (f + h K v),   v' = v + Δv,   x' = x + h v'

K = ∂f/∂x and D = ∂f/∂v of the springs, of which no matrix is ever made: conjugate gradients need
only products with a vector. Across a spring K is k (1 − r/|δ|), taken as 0 for a pushed-together
spring so that the system stays positive definite (Choi & Ko 2002, §4.1).
"""

from __future__ import annotations

import math

import numpy as np

from ...arrays import Floats
from ...forces.spring import SpringSystem, spring_direction
from ...kernels.jit import inline, kernel

TOLERANCE = 1e-8
"""Speed that the conjugate gradients may leave unsolved, as a share of the change of speed."""

ITERATION_LIMIT = 2000


@inline
def _multiply(p, mass, direction, along, across, spring, q):
    """Write q = A p, all (n, 3); mass (n,) is m + h m d, 0 for driven particles, which stay 0."""
    for i in range(p.shape[0]):
        for k in range(3):
            q[i, k] = mass[i] * p[i, k]
    for s in range(spring.shape[0]):
        a = spring[s, 0]
        b = spring[s, 1]
        dx = p[b, 0] - p[a, 0]
        dy = p[b, 1] - p[a, 1]
        dz = p[b, 2] - p[a, 2]
        nx = direction[s, 0]
        ny = direction[s, 1]
        nz = direction[s, 2]
        f = (along[s] - across[s]) * (nx * dx + ny * dy + nz * dz)
        c = across[s]
        fx = f * nx + c * dx
        fy = f * ny + c * dy
        fz = f * nz + c * dz
        q[a, 0] -= fx
        q[a, 1] -= fy
        q[a, 2] -= fz
        q[b, 0] += fx
        q[b, 1] += fy
        q[b, 2] += fz
    for i in range(p.shape[0]):
        if mass[i] == 0.0:
            for k in range(3):
                q[i, k] = 0.0


@inline
def _dot(a, b, weight):
    """Σ weight a·b, in the order of the arrays: the same bits on any number of threads."""
    total = 0.0
    for i in range(a.shape[0]):
        total += weight[i] * (a[i, 0] * b[i, 0] + a[i, 1] * b[i, 1] + a[i, 2] * b[i, 2])
    return total


@kernel
def solve_backward_euler(
    x,
    v,
    inverse_mass,
    drag,
    gravity,
    held,
    spring,
    rest_length,
    stiffness,
    damping,
    h,
    tolerance,
    limit,
    change,
):
    """Solve for Δv; ``change`` (n, 3) m/s holds the first guess and then the solution.

    Conjugate gradients with the diagonal as preconditioner (Shewchuk 1994, B3). Driven particles
    are filtered: their rows and columns are left out. At the end Δv is computed once more from
    the forces that the solution gives; those come in pairs, so linear momentum is kept to the
    last digit. Returns (iterations, speed left unsolved over change of speed).
    """
    n = x.shape[0]
    count = spring.shape[0]
    mass = np.zeros(n)
    inverse = np.zeros(n)
    rounding = np.zeros(n)
    direction = np.zeros((count, 3))
    along = np.zeros(count)
    across = np.zeros(count)
    diagonal = np.zeros((n, 3))
    right = np.zeros((n, 3))
    r = np.zeros((n, 3))
    z = np.zeros((n, 3))
    p = np.zeros((n, 3))
    q = np.zeros((n, 3))
    one = np.ones(n)

    for i in range(n):
        w = inverse_mass[i]
        if w == 0.0:
            for k in range(3):
                change[i, k] = 0.0
            continue
        mass[i] = (1.0 + h * drag[i]) / w
        inverse[i] = 1.0 / mass[i]
        for k in range(3):
            diagonal[i, k] = mass[i]
            right[i, k] = h * ((gravity[k] - drag[i] * v[i, k]) / w + held[i, k])
    for s in range(count):
        a = spring[s, 0]
        b = spring[s, 1]
        length, nx, ny, nz = spring_direction(x, a, b)
        direction[s, 0], direction[s, 1], direction[s, 2] = nx, ny, nz
        stretched = h * h * stiffness[s]
        slack = 1.0 - rest_length[s] / length if length > rest_length[s] else 0.0
        if length == 0.0 and rest_length[s] == 0.0:
            slack = 1.0
        along[s] = stretched + h * damping[s]
        across[s] = stretched * slack
        dx = v[b, 0] - v[a, 0]
        dy = v[b, 1] - v[a, 1]
        dz = v[b, 2] - v[a, 2]
        rate = nx * dx + ny * dy + nz * dz
        f = h * stiffness[s] * (length - rest_length[s]) + (along[s] - across[s]) * rate
        fx = f * nx + across[s] * dx
        fy = f * ny + across[s] * dy
        fz = f * nz + across[s] * dz
        right[a, 0] += fx
        right[a, 1] += fy
        right[a, 2] += fz
        right[b, 0] -= fx
        right[b, 1] -= fy
        right[b, 2] -= fz
        for k in range(3):
            part = across[s] + (along[s] - across[s]) * direction[s, k] * direction[s, k]
            diagonal[a, k] += part
            diagonal[b, k] += part
        size = h * stiffness[s] * (length + rest_length[s])
        rounding[a] += size
        rounding[b] += size

    floor = 0.0  # what rounding alone leaves of the forces
    for i in range(n):
        floor += inverse[i] * rounding[i] * rounding[i]
    floor *= 1e-30
    _multiply(change, mass, direction, along, across, spring, q)
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
        _multiply(p, mass, direction, along, across, spring, q)
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

    _multiply(change, mass, direction, along, across, spring, q)
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
    solve_backward_euler(
        x,
        v,
        system.inverse_mass,
        system.drag,
        system.gravity,
        system.held,
        system.spring,
        system.rest_length,
        system.stiffness,
        system.damping,
        h,
        TOLERANCE,
        ITERATION_LIMIT,
        change,
    )
    v = v + change
    return x + h * v, v
