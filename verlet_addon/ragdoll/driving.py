"""What drives ragdolls in a frame: keyed poses, muscles, pins, and the way back to the keys."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import bpy
import numpy as np

from ...core.model.pull import Pull
from ...core.recipes import pose_return
from ...core.recipes.bone_joints import rotation_vector
from ...core.recipes.ragdoll import turned_pose
from ...core.settings.gravity import GRAVITY
from ...core.vector import rotation_quaternion
from ..blender.data import armature_of
from ..properties import bake_record
from ..properties.participants import find_objects
from ..transforms import affine
from ..transforms.rotations import quaternions
from . import armature
from .bone_bodies import Rows, changes, rows_of
from .bone_pins import is_held

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...core.arrays import Floats
    from ...core.model import FrameInputs, Model, State
    from ...core.recipes.pose_return import Placed
    from ...core.recipes.ragdoll_plan import Plan
    from ..inputs.armature_arrays import ArmatureArrays
    from ..session import Session


def drive(session: Session, depsgraph: bpy.types.Depsgraph, inputs: FrameInputs) -> FrameInputs:
    """The inputs with what the bones' own animation asks for in the evaluated frame.

    Where parts come back to their keys is noted in `Session.returning`, for the next frame.
    """
    every = rows_of(session)
    found = [r for r in every if r.participant.armature.has_muscles or r.participant.armature.pins]
    if not found:
        return inputs
    objects = find_objects([rows.participant for rows in found])
    has_muscles = any(rows.participant.armature.has_muscles for rows in found)
    asked = _follow(session, depsgraph, inputs, found, objects) if has_muscles else inputs
    if any(rows.participant.armature.pins for rows in found):
        hold = np.ones(len(session.model.joints))
        for rows, ob in zip(found, objects):
            if ob is not None and ob.pose is not None:
                names = rows.plan.skeleton.name
                for row, pin in enumerate(rows.participant.armature.pins, rows.pins.start):
                    hold[row] = is_held(ob, names[pin.bone], depsgraph)
        asked = replace(asked, joint_hold=hold)
    return asked


def _follow(
    session: Session,
    depsgraph: bpy.types.Depsgraph,
    inputs: FrameInputs,
    found: list[Rows],
    objects: list[bpy.types.Object | None],
) -> FrameInputs:
    """The inputs with what keyed poses ask for."""
    model, before = session.model, session.last_inputs
    count = len(model.joints)
    asked = replace(
        inputs,
        body_position=inputs.body_position.copy(),
        body_orientation=inputs.body_orientation.copy(),
        joint_target=inputs.joint_target.copy(),
        joint_pose=np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)),
        joint_strength=np.ones(count),
    )
    factors = list(inputs.animated)
    frequency, most = np.zeros(len(model.bodies)), np.zeros(len(model.bodies))
    for rows, ob in zip(found, objects):
        if not rows.participant.armature.has_muscles:
            continue
        keyed = None
        if ob is not None and ob.pose is not None:
            keyed = asked_of(rows.participant.armature, ob, depsgraph)
        if keyed is None:  # it is gone: what is left of it hangs limp
            asked.joint_strength[rows.joints] = 0.0
            continue
        turn, move, limp = keyed
        of_parts = limp[[part.bone for part in rows.plan.parts]]
        held = of_parts <= 0.0
        _lead_joints(rows, turn, of_parts, asked)
        turn, move = _returning(session, depsgraph, rows, held, turn, move)
        _lead_bodies(model, rows, turn, move, asked)
        settings = rows.plan.settings
        strength = np.where(_are_afloat(rows, held), 1.0 - of_parts, 0.0)
        frequency[rows.bodies] = settings.frequency * np.sqrt(strength)
        most[rows.bodies] = settings.balance * GRAVITY * strength
        for row, is_held_now in enumerate(held, rows.objects.start):
            factors[row] = replace(factors[row], pin=1.0 if is_held_now else 0.0)
    _lead_ahead(session, depsgraph.scene.frame_current, asked)
    start = model.bodies.position if before is None else before.body_position
    pull = Pull(start, asked.body_position, frequency, most)
    return replace(asked, animated=tuple(factors), pull=pull if bool(pull.draws.any()) else None)


def asked_of(
    arrays: ArmatureArrays, ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph
) -> tuple[Floats, Floats, Floats] | None:
    """What carries each bone from rest to its keyed pose, and how limp it is; None for nonsense."""
    if len(armature_of(ob).bones) != len(arrays.rest) or bake_record.is_baked(ob):
        return None
    world = affine.matrix_of(ob.evaluated_get(depsgraph))
    if not affine.is_invertible(world):
        return None
    turn, move = turned_pose(arrays.rest, armature.posed(ob, depsgraph, world))
    return turn, move, armature.read_limp(ob, depsgraph)


def _lead_bodies(model: Model, rows: Rows, turn: Floats, move: Floats, asked: FrameInputs) -> None:
    """Write where the keyed pose has the bodies: those that are held go there, others are drawn."""
    leaders = [part.bone for part in rows.plan.parts]
    arrays = rows.participant.armature
    start_turn, start_move = (a[leaders] for a in turned_pose(arrays.rest, arrays.pose))
    away = model.bodies.position[rows.bodies] - start_move
    at_rest = np.einsum("bji,bj->bi", start_turn, away)
    places = np.einsum("bij,bj->bi", turn[leaders], at_rest) + move[leaders]
    change = turn[leaders] @ np.swapaxes(start_turn, -1, -2)
    axes = change @ affine.rotation_of(model.bodies.orientation[rows.bodies])
    asked.body_position[rows.bodies] = places
    asked.body_orientation[rows.bodies] = quaternions(axes)


# ---------------------------------------------------------------------- muscles


def _lead_joints(rows: Rows, turn: Floats, limp: Floats, asked: FrameInputs) -> None:
    """Write what the muscles aim at, and how strong they are; limp (p,) of each part."""
    parts = rows.plan.parts
    joined = [row for row, part in enumerate(parts) if part.joint]
    for row, number in enumerate(joined, rows.joints.start):
        part = parts[number]
        above = turn[parts[part.parent].bone]
        asked.joint_pose[row] = rotation_quaternion(
            (above @ part.joint.first).T @ turn[part.bone] @ part.joint.second
        )
        asked.joint_target[row] = _about_z(asked.joint_pose[row])
        asked.joint_strength[row] = 1.0 - limp[number]


def _about_z(turn: Floats) -> float:
    """Angle (rad) of a quaternion (4,) of a hinge, about its Z."""
    angle = 2.0 * np.arctan2(turn[3], turn[0])
    return float((angle + np.pi) % (2.0 * np.pi) - np.pi)


def _lead_ahead(session: Session, frame: int, asked: FrameInputs) -> None:
    """Let muscles aim ahead of a pose that moves, by as long as their damping holds them back.

    A critically damped motor lags behind by 2 / ω; half a frame of it is the frame's own.
    """
    keyed, known = asked.joint_pose.copy(), session.keyed_joints
    session.keyed_joints = frame, keyed
    if known is None or known[0] != session.last:
        return
    before, frames = known[1], frame - known[0]
    frequency = session.model.joints.motor_frequency
    has_muscle = (asked.joint_strength > 0.0) & (frequency > 0.0)
    for row in np.flatnonzero(has_muscle & (keyed != before).any(axis=1)):
        lead = 1.0 / (np.pi * frequency[row] * asked.duration) - 0.5
        if lead <= 0.0:
            continue
        now, last = affine.rotation_of(keyed[row]), affine.rotation_of(before[row])
        turn = pose_return.turned(lead / frames * rotation_vector(now @ last.T)) @ now
        asked.joint_pose[row] = rotation_quaternion(turn)
        asked.joint_target[row] = _about_z(asked.joint_pose[row])


def _are_afloat(rows: Rows, held: np.ndarray) -> np.ndarray:
    """Parts (p,) that hang on nothing that is held (p,): muscles have to balance them."""
    parts = rows.plan.parts
    group = np.arange(len(parts))
    for row in _parents_first(rows.plan):
        above = parts[row].parent
        if above >= 0:
            group[row] = group[above]
    anchored = np.isin(group, group[held])
    afloat: np.ndarray = ~anchored
    return afloat


def _parents_first(plan: Plan) -> list[int]:
    """Rows of the parts, those of parents before those of their children."""
    parts = plan.parts
    done: list[int] = []
    waiting = list(range(len(parts)))
    while waiting:
        ready = [row for row in waiting if parts[row].parent not in waiting]
        done += ready
        waiting = [row for row in waiting if row not in ready]
    return done


# ---------------------------------------------------------------------- back to the keys


def _returning(
    session: Session,
    depsgraph: bpy.types.Depsgraph,
    rows: Rows,
    held: np.ndarray,
    turn: Floats,
    move: Floats,
) -> tuple[Floats, Floats]:
    """The keyed pose of a ragdoll of bodies, see `returning`."""

    def placed(frame: int) -> Placed:
        return _placed(session.model, rows, session.cache[frame])

    uid = rows.participant.uid
    return returning(session, depsgraph, uid, rows.plan, placed, held, turn, move)


def returning(
    session: Session,
    depsgraph: bpy.types.Depsgraph,
    uid: int,
    plan: Plan,
    placed: Callable[[int], Placed],
    held: np.ndarray,
    turn: Floats,
    move: Floats,
    farthest: float = np.inf,
) -> tuple[Floats, Floats]:
    """The keyed pose, with parts that were simulated until now on their way to it.

    placed: where the simulation has the parts in a frame; held (p,): which follow their keys;
    turn (b, 3, 3), move (b, 3) m: where those have the bones; farthest rad, that a part may turn on
    by itself.
    """
    known = session.placements[-1].returning.get(uid)
    if known is None:
        known = pose_return.at_rest(held)
    duration = session.inputs.frame_duration
    last, start = session.last, session.start
    leaders = [part.bone for part in plan.parts]
    heads = plan.skeleton.head[leaders]
    keyed = turn[leaders], np.einsum("pij,pj->pi", turn[leaders], heads) + move[leaders]
    known = pose_return.begun(
        known,
        held,
        [part.parent for part in plan.parts],
        (last - start) * duration,
        placed(last),
        placed(max(last - 1, start)),
        keyed,
        duration,
        farthest,
    )
    session.returning[uid] = known
    time = (depsgraph.scene.frame_current - start) * duration
    there = pose_return.returned(known, _parents_first(plan), time, plan.settings.blend, keyed)
    turn, move = turn.copy(), move.copy()
    turn[leaders] = there[0]
    move[leaders] = there[1] - np.einsum("pij,pj->pi", there[0], heads)
    return turn, move


def _placed(model: Model, rows: Rows, state: State) -> Placed:
    """Where the simulation has the parts: turns from the rest pose, and their heads."""
    arrays = rows.participant.armature
    leaders = [part.bone for part in rows.plan.parts]
    start, _ = turned_pose(arrays.rest, arrays.pose)
    change = changes(model, state, rows.bodies)
    turn = change[:, :3, :3] @ start[leaders]
    heads = arrays.pose[leaders, :3, 3]
    return turn, np.einsum("pij,pj->pi", change[:, :3, :3], heads) + change[:, :3, 3]
