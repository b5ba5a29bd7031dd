"""Chebyshev acceleration: passes that learn from the two before (Wang 2015, eq. 14–17).

    x⁽ᵏ⁺¹⁾ = ωₖ₊₁ (γ (x̂ − x⁽ᵏ⁾) + x⁽ᵏ⁾ − x⁽ᵏ⁻¹⁾) + x⁽ᵏ⁻¹⁾
    ω₁ … ω_S = 1,   ω_S₊₁ = 2/(2 − ρ²),   ωₖ₊₁ = 4/(4 − ρ² ωₖ)

with x̂ what a plain pass makes of x⁽ᵏ⁾. All weights of a line add up to 1, so that momentum is kept
as the passes keep it. Multipliers are taken along by the same line, which keeps places and
multipliers of springs in step. H. Wang, "A Chebyshev Semi-Iterative Approach for Accelerating
Projective and Position-Based Dynamics".
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Floats, Ints
from ..kernels.jit import kernel

PLAIN_PASSES = 4
"""S: plain passes at the start of a substep, while the error is not smooth yet."""

UNDER_RELAXATION = 0.9
"""γ: keeps contacts and changing sets of constraints from being overshot."""


@kernel
def follow_pass(now, last, older, omega, under_relaxation):
    """Put x⁽ᵏ⁺¹⁾ into now and last, x⁽ᵏ⁾ into older; returns the largest |x̂ − x⁽ᵏ⁾|.

    All three are flat and of one length. ω = γ = 1 leaves ``now`` as it is.
    """
    largest = 0.0
    for i in range(now.shape[0]):
        change = now[i] - last[i]
        largest = max(largest, abs(change))
        if omega != 1.0 or under_relaxation != 1.0:
            # the same line, as small steps from x⁽ᵏ⁾: less is lost to rounding
            step = omega * under_relaxation * change + (omega - 1.0) * (last[i] - older[i])
            now[i] = last[i] + step
        older[i] = last[i]
        last[i] = now[i]
    return largest


class History:
    """The last two iterates of the places and of all multipliers."""

    def __init__(self, arrays: Sequence[Floats], plain: Ints) -> None:
        """arrays[0] (n, 3) are the places; particles in ``plain`` are never accelerated."""
        self.plain = (3 * plain[:, None] + np.arange(3)).reshape(-1)
        self.now = [a.reshape(-1) for a in arrays]  # views
        self.last = [a.copy() for a in self.now]
        self.older = [a.copy() for a in self.now]
        self.omega = 1.0

    def begin(self) -> None:
        """Start of a substep: x⁽⁰⁾. Multipliers start from 0 whatever the last step left."""
        self.omega = 1.0
        for number, (now, last) in enumerate(zip(self.now, self.last, strict=True)):
            last[:] = now if number == 0 else 0.0

    def follow(self, number: int, spectral_radius: float) -> float:
        """After pass ``number``: accelerate; returns the largest change of a coordinate, m.

        A spectral radius of 0 only measures.
        """
        under = 1.0
        if spectral_radius > 0.0 and number >= PLAIN_PASSES:
            square = spectral_radius**2
            first = number == PLAIN_PASSES
            self.omega = 2.0 / (2.0 - square) if first else 4.0 / (4.0 - square * self.omega)
            under = UNDER_RELAXATION
        kept = self.now[0][self.plain]
        changes = [
            follow_pass(now, last, older, self.omega, under)
            for now, last, older in zip(self.now, self.last, self.older, strict=True)
            if len(now)
        ]
        if len(kept):
            self.now[0][self.plain] = self.last[0][self.plain] = kept
        return float(changes[0])
