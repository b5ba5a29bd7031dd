"""Bakes coordinates to shape keys: absolute ones, one key a frame and one curve on ``eval_time``,
or relative ones, each with a curve of its own, which game engines and glTF know.

A mesh has one coordinate for each vertex, a curve those that control_points.py describes.

Playing 250 absolute keys costs 0.06 ms a frame for 10,000 vertices; with one value curve for each
key it would cost 2 ms. Shape keys that were there stay in the data, before the baked ones, and
play no part until the bake is freed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import bpy
import numpy as np
from numpy.typing import NDArray

from ..blender import control_points, point_cache
from ..blender.data import curve_of, mesh_of, shaped_of
from . import animation
from .curves import write_curves
from .errors import BakeError, require_editable_animation, require_editable_object
from .leftovers import Leftovers

if TYPE_CHECKING:
    from verlet_properties import VerletShapeKeyRecord

KEY_DISTANCE = 20.0  # between neighbouring keys, in units of eval_time
ABSOLUTE_ONLY = frozenset({"eval_time", "use_relative"})


def write(
    ob: bpy.types.Object,
    frames: Sequence[int],
    positions: NDArray[np.floating],
    *,
    is_relative: bool = False,
) -> None:
    """Bake ``positions`` (F,n,3) in metres of the object's own space at ``frames`` (F,) rising.

    A bake that is already there is freed first. A mesh or curve that other users share is copied
    for this object and put back by ``free``. Raises BakeError before anything has changed.
    """
    frame_numbers = _checked_frames(ob, frames)
    coordinates = _checked_positions(ob, frame_numbers, positions)
    require_bakeable(ob)
    if ob.verlet_bake.shape_keys.is_baked:
        free(ob)
    point_cache.detach(ob)
    record = ob.verlet_bake.shape_keys
    _remember(ob, record)
    record.frame_start, record.frame_end = int(frame_numbers[0]), int(frame_numbers[-1])
    record.is_baked = True
    try:
        _write(ob, record, frame_numbers, coordinates, is_relative=is_relative)
    except BaseException:
        free(ob)
        raise


def free(ob: bpy.types.Object) -> None:
    """Take the baked shape keys away and put back what was there. Harmless without a bake."""
    with Leftovers() as leftovers:
        detach(ob, leftovers)


def detach(ob: bpy.types.Object, leftovers: Leftovers) -> None:
    """Do what ``free`` does, but add what is to be removed from the file to ``leftovers``."""
    record = ob.verlet_bake.shape_keys
    if not record.is_baked:
        return
    require_freeable(ob)
    names = json.loads(record.baked_names or "[]")
    if _original(record) is not None:
        _put_data_back(ob, record, names, leftovers)
    else:
        _keep_bake_of_other_users(ob)
        _remove_keys(ob, record, names, leftovers)
    ob.show_only_shape_key = record.show_only
    if shaped_of(ob).shape_keys is not None:
        ob.active_shape_key_index = record.active_index
    record.is_baked = False
    record.baked_names = record.muted_keys = ""
    ob.data.update_tag()
    ob.update_tag()


def require_bakeable(ob: bpy.types.Object) -> None:
    """Raise BakeError when shape keys cannot be baked to this object. Changes nothing."""
    if ob.type not in {"MESH", "CURVE"}:
        raise BakeError(ob.name, "only a mesh or curve object can hold baked shape keys.")
    require_editable_object(ob)
    if ob.data.override_library is not None:
        raise BakeError(
            ob.name,
            f"its {_kind(ob)} {ob.data.name} is a library override. Make the {_kind(ob)} local "
            "first (Object › Relations › Make Local › Selected Objects and Data).",
        )
    if ob.type == "CURVE" and control_points.automatic_spline(curve_of(ob)) is not None:
        raise BakeError(
            ob.name,
            "it has Automatic or Vector handles, which Blender places itself whatever a shape "
            "key holds. In Edit Mode select all and press V › Aligned, or Free.",
        )
    require_freeable(ob)


def _kind(ob: bpy.types.Object) -> str:
    return ob.type.lower()


def require_freeable(ob: bpy.types.Object) -> None:
    """Raise BakeError when the shape keys cannot be exchanged just now. Changes nothing."""
    if ob.mode in {"EDIT", "SCULPT"}:
        raise BakeError(
            ob.name, f"shape keys cannot be exchanged in {ob.mode.title()} Mode: leave it first."
        )
    require_editable_animation(ob, shaped_of(ob).shape_keys)


def _checked_frames(ob: bpy.types.Object, frames: Sequence[int]) -> NDArray[np.int64]:
    numbers = np.asarray(frames, dtype=np.int64)
    if numbers.ndim != 1 or len(numbers) == 0:
        raise BakeError(ob.name, "there are no frames to bake.")
    if np.any(np.diff(numbers) <= 0):
        raise BakeError(ob.name, "the frames to bake must rise.")
    return numbers


def _checked_positions(
    ob: bpy.types.Object, frames: NDArray[np.int64], positions: NDArray[np.floating]
) -> NDArray[np.float32]:
    """Return the positions as float32 (F,n,3), C-contiguous."""
    if ob.type in {"MESH", "CURVE"}:
        count, what = _coordinate_count(ob)
        if count == 0:
            raise BakeError(ob.name, f"the {_kind(ob)} has no {what}, so there is nothing to bake.")
        if np.shape(positions) != (len(frames), count, 3):
            raise BakeError(
                ob.name,
                f"the {_kind(ob)} has {count} {what}, but positions of shape "
                f"{np.shape(positions)} were given for {len(frames)} frames. "
                f"Was the {_kind(ob)} edited after the simulation? Simulate again.",
            )
    coordinates = np.ascontiguousarray(positions, dtype=np.float32)
    finite = np.isfinite(coordinates).all(axis=(1, 2))
    if not finite.all():
        bad = int(frames[np.argmin(finite)])
        raise BakeError(ob.name, f"frame {bad} holds coordinates that are not numbers.")
    return coordinates


def _coordinate_count(ob: bpy.types.Object) -> tuple[int, str]:
    """How many coordinates a shape key of the object holds, and what they are."""
    if ob.type == "CURVE":
        return control_points.coordinate_count(curve_of(ob)), "control points and handles"
    return len(mesh_of(ob).vertices), "vertices"


def _block_writer(
    ob: bpy.types.Object,
) -> Callable[[bpy.types.ShapeKey, NDArray[np.float32]], None]:
    """Return what writes coordinates (n,3) to a shape key of the object."""
    if ob.type == "CURVE":
        is_bezier = control_points.bezier_mask(curve_of(ob))
        return lambda block, xyz: control_points.write_key(block, is_bezier, xyz)
    return lambda block, xyz: block.points.foreach_set("co", xyz.ravel())


def _remember(ob: bpy.types.Object, record: VerletShapeKeyRecord) -> None:
    keys = shaped_of(ob).shape_keys
    _set_original(record, ob.data if _is_shared(ob.data) else None)
    record.had_keys = keys is not None
    record.use_relative = keys.use_relative if keys is not None else True
    record.eval_time = keys.eval_time if keys is not None else 0.0
    record.active_index = ob.active_shape_key_index
    record.show_only = ob.show_only_shape_key
    record.baked_names = ""


def _original(record: VerletShapeKeyRecord) -> bpy.types.Mesh | bpy.types.Curve | None:
    """Return the mesh or curve to put back, if the bake went to a single-user copy of it."""
    return record.mesh or record.curve


def _set_original(record: VerletShapeKeyRecord, data: bpy.types.ID | None) -> None:
    record.mesh = data if isinstance(data, bpy.types.Mesh) else None
    record.curve = data if isinstance(data, bpy.types.Curve) else None


def _is_shared(data: bpy.types.ID) -> bool:
    """Whether someone else than one object uses the datablock, or it cannot be edited here."""
    own_users = data.users - int(data.use_fake_user) - int(data.use_extra_user)
    return own_users > 1 or data.library is not None


def _write(
    ob: bpy.types.Object,
    record: VerletShapeKeyRecord,
    frames: NDArray[np.int64],
    coordinates: NDArray[np.float32],
    *,
    is_relative: bool,
) -> None:
    original = _original(record)
    if original is not None:
        ob.data = original.copy()
        ob.data.name = f"{original.name} Verlet Bake"
    ob.show_only_shape_key = False
    names = []
    if not record.had_keys:
        names.append(ob.shape_key_add(name="Basis", from_mix=False).name)
        record.baked_names = json.dumps(names)
    keys = shaped_of(ob).shape_keys
    if is_relative:
        _mute_own(keys, record)
    eval_times = None if is_relative else _eval_times(keys, len(frames))
    blocks = _add_keys(ob, frames, coordinates, eval_times)
    names += [block.name for block in blocks]
    record.baked_names = json.dumps(names)
    ob.active_shape_key_index = record.active_index if record.had_keys else 0

    paths = {f"{block.path_from_id()}.value" for block in blocks}
    action, slot_handle = animation.take_over(
        keys,
        record.animation,
        action_name=f"{ob.name} Verlet Bake",
        is_baked=(ABSOLUTE_ONLY | paths).__contains__,
        keep_other_curves=False,
    )
    if eval_times is None:
        _write_weights(action, slot_handle, frames, blocks)
    else:
        write_curves(action, slot_handle, frames, {("eval_time", 0): eval_times})
    keys.update_tag()
    ob.data.update_tag()
    ob.update_tag(refresh={"OBJECT", "DATA", "TIME"})


def _add_keys(
    ob: bpy.types.Object,
    frames: NDArray[np.int64],
    coordinates: NDArray[np.float32],
    eval_times: NDArray[np.float32] | None,
) -> list[bpy.types.ShapeKey]:
    """One key for each frame, with the coordinates of that; absolute ones with their times."""
    keys = shaped_of(ob).shape_keys
    keys.use_relative = eval_times is None
    write_block = _block_writer(ob)
    blocks = []
    for number, frame in enumerate(frames):
        if eval_times is not None:
            keys.eval_time = eval_times[number]  # an absolute key is made just there
        block = ob.shape_key_add(name=f"Verlet {frame:04d}", from_mix=False)
        block.interpolation = "KEY_LINEAR"
        block.relative_key = keys.reference_key
        write_block(block, coordinates[number])
        blocks.append(block)
    return blocks


def _mute_own(keys: bpy.types.Key, record: VerletShapeKeyRecord) -> None:
    """Let the keys that were there rest: relative ones add up."""
    own = [block for block in keys.key_blocks if not block.mute and block != keys.reference_key]
    record.muted_keys = json.dumps([block.name for block in own])
    for block in own:
        block.mute = True


def _write_weights(
    action: bpy.types.Action,
    slot_handle: int,
    frames: NDArray[np.int64],
    blocks: list[bpy.types.ShapeKey],
) -> None:
    """Each key counts fully in its frame and not at all in those beside it."""
    for number, block in enumerate(blocks):
        rows = [row for row in (number - 1, number, number + 1) if 0 <= row < len(frames)]
        weights = np.array([1.0 if row == number else 0.0 for row in rows], np.float32)
        channel = f"{block.path_from_id()}.value", 0
        write_curves(action, slot_handle, frames[rows], {channel: weights})


def _eval_times(keys: bpy.types.Key, count: int) -> NDArray[np.float32]:
    """Return ``count`` values of eval_time after the last key, for the keys to be made there.

    Blender keeps a key at ``eval_time / 100`` and compares with the same quotient on playing: a
    key that is made at the very eval_time that will play it is met exactly. Keys that Blender
    places by itself, ten apart, drift: the 1000th is missed by 1e-4 of a frame's motion. It does
    so too when a key would come close to ten after the last one, hence the steps of twenty.
    """
    last = max(block.frame for block in keys.key_blocks)
    first = KEY_DISTANCE * np.floor(last / KEY_DISTANCE + 1.75)
    return (first + KEY_DISTANCE * np.arange(count)).astype(np.float32)


def _put_data_back(
    ob: bpy.types.Object,
    record: VerletShapeKeyRecord,
    baked_names: list[str],
    leftovers: Leftovers,
) -> None:
    """Exchange the baked single-user copy for the mesh or curve that it was made from."""
    baked_data = shaped_of(ob)
    keys = baked_data.shape_keys
    if keys is not None and any(name in keys.key_blocks for name in baked_names):
        leftovers.meshes.append(baked_data)
        if keys.animation_data is not None and keys.animation_data.action is not None:
            leftovers.actions.append(keys.animation_data.action)
    ob.data = _original(record)
    _set_original(record, None)
    animation.forget(record.animation)


def _keep_bake_of_other_users(ob: bpy.types.Object) -> None:
    """Linked duplicates of a baked object share its data: free a copy, so that theirs stays."""
    if not _is_shared(ob.data):
        return
    if any(
        other.data == ob.data and other.verlet_bake.shape_keys.is_baked
        for other in bpy.data.objects
        if other != ob
    ):
        ob.data = ob.data.copy()


def _remove_keys(
    ob: bpy.types.Object,
    record: VerletShapeKeyRecord,
    baked_names: list[str],
    leftovers: Leftovers,
) -> None:
    """Remove the keys that the bake made, and put the old ones in charge."""
    keys = shaped_of(ob).shape_keys
    if keys is None:  # someone removed them all
        animation.forget(record.animation)
        return
    leftovers.add_action(animation.give_back(keys, record.animation))
    baked = [keys.key_blocks[name] for name in baked_names if name in keys.key_blocks]
    if len(baked) == len(keys.key_blocks):
        ob.shape_key_clear()
        return
    for block in reversed(baked):
        if record.had_keys or block != keys.reference_key:
            ob.shape_key_remove(block)
    for name in json.loads(record.muted_keys or "[]"):
        if name in keys.key_blocks:
            keys.key_blocks[name].mute = False
    keys.use_relative = record.use_relative
    keys.eval_time = record.eval_time
    keys.update_tag()
