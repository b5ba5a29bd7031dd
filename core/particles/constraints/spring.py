"""Springs: sticks that give way by a compliance in m/N (Macklin, Müller, Chentanez 2016, eq. 18).

    Δλ = −(C + α̃ λ)/(w |∇C|² + α̃),   C = |δ| − r,   α̃ = α/h²

with the correction along the direction that the spring had one step ago, as in `stick.momentum`.
λ is the spring's force times h², so Hooke's law F = (|δ| − r)/α holds at any step.
"""

from __future__ import annotations

import math

from ...kernels.jit import inline
from ...vec3 import dot


@inline
def spring_softness(compliance, w, h, turns):
    """α/h² in 1/kg; for what ``turns``, acting every other step alone, see `relax_distances`.

    w: inverse mass of both ends.
    """
    return compliance / (h * h) / (1.0 + turns) + turns * w


@inline
def multiplier(d, e, w, rest, compliance_per_step, known):
    """Returns (s, Δλ, e): the ends move by +w₁ s e and −w₂ s e, s = Δλ/|e|.

    d, e: the spring now and one step ago. compliance_per_step is α/h², known the λ (toward each
    other) of earlier passes of this step. |∇C| = δ·e/(|δ||e|); a step turns and stretches a spring
    so little that |e| stands for |δ| there, which is exact at rest and takes one root and one
    division in all.
    """
    dd = dot(d, d)
    de = dot(d, e)
    if not de > 0.5 * dd:  # turned by more than 60° or stretched to the double in one step
        if dd == 0.0:
            return 0.0, 0.0, e
        e = d
        de = dd
    apart = math.sqrt(dd)
    error = apart - rest - compliance_per_step * known
    s = error * apart / (w * de + compliance_per_step * dd)
    return s, s * apart, e
