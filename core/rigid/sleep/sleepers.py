"""What is known of bodies that sleep, may fall asleep or may wake."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING

import numpy as np

from ...kernels.jit import lean_inline
from ...records import Records

if TYPE_CHECKING:
    from ...arrays import Floats, Ints
    from ...model import Model

SLEEPER = np.dtype(
    [
        ("radius", np.float64),  # m
        ("follows", np.int32),  # ACTIVE, ANIMATED or PASSIVE
        ("garment", np.int32),  # what it wears, or those that it is joined with; −1 for nothing
        # of the frame
        ("follow_weight", np.float64),  # by which it is held to its animation
        ("load", np.float64, (3,)),  # m/s², what gravity, forces and clothes do on the average
        ("is_kept_awake", np.int32),  # 1: the frame's inputs may move it
        ("may_sleep", np.int32),  # 1: it may fall asleep at the end of the frame
        # of the moment
        (
            "carrier",
            np.int32,
        ),  # driven owner with which it moves as one, else `UNCARRIED`, `UNSTEADY`
        ("wake", np.int32),  # why it is to wake
        ("wake_impulse", np.float64),  # N·s, blow that it has felt
    ],
    align=True,
)

UNDISTURBED, TOUCHED, STRUCK, UNSUPPORTED, DISTURBED = range(5)
"""Why a body is to wake: not at all; something moves at it, which wakes it alone; a blow, which
wakes as many as it might move; what has borne it leaves, so that all wake that lie on it; its load
is another one, which wakes all that lean on each other."""

UNCARRIED, UNSTEADY = -1, -4
"""Carriers of what lies on nothing that moves, or on what did not go on as it went."""

DEFORMING, FIRST_CARRIER = 2, 3
"""How something moves besides `STILL` and `FREE`: a mesh that changes its form, and, from
`FIRST_CARRIER` on, as the owner of that number less `FIRST_CARRIER`, which carries sleepers."""

Sleep = namedtuple(
    "Sleep",
    [
        "sleeper",  # SLEEPER (b,)
        "island", "mark",  # (b,) scratch: union–find, marks of bodies
        "carrier",  # (b,) scratch: driven owner that an island leans on
        "motion",  # (o,) int32, how each moves, see `broad_phase.STILL`; `DEFORMING`
        "shape_body",  # (k,) which body a shape belongs to
        "joint_holds",  # (j,) True: neither broken nor let go
        "joint_body",  # (i, 2) of joints that hold
        "gravity",  # (3,) m/s²
        "root_gravity",  # √g, √(m/s²)
    ],
)  # fmt: skip
"""Sleep in one frame."""


@lean_inline
def owners_of(sleep, contact):
    """The two owners of the shapes of a `REMEMBERED_CONTACT` or `ITEM`."""
    return sleep.shape_body[contact["shape"][0]], sleep.shape_body[contact["shape"][1]]


@lean_inline
def bears(contact):
    """Whether the two of a `REMEMBERED_CONTACT` press each other."""
    return contact["normal_impulse"] > 0.0


def sleeper_room(model: Model, radius: Floats, garment: Ints) -> Records:
    """Bodies of a model; radius (b,) m, garment (b,) see `SLEEPER`."""
    bodies = model.bodies
    sleeper = np.zeros(len(model.bodies), SLEEPER)
    sleeper["radius"] = radius
    sleeper["follows"], sleeper["garment"] = bodies.follows, garment
    sleeper["carrier"] = UNCARRIED
    return sleeper
