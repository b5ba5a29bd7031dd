"""Which tests are left out: where Numba does not compile, and where no time is left."""

import os
import time

import pytest

from verlet_physics.kernels import jit

BEGAN = time.monotonic()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what the mark `numba` stands for, unless Numba compiles, and `slow` when time is up.

    That is told in seconds by VERLET_SLOW_TESTS_UNTIL; without it none is left out.
    """
    if item.get_closest_marker("numba") and jit.compiled_by() != "Numba":
        pytest.skip("needs Numba")
    until = os.environ.get("VERLET_SLOW_TESTS_UNTIL")
    if until and item.get_closest_marker("slow") and time.monotonic() - BEGAN > float(until):
        pytest.skip("no time is left for it: make truth tells")
