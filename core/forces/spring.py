"""Springs with dampers, F = −k x − b v along the spring, taken as forces.

    f = k (|δ| − r) + b (δ̇ · n),   δ = x₂ − x₁,   n = δ/|δ|

pulls the first end along n and the second against it. Used by the integrators of `integrators`
and by position Verlet with `SolverSettings.spring_form` FORCE. Springs as compliant constraints
are in `particles.constraints.spring`; their dampers are `damp_springs` here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ints
from ..coincidence import direction_between
from ..kernels.jit import inline, kernel
from ..model import Model


@inline
def spring_direction(x, a, b):
    """(length in m, unit vector from a to b); coinciding ends get one from their numbers."""
    dx = x[b, 0] - x[a, 0]
    dy = x[b, 1] - x[a, 1]
    dz = x[b, 2] - x[a, 2]
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    if length < 1e-150:  # its square is no number to divide by
        nx, ny, nz = direction_between(a, b)
        return 0.0, nx, ny, nz
    return length, dx / length, dy / length, dz / length


@kernel
def accelerate(
    x, v, inverse_mass, drag, gravity, held, spring, rest_length, stiffness, damping, out
):
    """Write the acceleration (n, 3) m/s² of every particle at places x and velocities v.

    g + w (held + springs + dampers) − d v; pinned particles get none. held (n, 3) N are the
    forces that stand for the whole step; drag d (n,) 1/s.
    """
    for i in range(x.shape[0]):
        for k in range(3):
            out[i, k] = held[i, k]
    for s in range(spring.shape[0]):
        a = spring[s, 0]
        b = spring[s, 1]
        length, nx, ny, nz = spring_direction(x, a, b)
        rate = (v[b, 0] - v[a, 0]) * nx + (v[b, 1] - v[a, 1]) * ny + (v[b, 2] - v[a, 2]) * nz
        f = stiffness[s] * (length - rest_length[s]) + damping[s] * rate
        out[a, 0] += f * nx
        out[a, 1] += f * ny
        out[a, 2] += f * nz
        out[b, 0] -= f * nx
        out[b, 1] -= f * ny
        out[b, 2] -= f * nz
    for i in range(x.shape[0]):
        w = inverse_mass[i]
        for k in range(3):
            out[i, k] = gravity[k] + w * out[i, k] - drag[i] * v[i, k] if w > 0.0 else 0.0


@kernel
def damp_springs(x, previous, inverse_mass, spring, damping, h):
    """Let the dampers of compliant springs act for one step, spring by spring, through x*.

    Each takes the share 1 − exp(−b w h) of the speed at which its ends part, which is what F = −b v
    alone does in that time: stable for any b, momentum and angular momentum are kept, and a spring
    at rest is not touched (the splitting of Shardlow 2003, "Splitting for dissipative particle
    dynamics"). Written to x* before the integrator reads it.
    """
    for s in range(spring.shape[0]):
        a = spring[s, 0]
        b = spring[s, 1]
        wa = inverse_mass[a]
        wb = inverse_mass[b]
        w = wa + wb
        if w == 0.0:
            continue
        _, nx, ny, nz = spring_direction(x, a, b)
        parting = (
            (x[b, 0] - previous[b, 0] - x[a, 0] + previous[a, 0]) * nx
            + (x[b, 1] - previous[b, 1] - x[a, 1] + previous[a, 1]) * ny
            + (x[b, 2] - previous[b, 2] - x[a, 2] + previous[a, 2]) * nz
        )
        step = -math.expm1(-damping[s] * w * h) * parting / w
        previous[a, 0] -= wa * step * nx
        previous[a, 1] -= wa * step * ny
        previous[a, 2] -= wa * step * nz
        previous[b, 0] += wb * step * nx
        previous[b, 1] += wb * step * ny
        previous[b, 2] += wb * step * nz


@dataclass
class SpringSystem:
    """All that pulls on the particles while one frame is integrated by forces."""

    spring: Ints  # (c, 2)
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
        accelerate(
            x,
            v,
            self.inverse_mass,
            self.drag,
            self.gravity,
            self.held,
            self.spring,
            self.rest_length,
            self.stiffness,
            self.damping,
            out,
        )
        return out

    def energy(self, x: Floats) -> float:
        """Energy that the springs hold, J."""
        length = np.linalg.norm(x[self.spring[:, 1]] - x[self.spring[:, 0]], axis=1)
        return float(0.5 * (self.stiffness * (length - self.rest_length) ** 2).sum())


def stiffnesses(
    model: Model, compliance: Floats, edge_stiffness: float | None
) -> tuple[Ints, Floats, Floats, Floats]:
    """(pairs, rest lengths, N/m, N·s/m) of the springs of a model.

    compliance (c,) m/N of its springs; with ``edge_stiffness`` in N/m its sticks are springs too
    and stand first.
    """
    if edge_stiffness is None:
        return model.spring, model.spring_rest_length, 1.0 / compliance, model.spring_damping
    edges = np.full(len(model.stick), edge_stiffness)
    return (
        np.concatenate([model.stick, model.spring]),
        np.concatenate([model.stick_rest_length, model.spring_rest_length]),
        np.concatenate([edges, 1.0 / compliance]),
        np.concatenate([np.zeros(len(edges)), model.spring_damping]),
    )
