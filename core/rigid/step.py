"""One substep of everything rigid: the loop whose parts are the other files of this folder."""

from __future__ import annotations

import math

from ..kernels.jit import lean, lean_inline, lean_kernel
from .articulation.limb_response import begin_passes, forget_stale, learn_responses
from .contacts.conjugate_contacts import scale_remembered, settle_uneven
from .contacts.contact_rows import aim_rows, warm_rows
from .contacts.contact_solver import passes_now, solve_rows
from .contacts.jointed_contacts import MOST_PASSES, let_all_go_on, let_none_stir, let_off_go_on
from .contacts.limb_impulses import begin_limbs, end_limbs, forget_answers
from .contacts.position_correction import part_overlaps, take_back_parting
from .joints.joint_axes import aim_joints
from .joints.joint_solver import solve_joints
from .joints.joint_state import load_joints
from .joints.joint_stiffness import keep_stiffness, stiffen
from .joints.joint_targets import ask_joints, foresee_again, note_speeds, warm_joints
from .owners import accelerate_bodies, drive_owners, move_bodies, move_colliders, take_momenta

WHOLE, BEGIN, MOVE, END = range(4)
"""Parts of a substep."""

COLLIDE_EVERY = 4
"""Substeps after which it is looked anew where bodies touch; in between, points move with them."""


STILLING = 2
"""Times as many passes over contacts after the move as before it: with one, heaps of hundreds of
bodies go on creeping. What hangs on joints has passes of its own (`jointed_contacts`)."""

FORESIGHTS = 3
"""Largest number of times that joints are solved again for the turns that their impulses make."""

STIFFENINGS = 3
"""Largest number of times that inertias are raised in one substep."""


@lean_inline
def _size_of(v):
    return math.sqrt(v[0] ** 2 + v[1] ** 2 + v[2] ** 2)


@lean
def _solve(
    bodies,
    owners,
    rows,
    row_count,
    islands,
    joints,
    joined,
    limbs,
    seen,
    passes,
    h,
    is_biased,
    is_begun,
):
    """Passes over contacts and joints, which come last.

    What comes last holds. Contacts may miss by a little what they want, and find it in the steps
    that follow; joints that contacts leave pulled apart make ragdolls that lie on each other creep.
    is_begun: joints have been solved; else all are at the end of the first pass.
    """
    has_joints = joints.component.shape[0] > 1
    least = passes_now(rows, row_count, passes, joined, h)
    if not is_biased:
        least = max(least, STILLING * passes) if has_joints else STILLING * least
    least = max(least, 1)
    let_all_go_on(joined)
    if row_count == 0:
        if not is_begun:
            solve_joints(joints, owners, joined.goes_on, h, is_biased)
        return
    begin_passes(limbs, joints, joined.hard)
    for n in range(max(least, MOST_PASSES) if has_joints else least):
        let_none_stir(joined)
        begin_limbs(limbs, owners)
        solve_rows(rows, row_count, owners, seen, h, is_biased, joined, limbs, n >= least)
        if not has_joints:
            continue
        end_limbs(limbs, owners, joined.holds)
        is_first = n == 0 and not is_begun
        closes = joined.goes_on if is_first else joined.stirred
        solve_joints(joints, owners, closes, h, is_biased)
        is_over = not let_off_go_on(joined, limbs, owners, h)
        if is_over and n + 1 >= least:
            break
        if is_over or seen.is_jacobi:
            continue
        if learn_responses(limbs, joints, owners, joined.goes_on, joined.hard):
            forget_answers(rows, row_count)
    pull = _size_of(bodies.gravity)
    settle_uneven(islands, rows, row_count, owners, seen, h, pull, is_biased, joined, limbs)


@lean_inline
def _begin(
    bodies,
    owners,
    drive,
    rows,
    row_count,
    islands,
    joints,
    joined,
    limbs,
    seen,
    passes,
    h,
    share_before,
    share,
):
    """Velocities of the substep: gravity and forces, then what contacts and joints make of it."""
    drive_owners(owners, drive, share_before, share, h)
    forget_stale(limbs, joints, owners, h)
    note_speeds(joints, owners, h)
    accelerate_bodies(owners, bodies, h)
    warm_rows(rows, row_count, owners, bodies.gravity, h)
    scale_remembered(islands, rows, row_count, owners, seen, h)
    warm_joints(joints, owners, h)
    let_all_go_on(joined)
    solve_joints(joints, owners, joined.goes_on, h, True)
    for _ in range(STIFFENINGS):
        if not stiffen(joints, owners, h):
            break
        aim_rows(rows, row_count, owners)
        solve_joints(joints, owners, joined.goes_on, h, True)
    if row_count > 0:
        _solve(
            bodies,
            owners,
            rows,
            row_count,
            islands,
            joints,
            joined,
            limbs,
            seen,
            passes,
            h,
            True,
            True,
        )
        part_overlaps(rows, row_count, owners, islands, seen, joined, limbs, passes, h)


@lean_inline
def _move(bodies, owners, joints, joined, h):
    """Places at the end of the substep."""
    let_all_go_on(joined)
    for _ in range(FORESIGHTS):
        if not foresee_again(joints, owners, h):
            break
        solve_joints(joints, owners, joined.goes_on, h, True)
        if stiffen(joints, owners, h):
            solve_joints(joints, owners, joined.goes_on, h, True)
    keep_stiffness(joints, owners, h)
    move_bodies(owners, bodies, h)
    move_colliders(owners, bodies, h)


@lean_inline
def _end(bodies, owners, rows, row_count, islands, joints, joined, limbs, seen, passes, h):
    """Velocities without what drove overlaps apart."""
    aim_rows(rows, row_count, owners)
    take_back_parting(rows, row_count, owners)
    aim_joints(joints, owners)
    ask_joints(joints, owners, h)
    _solve(
        bodies,
        owners,
        rows,
        row_count,
        islands,
        joints,
        joined,
        limbs,
        seen,
        passes,
        h,
        False,
        False,
    )
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
    islands,
    joints,
    joined,
    limbs,
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
                islands,
                joints,
                joined,
                limbs,
                seen,
                passes,
                h,
                share_before,
                share,
            )
        elif part == MOVE:
            take_back_parting(rows, row_count, owners)
            _solve(
                bodies,
                owners,
                rows,
                row_count,
                islands,
                joints,
                joined,
                limbs,
                seen,
                passes,
                h,
                True,
                False,
            )
            part_overlaps(rows, row_count, owners, islands, seen, joined, limbs, passes, h)
        if part in (WHOLE, MOVE):
            _move(bodies, owners, joints, joined, h)
        if part in (WHOLE, END):
            _end(bodies, owners, rows, row_count, islands, joints, joined, limbs, seen, passes, h)
