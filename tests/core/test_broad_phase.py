"""Trees of boxes, and pairs of shapes that may touch, against looking at everything."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from verlet_physics.bench.rigid_bodies import model_of
from verlet_physics.bench.rigid_scenes import ragdolls
from verlet_physics.collision.broad_phase import SLOTS, BroadPhase, PosedShapes
from verlet_physics.collision.kinds import BOX, CAPSULE, MESH, PLANE, ROOM, SPHERE
from verlet_physics.collision.tree import (
    build_tree,
    end_of,
    next_leaf,
    root_of,
    tree_room,
    tree_scratch,
)
from verlet_physics.kernels import jit
from verlet_physics.model import FrameInputs
from verlet_physics.settings import SolverSettings
from verlet_physics.step import advance
from verlet_physics.vec3 import load
from verlet_physics.workspace import workspace_of


def rows_of(found, count):
    """Shape a, shape b and sub-shape of each of the first items."""
    return [[*one["shape"].tolist(), int(one["sub_shape"])] for one in found.item[:count]]


@jit.kernel
def leaves_in(tree, first, last, lower, upper, found):
    """Rows whose boxes meet each of the given ones, in the order of the walk; how many."""
    count = 0
    end = end_of(last)
    for n in range(lower.shape[0]):
        low, high = load(lower, n), load(upper, n)
        node = next_leaf(tree, root_of(first), end, low, high)
        while node < end:
            found[count, 0] = n
            found[count, 1] = tree.leaf[node]
            count += 1
            node = next_leaf(tree, node + 1, end, low, high)
    return count


def boxes(centre, half):
    centre = np.asarray(centre, dtype=float)
    half = np.broadcast_to(np.asarray(half, dtype=float), centre.shape)
    return np.ascontiguousarray(centre - half), np.ascontiguousarray(centre + half)


def boxes_of_kind(kind, count=300):
    rng = np.random.default_rng(7)
    centre = rng.random((count, 3))
    if kind == "uniform":
        return boxes(centre, 0.05)
    if kind == "uneven":
        return boxes(centre, np.exp(rng.normal(-4, 2, (count, 3))))
    if kind == "coinciding":
        return boxes(np.zeros((count, 3)), 0.5)
    if kind == "few places":  # many of one centre, and sizes that differ
        return boxes(rng.integers(0, 3, (count, 3)), rng.random((count, 3)))
    if kind == "points":
        return boxes(rng.integers(0, 4, (count, 3)), 0.0)
    if kind == "huge":
        half = np.full((count, 3), 1e-3)
        half[::17] = 1e100
        return boxes(centre, half)
    if kind == "one far away":
        centre[0] = 1e9
        return boxes(centre, 0.05)
    if kind == "flat":
        centre[:, 2] = 0.0
        return boxes(centre, (0.02, 0.02, 0.0))
    if kind == "floor":
        lower, upper = boxes(centre, 0.01)
        lower[5], upper[5] = (-50, -50, -1), (50, 50, 0.2)
        return lower, upper
    raise ValueError(kind)


KINDS = (
    "uniform",
    "uneven",
    "coinciding",
    "few places",
    "points",
    "huge",
    "one far away",
    "flat",
    "floor",
)


def meeting(lower, upper, other_lower, other_upper):
    near = (lower[:, None] <= other_upper) & (upper[:, None] >= other_lower)
    return {tuple(pair) for pair in np.argwhere(near.all(axis=2)).tolist()}


def walk(tree, first, last, lower, upper):
    found = np.zeros((len(lower) * (last - first), 2), dtype=np.int32)
    count = leaves_in(tree, first, last, lower, upper, found)
    pairs = [tuple(pair) for pair in found[:count].tolist()]
    assert len(set(pairs)) == len(pairs)
    return set(pairs)


@pytest.mark.parametrize("kind", KINDS)
def test_tree_finds_what_brute_force_finds(kind):
    lower, upper = boxes_of_kind(kind)
    count = len(lower)
    tree = tree_room(count)
    build_tree(tree, lower, upper, 0, count, tree_scratch(count))
    assert walk(tree, 0, count, lower, upper) == meeting(lower, upper, lower, upper)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5])
def test_small_trees(count):
    lower, upper = boxes_of_kind("uniform", count)
    tree = tree_room(count)
    build_tree(tree, lower, upper, 0, count, tree_scratch(count))
    everything = boxes(np.zeros((1, 3)), 10.0)
    assert walk(tree, 0, count, *everything) == {(0, row) for row in range(count)}


def test_several_trees_in_one_do_not_mix():
    lower, upper = boxes_of_kind("uniform", 100)
    tree = tree_room(100)
    scratch = tree_scratch(60)
    runs = ((0, 40), (40, 40), (40, 41), (41, 100))
    for first, last in runs:
        build_tree(tree, lower, upper, first, last, scratch)
    for first, last in runs:
        pairs = {
            (n, first + row) for n, row in meeting(lower, upper, *bound(lower, upper, first, last))
        }
        assert walk(tree, first, last, lower, upper) == pairs


def bound(lower, upper, first, last):
    return lower[first:last], upper[first:last]


@pytest.mark.parametrize("kind", ["uniform", "coinciding", "one far away", "floor"])
def test_tree_is_balanced_enough(kind):
    lower, upper = boxes_of_kind(kind, 4096)
    tree = tree_room(4096)
    build_tree(tree, lower, upper, 0, 4096, tree_scratch(4096))
    depth = np.zeros(len(tree.skip) - 1, dtype=int)
    for node in np.flatnonzero(tree.leaf[:-1] < 0):
        depth[[node + 1, tree.skip[node + 1]]] = depth[node] + 1
    assert depth.max() <= 33 + 12  # a level for each bit, then halves of what is in one cell
    assert depth[tree.leaf[:-1] >= 0].mean() < 20


# ---------------------------------------------------------------------------- pairs of shapes


class Scene:
    """Shapes of all kinds, some in groups, some asleep, some of one body, in random poses."""

    def __init__(self, kind, seed=0):
        rng = np.random.default_rng(seed)
        lower, upper = boxes_of_kind(kind, 120)
        count = len(lower)
        self.kind = rng.choice([BOX, SPHERE, CAPSULE, MESH], count, p=[0.4, 0.3, 0.2, 0.1])
        self.kind[[3, 60]] = PLANE
        self.kind[[0, 61]] = ROOM
        self.body = rng.integers(-20, 70, count).clip(-1)
        self.body[np.isin(self.kind, (PLANE, ROOM))] = -1
        self.group = rng.choice([1, 2, 3, 1 << 31], count).astype(np.uint32)
        self.mask = rng.choice([1, 3, 0xFFFFFFFF], count, p=[0.1, 0.1, 0.8]).astype(np.uint32)
        self.excluded = rng.integers(0, 70, (60, 2))
        self.is_awake = rng.random(70)[self.body] < 0.7
        self.is_awake[self.body < 0] = False
        endless = np.isin(self.kind, (PLANE, ROOM))
        lower[endless], upper[endless] = -np.inf, np.inf
        self.lower, self.upper = lower, upper
        self.margin = rng.random(count) * 0.02
        self.centre = rng.random((count, 3))
        turn = np.linalg.qr(rng.normal(size=(count, 3, 3)))[0]
        self.rotation = np.ascontiguousarray(turn * np.linalg.det(turn)[:, None, None])
        self.size = rng.random((count, 3))
        self.reach = rng.random(count) * 0.1
        meshes = int((self.kind == MESH).sum())
        self.mesh = np.full(count, -1, dtype=np.int32)
        self.mesh[self.kind == MESH] = np.arange(meshes)
        self.first_triangle = np.arange(meshes + 1, dtype=np.int32) * 50
        self.triangle_lower, self.triangle_upper = boxes(
            rng.uniform(-0.5, 0.5, (50 * meshes, 3)), rng.random((50 * meshes, 3)) * 0.05
        )
        self.mesh_tree = tree_room(50 * meshes)
        scratch = tree_scratch(50)
        for first in self.first_triangle[:-1].tolist():
            build_tree(
                self.mesh_tree, self.triangle_lower, self.triangle_upper, first, first + 50, scratch
            )

    def broad_phase(self):
        found = BroadPhase(self.kind, self.body, self.group, self.mask, self.body)
        found.exclude(self.excluded)
        return found

    def find(self, threads=1):
        found = self.broad_phase()
        found.find(self.lower, self.upper, self.margin, self.is_awake, threads)
        return found

    def expand(self, found):
        posed = PosedShapes(
            found.rules.kind,
            self.size,
            self.centre,
            self.rotation,
            self.lower,
            self.upper,
            self.mesh,
            self.first_triangle,
        )
        count = found.expand(posed, self.reach, self.mesh_tree)
        return rows_of(found, count)

    def may_meet(self, a, b):
        """Whether a is the first of the pair (a, b), and the two may touch."""
        if not (self.is_awake[a] or self.is_awake[b]):
            return False
        if self.body[a] < 0 or self.body[a] == self.body[b] or self.kind[a] in (PLANE, ROOM, MESH):
            return False
        if self.body[b] >= 0 and self.kind[b] != MESH and a > b:
            return False
        if not (self.group[a] & self.mask[b] and self.group[b] & self.mask[a]):
            return False
        bodies = sorted([int(self.body[a]), int(self.body[b])])
        return bodies not in np.sort(self.excluded, axis=1).tolist()

    def expected_pairs(self):
        lower, upper = self.lower - self.margin[:, None], self.upper + self.margin[:, None]
        near = sorted(meeting(lower, upper, lower, upper))
        return [list(pair) for pair in near if self.may_meet(*pair)]

    def expected_items(self, pairs):
        for a, b in pairs:
            low, high = self.lower[a], self.upper[a]
            choose = np.indices((2, 2, 2)).reshape(3, 8).T
            corners = (np.where(choose, high, low) - self.centre[b]) @ self.rotation[b]
            inside, outside = corners.min(axis=0), corners.max(axis=0)
            reach = self.reach[b]
            if self.kind[b] == PLANE:
                subs = [-1] if inside[2] <= reach else []
            elif self.kind[b] == ROOM:
                beyond = np.stack([outside, -inside], axis=1) >= (self.size[b] - reach)[:, None]
                subs = np.flatnonzero(beyond.reshape(-1))
            elif (low > self.upper[b]).any() or (high < self.lower[b]).any():
                subs = []
            elif self.kind[b] == MESH:
                first, last = self.first_triangle[self.mesh[b] : self.mesh[b] + 2]
                triangles = bound(self.triangle_lower, self.triangle_upper, first, last)
                near = meeting(inside[None] - reach, outside[None] + reach, *triangles)
                subs = sorted(first + row for _, row in near)
            else:
                subs = [-1]
            yield from ([a, b, int(sub)] for sub in subs)


@pytest.mark.parametrize("kind", KINDS)
def test_pairs_and_items_are_those_of_brute_force(kind):
    scene = Scene(kind)
    found = scene.find()
    pairs = scene.expected_pairs()
    assert found.pair[: found.pair_count].tolist() == pairs
    assert scene.expand(found) == list(scene.expected_items(pairs))


@pytest.mark.parametrize("seed", range(3))
def test_every_kind_of_pair_occurs(seed):
    scene = Scene("huge", seed)
    items = np.array(scene.expand(scene.find()))
    assert {PLANE, ROOM, MESH, BOX} <= set(scene.kind[items[:, 1]].tolist())
    assert len(set(items[scene.kind[items[:, 1]] == ROOM, 2])) > 3
    assert (scene.body[items[:, 1]] >= 0).any()
    assert (scene.body[items[:, 1]] < 0).any()
    assert (scene.body[items[scene.kind[items[:, 1]] == MESH, 1]] >= 0).any()


@pytest.mark.skipif(not jit.compiled, reason="needs Numba for threads")
@pytest.mark.parametrize("kind", ["uniform", "coinciding", "huge"])
def test_threads_find_the_same(kind):
    scene = Scene(kind, 1)
    jit.set_thread_count(2)
    one, two = scene.find(1), scene.find(2)
    assert one.pair_count > 50
    assert one.pair[: one.pair_count].tolist() == two.pair[: two.pair_count].tolist()


def cubes(centre, half, body):
    """A broad phase of boxes that all meet each other, and its arguments."""
    lower, upper = boxes(centre, half)
    count = len(lower)
    all_groups = np.ones(count, dtype=np.uint32)
    found = BroadPhase(np.full(count, BOX), body, all_groups, all_groups, body)
    return found, [lower, upper, np.full(count, 0.1), np.ones(count, dtype=bool)]


def expand_boxes(found, lower, upper):
    count = len(lower)
    turn = np.broadcast_to(np.eye(3), (count, 3, 3)).copy()
    nothing = np.zeros((count, 3))
    meshes = (np.full(count, -1, np.int32), np.zeros(1, np.int32))
    posed = PosedShapes(found.rules.kind, nothing, nothing, turn, lower, upper, *meshes)
    return found.expand(posed, np.zeros(count), tree_room(0))


@pytest.mark.parametrize("floor_body", [-1, 0])
def test_one_floor_under_many_small_bodies(floor_body):
    centre = np.zeros((501, 3))
    centre[1:, 0] = np.arange(500)
    half = np.full((501, 3), 0.05)
    half[0] = (1000.0, 1.0, 0.05)
    body = np.arange(501)
    body[0] = floor_body
    found, arguments = cubes(centre, half, body)
    found.find(*arguments)
    assert found.pair_count == 500 > SLOTS
    pair = found.pair[:500].tolist()
    floor_is_a = floor_body >= 0  # its shape comes first
    assert pair == [[0, n] if floor_is_a else [n, 0] for n in range(1, 501)]


def test_more_pairs_than_there_was_room_for():
    count = 100
    found, arguments = cubes(np.zeros((count, 3)), 1.0, np.arange(count))
    found.find(*arguments)
    assert found.pair_count == count * (count - 1) // 2 > 8 * count
    items = expand_boxes(found, *arguments[:2])
    assert items == found.pair_count
    assert (found.item["shape"][:items] == found.pair[:items]).all()


@pytest.mark.parametrize("count", [0, 1, 2])
def test_few_shapes(count):
    found, arguments = cubes(np.zeros((count, 3)), 1.0, np.arange(count))
    found.update(*arguments)
    assert found.pair_count == (1 if count == 2 else 0)


def test_pairs_stand_until_a_box_leaves_its_margin():
    found, arguments = cubes([(0, 0, 0), (2.05, 0, 0), (9, 0, 0)], 1.0, np.arange(3))
    lower, upper, _, is_awake = arguments
    assert found.update(*arguments)
    assert found.pair[: found.pair_count].tolist() == [[0, 1]]
    for axis in range(3):
        lower[1, axis] += 0.09
        upper[1, axis] += 0.09
        assert not found.update(*arguments)
        for way in (-0.2, 0.2):
            lower[2, axis] += way
            upper[2, axis] += way
            assert found.update(*arguments)
    for way in (-0.2, 0.2):  # a box that grows leaves its wide box on one side
        box = lower if way < 0 else upper
        box[2, 1] += way
        assert found.update(*arguments)
        box[2, 1] -= way
    lower[2, 0] -= 10.0
    upper[2, 0] -= 10.0
    assert found.update(*arguments)
    assert found.pair[: found.pair_count].tolist() == [[0, 1], [0, 2]]
    is_awake[:] = False
    assert not found.update(*arguments)  # falling asleep takes nothing away
    found.find(*arguments)
    assert found.pair_count == 0
    is_awake[2] = True
    assert found.update(*arguments)
    assert found.pair[: found.pair_count].tolist() == [[0, 2]]


def test_what_comes_to_rest_after_a_find_has_no_items():
    found, arguments = cubes(np.zeros((3, 3)), 1.0, np.arange(3))
    lower, upper, _, is_awake = arguments
    found.update(*arguments)
    assert expand_boxes(found, lower, upper) == 3
    is_awake[[0, 2]] = False
    assert not found.update(*arguments)
    assert expand_boxes(found, lower, upper) == 2
    assert rows_of(found, 2) == [[0, 1, -1], [1, 2, -1]]
    is_awake[0] = True
    assert not found.update(*arguments)
    assert expand_boxes(found, lower, upper) == 3


def test_nothing_is_missed_between_two_finds():
    rng = np.random.default_rng(5)
    found, arguments = cubes(rng.random((60, 3)) * 6, 0.5, np.arange(60))
    lower, upper = arguments[:2]
    for _ in range(200):
        step = rng.normal(0, 0.01, lower.shape)
        lower += step
        upper += step
        found.update(*arguments)
        pairs = set(map(tuple, found.pair[: found.pair_count].tolist()))
        assert {(a, b) for a, b in meeting(lower, upper, lower, upper) if a < b} <= pairs
    assert 2 < found.find_count < 150


PLAIN = """
import importlib.util, json, sys
from verlet_physics.kernels import jit
spec = importlib.util.spec_from_file_location("scenes", sys.argv[1])
scenes = importlib.util.module_from_spec(spec)
spec.loader.exec_module(scenes)
both = [scenes.Scene(kind, 2) for kind in ("floor", "coinciding")]
print(json.dumps([jit.compiled, [scene.expand(scene.find(2)) for scene in both]]))
"""


@pytest.mark.skipif(not jit.compiled, reason="needs Numba to compare with")
def test_plain_python_agrees_with_compiled_code():
    done = subprocess.run(
        [sys.executable, "-c", PLAIN, __file__],
        env={**os.environ, "VERLET_NO_NUMBA": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    compiled, items = json.loads(done.stdout)
    assert not compiled
    for kind, of_scene in zip(("floor", "coinciding"), items):
        scene = Scene(kind, 2)
        assert of_scene == scene.expand(scene.find())
        assert len(of_scene) > 100


def test_what_falls_stays_in_its_wide_box_for_more_than_one_look():
    """Boxes are wider by a look's way: else all pairs would be found anew at each look."""
    model = model_of(ragdolls(10))
    state, looks = model.initial_state(), 0
    touching = workspace_of(model).touching
    find = touching.find

    def counted(*arguments):
        nonlocal looks
        looks += 1
        return find(*arguments)

    touching.find = counted
    for _ in range(24):
        state, _ = advance(model, state, FrameInputs(), SolverSettings(threads=1))
    assert looks > 40
    assert touching.broad_phase.find_count < 0.4 * looks
