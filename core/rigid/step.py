"""One substep of everything rigid: the loop whose parts are the other files of this folder."""

from __future__ import annotations

import math

from ..jit import lean, lean_inline, lean_kernel
from .contact_rows import aim_rows, warm_rows
from .contact_solver import HARD_PASSES, passes_now, solve_rows
from .joined_contacts import (
    EVERY,
    MOST_PASSES,
    change_of_pushes,
    let_all_go_on,
    let_loose_go_on,
    let_same_close,
    let_touching_go_on,
    look_ahead_of_passes,
)
from .joint_axes import aim_joints
from .joint_demands import ask_joints, note_speeds, warm_joints
from .joint_solver import solve_joints
from .joint_state import load_joints
from .joint_stiffness import keep_stiffness, stiffen
from .overlap import part_overlaps, take_back_parting
from .owners import (
    accelerate_bodies,
    drive_owners,
    move_bodies,
    move_colliders,
    take_momenta,
)

WHOLE, BEGIN, MOVE, END = range(4)
"""Parts of a substep."""

COLLIDE_EVERY = 4
"""Substeps after which it is looked anew where bodies touch; in between, points move with them."""


STILLING = 2
"""Times as many passes over contacts after the move as before it: with one, heaps of hundreds of
bodies go on creeping. What hangs on joints has passes of its own (`joined_contacts`)."""

STIFFENINGS = 3
"""Largest number of times that inertias are raised in one substep."""


@lean
def _solve(owners, rows, row_count, joints, joined, seen, passes, h, is_biased, is_begun):
    """Passes over contacts and joints, which come last.

    What comes last holds. Contacts may miss by a little what they want, and find it in the steps
    that follow; joints that contacts leave pulled apart make ragdolls that lie on each other creep.
    is_begun: the first pass over joints is done.
    """
    has_joints = joints.component.shape[0] > 1
    least = passes_now(rows, row_count, passes, joined, h)
    if not is_biased:
        least = max(least, STILLING * passes) if has_joints else STILLING * least
    least = max(least, 1)
    before = 0.0
    trusted = math.inf  # N·s, what a pass changed when it was last looked ahead
    let_all_go_on(joined)
    if not is_begun:
        solve_joints(joints, owners, joined.goes_on, h, is_biased)
    if row_count == 0:
        return
    for n in range(max(least, MOST_PASSES)):
        solve_rows(rows, row_count, owners, seen, h, is_biased, joined, n >= least)
        is_over = n + 1 >= least
        if not has_joints:
            if is_over:
                break
            continue
        if n == 0:
            let_touching_go_on(rows, row_count, joined)
        let_same_close(joined)
        if is_over:
            is_hard = n + 1 < HARD_PASSES
            is_over = not let_loose_go_on(joints, owners, joined, h, n + 1 == least, is_hard)
        solve_joints(joints, owners, joined.closes, h, is_biased)
        if is_over:
            break
        change = change_of_pushes(rows, row_count, joined)
        if n % EVERY == EVERY - 1 and n + 1 < max(least, MOST_PASSES) and before > 0.0:
            if change < trusted:  # else looking ahead has led away: passes by themselves lead back
                look_ahead_of_passes(rows, row_count, owners, joined, change / before)
            trusted = change
            change = 0.0
        before = change


@lean_inline
def _begin(
    bodies,
    owners,
    drive,
    rows,
    row_count,
    joints,
    joined,
    seen,
    passes,
    h,
    share_before,
    share,
):
    """Velocities of the substep: gravity and forces, then what contacts and joints make of it."""
    drive_owners(owners, drive, share_before, share, h)
    note_speeds(joints, owners, h)
    accelerate_bodies(owners, bodies, h)
    warm_rows(rows, row_count, owners, bodies.gravity, h)
    warm_joints(joints, owners, h)
    let_all_go_on(joined)
    solve_joints(joints, owners, joined.goes_on, h, True)
    for _ in range(STIFFENINGS):
        if not stiffen(joints, owners, h):
            break
        aim_rows(rows, row_count, owners)
        solve_joints(joints, owners, joined.goes_on, h, True)
    if row_count > 0:
        _solve(owners, rows, row_count, joints, joined, seen, passes, h, True, True)
        part_overlaps(rows, row_count, owners, seen, joined, passes, h)


@lean_inline
def _move(bodies, owners, joints, h):
    """Places at the end of the substep."""
    keep_stiffness(joints, owners, h)
    move_bodies(owners, bodies, h)
    move_colliders(owners, bodies, h)


@lean_inline
def _end(bodies, owners, rows, row_count, joints, joined, seen, passes, h):
    """Velocities without what drove overlaps apart."""
    aim_rows(rows, row_count, owners)
    take_back_parting(rows, row_count, owners)
    aim_joints(joints, owners)
    ask_joints(joints, owners, h)
    _solve(owners, rows, row_count, joints, joined, seen, passes, h, False, False)
    load_joints(joints, h, COLLIDE_EVERY)
    take_momenta(owners, bodies)


@lean_kernel
def run_substeps(
    part,
    bodies,
    owners,
    drive,
    rows,
    row_count,
    joints,
    joined,
    seen,
    passes,
    h,
    first,
    last,
    substeps,
):
    """Substeps first … last − 1 of a frame's: all of them, or one part of one.

    `BEGIN` leads up to where particles meet the bodies; `MOVE` goes on from there, for what the
    particles did has to agree with contacts and joints; `END` comes after the particles took back
    the speed of what was place alone. One kernel, for it takes long to compile.
    """
    for substep in range(first, last):
        if part in (WHOLE, BEGIN):
            share_before = substep / substeps
            share = (substep + 1) / substeps
            _begin(
                bodies,
                owners,
                drive,
                rows,
                row_count,
                joints,
                joined,
                seen,
                passes,
                h,
                share_before,
                share,
            )
        elif part == MOVE:
            take_back_parting(rows, row_count, owners)
            _solve(owners, rows, row_count, joints, joined, seen, passes, h, True, False)
            part_overlaps(rows, row_count, owners, seen, joined, passes, h)
        if part in (WHOLE, MOVE):
            _move(bodies, owners, joints, h)
        if part in (WHOLE, END):
            _end(bodies, owners, rows, row_count, joints, joined, seen, passes, h)
