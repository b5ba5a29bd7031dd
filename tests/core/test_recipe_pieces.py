"""Robots of separate pieces: what hangs on what, and how it turns."""

import numpy as np
import pytest

from verlet_physics.recipes.pieces import parents_of, piece_joints, tree_of

pytestmark = pytest.mark.quick


def test_links_make_a_tree_and_the_wanted_ones_come_first():
    assert tree_of(4, [(2, 3), (0, 1), (1, 2), (0, 3)]) == [(2, 3), (0, 1), (1, 2)]


def test_the_trunk_is_the_root_wherever_it_stands_in_the_list():
    # hand - forearm - arm - trunk - leg - foot, and a crate by itself
    size = [0.1, 0.3, 0.3, 1.0, 0.5, 0.2, 9.0]
    links = [(0, 1), (2, 1), (2, 3), (4, 3), (5, 4)]
    assert parents_of(size, links).tolist() == [1, 2, 3, -1, 3, 4, -1]


def test_names_tell_how_pieces_turn():
    names = ["Torso", "Arm.L", "Forearm.L", "Arm.R", "Forearm.R", "Thing"]
    middle = [(0, 0, 1), (0.5, 0, 1.2), (1.0, 0, 1.2), (-0.5, 0, 1.2), (-1, 0, 1.2), (0, 0, 2)]
    place = [(0, 0, 0), (0.3, 0, 1.2), (0.75, 0, 1.2), (-0.3, 0, 1.2), (-0.75, 0, 1.2), (0, 0, 1.6)]
    joints = piece_joints(names, np.array([-1, 0, 1, 0, 3, 0]), middle, place)
    assert joints[0] is None
    assert [j.kind for j in joints[1:]] == ["CONE_TWIST", "HINGE"] * 2 + ["CONE_TWIST"]
    left, right = joints[2], joints[4]
    # both elbows bend forward, about opposite axes
    np.testing.assert_allclose(left.second[:, 2], -right.second[:, 2], atol=1e-9)
    assert left.upper > 2.0
    assert left.lower > -0.1
    assert joints[5].swing == pytest.approx(np.radians(40.0))
