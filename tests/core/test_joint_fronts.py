"""Large components are solved by fronts, as exactly as small ones are by blocks."""

import time
from itertools import pairwise

import numpy as np
import pytest

from verlet_physics.bench.rigid_bodies import model_of
from verlet_physics.bench.rigid_scenes import chain, joint_grid, ragdolls, wall
from verlet_physics.building.builder import ModelBuilder
from verlet_physics.model import FrameInputs
from verlet_physics.model.joint_table import OnBody
from verlet_physics.rigid.joints import joint_graph
from verlet_physics.rigid.joints.joint_fronts import joint_fronts
from verlet_physics.rigid.joints.minimum_degree import eliminate
from verlet_physics.settings import JointSettings, SolverSettings
from verlet_physics.step import advance
from verlet_physics.truth.joint_nets import hung_net
from verlet_physics.truth.joints import joint_gaps
from verlet_physics.truth.rigid_motion import angular_momentum


def run(model, frames, state=None, inputs=None, threads=1):
    state = state or model.initial_state()
    for _ in range(frames):
        state, _ = advance(model, state, inputs or FrameInputs(), SolverSettings(threads=threads))
    return state


def tree(count):
    """Pairs of a binary tree."""
    return np.array([((b - 1) // 2, b) for b in range(1, count)])


def layout(pairs, rows):
    """Fronts of joints of so many rows between bodies that all move."""
    count = len(pairs)
    moves = np.ones(pairs.max() + 1, dtype=bool)
    return joint_fronts(pairs, np.full(count, rows), np.zeros(count, dtype=np.int64), moves)[0]


def products(fronts):
    """Multiplications of a factorisation."""
    pivots = np.diff(fronts.front["first_pivot"]).astype(np.float64)
    width = pivots + np.diff(fronts.front["border_at"])
    return float((pivots * width**2 - pivots**2 * width + pivots**3 / 3.0).sum())


def test_elimination_touches_each_variable_once_and_parents_come_last():
    random = np.random.default_rng(3)
    pairs = np.unique(np.sort(random.integers(0, 200, (500, 2)), axis=1), axis=0)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    ends = np.concatenate([pairs, pairs[:, ::-1]])
    near = ends[np.argsort(ends[:, 0], kind="stable"), 1]
    first = np.concatenate([[0], np.cumsum(np.bincount(ends[:, 0], minlength=200))])
    order, pivot_from, parent = eliminate(random.integers(1, 7, 200), first, near)
    assert sorted(order) == list(range(200))
    assert (np.diff(pivot_from) > 0).all()
    assert pivot_from[-1] == 200
    assert all(p == -1 or p > f for f, p in enumerate(parent))
    # by hand: what each front touches lies in its parent
    front = np.empty(200, dtype=int)
    front[order] = np.repeat(np.arange(len(parent)), np.diff(pivot_from))
    border = [set() for _ in parent]
    for f in range(len(parent)):
        for i in order[pivot_from[f] : pivot_from[f + 1]]:
            border[f].update(k for k in near[first[i] : first[i + 1]] if front[k] > f)
        for c in np.flatnonzero(parent == f):
            border[f].update(i for i in border[c] if front[i] > f)
        assert (parent[f] == -1) == (not border[f])
        assert all(front[i] >= parent[f] for i in border[f])


@pytest.mark.parametrize(
    ("pairs", "power"), [("chain", 1.15), ("tree", 1.15), ("grid", 1.7), ("wall", 1.7)]
)
def test_work_grows_as_it_should(pairs, power):
    make = {
        "chain": lambda n: np.stack([np.arange(n * n), np.arange(1, n * n + 1)], axis=1),
        "tree": lambda n: tree(n * n),
        "grid": lambda n: joint_grid(n).joint_body[: 2 * n * (n - 1)],
        "wall": lambda n: wall(n).joint_body,
    }[pairs]
    work = [products(layout(make(n), 6 if pairs == "wall" else 3)) for n in (20, 40, 80)]
    for few, many in pairwise(work):
        assert many / few < 4.0**power


def test_a_grid_of_twenty_thousand_joints_is_set_up_in_two_seconds():
    model = model_of(joint_grid(100))
    joint_graph.joint_graph(model_of(joint_grid(8)))  # kernels are ready
    begun = time.process_time()
    graph = joint_graph.joint_graph(model)
    assert time.process_time() - begun < 2.0
    assert len(graph.fronts.front) > 1000


@pytest.mark.parametrize("scene", ["chain", "ragdoll", "wall"])
def test_fronts_find_what_blocks_find(scene, monkeypatch):
    make = {
        "chain": lambda: model_of(chain(12, both=True)),
        "ragdoll": lambda: model_of(ragdolls(1)),
        "wall": lambda: model_of(wall(3)),
    }[scene]
    monkeypatch.setattr(joint_graph, "MOST_WORK", 1000)
    by_blocks = run(make(), 8)
    monkeypatch.setattr(joint_graph, "MOST_WORK", -1)
    model = make()
    assert len(joint_graph.joint_graph(model).fronts.front) > 1
    by_fronts = run(model, 8)
    assert by_fronts.body_position == pytest.approx(by_blocks.body_position, abs=1e-6)
    assert by_fronts.body_orientation == pytest.approx(by_blocks.body_orientation, abs=1e-6)


def test_a_net_that_flies_keeps_its_momenta_and_has_the_same_bits_for_any_threads():
    scene = joint_grid(8)
    builder = ModelBuilder()
    for b, place in enumerate(scene.position):
        builder.add_body(f"{b}", "SPHERE", (0.3,), place, mass=1.0 + b % 3, layers=0)
    for pair, place in zip(scene.joint_body.tolist(), scene.joint_point):
        if min(pair) >= 0:
            builder.add_joint("knot", OnBody(pair[0]), OnBody(pair[1]), place)
    model = builder.finalize()
    assert len(joint_graph.joint_graph(model).fronts.front) > 1
    start = model.initial_state(gravity=(0.0, 0.0, 0.0))
    start.body_previous[-1] -= (0.0, 0.0, 0.01)  # 4.8 m/s at a corner
    inputs = FrameInputs(gravity=(0.0, 0.0, 0.0))
    mass = model.bodies.mass[:, None]

    def momenta(state):
        p = mass * (state.body_position - state.body_previous) / state.step
        spin = [angular_momentum(model, state, b) for b in range(len(model.bodies))]
        return p.sum(axis=0), (np.cross(state.body_previous, p) + spin).sum(axis=0)

    first = momenta(start)
    end = run(model, 24, start, inputs)
    last = momenta(end)
    assert np.abs(last[0] - first[0]).max() < 1e-10 * np.abs(first[0]).max()
    assert np.abs(last[1] - first[1]).max() < 1e-9 * np.abs(first[1]).max()
    assert joint_gaps(model, end).max() < 1e-2
    again = run(model, 24, start, inputs, threads=2)
    assert again.body_position.tobytes() == end.body_position.tobytes()


def test_two_equal_joints_on_all_pairs_of_a_wall_do_no_harm():
    scene = wall(4)
    builder = ModelBuilder()
    builder.add_collider("floor", "BOX", (10.0, 10.0, 1.0), (0.0, 0.0, -1.0))
    for b, place in enumerate(scene.position):
        builder.add_body(f"{b}", "BOX", scene.half[b], place, mass=10.0 ** (b % 3))
    for _ in range(2):
        for pair, place in zip(scene.joint_body.tolist(), scene.joint_point):
            settings = JointSettings("FIXED")
            builder.add_joint("glue", OnBody(pair[0]), OnBody(pair[1]), place, settings=settings)
    model = builder.finalize()
    state = run(model, 48)
    assert np.abs(state.body_position - scene.position).max() < 2e-3
    assert joint_gaps(model, state).max() < 1e-5


def test_a_net_falls_once_half_of_its_joints_have_let_go():
    model = hung_net(8)
    state = run(model, 2)
    halves = np.sort(model.joints.owner, axis=1)
    between = (halves[:, 0] // 8 == 3) & (halves[:, 1] // 8 == 4)
    state.joints.broken[between] = 1
    corners = np.flatnonzero(model.joints.owner[:, 0] >= len(model.bodies))
    state.joints.broken[corners[2:]] = 1
    state.joints.broken[corners[:2]] = 0
    before = state.body_position.copy()
    after = run(model, 12, state)
    fallen = before[:, 2] - after.body_position[:, 2]
    assert fallen[32:] == pytest.approx(np.full(32, fallen[32:].mean()), abs=0.1)
    assert fallen[32:].mean() == pytest.approx(0.5 * 9.81 * 0.5**2, rel=0.1)
    held = model.joints.owner[corners[:2], 1]
    assert np.abs(after.body_position[held] - before[held]).max() < 1e-3


def test_sleeping_walls_wake_when_they_are_hit():
    scene = wall(5)
    builder = ModelBuilder()
    builder.add_collider("floor", "BOX", (10.0, 10.0, 1.0), (0.0, 0.0, -1.0))
    for b, place in enumerate(scene.position):
        builder.add_body(f"{b}", "BOX", scene.half[b], place, mass=1.0)
    ball = builder.add_body("ball", "SPHERE", (0.3,), (1.2, -0.8, 12.0), mass=20.0)
    for pair, place in zip(scene.joint_body.tolist(), scene.joint_point):
        settings = JointSettings("FIXED", breaking_force=2000.0)
        builder.add_joint("glue", OnBody(pair[0]), OnBody(pair[1]), place, settings=settings)
    model = builder.finalize()
    resting = run(model, 26)
    assert (resting.body_rest[:25] > 0.4).all()
    resting.body_position[ball, 2] = resting.body_previous[ball, 2] = 0.6
    resting.body_previous[ball] = resting.body_position[ball] - np.array([0.0, 10.0 / 480, 0.0])
    after = run(model, 24, resting)
    assert np.abs(after.body_position[:25] - scene.position).max() > 0.05
    assert np.isfinite(after.body_position).all()
    assert joint_gaps(model, after)[after.joints.broken == 0].max() < 5e-3
