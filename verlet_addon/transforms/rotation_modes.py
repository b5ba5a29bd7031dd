"""Rotations of many frames in the mode that a bone or object has, in double precision.

Blender's own conversion to Euler angles works in 32 bits and loses three digits close to the pole
(gimbal lock). Here the third angle follows from the first, so that errors cancel.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Floats
from .rotations import quaternions, quaternions_each

_AXIS_NUMBERS = {"X": 0, "Y": 1, "Z": 2}


def rotation_values(mode: str, rotations: Floats, before: Floats | None = None) -> Floats:
    """Rotation matrices (F, 3, 3) as quaternions (F, 4), angle and axis (F, 4) or angles (F, 3).

    Neighbours lie close together, and the first lies close to ``before`` where that is given.
    """
    if mode == "QUATERNION":
        turns = quaternions(rotations)
        is_far = before is not None and float(before @ turns[0]) < 0.0
        return -turns if is_far else turns
    if mode == "AXIS_ANGLE":
        return _axis_angles(quaternions(rotations), before)
    return _euler_angles(mode, rotations, before)


def numbers_by_mode(modes: list[str]) -> Iterator[tuple[str, NDArray[np.intp]]]:
    """Each rotation mode with the numbers (n,) of those that have it."""
    present = sorted(set(modes))
    if len(present) == 1:
        yield present[0], np.arange(len(modes))
        return
    for mode in present:
        yield mode, np.array([number for number, one in enumerate(modes) if one == mode], np.intp)


def rotations_near(mode: str, rotations: Floats, before: Floats) -> Floats:
    """Rotation matrices (n, 3, 3) of many objects in a mode (n, k), each close to its ``before``.

    What `rotation_values` makes of one frame of each.
    """
    if mode == "QUATERNION":
        turns = quaternions_each(rotations)
        return np.where((before * turns).sum(axis=1) < 0.0, -1.0, 1.0)[:, None] * turns
    if mode == "AXIS_ANGLE":
        turns = quaternions(rotations)
        pairs = zip(turns, before)
        return np.array([_axis_angles(turn[None], last)[0] for turn, last in pairs])
    first, second = (
        angles + 2.0 * np.pi * np.round((before - angles) / (2.0 * np.pi))
        for angles in _both_solutions(mode, rotations)
    )
    is_second_closer = np.abs(second - before).sum(axis=1) < np.abs(first - before).sum(axis=1)
    return np.where(is_second_closer[:, None], second, first)


def _euler_angles(mode: str, rotations: Floats, before: Floats | None) -> Floats:
    """Angles (F, 3) about X, Y, Z that turn in the order of the mode, R = R_k · R_j · R_i."""
    values = np.empty((len(rotations), 3))
    last = before
    for row, both in enumerate(zip(*_both_solutions(mode, rotations))):
        found = list(both)
        if last is not None:
            turn = 2.0 * np.pi
            found = [angles + turn * np.round((last - angles) / turn) for angles in found]
            found.sort(key=lambda angles: float(np.abs(angles - last).sum()))
        values[row] = last = found[0]
    return values


def _both_solutions(mode: str, r: Floats) -> tuple[Floats, Floats]:
    """The two triples of angles (n, 3) about X, Y, Z that make rotations (n, 3, 3).

    With the first one, a, taken out, R · R_i(−a) = R_k · R_j tells the others. The second triple is
    half a turn further in a and in the last angle, and beyond the pole in the middle one.
    """
    i, j, k = (_AXIS_NUMBERS[letter] for letter in mode)
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    a = np.arctan2(sign * r[:, k, j], r[:, k, k])
    cosine, sine = np.cos(a), sign * np.sin(a)
    first = np.empty((len(r), 3))
    first[:, i] = a
    first[:, j] = np.arctan2(-sign * r[:, k, i], sine * r[:, k, j] + cosine * r[:, k, k])
    first[:, k] = np.arctan2(
        -sign * (cosine * r[:, i, j] - sine * r[:, i, k]), cosine * r[:, j, j] - sine * r[:, j, k]
    )
    second = first + np.pi
    second[:, j] = np.pi - first[:, j]
    return first, second


def _axis_angles(turns: Floats, before: Floats | None) -> Floats:
    """Angle and axis (F, 4) of quaternions (F, 4) that are neighbours."""
    values = np.empty((len(turns), 4))
    axis, last = np.array([0.0, 1.0, 0.0]), 0.0
    if before is not None:
        axis, last = before[1:], float(before[0])
    for row, turn in enumerate(turns):
        sine = float(np.linalg.norm(turn[1:]))
        if sine > 1e-9:
            found = turn[1:] / sine
            sign = -1.0 if found @ axis < 0.0 else 1.0
            axis, sine = sign * found, sign * sine
        angle = 2.0 * np.arctan2(sine, turn[0])
        last = angle + 2.0 * np.pi * np.round((last - angle) / (2.0 * np.pi))
        values[row] = (last, *axis)
    return values


def quaternions_of(mode: str, values: Floats) -> Floats:
    """Unit quaternions (n, 4) that Blender makes of channels (n, k) of a rotation mode."""
    if mode == "QUATERNION":
        return of_unit_length(values)
    if mode == "AXIS_ANGLE":
        return _about(of_unit_length(values[:, 1:]), values[:, 0])
    turn = np.tile([1.0, 0.0, 0.0, 0.0], (len(values), 1))
    for letter in mode:  # the first one turns first
        axis = np.eye(3)[_AXIS_NUMBERS[letter]]
        turn = _product(
            _about(np.tile(axis, (len(values), 1)), values[:, _AXIS_NUMBERS[letter]]), turn
        )
    return turn


def of_unit_length(vectors: Floats) -> Floats:
    """Vectors (n, k) of length 1; those without length stay 0."""
    size = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(size, 1e-12))


def _about(axis: Floats, angle: Floats) -> Floats:
    """Quaternions (n, 4) of turns by angles (n,) about unit axes (n, 3)."""
    half = 0.5 * angle
    return np.concatenate([np.cos(half)[:, None], np.sin(half)[:, None] * axis], axis=1)


def _product(a: Floats, b: Floats) -> Floats:
    """The quaternions a·b (n, 4): turn by b, then by a."""
    w = a[:, :1] * b[:, :1] - np.sum(a[:, 1:] * b[:, 1:], axis=1, keepdims=True)
    rest = a[:, :1] * b[:, 1:] + b[:, :1] * a[:, 1:] + np.cross(a[:, 1:], b[:, 1:])
    return np.concatenate([w, rest], axis=1)
