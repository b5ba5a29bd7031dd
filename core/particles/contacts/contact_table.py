"""The table of contacts that involve particles, see `response`."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ...arrays import Floats

FREE_PARTNER = -1
"""In place of a shape: that side of the contact is a free particle."""

PIECE_PARTNER = -2
"""That side is a place between three free particles, or two, whose weights are known already."""

Contacts = namedtuple(
    "Contacts",
    [
        "shape",  # (c, 2) shapes a and b, FREE_PARTNER or PIECE_PARTNER for free particles
        "point",  # (c, 2, 3) m, points a and b where they were found
        "particle",  # (c, 8) four of point a, four of point b
        "weight",  # (c, 8) cᵢ; those of b are negative, 0 where b lies on a collider
        "inverse_mass",  # (c,) Σ wᵢ cᵢ² of free particles, 1/kg
        "normal",  # (c, 3) from b to a
        "reach",  # (c,) m, that free particles keep away
        "offset",  # (c,) m: gap = Σ cᵢ xᵢ·n − offset
        "owner",  # (c, 2) body or collider that a or b is a place on, -1 for none
        "cluster",  # (c, 2) owner of four particles that a or b is a place on, -1 for none
        "arm",  # (c, 2, 3) m, from the owner's centre to that place
        "friction",  # (c,)
        "restitution",  # (c,)
        "bounce",  # (c,) m, normal displacement that restitution asks for, 0 for none
        "bounce_gap",  # (c,) m, gap at the end of a step with a bounce
        "overlap",  # (c,) m, penetration that was there before the step
        "mobility",  # (c,) 1/kg, how far an impulse along the normal parts a and b
        "pushed",  # (c,) kg·m, impulse times h along the normal so far in this step
        "dragged",  # (c, 3) kg·m, of friction so far in this step
        "couple",  # (c, 3) kg·m², h times the angular momentum that two free particles gained
        "parting",  # (c, 4) kg·m, h times the impulse that parted owners, kg·m² it times its place
    ],
)


def contact_room(count: int) -> Contacts:
    """Empty contacts with room for ``count``."""

    def scalars() -> Floats:
        return np.zeros(count)

    def vectors() -> Floats:
        return np.zeros((count, 3))

    return Contacts(
        shape=np.zeros((count, 2), dtype=np.int32),
        point=np.zeros((count, 2, 3)),
        particle=np.zeros((count, 8), dtype=np.int32),
        weight=np.zeros((count, 8)),
        inverse_mass=scalars(),
        normal=vectors(),
        reach=scalars(),
        offset=scalars(),
        owner=np.zeros((count, 2), dtype=np.int32),
        cluster=np.zeros((count, 2), dtype=np.int32),
        arm=np.zeros((count, 2, 3)),
        friction=scalars(),
        restitution=scalars(),
        bounce=scalars(),
        bounce_gap=scalars(),
        overlap=scalars(),
        mobility=scalars(),
        pushed=scalars(),
        dragged=vectors(),
        couple=vectors(),
        parting=np.zeros((count, 4)),
    )
