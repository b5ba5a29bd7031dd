"""One substep of everything rigid: the loop whose parts are the other files of this folder."""

from __future__ import annotations

from collections import namedtuple

from ..kernels.jit import kernel, lean, lean_inline
from ..vec3 import length, vec
from .articulation.articulated_inertia import (
    begin_iterations,
    forget_doubtful,
    learn_responses,
    note_turns,
)
from .contacts.blows import delay_blows, end_blows, note_delays, undo_delays
from .contacts.conjugate_contacts import scale_remembered, settle_uneven
from .contacts.contact_aim import aim_contacts
from .contacts.contact_drift import have_drifted
from .contacts.contact_groups import activate_all, clear_touched
from .contacts.contact_sweep import iterations_now, mark_hard, settle_rims, sweep_contacts
from .contacts.jointed_blows import strike_bodies
from .contacts.jointed_contacts import (
    PATIENT_ITERATIONS,
    activate_unsettled,
    note_pressed_owners,
)
from .contacts.limb_impulses import begin_lead, begin_limbs, end_limbs, forget_answers
from .contacts.position_correction import part_overlaps, take_back_parting
from .contacts.rim_contact import foresee_rims
from .contacts.tempered_memory import (
    note_motion,
    temper_contacts,
    temper_joints,
    temper_motion,
)
from .contacts.warm_start import warm_contacts
from .joints.joint_axes import aim_joints
from .joints.joint_rows import has_joints
from .joints.joint_solver import solve_joints
from .joints.joint_state import load_joints
from .joints.joint_stiffness import keep_stiffness, keep_taut, slow_stiff, stiffen
from .joints.joint_targets import ask_joints, foresee_again, note_speeds, warm_joints
from .joints.loaded_bridges import find_taut, has_bridges, has_taut
from .owners import accelerate_bodies, drive_owners, move_bodies, move_colliders, take_momenta

WHOLE, BEGIN, MOVE, END = range(4)
"""Parts of a substep."""

COLLIDE_EVERY = 4
"""Substeps after which it is looked anew where bodies touch; in between, points move with them."""


STILLING = 2
"""Times as many iterations over contacts after the move as before it: with one, heaps of hundreds
of bodies go on creeping. What hangs on joints has iterations of its own (`jointed_contacts`)."""

FORESIGHTS = 3
"""Largest number of times that joints are solved again for the turns that their impulses make."""

STIFFENINGS = 3
"""Largest number of times that inertias are raised in one substep."""

MovingBodies = namedtuple("MovingBodies", ["owners", "moves", "drive"])
"""Where bodies are, what they move by, and where inputs take those that are driven: `owners`."""

Span = namedtuple("Span", ["first", "last", "substeps"])
"""Substeps first … last − 1 of a frame's ``substeps``."""


@lean
def _solve(bodies, contacts, joints, iterations, h, is_biased, is_begun):
    """Iterations over contacts and joints, which come last.

    What comes last holds. Contacts may miss by a little what they want, and find it in the steps
    that follow; joints that contacts leave pulled apart make ragdolls that lie on each other creep.
    is_begun: joints have been solved; else all are at the end of the first iteration.
    """
    owners, groups, limbs = bodies.owners, contacts.groups, contacts.limbs
    is_jointed = has_joints(joints)
    pull = length(vec(bodies.moves.gravity))
    least = iterations_now(contacts, iterations)
    if not is_biased:
        least = max(least, STILLING * iterations) if is_jointed else STILLING * least
    least = max(least, 1)
    activate_all(groups)
    if contacts.count[0] == 0:
        if not is_begun:
            solve_joints(joints, owners, groups.active, h, is_biased)
        return
    if is_jointed:
        mark_hard(contacts, h)
    if begin_iterations(limbs, joints, owners, groups.hard):
        forget_answers(contacts, owners)
    for n in range(max(least, PATIENT_ITERATIONS) if is_jointed else least):
        clear_touched(groups)
        begin_limbs(limbs, owners)
        sweep_contacts(contacts, owners, h, is_biased, n >= least)
        if not is_jointed:
            continue
        end_limbs(limbs, owners, groups.is_jointed)
        is_first = n == 0 and not is_begun
        closes = groups.active if is_first else groups.touched
        solve_joints(joints, owners, closes, h, is_biased)
        is_over = not activate_unsettled(contacts, owners, h, pull * h, n + 1)
        if is_over and n + 1 >= least:
            break
        if is_over or contacts.buffer.is_jacobi:
            continue
        if learn_responses(limbs, joints, owners, groups.active, groups.hard):
            forget_answers(contacts, owners)
    settle_uneven(contacts, owners, h, pull, is_biased)


@lean_inline
def _part_and_delay(bodies, contacts, iterations, h):
    """What is for the move alone: overlaps part, and what blows do after it is taken off.

    What that brings in energy is noted without the speeds that part overlaps, which are none.
    """
    owners = bodies.owners
    note_delays(contacts, owners, bodies.moves.gravity, h)
    part_overlaps(contacts, owners, iterations, h)
    delay_blows(contacts, owners)


@lean_inline
def _begin(bodies, contacts, joints, iterations, h, share_before, share):
    """Velocities of the substep: gravity and forces, then what contacts and joints make of it."""
    owners, active = bodies.owners, contacts.groups.active
    drive_owners(owners, bodies.drive, share_before, share, h)
    if forget_doubtful(contacts.limbs, joints):
        forget_answers(contacts, owners)
    note_speeds(joints, owners, h)
    if contacts.bouncy[0] == 1 and has_joints(joints):
        begin_lead(contacts.limbs, owners)
    accelerate_bodies(owners, bodies.moves, h)
    if contacts.count[0] > 0:
        note_motion(contacts, owners)
    warm_contacts(contacts, owners)
    warm_joints(joints, owners, h)
    if contacts.count[0] > 0:
        fall = length(vec(bodies.moves.gravity)) * h
        if temper_motion(contacts, owners, fall):
            temper_contacts(contacts, owners)
            temper_joints(joints, contacts.groups, owners)
    foresee_rims(contacts, owners, bodies.moves, h)
    scale_remembered(contacts, owners, h)
    activate_all(contacts.groups)
    if has_bridges(joints) and (contacts.count[0] > 0 or has_taut(joints)):
        note_pressed_owners(contacts, joints)
        find_taut(joints, owners)
    solve_joints(joints, owners, active, h, True)
    for _ in range(STIFFENINGS):
        if not stiffen(joints, owners, h):
            break
        aim_contacts(contacts, owners)
        solve_joints(joints, owners, active, h, True)
    if contacts.count[0] > 0:
        strike_bodies(contacts, joints, bodies.owners, bodies.moves.gravity, h)
        _solve(bodies, contacts, joints, iterations, h, True, True)
        settle_rims(contacts, owners, bodies.moves, h)
        _part_and_delay(bodies, contacts, iterations, h)


@lean_inline
def _move(bodies, contacts, joints, h):
    """Places at the end of the substep."""
    owners, active = bodies.owners, contacts.groups.active
    activate_all(contacts.groups)
    for _ in range(FORESIGHTS):
        if not foresee_again(joints, owners, h):
            break
        solve_joints(joints, owners, active, h, True)
        if stiffen(joints, owners, h):
            solve_joints(joints, owners, active, h, True)
    is_stiff = has_joints(joints) and keep_stiffness(joints, owners, h)
    move_bodies(owners, bodies.moves, h)
    if is_stiff:
        slow_stiff(joints, owners)
    move_colliders(owners, bodies.moves, h)
    note_turns(contacts.limbs, owners, h)


@lean_inline
def _end(bodies, contacts, joints, iterations, h):
    """Velocities without what drove overlaps apart."""
    owners = bodies.owners
    contacts.swings[0] = 0  # the move is over
    take_back_parting(contacts, owners)
    aim_contacts(contacts, owners)
    end_blows(contacts, owners, bodies.moves.gravity, h)
    aim_joints(joints, owners)
    ask_joints(joints, owners, h)
    _solve(bodies, contacts, joints, iterations, h, False, False)
    load_joints(joints, h, COLLIDE_EVERY)
    if keep_taut(joints, owners, h):
        aim_contacts(contacts, owners)
    take_momenta(owners, bodies.moves)


@kernel
def run_substeps(part, bodies, contacts, joints, iterations, h, span):
    """Substeps of h s: all of each, or one part of one; returns the first that is still to come.

    Where something was struck or points have gone astray that is the next one, for bodies are
    elsewhere than contacts were looked for.

    `BEGIN` leads up to where particles meet the bodies; `MOVE` goes on from there, for what the
    particles did has to agree with contacts and joints; `END` comes after the particles took back
    the speed of what was place alone. One kernel, for it takes long to compile.
    """
    for substep in range(span.first, span.last):
        if part in (WHOLE, BEGIN):
            share_before = substep / span.substeps
            share = (substep + 1) / span.substeps
            _begin(bodies, contacts, joints, iterations, h, share_before, share)
        elif part == MOVE:
            undo_delays(contacts, bodies.owners)
            take_back_parting(contacts, bodies.owners)
            _solve(bodies, contacts, joints, iterations, h, True, False)
            settle_rims(contacts, bodies.owners, bodies.moves, h)
            _part_and_delay(bodies, contacts, iterations, h)
        if part in (WHOLE, MOVE):
            _move(bodies, contacts, joints, h)
        if part in (WHOLE, END):
            _end(bodies, contacts, joints, iterations, h)
        if has_joints(joints) and part in (WHOLE, END) and have_drifted(contacts, bodies.owners, h):
            contacts.drifted[0] = 1
        if contacts.count[0] > 0 and (contacts.struck[0] > 0 or contacts.drifted[0] == 1):
            return substep + 1
    return span.last
