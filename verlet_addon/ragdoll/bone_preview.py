"""Shows simulated poses of ragdolls: location and rotation of pose bones, the user's own kept.

What a bone had lies in ``PoseBone.verlet.rest`` in the file; constraints that would move it are
muted as long as it shows the simulation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import bpy
import numpy as np
from numpy.typing import NDArray

from ..properties import bake_record, rest_pose
from ..properties.kinds import RAGDOLL
from ..properties.participants import find_objects
from ..transforms.rotation_modes import rotations_near
from ..transforms.rotations import rotations_without_scale
from .bone_constraints import constraints_on

if TYPE_CHECKING:
    from ...core.arrays import Floats
    from ..session import Session


_CHANNELS = {
    "location": slice(0, 3),
    "rotation_quaternion": slice(3, 7),
    "rotation_euler": slice(7, 10),
    "rotation_axis_angle": slice(10, 14),
}
Values: TypeAlias = NDArray[np.float32]
"""What bones have (b, 14), channel beside channel."""


@dataclass(frozen=True)
class OwnPose:
    """The user's own values of the bones of an armature that shows a simulated pose.

    The same as each bone's ``verlet.rest`` in the file: asking that for every bone is slow.
    """

    bones: list[tuple[str, str]]  # name and rotation mode of all
    rows: NDArray[np.intp]  # of those that the simulation moves
    values: Values  # of all bones


_own: dict[int, OwnPose] = {}  # by session id, of armatures without constraints that are muted
_lent: set[int] = set()  # session ids of those whose bones have their own values just now


def look_again() -> None:
    """Ask the file again: all objects were exchanged."""
    _own.clear()
    _lent.clear()


@dataclass(frozen=True, eq=False)
class Posed:
    """An armature, and what some of its bones are to show."""

    ob: bpy.types.Object
    rows: NDArray[np.intp]  # (m,) of the bones
    channels: list[str]  # of all bones
    modes: list[str]  # (m,) the rotation modes of those bones
    wanted: Floats  # (m, 4, 4) their own transforms
    values: Values  # what all bones have now


def show(session: Session, poses: Mapping[int, Floats]) -> None:
    """Write own transforms (m, 4, 4), by session id, to the bones that the simulation moves."""
    wanted = session.participants(RAGDOLL)
    found = []
    for participant, ob in zip(wanted, find_objects(wanted)):
        if ob is None or ob.pose is None or ob.verlet.kind != RAGDOLL or bake_record.is_baked(ob):
            continue
        session.awaited |= participant.armature.moved_ids
        moved = session.moved_bones[participant.uid]
        bones = _bones(ob)
        row_of = {name: row for row, (name, _) in enumerate(bones)}
        present = [number for number, name in enumerate(moved) if name in row_of]
        rows = np.array([row_of[moved[number]] for number in present], np.intp)
        values = _keep_own(ob, bones, moved, rows)
        if len(rows):
            modes = [bones[row][1] for row in rows]
            channels = _channels(bones)
            found.append(Posed(ob, rows, channels, modes, poses[participant.uid][present], values))
    if found:
        _pose(found)


def _bones(ob: bpy.types.Object) -> list[tuple[str, str]]:
    """Name and rotation mode of every bone."""
    return [(bone.name, bone.rotation_mode) for bone in ob.pose.bones]


def _channels(bones: list[tuple[str, str]]) -> list[str]:
    """What tells where bones are, in the rotation modes that they have."""
    return ["location", *{rest_pose.rotation_channel(mode) for mode in {m for _, m in bones}}]


def _values(ob: bpy.types.Object, channels: list[str]) -> Values:
    """What all bones have now in some channels; 0 in the others."""
    bones = ob.pose.bones
    found = np.zeros((len(bones), 14), np.float32)
    for name in channels:
        columns = _CHANNELS[name]
        values = np.empty(len(bones) * (columns.stop - columns.start), np.float32)
        bones.foreach_get(name, values)
        found[:, columns] = values.reshape(len(bones), -1)
    return found


def _keep_own(
    ob: bpy.types.Object,
    bones: list[tuple[str, str]],
    moved: list[str],
    rows: NDArray[np.intp],
) -> Values:
    """Keep the own transforms of the moved bones, in these rows; what all bones have now."""
    uid, values, pose_bones = ob.session_uid, _values(ob, _channels(bones)), ob.pose.bones
    known, is_lent = _own.pop(uid, None), uid in _lent
    _lent.discard(uid)
    constraints = constraints_on(ob, frozenset(moved))
    is_known = known is not None and known.bones == bones and np.array_equal(known.rows, rows)
    if is_known and not constraints:
        if is_lent:  # the frame that was evaluated meanwhile may have animated some of them
            for row in rows[(known.values[rows] != values[rows]).any(axis=1)].tolist():
                rest_pose.forget(pose_bones[row])
                rest_pose.store(pose_bones[row])
            known = OwnPose(bones, rows, values)
        _own[uid] = known
        return values
    if is_lent:
        for bone in pose_bones:
            rest_pose.forget(bone)
    for name in {bone for bone, _ in constraints}:
        rest_pose.store(pose_bones[name])
    is_own = not any(rest_pose.is_stored(pose_bones[row]) for row in rows.tolist())
    for row in rows.tolist():
        rest_pose.store(pose_bones[row])
    if is_own and not constraints:
        _own[uid] = OwnPose(bones, rows, values)
    return values


def _pose(found: list[Posed]) -> None:
    """Give bones their own transforms: all armatures at one go, each with one evaluation."""
    wanted = np.concatenate([one.wanted for one in found])
    turned = rotations_without_scale(
        wanted[:, :3, :3], np.concatenate([_scales(one.ob)[one.rows] for one in found])
    )
    shown = np.concatenate([one.values[one.rows] for one in found])
    shown[:, _CHANNELS["location"]] = wanted[:, :3, 3]
    modes = np.array([mode for one in found for mode in one.modes])
    for mode in np.unique(modes).tolist():
        some = modes == mode
        columns = _CHANNELS[rest_pose.rotation_channel(mode)]
        before = shown[some, columns].astype(np.float64)
        shown[some, columns] = rotations_near(mode, turned[some], before)
    first = 0
    for one in found:
        new = one.values.copy()
        new[one.rows] = shown[first : first + len(one.rows)]
        first += len(one.rows)
        _write(one.ob, one.channels, new)


def _scales(ob: bpy.types.Object) -> Floats:
    """The scale (b, 3) of every bone."""
    scale = np.empty(len(ob.pose.bones) * 3, np.float32)
    ob.pose.bones.foreach_get("scale", scale)
    return scale.reshape(-1, 3).astype(np.float64)


def _write(ob: bpy.types.Object, channels: list[str], values: Values) -> None:
    """Write some channels of all bones."""
    for name in channels:
        ob.pose.bones.foreach_set(name, values[:, _CHANNELS[name]].reshape(-1))
    ob.update_tag(refresh={"DATA"})


def lend(ob: bpy.types.Object) -> None:
    """Give all bones their own transforms for the evaluation of a frame, after which `show` comes.

    Quick where nothing but these values is to be put back.
    """
    known = _own.get(ob.session_uid)
    if known is None or ob.pose is None or known.bones != _bones(ob):
        put_back(ob)
    elif ob.session_uid not in _lent:  # else nothing was shown since: what they have is the user's
        channels = _channels(known.bones)
        values = _values(ob, channels)
        values[known.rows] = known.values[known.rows]
        _write(ob, channels, values)
        _lent.add(ob.session_uid)


def put_back(ob: bpy.types.Object) -> None:
    """Give all bones of an armature their own transforms again."""
    if ob.pose is None:
        return
    has_own = ob.session_uid in _lent
    _lent.discard(ob.session_uid)
    _own.pop(ob.session_uid, None)
    for bone in ob.pose.bones:
        if has_own:
            rest_pose.forget(bone)
        else:
            rest_pose.put_back(bone)


def pose_curves(
    session: Session, ob: bpy.types.Object, frames: range
) -> tuple[list[str], Floats, list[tuple[str, str]]]:
    """Names of the moved bones, their own transforms (F, m, 4, 4), constraints to be muted."""
    names = session.moved_bones[ob.session_uid]
    basis = np.stack([session.placement(frame).poses[ob.session_uid] for frame in frames])
    return names, basis, constraints_on(ob, frozenset(names))
