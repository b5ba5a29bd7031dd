"""How fast an object's own keys move it, without going to another frame."""

from __future__ import annotations

import math
from collections.abc import Callable

import bpy
import numpy as np
from mathutils import Euler, Matrix, Quaternion, Vector

from ...core.arrays import Floats
from ...core.geometry.affine import inverse
from ..blender import compat
from ..transforms.affine import rotation_part

Curves = dict[tuple[str, int], bpy.types.FCurve]


def keyed_velocity(
    ob: bpy.types.Object, frame: int, frame_duration: float
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Velocity (3,) m/s and angular velocity (3,) rad/s of an object's origin at a frame.

    By the keys of the object and its parents, from the frame before; where it stood still until
    then, to the frame after. Constraints, drivers and other strips count as standing still: going
    to another frame to see them would undo edits that have no key yet.
    """
    if not has_keys(ob):
        return (0.0,) * 3, (0.0,) * 3
    before, now, after = (keyed_world(ob, f) for f in (frame - 1, frame, frame + 1))
    motion = _motion(before, now, frame_duration)
    if not np.any(motion):
        motion = _motion(now, after, frame_duration)
    return tuple(motion[0].tolist()), tuple(motion[1].tolist())


def has_keys(ob: bpy.types.Object) -> bool:
    """Whether keys move an object or what carries it."""
    return any(_curves(link) for link in _chain(ob))


def _motion(a: Floats, b: Floats, duration: float) -> Floats:
    """Velocity of the origin and angular velocity (2, 3) from one matrix (4, 4) to another."""
    try:
        turn = rotation_part((b @ inverse(a))[:3, :3])
    except np.linalg.LinAlgError:  # scaled to nothing
        return np.zeros((2, 3))
    w, axis = (turn[0], turn[1:]) if turn[0] >= 0.0 else (-turn[0], -turn[1:])
    size = float(np.linalg.norm(axis))
    spin = np.zeros(3)
    if size > 1e-7:  # less is what 32-bit keys round to
        spin = axis / size * 2.0 * math.atan2(size, w) / duration
    travel = b[:3, 3] - a[:3, 3]
    travel[np.abs(travel) < 1e-7 * np.abs(b[:3, 3]).max()] = 0.0
    return np.array([travel / duration, spin])


def _chain(ob: bpy.types.Object | None) -> list[bpy.types.Object]:
    """The object and its parents as far as they carry it as objects."""
    found = []
    while ob is not None:
        found.append(ob)
        ob = ob.parent if ob.parent_type == "OBJECT" else None
    return found


def _curves(ob: bpy.types.Object) -> Curves:
    found = {(f.data_path, f.array_index): f for f in compat.fcurves_of(ob) if not f.mute}
    return {key: f for key, f in found.items() if key[0].startswith(("location", "rot", "scale"))}


def keyed_world(ob: bpy.types.Object, frame: int) -> Floats:
    """World matrix (4, 4) at a frame, as far as keys tell."""
    world = Matrix()
    for link in _chain(ob):
        parent = link.matrix_parent_inverse if link.parent is not None else Matrix()
        world = parent @ _basis(link, frame) @ world
    return np.array(world, dtype=np.float64)


def _basis(ob: bpy.types.Object, frame: int) -> Matrix:
    """The object's own transform at a frame; what has no key is as it is now."""
    curves = _curves(ob)
    if not curves:
        return ob.matrix_basis.copy()

    def at(path: str) -> list[float]:
        present: Callable[[int], float] = getattr(ob, path).__getitem__
        return [
            curves[path, axis].evaluate(frame) if (path, axis) in curves else present(axis)
            for axis in range(len(getattr(ob, path)))
        ]

    place = Vector(at("location")) + ob.delta_location
    match ob.rotation_mode:
        case "QUATERNION":
            turn = ob.delta_rotation_quaternion @ Quaternion(at("rotation_quaternion")).normalized()
        case "AXIS_ANGLE":
            angle, *axis = at("rotation_axis_angle")
            turn = ob.delta_rotation_quaternion @ Quaternion(axis, angle)
        case mode:
            own = Euler(at("rotation_euler"), mode).to_quaternion()
            turn = ob.delta_rotation_euler.to_quaternion() @ own
    scale = [a * b for a, b in zip(at("scale"), ob.delta_scale)]
    return Matrix.LocRotScale(place, turn, Vector(scale))
