import ast
import importlib
import itertools
from pathlib import Path

import numpy as np
import pytest

from verlet_physics.bench import rigid_scenes
from verlet_physics.bench.rigid_measure import (
    Measure,
    body_depths,
    joint_gaps,
    kinetic_energy,
    limit_excess,
    near_pairs,
    overlap,
    wall_depth,
)
from verlet_physics.bench.rigid_scenes import (
    NO_BODY,
    SCENES,
    RigidScene,
    product,
    random_turns,
    rotation_matrices,
)

ROOT = Path(__file__).resolve().parents[2]

LEVEL = np.array([1.0, 0.0, 0.0, 0.0])


def turned(axis, degrees):
    half = np.radians(degrees) / 2
    return np.array([np.cos(half), *(np.sin(half) * np.array(axis) / np.linalg.norm(axis))])


def depth(place, turn, half=(0.5, 0.5, 0.5), other=LEVEL):
    return body_depths(
        np.array([np.zeros(3), place]), np.array([other, turn]), np.array([(0.5,) * 3, half])
    )


def test_cubes_face_to_face():
    assert depth((0.9, 0.2, -0.3), LEVEL) == pytest.approx([0.1])
    assert depth((0.3, 0.3, 0.95), LEVEL) == pytest.approx([0.05])
    assert len(depth((1.001, 0.0, 0.0), LEVEL)) == 0


def test_a_cube_whose_edge_points_at_a_face():
    reach = 0.5 + 0.5 * np.sqrt(2.0)
    turn = turned((0, 0, 1), 45)
    assert depth((reach - 0.03, 0.0, 0.0), turn) == pytest.approx([0.03])
    assert len(depth((reach + 0.001, 0.0, 0.0), turn)) == 0


def test_a_cube_whose_corner_points_at_a_face():
    # A turn about (1, −1, 0) by acos(1/√3) brings the diagonal (1, 1, 1) upright.
    turn = turned((1, -1, 0), np.degrees(np.arccos(1 / np.sqrt(3))))
    assert rotation_matrices(turn[None])[0] @ np.ones(3) == pytest.approx([0, 0, np.sqrt(3)])
    reach = 0.5 + 0.5 * np.sqrt(3.0)
    assert depth((0.1, 0.2, reach - 0.02), turn) == pytest.approx([0.02])


def test_crossed_edges_are_told_apart_by_their_cross_product_alone():
    # Two cubes, each on an edge, one along x and the other along y: those edges cross.
    below, above = turned((1, 0, 0), 45), turned((0, 1, 0), 45)
    reach = np.sqrt(2.0)
    assert depth((0.0, 0.0, reach - 0.01), above, other=below) == pytest.approx([0.01])
    assert len(depth((0.0, 0.0, reach + 1e-6), above, other=below)) == 0


def test_depth_is_the_shortest_way_out():
    """No shift that is shorter parts the boxes, whatever its direction."""
    random = np.random.default_rng(5)
    half = np.array([0.3, 0.5, 0.4])
    checked = 0
    for turn in random_turns(40, random):
        place = random.normal(size=3) * 0.45
        found = depth(place, turn, half)
        if not len(found):
            continue
        checked += 1
        ways = random.normal(size=(500, 3))
        ways /= np.linalg.norm(ways, axis=1)[:, None]
        rotations = np.broadcast_to(rotation_matrices(np.array([LEVEL, turn])), (500, 2, 3, 3))
        halves = np.broadcast_to([(0.5,) * 3, half], (500, 2, 3))
        left = overlap(
            place + 0.99 * found[0] * ways,
            (rotations[:, 0], rotations[:, 1]),
            (halves[:, 0], halves[:, 1]),
        )
        assert (left > 0.0).all()
    assert checked > 20


def test_no_overlap_is_missed():
    """A point of one box that is inside another proves that they overlap."""
    random = np.random.default_rng(9)
    seen = 0
    for turn in random_turns(100, random):
        place = random.normal(size=3) * 0.6
        points = (random.random((2000, 3)) - 0.5) @ np.eye(3)
        local = (points - place) @ rotation_matrices(turn[None])[0]
        if (np.abs(local) < 0.5).all(axis=1).any():
            seen += 1
            assert len(depth(place, turn)) == 1
    assert seen > 30


def test_near_pairs_are_those_whose_boxes_touch():
    random = np.random.default_rng(2)
    lower = random.random((60, 3)) * 3.0
    upper = lower + random.random((60, 3))
    found = {tuple(pair) for pair in near_pairs(lower, upper).tolist()}
    assert found == {
        (i, j)
        for i, j in itertools.combinations(range(60), 2)
        if (lower[i] <= upper[j]).all() and (lower[j] <= upper[i]).all()
    }
    assert len(near_pairs(lower, upper)) == len(found)


def test_depth_in_floor_and_walls():
    scene = rigid_scenes.heap(1, 4.0)
    walls = scene.wall_position, scene.wall_half
    half = np.full((1, 3), 0.25)

    def measured(place, turn=LEVEL):
        return wall_depth(np.array([place]), turn[None], half, *walls)

    assert measured((0.0, 0.0, 0.24)) == pytest.approx(0.01)
    assert measured((0.0, 0.0, 0.26)) == 0.0
    for way in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        assert measured((1.77 * way[0], 1.77 * way[1], 1.0)) == pytest.approx(0.02)
    turn = turned((0, 0, 1), 45)
    assert measured((0.0, 2.0 - 0.25 * np.sqrt(2.0) + 0.005, 1.0), turn) == pytest.approx(0.005)


def test_gaps_of_a_chain():
    scene = rigid_scenes.chain(21, both=True)
    assert joint_gaps(scene, scene.position, scene.orientation) == pytest.approx(np.zeros(22))
    moved = scene.position.copy()
    moved[3] += (0.0, 0.003, 0.004)
    expected = np.zeros(22)
    expected[[3, 4]] = 0.005
    assert joint_gaps(scene, moved, scene.orientation) == pytest.approx(expected)
    # a rod that turns about its centre by 0.01 takes both of its ends along
    orientation = scene.orientation.copy()
    orientation[20] = product(turned((0, 0, 1), np.degrees(0.01)), orientation[20])
    expected = np.zeros(22)
    expected[[20, 21]] = 2 * np.sin(0.005) * rigid_scenes.LINK_LENGTH / 2
    assert joint_gaps(scene, scene.position, orientation) == pytest.approx(expected)


def excess_of(scene, joint, *turns):
    """How far a joint is beyond its limits, degrees, when what hangs on it is turned.

    turns: axes in the joint's frame and degrees, the last one first.
    """
    frame = rotation_matrices(scene.joint_frames())[joint]
    orientation = scene.orientation.copy()
    second = scene.joint_body[joint, 1]
    for axis, degrees in reversed(turns):
        orientation[second] = product(turned(frame @ axis, degrees), orientation[second])
    excess = np.degrees(limit_excess(scene, orientation))
    others = [j for j, pair in enumerate(scene.joint_body) if second not in pair]
    assert excess[others] == pytest.approx(np.zeros(len(others)), abs=1e-5)
    return pytest.approx(excess[joint], abs=1e-5)


def test_how_far_a_doll_is_beyond_its_limits():
    scene = rigid_scenes.ragdolls(2)
    x, y, z = np.eye(3)
    for elbow in (13, 17):  # the second doll's, and its knee
        assert np.degrees(scene.joint_limit[elbow]) == pytest.approx([0.0, 140.0])
        assert excess_of(scene, elbow, (z, -5.0)) == 5.0
        assert excess_of(scene, elbow, (z, 130.0)) == 0.0
        assert excess_of(scene, elbow, (z, 143.0)) == 3.0
        assert excess_of(scene, elbow, (x, 4.0)) == 4.0  # no way for a hinge to turn
    shoulder = 12  # leans by 80° and twists by 40°
    assert excess_of(scene, shoulder, (x, 44.0)) == 4.0
    assert excess_of(scene, shoulder, (-x, 44.0)) == 4.0
    assert excess_of(scene, shoulder, (y, 86.0)) == 6.0
    assert excess_of(scene, shoulder, (z, -79.0)) == 0.0
    # leans by 86°, but within three angles as Blender's joint has them
    assert excess_of(scene, shoulder, (y, 75.0), (z, 75.0)) == 0.0
    assert excess_of(scene, shoulder, (x, 30.0), (y, 75.0), (z, 75.0)) == 0.0
    # twisted by more than 40° on its way, as three angles see it, but not as the cone does
    assert excess_of(scene, shoulder, (x, 39.0), (z, 79.0)) == 0.0


def test_what_is_joined_may_overlap():
    scene = rigid_scenes.ragdolls(1)
    position = scene.position.copy()
    position[1] = position[0]  # the chest in the pelvis
    assert len(body_depths(position[:2], scene.orientation[:2], scene.half[:2])) == 1
    assert not len(
        body_depths(position[:2], scene.orientation[:2], scene.half[:2], scene.joint_body[:1])
    )


def test_kinetic_energy_of_a_box_that_flies_and_spins():
    half = np.array([0.1, 0.2, 0.3])
    scene = RigidScene("box", np.zeros((1, 3)), LEVEL[None], half[None], np.array([6.0]))
    start = turned((1, 2, 3), 40)
    rate, speed = np.array([0.0, 0.0, 2.0]), np.array([1.0, -2.0, 2.0])
    # the spin is about the body's own z: multiplied from the right
    end = product(start, turned((0, 0, 1), np.degrees(rate[2] / 24)))
    before = (np.zeros((1, 3)), start[None])
    after = (speed[None] / 24, -end[None])  # −q is the same turn
    inertia = 6.0 / 3.0 * (half[0] ** 2 + half[1] ** 2)
    assert kinetic_energy(scene, before, after, 1 / 24) == pytest.approx(
        0.5 * 6.0 * 9.0 + 0.5 * inertia * 4.0
    )


def test_every_scene_starts_apart_whole_and_above_the_floor():
    for name, (make, n) in SCENES.items():
        scene = make(n)
        assert scene.orientation[:, 0].min() >= 0.0, name
        assert np.linalg.norm(scene.orientation, axis=1) == pytest.approx(1.0), name
        if scene.collides:
            assert body_depths(scene.position, scene.orientation, scene.half, scene.joint_body).max(
                initial=0.0
            ) == pytest.approx(0.0, abs=1e-12), name
            assert wall_depth(
                scene.position, scene.orientation, scene.half, scene.wall_position, scene.wall_half
            ) == pytest.approx(0.0, abs=1e-12), name
        if len(scene.joint_body):
            gaps = joint_gaps(scene, scene.position, scene.orientation)
            assert gaps == pytest.approx(np.zeros(len(gaps)), abs=1e-12), name


def test_the_sizes_of_the_scenes():
    assert [SCENES[name][0](SCENES[name][1]).body_count for name in SCENES] == [
        *(200, 1000, 21, 21, 21, 10, 10, 10, 55, 5050, 10780, 220, 900, 144)
    ]
    both = rigid_scenes.chain(21, both=True)
    assert both.joint_body[[0, -1]].tolist() == [[NO_BODY, 0], [20, NO_BODY]]
    span = np.linalg.norm(both.joint_point[-1] - both.joint_point[0])
    assert span == pytest.approx(0.7 * 21 * 0.2, rel=0.01)  # 21 is odd: one rod aslant
    one = SCENES["chain_heavy"][0](21)
    assert (len(one.joint_body), one.mass[-1], one.mass[:-1].max()) == (21, 100.0, 1.0)
    assert SCENES["stack_100"][0](10).mass[-1] == 100.0
    # as many layers whatever the number
    tops = [SCENES["heap_spread"][0](n).position[:, 2].max() for n in (100, 1000, 5000)]
    assert max(tops) - min(tops) < 1.5 * rigid_scenes.CUBE_SPACING


def test_figures_of_a_stack_that_is_pushed_by_hand():
    scene = rigid_scenes.stack(3)
    measure = Measure(scene, 24, 1)
    position = scene.position.copy()
    for frame in range(48):
        position = scene.position.copy()
        if frame == 2:
            position[1, 2] -= 0.02  # 20 mm deep, but not at the end
        position[2] += (0.003, 0.004, -0.001)
        measure.add(position, scene.orientation)
    figures = measure.figures()
    assert figures["drift_mm"] == pytest.approx(5.0)
    assert figures["drop_mm"] == pytest.approx(1.0)
    assert figures["depth_end_mm"] == pytest.approx(1.0)
    assert figures["depth_mean_mm"] == pytest.approx(1.0)  # the other two only touch
    assert figures["depth_peak_mm"] == pytest.approx(20.0)
    assert figures["wall_peak_mm"] == pytest.approx(0.0, abs=1e-9)
    assert figures["tilt_deg"] == pytest.approx(0.0, abs=1e-5)
    assert figures["kinetic_j"] == pytest.approx(0.0, abs=1e-12)
    assert (figures["stands"], figures["lost"], figures["at_rest"]) == (True, 0, 3)


def test_a_fallen_stack_does_not_stand_and_what_leaves_is_lost():
    scene = rigid_scenes.stack(3)
    measure = Measure(scene, 24, 1)
    position = scene.position.copy()
    measure.add(position, scene.orientation)
    position[2] = (2.0, 0.0, 0.25)
    position[1, 2] = -0.1
    measure.add(position, scene.orientation)
    figures = measure.figures()
    assert (figures["stands"], figures["lost"], figures["at_rest"]) == (False, 1, 1)
    assert figures["kinetic_j"] > 100.0


def test_poses_that_are_not_finite_end_the_run():
    scene = rigid_scenes.stack(2)
    with pytest.raises(RuntimeError, match="frame 1"):
        Measure(scene, 24, 1).add(np.full((2, 3), np.nan), scene.orientation)


def test_what_other_engines_read_of_our_scenes_is_there():
    """Their interpreters have no package: a name that is gone is known when the bench breaks."""
    missing = []
    for path in sorted((ROOT / "tools/peers").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("bench."):
                module = importlib.import_module(f"verlet_physics.{node.module}")
                missing += [(path.name, a.name) for a in node.names if not hasattr(module, a.name)]
    assert not missing
