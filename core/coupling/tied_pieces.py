"""What pieces of cloth and rope do not touch that are tied to a body or rooted in a collider.

A tied vertex goes where its body goes, and may lie inside it: what pushed it out would fight with
the tie for good. So a piece with a tied corner never touches the body that holds it, and one that
is held by an edge none of those either that its body does not collide with: a collar on the chest
lies within shoulders and neck. What is rooted is tied to the collider in all of this.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..geometry.surface import connected_parts
from ..kernels.jit import lean_inline

if TYPE_CHECKING:
    from ..arrays import Ints
    from ..model import Model
    from .tying import Tying

Tied = namedtuple(
    "Tied",
    [
        "row",  # (n,) row of untouched for each particle, −1 where nothing holds it
        "untouched",  # (k, o) corners of a piece that are tied from which on it misses that owner
    ],
)

OWN, KIN = 1, 2
"""Tied corners from which on a piece does not touch its own body, and those that this one misses.
"""


def tied_of(model: Model, ties: Sequence[Tying]) -> Tied:
    """Which owners the particles of these ties do not touch."""
    holder = model.particles.rooted_in.copy()
    for tie in ties:
        holder[tie.particle] = tie.body[:, None]
    bodies, row = np.unique(holder[holder >= 0], return_inverse=True)
    row_of = holder.copy()
    row_of[holder >= 0] = row
    untouched = np.full((len(bodies), model.owner_count + 1), 4, dtype=np.uint8)
    pairs = np.concatenate([model.joints.owner[model.joints.collides == 0], model.bodies.apart])
    for number, body in enumerate(bodies.tolist()):
        for mine, other in ((0, 1), (1, 0)):
            untouched[number, pairs[pairs[:, mine] == body, other]] = KIN
        untouched[number, body] = OWN
    return Tied(row_of, untouched)


def wearers(model: Model, ties: Sequence[Tying]) -> tuple[Ints, Ints]:
    """Number of the ragdoll, or the body, that wears each particle's object, and of each body's.

    (n,) and (b,), −1 for what wears nothing and is not worn; bodies that are joined are one.
    """
    garment = np.full(len(model.particles), -1, dtype=np.int32)
    group = np.full(len(model.bodies), -1, dtype=np.int32)
    if not ties:
        return garment, group
    joined = model.joints.owner
    joined = joined[((joined >= 0) & (joined < len(model.bodies))).all(axis=1)]
    label = connected_parts(len(model.bodies), joined.astype(np.int32))
    for tie in ties:
        span = model.objects[tie.object]
        garment[span.first_particle :][: span.particle_count] = label[tie.body[0]]
        group[np.isin(label, label[tie.body])] = label[tie.body[0]]
    return garment, group


@lean_inline
def misses(tied, owner, i, j, k):
    """Whether the piece of particles i, j and k passes through an owner's shapes."""
    count = 0
    least = np.int64(4)
    for n in range(3):
        p = i if n == 0 else (j if n == 1 else k)
        row = tied.row[p]
        if row >= 0:
            count += 1
            needed = np.int64(tied.untouched[row, owner])
            if needed < least:
                least = needed
    return count >= least
