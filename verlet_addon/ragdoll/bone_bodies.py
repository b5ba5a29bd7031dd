"""Ragdolls: armatures whose bones are bodies. Their rows in the model, and back to poses.

What drives them frame by frame stands in `ragdoll_drive.py`. A ragdoll's bodies, joints and pins
come last in the model, in the order of the participants, so that the rows of everything else stay
what they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING

import bpy
import numpy as np

from ...core.geometry.affine import inverse
from ...core.particles.particle_bodies.four_particles import body_poses
from ...core.recipes.bone_pins import BonePin
from ...core.recipes.drawn_skin import carry_skin
from ...core.recipes.ragdoll import Ragdoll, add_ragdoll, turned_pose
from ...core.recipes.ragdoll_plan import Plan
from ...core.recipes.ragdoll_planning import plan_ragdoll
from ...core.settings import AnimatedSettings, RagdollSettings
from ..inputs.armature_arrays import ArmatureArrays
from ..properties.kinds import RAGDOLL
from ..properties.participants import find_objects
from ..transforms import affine
from . import armature
from .own_transforms import Rig, own_transforms

if TYPE_CHECKING:
    from ...core.arrays import Floats, Ints
    from ...core.building.builder import ModelBuilder
    from ...core.model import Model, State
    from ...core.model.joint_table import End
    from ...core.recipes.bone_joints import BoneJoint
    from ..inputs.participant import Participant
    from ..session import Session


def plan_of(participant: Participant) -> Plan:
    """Bodies and joints of a ragdoll; made once for each start."""
    return _plan(participant.name, participant.armature, participant.settings)


MOST_KNOWN = 1000
"""Ragdolls of which it is kept how their bones are parts: all is asked in every frame."""


@lru_cache(maxsize=MOST_KNOWN)
def _plan(name: str, arrays: ArmatureArrays, settings: RagdollSettings) -> Plan:
    choices = armature.in_hulls(arrays.choices, arrays.hard, settings.shape)
    change = arrays.pose @ inverse(arrays.rest)
    return plan_ragdoll(name, arrays.skeleton, settings, arrays.skin, choices, change)


def is_sticks(participant: Participant) -> bool:
    """Whether a ragdoll is a stick figure, see `stick_figures`; all others are bodies."""
    return bool(participant.settings.model == "STICKS")


@dataclass(frozen=True, eq=False)
class Rows:
    """Where one ragdoll lies in the model."""

    participant: Participant
    plan: Plan
    bodies: slice  # of `bodies.body_poses` and `FrameInputs.body_position`
    joints: slice  # of `Model.joints`
    pins: slice  # of `Model.joints`, behind those
    objects: slice  # of `Model.objects`


def rows_of(session: Session) -> list[Rows]:
    """All ragdolls of bodies of a session, in the order of the model."""
    return session.once(_lay_out)


def _lay_out(session: Session) -> list[Rows]:
    model = session.model
    found = []
    plans = [(p, plan_of(p)) for p in session.participants(RAGDOLL) if not is_sticks(p)]
    part = sum(len(plan.parts) for _, plan in plans)
    joint = sum(_joint_count(participant, plan) for participant, plan in plans)
    for participant, plan in plans:
        count, pins = len(plan.parts), len(participant.armature.pins)
        joints = _joint_count(participant, plan) - pins
        body = len(model.bodies) - part
        first_joint, first_object = len(model.joints) - joint, len(model.objects) - part
        found.append(
            Rows(
                participant,
                plan,
                slice(body, body + count),
                slice(first_joint, first_joint + joints),
                slice(first_joint + joints, first_joint + joints + pins),
                slice(first_object, first_object + count),
            )
        )
        part, joint = part - count, joint - joints - pins
    return found


def _joint_count(participant: Participant, plan: Plan) -> int:
    """Rows of a ragdoll in `Model.joints`."""
    roots = sum(part.joint is None for part in plan.parts)
    return len(plan.parts) - roots + len(participant.armature.pins)


def add(
    builder: ModelBuilder,
    participant: Participant,
    frame_duration: float,
    ends: Mapping[int, End],
) -> Ragdoll:
    """Add a ragdoll to a model, after everything else; ``ends``: what holds pins, by session id."""
    arrays = participant.armature
    turn, move = turned_pose(arrays.rest, arrays.pose)
    before = None if arrays.before is None else turned_pose(arrays.rest, arrays.before)
    plan = plan_of(participant)
    made = add_ragdoll(
        builder,
        plan,
        turn,
        move,
        before,
        frame_duration,
        has_muscles=arrays.has_muscles,
        pins=[BonePin(pin.bone, pin.settings, ends[pin.uid], pin.place) for pin in arrays.pins],
    )
    carry_skin(builder, plan, made.objects, arrays.drawn, arrays.pose @ inverse(arrays.rest))
    return made


def animated(participant: Participant, shared: AnimatedSettings) -> list[AnimatedSettings]:
    """The factors of each body of a ragdoll before its bones are read: none follows its keys.

    A stick figure is one object.
    """
    if is_sticks(participant):
        return [shared]
    return [replace(shared, pin=0.0)] * len(plan_of(participant).parts)


# ---------------------------------------------------------------------- out of it


def moved_bones(participant: Participant) -> tuple[Ints, Ints]:
    """Bones that the simulation moves itself: rows (m,) of the skeleton, and of their parts.

    Other bones of a part follow by their parents, with their own animation; but not those of a limp
    figure that carry another part, as a shoulder does: what hangs on them would be seen elsewhere.
    """
    return _moved_bones(plan_of(participant), participant.armature)


@lru_cache(maxsize=MOST_KNOWN)
def _moved_bones(plan: Plan, arrays: ArmatureArrays) -> tuple[Ints, Ints]:
    bones = plan.skeleton
    found = []
    carries = set() if arrays.has_muscles else _carrying(plan, arrays.own_parent)
    for row, part in enumerate(plan.parts):
        for bone in part.members:
            above = int(arrays.own_parent[bone])
            follows = above >= 0 and plan.part_of_bone[above] == row
            is_moved = bone == part.bone or not follows or bone in carries
            if is_moved or bones.name[bone] in arrays.held:
                found.append((bone, row))
    pairs = np.array(found, dtype=np.int32).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _carrying(plan: Plan, own_parent: Ints) -> set[int]:
    """Rows of the bones that lie between the leading bone of a part and another part."""
    found = set()
    for part in plan.parts:
        above = int(own_parent[part.bone])
        while above >= 0:
            found.add(above)
            above = int(own_parent[above])
    return found


def changes(model: Model, state: State, bodies: slice = slice(None)) -> Floats:
    """What carries bodies from the start to a simulated frame, world matrices (b, 4, 4)."""
    rows = range(len(model.bodies))[bodies]
    position, orientation = (a[rows.start : rows.stop] for a in body_poses(model, state))
    start = model.bodies.position[bodies], model.bodies.orientation[bodies]
    turn = affine.rotation_of(orientation) @ np.swapaxes(affine.rotation_of(start[1]), -1, -2)
    change = np.zeros((len(turn), 4, 4))
    change[:, :3, :3] = turn
    change[:, :3, 3] = position - np.einsum("bij,bj->bi", turn, start[0])
    change[:, 3, 3] = 1.0
    return change


def placed_bones(participant: Participant, change: Floats) -> Floats:
    """World matrices (m, 4, 4) of the bones of `moved_bones`; ``change``: of its parts."""
    bone, part = moved_bones(participant)
    return change[part] @ participant.armature.pose[bone]


def own_poses(
    placed: Iterable[tuple[Participant, Floats]],
    depsgraph: bpy.types.Depsgraph,
    worlds: Mapping[int, Floats],
    before: Mapping[int, Floats],
) -> dict[int, Floats]:
    """By session id the own transforms (m, 4, 4) of moved bones that bring them to their places.

    placed: each ragdoll with the world matrices (m, 4, 4) of its moved bones; ``worlds``: where the
    armatures are in the evaluated frame; ``before``: own transforms of the frame before, for what
    cannot be told any more.
    """
    found = {}
    sound: list[tuple[Participant, Floats, bpy.types.Object]] = []
    wanted = list(placed)
    objects = find_objects([participant for participant, _ in wanted])
    for (participant, matrices), ob in zip(wanted, objects):
        uid, names = participant.uid, participant.armature.skeleton.name
        world = worlds.get(uid)
        is_there = ob is not None and ob.pose is not None and world is not None
        if is_there and affine.is_invertible(world) and _has_bones(ob, names):
            sound.append((participant, matrices, ob))
        else:
            found[uid] = before[uid]
    if not sound:
        return found
    into = inverse(np.array([worlds[participant.uid] for participant, _, _ in sound]))
    rigs = [
        Rig(
            ob,
            ob.evaluated_get(depsgraph).pose.bones,
            participant.armature.skeleton.name,
            *_bone_rows(plan_of(participant), participant.armature),
            inverse @ matrices,
        )
        for (participant, matrices, ob), inverse in zip(sound, into)
    ]
    return found | dict(zip([p.uid for p, _, _ in sound], own_transforms(rigs)))


@lru_cache(maxsize=MOST_KNOWN)
def _bone_rows(plan: Plan, arrays: ArmatureArrays) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Rows of the parents of all bones (b,), and of the bones of `moved_bones` (m,)."""
    return tuple(arrays.own_parent.tolist()), tuple(_moved_bones(plan, arrays)[0].tolist())


def _has_bones(ob: bpy.types.Object, names: tuple[str, ...]) -> bool:
    """Whether an armature still has bones of these names."""
    return set(map(attrgetter("name"), ob.pose.bones)).issuperset(names)


def moved_names(participant: Participant) -> list[str]:
    """Names of the bones of `moved_bones`."""
    names = plan_of(participant).skeleton.name
    return [names[bone] for bone in moved_bones(participant)[0].tolist()]


def notes(participant: Participant) -> dict[str, list[str]]:
    """What became of each bone of a ragdoll, in words, by its name."""
    plan = plan_of(participant)
    names = plan.skeleton.name
    found = {}
    for mass, part in zip(plan.mass, plan.parts):
        leader = names[part.bone]
        for bone in part.members:
            found[names[bone]] = [f"One body with {leader}"]
        shape = "Stick" if is_sticks(participant) else part.fit.shape.title()
        lines = [f"{shape}, {mass:.2f} kg"]
        if part.joint is not None:
            above = names[plan.parts[part.parent].bone]
            lines += [_in_words(part.joint), f"On {above}"]
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
