"""Springs: sticks that give way by a compliance in m/N (Macklin, Müller, Chentanez 2016, eq. 18).

    Δλ = −(C + α̃ λ)/(w |∇C|² + α̃),   C = |δ| − r,   α̃ = α/h²

with the correction along the direction that the spring had one step ago, as in `stick.momentum`.
λ is the spring's force times h², so Hooke's law F = (|δ| − r)/α holds at any step.
"""

from __future__ import annotations

import math

from ..jit import inline


@inline
def multiplier(dx, dy, dz, ex, ey, ez, w, rest, compliance_per_step, pull):
    """Returns (Δλ, nx, ny, nz): the ends move by +w₁ Δλ n and −w₂ Δλ n.

    compliance_per_step is α/h², pull the λ (toward each other) of earlier passes of this step.
    """
    dd = dx * dx + dy * dy + dz * dz
    ee = ex * ex + ey * ey + ez * ez
    if dd == 0.0:
        return 0.0, 0.0, 0.0, 0.0
    length = math.sqrt(dd)
    de = dx * ex + dy * ey + dz * ez
    before = 0.5 * (length + ee / length)  # |e| by one Newton step for √ about |δ|
    if not (de * de > 0.5 * dd * ee and de > 0.25 * dd):
        ex, ey, ez = dx, dy, dz
        de = dd
        before = length
    slope = de / (length * before)
    step = (length - rest - compliance_per_step * pull) / (w * slope + compliance_per_step)
    return step, ex / before, ey / before, ez / before
