"""Ties: vertices of cloth, ropes and soft bodies that rigid bodies hold, and that hold them.

There are three ways to make them: pins whose *Pin To* is a rigid body that is simulated; pins that
follow a ragdoll, by *Pin To*, an Armature modifier or the bone that is their object's parent; and
joints that join either with something that bends, which tie what is nearest to where they stand.
A ragdoll that is a stick figure holds by the particles of its limbs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import bpy
import numpy as np

from ...core.arrays import Floats, Ints
from ...core.model.joint_table import OnBody
from ...core.recipes.figure_clothes import tie_to_limb
from ...core.recipes.garment import garment_parts, nearest_parts
from ...core.recipes.ragdoll import turned_pose
from ..inputs.tie_input import TieInput
from ..properties.kinds import RAGDOLL, can_be_tied
from ..properties.participants import joints
from ..ragdoll.bone_bodies import changes, plan_of, rows_of
from ..ragdoll.stick_figures import figure_changes, figures_of, may_hold
from ..session import Session
from ..transforms import affine
from .joint_inputs import is_tie, joined, trouble

if TYPE_CHECKING:
    from ...core.building.builder import ModelBuilder
    from ...core.recipes.figure import Figure
    from ..inputs.garment import Garment
    from ..inputs.participant import Participant

HOLDERS = frozenset({"BODY", RAGDOLL})
"""Kinds of what can be tied to."""

Holder = tuple[int, int]
"""Session id of a rigid body, and 0; of an armature, and the part of the ragdoll."""

FIRM_WEIGHT = 0.5
"""Pin weight from which on a vertex is tied: a tie holds, or it is none."""


def read_ties(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, present: Mapping[int, str]
) -> list[TieInput]:
    """The joints that tie, at the start frame, in the order of their names.

    Those that cannot work are left out: `joint_inputs.read_joints` names them. ``present``: the
    kinds of what could be read, by session id.
    """
    found = []
    for ob in joints(scene):
        if not is_tie(ob) or trouble(ob, scene):
            continue
        owner, body = sorted(joined(ob), key=lambda one: one.verlet.kind in HOLDERS)
        if present.get(body.session_uid) not in HOLDERS or owner.session_uid not in present:
            continue
        place = affine.matrix_of(ob.evaluated_get(depsgraph))[:3, 3]
        radius = ob.verlet.joint.tie_radius
        found.append(
            TieInput(ob.session_uid, ob.name, place, radius, owner.session_uid, body.session_uid)
        )
    return found


@dataclass(frozen=True)
class Holds:
    """What holds the particles of one object that bends."""

    pin_weight: Floats  # (n,), 0 where one is tied
    tied: tuple[tuple[Holder, Ints], ...] = ()  # each with the rows that it holds


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
    tied: list[tuple[Holder, Ints]] = []
    is_free = np.ones(len(weight), bool)
    particles = participant.particles
    if particles is not None and particles.weld is not None:
        is_free = particles.weld == np.arange(len(weight))  # one copy is tied for all

    def tie(holder: Holder, rows: Ints) -> None:
        rows = rows[is_free[rows]]
        is_free[rows] = False
        if len(rows):
            tied.append((holder, rows))

    for one in ties:
        if one.owner == participant.uid:
            part = _nearest_parts(participants[one.body], one.place[None])[0]
            tie((one.body, int(part)), one.rows(participant.world_points))
    weight[~is_free] = 0.0
    if may_hold(participants.get(participant.carrier)):
        tie((participant.carrier, 0), np.flatnonzero(weight >= FIRM_WEIGHT).astype(np.int32))
        weight[:] = 0.0
    garment = participant.garment
    wearer = None if garment is None else participants.get(garment.armature)
    if wearer is not None and wearer.kind == RAGDOLL:
        parts = _garment_parts(garment, wearer, participant.world_points)
        is_firm = weight[garment.rows] >= FIRM_WEIGHT
        for part in np.unique(parts[parts >= 0]).tolist():
            tie((wearer.uid, part), garment.rows[is_firm & (parts == part)])
        weight[garment.rows[parts >= 0]] = 0.0
    return Holds(weight, tuple(tied))


def _garment_parts(garment: Garment, wearer: Participant, points: Floats) -> Ints:
    """Part (r,) of a ragdoll that each pinned vertex hangs on, −1 for none; points (n, 3) m."""
    if garment.is_nearest:
        return _nearest_parts(wearer, points[garment.rows])
    return garment_parts(plan_of(wearer), garment.skin)


def _nearest_parts(holder: Participant, points: Floats) -> Ints:
    """Part (r,) of a ragdoll that is nearest to each of points (r, 3) m; a body has but one."""
    if holder.kind != RAGDOLL:
        return np.zeros(len(points), dtype=np.int32)
    turn, move = turned_pose(holder.armature.rest, holder.armature.pose)
    return nearest_parts(plan_of(holder), points, turn, move)


def carried_by_ragdoll(running: Session, uid: int, own: Floats, frame: int) -> Floats:
    """Where a ragdoll has carried the frame (4, 4) of a joint that ties something to it."""
    change, holder = None, None
    for rows in rows_of(running):
        if rows.participant.uid == uid:
            change = changes(running.model, running.cache[frame], rows.bodies)
            holder = rows.participant
    for figure in figures_of(running):
        if figure.participant.uid == uid:
            hold = running.placement(frame).holds[uid]
            change, holder = figure_changes(figure, running.cache[frame], hold), figure.participant
    if change is None or holder is None:
        return own
    carried: Floats = change[_nearest_parts(holder, own[None, :3, 3])[0]] @ own
    return carried


def add_ties(
    builder: ModelBuilder,
    index: int,
    holds: Holds,
    index_of: Mapping[Holder, int],
    figures: Mapping[int, tuple[Figure, int]],
) -> None:
    """Tie the particles of object ``index`` of the builder.

    ``index_of``: the bodies' indices there; ``figures``: stick figures by session id, and their
    objects' indices.
    """
    first = builder.objects[index].first_particle
    for holder, rows in holds.tied:
        if holder in index_of:
            builder.add_attachment(OnBody(index_of[holder]), rows + first)
        else:
            uid, part = holder
            figure, number = figures[uid]
            tie_to_limb(
                builder,
                index,
                figure,
                builder.objects[number].first_particle,
                part,
                rows + first,
            )
