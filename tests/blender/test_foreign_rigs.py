"""Rigs that nobody built for this add-on: one press, dropped on stairs, 250 frames.

`tools/inside_blender/foreign_rigs.py` prints the figures of these and of more.
"""

from functools import cache

import foreign_rigs
import pytest

pytestmark = pytest.mark.usefixtures("scene")

NAMES = ("human", "wolf", "captured")


LEANS = (0.25, 0.26, 0.27, 0.28, 0.29)
"""rad: starts so near each other that only chance tells them apart."""


@cache
def figures(name, lean=LEANS[0]):
    """Measured once for all tests."""
    return foreign_rigs.measure(foreign_rigs.drop(name, lean))


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
    falls = [figures(name, lean) for lean in LEANS]
    for found in falls:
        assert found.gap < 0.01, found.where
    # the deepest contact of a whole fall is one blow, and which it is a matter of chance
    depths = sorted(found.depth for found in falls)
    assert depths[len(LEANS) // 2] < 0.01, depths
