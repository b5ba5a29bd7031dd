"""Sticks of what is forced to be longer keep their stretch (`contacts.forced_stretch`).

A stick that asks for its rest length pulls as hard as a step is short, m/2h² a metre: a sheet that
pins stretch by a third swings like a drum, for ever, and a rope throws waves at a hundred metres a
second. Left as they are where they have room, and stiff where they have none, sticks find an even
stretch.

What is pinched where there is no room is in the same plight, without pins to tell by how much. So
where something of infinite mass has just pushed one of its ends, which would put it back, a stick
takes out no more of an old error in a step than `REPAIR_SPEED` does, nor does a spring: soft as it
is, it flings what is three times as long as it. So it goes on for both ends of what has kept some
of its error, or all of it would come back at once where the push ends, and beside it. (As a bound
for all sticks that let cloth grow under its load.)
"""

from __future__ import annotations

import math

from ...kernels.jit import inline, kernel
from ...vec3 import between, length
from .spring import spring_softness

PRESSED, KEEPS = 1, 2
"""Marks of a particle: its sticks take old errors out slowly; one of them has kept some of its."""


COARSE_STICK = 0.1
"""m, a longer stick takes out more by so many times: wide cloth would stretch where it is hit."""


@inline
def _kept(excess, rest, forced, object):
    """Of what a stick is too long by, in m, what it keeps."""
    return min(max(forced.kept * excess, 0.0), forced.most[object] * rest)


@kernel
def find_kept_lengths(previous, sticks, object_of, forced, pressed, at_once, found):
    """How long sticks (s, 2) are taken to be, found (s,) m; object_of (s,).

    Their rest length m and, of what they were too long by a step ago, previous (n, 3) m, what they
    keep. pressed (n,): see `PRESSED`; at_once: m that sticks there take out in a step.
    """
    pair, rest_length, _, _ = sticks
    for s in range(pair.shape[0]):
        a, b, rest = pair[s, 0], pair[s, 1], rest_length[s]
        excess = length(between(previous, a, b)) - rest
        kept = _kept(excess, rest, forced, object_of[s])
        most = at_once * max(1.0, rest / COARSE_STICK)
        if (pressed[a] | pressed[b]) & PRESSED != 0 and kept < excess - most:
            kept = excess - most
            pressed[a] |= KEEPS
            pressed[b] |= KEEPS
        found[s] = rest + kept


@kernel
def find_kept_springs(particles, springs, pressed, at_once, h, found):
    """How long springs (c,) are taken to be, found (c,) m: at rest, but where they are pressed.

    There what a spring makes of an old error in a step is bounded likewise: at_once, m.
    """
    _, previous, inverse_mass = particles
    pair, rest_length, compliance, _, task_bound, _ = springs
    for s in range(pair.shape[0]):
        found[s] = rest_length[s]
    for task in range(task_bound.shape[0]):
        for part in range(3):  # those of every step, and of even and of odd ones
            turns = 1 if part > 0 else 0
            for s in range(task_bound[task, part], task_bound[task, part + 1]):
                a, b = pair[s, 0], pair[s, 1]
                w = inverse_mass[a] + inverse_mass[b]
                if w == 0.0 or (pressed[a] | pressed[b]) & PRESSED == 0:
                    continue
                softness = spring_softness(compliance[s], w, h, turns)
                most = at_once * (1.0 + turns) * (w + softness) / w
                excess = length(between(previous, a, b)) - rest_length[s]
                if abs(excess) > most:
                    found[s] += excess - math.copysign(most, excess)
                    pressed[a] |= KEEPS
                    pressed[b] |= KEEPS


@kernel
def lengthen_strands(previous, rows, forced, object, found):
    """Strands as long as their sticks are taken to be: rows (q,) and found (q,) `STICK`."""
    for k in range(rows.shape[0]):
        found[k] = rows[k]
        p = rows[k]["parent"]
        if p >= 0:
            a, b, rest = rows[p]["particle"], rows[k]["particle"], rows[k]["rest_length"]
            excess = length(between(previous, a, b)) - rest
            found[k]["rest_length"] = rest + _kept(excess, rest, forced, object)
