"""Coulomb friction at one point of contact, as a whole: the two tangents are never parted.

The impulse p in the plane of contact changes the sliding velocity by W (p − p₀), with W (2 × 2) the
mobility of the point in that plane. It is to leave the point at rest, and where it would have to be
larger than r = μ times the normal impulse, to be of that size and against the sliding that is left
(maximal dissipation):

    v + W (p − p₀) = −λ p,   λ ≥ 0,   |p| ≤ r,   λ (r − |p|) = 0.

So (W + λ I) p = W p₀ − v, and λ is the root of |p(λ)| = r, which Newton's method on 1/|p| finds
from λ = 0 without overshooting (Moré & Sorensen 1983). Nothing of it depends on which two tangents
were chosen. With an effective mass each, cut to the circle afterwards, they would push along the
direction in which the body is heavy, so that a box on a turned slope slips early.
"""

from __future__ import annotations

from ...kernels.jit import lean_inline
from ...kernels.lanes import any_of, root, select

MOST_NEWTON_STEPS = 8
"""Most steps of Newton's method; two or three are enough where W is nearly round."""

CONE_EXACT = 1e-13
"""Share of the radius by which the last of them may miss it."""

NO_IMPULSE = 1e-60
"""N·s, up to which any is taken as it is: powers of less are no numbers."""


@lean_inline
def cone_impulse(w11, w12, w22, v1, v2, p1, p2, most):
    """Friction impulse that replaces (p1, p2) N·s at a point that slides by (v1, v2) m/s.

    w11, w12, w22: W in 1/kg; most: r in N·s; all of them floats or lanes. Returns its two parts and
    whether it slides.
    """
    b1 = w11 * p1 + w12 * p2 - v1
    b2 = w12 * p1 + w22 * p2 - v2
    det = w11 * w22 - w12 * w12
    moves = det > 0.0
    q1, q2 = w22 * b1 - w12 * b2, w11 * b2 - w12 * b1  # det W⁻¹ b: one division less in a chain
    inverse = select(moves, 1.0 / select(moves, det, 1.0), 0.0)
    held1, held2 = q1 * inverse, q2 * inverse
    held = held1 * held1 + held2 * held2
    slides = (held > most * most) & (held > NO_IMPULSE * NO_IMPULSE)
    if not any_of(slides):
        return held1, held2, slides
    size = root(q1 * q1 + q2 * q2)
    is_tiny = slides & (most * det <= CONE_EXACT * size)  # λ without bound: along b, however small
    is_long = slides & (most * det > CONE_EXACT * size)
    for _ in range(MOST_NEWTON_STEPS):
        is_long = is_long & (size - most * det > CONE_EXACT * most * det)
        if not any_of(is_long):
            break
        # |q|² / qᵀ (W + λ I)⁻¹ q, times the share by which q is too long; λ goes into W
        steep = w22 * q1 * q1 - 2.0 * w12 * q1 * q2 + w11 * q2 * q2
        rise = size * size * (size - most * det) / select(is_long, most * steep, 1.0)
        w11 = select(is_long, w11 + rise, w11)
        w22 = select(is_long, w22 + rise, w22)
        det = w11 * w22 - w12 * w12
        q1 = select(is_long, w22 * b1 - w12 * b2, q1)
        q2 = select(is_long, w11 * b2 - w12 * b1, q2)
        size = select(is_long, root(q1 * q1 + q2 * q2), size)
    q1, q2 = select(is_tiny, b1, q1), select(is_tiny, b2, q2)
    size = select(is_tiny, root(b1 * b1 + b2 * b2), size)
    cut = most / select(slides, size, 1.0)
    return select(slides, q1 * cut, held1), select(slides, q2 * cut, held2), slides
