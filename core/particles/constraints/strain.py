"""Strain limit: the worst sticks are shortened in rounds of their own (after Provot 1995, §4).

One pass over all sticks leaves each as stiff as m/2h² makes it, so a load of many times the weight
stretches it: by the wind, or where a falling sheet hits. Passes over the few sticks that are too
long cost a fraction of passes over all, and those that are not never notice.

A stick that is too long is brought back beyond the limit by half as much as it had passed it, at
most to its rest length. To that at once would be a correction that jumps where the limit is passed:
it never finds a balance with what stretches the stick, and folds that pull at it trembled for ever,
in cycles of three steps. To the limit alone would be too little in so few rounds: fourteen of 24
figures slid out of a hammock that was to hold them.

X. Provot, "Deformation Constraints in a Mass-Spring Model to Describe Rigid Cloth Behavior".
"""

from __future__ import annotations

import math

import numpy as np

from ...kernels.jit import lean_inline, parallel_kernel, prange
from ...vec3 import between, dot, length
from .stick import correction, mass_weighted, move_ends

STRAIN_ROUNDS = 10
"""Rounds over the sticks that are too long, at most."""

GENTLE_ROUNDS = 5
"""Of these, rounds that keep the angular momentum; they overshoot where a stick turns fast."""

BEYOND = 0.5
"""Over-relaxation: how far back beyond the limit a stick is brought, as a share of its excess."""

FIRM_FACTOR = 2.5
"""The last rounds take only sticks longer than the limit by this factor."""


@parallel_kernel
def limit_strain(particles, sticks, form, limit, phase_task, task_strained):
    """Bring sticks longer than 1 + limit times their rest length back, in strained tasks.

    phase_task (phases + 1,) bounds the tasks of each phase, which share no particle; task_strained
    (tasks,) 0 where nothing is to be done: it becomes 0 where no stick was too long.
    """
    phases = phase_task.shape[0] - 1
    for number in range(STRAIN_ROUNDS):
        left = 0
        for task in range(task_strained.shape[0]):
            left += task_strained[task]
        if left == 0:
            break
        firm = number >= GENTLE_ROUNDS
        longest = limit * (FIRM_FACTOR if firm else 1.0)
        for phase in range(phases):
            for task in prange(phase_task[phase], phase_task[phase + 1]):
                if task_strained[task] != 0:
                    task_strained[task] = _shorten(particles, sticks, form, firm, longest, task)


@lean_inline
def _shorten(particles, sticks, form, firm, limit, task):
    """Once over the sticks of a task; 1 where any was too long, else 0.

    ``firm`` corrects along the stick as it lies now.
    """
    x, previous, inverse_mass = particles
    stick, rest_length, task_start, tension = sticks
    strained = 0
    for s in range(task_start[task], task_start[task + 1]):
        a = np.uint32(stick[s, 0])
        b = np.uint32(stick[s, 1])
        d = between(x, a, b)
        longest = (1.0 + limit) * rest_length[s]
        square = dot(d, d)
        if square <= longest * longest:
            continue
        wanted = max(rest_length[s], longest - BEYOND * (math.sqrt(square) - longest))
        wa = inverse_mass[a]
        wb = inverse_mass[b]
        if wa + wb == 0.0:
            continue
        if firm:
            step = mass_weighted(d, wa + wb, wanted)
            e = d
        else:
            e = between(previous, a, b)
            wa, wb, step, e = correction(form, d, e, wa, wb, 1.0, 1.0, wanted)
        strained = 1
        move_ends(x, a, b, wa, wb, step, e)
        if tension.shape[0] > 0:
            tension[s] += step * length(e)
    return strained
