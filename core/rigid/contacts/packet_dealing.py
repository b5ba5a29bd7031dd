"""Manifolds are dealt to packets, loaded from their rows, and stored in them again.

Two manifolds that push none of the same bodies may be solved in any order, and so at once. Each is
put, in the order of the rows, into the first packet with a free lane after those that hold its
bodies. Then packets in their order do what rows in theirs would, to the last bit; and there is
hardly a lane that stays free.
"""

from __future__ import annotations

from ...arrays import NONE
from ...kernels.jit import lean, lean_inline
from ...kernels.lanes import LANES
from .contact_order import PHASES
from .contact_table import NORMAL, PARTS
from .packet_table import FAR_APART, KEPT, PARTING

LEAST_FILL = 0.85
"""Share of the lanes of packets that is to be filled, if it can be."""

GROUP_FROM = 128
"""Manifolds that are worth a thread's while."""

WORTH_PACKETS = 2
"""Manifolds that packets are to hold on average: a packet takes as long as two of them alone."""


@lean_inline
def _first_free(next_free, p, count):
    """The first packet from p on that has a free lane; the next new one where none has."""
    while p < count and next_free[p] != p:
        after = next_free[p]
        if after < count:
            next_free[p] = next_free[after]  # the way is half as long next time
        p = after
    return p


@lean_inline
def _deal_manifold(deal, owners, rows, row, begin, count):
    """Deal one manifold to a packet from ``begin`` on; how many packets there are then."""
    owner = rows[row]["owner"]
    p = begin
    for side in range(2):
        if owners.inverse_mass[owner[side]] > 0.0:
            p = max(p, deal.last[owner[side]] + 1)
    p = _first_free(deal.next_free, p, count)
    if p == count:
        deal.filled[p], deal.next_free[p] = 0, p
        count += 1
    deal.row[p, deal.filled[p]] = row
    deal.filled[p] += 1
    if deal.filled[p] == LANES:
        deal.next_free[p] = p + 1
    for side in range(2):
        if owners.inverse_mass[owner[side]] > 0.0:
            deal.last[owner[side]] = p
    return count


@lean
def deal_packets(contacts, owners):
    """Deal all manifolds to packets; how many there are, 0 where most lanes would stay free.

    Tasks of one phase share no body that moves. So a packet may hold manifolds of several: those of
    one slab stand on each other, and hardly any of them may be solved at once. A group takes tasks
    until its packets are full, and is what one thread solves.
    """
    rows, order, packets = contacts.rows, contacts.order, contacts.packets
    deal, count, groups, manifolds = packets.deal, 0, 0, 0
    deal.last[:] = NONE
    for phase in range(PHASES):
        packets.first_group[phase] = groups
        begin, dealt = count, 0
        for t in range(order.first_task[phase], order.first_task[phase + 1]):
            if dealt == 0:
                packets.first[groups] = begin
                groups += 1
            row = order.first_row[t]
            while row < order.first_row[t + 1]:
                count = _deal_manifold(deal, owners, rows, row, begin, count)
                dealt += 1
                manifolds += 1
                row += rows[row]["points"]
            if dealt >= GROUP_FROM and dealt >= LEAST_FILL * LANES * (count - begin):
                begin, dealt = count, 0
    packets.first_group[PHASES] = groups
    packets.first[groups] = count
    return count if manifolds >= WORTH_PACKETS * count else 0


@lean_inline
def _load_lane(packet, origin, k, rows, origins, first):
    """A manifold into lane k: all but what `packet_aim` finds."""
    head = rows[first]
    points = head["points"]
    packet["slots"][k] = points
    packet["points"] = max(packet["points"], points)
    packet["slop"][k] = head["slop"]
    origin["skin"][k] = origins[first]["skin"]
    for side in range(2):
        packet["owner"][side, k] = head["owner"][side]
        packet["friction"][side, k] = head["friction"][side]
    for m in range(3):
        packet["normal"][m, k] = head["axis"][NORMAL, m]
        for d in range(2):
            packet["tangent"][d, m, k] = head["axis"][1 + d, m]
    for p in range(points):
        row, place = rows[first + p], origins[first + p]
        packet["old_overlap"][p, k] = row["old_overlap"]
        packet["impulse"][KEPT, p, k] = row["impulse"][NORMAL]
        packet["impulse"][PARTING, p, k] = row["impulse"][PARTS]
        for d in range(2):
            packet["rub"][p, d, k] = row["impulse"][1 + d]
        for side in range(2):
            origin["radius"][p, side, k] = place["radius"][side]
            for m in range(3):
                origin["anchor"][p, side, m, k] = place["anchor"][side, m]


@lean
def load_packet(table, owners, n):
    """What rows know of the manifolds of packet n."""
    packet, origin = table.packet[n], table.origin[n]
    nobody = owners.inverse_mass.shape[0] - 1
    packet["points"] = 0
    packet["slots"][:] = 0.0
    packet["mass"][:] = 0.0
    packet["gap"][:] = FAR_APART
    packet["parting_speed"][:] = -FAR_APART
    packet["arm"][:] = 0.0
    packet["coupling"][:] = 0.0
    packet["slop"][:] = 0.0
    packet["old_overlap"][:] = 0.0
    packet["impulse"][:] = 0.0
    packet["normal"][:] = 0.0
    packet["tangent"][:] = 0.0
    packet["rub"][:] = 0.0
    packet["friction"][:] = 0.0
    packet["owner"][:] = nobody
    origin["anchor"][:] = 0.0
    origin["radius"][:] = 0.0
    origin["skin"][:] = 0.0
    for k in range(LANES):
        is_there = k < table.filled[n]
        packet["row"][k] = table.first_row[n, k] if is_there else NONE
        if is_there:
            _load_lane(packet, origin, k, table.rows, table.row_origin, table.first_row[n, k])


@lean
def store_packet(rows, packet):
    """Write what packets have found into the rows of their manifolds."""
    for k in range(LANES):
        first = packet["row"][k]
        if first == NONE:
            continue
        for p in range(rows[first]["points"]):
            row = rows[first + p]
            row["gap"] = packet["gap"][p, k]
            row["old_overlap"] = packet["old_overlap"][p, k]
            row["impulse"][NORMAL] = packet["impulse"][KEPT, p, k]
            row["impulse"][PARTS] = packet["impulse"][PARTING, p, k]
            for d in range(2):
                row["impulse"][1 + d] = packet["rub"][p, d, k]
            for side in range(2):
                for m in range(3):
                    row["arm"][side, m] = packet["arm"][p, side, m, k]
