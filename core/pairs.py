"""Pairs of numbers, each once."""

from __future__ import annotations

import numpy as np

from .arrays import Ints


def distinct_pairs(pairs: Ints) -> Ints:
    """The different rows of pairs (n, 2) ≥ 0, in the order of their first, then second numbers.

    As `numpy.unique` along an axis gives them, but that compares rows one by one, and no other
    thread may run Python meanwhile: six seconds for 200,000 vertices on a busy machine.
    """
    base = int(pairs.max(initial=0)) + 1
    key = np.unique(pairs[:, 0].astype(np.int64) * base + pairs[:, 1])
    return np.stack([key // base, key % base], axis=1).astype(pairs.dtype)
