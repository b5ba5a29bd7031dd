"""A substep of many bodies that hang on no joints: a list of passes, each over many threads.

What `step.run_substeps` does to such bodies, cut into passes. A pass goes over blocks of bodies, or
over tasks of contacts phase by phase (`contact_order`): no two tasks of a phase push the same body.
So a pass gives the same bits for any number of threads, and the same as `run_substeps` on rows that
lie in this order.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ..arrays import Ints
from ..kernels.jit import lean, parallel_kernel, prange
from .contacts.contact_aim import aim_manifold
from .contacts.contact_groups import clear_touched
from .contacts.contact_order import PHASES
from .contacts.contact_point import contact_speed
from .contacts.contact_sweep import solve_pair
from .contacts.contact_table import NORMAL, BodyContacts
from .contacts.position_correction import (
    ITERATIONS,
    begin_parting,
    is_driven_apart,
    keep_apart,
    push_pair_apart,
    take_back,
    touch_both,
)
from .contacts.warm_start import warm_manifold
from .owners import (
    accelerate_body,
    drive_owners,
    move_body,
    move_colliders,
    write_momentum,
)
from .step import BEGIN, END, MOVE, STILLING, WHOLE

DRIVE_OWNERS, MOVE_COLLIDERS, ACCELERATE, MOVE_BODIES, TAKE_MOMENTA = range(5)
"""Passes over owners, the first two of them by one thread."""

WARM, SOLVE_AHEAD, BEGIN_PARTING, PART, AIM, TAKE_BACK, SOLVE_AFTER = range(5, 12)
"""Passes over contacts."""

AIMING = np.array([AIM], dtype=np.int32)
"""The pass that makes new contacts ready."""

BODIES_AT_A_TIME = 256
"""Bodies that a thread deals with at a time."""

Table = namedtuple("Table", ["rows", "origin", "rim"])
"""Contacts that nothing hangs on: parallel loops take no tuples of tuples."""


def is_shared(contacts: BodyContacts) -> bool:
    """Whether `run_passes` may solve these contacts, of bodies that hang on no joints.

    Bounces, rims and heavy on light have ways of their own: `run_substeps` goes them.
    """
    is_special = contacts.bouncy[0] or contacts.rims[0] or contacts.islands.uneven[0]
    return bool(contacts.order.phases[0]) and not (is_special or contacts.buffer.is_jacobi)


def can_aim(contacts: BodyContacts) -> bool:
    """Whether `run_passes` may aim these contacts, which are new."""
    return bool(contacts.order.phases[0]) and not contacts.rims[0]


def passes_of(part: int, iterations: int) -> Ints:
    """The passes of a part of a substep."""
    ahead = [SOLVE_AHEAD] * max(iterations, 1) + [BEGIN_PARTING] + [PART] * ITERATIONS * iterations
    passes = []
    if part in (WHOLE, BEGIN):
        passes += [DRIVE_OWNERS, ACCELERATE, WARM, *ahead]
    if part == MOVE:
        passes += [TAKE_BACK, *ahead]
    if part in (WHOLE, MOVE):
        passes += [MOVE_BODIES, MOVE_COLLIDERS]
    if part in (WHOLE, END):
        passes += [AIM, *[SOLVE_AFTER] * max(STILLING * iterations, 1), TAKE_MOMENTA]
    return np.array(passes, dtype=np.int32)


@lean
def _pass_over_bodies(what, owners, moves, h, first, last):
    """One pass over bodies first … last − 1."""
    for b in range(first, last):
        if what == ACCELERATE:
            accelerate_body(owners, moves, b, h)
        elif what == MOVE_BODIES:
            move_body(owners, moves, b, h)
        elif owners.inverse_mass[b] > 0.0:
            write_momentum(owners, b)


@lean
def _pass_over_rows(what, table, owners, groups, relaxation, h, first, last):
    """One pass over the manifolds of rows first … last − 1; 1 if more is to do, else 0."""
    rows = table.rows
    is_any = 0
    while first < last:
        start = first
        first += rows[start]["points"]
        if what == WARM:
            warm_manifold(rows, start, owners)
        elif what in (SOLVE_AHEAD, SOLVE_AFTER):
            is_ahead = what == SOLVE_AHEAD
            solve_pair(table, start, owners, relaxation, h, is_ahead, False, False)
        elif what == PART:
            is_driven = is_driven_apart(groups, rows, start)
            if is_driven and push_pair_apart(rows, start, owners, relaxation):
                touch_both(groups, rows[start], owners)
                is_any = 1
        else:
            if what == AIM:
                aim_manifold(table, start, owners, False)
            for c in range(start, first):
                if what != BEGIN_PARTING:
                    take_back(rows[c], owners)
                    continue
                begin_parting(rows[c], h)
                if rows[c]["parting_speed"] > 0.0:
                    is_any = 1
                else:
                    keep_apart(rows[c], contact_speed(rows[c], NORMAL, owners), h)
    return is_any


@parallel_kernel
def run_passes(passes, owners, moves, drive, contacts, groups, h, span):
    """Substeps of h s, each of these passes; groups: of these contacts."""
    table = Table(contacts.rows, contacts.origin, contacts.rim)
    relaxation = contacts.buffer.relaxation
    first_row, first_task = contacts.order.first_row, contacts.order.first_task
    found, tasks = contacts.order.found, contacts.order.first_task[PHASES]
    contacts.struck[0] = 0
    contacts.swings[0] = 0
    for substep in range(span.first, span.last):
        is_parting = False
        for n in range(passes.shape[0]):
            what = passes[n]
            if what == DRIVE_OWNERS:
                share = (substep + 1) / span.substeps
                drive_owners(owners, drive, substep / span.substeps, share, h)
            elif what == MOVE_COLLIDERS:
                move_colliders(owners, moves, h)
            elif what <= TAKE_MOMENTA:
                for k in prange((moves.count + BODIES_AT_A_TIME - 1) // BODIES_AT_A_TIME):
                    last = min((k + 1) * BODIES_AT_A_TIME, moves.count)
                    _pass_over_bodies(what, owners, moves, h, k * BODIES_AT_A_TIME, last)
            elif what != PART or is_parting:
                if what == BEGIN_PARTING:
                    clear_touched(groups)
                is_one = what == BEGIN_PARTING  # which pushes nothing
                for phase in range(1 if is_one else PHASES):
                    begin = first_task[phase]
                    end = tasks if is_one else first_task[phase + 1]
                    for k in prange(end - begin):
                        t = begin + k
                        found[t] = _pass_over_rows(
                            what,
                            table,
                            owners,
                            groups,
                            relaxation,
                            h,
                            first_row[t],
                            first_row[t + 1],
                        )
                is_parting = _sum(found, tasks) > 0


@lean
def _sum(found, tasks):
    """What has been found in so many tasks."""
    total = 0
    for t in range(tasks):
        total += found[t]
    return total
