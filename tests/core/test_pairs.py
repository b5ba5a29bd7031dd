"""Pairs, each once: see core/pairs.py."""

import numpy as np
import pytest

from verlet_physics.pairs import counted_pairs, distinct, distinct_pairs, is_among


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


@pytest.mark.parametrize("count", [0, 1, 500])
def test_distinct_numbers_are_those_of_numpy_in_its_order(count):
    numbers = np.random.default_rng(count).integers(0, 300, count).astype(np.int32)
    np.testing.assert_array_equal(distinct(numbers), np.unique(numbers))


@pytest.mark.parametrize("counts", [(0, 0), (0, 9), (9, 0), (500, 200)])
def test_pairs_among_others_are_those_that_python_finds(counts):
    rng = np.random.default_rng(7)
    pairs, others = (rng.integers(0, 20, (count, 2)).astype(np.int32) for count in counts)
    known = set(map(tuple, others.tolist()))
    assert is_among(pairs, others).tolist() == [tuple(pair) in known for pair in pairs.tolist()]


@pytest.mark.parametrize("rows", [0, 1, 500])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_pairs_are_counted_as_numpy_does(rows, dtype):
    pairs = np.random.default_rng(rows).integers(0, 12, (rows, 2)).astype(dtype)
    edge, row, count = np.unique(pairs, axis=0, return_inverse=True, return_counts=True)
    found = counted_pairs(pairs)
    np.testing.assert_array_equal(found[0], edge)
    np.testing.assert_array_equal(found[1], row.reshape(-1))
    np.testing.assert_array_equal(found[2], count)
    assert found[0].dtype == dtype
