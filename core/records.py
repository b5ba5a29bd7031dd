"""Records: named fields that a kernel gets as one argument.

Two kinds. A structured array holds the rows of a table, one beside the other in memory: what is
read together lies together, and however many fields it has it is one array to Numba. Its dtype,
aligned, stands next to the kernel that reads it, with units. A named tuple of arrays holds what
several kernels share and what lies apart for other reasons.

Inside ``prange`` Numba loses what is written into an array of a named tuple: unpack it before.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Records = NDArray[np.void]

Particles = namedtuple(
    "Particles",
    [
        "x",  # (n, 3) m
        "previous",  # (n, 3) m, x*
        "inverse_mass",  # (n,) 1/kg, 0 for what is held
    ],
)
"""What constraints read of the particles, and move."""


def records(dtype: np.dtype[Any], **fields: ArrayLike) -> Records:
    """A table of as many rows as the first field has, each field given by its name."""
    if set(fields) != set(dtype.names or ()):
        raise TypeError(f"a record has the fields {dtype.names}, not {tuple(fields)}")
    table: Records = np.zeros(len(np.asarray(next(iter(fields.values())))), dtype)
    for name, values in fields.items():
        table[name] = values
    return table


def plain_columns(table: NDArray[Any]) -> list[NDArray[Any]]:
    """The columns of a structured array, or the one that an array of numbers is."""
    return [table[name] for name in table.dtype.names] if table.dtype.names else [table]


def scratch_size(dtype: np.dtype[Any], rows: int) -> int:
    """How many floats of scratch so many records take, which are a view of them."""
    return rows * dtype.itemsize // np.dtype(np.float64).itemsize
