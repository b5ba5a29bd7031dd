"""Strain limit: the worst sticks are shortened in rounds of their own (after Provot 1995, §4).

One pass over all sticks leaves each as stiff as m/2h² makes it, so a load of many times the weight
stretches it: by the wind, or where a falling sheet hits. Passes over the few sticks that are too
long cost a fraction of passes over all, and those that are not never notice.

X. Provot, "Deformation Constraints in a Mass-Spring Model to Describe Rigid Cloth Behavior".
"""

from __future__ import annotations

import numpy as np

from ..jit import parallel_kernel, prange
from .stick import correction, mass_weighted

ROUNDS = 10
"""Rounds over the sticks that are too long, at most."""

GENTLE_ROUNDS = 5
"""Of these, rounds that keep the angular momentum; they overshoot where a stick turns fast."""

FIRM_FACTOR = 2.5
"""The last rounds take only sticks longer than the limit by this factor."""


@parallel_kernel
def limit_strain(
    x,
    previous,
    inverse_mass,
    form,
    firm,
    stick,
    stick_rest_length,
    task_stick,
    task_strained,
    first_task,
    last_task,
    limit,
):
    """Bring sticks longer than 1 + limit times their rest length back to it, in strained tasks.

    x, previous (n, 3) m; task_strained (tasks,) 0 where nothing is to be done; it becomes 0 where
    no stick was too long. ``firm`` corrects along the stick as it lies now.
    """
    most = (1.0 + limit) * (1.0 + limit)
    for task in prange(first_task, last_task):
        if task_strained[task] == 0:
            continue
        strained = 0
        for s in range(task_stick[task], task_stick[task + 1]):
            a = np.uint32(stick[s, 0])
            b = np.uint32(stick[s, 1])
            dx = x[b, 0] - x[a, 0]
            dy = x[b, 1] - x[a, 1]
            dz = x[b, 2] - x[a, 2]
            rest = stick_rest_length[s]
            if dx * dx + dy * dy + dz * dz <= most * rest * rest:
                continue
            wa = inverse_mass[a]
            wb = inverse_mass[b]
            if wa + wb == 0.0:
                continue
            if firm:
                step = mass_weighted(dx, dy, dz, wa + wb, rest)
                ex, ey, ez = dx, dy, dz
            else:
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
            strained = 1
            x[a, 0] += wa * step * ex
            x[a, 1] += wa * step * ey
            x[a, 2] += wa * step * ez
            x[b, 0] -= wb * step * ex
            x[b, 1] -= wb * step * ey
            x[b, 2] -= wb * step * ez
        task_strained[task] = strained
