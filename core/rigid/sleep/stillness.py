"""What counts as still: speeds, loads and seconds that falling asleep and waking share."""

from __future__ import annotations

import math

import numpy as np

from ...kernels.jit import inline, lean_inline
from ...vec3 import length, sub

REST_TIME = 0.5
"""Seconds of stillness after which a body, or a heap of balls, may sleep."""

LONGEST_AWAKE = float(np.nextafter(REST_TIME, 0.0))
"""s, the longest rest of what is still awake, for all that it lies on or beside is not ready."""

STILL_SHARE = 0.02
"""A body is still when its fastest point moves, from one end of a frame to the other, by less than
this times √(gravity × its size) in a second."""

CHANGE = 2.0
"""Loads are others when they make a body this much faster than still in `REST_TIME`."""


@inline
def still_speed(radius, root_gravity):
    """Speed in m/s below which a body of that radius (m) is still; root_gravity: √g."""
    return STILL_SHARE * root_gravity * math.sqrt(radius)


@lean_inline
def is_other_load(load, last_load, still):
    """Whether the load of a body has changed by what makes it faster than still (m/s) soon."""
    return length(sub(load, last_load)) * REST_TIME > CHANGE * still


@inline
def are_free(owners, body_count, a, b):
    """Whether both are bodies that nothing drives, awake or asleep."""
    if a < 0 or b < 0 or a >= body_count or b >= body_count:
        return False
    return owners.driven[a] == 0 and owners.driven[b] == 0
