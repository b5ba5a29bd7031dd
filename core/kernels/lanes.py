"""Four numbers at once: what a processor adds, multiplies and compares in one instruction.

A number of kind *lanes* holds `LANES` floats, one for each of so many like tasks: four contacts,
four hinges. The operators + − × ÷, comparisons and the functions below act on each lane alone, and
round each as the same operation on a float does. So what is written for numbers, all of `vec3`,
serves lanes as it is, and a float may stand beside lanes for the same number in each.

Lanes have no branches: both sides are computed and `select` takes one, by a *mask* of four truths.
A loop goes on as long as `any_of` a mask does. All of these take floats and plain truths as well,
so that one formula serves one contact and four.

Compiled, lanes are an LLVM vector, in one register where the processor has any as wide, else in
two (see `lane_types`). In plain Python they are an array (4,).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

LANES = 4
"""How many numbers are held at once: as many doubles as AVX2 has room for in a register."""


def pack(a: Any, b: Any, c: Any, d: Any) -> Any:
    """Lanes of four floats."""
    return np.array([a, b, c, d], dtype=np.float64)


def lane(lanes: Any, k: Any) -> Any:
    """The float in lane k."""
    return lanes[k]


def take(row: Any) -> Any:
    """Lanes of an array (4,) of floats that lie side by side."""
    return np.array(row, dtype=np.float64)


def put(row: Any, lanes: Any) -> None:
    """Write lanes into such an array."""
    row[:] = lanes


def gather(x: Any, rows: Any, n: Any) -> Any:
    """Lanes of number n of so many rows of x: rows (4,) int, x of any number of axes."""
    return x.reshape(len(x), -1)[rows, n]


def scatter(x: Any, rows: Any, n: Any, lanes: Any) -> None:
    """Write lanes into number n of so many rows of x: of a row that comes twice, the last stays."""
    x.reshape(len(x), -1)[rows, n] = lanes


def select(mask: Any, a: Any, b: Any) -> Any:
    """Lane by lane a where the mask is true, else b."""
    return np.where(mask, a, b) if isinstance(mask, np.ndarray) else a if mask else b


def any_of(mask: Any) -> Any:
    """Whether the mask is true in any lane."""
    return bool(np.any(mask))


def larger(a: Any, b: Any) -> Any:
    """Lane by lane b where it is the larger, else a."""
    return select(b > a, b, a)


def smaller(a: Any, b: Any) -> Any:
    """Lane by lane b where it is the smaller, else a."""
    return select(b < a, b, a)


def root(a: Any) -> Any:
    """Square roots."""
    return np.sqrt(a) if isinstance(a, np.ndarray) else math.sqrt(a)


def size_of(a: Any) -> Any:
    """Absolute values."""
    return abs(a)
