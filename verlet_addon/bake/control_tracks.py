"""Tracks of a rig's controls that bring its simulated bones to where the simulation has them.

Each control's place follows from the bone that it goes along with; its own transform follows from
its parent's, which is evaluated with all controls as they are, again and again until nothing moves:
at most as often as controls hang one on another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Matrix, Quaternion, Vector

from ...core.arrays import Floats
from ...core.geometry.affine import nearest_rotation
from ..blender.data import armature_of
from ..extract.reading import reading
from ..transforms.bone_space import to_basis
from ..transforms.rotation_modes import rotation_values
from .bone_tracks import BoneTrack
from .rig_controls import (
    Control,
    ControlledLimb,
    Poser,
    Switch,
    find_controls,
    find_limbs,
    find_switches,
)

_MOST_FITTING_ROUNDS = 40
_MATRIX_ROUNDING = 1e-6  # change of a matrix, of an armature of unit size, that is rounding
_ROUNDS_OF_BENDS = 8
_ON_AXIS = 1e-4
_PLACE_OFF, _TURN_OFF = 1e-3, np.radians(0.1)  # m and rad that a bone may be off without a word


@dataclass(frozen=True, eq=False)
class ControlTracks:
    """What is written to the controls of an armature."""

    tracks: list[BoneTrack]
    switches: list[Switch]  # set to forward kinematics
    warnings: list[str]


def control_tracks(
    scene: bpy.types.Scene,
    ob: bpy.types.Object,
    frames: Sequence[int],
    wanted: Mapping[str, Floats],
    world_scale: float,
) -> ControlTracks:
    """Tracks that bring bones to the places ``wanted`` (F, 4, 4), by name, parents first.

    Those are in the armature's space, which is ``world_scale`` times as large in the world. Nothing
    is changed. There are no tracks where nothing carries the bones.
    """
    shown = scene.frame_current, scene.frame_subframe
    poser = Poser(ob, bpy.context.view_layer)
    rows = [poser.row[name] for name in wanted]
    targets = np.stack(list(wanted.values()), axis=1)
    with reading():
        switches = find_switches(ob, poser)
        controls = find_controls(ob, poser, list(wanted), switches)
        if not controls:
            return ControlTracks([], [], [])
        limbs, ends = find_limbs(ob, list(wanted))
        controls += [end for end in ends if end.name not in {c.name for c in controls}]
        names = [control.name for control in controls]
        names += [limb.handle for limb in limbs if limb.handle not in names]
        basis = np.empty((len(frames), len(names), 4, 4))
        off = np.zeros((len(frames), len(rows), 2))
        before: list[Matrix] | None = None
        for number, frame in enumerate(frames):
            scene.frame_set(frame)
            with poser.kept(switches):
                for switch in switches:
                    poser.set_switch(switch, switch.forward)
                leads = dict(zip(wanted, targets[number]))
                before, seen = _solve(ob, poser, controls, leads, before)
                for switch in switches:
                    poser.set_switch(switch, switch.inverse)
                bent = _bend(ob, poser, limbs, leads)
                off[number] = _apart(
                    (seen if switches else bent)[rows], targets[number], world_scale
                )
                basis[number] = [ob.pose.bones[name].matrix_basis for name in names]
        scene.frame_set(shown[0], subframe=shown[1])
    tracks = [_track(ob.pose.bones[name], basis[:, row]) for row, name in enumerate(names)]
    return ControlTracks(tracks, switches, _warnings(ob, list(wanted), off))


def _solve(
    ob: bpy.types.Object,
    poser: Poser,
    controls: Sequence[Control],
    leads: Mapping[str, Floats],
    before: Sequence[Matrix] | None,
) -> tuple[list[Matrix], Floats]:
    """Own transforms of the controls in one frame, and where all bones lie with them.

    ``before``: those of the frame before, which are near.
    """
    bones = [ob.pose.bones[control.name] for control in controls]
    data = [armature_of(ob).bones[control.name] for control in controls]
    scales = [np.array(bone.scale) for bone in bones]
    wanted = [leads[control.lead] @ control.offset for control in controls]
    own = [bone.matrix_basis.copy() for bone in bones] if before is None else list(before)
    for bone, basis in zip(bones, own):
        bone.matrix_basis = basis
    seen = poser.look()
    size = max(float(np.abs(seen[:, :3, 3]).max()), 1e-6)
    for _ in range(_MOST_FITTING_ROUNDS):
        change = 0.0
        for number, (bone, about) in enumerate(zip(bones, data)):
            above = (
                None if bone.parent is None else Matrix(seen[poser.row[bone.parent.name]].tolist())
            )
            basis = _allowed(
                bone, to_basis(about, Matrix(wanted[number].tolist()), above), scales[number]
            )
            difference = np.array(basis) - np.array(own[number])
            difference[:3, 3] /= size
            change = max(change, float(np.abs(difference).max()))
            own[number] = bone.matrix_basis = basis
        seen = poser.look()
        if change < _MATRIX_ROUNDING:
            break
    return own, seen


def _bend(
    ob: bpy.types.Object, poser: Poser, limbs: Sequence[ControlledLimb], leads: Mapping[str, Floats]
) -> Floats:
    """Turn the bends of limbs to where the knees should be, with inverse kinematics at work.

    Returns where all bones lie then.
    """
    seen = poser.look()
    for _ in range(_ROUNDS_OF_BENDS if limbs else 0):
        largest = 0.0
        for limb in limbs:
            hip = seen[poser.row[limb.upper], :3, 3]
            lower = seen[poser.row[limb.lower.name]]
            ankle = lower[:3, 3] + lower[:3, 1] * armature_of(ob).bones[limb.lower.name].length
            knee = (leads[limb.lower.lead] @ limb.lower.offset)[:3, 3]
            angle = _angle_about(ankle - hip, lower[:3, 3] - hip, knee - hip)
            largest = max(largest, abs(angle))
            handle = ob.pose.bones[limb.handle]
            if limb.is_pole:
                _carry_round(handle, poser, seen, hip, ankle - hip, angle)
            else:
                handle.matrix_basis = handle.matrix_basis @ Matrix.Rotation(angle, 4, "Y")
        seen = poser.look()
        if largest < _MATRIX_ROUNDING:
            break
    return seen


def _carry_round(
    bone: bpy.types.PoseBone, poser: Poser, seen: Floats, place: Floats, axis: Floats, angle: float
) -> None:
    """Move a bone about an axis through a place, without turning it."""
    there = Matrix.Translation(place.tolist())
    turn = there @ Matrix.Rotation(angle, 4, Vector(axis.tolist())) @ there.inverted()
    wanted = turn @ Matrix(seen[poser.row[bone.name]].tolist())
    above = None
    if bone.parent is not None:
        above = Matrix(seen[poser.row[bone.parent.name]].tolist())
    bone.location = to_basis(bone.bone, wanted, above).translation


def _angle_about(axis: Floats, a: Floats, b: Floats) -> float:
    """The angle about an axis from a to b; 0 where one of them lies on it."""
    axis = axis / max(float(np.linalg.norm(axis)), 1e-12)
    a, b = a - axis * (axis @ a), b - axis * (axis @ b)
    if min(np.linalg.norm(a), np.linalg.norm(b)) < _ON_AXIS * np.linalg.norm(b + a):
        return 0.0
    return float(np.arctan2(axis @ np.cross(a, b), a @ b))


def _allowed(bone: bpy.types.PoseBone, basis: Matrix, scale: Floats) -> Matrix:
    """An own transform without what the control's locks, or its connection, keep from it."""
    turn = Matrix(nearest_rotation(np.array(basis)[None, :3, :3] * scale)[0].tolist())
    locked = tuple(bone.lock_rotation)
    if all(locked):
        turn = bone.matrix_basis.to_3x3().normalized()
    elif sum(locked) == 2:
        turn = _twist(turn.to_quaternion(), locked.index(False)).to_matrix()
    place = basis.translation
    for axis, is_locked in enumerate(bone.lock_location):
        if is_locked or bone.bone.use_connect:
            place[axis] = bone.location[axis]
    return Matrix.LocRotScale(place, turn, scale.tolist())


def _twist(turn: Quaternion, axis: int) -> Quaternion:
    """The part of a rotation that turns about one of the axes."""
    found = Quaternion((turn.w, 0.0, 0.0, 0.0))
    found[axis + 1] = turn[axis + 1]
    return found.normalized() if found.magnitude > 1e-9 else Quaternion()


def _apart(seen: Floats, wanted: Floats, world_scale: float) -> Floats:
    """How far bones (m, 4, 4) are from where they should be (m, 2): m of the head, rad."""
    place = np.linalg.norm(seen[:, :3, 3] - wanted[:, :3, 3], axis=1) * world_scale
    turns = nearest_rotation(seen[:, :3, :3]).transpose(0, 2, 1) @ nearest_rotation(
        wanted[:, :3, :3]
    )
    # of a small angle the cosine tells nothing: 2·sin²(φ/2) = ‖R − 1‖²/4
    sine = np.linalg.norm(turns - np.eye(3), axis=(1, 2)) / np.sqrt(8.0)
    return np.stack([place, 2.0 * np.arcsin(np.minimum(sine, 1.0))], axis=1)


def _track(bone: bpy.types.PoseBone, basis: Floats) -> BoneTrack:
    turns = nearest_rotation(basis[:, :3, :3] * np.array(bone.scale))
    rows = np.arange(len(basis))
    values = rotation_values(bone.rotation_mode, turns)
    return BoneTrack(bone.name, basis[:, :3, 3], values, rows, rows)


def _warnings(ob: bpy.types.Object, names: Sequence[str], off: Floats) -> list[str]:
    """Bones that the controls do not bring to their places, the worst named."""
    worst = off.max(axis=0)
    is_off = (worst[:, 0] > _PLACE_OFF) | (worst[:, 1] > _TURN_OFF)
    if not is_off.any():
        return []
    farthest = int(np.argmax((worst / (_PLACE_OFF, _TURN_OFF)).max(axis=1)))
    return [
        f"{ob.name}: the controls cannot bring {int(is_off.sum())} of {len(names)} bones quite to "
        f"their places: {names[farthest]} is up to {1000.0 * worst[farthest, 0]:.1f} mm and "
        f"{np.degrees(worst[farthest, 1]):.1f}° off"
    ]
