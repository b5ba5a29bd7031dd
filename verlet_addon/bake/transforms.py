"""Bakes world matrices to location and rotation curves of an object, all keys at once.

An object of Blender lies at world = parent · basis with basis = T(location + delta) ·
R(delta) · R(rotation) · S(scale · delta). The bake solves for location and quaternion, keeps the
object's own scale, and writes scale curves only where the matrices ask for another scale.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import bpy
import numpy as np
from mathutils import Quaternion
from numpy.typing import NDArray

from ..blender.data import any_item
from ..transforms.affine import inverse_or_nearest
from ..transforms.parents import parent_matrix
from ..transforms.rotations import (
    ORTHOGONAL_TOLERANCE,
    fitted_scales,
    largest_shear,
    quaternions,
    rotations_without_scale,
)
from . import animation
from .curves import write_curves
from .errors import BakeError, require_editable_animation, require_editable_object
from .key_reduction import Tolerance, kept_locations, kept_rotations
from .leftovers import Leftovers

if TYPE_CHECKING:
    from verlet_properties import VerletTransformRecord

__all__ = ["free", "parent_matrix", "require_bakeable", "require_freeable", "write"]

Taken = tuple[bpy.types.Action, int]
"""An action and the handle of its slot."""

VALUES = (
    "location",
    "rotation_euler",
    "rotation_quaternion",
    "rotation_axis_angle",
    "scale",
    "delta_location",
    "delta_rotation_euler",
    "delta_rotation_quaternion",
    "delta_scale",
)
BAKED_PATHS = frozenset({*VALUES, "rotation_mode"})
CONSTRAINT_SWITCH = re.compile(r"constraints\[.*\]\.(mute|enabled)$")
GROUP = "Object Transforms"  # the name that Blender itself gives


def is_baked_path(data_path: str) -> bool:
    """Whether a curve or driver on this channel of an object would disturb the bake."""
    return data_path in BAKED_PATHS or CONSTRAINT_SWITCH.fullmatch(data_path) is not None


def write(
    ob: bpy.types.Object,
    frames: Sequence[int],
    world_matrices: NDArray[np.floating],
    parent_matrices: NDArray[np.floating] | None = None,
    tolerance: Tolerance | None = None,
    taken: Taken | None = None,
) -> str:
    """Bake ``world_matrices`` (F,4,4) at ``frames`` (F,) rising; metres.

    With a ``tolerance`` keys are left out as long as no frame is off by more than it, in the world.
    ``taken``: an action and slot that another bake has made for this object and will give back.

    ``parent_matrices`` (F,4,4), see ``parent_matrix``, are needed when the parent moves; without
    them its place at the current frame counts for all frames. A bake that is already there is
    freed first. Returns a warning that names the object when a matrix holds a shear, which an
    object cannot show (the nearest rotation is baked), else "". Raises BakeError before anything
    has changed.
    """
    frame_numbers, basis = _checked(ob, frames, world_matrices, parent_matrices)
    require_bakeable(ob)
    if ob.verlet_bake.transforms.is_baked:
        free(ob)
    record = ob.verlet_bake.transforms
    _remember(ob, record)
    record.frame_start, record.frame_end = int(frame_numbers[0]), int(frame_numbers[-1])
    record.is_baked = True

    delta_scale = np.array(ob.delta_scale, dtype=np.float64)
    own_scale = np.array(ob.scale, dtype=np.float64) * delta_scale
    linear = basis[:, :3, :3]
    own_scales = np.tile(own_scale, (len(basis), 1))
    scales = fitted_scales(linear, own_scales)
    rotations = rotations_without_scale(linear, scales)
    delta_rotation = Quaternion(ob.delta_rotation_quaternion).normalized().to_matrix()
    quaternion = quaternions(np.array(delta_rotation, dtype=np.float64).T @ rotations)
    location = basis[:, :3, 3] - np.array(ob.delta_location, dtype=np.float64)
    channels = {"location": location, "rotation_quaternion": quaternion}
    if (scales != own_scales).any():
        channels["scale"] = scales / np.where(delta_scale == 0.0, 1.0, delta_scale)
    keyed = {path: np.arange(len(frame_numbers)) for path in channels}
    if tolerance is not None:
        place = tolerance.place / _largest_scale(ob, parent_matrices)
        keyed["location"] = kept_locations(frame_numbers, location, place)
        keyed["rotation_quaternion"] = kept_rotations(frame_numbers, quaternion, tolerance.angle)

    ob.rotation_mode = "QUATERNION"
    record.has_own_action = taken is None
    action, slot_handle = taken or animation.take_over(
        ob,
        record.animation,
        action_name=f"{ob.name} Verlet Bake",
        is_baked=is_baked_path,
        keep_other_curves=True,
    )
    for path, rows in keyed.items():
        values = {(path, axis): column[rows] for axis, column in enumerate(channels[path].T)}
        write_curves(action, slot_handle, frame_numbers[rows], values, group=GROUP)
    ob.update_tag(refresh={"OBJECT", "TIME"})
    if largest_shear(linear) > ORTHOGONAL_TOLERANCE:
        return (
            f"{ob.name}: its parent {ob.parent.name if ob.parent else ''} is scaled unevenly, and "
            "turning in that space shears the object, which keys cannot hold. The nearest rotation "
            "was baked; apply the parent's scale, or clear the parent, for an exact bake."
        )
    return ""


def free(ob: bpy.types.Object) -> None:
    """Put back all that ``write`` has displaced. Harmless without a bake."""
    with Leftovers() as leftovers:
        detach(ob, leftovers)


def detach(ob: bpy.types.Object, leftovers: Leftovers) -> None:
    """Do what ``free`` does, but add what is to be removed from the file to ``leftovers``."""
    record = ob.verlet_bake.transforms
    if not record.is_baked:
        return
    require_freeable(ob)
    if record.has_own_action:
        leftovers.add_action(animation.give_back(ob, record.animation))
    for name in json.loads(record.muted_constraints or "[]"):
        if name in ob.constraints:
            ob.constraints[name].mute = False
    ob.rotation_mode = any_item(record.rotation_mode)
    for name in VALUES:  # after the mode, which converts the rotations that it finds
        setattr(ob, name, getattr(record, name))
    record.muted_constraints = ""
    record.is_baked = False
    ob.update_tag(refresh={"OBJECT", "TIME"})


def require_bakeable(ob: bpy.types.Object) -> None:
    """Raise BakeError when transforms cannot be baked to this object. Changes nothing."""
    require_editable_object(ob)
    require_freeable(ob)


def require_freeable(ob: bpy.types.Object) -> None:
    """Raise BakeError when the action cannot be exchanged just now. Changes nothing."""
    require_editable_animation(ob, ob)


def _checked(
    ob: bpy.types.Object,
    frames: Sequence[int],
    world_matrices: NDArray[np.floating],
    parent_matrices: NDArray[np.floating] | None,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the frame numbers (F,) and the matrices (F,4,4) in the object's own space."""
    numbers = np.asarray(frames, dtype=np.int64)
    if numbers.ndim != 1 or len(numbers) == 0:
        raise BakeError(ob.name, "there are no frames to bake.")
    if np.any(np.diff(numbers) <= 0):
        raise BakeError(ob.name, "the frames to bake must rise.")
    expected = (len(numbers), 4, 4)
    for name, matrices in (("world", world_matrices), ("parent", parent_matrices)):
        if matrices is None:
            continue
        if np.shape(matrices) != expected:
            raise BakeError(
                ob.name,
                f"{name} matrices of shape {expected} were expected, not {np.shape(matrices)}.",
            )
        finite = np.isfinite(matrices).all(axis=(1, 2))
        if not finite.all():
            bad = int(numbers[np.argmin(finite)])
            raise BakeError(ob.name, f"frame {bad} holds a {name} matrix that is not numbers.")
    world = np.asarray(world_matrices, dtype=np.float64)
    if parent_matrices is None:
        if ob.parent is None:
            return numbers, world
        parent_matrices = parent_matrix(ob)
    return numbers, inverse_or_nearest(np.asarray(parent_matrices, dtype=np.float64)) @ world


def _largest_scale(ob: bpy.types.Object, parent_matrices: NDArray[np.floating] | None) -> float:
    """How much longer a way in the object's own space can be in the world."""
    if parent_matrices is None:
        if ob.parent is None:
            return 1.0
        parent_matrices = parent_matrix(ob)[None]
    linear = np.asarray(parent_matrices, dtype=np.float64)[:, :3, :3]
    return max(float(np.linalg.norm(linear, 2, axis=(1, 2)).max()), 1e-12)


def _remember(ob: bpy.types.Object, record: VerletTransformRecord) -> None:
    """Keep what the bake changes on the object itself, and mute its constraints."""
    record.rotation_mode = ob.rotation_mode
    for name in VALUES:
        setattr(record, name, getattr(ob, name))
    active = [constraint for constraint in ob.constraints if not constraint.mute]
    record.muted_constraints = json.dumps([constraint.name for constraint in active])
    for constraint in active:
        constraint.mute = True
