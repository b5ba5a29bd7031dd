"""Springs: sticks that give way by a compliance in m/N (Macklin, Müller, Chentanez 2016, eq. 18).

    Δλ = −(C + α̃ λ)/(w |∇C|² + α̃),   α̃ = α/h²

with C = (δ² − r²)/2r, which equals |δ| − r near rest, needs no square root and has the gradient
e/r along the direction e that the spring had one step ago (see `stick.momentum`).
"""

from __future__ import annotations

from ..jit import inline


@inline
def multiplier(dx, dy, dz, ex, ey, ez, w, rest, compliance_per_step, total):
    """Returns (Δλ/r, ex, ey, ez): the ends move by +w₁ Δλ/r e and −w₂ Δλ/r e.

    compliance_per_step is α/h², total is −λ·r collected in earlier passes of this step.
    """
    dd = dx * dx + dy * dy + dz * dz
    de = dx * ex + dy * ey + dz * ez
    ee = ex * ex + ey * ey + ez * ez
    rr = rest * rest
    if not (de * de > 0.5 * dd * ee and de > 0.25 * rr):
        ex, ey, ez = dx, dy, dz
        de = max(dd, 0.25 * rr)
    soft = compliance_per_step * rr
    return (0.5 * (dd - rr) - soft * total) / (w * de + soft), ex, ey, ez
