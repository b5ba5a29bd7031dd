"""The hand of the user: what it may take hold of, holds and pulls, while the animation plays.

No window is needed here: whoever looks where the mouse is says which way it points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

import bpy
import numpy as np

from ...core.arrays import Floats
from ...core.model import FrameInputs, State
from ...core.stages.grab import grab_body, grab_particle
from .. import jobs
from ..inputs.participant import Participant
from ..properties.kinds import RAGDOLL
from ..ragdoll import bone_bodies, stick_figures
from ..session import Hold, Session
from ..session.phase import EventKind
from ..transforms import affine

Place = tuple[float, float, float]


class Pick(NamedTuple):
    """What would be taken hold of."""

    name: str
    place: Place  # m, in the world
    particle: int = -1
    body: int = -1  # row of `body_poses`, where it is no particle


class Points(NamedTuple):
    """Places of one thing that a hand may take hold of."""

    name: str
    places: Floats  # (n, 3) m
    first_particle: int  # −1: of bodies
    bodies: np.ndarray  # (n,) rows of `body_poses`, of bodies
    is_thin: bool  # has no faces that a ray could hit


# ------------------------------------------------------------------ what is there


def pick_on(session: Session, frame: int, ob: bpy.types.Object, place: Place) -> Pick | None:
    """What moves of an object that a ray has hit at a place in the world; None: nothing does."""
    state = session.cache[frame]
    for participant, row in zip(session.participants("BODY"), session.body_rows):
        if participant.uid == ob.session_uid:
            is_free = participant.settings.type != "PASSIVE"
            return Pick(participant.name, place, body=row) if is_free else None
    for points in points_of(session, state):
        if points.first_particle >= 0 and points.name == ob.name:
            return _nearest(points, place)
    rig = _rig_of(session, ob)
    found = [p for p in points_of(session, state) if rig is not None and p.name == rig.name]
    if not found:
        return None
    pick = _nearest(found[0], place)
    return pick if pick.particle >= 0 else pick._replace(place=place)


def pick_near(
    session: Session,
    frame: int,
    distances: Callable[[Floats], Floats],
    *,
    thin_only: bool,
) -> Pick | None:
    """What moves nearest to the mouse: ``distances`` says how far places (n, 3) are, ∞: too far.

    ``thin_only``: only what a ray cannot hit, as ropes and dust.
    """
    best, nearest = None, np.inf
    for points in points_of(session, session.cache[frame]):
        if len(points.places) == 0 or (thin_only and not points.is_thin):
            continue
        far = distances(points.places)
        row = int(np.argmin(far))
        if far[row] < nearest:
            best, nearest = _picked(points, row), far[row]
    return best


def points_of(session: Session, state: State) -> Iterator[Points]:
    """Particles of all that is made of them, and points along the bones of ragdolls."""
    spans = [span for span in session.model.objects if span.body < 0]
    nobody = np.zeros(0, dtype=np.int64)
    for participant, span in zip(session.particle_objects(), spans):
        is_thin = len(participant.particles.face_offsets) <= 1
        places = state.position[span.particles]
        yield Points(participant.name, places, span.first_particle, nobody, is_thin)
    for figure in stick_figures.figures_of(session):
        places = state.position[figure.particles]
        first = figure.particles.start
        yield Points(figure.participant.name, places, first, nobody, False)
    ragdolls = bone_bodies.rows_of(session)
    change = bone_bodies.changes(session.model, state) if ragdolls else None
    for rows in ragdolls:
        yield _along_bones(rows, change[rows.bodies])


ALONG = np.linspace(0.0, 1.0, 7)
"""Shares of a bone's length at which it may be taken hold of."""


def _along_bones(rows: bone_bodies.Rows, change: Floats) -> Points:
    """Places along the bones of a ragdoll; ``change`` (p, 4, 4): of its parts since the start."""
    bones = rows.plan.skeleton
    held = np.flatnonzero(np.array(rows.plan.part_of_bone) >= 0)
    part = np.array(rows.plan.part_of_bone)[held]
    pose = np.array(rows.participant.armature.pose)[held]
    placed = change[part] @ pose
    up = placed[:, :3, 1] / np.maximum(
        np.linalg.norm(placed[:, :3, 1], axis=1, keepdims=True), 1e-9
    )
    along = up[:, None] * (bones.length[held, None] * ALONG)[:, :, None]
    places = (placed[:, None, :3, 3] + along).reshape(-1, 3)
    bodies = np.repeat(part + rows.bodies.start, len(ALONG))
    return Points(rows.participant.name, places, -1, bodies, False)


def _nearest(points: Points, place: Place) -> Pick:
    away = points.places - np.array(place)
    return _picked(points, int(np.argmin((away * away).sum(axis=1))))


def _picked(points: Points, row: int) -> Pick:
    x, y, z = points.places[row].tolist()
    if points.first_particle >= 0:
        return Pick(points.name, (x, y, z), particle=points.first_particle + row)
    return Pick(points.name, (x, y, z), body=int(points.bodies[row]))


def _rig_of(session: Session, ob: bpy.types.Object) -> Participant | None:
    """The ragdoll that an object is the skin of, or hangs on."""
    rigs = {p.uid: p for p in session.participants(RAGDOLL)}
    above: bpy.types.Object | None = ob
    while above is not None:
        if above.session_uid in rigs:
            return rigs[above.session_uid]
        for modifier in above.modifiers:
            rig = modifier.object if isinstance(modifier, bpy.types.ArmatureModifier) else None
            if rig is not None and rig.session_uid in rigs:
                return rigs[rig.session_uid]
        above = above.parent
    return None


# ------------------------------------------------------------------ taking hold, and letting go


def take(session: Session, frame: int, pick: Pick) -> None:
    """Take hold of something as it is in a simulated frame; later frames are dropped."""
    session.forget_frames_from(frame + 1)
    jobs.finish()
    state = session.cache[frame]
    if pick.particle >= 0:
        grab = grab_particle(session.model, state, pick.particle)
    else:
        grab = grab_body(session.model, state, pick.body, pick.place)
    session.hold = Hold(pick.name, frame, grab, grab.end)


def give_back(session: Session) -> int:
    """Let go, and forget all frames since it was taken; returns the one in which that was."""
    frame = session.hold.frame
    session.hold = None
    session.forget_frames_from(frame + 1)
    return frame


def pulled(session: Session, inputs: FrameInputs) -> FrameInputs:
    """The inputs of the frame to come with the hand in it; from there on it is improvised."""
    hold = session.hold
    if hold is None:
        return inputs
    hold.grab = hold.grab.toward(hold.target)
    first = session.last + 1
    if session.improvised_from is None:
        session.happened(EventKind.IMPROVISED, first)
    if session.pulled is None:
        session.pulled = first
    return replace(inputs, grab=hold.grab)


def held_place(session: Session, frame: int) -> Floats:
    """Where what is held is in a simulated frame, (3,) m."""
    grab, state = session.hold.grab, session.cache[frame]
    if grab.body < 0:
        places = state.position[grab.particle]
        place: Floats = grab.weight @ (places if grab.offset is None else places - grab.offset)
    else:
        turn = affine.rotation_of(state.body_orientation[grab.body])
        place = state.body_position[grab.body] + turn @ np.array(grab.point)
    return place
