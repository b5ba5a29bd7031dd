"""What two surfaces make of a contact: friction, restitution, and what overlapped before."""

from __future__ import annotations

import math

from ..kernels.jit import lean_inline
from ..kernels.lanes import larger, smaller
from ..vec3 import length, scale

RESTING_FALLS = 4.0
"""What approaches by less than this many falls (g h²) in a step rests: it does not bounce."""

OVERLAP_SPEED = 1.0
"""Fastest parting of particles and what they overlap from the start, m/s."""

LEAST_LEVER = 0.1
"""Contacts push nothing that goes ten times as far as it parts them: cloth beside a pin."""


@lean_inline
def joint_friction(one, other):
    """Friction of two surfaces: the geometric mean."""
    return math.sqrt(one * other)


@lean_inline
def joint_restitution(one, other):
    """Restitution of two surfaces: the larger."""
    return max(one, other)


@lean_inline
def normal_sum(before, change):
    """The impulse of all passes along the normal, which may push and never pulls (Catto 2005).

    Floats or lanes, in any unit of impulse; the same of `normal_change`.
    """
    return larger(0.0, before + change)


@lean_inline
def normal_change(before, change):
    """What is left of a change where it would take back more than there was: `normal_sum` − before.

    Rounded once, so that what was changed is known to the last bit.
    """
    return larger(change, -before)


@lean_inline
def within_cone(p, limit):
    """What friction holds with where p would stop all sliding: p, at most ``limit`` (Coulomb)."""
    size = length(p)
    if size > limit:
        p = scale(limit / size, p)
    return p


@lean_inline
def overlap_before(gap, approach):
    """Depth that was there before a step in which the gap changed by ``approach``."""
    return max(0.0, approach - gap)


@lean_inline
def parting(depth, share, most):
    """How much of an overlap is taken back at a time: a share of its depth, at most so much.

    depth m ≥ 0; most in m, or in m/s with a share per second; floats or lanes. It moves x and x*
    alike, or is a speed that is taken back after the move. Shares and speeds are their users': a
    vertex in a heap of cloth has thirty contacts, a ball twelve, a particle on a collider one.
    """
    return smaller(share * depth, most)
