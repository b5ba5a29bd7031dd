"""Ties: vertices of cloth, ropes and soft bodies that rigid bodies hold, and that hold them.

There are two ways to make them: pins whose *Pin To* is a rigid body that is simulated, and joints
that join such a body with something that bends, which tie what is nearest to where they stand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np

from ..core.rigid.joint_table import OnBody
from .extract import pose
from .extract.mesh import Ints
from .joints import is_tie, joined, trouble
from .kinds import can_be_tied
from .participants import joints
from .session import Floats

if TYPE_CHECKING:
    from ..core.builder import ModelBuilder
    from .scene import Participant

FIRM = 0.5
"""Pin weight from which on a vertex is tied: a tie holds, or it is none."""


@dataclass(frozen=True)
class TieInput:
    """A joint at the start frame that ties something that bends to a rigid body."""

    uid: int
    name: str
    place: Floats  # (3,) m
    radius: float  # m around it within which vertices are tied, 0: the nearest one
    owner: int  # session id of what bends
    body: int  # of the rigid body

    def parts(self) -> list[Any]:
        """Everything that the model depends on."""
        return [f"{self.uid} {self.name} {self.radius} {self.owner} {self.body}", self.place]

    def rows(self, points: Floats) -> Ints:
        """Which of the owner's particles, at points (n, 3), it ties."""
        distance = np.linalg.norm(points - self.place, axis=1)
        nearest = np.argmin(distance)
        return np.flatnonzero(distance <= max(self.radius, distance[nearest])).astype(np.int32)


def read_ties(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, present: Mapping[int, str]
) -> list[TieInput]:
    """The joints that tie, at the start frame, in the order of their names.

    Those that cannot work are left out: `joints.read_joints` names them. ``present``: the kinds of
    what could be read, by session id.
    """
    found = []
    for ob in joints(scene):
        if not is_tie(ob) or trouble(ob, scene):
            continue
        owner, body = sorted(joined(ob), key=lambda one: one.verlet.kind == "BODY")
        if present.get(body.session_uid) != "BODY" or owner.session_uid not in present:
            continue
        place = pose.matrix_of(ob.evaluated_get(depsgraph))[:3, 3]
        radius = ob.verlet.joint.tie_radius
        found.append(
            TieInput(ob.session_uid, ob.name, place, radius, owner.session_uid, body.session_uid)
        )
    return found


@dataclass(frozen=True)
class Holds:
    """What holds the particles of one object that bends."""

    pin_weight: Floats  # (n,), 0 where one is tied
    tied: tuple[tuple[int, Ints], ...] = ()  # session ids of bodies, and the rows that each holds


def what_holds(
    participant: Participant,
    participants: Mapping[int, Participant],
    ties: Sequence[TieInput],
) -> Holds:
    """The pins and ties of an object; ``participants`` by session id.

    A joint takes a vertex from the pins: a rope's end that was pinned and then joined hangs on the
    body.
    """
    weight = participant.pin_weight.copy()
    if not can_be_tied(participant.kind):
        return Holds(weight)
    tied: list[tuple[int, Ints]] = []
    is_free = np.ones(len(weight), bool)

    def tie(body: int, rows: Ints) -> None:
        rows = rows[is_free[rows]]
        is_free[rows] = False
        if len(rows):
            tied.append((body, rows))

    for one in ties:
        if one.owner == participant.uid:
            tie(one.body, one.rows(participant.world_points))
    weight[~is_free] = 0.0
    if _may_move(participants.get(participant.carrier)):
        tie(participant.carrier, np.flatnonzero(weight >= FIRM).astype(np.int32))
        weight[:] = 0.0
    return Holds(weight, tuple(tied))


def _may_move(carrier: Participant | None) -> bool:
    """Whether what pins follow is moved by the simulation, so that they are ties and load it."""
    if carrier is None or carrier.kind != "BODY":
        return False
    return carrier.settings.model == "QUATERNION" and carrier.settings.type != "PASSIVE"


def add_ties(builder: ModelBuilder, first: int, holds: Holds, index_of: Mapping[int, int]) -> None:
    """Tie an object's particles, the first one of which is ``first``.

    ``index_of``: the bodies' indices in the builder, by session id.
    """
    for body, rows in holds.tied:
        builder.add_attachment(OnBody(index_of[body]), rows + first)
