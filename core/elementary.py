"""Elementary functions for the Python code of a step and of models: alike on all machines.

NumPy's own differ in the last bits from version to version and from processor to processor (it has
other code for AVX-512), as those of C libraries do. Kernels that were compiled ahead bring theirs
along.
"""

from __future__ import annotations

import math

import numpy as np

from .arrays import Floats
from .kernels.jit import kernel


@kernel
def exponential(x):
    """eˣ of one number."""
    return math.exp(x)


@kernel
def _cosines(angle, out):
    for i in range(angle.shape[0]):
        out[i] = math.cos(angle[i])


@kernel
def _angles(sine, cosine, out):
    for i in range(sine.shape[0]):
        out[i] = math.atan2(sine[i], cosine[i])


def cosines(angle: Floats) -> Floats:
    """The cosine of each angle (n,) in rad."""
    out = np.empty(len(angle))
    _cosines(np.ascontiguousarray(angle, dtype=np.float64), out)
    return out


def angles(sine: Floats, cosine: Floats) -> Floats:
    """The angle (n,) in rad, −π to π, to each of the directions with cosine and sine (n,)."""
    out = np.empty(len(sine))
    _angles(
        np.ascontiguousarray(sine, dtype=np.float64),
        np.ascontiguousarray(cosine, dtype=np.float64),
        out,
    )
    return out
