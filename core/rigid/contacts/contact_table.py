"""Contacts of bodies as a table of rows: one row a contact point, in records.

Split by who reads what. Sweeps go over `CONTACT` again and again; where a point lies on its two
sides and what it is remembered by (`ORIGIN`) is read once a substep; conjugate directions (`BLOW`),
blows (`REBOUND`) and answers of limbs serve only where masses differ, where something bounces, and
where joints are.
"""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING

import numpy as np

from ...collision.cushions import no_cushions
from ...collision.shapes import smallest_half_extent
from ..articulation.articulated_inertia import limb_room
from .body_band import band_room
from .contact_groups import group_room
from .contact_order import order_room
from .packet_table import MOST_POINTS, deal_room, packet_room
from .uneven_islands import island_room

if TYPE_CHECKING:
    from ...model import Model
    from ..joints.joint_graph import JointGraph

CONTACT_SLOP = 1e-4
"""Overlap that is left alone, as a share of the smaller shape: rows need one to stay in touch."""

NORMAL = 0
"""Axis of a row along its normal; the others are its two tangents."""

PARTS = 3
"""Place in a row's impulses of the one that parts an overlap; the others go with its axes."""

DYNAMIC, STATIC = range(2)
"""Columns of friction."""

CONTACT = np.dtype(
    [
        ("owner", np.int32, (2,)),  # a and b
        ("points", np.int32),  # of the manifold that begins here, 0 for its other points
        ("answered", np.int32),  # along which axes `BodyContacts.reply` is known
        ("impulse", np.float64, (4,)),  # N·s along each axis, and one that parts an overlap
        ("parting_speed", np.float64),  # m/s, least along the normal while overlaps are parted
        ("arm", np.float64, (2, 3)),  # m, r from the centres of a and b to the point
        ("coupling", np.float64, (MOST_POINTS,)),  # 1/kg, speed here by an impulse at each point
        ("mass", np.float64),  # kg, effective along the normal
        ("gap", np.float64),  # m, at the start of the substep
        ("velocity_error", np.float64),  # m/s, by which points close faster than they may
        ("softness", np.float64),  # share of its impulse that a row lets go
        ("impulse_before", np.float64),  # N·s along the normal, before the sweep
        ("axis", np.float64, (3, 3)),  # normal from b to a, and two tangents
        ("mobility", np.float64, (3,)),  # 1/kg, W₁₁, W₁₂, W₂₂ of the tangents: `friction_cone`
        ("friction", np.float64, (2,)),  # dynamic, static
        ("slop", np.float64),  # m
        ("old_overlap", np.float64),  # m, what is left of the overlap that the two met with
    ],
    align=True,
)
"""What sweeps read and write, in the order in which they do: a sweep over many thousand rows waits
for memory. So there are arms here, and no products of them with axes or inertias."""

ORIGIN = np.dtype(
    [
        ("shape", np.int32, (2,)),  # these, the sub-shape and the feature: what it is known by
        ("sub_shape", np.int32),
        ("feature", np.int32),
        ("anchor", np.float64, (2, 3)),  # m, the two points, or what they are round about
        ("radius", np.float64, (2,)),  # m, 0 for a point that turns with its owner, as a corner
        ("restitution", np.float64),
        ("skin", np.float64),  # m, that cloth keeps the two apart: see `cushions`
        ("drift", np.float64),  # m, how far it may have gone astray since it was found
        ("rank", np.int32),  # its place among what is remembered
    ],
    align=True,
)
"""Where a contact point lies on its two sides, in their frames, and what it is remembered by."""

RIM = np.dtype(
    [
        ("radius", np.float64, (2,)),  # m, of the rims that the point wanders over, 0 for none
        ("axis", np.float64, (2, 3)),  # square to them, in the owners' frames; anchors are middles
        ("swing", np.float64, (3,)),  # m/s along the axes of the row, see `rim_contact`
    ],
    align=True,
)
"""What is known of a row whose point wanders over rims, where any does."""

BLOW = np.dtype(
    [
        ("free", np.int32),  # how many impulses conjugate directions move: `conjugate_contacts`
        ("slides", np.int32),  # 1: friction is dynamic, in `direct_contacts`
        ("next", np.int32, (2,)),  # next manifold of either side's owner, in `body_band`
        ("rho", np.float64),  # kg, how stiff it is in `direct_contacts`
        ("lift", np.float64),  # m/s, what the cone alone would have it lift off by
        ("step", np.float64, (3,)),  # N·s, what the last sweep has changed, z
        ("direction", np.float64, (3,)),  # N·s, what sweep and step have changed, d
        ("taken", np.float64, (3,)),  # N·s, what the step has changed
        ("error", np.float64, (3,)),  # m/s, g before the step
    ],
    align=True,
)
"""What conjugate directions know of a row."""

REBOUND = np.dtype(
    [
        ("approach", np.float64),  # m/s, along the normal where a blow begins
        ("delay", np.float64),  # N·s of a blow that act after the move: see `blows`
        ("delay_before", np.float64),  # the same before blows that are tried
        ("delayed_energy", np.float64),  # J that they are to give back
    ],
    align=True,
)
"""What blows know of a row."""

STRIKE = np.dtype([("time", np.float64), ("row", np.int32)], align=True)
"""A manifold that is struck, by its first row, and when, s since the start of the substep."""

Delayed = namedtuple("Delayed", ["velocity", "spin"])
"""What acts after the move takes off velocities in it, (o, 3) m/s and rad/s."""

BeforeBlows = namedtuple("BeforeBlows", ["velocity", "spin", "delayed"])
"""Velocities of owners (o, 3), and what was delayed."""

BodyContacts = namedtuple(
    "BodyContacts",
    [
        "count",  # (1,) how many rows there are
        "rows",  # (c,) CONTACT
        "order",  # `contact_order.Order`
        "packets",  # `packet_table.Packets`
        "origin",  # (c,) ORIGIN
        "blow",  # (c,) BLOW
        "reply",  # (c, 3, 2, 6) velocity and spin of a and b by an impulse along each axis
        "rim",  # (c,) RIM
        "rims",  # (1,) 1: some points wander over rims
        "swings",  # (1,) 1: their swings count now
        "slop",  # (s,) m, of shapes
        "cushions",  # `collision.cushions.Cushions`, what cloth keeps shapes apart by
        "islands",  # `uneven_islands.Islands`
        "band",  # `body_band.Band`
        "groups",  # `contact_groups.Groups`
        "limbs",  # `articulated_inertia.Articulations`
        "bouncy",  # (1,) 1: some have a restitution
        "struck",  # (1,) sweeps of blows in this substep
        "drifted",  # (1,) 1: some are to be looked for anew, see `contact_drift`
        "rebound",  # (c,) REBOUND
        "hits",  # (c,) STRIKE, those that are struck
        "delayed",  # Delayed, by the blows of this substep
        "before",  # BeforeBlows, what those that are tried began from
        "buffer",  # `velocity_buffer.VelocityBuffer`: what rows see of velocities
    ],
)
"""Contacts of bodies, and all that is solved with them."""


def contact_room(model: Model, graph: JointGraph) -> BodyContacts:
    """Room for the contacts of a model; a frame says what they see of velocities."""
    rows = 16 * len(model.bodies)
    owners = model.owner_count + 1
    return BodyContacts(
        count=np.zeros(1, dtype=np.int64),
        rows=np.zeros(rows, CONTACT),
        order=order_room(owners, rows),
        packets=packet_room(deal_room(owners, rows), 0),
        origin=np.zeros(rows, ORIGIN),
        blow=np.zeros(rows, BLOW),
        reply=np.zeros((rows, 3, 2, 6)),
        rim=np.zeros(rows, RIM),
        swings=np.zeros(1, dtype=np.int32),
        rims=np.zeros(1, dtype=np.int32),
        slop=CONTACT_SLOP * smallest_half_extent(model.shapes),
        cushions=no_cushions(),
        islands=island_room(owners),
        band=band_room(owners),
        groups=group_room(model, graph.body_group),
        limbs=limb_room(model, graph),
        bouncy=np.zeros(1, dtype=np.int32),
        struck=np.zeros(1, dtype=np.int32),
        drifted=np.zeros(1, dtype=np.int32),
        rebound=np.zeros(rows, REBOUND),
        hits=np.zeros(rows, STRIKE),
        delayed=Delayed(np.zeros((owners, 3)), np.zeros((owners, 3))),
        before=BeforeBlows(
            np.zeros((owners, 3)),
            np.zeros((owners, 3)),
            Delayed(np.zeros((owners, 3)), np.zeros((owners, 3))),
        ),
        buffer=None,
    )


def more_room(contacts: BodyContacts, count: int) -> BodyContacts:
    """The same with room for so many rows, all of them empty."""
    return contacts._replace(
        rows=np.zeros(count, CONTACT),
        origin=np.zeros(count, ORIGIN),
        blow=np.zeros(count, BLOW),
        reply=np.zeros((count, 3, 2, 6)),
        rim=np.zeros(count, RIM),
        rebound=np.zeros(count, REBOUND),
        hits=np.zeros(count, STRIKE),
    )
