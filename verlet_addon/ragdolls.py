"""Ragdolls: armatures whose bones are bodies. From poses to the core's inputs, and back to poses.

A ragdoll's bodies and joints come last in the model, in the order of the participants, so that the
rows of everything else stay what they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import bpy
import numpy as np
from mathutils import Matrix

from ..core.bodies import body_poses
from ..core.recipes.ragdoll import Plan, add_ragdoll, plan_ragdoll, quaternion, turned_pose
from ..core.settings import AnimatedSettings, RagdollSettings
from .bake import restore
from .bake.rotations import quaternions
from .extract import armature, pose
from .extract.armature import ArmatureArrays
from .kinds import RAGDOLL
from .participants import find_objects

if TYPE_CHECKING:
    from ..core.builder import ModelBuilder
    from ..core.model import FrameInputs, Model, State
    from ..core.recipes.bone_joints import BoneJoint
    from .scene import Participant
    from .session import Floats, Session


def plan_of(participant: Participant) -> Plan:
    """Bodies and joints of a ragdoll; made once for each start."""
    return _plan(participant.name, participant.armature, participant.settings)


@lru_cache(maxsize=64)
def _plan(name: str, arrays: ArmatureArrays, settings: RagdollSettings) -> Plan:
    return plan_ragdoll(name, arrays.skeleton, settings, arrays.skin, arrays.choices)


@dataclass(frozen=True, eq=False)
class Rows:
    """Where one ragdoll lies in the model."""

    participant: Participant
    plan: Plan
    bodies: slice  # of `bodies.body_poses` and `FrameInputs.body_position`
    joints: slice  # of `Model.joints`
    objects: slice  # of `Model.objects`


def rows_of(session: Session) -> list[Rows]:
    """All ragdolls of a session, in the order of the model."""
    model = session.model
    found = []
    plans = [(p, plan_of(p)) for p in session.participants(RAGDOLL)]
    part = sum(len(plan.parts) for _, plan in plans)
    joint = sum(len(plan.parts) - _root_count(plan) for _, plan in plans)
    for participant, plan in plans:
        count, joints = len(plan.parts), len(plan.parts) - _root_count(plan)
        body = model.body_count - part
        first_joint, first_object = len(model.joints) - joint, len(model.objects) - part
        found.append(
            Rows(
                participant,
                plan,
                slice(body, body + count),
                slice(first_joint, first_joint + joints),
                slice(first_object, first_object + count),
            )
        )
        part, joint = part - count, joint - joints
    return found


def _root_count(plan: Plan) -> int:
    return sum(part.joint is None for part in plan.parts)


def add(builder: ModelBuilder, participant: Participant, frame_duration: float) -> None:
    """Add a ragdoll to a model, after everything else."""
    arrays = participant.armature
    turn, move = turned_pose(arrays.rest, arrays.pose)
    before = None if arrays.before is None else turned_pose(arrays.rest, arrays.before)
    add_ragdoll(
        builder,
        plan_of(participant),
        turn,
        move,
        before,
        frame_duration,
        has_muscles=arrays.has_muscles,
    )


# ---------------------------------------------------------------------- into the simulation


def animated(participant: Participant, shared: AnimatedSettings) -> list[AnimatedSettings]:
    """The factors of each body of a ragdoll before its bones are read: none follows its keys."""
    return [replace(shared, pin=0.0)] * len(plan_of(participant).parts)


def drive(session: Session, depsgraph: bpy.types.Depsgraph, inputs: FrameInputs) -> FrameInputs:
    """The inputs with what the bones' own animation asks for in the evaluated frame."""
    found = [rows for rows in rows_of(session) if rows.participant.armature.has_muscles]
    if not found:
        return inputs
    count = len(session.model.joints)
    asked = replace(
        inputs,
        body_position=inputs.body_position.copy(),
        body_orientation=inputs.body_orientation.copy(),
        joint_target=inputs.joint_target.copy(),
        joint_pose=np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)),
        joint_strength=np.ones(count),
    )
    factors = list(inputs.animated)
    for rows, ob in zip(found, find_objects([rows.participant for rows in found])):
        keyed = None if ob is None or ob.pose is None else _asked(rows, ob, depsgraph)
        if keyed is None:  # it is gone: what is left of it hangs limp
            asked.joint_strength[rows.joints] = 0.0
            continue
        turn, move, limp = keyed
        _lead_bodies(session.model, rows, turn, move, asked)
        _lead_joints(rows, turn, limp, asked)
        for row, part in enumerate(rows.plan.parts, rows.objects.start):
            factors[row] = replace(factors[row], pin=1.0 if limp[part.bone] <= 0.0 else 0.0)
    return replace(asked, animated=tuple(factors))


def _lead_bodies(model: Model, rows: Rows, turn: Floats, move: Floats, asked: FrameInputs) -> None:
    """Write where the keyed pose has the bodies; the core reads it for those that are held."""
    leaders = [part.bone for part in rows.plan.parts]
    arrays = rows.participant.armature
    start_turn, start_move = (a[leaders] for a in turned_pose(arrays.rest, arrays.pose))
    away = model.bodies.position[rows.bodies] - start_move
    at_rest = np.einsum("bji,bj->bi", start_turn, away)
    places = np.einsum("bij,bj->bi", turn[leaders], at_rest) + move[leaders]
    change = turn[leaders] @ np.swapaxes(start_turn, -1, -2)
    axes = change @ pose.rotation_of(model.bodies.orientation[rows.bodies])
    asked.body_position[rows.bodies] = places
    asked.body_orientation[rows.bodies] = quaternions(axes)


def _lead_joints(rows: Rows, turn: Floats, limp: Floats, asked: FrameInputs) -> None:
    """Write what the muscles aim at, and how strong they are."""
    parts = rows.plan.parts
    for row, part in enumerate((part for part in parts if part.joint), rows.joints.start):
        above = turn[parts[part.parent].bone]
        seen = quaternion((above @ part.joint.first).T @ turn[part.bone] @ part.joint.second)
        asked.joint_pose[row] = seen
        angle = 2.0 * np.arctan2(seen[3], seen[0])  # of a hinge, about its Z
        asked.joint_target[row] = (angle + np.pi) % (2.0 * np.pi) - np.pi
        asked.joint_strength[row] = 1.0 - limp[part.bone]


def _asked(
    rows: Rows, ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph
) -> tuple[Floats, Floats, Floats] | None:
    """What carries each bone from rest to its keyed pose, and how limp it is; None for nonsense."""
    arrays = rows.participant.armature
    if len(ob.data.bones) != len(arrays.rest) or restore.is_baked(ob):
        return None
    world = pose.matrix_of(ob.evaluated_get(depsgraph))
    if not pose.is_invertible(world):
        return None
    turn, move = turned_pose(arrays.rest, armature.posed(ob, depsgraph, world))
    return turn, move, armature.read_limp(ob, depsgraph)


# ---------------------------------------------------------------------- out of it


def moved_bones(participant: Participant) -> list[tuple[int, int]]:
    """Bones that the simulation moves itself (row of the skeleton, row of the part).

    Other bones of a part follow by their parents, with their own animation.
    """
    plan = plan_of(participant)
    bones = plan.skeleton
    own_parent = participant.armature.own_parent
    found = []
    for row, part in enumerate(plan.parts):
        for bone in part.members:
            above = int(own_parent[bone])
            follows = above >= 0 and plan.part_of_bone[above] == row
            if bone == part.bone or not follows or bones.name[bone] in participant.armature.held:
                found.append((bone, row))
    return found


def placed_bones(session: Session, rows: Rows, state: State) -> Floats:
    """World matrices (m, 4, 4) of the bones of `moved_bones` in a simulated frame."""
    model: Model = session.model
    now = [a[rows.bodies] for a in body_poses(model, state)]
    start = model.bodies.position[rows.bodies], model.bodies.orientation[rows.bodies]
    turn = pose.rotation_of(now[1]) @ np.swapaxes(pose.rotation_of(start[1]), -1, -2)
    change = np.tile(np.eye(4), (len(turn), 1, 1))
    change[:, :3, :3] = turn
    change[:, :3, 3] = now[0] - np.einsum("bij,bj->bi", turn, start[0])
    moved = moved_bones(rows.participant)
    return np.array([change[part] @ rows.participant.armature.pose[bone] for bone, part in moved])


def own_poses(
    session: Session,
    state: State,
    depsgraph: bpy.types.Depsgraph,
    worlds: Mapping[int, Floats],
    before: Mapping[int, Floats],
) -> dict[int, Floats]:
    """By session id the own transforms (m, 4, 4) of the moved bones that show a state.

    ``worlds``: where the armatures are in the evaluated frame; ``before``: those of the frame
    before, for what cannot be told any more.
    """
    found = {}
    every = rows_of(session)
    for rows, ob in zip(every, find_objects([rows.participant for rows in every])):
        uid = rows.participant.uid
        world = worlds.get(uid)
        names = rows.plan.skeleton.name
        sound = ob is not None and ob.pose is not None and world is not None
        if not sound or not pose.is_invertible(world) or any(n not in ob.pose.bones for n in names):
            found[uid] = before[uid]
            continue
        local = np.linalg.inv(world) @ placed_bones(session, rows, state)
        targets = {
            names[bone]: Matrix(matrix)
            for (bone, _), matrix in zip(moved_bones(rows.participant), local)
        }
        found[uid] = _basis_of(ob, depsgraph, targets)
    return found


def _basis_of(
    ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph, targets: Mapping[str, Matrix]
) -> Floats:
    """Own transforms (m, 4, 4) that bring bones to their ``targets`` in the armature's space.

    A bone in between, which moves with one of them, keeps its own transform; all others are where
    the evaluated frame has them. A connected bone is turned alone: where a blow parts its joint for
    a moment, what hangs on it is placed from where the bone really is.
    """
    evaluated = ob.evaluated_get(depsgraph).pose.bones
    placed: dict[str, Matrix] = {}
    found: dict[str, Matrix] = {}

    def place(bone: bpy.types.Bone) -> tuple[Matrix, bool]:
        """Where a bone is, and whether that hangs on a target."""
        if bone.name in placed:
            return placed[bone.name], True
        parent, hangs = (None, False) if bone.parent is None else place(bone.parent)
        if bone.name in targets:
            own = armature.to_basis(bone, targets[bone.name], parent)
            placed[bone.name] = targets[bone.name]
            if bone.use_connect:  # Blender keeps it at the end of its parent, whatever we write
                own.translation = (0.0, 0.0, 0.0)
                placed[bone.name] = armature.to_pose(bone, own, parent)
            found[bone.name] = own
            return placed[bone.name], True
        if hangs:
            own = evaluated[bone.name].matrix_basis
            placed[bone.name] = armature.to_pose(bone, own, parent)
            return placed[bone.name], True
        return evaluated[bone.name].matrix, False

    for name in targets:
        place(ob.data.bones[name])
    return np.array([found[name] for name in targets], dtype=np.float64)


def moved_names(participant: Participant) -> list[str]:
    """Names of the bones of `moved_bones`."""
    names = plan_of(participant).skeleton.name
    return [names[bone] for bone, _ in moved_bones(participant)]


def notes(participant: Participant) -> dict[str, list[str]]:
    """What became of each bone of a ragdoll, in words, by its name."""
    plan = plan_of(participant)
    names = plan.skeleton.name
    found = {}
    for mass, part in zip(plan.mass, plan.parts):
        leader = names[part.bone]
        for bone in part.members:
            found[names[bone]] = [f"One body with {leader}"]
        lines = [f"{part.fit.shape.title()}, {mass:.2f} kg"]
        if part.joint is not None:
            above = names[plan.parts[part.parent].bone]
            lines.append(f"{_in_words(part.joint)}, on {above}")
        found[leader] = lines
    return found


def _in_words(joint: BoneJoint) -> str:
    label = joint.kind.title().replace("_", " ")
    if not joint.is_limited:
        return label
    low, high, swing = (round(np.degrees(a)) for a in (joint.lower, joint.upper, joint.swing))
    if joint.kind == "HINGE":
        return f"{label} {low}° to {high}°"
    return f"{label} {swing}°, twist {low}° to {high}°"
