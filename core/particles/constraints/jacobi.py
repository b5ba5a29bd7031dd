"""Relaxation on two copies (Kenwright, "parallel"; Jakobsen §4): a Jacobi pass.

Every particle reads the old copy of its neighbours and writes its own new place, so that the order
of constraints means nothing. All corrections of a pass are added up, which would overshoot; so each
constraint sees its particles split into as many equal parts as constraints pull at them,

    λ = C / (n₁ w₁ + n₂ w₂),   x₁ += w₁ λ e,   x₂ −= w₂ λ e

(mass splitting: Tonge, Benevolenski, Voroshilov 2012, §4). Both ends still get equal and opposite
impulses, which averaging by each particle's own count (Macklin et al. 2014, "Unified Particle
Physics", §4.2) would not give; the fixed point is that of Gauss–Seidel.
"""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING

import numpy as np

from ...kernels.jit import parallel_kernel, prange
from ...vec3 import ZERO, add, along, between, length, load, store
from .spring import multiplier
from .stick import correction

if TYPE_CHECKING:
    from ...model import Model

Adjacency = namedtuple(
    "Adjacency",
    [
        "start",  # (n + 1,) first entry of each particle
        "row",  # stick s as s, spring c as (sticks + c), rising within a particle
        "share",  # (n,) constraints that act in the same step, at least 1
        "spring_turn",  # (c,) −1 in every step, 0 and 1 in turns
    ],
)
"""Which sticks and springs pull at each particle."""

Before = namedtuple("Before", ["x", "multiplier"])
"""The copy that a pass reads: places (n, 3) m and multipliers (c,) of springs, kg·m."""


def adjacency_of(model: Model) -> Adjacency:
    """The adjacency of a model's sticks and springs."""
    count = len(model.particles)
    ends = np.concatenate([model.sticks.pair, model.springs.pair]).astype(np.int32)
    turn = np.full(len(model.springs), -1, dtype=np.int32)
    for _, first, second, last in model.schedule.task_spring:
        turn[first:second] = 0
        turn[second:last] = 1
    particle = ends.reshape(-1)
    order = np.argsort(particle, kind="stable")
    start = np.searchsorted(particle[order], np.arange(count + 1)).astype(np.int32)
    always = np.concatenate([np.ones(len(model.sticks), dtype=bool), turn < 0])
    share = np.bincount(ends[always].reshape(-1), minlength=count)
    in_turns = [
        np.bincount(model.springs.pair[turn == t].reshape(-1), minlength=count) for t in (0, 1)
    ]
    return Adjacency(
        start=start,
        row=(order // 2).astype(np.int32),
        share=np.maximum(share + np.maximum(*in_turns), 1).astype(np.float64),
        spring_turn=turn,
    )


@parallel_kernel
def relax_jacobi(particles, before, sticks, springs, adjacency, now):
    """One pass over all particles: reads ``before``, writes x and the springs' multipliers.

    A spring's multiplier is written by its first end. Records: see `distance`.
    """
    x, previous, inverse_mass = particles
    old, old_multiplier = before
    stick, stick_rest_length, _, tension = sticks
    spring, spring_rest_length, spring_compliance, spring_multiplier, _, spring_tension = springs
    start, row, share, spring_turn = adjacency
    form, over_relaxation, turn, is_first, _, h = now
    count = stick.shape[0]
    per_step = 1.0 / (h * h)
    for i in prange(x.shape[0]):
        moved = ZERO
        for k in range(start[i], start[i + 1]):
            r = row[k]
            if r < count:
                a, b = stick[r, 0], stick[r, 1]
            else:
                a, b = spring[r - count, 0], spring[r - count, 1]
                part = spring_turn[r - count]
                if part >= 0 and part != turn:
                    continue
            wa = inverse_mass[a]
            wb = inverse_mass[b]
            if wa + wb == 0.0:
                continue
            d = between(old, a, b)
            e = between(previous, a, b)
            if r < count:
                wa, wb, step, e = correction(
                    form, d, e, wa, wb, share[a], share[b], stick_rest_length[r]
                )
                step *= over_relaxation
                if i == a and tension.shape[0] > 0:
                    tension[r] += step * length(e)
            else:
                c = r - count
                taking = 1.0 if part >= 0 else 0.0  # see relax_distances
                known = 0.0 if is_first else old_multiplier[c]
                softness = spring_compliance[c] * per_step / (1.0 + taking) + taking * (wa + wb)
                w = share[a] * wa + share[b] * wb
                step, added, e = multiplier(d, e, w, spring_rest_length[c], softness, known)
                if i == a:
                    spring_multiplier[c] = known + added
                    if spring_tension.shape[0] > 0:
                        spring_tension[c] += added
            moved = along(moved, step * (wa if i == a else -wb), e)
        store(x, i, add(load(old, i), moved))
