"""A substep of many bodies that hang on no joints: a list of passes, each over many threads.

What `step.run_substeps` does to such bodies, cut into passes. A pass goes over blocks of bodies, or
over groups of packets phase by phase (`packet_dealing`): no two groups of a phase push the same
body. So a pass gives the same bits for any number of threads, and the same as `run_substeps` on
rows that lie in this order.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ..arrays import Ints
from ..kernels.jit import lean, parallel_kernel, prange
from ..vec3 import length, vec
from .contacts.contact_groups import clear_touched
from .contacts.contact_order import PHASES
from .contacts.contact_table import BodyContacts
from .contacts.packet_dealing import load_packet, store_packet
from .contacts.packet_solver import (
    aim_packet,
    begin_packet_parting,
    part_packet,
    solve_packet,
    take_packet_back,
    temper_packet,
    warm_packet,
)
from .contacts.position_correction import CORRECTION_SHARE, ITERATIONS
from .contacts.tempered_memory import note_motion, temper_motion
from .owners import (
    accelerate_body,
    drive_owners,
    move_body,
    move_colliders,
    write_momentum,
)
from .step import BEGIN, END, MOVE, STILLING, WHOLE

DRIVE_OWNERS, MOVE_COLLIDERS, NOTE_MOTION, TEMPER_MOTION = range(4)
"""Passes by one thread, over owners."""

ACCELERATE, MOVE_BODIES, TAKE_MOMENTA = range(4, 7)
"""Passes over bodies."""

LOAD, BEGIN_PARTING, TEMPER, STORE = range(7, 11)
"""Passes over packets that push nothing: the third after warm starts that drive (`temper_motion`),
the last in the last substep alone."""

WARM, SOLVE_AHEAD, PART, AIM, TAKE_BACK, SOLVE_AFTER = range(11, 17)
"""Passes over packets that push bodies."""

AIMING = np.array([LOAD, AIM, STORE], dtype=np.int32)
"""The passes that make new contacts ready."""

BODIES_AT_A_TIME = 256
"""Bodies that a thread deals with at a time."""

PacketParts = namedtuple(
    "PacketParts", ["packet", "origin", "first_row", "filled", "rows", "row_origin"]
)
"""Parts of `Packets` and of the rows in them: parallel loops take no tuples of tuples."""


def is_shared(contacts: BodyContacts) -> bool:
    """Whether `run_passes` solves these contacts, of bodies that hang on no joints."""
    return bool(contacts.packets.count[0])


def threads_of(contacts: BodyContacts, threads: int) -> int:
    """How many of so many threads are worth while: one where all is one task (`contact_order`)."""
    return threads if contacts.order.first_task[PHASES] > 1 else 1


def passes_of(part: int, iterations: int) -> Ints:
    """The passes of a part of a substep."""
    ahead = [SOLVE_AHEAD] * max(iterations, 1) + [BEGIN_PARTING] + [PART] * ITERATIONS * iterations
    passes = []
    if part in (WHOLE, BEGIN):
        passes += [DRIVE_OWNERS, ACCELERATE, NOTE_MOTION, WARM, TEMPER_MOTION, TEMPER, *ahead]
    if part == MOVE:
        passes += [TAKE_BACK, *ahead]
    if part in (WHOLE, MOVE):
        passes += [MOVE_BODIES, MOVE_COLLIDERS]
    if part in (WHOLE, END):
        passes += [AIM, *[SOLVE_AFTER] * max(STILLING * iterations, 1), TAKE_MOMENTA]
    return np.array([*passes, STORE], dtype=np.int32)


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
def _pass_over_packets(what, table, owners, groups, relaxation, h, first, last):
    """One pass over packets first … last − 1; 1 if more is to do, else 0."""
    is_any = 0
    for n in range(first, last):
        packet = table.packet[n]
        if what == LOAD:
            load_packet(table, owners, n)
        elif what == STORE:
            store_packet(table.rows, packet)
        elif what == WARM:
            warm_packet(packet, owners)
        elif what == TEMPER:
            temper_packet(packet, groups, owners)
        elif what in (SOLVE_AHEAD, SOLVE_AFTER):
            solve_packet(packet, owners, relaxation, h, what == SOLVE_AHEAD)
        elif what == BEGIN_PARTING:
            if begin_packet_parting(packet, owners, h, CORRECTION_SHARE):
                is_any = 1
        elif what == PART:
            if part_packet(packet, owners, groups, relaxation):
                is_any = 1
        else:
            take_packet_back(packet, owners)
            if what == AIM:
                aim_packet(packet, table.origin[n], owners)
    return is_any


@parallel_kernel
def run_passes(passes, owners, moves, drive, contacts, groups, h, span):
    """Substeps of h s, each of these passes; groups: of these contacts."""
    packets = contacts.packets
    table = PacketParts(
        packets.packet,
        packets.origin,
        packets.deal.row,
        packets.deal.filled,
        contacts.rows,
        contacts.origin,
    )
    relaxation = contacts.buffer.relaxation
    first_packet, first_group = packets.first, packets.first_group
    found, groups_in_all = contacts.order.found, packets.first_group[PHASES]
    contacts.struck[0] = 0
    contacts.swings[0] = 0
    fall = length(vec(moves.gravity)) * h
    for substep in range(span.first, span.last):
        is_parting, is_tempered = False, False
        for n in range(passes.shape[0]):
            what = passes[n]
            if what == DRIVE_OWNERS:
                share = (substep + 1) / span.substeps
                drive_owners(owners, drive, substep / span.substeps, share, h)
            elif what == MOVE_COLLIDERS:
                move_colliders(owners, moves, h)
            elif what == NOTE_MOTION:
                note_motion(contacts, owners)
            elif what == TEMPER_MOTION:
                is_tempered = temper_motion(contacts, owners, fall)
            elif what <= TAKE_MOMENTA:
                for k in prange((moves.count + BODIES_AT_A_TIME - 1) // BODIES_AT_A_TIME):
                    last = min((k + 1) * BODIES_AT_A_TIME, moves.count)
                    _pass_over_bodies(what, owners, moves, h, k * BODIES_AT_A_TIME, last)
            elif (
                (what != PART or is_parting)
                and (what != TEMPER or is_tempered)
                and (what != STORE or substep + 1 == span.last)
            ):
                if what == BEGIN_PARTING:
                    clear_touched(groups)
                is_one = what <= STORE
                for phase in range(1 if is_one else PHASES):
                    begin = first_group[phase]
                    end = groups_in_all if is_one else first_group[phase + 1]
                    for k in prange(end - begin):
                        g = begin + k
                        found[g] = _pass_over_packets(
                            what,
                            table,
                            owners,
                            groups,
                            relaxation,
                            h,
                            first_packet[g],
                            first_packet[g + 1],
                        )
                is_parting = _sum(found, groups_in_all) > 0


@lean
def _sum(found, groups):
    """What has been found in so many groups of packets."""
    total = 0
    for g in range(groups):
        total += found[g]
    return total
