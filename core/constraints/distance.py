"""The relaxation pass over sticks and springs (Jakobsen §4): Gauss–Seidel over scheduled tasks.

Tasks of one phase share no particle, so they may run on any thread in any order and give the
same bits; inside a task, sticks come before springs, in the order of the arrays.
"""

from __future__ import annotations

import numpy as np

from ..jit import parallel_kernel, prange
from .spring import multiplier
from .stick import NO_WEIGHT, correction


@parallel_kernel
def relax_distances(
    x,
    previous,
    inverse_mass,
    form,
    over_relaxation,
    strain_limit,
    task_strained,
    stick,
    stick_rest_length,
    task_stick,
    spring,
    spring_rest_length,
    spring_compliance,
    spring_pull,
    task_spring,
    first_task,
    last_task,
    turn,
    first_pass,
    last_pass,
    h,
):
    """Project the sticks and springs of tasks first_task … last_task − 1 once.

    Springs that take turns act in steps of their ``turn`` only, 0 or 1, with the impulse of two
    steps (multiple time steps, Tuckerman, Berne, Martyna 1992). Such a push goes on into the step
    that is left out, so its own inverse mass is added to the compliance: without that a stiff
    spring would overshoot by half and ring.

    over_relaxation multiplies the corrections of sticks; springs give way by themselves.
    task_strained (tasks,) becomes 1 where a stick was longer than 1 + strain_limit times its rest
    length before it was corrected, else 0.

    x, previous (n, 3); stick, spring (·, 2) particles; spring_pull (·,) is scratch that carries
    the multipliers from pass to pass of one step. Indices are read as unsigned: Numba then leaves
    out the test for negative ones, a tenth of the time.
    """
    per_step = 1.0 / (h * h)
    most = (1.0 + strain_limit) * (1.0 + strain_limit)
    for task in prange(first_task, last_task):
        excess = 0.0
        for s in range(task_stick[task], task_stick[task + 1]):
            a = np.uint32(stick[s, 0])
            b = np.uint32(stick[s, 1])
            wa = inverse_mass[a]
            wb = inverse_mass[b]
            rest = stick_rest_length[s]
            dx = x[b, 0] - x[a, 0]
            dy = x[b, 1] - x[a, 1]
            dz = x[b, 2] - x[a, 2]
            excess = max(excess, dx * dx + dy * dy + dz * dz - most * rest * rest)
            wa, wb, step, ex, ey, ez = correction(
                form,
                dx,
                dy,
                dz,
                previous[b, 0] - previous[a, 0],
                previous[b, 1] - previous[a, 1],
                previous[b, 2] - previous[a, 2],
                wa,
                wb,
                1.0,
                1.0,
                rest,
            )
            step *= over_relaxation
            x[a, 0] += wa * step * ex
            x[a, 1] += wa * step * ey
            x[a, 2] += wa * step * ez
            x[b, 0] -= wb * step * ex
            x[b, 1] -= wb * step * ey
            x[b, 2] -= wb * step * ez
        task_strained[task] = excess > 0.0
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
                pull = 0.0 if first_pass else spring_pull[s]
                step, added, ex, ey, ez = multiplier(
                    x[b, 0] - x[a, 0],
                    x[b, 1] - x[a, 1],
                    x[b, 2] - x[a, 2],
                    previous[b, 0] - previous[a, 0],
                    previous[b, 1] - previous[a, 1],
                    previous[b, 2] - previous[a, 2],
                    w,
                    spring_rest_length[s],
                    spring_compliance[s] * factor + part * w,
                    pull,
                )
                if not last_pass:
                    spring_pull[s] = pull + added
                x[a, 0] += wa * step * ex
                x[a, 1] += wa * step * ey
                x[a, 2] += wa * step * ez
                x[b, 0] -= wb * step * ex
                x[b, 1] -= wb * step * ey
                x[b, 2] -= wb * step * ez
