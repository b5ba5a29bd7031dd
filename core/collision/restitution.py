"""Restitution on the exact path within a step."""

from __future__ import annotations

import math

from ..kernels.jit import inline


@inline
def bounce(gap_before, u, a, h, restitution):
    """Where a ball stands and how fast it is after hitting a wall during a step.

    gap_before ≥ 0 is its distance from the wall at the start of the step, u < 0 its Verlet
    displacement x' − x, a the acceleration, all along the wall's normal. The path is the parabola
    gap + v t + ½ a t² with v = u/h − ½ a h; its first root is the moment of the hit. Returns the
    new gap and the new x − x* from which Verlet goes on along the reflected parabola, exactly.
    """
    v = u / h - 0.5 * a * h
    root = math.sqrt(max(v * v - 2.0 * a * gap_before, 0.0))
    t = 2.0 * gap_before / (root - v) if root - v > 0.0 else 0.0
    t = min(max(t, 0.0), h)
    out = -restitution * (v + a * t)
    left = h - t
    gap = max(out * left + 0.5 * a * left * left, 0.0)
    speed = out + a * left
    return gap, speed * h - 0.5 * a * h * h
