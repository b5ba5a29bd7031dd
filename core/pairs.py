"""Numbers and pairs of numbers, each once."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from .arrays import NONE, Ints
from .kernels.jit import lean_inline

Number = TypeVar("Number", np.int32, np.int64)


def distinct(numbers: NDArray[Number]) -> NDArray[Number]:
    """The different ones of numbers (n,), rising.

    As `numpy.unique` gives them, but that hashes them since NumPy 2.3, which takes ten times as
    long as to sort those of a mesh: they lie nearly in order.
    """
    rising = np.sort(numbers, kind="stable")
    is_new = np.ones(len(rising), dtype=bool)
    np.not_equal(rising[1:], rising[:-1], out=is_new[1:])
    return rising[is_new]


def pair_keys(pairs: NDArray[Number], base: int) -> NDArray[np.int64]:
    """A number (n,) for each row of pairs (n, 2) below ``base``, rising as rows do."""
    return pairs[:, 0].astype(np.int64) * base + pairs[:, 1]


def distinct_pairs(pairs: Ints) -> Ints:
    """The different rows of pairs (n, 2) ≥ 0, in the order of their first, then second numbers.

    As `numpy.unique` along an axis gives them, but that compares rows one by one, and no other
    thread may run Python meanwhile: six seconds for 200,000 vertices on a busy machine.
    """
    base = int(pairs.max(initial=0)) + 1
    return _pairs_of(distinct(pair_keys(pairs, base)), base).astype(pairs.dtype)


def counted_pairs(
    pairs: NDArray[Number],
) -> tuple[NDArray[Number], NDArray[np.int64], NDArray[np.int64]]:
    """The same, which of them (n,) each row is, and how many rows (m,) each of them has."""
    base = int(pairs.max(initial=0)) + 1
    key, row, count = np.unique(pair_keys(pairs, base), return_inverse=True, return_counts=True)
    return _pairs_of(key, base).astype(pairs.dtype), row.reshape(-1), count


def _pairs_of(key: NDArray[np.int64], base: int) -> NDArray[np.int64]:
    """Pairs (n, 2) that have these numbers, see `pair_keys`."""
    first = key // base
    return np.stack([first, key - first * base], axis=1)


def is_among(pairs: Ints, others: Ints) -> NDArray[np.bool_]:
    """Which rows of pairs (n, 2) ≥ 0 occur among others (m, 2)."""
    if len(pairs) == 0 or len(others) == 0:
        return np.zeros(len(pairs), dtype=bool)
    base = int(max(pairs.max(), others.max())) + 1
    known = np.sort(pair_keys(others, base), kind="stable")
    key = pair_keys(pairs, base)
    place = np.minimum(np.searchsorted(known, key), len(known) - 1)
    return known[place] == key


@lean_inline
def find_pair(pairs, one, other):
    """The row of two numbers, in either order, or `NONE`.

    pairs (n, 2): the lower one before the higher, rows sorted.
    """
    low, high = min(one, other), max(one, other)
    first, last = 0, pairs.shape[0]
    while first < last:
        middle = (first + last) // 2
        if pairs[middle, 0] < low or (pairs[middle, 0] == low and pairs[middle, 1] < high):
            first = middle + 1
        else:
            last = middle
    if first < pairs.shape[0] and pairs[first, 0] == low and pairs[first, 1] == high:
        return first
    return NONE
