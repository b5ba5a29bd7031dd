"""Tests that look into what Numba compiles are skipped where something else runs the kernels."""

import pytest

from verlet_physics.kernels import jit


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what the mark `numba` stands for, unless Numba compiles."""
    if item.get_closest_marker("numba") and jit.compiled_by() != "Numba":
        pytest.skip("needs Numba")
