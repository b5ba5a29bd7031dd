"""Which bodies of a ragdoll hold what it wears."""

import numpy as np
import pytest
from test_recipe_ragdoll import skeleton

from verlet_physics.recipes.garment import bearing_parts, garment_parts, nearest_parts
from verlet_physics.recipes.ragdoll_planning import plan_ragdoll
from verlet_physics.recipes.skeleton import Skin, turn_about
from verlet_physics.settings import BoneSettings, RagdollSettings

pytestmark = pytest.mark.quick

CHAIN = [
    ("root", None, (0, 0, 0), (0, 0, 0.2)),
    ("a", "root", (0, 0, 1), (0.4, 0, 1)),
    ("b", "a", (0.4, 0, 1), (0.8, 0, 1)),
    ("c", "b", (0.8, 0, 1), (1.2, 0, 1)),
    ("d", "c", (1.2, 0, 1), (1.6, 0, 1)),
]


def plan():
    """Four bones in a row on a control bone; the second is one with the first, the last is none."""
    deforms = np.array([False, True, True, True, True])
    parts = ("AUTO", "OWN", "JOINED", "OWN", "NONE")
    bones = [BoneSettings(part=part) for part in parts]
    return plan_ragdoll("arm", skeleton(CHAIN, deforms=deforms), RagdollSettings(), bones=bones)


def test_a_bone_without_a_body_counts_for_what_it_hangs_on():
    assert bearing_parts(plan()).tolist() == [-1, 0, 0, 1, 1]


def test_weights_of_one_body_count_together():
    vertex = np.array([0, 0, 0, 1, 2], dtype=np.int32)
    bone = np.array([1, 2, 3, 4, 0], dtype=np.int32)
    weight = np.array([0.3, 0.3, 0.4, 0.2, 1.0])
    assert garment_parts(plan(), Skin(np.zeros((4, 3)), vertex, bone, weight)).tolist() == [
        0,
        1,
        -1,
        -1,
    ]


def test_the_nearest_body_is_found_in_the_pose():
    arm = plan()
    points = np.array([(0.1, 0.3, 1.0), (1.1, 0.0, 1.3), (0.85, 0.0, 1.02)])
    still = np.tile(np.eye(3), (5, 1, 1)), np.zeros((5, 3))
    assert nearest_parts(arm, points, *still).tolist() == [0, 1, 1]
    turn = turn_about(np.array([0.0, 0.0, 1.0]), 0.7)
    moved = points @ turn.T + (1.0, 2.0, 3.0)
    posed = np.tile(turn, (5, 1, 1)), np.tile((1.0, 2.0, 3.0), (5, 1))
    assert nearest_parts(arm, moved, *posed).tolist() == [0, 1, 1]
