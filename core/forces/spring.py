"""Springs with dampers, F = −k x − b v along the spring, taken as forces.

    f = k (|δ| − r) + b (δ̇ · n),   δ = x₂ − x₁,   n = δ/|δ|

pulls the first end along n and the second against it. Used by the integrators of `integrators`
and by position Verlet with `SolverSettings.spring_form` FORCE. Springs as compliant constraints
are in `particles.constraints.spring`; their dampers are `damp_springs` here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Floats, Ints
from ..coincidence import direction_between
from ..elementary import expm1
from ..kernels.jit import inline, kernel
from ..model import Model
from ..vec3 import ZERO, add, along, between, divide, dot, length, load, shift, store, sub, vec


class SpringSystem(NamedTuple):
    """All that pulls on the particles while one frame is integrated by forces."""

    pair: Ints  # (c, 2)
    rest_length: Floats  # (c,) m
    stiffness: Floats  # (c,) N/m
    damping: Floats  # (c,) N·s/m
    inverse_mass: Floats  # (n,) 1/kg, 0 = driven
    drag: Floats  # (n,) 1/s
    gravity: Floats  # (3,) m/s²
    held: Floats  # (n, 3) N, forces that stand for a whole step

    def acceleration(self, x: Floats, v: Floats) -> Floats:
        """(n, 3) m/s² at places x (n, 3) m and velocities v (n, 3) m/s."""
        out = np.empty_like(x)
        accelerate(x, v, self, out)
        return out

    def energy(self, x: Floats) -> float:
        """Energy that the springs hold, J."""
        apart = np.linalg.norm(x[self.pair[:, 1]] - x[self.pair[:, 0]], axis=1)
        return float(0.5 * (self.stiffness * (apart - self.rest_length) ** 2).sum())


@inline
def spring_direction(x, a, b):
    """(length in m, unit vector from a to b); coinciding ends get one from their numbers."""
    d = between(x, a, b)
    apart = length(d)
    if apart < 1e-150:  # its square is no number to divide by
        return 0.0, direction_between(a, b)
    return apart, divide(d, apart)


@kernel
def accelerate(x, v, system, out):
    """Write the acceleration (n, 3) m/s² of every particle at places x and velocities v.

    g + w (held + springs + dampers) − d v; pinned particles get none.
    """
    for i in range(x.shape[0]):
        store(out, i, load(system.held, i))
    for s in range(system.pair.shape[0]):
        a, b = system.pair[s, 0], system.pair[s, 1]
        apart, n = spring_direction(x, a, b)
        rate = dot(between(v, a, b), n)
        f = system.stiffness[s] * (apart - system.rest_length[s]) + system.damping[s] * rate
        shift(out, a, f, n)
        shift(out, b, -f, n)
    gravity = vec(system.gravity)
    for i in range(x.shape[0]):
        w = system.inverse_mass[i]
        given = ZERO
        if w > 0.0:
            given = along(along(gravity, w, load(out, i)), -system.drag[i], load(v, i))
        store(out, i, given)


@kernel
def damp_springs(particles, spring, damping, h):
    """Let the dampers of compliant springs act for one step, spring by spring, through x*.

    Each takes the share 1 − exp(−b w h) of the speed at which its ends part, which is what F = −b v
    alone does in that time: stable for any b, momentum and angular momentum are kept, and a spring
    at rest is not touched (the splitting of Shardlow 2003, "Splitting for dissipative particle
    dynamics"). Written to x* before the integrator reads it.
    """
    x, previous, inverse_mass = particles
    for s in range(spring.shape[0]):
        a, b = spring[s, 0], spring[s, 1]
        wa, wb = inverse_mass[a], inverse_mass[b]
        w = wa + wb
        if w == 0.0:
            continue
        _, n = spring_direction(x, a, b)
        way = sub(sub(load(x, b), load(previous, b)), load(x, a))
        parting = dot(add(way, load(previous, a)), n)
        step = -expm1(-damping[s] * w * h) * parting / w
        shift(previous, a, -(wa * step), n)
        shift(previous, b, wb * step, n)


def stiffnesses(
    model: Model, compliance: Floats, edge_stiffness: float | None
) -> tuple[Ints, Floats, Floats, Floats]:
    """(pairs, rest lengths, N/m, N·s/m) of the springs of a model.

    compliance (c,) m/N of its springs; with ``edge_stiffness`` in N/m its sticks are springs too
    and stand first.
    """
    if edge_stiffness is None:
        return (
            model.springs.pair,
            model.springs.rest_length,
            1.0 / compliance,
            model.springs.damping,
        )
    edges = np.full(len(model.sticks), edge_stiffness)
    return (
        np.concatenate([model.sticks.pair, model.springs.pair]),
        np.concatenate([model.sticks.rest_length, model.springs.rest_length]),
        np.concatenate([edges, 1.0 / compliance]),
        np.concatenate([np.zeros(len(edges)), model.springs.damping]),
    )
