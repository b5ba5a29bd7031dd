"""Joints: empties that join two objects, as the core takes them, and what is wrong with some."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from mathutils import Vector
from mathutils.bvhtree import BVHTree

from ...core.arrays import Floats
from ...core.settings import JointSettings
from .. import session as sessions
from ..inputs.joint_input import JointInput
from ..problem import Problem
from ..properties.kinds import RAGDOLL, can_be_tied, is_particles
from ..properties.objects import kind_of
from ..properties.participants import find_objects, joints
from ..properties.tunable_properties import settings_from
from ..transforms import affine

if TYPE_CHECKING:
    from ...core.building.builder import ModelBuilder
    from ...core.model.joint_table import End
    from ..inputs.participant import Participant
    from ..session import Session

    Held = tuple[Participant, int]

WORLD_INDEX = 0  # in place of a session id
LIMITED = {"HINGE", "CONE_TWIST", "SLIDER"}  # kinds with one lower and one upper limit


def settings_of_joint(ob: bpy.types.Object) -> JointSettings:
    """The settings of a joint."""
    return settings_from(ob.verlet.joint, JointSettings)


def joined(ob: bpy.types.Object) -> tuple[bpy.types.Object | None, bpy.types.Object | None]:
    """The two objects that a joint joins, None for the world."""
    return ob.verlet.joint.object_a, ob.verlet.joint.object_b


def is_tie(ob: bpy.types.Object) -> bool:
    """Whether a joint has something that bends at one of its ends: see `ties`."""
    return any(one is not None and can_be_tied(one.verlet.kind) for one in joined(ob))


def trouble(ob: bpy.types.Object, scene: bpy.types.Scene) -> str:
    """Why a joint does nothing, and the way out; "" for one that is sound."""
    a, b = pair = joined(ob)
    if a is None and b is None:
        return "it joins nothing: choose Object A, Object B or both"
    if a == b:
        return f"it joins {a.name} with itself: choose another Object B"
    for label, one in zip(("A", "B"), pair):
        if one is None:
            continue
        way_out = f"choose another Object {label}, or delete the joint"
        if one.name not in scene.objects or scene.objects[one.name] != one:
            return f"{one.name} is not in this scene any more: {way_out}"
        if kind_of(one) is None:
            verb = "Ragdoll" if one.type == "ARMATURE" else "Rigid Body"
            return f"{one.name} takes no part: press {verb} on it, {way_out}"
        if is_particles(one.verlet.kind) and not can_be_tied(one.verlet.kind):
            return f"{one.name} is a plant, which stands on its roots: {way_out}"
        if _is_of_particles(one) and (reason := _not_of_particles(ob)):
            return (
                f"{one.name} is made of particles, which know {reason}: set its Model to "
                f"Quaternion, {way_out}"
            )
    soft = [one for one in pair if one is not None and can_be_tied(one.verlet.kind)]
    rigs = [one for one in pair if one is not None and one.verlet.kind == RAGDOLL]
    if rigs and (reason := why_not_rig(rigs[0], b if rigs[0] == a else a)):
        return reason
    if soft and (a is None or b is None or {a.verlet.kind, b.verlet.kind} & {"COLLIDER"}):
        other = "the world" if a is None or b is None else (b if soft[0] == a else a).name
        return (
            f"{soft[0].name} bends, and is held by {other} through its pins: pin it, and choose "
            "what the pins follow in Pin To"
        )
    if len(soft) == 2:
        return (
            f"{a.name} and {b.name} both bend, and a joint needs a rigid body: press Rigid Body "
            "on one of them, or put a small one between"
        )
    if not soft and not any(one is not None and _can_move(one) for one in pair):
        return "neither of the two can move: press Rigid Body on one of them, with Type Active"
    if not soft and _is_crossed(settings_of_joint(ob)):
        return "its lower limit is above the upper one: exchange them"
    if not affine.is_invertible(affine.matrix_of(ob)):
        return "its scale, or that of a parent, is zero along an axis: press Alt S on it"
    return ""


def why_not_rig(rig: bpy.types.Object, other: bpy.types.Object | None) -> str:
    """Why a ragdoll is not joined to another object, None the world, and the way out; or ""."""
    if other is not None and can_be_tied(other.verlet.kind):
        return ""
    where = "an empty" if other is None else other.name
    return (
        f"{rig.name} is a ragdoll, and a joint ties cloth, ropes and soft bodies to one: in Pose "
        f"Mode, pin a bone of it to {where}"
    )


def _is_crossed(settings: JointSettings) -> bool:
    """Whether limits that count leave no room between them."""
    if settings.kind == "GENERIC":
        limits = (*settings.limits_linear, *settings.limits_angular)
        lower = (*settings.linear_lower, *settings.angular_lower)
        upper = (*settings.linear_upper, *settings.angular_upper)
        return any(has and low > high for has, low, high in zip(limits, lower, upper))
    has_one = settings.kind in LIMITED and settings.is_limited
    return has_one and settings.lower > settings.upper


def _is_of_particles(ob: bpy.types.Object | None) -> bool:
    """Whether a rigid body is made of particles."""
    return ob is not None and ob.verlet.kind == "BODY" and ob.verlet.body.model != "QUATERNION"


def _not_of_particles(joint: bpy.types.Object) -> str:
    """What of a joint a body of particles cannot do; "" for nothing."""
    if is_tie(joint):
        return "no ties to what bends"
    from ...core.particles.particle_bodies.shared_point import why_not

    return why_not(settings_of_joint(joint))


def _can_move(ob: bpy.types.Object) -> bool:
    """Whether the simulation may move an object."""
    return bool(ob.verlet.kind == "BODY" and ob.verlet.body.type != "PASSIVE")


def read_joints(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, present: Mapping[int, str]
) -> tuple[list[JointInput], list[Problem]]:
    """The joints of rigid things at the start frame, each once and in the order of their names.

    A joint that cannot work, a tie too, is left out and named in a problem. ``present``: the kinds
    of what could be read, by session id; joints of others are left out, for those are named
    already.
    """
    found, problems = [], []
    for ob in joints(scene):
        reason = trouble(ob, scene)
        if reason:
            problems.append(
                Problem(f"{ob.name}: {reason}", ob.session_uid, "verlet.show_object", "Show Object")
            )
            continue
        if is_tie(ob):
            continue
        a, b = (WORLD_INDEX if one is None else one.session_uid for one in joined(ob))
        is_known = all(uid == WORLD_INDEX or uid in present for uid in (a, b))
        if is_known and {present.get(a), present.get(b)} - {None, "COLLIDER"}:  # one is not baked
            matrix = affine.matrix_of(ob.evaluated_get(depsgraph))
            settings = settings_of_joint(ob)
            is_shared = any(_is_of_particles(one) for one in joined(ob))
            found.append(JointInput(ob.session_uid, ob.name, settings, matrix, a, b, is_shared))
    return found, problems


def add_joint(builder: ModelBuilder, joint: JointInput, ends: Mapping[int, Held]) -> None:
    """Add a joint to a model. ``ends``: what it may hold by session id, and its index there."""
    first, second = (_end(ends, uid) for uid in (joint.a, joint.b))
    place = joint.matrix[:3, 3]
    second_place = None
    if joint.settings.kind == "DISTANCE":  # from where one is nearest to where the other is
        second_place = _nearest(ends, joint.b, place)
        place = _nearest(ends, joint.a, place)
    builder.add_joint(
        joint.name,
        first,
        second,
        place,
        affine.local_axes(joint.matrix),
        joint.settings,
        second_position=second_place,
    )


def _end(ends: Mapping[int, Held], uid: int) -> End:
    if uid == WORLD_INDEX:
        return None
    participant, index = ends[uid]
    from ...core.model.joint_table import OnBody, OnCollider  # loads kernels: not at registration

    return OnCollider(index) if participant.kind == "COLLIDER" else OnBody(index)


def _nearest(ends: Mapping[int, Held], uid: int, place: Floats) -> Floats:
    """The point (3,) of an object's surface that is nearest to a place; that itself without one."""
    faces = [] if uid == WORLD_INDEX else ends[uid][0].outward_triangles.tolist()
    if not faces:
        return place
    points = [Vector(point) for point in ends[uid][0].world_points]
    found, *_ = BVHTree.FromPolygons(points, faces).find_nearest(Vector(place.tolist()))
    return place if found is None else np.array(found, dtype=np.float64)


def timeless_parts(scene: bpy.types.Scene) -> list[Any]:
    """What of the joints counts whatever the frame: all but what may be keyed."""
    return [
        (
            ob.session_uid,
            *(WORLD_INDEX if one is None else one.session_uid for one in joined(ob)),
            replace(settings_of_joint(ob), motor_speed=0.0, motor_target=0.0),
            ob.verlet.joint.tie_radius,
        )
        for ob in joints(scene)
    ]


def read_motors(session: Session, depsgraph: bpy.types.Depsgraph) -> tuple[Floats, Floats]:
    """Speed and target (j,) of the motor of each of `Model.joints` in the evaluated frame."""
    found = np.zeros((2, len(session.model.joints)))  # those of ragdolls come last
    wanted = session.once(_solved)
    if not wanted:
        return found[0], found[1]
    settings = [(joint.settings.motor_speed, joint.settings.motor_target) for joint in wanted]
    # as Blender keeps them, in 32 bits
    found[:, : len(wanted)] = np.array(settings, np.float32).reshape(-1, 2).T
    objects = find_objects(wanted)
    for row in session.restless_rows(wanted, objects):
        keyed = objects[row].evaluated_get(depsgraph).verlet.joint
        own = keyed.motor_speed, keyed.motor_target
        if session.is_unread and own != tuple(found[:, row]):
            session.restless.add(wanted[row].uid)
        found[:, row] = own
    return found[0], found[1]


def _solved(session: Session) -> list[JointInput]:
    """The joints that are rows of `Model.joints`."""
    return [joint for joint in session.inputs.joints if not joint.is_shared]


def joints_of(ob: bpy.types.Object, scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The joints that join an object."""
    return [joint for joint in joints(scene) if ob in joined(joint)]


def broken(scene: bpy.types.Scene) -> set[int]:
    """Session ids of the joints that have broken up to the present frame."""
    running = sessions.of(scene)
    if running is None or not running.is_ready or not running.inputs.joints:
        return set()
    frame = min(max(scene.frame_current, running.start), running.last)
    flags = running.cache[frame].joints.broken
    return {joint.uid for joint, is_broken in zip(_solved(running), flags) if is_broken}
