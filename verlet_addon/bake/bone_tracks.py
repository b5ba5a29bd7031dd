"""What a bake writes for each bone: location and rotation in its own space and rotation mode.

With fewer keys a bone is fitted to where its parent really is between them, so that what one bone
is off never adds up along a limb: each bone keeps within the tolerance by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ...core.geometry.affine import nearest_rotation
from ..blender.data import armature_of
from ..transforms.affine import rotation_of
from ..transforms.bone_space import parents_first, to_basis, to_pose
from ..transforms.rotation_modes import Floats, quaternions_of, rotation_values
from .key_reduction import FrameNumbers, Tolerance, kept_locations, kept_turns

_Change = Callable[[bpy.types.Bone, Matrix, Matrix | None], Matrix]


@dataclass(frozen=True, eq=False)
class BoneTrack:
    """The keys of one bone."""

    name: str
    location: Floats  # (F, 3)
    rotation: Floats  # (F, 3) or (F, 4), in the bone's rotation mode
    location_rows: FrameNumbers  # of the F frames those that have a key
    rotation_rows: FrameNumbers


@dataclass(frozen=True, eq=False)
class SeenPoses:
    """An armature as it was seen in F frames; b bones in the order of its data."""

    world: Floats  # (F, 4, 4) of the object
    pose: Floats  # (F, b, 4, 4) in the armature's space
    basis: Floats  # (F, b, 4, 4) the bones' own transforms


def full_tracks(
    ob: bpy.types.Object, names: Sequence[str], basis: NDArray[np.floating]
) -> list[BoneTrack]:
    """A key in each frame, from own transforms ``basis`` (F, m, 4, 4)."""
    tracks = []
    for index, name in enumerate(names):
        own = np.asarray(basis[:, index], dtype=np.float64)
        scale = np.array(ob.pose.bones[name].scale)
        tracks.append(_full_track(ob.pose.bones[name], own, scale))
    return tracks


def _full_track(bone: bpy.types.PoseBone, basis: Floats, scale: Floats) -> BoneTrack:
    """``scale`` (3,) or (F, 3): that of the bone, which stays as it is."""
    turns = nearest_rotation(basis[:, :3, :3] * scale.reshape(-1, 1, 3))
    rows = np.arange(len(basis))
    values = rotation_values(bone.rotation_mode, turns)
    return BoneTrack(bone.name, basis[:, :3, 3], values, rows, rows)


def fitted_tracks(
    ob: bpy.types.Object,
    frames: FrameNumbers,
    wanted: Mapping[str, Floats],
    seen: SeenPoses,
    tolerance: Tolerance | None,
) -> list[BoneTrack]:
    """Keys that bring bones to the places ``wanted`` (F, 4, 4) in the armature's space, by name.

    Other bones keep their own transforms. With a tolerance, which counts in the world, keys are
    left out; without one there is a key in each frame.
    """
    row = {bone.name: number for number, bone in enumerate(armature_of(ob).bones)}
    placed: dict[str, Floats] = {}
    tracks = []
    world_scale = float(np.linalg.norm(seen.world[:, :3, :3], 2, axis=(1, 2)).max())
    for bone in parents_first(armature_of(ob).bones):
        above = None if bone.parent is None else placed.get(bone.parent.name)
        hangs = above is not None
        if bone.parent is not None and not hangs:
            above = seen.pose[:, row[bone.parent.name]]
        own = seen.basis[:, row[bone.name]]
        if bone.name not in wanted:
            if hangs:
                placed[bone.name] = _each(to_pose, bone, own, above)
            continue
        basis = _each(to_basis, bone, wanted[bone.name], above)
        if bone.use_connect:
            basis[:, :3, 3] = 0.0  # Blender keeps it at the end of its parent
        scale = _own_scale(ob.pose.bones[bone.name], own)
        track = _full_track(ob.pose.bones[bone.name], basis, scale)
        if tolerance is not None:
            still = np.tile(np.eye(4), (len(frames), 1, 1))
            space = np.linalg.norm(_each(to_pose, bone, still, above)[:, :3, :3], 2, axis=(1, 2))
            largest = world_scale * max(float(space.max()), 1.0)
            mode = ob.pose.bones[bone.name].rotation_mode
            own_tolerance = Tolerance(tolerance.place / largest, tolerance.angle)
            track = _thinned(track, frames, mode, own_tolerance)
            basis = _played(track, frames, mode, scale)
        placed[bone.name] = _each(to_pose, bone, basis, above)
        tracks.append(track)
    return tracks


def _each(change: _Change, bone: bpy.types.Bone, matrices: Floats, above: Floats | None) -> Floats:
    """`to_pose` or `to_basis` for each frame (F, 4, 4)."""
    if above is None:
        return np.array([change(bone, Matrix(matrix), None) for matrix in matrices])
    return np.array([change(bone, Matrix(m), Matrix(p)) for m, p in zip(matrices, above)])


def _own_scale(bone: bpy.types.PoseBone, basis: Floats) -> Floats:
    """Scale (F, 3) of a bone in each frame: keys may change it."""
    sign = np.where(np.array(bone.scale) < 0.0, -1.0, 1.0)
    return sign * np.linalg.norm(basis[:, :3, :3], axis=1)


def _thinned(track: BoneTrack, frames: FrameNumbers, mode: str, tolerance: Tolerance) -> BoneTrack:
    exact = quaternions_of(mode, track.rotation)
    return BoneTrack(
        track.name,
        track.location,
        track.rotation,
        kept_locations(frames, track.location, tolerance.place),
        kept_turns(
            frames, track.rotation, exact, lambda v: quaternions_of(mode, v), tolerance.angle
        ),
    )


def _played(track: BoneTrack, frames: FrameNumbers, mode: str, scale: Floats) -> Floats:
    """Own transforms (F, 4, 4) that Blender plays from the keys of a track."""
    location, rotation = (
        np.stack([np.interp(frames, frames[rows], column[rows]) for column in values.T], axis=1)
        for values, rows in (
            (track.location, track.location_rows),
            (track.rotation, track.rotation_rows),
        )
    )
    basis = np.tile(np.eye(4), (len(frames), 1, 1))
    basis[:, :3, :3] = rotation_of(quaternions_of(mode, rotation)) * scale[:, None, :]
    basis[:, :3, 3] = location
    return basis
