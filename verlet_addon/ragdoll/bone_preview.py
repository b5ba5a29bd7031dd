"""Shows simulated poses of ragdolls: location and rotation of pose bones, the user's own kept.

What a bone had lies in ``PoseBone.verlet.rest`` in the file; constraints that would move it are
muted as long as it shows the simulation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, TypeAlias

import bpy
import numpy as np
from numpy.typing import NDArray

from ..properties import bake_record, rest_pose
from ..properties.kinds import RAGDOLL
from ..properties.participants import find_objects
from ..transforms.rotation_modes import numbers_by_mode, rotations_near
from ..transforms.rotations import rotations_without_scale
from .bone_constraints import constraints_on

if TYPE_CHECKING:
    from ...core.arrays import Floats
    from ..session import Session


_NAME_AND_MODE = attrgetter("name", "rotation_mode")
_CHANNELS = {
    "location": slice(0, 3),
    "rotation_quaternion": slice(3, 7),
    "rotation_euler": slice(7, 10),
    "rotation_axis_angle": slice(10, 14),
}
Values: TypeAlias = NDArray[np.float32]
"""What bones have (b, 14), channel beside channel."""


@dataclass(frozen=True, eq=False)
class BoneLayout:
    """Which bones of an armature the simulation moves, and in which channels all are posed."""

    bones: list[tuple[str, str]]  # name and rotation mode of all
    moved: list[str]  # names of those that the simulation moves
    present: NDArray[np.intp]  # (m,) among these, those that the armature still has
    rows: NDArray[np.intp]  # (m,) of these among all bones
    modes: list[str]  # (m,) their rotation modes
    channels: list[str]  # what tells where bones are, in the rotation modes that they have
    moved_set: frozenset[str]

    @classmethod
    def of(cls, bones: list[tuple[str, str]], moved: list[str]) -> BoneLayout:
        """That of an armature with these bones."""
        row_of = {name: row for row, (name, _) in enumerate(bones)}
        present = [number for number, name in enumerate(moved) if name in row_of]
        rows = [row_of[moved[number]] for number in present]
        return cls(
            bones,
            moved,
            np.array(present, np.intp),
            np.array(rows, np.intp),
            [bones[row][1] for row in rows],
            ["location", *{rest_pose.rotation_channel(mode) for mode in {m for _, m in bones}}],
            frozenset(moved),
        )


@dataclass(frozen=True, eq=False)
class OwnPose:
    """The user's own values of the bones of an armature that shows a simulated pose.

    The same as each bone's ``verlet.rest`` in the file: asking that for every bone is slow.
    """

    layout: BoneLayout
    values: Values  # of all bones


_layouts: dict[int, BoneLayout] = {}  # by session id: made anew when bones are others
_own: dict[int, OwnPose] = {}  # by session id, of armatures without constraints that are muted
_lent: set[int] = set()  # session ids of those whose bones have their own values just now


def look_again() -> None:
    """Ask the file again: all objects were exchanged."""
    _layouts.clear()
    _own.clear()
    _lent.clear()


@dataclass(frozen=True, eq=False)
class PosedArmature:
    """An armature, and what some of its bones are to show."""

    ob: bpy.types.Object
    layout: BoneLayout
    wanted: Floats  # (m, 4, 4) own transforms of the moved bones
    values: Values  # what all bones have now


def show(session: Session, poses: Mapping[int, Floats]) -> None:
    """Write own transforms (m, 4, 4), by session id, to the bones that the simulation moves."""
    wanted = session.participants(RAGDOLL)
    found = []
    for participant, ob in zip(wanted, find_objects(wanted)):
        if ob is None or ob.pose is None or ob.verlet.kind != RAGDOLL or bake_record.is_baked(ob):
            continue
        uid = participant.uid
        session.awaited |= participant.armature.moved_ids
        layout = _layout(ob, uid, session.moved_bones[uid])
        values = _keep_own(ob, layout)
        if len(layout.rows):
            found.append(PosedArmature(ob, layout, poses[uid][layout.present], values))
    if found:
        _pose(found)


def _layout(ob: bpy.types.Object, uid: int, moved: list[str]) -> BoneLayout:
    bones, known = _bones(ob), _layouts.get(uid)
    if known is None or known.bones != bones or known.moved != moved:
        known = _layouts[uid] = BoneLayout.of(bones, moved)
    return known


def _bones(ob: bpy.types.Object) -> list[tuple[str, str]]:
    """Name and rotation mode of every bone."""
    return list(map(_NAME_AND_MODE, ob.pose.bones))


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


def _keep_own(ob: bpy.types.Object, layout: BoneLayout) -> Values:
    """Keep the own transforms of the moved bones; what all bones have now."""
    uid, values, pose_bones = ob.session_uid, _values(ob, layout.channels), ob.pose.bones
    known, is_lent, rows = _own.pop(uid, None), uid in _lent, layout.rows
    _lent.discard(uid)
    constraints = constraints_on(ob, layout.moved_set)
    if known is not None and known.layout is layout and not constraints:
        if is_lent:  # the frame that was evaluated meanwhile may have animated some of them
            for row in rows[(known.values[rows] != values[rows]).any(axis=1)].tolist():
                rest_pose.forget(pose_bones[row])
                rest_pose.store(pose_bones[row])
            known = OwnPose(layout, values)
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
        _own[uid] = OwnPose(layout, values)
    return values


def _pose(found: list[PosedArmature]) -> None:
    """Give bones their own transforms: all armatures at one go, each with one evaluation."""
    wanted = np.concatenate([one.wanted for one in found])
    scales = np.concatenate([_scales(one.ob)[one.layout.rows] for one in found])
    turned = rotations_without_scale(wanted[:, :3, :3], scales)
    shown = np.concatenate([one.values[one.layout.rows] for one in found])
    shown[:, _CHANNELS["location"]] = wanted[:, :3, 3]
    for mode, some in numbers_by_mode([mode for one in found for mode in one.layout.modes]):
        columns = _CHANNELS[rest_pose.rotation_channel(mode)]
        before = shown[some, columns].astype(np.float64)
        shown[some, columns] = rotations_near(mode, turned[some], before)
    first = 0
    for one in found:
        rows = one.layout.rows
        new = one.values.copy()  # what they had may be kept as the user's own
        new[rows] = shown[first : first + len(rows)]
        first += len(rows)
        _write(one.ob, one.layout.channels, new)


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
    if known is None or ob.pose is None or known.layout.bones != _bones(ob):
        put_back(ob)
    elif ob.session_uid not in _lent:  # else nothing was shown since: what they have is the user's
        channels, rows = known.layout.channels, known.layout.rows
        values = _values(ob, channels)
        values[rows] = known.values[rows]
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
