"""How many steps a second an integrator needs before its springs blow up.

One spring of frequency ω and damping c stands for the system: u" = −ω² u − c u'. ω² is bounded by
the largest w₁ Σk₁ + w₂ Σk₂ over all springs (Σkᵢ: stiffness of all springs on that end), c alike;
Anderson & Morley 1985 for graphs with unit weights. A step that grows the oscillation by less than
e in ten seconds counts as stable.
"""

from __future__ import annotations

import math

import numpy as np

from ...arrays import Floats, Ints
from ...forces.spring import stiffnesses
from ...model import Model
from ...settings import SolverSettings, tunables

GROWTH = 0.1  # 1/s, let pass


def least_rate(model: Model, settings: SolverSettings) -> float | None:
    """Steps per second, two digits, from which ``settings.integrator`` is stable for the springs.

    None when no rate that `SolverSettings` takes is enough, or there are no springs.
    """
    edges = settings.edge_stiffness if settings.is_force_based else None
    pairs, _, stiffness, damping = stiffnesses(model, model.springs.compliance, edges)
    if not len(pairs):
        return None
    omega_squared = _fastest(model, pairs, stiffness)
    slowing = _fastest(model, pairs, damping) + float(model.particles.drag.max())
    highest = tunables(SolverSettings)["substep_rate"][1].maximum
    assert highest is not None
    rate = 1.0
    while rate <= highest:
        if _is_stable(settings.integrator, omega_squared, slowing, 1.0 / rate):
            digit = 10.0 ** (math.floor(math.log10(rate)) - 1)
            return min(math.ceil(rate / digit) * digit, highest)
        rate *= 1.05
    return None


def _fastest(model: Model, pairs: Ints, strength: Floats) -> float:
    """Largest of w₁ Σs₁ + w₂ Σs₂ over the pairs (c, 2) of strength s (c,)."""
    total = np.zeros(len(model.particles))
    np.add.at(total, pairs.reshape(-1), np.repeat(strength, 2))
    total *= model.particles.inverse_mass
    return float((total[pairs[:, 0]] + total[pairs[:, 1]]).max())


def _is_stable(integrator: str, omega_squared: float, slowing: float, h: float) -> bool:
    slope = np.array([[0.0, 1.0], [-omega_squared, -slowing]])
    if integrator == "EXPLICIT_EULER":
        step = np.eye(2) + h * slope
    elif integrator in ("MIDPOINT", "TRAPEZOID"):
        step = np.eye(2) + h * slope + 0.5 * h * h * slope @ slope
    else:  # the Verlet family: v' = v + h a, x' = x + h v'
        kick = np.array([[1.0, 0.0], [-h * omega_squared, 1.0 - h * slowing]])
        step = np.array([[1.0, h], [0.0, 1.0]]) @ kick
    return float(np.abs(np.linalg.eigvals(step)).max()) <= math.exp(GROWTH * h)
