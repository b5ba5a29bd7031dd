"""Rigs that nobody built for this add-on: one press, dropped on stairs, 250 frames.

`tools/inside_blender/foreign_rigs.py` prints the figures of these and of more.
"""

from functools import cache

import foreign_rigs
import pytest

pytestmark = pytest.mark.usefixtures("scene")

NAMES = ("human", "wolf", "captured")


@cache
def figures(name):
    """Measured once for all tests."""
    return foreign_rigs.measure(foreign_rigs.drop(name))


@pytest.mark.parametrize("name", NAMES)
def test_it_comes_to_rest_whole_and_sleeps(name):
    found = figures(name)
    assert found.failure == ""
    assert found.asleep == found.parts
    assert found.gap_at_rest < 1e-3  # of the bone
    assert found.excess < 2.0  # degrees
    assert found.depth_at_rest < 1e-3  # m: no limb in the floor


@pytest.mark.parametrize("name", NAMES)
def test_no_joint_opens_on_the_way(name):
    found = figures(name)
    assert found.gap < 0.01, found.where
    assert found.depth < 0.01
