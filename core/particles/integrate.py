"""Position Verlet with drag (Jakobsen §2; Kenwright eq. 6, 11, 12).

    x' = x + (1 − β)(x − x*) + a h²,   x* = x

No velocity is stored: it is the difference of the last two positions.
"""

from __future__ import annotations

from collections import namedtuple

from ..arrays import Floats
from ..elementary import exp
from ..kernels.jit import kernel, parallel_kernel, prange
from ..model import State

DrivenPins = namedtuple(
    "DrivenPins",
    [
        "particle",  # (p,)
        "weight",  # (p,) 1: goes where it is driven, less: is drawn there
        "start",  # (p, 3) m, where its way in this frame begins
        "end",  # (p, 3) m, and where it ends
    ],
)
"""Pins on the straight ways that inputs drive them along in a frame."""


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
def move_pins(x, previous, pins, share):
    """Drive pins of full weight along their ways, to where a share of these is done."""
    particle, weight, start, end = pins
    for j in range(particle.shape[0]):
        if weight[j] < 1.0:
            continue
        i = particle[j]
        for k in range(3):
            previous[i, k] = x[i, k]
            x[i, k] = start[j, k] + share * (end[j, k] - start[j, k])


@kernel
def drag_per_step(drag, h, keep):
    """Write 1 − β for each drag (n,) in 1/s: the same velocity is lost per second at any step."""
    for i in range(drag.shape[0]):
        keep[i] = exp(-drag[i] * h)


def change_step(state: State, h: float, acceleration: Floats) -> None:
    """Lay x* out for a new step h, in place: time-corrected Verlet (Kenwright eq. 11).

    Eq. 11 scales (x − x*) by h_n/h_{n−1} and forgets that this difference is the velocity half a
    step ago; ½·a·h_n·(h_{n−1} − h_n) brings it to the present, which makes free flight exact.
    acceleration (n, 3) m/s² at the present places; zeros where (x − x*)/h is the velocity at x
    itself.
    """
    old = state.step
    if h == old:
        return
    travelled = (state.position - state.previous) * (h / old)
    travelled += 0.5 * h * (old - h) * acceleration
    state.previous[:] = state.position - travelled
    state.step = h


def start_from(state: State, h: float, gravity: Floats, acceleration: Floats) -> None:
    """Lay the x* of `Model.initial_state` out anew, in place, for step h.

    There x* = x − v h₀ + ½ g h₀². gravity (n, 3) m/s², 0 for pinned particles; acceleration (n, 3)
    is that of all forces for integrators whose (x − x*)/h is the velocity half a step ago, zeros
    for those that keep the velocity at x.
    """
    velocity = (state.position - state.previous) / state.step + 0.5 * state.step * gravity
    state.previous[:] = state.position - (velocity * h - 0.5 * h * h * acceleration)
    state.step = h
