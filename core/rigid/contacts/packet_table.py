"""Contacts of bodies four manifolds at a time: packets, whose lanes share no body that moves.

A packet holds what sweeps read and write, number by number for all lanes (`kernels.lanes`) side by
side, and apart from that what is read once a substep. Points that a manifold has not, and lanes
that have no manifold, have no mass and lie far apart.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ...kernels.lanes import LANES
from .contact_order import MOST_TASKS, PHASES

MOST_POINTS = 4
"""Points of a manifold."""

COUPLINGS = MOST_POINTS * (MOST_POINTS + 1) // 2

FAR_APART = 1e9
"""Gap in m of points that a manifold has not: nothing closes it."""

KEPT, PARTING = range(2)
"""Impulses along the normal: the one that is remembered, and the one that parts an overlap."""

PACKET = np.dtype(
    [
        ("owner", np.int32, (2, LANES)),  # a and b
        ("row", np.int32, (LANES,)),  # first row of the manifold, −1 for a lane that stays free
        ("points", np.int32),  # most that a manifold of it has
        ("weighed", np.int32),  # 1 where masses, couplings and mobilities are those of this place
        ("touched", np.float64, (LANES,)),  # 1 where others have pushed one of the two, else 0
        ("slots", np.float64, (LANES,)),  # how many points the manifold has
        ("normal", np.float64, (3, LANES)),  # from b to a
        ("coupling", np.float64, (COUPLINGS, LANES)),  # 1/kg: see `manifold_solver.settled`
        ("arm", np.float64, (MOST_POINTS, 2, 3, LANES)),  # m, from the centres of a and b
        ("mass", np.float64, (MOST_POINTS, LANES)),  # kg, effective along the normal
        ("impulse", np.float64, (2, MOST_POINTS, LANES)),  # N·s along the normal, KEPT and PARTING
        ("parting_speed", np.float64, (MOST_POINTS, LANES)),  # m/s
        ("gap", np.float64, (MOST_POINTS, LANES)),  # m, at the start of the substep
        ("slop", np.float64, (LANES,)),  # m
        ("old_overlap", np.float64, (MOST_POINTS, LANES)),  # m
        ("tangent", np.float64, (2, 3, LANES)),
        ("friction", np.float64, (2, LANES)),  # dynamic, static
        ("mobility", np.float64, (MOST_POINTS, 3, LANES)),  # 1/kg, of the tangents
        ("rub", np.float64, (MOST_POINTS, 2, LANES)),  # N·s of friction along the tangents
        ("holding", np.float64, (MOST_POINTS, LANES)),  # N·s that friction holds on to in a sweep
    ],
    align=True,
)
"""What sweeps read and write of four manifolds: first what parts overlaps, which is swept most."""

PACKET_ORIGIN = np.dtype(
    [
        ("anchor", np.float64, (MOST_POINTS, 2, 3, LANES)),  # m, in the owners' frames
        (
            "radius",
            np.float64,
            (MOST_POINTS, 2, LANES),
        ),  # m, 0 for what turns with its owner
        ("skin", np.float64, (LANES,)),  # m
    ],
    align=True,
)
"""Where the points of four manifolds lie on both sides: see `contact_table.ORIGIN`."""

Deal = namedtuple(
    "Deal",
    [
        "row",  # (m, LANES) first rows of the manifolds of each packet
        "filled",  # (m,) how many
        "next_free",  # (m,) where to look for one with a free lane: itself or a later packet
        "last",  # (o,) the last packet so far that holds an owner
    ],
)
"""How manifolds are dealt to packets; there may be as many of these as of those."""

Packets = namedtuple(
    "Packets",
    [
        "count",  # (1,) how many there are; 0 where rows are solved one by one
        "packet",  # (p,) PACKET
        "origin",  # (p,) PACKET_ORIGIN
        "first",  # (MOST_TASKS + 1,) of each group of tasks: see `deal_packets`
        "first_group",  # (PHASES + 1,) of each phase of `contact_order`
        "deal",  # Deal
    ],
)
"""Packets of a workspace."""


def deal_room(owners: int, manifolds: int) -> Deal:
    """Room to deal out so many manifolds."""
    return Deal(
        row=np.zeros((manifolds, LANES), dtype=np.int32),
        filled=np.zeros(manifolds, dtype=np.int32),
        next_free=np.zeros(manifolds, dtype=np.int32),
        last=np.zeros(owners, dtype=np.int32),
    )


def packet_room(deal: Deal, packets: int) -> Packets:
    """Room for so many packets, none of which is there."""
    return Packets(
        count=np.zeros(1, dtype=np.int64),
        packet=np.zeros(packets, PACKET),
        origin=np.zeros(packets, PACKET_ORIGIN),
        first=np.zeros(MOST_TASKS + 1, dtype=np.int32),
        first_group=np.zeros(PHASES + 1, dtype=np.int32),
        deal=deal,
    )


def more_packets(packets: Packets, count: int) -> Packets:
    """The same with room for so many packets, which are to be loaded."""
    return packets._replace(packet=np.zeros(count, PACKET), origin=np.zeros(count, PACKET_ORIGIN))
