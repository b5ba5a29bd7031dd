"""Damping of what deforms, not of what moves: F = −c m (v − v₀ − ω × r).

Müller, Heidelberger, Hennix, Ratcliff 2007, "Position Based Dynamics", §3.5: the velocities are
compared with those of a rigid body of the same momentum and angular momentum, so that a body that
flies or spins is not held up, and both are kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..model import Ints
from .base import Acting

MOST = 0.3
"""Share of what deforms that dry friction takes at once: all of it would be too much half the time.
"""


@dataclass(frozen=True, eq=False)
class WobbleDamping:
    """The damping of one object's deformation."""

    object: int
    particles: Ints  # (k,)
    rate: float  # c, 1/s
    dry: float = 0.0  # m/s², by which joint friction slows it however slow it is

    def apply(self, acting: Acting) -> None:
        """Slow all motion but that of a rigid body, so that what is left decays as e^(−c t).

        Dry friction is shared out as the speeds are, for only so are both momenta kept: it slows
        their root mean square.
        """
        rows = self.particles
        mass = acting.mass[rows, None]
        total = mass.sum()
        place = acting.x[rows] - (mass * acting.x[rows]).sum(axis=0) / total
        velocity = acting.velocity[rows]
        relative = velocity - (mass * velocity).sum(axis=0) / total
        spin = (mass * np.cross(place, relative)).sum(axis=0)
        squares = (mass * place).T @ place
        inertia = np.trace(squares) * np.eye(3) - squares
        if not (np.isfinite(inertia).all() and np.isfinite(spin).all()):
            return  # blown up: the check at the end of the frame says so
        turn = np.linalg.lstsq(inertia, spin, rcond=1e-9)[0]
        relative -= np.cross(turn, place)
        share = 1.0 - np.exp(-self.rate * acting.hold)
        if self.dry > 0.0:
            speed = float(np.sqrt((mass * relative**2).sum() / total))
            share += min(self.dry * acting.hold / max(speed, 1e-12), MOST)
        rate = share / acting.hold
        acting.force[rows] -= rate * mass * relative
