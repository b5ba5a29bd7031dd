"""Ragdolls as stick figures: armatures whose joints are particles. Poses in, and poses out.

Their particles come after those of everything else, in the order of the participants, and before
ragdolls of bodies, which are the model's last rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import bpy
import numpy as np

from ...core.geometry.affine import inverse
from ...core.model.joint_table import OnBody
from ...core.recipes.bone_pins import BonePin
from ...core.recipes.figure import Figure
from ...core.recipes.figure_pins import pin_weights, pinned_particles, pinned_places
from ...core.recipes.limb_frames import figure_pose, note_hold
from ...core.recipes.ragdoll import turned_pose
from ...core.recipes.ragdoll_plan import Plan
from ...core.recipes.stick_figure import add_stick_figure, plan_figure
from ..properties.kinds import RAGDOLL
from ..properties.participants import find_object, find_objects
from ..transforms import affine
from . import bone_bodies
from .bone_bodies import is_sticks, plan_of
from .bone_pins import is_held
from .driving import asked_of, returning

if TYPE_CHECKING:
    from ...core.arrays import Floats
    from ...core.building.builder import ModelBuilder
    from ...core.model import FrameInputs, State
    from ...core.recipes.pose_return import Placed
    from ..inputs.armature_arrays import ArmatureArrays
    from ..inputs.participant import Participant
    from ..inputs.pin_input import PinInput
    from ..session import Session

ONWARD = 0.5
"""rad, farthest that a limb on its way back to its keys turns on as it did: sticks are quick."""

FREE_FROM = 0.999
"""From this Limp on nothing draws a particle to its keys."""


@lru_cache(maxsize=64)
def _figure(plan: Plan) -> Figure:
    return plan_figure(plan)


def figure_of(participant: Participant) -> Figure:
    """Particles and sticks of a figure; made once for each start."""
    return _figure(plan_of(participant))


@dataclass(frozen=True, eq=False)
class FigureRows:
    """Where one figure lies in the model."""

    participant: Participant
    figure: Figure
    object: int  # index in `Model.objects`
    particles: slice
    pins: slice  # of `Model.pins`; empty for one that follows neither keys nor pins


def figures_of(session: Session) -> list[FigureRows]:
    """All stick figures of a session, in the order of the model."""
    return session.once(_lay_out)


def _lay_out(session: Session) -> list[FigureRows]:
    figures = [(p, figure_of(p)) for p in session.participants(RAGDOLL) if is_sticks(p)]
    model = session.model
    spans = [(n, span) for n, span in enumerate(model.objects) if span.body < 0]
    pins = [len(f.place) if _is_led(p) else 0 for p, f in figures]
    first = len(model.pins) - sum(pins)
    found = []
    last = spans[len(spans) - len(figures) :]
    for (participant, figure), (index, span), count in zip(figures, last, pins):
        own = slice(first, first + count)
        found.append(FigureRows(participant, figure, index, span.particles, own))
        first += count
    return found


def _is_led(participant: Participant) -> bool:
    """Whether anything besides physics moves a figure, now or later."""
    arrays: ArmatureArrays = participant.armature
    return arrays.has_muscles or bool(arrays.pins)


def may_hold(holder: Participant | None) -> bool:
    """Whether something is a rigid body that the simulation moves: what it holds loads it."""
    if holder is None or holder.kind != "BODY":
        return False
    return holder.settings.model == "QUATERNION" and holder.settings.type != "PASSIVE"


def add(
    builder: ModelBuilder,
    participant: Participant,
    frame_duration: float,
    ends: Mapping[int, tuple[Participant, int]],
) -> tuple[Figure, int]:
    """Add a figure to a model, after everything else that is made of particles.

    ``ends``: bodies and colliders by session id, with their indices. Returns the figure's.
    """
    arrays, figure = participant.armature, figure_of(participant)
    turn, move = turned_pose(arrays.rest, arrays.pose)
    before = None if arrays.before is None else turned_pose(arrays.rest, arrays.before)
    held = 0.0 if _is_led(participant) else None  # `drive` says for each frame who is
    rows = [pinned_particles(figure, _bone_pin(pin)) for pin in arrays.pins]
    index = add_stick_figure(builder, figure, turn, move, before, frame_duration, held)
    first = builder.objects[index].first_particle
    for number, pin in enumerate(arrays.pins):
        holder, body = ends.get(pin.uid, (None, -1))
        if may_hold(holder):
            builder.add_attachment(OnBody(body), first + rows[number], number=number)
    return figure, index


# ---------------------------------------------------------------------- into the simulation


def drive(session: Session, depsgraph: bpy.types.Depsgraph, inputs: FrameInputs) -> FrameInputs:
    """The inputs with pins at the joints that follow keys or what they are pinned to.

    What the keys ask for is kept in `Session.keyed_figures` until that frame is simulated.
    """
    found = [rows for rows in figures_of(session) if _is_led(rows.participant)]
    session.keyed_figures = {}
    if not found:
        return inputs
    model, last = session.model, session.last_inputs
    before = model.particles.position[model.pins.particle] if last is None else last.pin_position
    place = np.concatenate([inputs.pin_position, before[len(inputs.pin_position) :]])
    holders = {p.uid: p for p in session.participants("BODY")}
    loose: dict[int, frozenset[int]] = {}  # ties that do not hold, by the figure's object
    weight = (model.pins.weight if inputs.pin_weight is None else inputs.pin_weight).copy()
    for rows, ob in zip(found, find_objects([rows.participant for rows in found])):
        weight[rows.pins] = 0.0
        if ob is None or ob.pose is None:  # it is gone: what is left of it hangs limp
            continue
        arrays: ArmatureArrays = rows.participant.armature
        keyed = asked_of(arrays, ob, depsgraph) if arrays.has_muscles else None
        if keyed is not None:
            turn, move, limp = keyed
            turn, move = _returning(session, depsgraph, rows, turn, move, limp)
            place[rows.pins] = rows.figure.places(turn, move)
            weight[rows.pins] = rows.figure.weights(np.where(limp > FREE_FROM, 1.0, limp))
            session.keyed_figures[rows.participant.uid] = (
                depsgraph.scene.frame_current,
                (turn, move, limp),
            )
        for number, pin in enumerate(arrays.pins):
            holds = is_held(ob, rows.figure.plan.skeleton.name[pin.bone], depsgraph)
            if may_hold(holders.get(pin.uid)):
                if not holds:
                    loose[rows.object] = loose.get(rows.object, frozenset()) | {number}
            elif holds:
                _hold(rows, pin, depsgraph, place[rows.pins], weight[rows.pins])
    animated = inputs.animated
    if animated is not None and loose:
        animated = tuple(
            replace(one, loose=loose.get(index, one.loose)) for index, one in enumerate(animated)
        )
    return replace(inputs, pin_position=place, pin_weight=weight, animated=animated)


def _bone_pin(pin: PinInput) -> BonePin:
    return BonePin(pin.bone, pin.settings, None, pin.place)


def _hold(
    rows: FigureRows,
    pin: PinInput,
    depsgraph: bpy.types.Depsgraph,
    place: Floats,
    weight: Floats,
) -> None:
    """Write where a pin takes its particles to places (n, 3) m and weights (n,) of a figure."""
    bone_pin, target = _bone_pin(pin), find_object(pin.uid)
    row = pinned_particles(rows.figure, bone_pin)
    weight[row] = np.maximum(weight[row], pin_weights(rows.figure, bone_pin))
    if target is None:  # it is gone: they stay where it was last
        return
    start = pinned_places(rows.figure, bone_pin, *_start(rows))
    carried = affine.matrix_of(target.evaluated_get(depsgraph)) @ inverse(pin.matrix)
    place[row] = start @ carried[:3, :3].T + carried[:3, 3]


def _returning(
    session: Session,
    depsgraph: bpy.types.Depsgraph,
    rows: FigureRows,
    turn: Floats,
    move: Floats,
    limp: Floats,
) -> tuple[Floats, Floats]:
    """The keyed pose, with parts that were simulated until now on their way to it."""
    plan, uid = rows.figure.plan, rows.participant.uid
    leaders = [part.bone for part in plan.parts]
    heads = plan.skeleton.head[leaders]

    def placed(frame: int) -> Placed:
        """Turns of the parts from the rest pose, and where their heads are, in a frame."""
        x = session.cache[frame].position[rows.particles]
        turned, moved = figure_pose(rows.figure, x, session.placement(frame).holds[uid])
        return turned, np.einsum("pij,pj->pi", turned, heads) + moved

    held = limp[leaders] <= 0.0
    return returning(session, depsgraph, uid, plan, placed, held, turn, move, ONWARD)


# ---------------------------------------------------------------------- out of it


def holds_at_start(session: Session) -> dict[int, Floats]:
    """By session id what start poses have beyond what particles tell, see `limb_frames`."""
    state = session.cache[session.start]
    return {
        rows.participant.uid: note_hold(
            rows.figure, state.position[rows.particles], *_leading(rows, *_start(rows))
        )
        for rows in figures_of(session)
    }


def holds(session: Session, state: State) -> dict[int, Floats]:
    """The same after a frame: noted anew for parts that follow their keys, else as they were."""
    found = {}
    before = session.placements[-1].holds
    for rows in figures_of(session):
        uid = rows.participant.uid
        found[uid] = before[uid]
        frame, keyed = session.keyed_figures.get(uid, (None, None))
        if keyed is None or frame != state.frame:
            continue
        turn, move, limp = keyed
        held = limp[[part.bone for part in rows.figure.plan.parts]] <= 0.0
        if held.any():
            x = state.position[rows.particles]
            now = note_hold(rows.figure, x, *_leading(rows, turn, move))
            found[uid] = np.where(held[:, None, None], now, before[uid])
    return found


def placed_bones(rows: FigureRows, state: State, hold: Floats) -> Floats:
    """World matrices (m, 4, 4) of the bones of `moved_bones` in a simulated frame."""
    return bone_bodies.placed_bones(rows.participant, figure_changes(rows, state, hold))


def figure_changes(rows: FigureRows, state: State, hold: Floats) -> Floats:
    """What carries parts from the start to a simulated frame, world matrices (p, 4, 4)."""
    turn, move = figure_pose(rows.figure, state.position[rows.particles], hold)
    start_turn, start_move = _leading(rows, *_start(rows))
    change = np.tile(np.eye(4), (len(turn), 1, 1))
    change[:, :3, :3] = turn @ np.swapaxes(start_turn, -1, -2)
    change[:, :3, 3] = move - np.einsum("pij,pj->pi", change[:, :3, :3], start_move)
    return change


def _start(rows: FigureRows) -> tuple[Floats, Floats]:
    arrays = rows.participant.armature
    return turned_pose(arrays.rest, arrays.pose)


def _leading(rows: FigureRows, turn: Floats, move: Floats) -> tuple[Floats, Floats]:
    """Of turns (b, 3, 3) and moves (b, 3) those of the bones that lead the parts."""
    leaders = [part.bone for part in rows.figure.plan.parts]
    return turn[leaders], move[leaders]
