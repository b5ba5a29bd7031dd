"""The relaxation pass over sticks and springs (Jakobsen §4): Gauss–Seidel over scheduled tasks.

Tasks of one phase share no particle, so they may run on any thread in any order and give the
same bits; inside a task, sticks come before springs, in the order of the arrays.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ...kernels.jit import parallel_kernel, prange
from ...vec3 import between, dot, length
from .spring import multiplier
from .stick import NO_WEIGHT, correction, move_ends

Sticks = namedtuple(
    "Sticks",
    [
        "pair",  # (s, 2) particles
        "rest_length",  # (s,) m
        "task_start",  # (tasks + 1,) first stick of each
        "tension",  # (s,) kg·m, Σ λ|e| of all passes, for what may tear; (0,) where nothing does
    ],
)

Springs = namedtuple(
    "Springs",
    [
        "pair",  # (c, 2) particles
        "rest_length",  # (c,) m
        "compliance",  # (c,) m/N
        "multiplier",  # (c,) kg·m, λ: carried from pass to pass of one step
        "task_bound",  # (tasks, 4) bounds of those of every step, of even and of odd ones
        "tension",  # (c,) kg·m, Σ λ of all passes, as of sticks
    ],
)

Pass = namedtuple(
    "Pass",
    [
        "form",  # of the sticks, see `stick.STICK_CODES`
        "over_relaxation",  # multiplies the corrections of sticks; springs give way by themselves
        "turn",  # 0 or 1: springs that take turns act in steps of theirs only
        "is_first",  # multipliers start from 0
        "is_last",  # nobody will ask for the multipliers
        "h",  # s
    ],
)
"""What is the same for all sticks and springs in one pass."""


@parallel_kernel
def relax_distances(particles, sticks, springs, now, first_task, last_task, strain_limit, strained):
    """Project the sticks and springs of tasks first_task … last_task − 1 once.

    Springs that take turns act with the impulse of two steps (multiple time steps, Tuckerman,
    Berne, Martyna 1992). Such a push goes on into the step that is left out, so its own inverse
    mass is added to the compliance: without that a stiff spring would overshoot by half and ring.

    strained (tasks,) becomes 1 where a stick was longer than 1 + strain_limit times its rest
    length before it was corrected, else 0. Indices are read as unsigned: Numba then leaves out the
    test for negative ones, a tenth of the time.
    """
    x, previous, inverse_mass = particles
    stick, stick_rest_length, task_stick, tension = sticks
    (
        spring,
        spring_rest_length,
        spring_compliance,
        spring_multiplier,
        task_spring,
        spring_tension,
    ) = springs
    form, over_relaxation, turn, is_first, is_last, h = now
    measures_sticks, measures_springs = tension.shape[0] > 0, spring_tension.shape[0] > 0
    per_step = 1.0 / (h * h)
    most = (1.0 + strain_limit) * (1.0 + strain_limit)
    for task in prange(first_task, last_task):
        excess = 0.0
        for s in range(task_stick[task], task_stick[task + 1]):
            a = np.uint32(stick[s, 0])
            b = np.uint32(stick[s, 1])
            rest = stick_rest_length[s]
            d = between(x, a, b)
            e = between(previous, a, b)
            excess = max(excess, dot(d, d) - most * rest * rest)
            wa, wb, step, e = correction(
                form, d, e, inverse_mass[a], inverse_mass[b], 1.0, 1.0, rest
            )
            move_ends(x, a, b, wa, wb, step * over_relaxation, e)
            if measures_sticks:
                tension[s] += step * over_relaxation * length(e)
        strained[task] = excess > 0.0
        for part in range(2):
            first = task_spring[task, 0] if part == 0 else task_spring[task, 1 + turn]
            last = task_spring[task, 1] if part == 0 else task_spring[task, 2 + turn]
            factor = per_step / (1.0 + part)
            for s in range(first, last):
                a = np.uint32(spring[s, 0])
                b = np.uint32(spring[s, 1])
                wa = inverse_mass[a]
                wb = inverse_mass[b]
                w = wa + wb + NO_WEIGHT
                known = 0.0 if is_first else spring_multiplier[s]
                softness = spring_compliance[s] * factor + part * w
                d = between(x, a, b)
                e = between(previous, a, b)
                step, added, e = multiplier(d, e, w, spring_rest_length[s], softness, known)
                if not is_last:
                    spring_multiplier[s] = known + added
                move_ends(x, a, b, wa, wb, step, e)
                if measures_springs:
                    spring_tension[s] += added
