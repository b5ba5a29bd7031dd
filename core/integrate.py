"""Position Verlet with drag (Jakobsen §2; Kenwright eq. 6, 11, 12).

    x' = x + (1 − β)(x − x*) + a h²,   x* = x

No velocity is stored: it is the difference of the last two positions.
"""

from __future__ import annotations

import numpy as np

from .jit import kernel, parallel_kernel, prange
from .model import Floats, State


@parallel_kernel
def position_verlet(x, previous, inverse_mass, keep, gravity, force, has_force, h):
    """One step of all free particles; pinned ones stand still.

    x, previous (n, 3) m; keep (n,) = 1 − β; gravity (3,) m/s²; force (n, 3) N; h in s.
    """
    for i in prange(x.shape[0]):
        w = inverse_mass[i]
        for k in range(3):
            now = x[i, k]
            if w > 0.0:
                a = gravity[k]
                if has_force:
                    a += w * force[i, k]
                x[i, k] = now + keep[i] * (now - previous[i, k]) + a * h * h
            previous[i, k] = now


@kernel
def move_pins(x, previous, pinned, weight, start, end, share):
    """Drive particles of full weight along the straight line from start to end (p, 3)."""
    for j in range(pinned.shape[0]):
        if weight[j] < 1.0:
            continue
        i = pinned[j]
        for k in range(3):
            previous[i, k] = x[i, k]
            x[i, k] = start[j, k] + share * (end[j, k] - start[j, k])


def drag_per_step(drag: Floats, h: float) -> Floats:
    """1 − β for a drag in 1/s: the same velocity is lost per second at any step."""
    return np.exp(-drag * h)


def change_step(state: State, inverse_mass: Floats, gravity: Floats, h: float) -> None:
    """Lay x* out for a new step h: time-corrected Verlet (Kenwright eq. 11).

    Eq. 11 scales (x − x*) by h_n/h_{n−1} and forgets that this difference is the velocity half a
    step ago; ½·a·h_n·(h_{n−1} − h_n) brings it to the present, which makes free flight exact.
    """
    old = state.step
    if h == old:
        return
    moves = (inverse_mass > 0.0)[:, None]
    travelled = (state.position - state.previous) * (h / old)
    travelled += 0.5 * h * (old - h) * np.asarray(gravity) * moves
    state.previous = state.position - travelled
    state.step = h
