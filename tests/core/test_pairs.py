"""Pairs, each once: see core/pairs.py."""

import numpy as np
import pytest

from verlet_physics.pairs import distinct_pairs


@pytest.mark.parametrize("kind", [np.int32, np.int64])
@pytest.mark.parametrize("count", [0, 1, 500])
def test_they_are_those_of_numpy_in_its_order(kind, count):
    pairs = np.random.default_rng(count).integers(0, 20, (count, 2)).astype(kind)
    found = distinct_pairs(pairs)
    np.testing.assert_array_equal(found, np.unique(pairs, axis=0).reshape(-1, 2))
    assert found.dtype == kind


def test_large_numbers_do_not_run_over():
    most = np.iinfo(np.int32).max
    pairs = np.array([[most, most], [0, most], [most, 0], [most, most]], dtype=np.int32)
    np.testing.assert_array_equal(distinct_pairs(pairs), [[0, most], [most, 0], [most, most]])
