"""What numbers and indices from outside must be before they become part of a model or a frame.

Everything that reaches a kernel has passed here: a kernel does not look where an index points.
"""

from __future__ import annotations

from math import isfinite
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Floats, Ints
from .errors import ModelError

QUICK_TO_CHECK = 8
"""Numbers that Python goes through faster than NumPy does."""

NUMBER_KINDS = "biuf"
"""Kinds of NumPy types that count as numbers: truth values, whole numbers, floats."""


def number(
    name: str, what: str, value: Any, *, least: float = -np.inf, most: float = np.inf
) -> float:
    """One finite number between least and most, as a float."""
    if type(value) is not float and not isinstance(value, Real):
        raise ModelError(name, f"{what} = {value!r} is no number")
    found = float(value)
    if not isfinite(found):
        raise ModelError(name, f"{what} = {found} is not a finite number")
    if not least <= found <= most:
        raise ModelError(name, f"{what} = {found:g} must be {_limits(least, most)}")
    return found


def numbers(
    name: str,
    what: str,
    values: ArrayLike,
    shape: tuple[int, ...],
    *,
    least: float = -np.inf,
    most: float = np.inf,
    endless: bool = False,
) -> Floats:
    """A new array of that shape from an array or one number for all, between least and most.

    endless: +∞ is allowed too. Raises `ModelError` in the name of the object.
    """
    given = floats(name, what, values)
    if given.shape != shape:
        try:
            given = np.broadcast_to(given, shape)
        except ValueError:
            raise ModelError(name, f"{what} has shape {given.shape}, expected {shape}") from None
    array = np.array(given, dtype=np.float64, order="C")
    is_free = least == -np.inf and most == np.inf
    if is_free and array.size <= QUICK_TO_CHECK and isfinite(sum(array.ravel().tolist())):
        return array
    bad = np.isnan(array) if endless else ~np.isfinite(array)
    if bad.any():
        row = int(np.argwhere(bad)[0][0]) if array.ndim else 0
        where = f" (row {row})" if len(shape) > 1 or array.size > 4 else ""
        raise ModelError(name, f"{what} holds numbers that are not finite{where}")
    if array.size and (array.min() < least or array.max() > most):
        worst = array.min() if array.min() < least else array.max()
        raise ModelError(name, f"{what} = {worst:g} must be {_limits(least, most)}")
    return array


def positive(name: str, what: str, values: ArrayLike, shape: tuple[int, ...]) -> Floats:
    """As `numbers`, all of them above zero."""
    array = numbers(name, what, values, shape)
    if array.size and array.min() <= 0.0:
        raise ModelError(name, f"{what} = {array.min():g} must be above 0")
    return array


def places(name: str, what: str, values: ArrayLike) -> Floats:
    """A new array (n, 3) of finite places in m; a message names the first bad vertex."""
    x = floats(name, what, values)
    if x.size == 0:
        return np.zeros((0, 3))
    if x.ndim != 2 or x.shape[1] != 3:
        raise ModelError(name, f"{what} has shape {x.shape}, expected (n, 3)")
    finite = np.isfinite(x).all(axis=1)
    if not finite.all():
        row = int(np.argmin(finite))
        raise ModelError(
            name, f"{what} of vertex {row} is not a finite number; repair the mesh there"
        )
    return np.array(x, dtype=np.float64, order="C")


def indices(name: str, what: str, values: ArrayLike, count: int) -> Ints:
    """Whole numbers from 0 to count − 1 as int32, in the shape that they have."""
    try:
        array = np.asarray(values)
    except ValueError:  # rows of unlike lengths
        raise ModelError(name, f"{what} are no array of whole numbers") from None
    if array.size and not np.issubdtype(array.dtype, np.integer):
        raise ModelError(name, f"{what} must be whole numbers")
    if array.size and (array.min() < 0 or array.max() >= count):
        wrong = array.min() if array.min() < 0 else array.max()
        raise ModelError(name, f"{what}: {wrong} lies outside 0 … {count - 1}")
    return np.ascontiguousarray(array, dtype=np.int32).reshape(array.shape)


def index_rows(name: str, what: str, values: ArrayLike, width: int, count: int) -> Ints:
    """Rows (k, width) of such indices; one row may come without its own brackets."""
    array = indices(name, what, values, count)
    is_row = array.ndim == 1 and array.size in (0, width)
    if not is_row and (array.ndim != 2 or (array.size and array.shape[1] != width)):
        raise ModelError(name, f"{what} have shape {array.shape}, expected (n, {width})")
    return array.reshape(-1, width)


def unit_quaternion(name: str, orientation: ArrayLike) -> Floats:
    """Orientation (4,) made of unit length; raises `ModelError` for zero."""
    q = numbers(name, "orientation", _of_size(name, "orientation", orientation, 4), (4,))
    with np.errstate(over="ignore"):
        length = float(np.linalg.norm(q))
    if length < 1e-9:
        raise ModelError(name, "orientation is a zero quaternion")
    if not np.isfinite(length):
        raise ModelError(name, "orientation is a quaternion of endless length")
    unit: Floats = q / length
    return unit


def vector(name: str, what: str, values: ArrayLike) -> Floats:
    """Three finite numbers (3,)."""
    return numbers(name, what, _of_size(name, what, values, 3), (3,))


def _of_size(name: str, what: str, values: ArrayLike, size: int) -> Floats:
    """Exactly so many numbers, no single one for all."""
    given = floats(name, what, values)
    if given.size != size:
        raise ModelError(name, f"{what} has shape {given.shape}, expected ({size},)")
    return given.reshape(size)


def floats(name: str, what: str, values: ArrayLike) -> Floats:
    """Numbers as an array; text, None and rows of unlike lengths are none."""
    try:
        given = np.asarray(values)
    except ValueError:
        raise ModelError(name, f"{what} is no array of numbers") from None
    if given.dtype.kind not in NUMBER_KINDS:
        raise ModelError(name, f"{what} is no array of numbers")
    return given.astype(np.float64, copy=False)


def _limits(least: float, most: float) -> str:
    if most == np.inf:
        return f"{least:g} or more"
    if least == -np.inf:
        return f"{most:g} or less"
    return f"between {least:g} and {most:g}"
