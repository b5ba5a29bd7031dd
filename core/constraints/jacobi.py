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

from dataclasses import dataclass

import numpy as np

from ..jit import parallel_kernel, prange
from ..model import Floats, Ints, Model
from .spring import multiplier
from .stick import correction


@dataclass(frozen=True)
class Adjacency:
    """Which sticks and springs pull at each particle."""

    start: Ints  # (n + 1,) first entry of each particle
    row: Ints  # stick s as s, spring c as (sticks + c), rising within a particle
    share: Floats  # (n,) constraints that act in the same step, at least 1
    spring_turn: Ints  # (c,) −1 in every step, 0 and 1 in turns


def adjacency_of(model: Model) -> Adjacency:
    """The adjacency of a model's sticks and springs."""
    count = model.particle_count
    ends = np.concatenate([model.stick, model.spring]).astype(np.int32)
    turn = np.full(len(model.spring), -1, dtype=np.int32)
    for _, first, second, last in model.task_spring:
        turn[first:second] = 0
        turn[second:last] = 1
    particle = ends.reshape(-1)
    order = np.argsort(particle, kind="stable")
    start = np.searchsorted(particle[order], np.arange(count + 1)).astype(np.int32)
    always = np.concatenate([np.ones(len(model.stick), dtype=bool), turn < 0])
    share = np.bincount(ends[always].reshape(-1), minlength=count)
    in_turns = [np.bincount(model.spring[turn == t].reshape(-1), minlength=count) for t in (0, 1)]
    return Adjacency(
        start=start,
        row=(order // 2).astype(np.int32),
        share=np.maximum(share + np.maximum(*in_turns), 1).astype(np.float64),
        spring_turn=turn,
    )


@parallel_kernel
def relax_jacobi(
    x,
    old,
    previous,
    inverse_mass,
    form,
    over_relaxation,
    stick,
    stick_rest_length,
    spring,
    spring_rest_length,
    spring_compliance,
    spring_turn,
    spring_pull,
    old_pull,
    start,
    row,
    share,
    turn,
    first_pass,
    h,
):
    """One pass over all particles: reads old (n, 3) m and old_pull (c,), writes x and spring_pull.

    A spring's multiplier is written by its first end.
    """
    sticks = stick.shape[0]
    per_step = 1.0 / (h * h)
    for i in prange(x.shape[0]):
        sx, sy, sz = 0.0, 0.0, 0.0
        for k in range(start[i], start[i + 1]):
            r = row[k]
            if r < sticks:
                a, b = stick[r, 0], stick[r, 1]
            else:
                a, b = spring[r - sticks, 0], spring[r - sticks, 1]
                part = spring_turn[r - sticks]
                if part >= 0 and part != turn:
                    continue
            wa = inverse_mass[a]
            wb = inverse_mass[b]
            if wa + wb == 0.0:
                continue
            dx = old[b, 0] - old[a, 0]
            dy = old[b, 1] - old[a, 1]
            dz = old[b, 2] - old[a, 2]
            ex = previous[b, 0] - previous[a, 0]
            ey = previous[b, 1] - previous[a, 1]
            ez = previous[b, 2] - previous[a, 2]
            if r < sticks:
                wa, wb, step, ex, ey, ez = correction(
                    form,
                    dx,
                    dy,
                    dz,
                    ex,
                    ey,
                    ez,
                    wa,
                    wb,
                    share[a],
                    share[b],
                    stick_rest_length[r],
                )
                step *= over_relaxation
            else:
                c = r - sticks
                taking = 1.0 if part >= 0 else 0.0  # see relax_distances
                pull = 0.0 if first_pass else old_pull[c]
                step, added, ex, ey, ez = multiplier(
                    dx,
                    dy,
                    dz,
                    ex,
                    ey,
                    ez,
                    share[a] * wa + share[b] * wb,
                    spring_rest_length[c],
                    spring_compliance[c] * per_step / (1.0 + taking) + taking * (wa + wb),
                    pull,
                )
                if i == a:
                    spring_pull[c] = pull + added
            step *= wa if i == a else -wb
            sx += step * ex
            sy += step * ey
            sz += step * ez
        x[i, 0] = old[i, 0] + sx
        x[i, 1] = old[i, 1] + sy
        x[i, 2] = old[i, 2] + sz
