"""Ragdolls as stick figures: armatures whose joints are particles. Poses in, and poses out.

Their particles come after those of everything else, in the order of the participants, and before
ragdolls of bodies, which are the model's last rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import bpy
import numpy as np

from ..core.recipes.limb_frames import figure_pose, note_hold
from ..core.recipes.ragdoll import Plan, turned_pose
from ..core.recipes.stick_figure import Figure, add_stick_figure, plan_figure
from .kinds import RAGDOLL
from .participants import find_objects
from .ragdoll_drive import asked_of
from .ragdolls import is_sticks, moved_bones, plan_of

if TYPE_CHECKING:
    from ..core.builder import ModelBuilder
    from ..core.model import FrameInputs, State
    from .extract.armature import ArmatureArrays
    from .scene import Participant
    from .session import Floats, Session

FREE = 0.999
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
    particles: slice
    pins: slice  # of `Model.pinned`; empty for one that never follows its keys


def figures_of(session: Session) -> list[FigureRows]:
    """All stick figures of a session, in the order of the model."""
    figures = [(p, figure_of(p)) for p in session.participants(RAGDOLL) if is_sticks(p)]
    model = session.model
    spans = [span for span in model.objects if span.body < 0][-len(figures) :] if figures else []
    pins = [len(f.place) if p.armature.has_muscles else 0 for p, f in figures]
    first = len(model.pinned) - sum(pins)
    found = []
    for (participant, figure), span, count in zip(figures, spans, pins):
        found.append(FigureRows(participant, figure, span.particles, slice(first, first + count)))
        first += count
    return found


def add(builder: ModelBuilder, participant: Participant, frame_duration: float) -> None:
    """Add a figure to a model, after everything else that is made of particles."""
    arrays, figure = participant.armature, figure_of(participant)
    turn, move = turned_pose(arrays.rest, arrays.pose)
    before = None if arrays.before is None else turned_pose(arrays.rest, arrays.before)
    held = 0.0 if arrays.has_muscles else None  # `drive` says for each frame who is
    add_stick_figure(builder, figure, turn, move, before, frame_duration, held)


# ---------------------------------------------------------------------- into the simulation


def drive(session: Session, depsgraph: bpy.types.Depsgraph, inputs: FrameInputs) -> FrameInputs:
    """The inputs with pins at the joints that follow the keys of the evaluated frame.

    What the keys ask for is kept in `Session.keyed_figures` until that frame is simulated.
    """
    found = [rows for rows in figures_of(session) if rows.participant.armature.has_muscles]
    session.keyed_figures = {}
    if not found:
        return inputs
    model, last = session.model, session.last_inputs
    before = model.rest_position[model.pinned] if last is None else last.pin_position
    place = np.concatenate([inputs.pin_position, before[len(inputs.pin_position) :]])
    weight = (model.pin_weight if inputs.pin_weight is None else inputs.pin_weight).copy()
    for rows, ob in zip(found, find_objects([rows.participant for rows in found])):
        keyed = None
        if ob is not None and ob.pose is not None:
            keyed = asked_of(rows.participant.armature, ob, depsgraph)
        if keyed is None:  # it is gone: what is left of it hangs limp
            weight[rows.pins] = 0.0
            continue
        turn, move, limp = keyed
        place[rows.pins] = rows.figure.places(turn, move)
        weight[rows.pins] = rows.figure.weights(np.where(limp > FREE, 1.0, limp))
        session.keyed_figures[rows.participant.uid] = depsgraph.scene.frame_current, keyed
    return replace(inputs, pin_position=place, pin_weight=weight)


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
    turn, move = figure_pose(rows.figure, state.position[rows.particles], hold)
    start_turn, start_move = _leading(rows, *_start(rows))
    change = np.tile(np.eye(4), (len(turn), 1, 1))
    change[:, :3, :3] = turn @ np.swapaxes(start_turn, -1, -2)
    change[:, :3, 3] = move - np.einsum("pij,pj->pi", change[:, :3, :3], start_move)
    arrays: ArmatureArrays = rows.participant.armature
    return np.array(
        [change[part] @ arrays.pose[bone] for bone, part in moved_bones(rows.participant)]
    )


def _start(rows: FigureRows) -> tuple[Floats, Floats]:
    arrays = rows.participant.armature
    return turned_pose(arrays.rest, arrays.pose)


def _leading(rows: FigureRows, turn: Floats, move: Floats) -> tuple[Floats, Floats]:
    """Of turns (b, 3, 3) and moves (b, 3) those of the bones that lead the parts."""
    leaders = [part.bone for part in rows.figure.plan.parts]
    return turn[leaders], move[leaders]
