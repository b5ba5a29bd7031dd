"""Restitution on the exact path within a step."""

from __future__ import annotations

import math

from ..kernels.jit import inline, lean_inline


@lean_inline
def time_of_hit(gap, v, a, h):
    """When in a step of h s a wall is hit that is ``gap`` ≥ 0 m away: s, from 0 to h.

    The first root of the parabola gap + v t + ½ a t², with v m/s and a m/s² along the wall's
    normal; written so that nothing cancels, nor divides by a.
    """
    root = math.sqrt(max(v * v - 2.0 * a * gap, 0.0))
    t = 2.0 * gap / (root - v) if root - v > 0.0 else 0.0
    return min(max(t, 0.0), h)


@inline
def bounce(gap_before, u, a, h, restitution):
    """Where a ball stands and how fast it is after hitting a wall during a step.

    gap_before ≥ 0 is its distance from the wall at the start of the step, u < 0 its Verlet
    displacement x' − x, a the acceleration, all along the wall's normal. The path is the parabola
    gap + v t + ½ a t² with v = u/h − ½ a h, up to `time_of_hit`. Returns the new gap and the new
    x − x* from which Verlet goes on along the reflected parabola, exactly (Kenwright §III).
    """
    v = u / h - 0.5 * a * h
    t = time_of_hit(gap_before, v, a, h)
    out = -restitution * (v + a * t)
    left = h - t
    gap = max(out * left + 0.5 * a * left * left, 0.0)
    speed = out + a * left
    return gap, speed * h - 0.5 * a * h * h
