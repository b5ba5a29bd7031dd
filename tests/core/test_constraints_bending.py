"""Rods and hinges: formulas, gradients, resolution, clamps, degenerate shapes."""

import numpy as np
import pytest

from verlet_physics import FrameInputs, ModelBuilder, SolverSettings, advance
from verlet_physics.errors import ModelError
from verlet_physics.model.constraint import Moving
from verlet_physics.particles.constraints import hinge_solve
from verlet_physics.particles.constraints.hinge_bend import HingeBends, rest_angles
from verlet_physics.particles.constraints.hinge_solve import SOLUTION
from verlet_physics.particles.constraints.rod import Rods
from verlet_physics.recipes.topology import hinges_of
from verlet_physics.records import scratch_size
from verlet_physics.settings import AnimatedSettings
from verlet_physics.stages.relaxation import RelaxationScratch
from verlet_physics.truth.constraints import edges_of, icosahedron, sheet

STILL = (0.0, 0.0, 0.0)


def run(model, frames, *, rate=480.0, gravity=(0.0, 0.0, -9.81), stiffness=1.0):
    state = model.initial_state(step=1 / rate, gravity=gravity)
    animated = (AnimatedSettings(stiffness=stiffness),) * len(model.objects)
    for _ in range(frames):
        inputs = FrameInputs(gravity=gravity, animated=animated)
        state, _ = advance(model, state, inputs, SolverSettings(substep_rate=rate))
    return state.position


def cantilever(
    spacing, *, rigidity=1.0, load=0.01, rate=480.0, stiffness=1.0, heavy=1e-5, triples=None
):
    """Sag of the tip of a rod along x, clamped before x = 0, over that of a thin beam."""
    x = np.zeros((len(spacing) + 2, 3))
    x[0, 0] = -spacing[0]
    x[2:, 0] = np.cumsum(spacing)
    mass = np.full(len(x), heavy)
    mass[-1] = load
    builder = ModelBuilder()
    rod = builder.add_particles("rod", x, mass=mass, drag=8.0)
    builder.pin([0, 1])
    i = np.arange(len(x))
    builder.add_sticks(np.stack([i[:-1], i[1:]], axis=1))
    if triples is None:
        triples = np.stack([i[:-2], i[1:-1], i[2:]], axis=1)
    builder.add_constraint(Rods.of(builder, rod, triples, rigidity))
    sag = -run(builder.finalize(), 60, rate=rate, stiffness=stiffness)[-1, 2]
    return sag / (load * 9.81 * sum(spacing) ** 3 / (3.0 * rigidity))


@pytest.mark.parametrize("rate", [480.0, 960.0])
def test_unequal_segments_bend_like_equal_ones(rate):
    uneven = np.tile([0.5, 1.0, 1.5], 7)
    assert cantilever(uneven / uneven.sum(), rate=rate) == pytest.approx(1.0, abs=0.02)


def test_the_keyed_stiffness_is_a_factor_on_the_rigidity():
    assert cantilever(np.full(10, 0.1), stiffness=0.5) == pytest.approx(2.0, abs=0.04)


def test_the_order_of_triples_does_not_matter():
    i = np.arange(20)
    triples = np.stack([i, i + 1, i + 2], axis=1)
    triples[::3] = triples[::3, ::-1]
    np.random.default_rng(1).shuffle(triples)
    shuffled = cantilever(np.full(20, 0.05), triples=triples)
    assert shuffled == pytest.approx(cantilever(np.full(20, 0.05)), rel=1e-6)


def test_a_heavy_end_on_a_light_rod_stands_still():
    sag = cantilever(np.full(20, 0.05), rigidity=100.0, load=1.0, heavy=1e-6)
    assert sag == pytest.approx(1.0, abs=0.02)


def test_chains_of_rods_never_visit_a_particle_twice():
    """A ring, and a branch on it: every triple is in one chain, next to what it overlaps."""
    ring = np.array([(k, (k + 1) % 8, (k + 2) % 8) for k in range(8)] + [(0, 1, 8), (1, 8, 9)])
    builder = ModelBuilder()
    owner = builder.add_particles("ring", np.random.default_rng(0).normal(size=(10, 3)), mass=1.0)
    rods = Rods.of(builder, owner, ring, 1.0)
    assert sorted(map(tuple, np.sort(rods.particles, axis=1))) == sorted(
        map(tuple, np.sort(ring, axis=1))
    )
    for first, last in zip(rods.chain_start[:-1], rods.chain_start[1:]):
        chain = rods.particles[first:last]
        assert (chain[1:, :2] == chain[:-1, 1:]).all()
        assert len(np.unique(chain)) == len(chain) + 2
    builder.add_constraint(rods)
    assert np.isfinite(run(builder.finalize(), 10)).all()


def test_a_bent_rod_keeps_its_bend_and_may_turn_it():
    """A quarter circle at rest stays; straightened, it returns to the same curvature."""
    turn = np.linspace(0.0, 0.5 * np.pi, 9)
    bent = np.stack([np.cos(turn), np.sin(turn), 0.0 * turn], axis=1)
    i = np.arange(9)
    builder = ModelBuilder()
    rod = builder.add_particles("rod", bent, mass=0.1, drag=5.0)
    builder.add_sticks(np.stack([i[:-1], i[1:]], axis=1))
    triples = np.stack([i[:-2], i[1:-1], i[2:]], axis=1)
    builder.add_constraint(Rods.of(builder, rod, triples, 1.0))
    model = builder.finalize()
    assert run(model, 24, gravity=STILL) == pytest.approx(bent, abs=1e-9)
    state = model.initial_state(gravity=STILL)
    state.position[4] *= 1.02
    state.previous[:] = state.position
    for _ in range(72):
        state, _ = advance(model, state, FrameInputs(gravity=STILL), SolverSettings())
    now = np.linalg.norm(np.diff(state.position, 2, axis=0), axis=1)
    assert now == pytest.approx(np.linalg.norm(np.diff(bent, 2, axis=0), axis=1), rel=1e-3)


def test_rods_without_length_or_rigidity_are_refused():
    builder = ModelBuilder()
    owner = builder.add_particles("reed", [(0, 0, 0), (0, 0, 0), (1, 0, 0)], mass=1.0)
    with pytest.raises(ModelError, match=r"reed: .*vertices 0 and 1 has no length"):
        Rods.of(builder, owner, [(0, 1, 2)], 1.0)
    with pytest.raises(ModelError, match=r"reed: .*above 0"):
        Rods.of(builder, owner, [(0, 1, 2)], 0.0)


@pytest.mark.parametrize("straight", [True, False])
def test_rods_that_collapse_stay_finite(straight):
    builder = ModelBuilder()
    x = [(0, 0, 0), (1, 0.2, 0), (2, 0, 0), (3, 0.3, 0)]
    owner = builder.add_particles("reed", x, mass=1.0)
    triples = [(0, 1, 2), (1, 2, 3)]
    builder.add_constraint(Rods.of(builder, owner, triples, 5.0, straight=straight))
    model = builder.finalize()
    state = model.initial_state()
    state.position[:] = 0.5
    state.previous[:] = 0.5
    for _ in range(24):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
    assert np.isfinite(state.position).all()


# ---------------------------------------------------------------------------- hinges

ONE_HINGE = np.array([[0, 1, 2, 3, 2, 3]]), np.zeros((1, 2))
"""Row and shares of a hinge of two triangles."""


def angle_of(x):
    """The angle in rad of a hinge whose ends and corners are at x (4, 3)."""
    return np.arctan2(*hinge_solve._direction(x))


@pytest.mark.parametrize("seed", range(5))
def test_gradients_of_the_angle_are_its_differences(seed):
    x = np.random.default_rng(seed).normal(size=(4, 3))
    (u, v, feet), is_flat = hinge_solve._gradients(x)
    assert not is_flat
    u, v = np.array([u, v])
    at_q = feet[0] * u + feet[1] * v
    gradient = np.array([u + v - at_q, at_q, -u, -v])
    for k in range(12):
        step = np.zeros(12)
        step[k] = 1e-6
        there = angle_of(x + step.reshape(4, 3))
        back = angle_of(x - step.reshape(4, 3))
        assert gradient.flat[k] == pytest.approx((there - back) / 2e-6, rel=1e-6, abs=1e-8)
    now = angle_of(x)
    assert rest_angles(x, *ONE_HINGE)[0] == pytest.approx(now, abs=1e-12)


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("turn", [1e-9, -0.3, 0.5, 2.0])
@pytest.mark.parametrize("first", [-3.1, -1.0, 0.0, 0.4, 3.0])
def test_the_change_of_an_angle_is_as_exact_for_small_turns_and_over_half_a_turn(first, turn, size):
    def folded(angle):
        x = [(0, 0, 0), (0, 1, 0), (-1, 0.3, 0), (np.cos(angle), 0.6, np.sin(angle))]
        return size * np.array(x)

    before, now = (hinge_solve._direction(folded(angle)) for angle in (first, first + turn))
    change = hinge_solve._angle_between(before, now)
    sense = np.sign(angle_of(folded(1.0)))
    assert sense * change == pytest.approx(turn, rel=1e-12, abs=1e-15)


def test_the_change_from_no_angle_is_the_angle():
    flat = np.array([(0, 0, 0), (0, 1, 0), (0, 0.5, 0), (1, 0.5, 0)], dtype=float)
    bent = flat + [(0, 0, 0), (0, 0, 0), (-1, 0, 0.7), (0, 0, 0)]
    nothing, direction = hinge_solve._direction(flat), hinge_solve._direction(bent)
    assert hinge_solve._angle_between(nothing, direction) == pytest.approx(angle_of(bent))
    assert abs(angle_of(bent)) > 0.5
    assert hinge_solve._angle_between(nothing, nothing) == 0.0


@pytest.mark.parametrize("share", [(0.5, 0.5), (0.2, 0.0), (0.0, 1.0)])
def test_hinges_with_corners_between_two_vertices_keep_both_momenta(share):
    x = np.random.default_rng(6).normal(0.0, 0.1, (6, 3))
    x[:, :2] += [(0, 0), (0, 1), (-1, 0.2), (1, 0.3), (-1, 0.8), (1, 0.9)]
    builder = ModelBuilder()
    owner = builder.add_particles("leaf", x, mass=np.linspace(0.1, 0.3, 6))
    second = [(4, 5)]
    bends = HingeBends.of(
        builder, owner, [(0, 1, 2, 3)], 50.0, rest_angle=0.4, second=second, share=[share]
    )
    builder.add_constraint(bends)
    model = builder.finalize()
    state = model.initial_state(gravity=STILL)
    mass = model.particles.mass[:, None]
    for _ in range(5):
        state, _ = advance(model, state, FrameInputs(gravity=STILL), SolverSettings())
        moved = (state.position - state.previous) / state.step
        assert np.abs((mass * moved).sum(axis=0)).max() < 1e-12
        assert np.abs(np.cross(state.previous, mass * moved).sum(axis=0)).max() < 1e-12


@pytest.mark.parametrize("degrees", [-170.0, -90.0, 0.0, 45.0, 179.0])
def test_the_angle_is_that_of_the_fold(degrees):
    turn = np.radians(degrees)
    x = np.array([(0, 0, 0), (0, 1, 0), (-1, 0.3, 0), (np.cos(turn), 0.6, np.sin(turn))])
    found = np.degrees(rest_angles(x, *ONE_HINGE)[0])
    assert abs(found) == pytest.approx(abs(degrees), abs=1e-9)


def test_hinges_are_the_inner_edges():
    _, triangles = sheet(3, 2, 1.0, 1.0)
    quads = hinges_of(triangles)
    border = 2 * (3 + 2)
    assert len(quads) == len(edges_of(triangles)) - border
    known = {frozenset(t) for t in triangles.tolist()}
    for p, q, a, b in quads.tolist():
        assert {frozenset((p, q, a)), frozenset((p, q, b))} <= known
        assert a != b
    assert len(hinges_of(icosahedron(1.0)[1])) == 30
    assert hinges_of(np.array([[0, 1, 2]])).shape == (0, 4)


def test_three_leaves_at_one_edge_are_hinged_to_each_other():
    quads = hinges_of(np.array([(0, 1, 2), (0, 1, 3), (0, 1, 4)]))
    assert sorted(map(tuple, quads.tolist())) == [(0, 1, 2, 3), (0, 1, 3, 4)]


def one_hinge(x, rest=None, rigidity=0.5, pins=(), drag=0.0):
    builder = ModelBuilder()
    owner = builder.add_particles("leaf", x, mass=0.1, drag=drag)
    builder.pin(list(pins))
    builder.add_sticks([(0, 1), (0, 2), (1, 2), (0, 3), (1, 3)])
    quads = [(0, 1, 2, 3)]
    builder.add_constraint(HingeBends.of(builder, owner, quads, rigidity, rest_angle=rest))
    return builder.finalize()


@pytest.mark.parametrize("rate", [480.0, 960.0])
def test_a_leaf_hangs_where_its_moment_balances_the_weight(rate):
    """K θ = m g l cos θ with K = D |e|²/A: the pinned triangle does not bend."""
    x = np.array([(0, 0, 0), (0, 1, 0), (-1, 0.5, 0), (1, 0.5, 0)], dtype=float)
    position = run(one_hinge(x, pins=(0, 1, 2), drag=8.0), 72, rate=rate)
    turn = np.arctan2(-position[3, 2], position[3, 0])
    assert 0.5 / 0.5 * turn == pytest.approx(0.1 * 9.81 * np.cos(turn), rel=1e-3)


@pytest.mark.parametrize("rest", [np.pi, -np.pi, 3.0, -3.0])
def test_folds_of_half_a_turn_are_reached_and_do_not_snap(rest):
    x = np.array([(0, 0, 0), (0, 1, 0), (-1, 0.5, 0), (0.0, 0.5, np.sign(rest))], dtype=float)
    if angle_of(x) * rest < 0.0:
        x[3, 2] *= -1.0
    model = one_hinge(x, rest=rest, rigidity=2.0, drag=5.0)
    state = model.initial_state(gravity=STILL)
    for _ in range(120):
        state, _ = advance(model, state, FrameInputs(gravity=STILL), SolverSettings())
        assert np.isfinite(state.position).all()
    found = angle_of(state.position)
    assert np.cos(found - rest) == pytest.approx(1.0, abs=1e-4)


def test_hinges_that_are_solved_four_at_once_end_as_each_alone():
    """Leaves of seven kinds: gently bent, flat, with a side without size, turned far in a step."""
    leaf = np.array([(0, 0, 0), (0, 1, 0), (-1, 0.4, 0), (1, 0.6, 0)], dtype=float)
    turns = np.radians([0.0, 10.0, -30.0, 0.0, 170.0, 5.0, -100.0])
    flat = np.stack([leaf + (3.0 * k, 0, 0) for k in range(7)])
    before = flat.copy()
    before[:, 3] += np.stack([np.cos(turns) - 1.0, 0.0 * turns, np.sin(turns)], axis=1)
    before[3, 2] = before[3, 0]
    now = before.copy()
    now[:, 2] += np.stack([0 * turns, 0 * turns, [0.01, 0.02, 0.3, 0.0, 0.05, 0.9, 0.1]], axis=1)

    def solved(groups):
        builder = ModelBuilder()
        owner = builder.add_particles("leaves", flat.reshape(-1, 3), mass=0.1)
        builder.pin([20])
        for group in groups:
            rows = 4 * np.array(group)[:, None] + np.arange(4)
            made = HingeBends.of(builder, owner, rows, 500.0, rest_angle=0.2)
            builder.add_constraint(made)
        model = builder.finalize()
        state = model.initial_state(gravity=STILL)
        state.position[:] = now.reshape(-1, 3)
        state.previous[:] = before.reshape(-1, 3)
        inputs = FrameInputs(gravity=STILL, duration=1 / 480)
        state, _ = advance(model, state, inputs, SolverSettings(substep_rate=480.0))
        return state.position

    alone, together = solved([[k] for k in range(7)]), solved([[0, 1, 2, 3, 4, 5, 6]])
    assert np.isfinite(alone).all()
    still = 2.0 * now.reshape(-1, 3) - before.reshape(-1, 3)
    moved = np.linalg.norm(alone - still, axis=1).reshape(7, 4).max(axis=1)
    assert (moved[[0, 1, 2, 4, 5, 6]] > 1e-4).all()
    assert moved[3] < 1e-12
    assert together == pytest.approx(alone, abs=1e-4 * moved.max())


def test_what_constraints_are_solved_in_begins_at_a_line_of_the_cache():
    """Rows of four numbers that lie across two lines cost hinges a ninth."""
    builder = ModelBuilder()
    for count in (1, 5, 2000):  # large ones are given out from 16 bytes behind a page on
        x = np.random.default_rng(2).normal(0.0, 1.0, (4 * count, 3))
        owner = builder.add_particles("leaves", x, mass=1.0)
        first = builder.objects[owner].first_particle
        rows = first + np.arange(4 * count).reshape(-1, 4)
        builder.add_constraint(HingeBends.of(builder, owner, rows, 1.0))
    multipliers = RelaxationScratch(builder.finalize()).multipliers
    assert len(multipliers) == 3
    assert all(m.ctypes.data % 64 == 0 and len(m) for m in multipliers)
    assert not any(m.any() for m in multipliers)


@pytest.mark.parametrize("guess", ["none", "one step ago", "a straight line", "a wild one"])
def test_all_hinges_of_a_stiff_sheet_are_solved_together(guess):
    """As a dense solution of (G W Gᵀ + α̃) Δλ = −C has it, which single steps downhill never find.

    G from differences of the angles; 40 edges in a row, whose bends hang on each other. What the
    solution begins at makes no difference to it.
    """
    x, triangles = sheet(40, 1, 0.01, 0.01)
    quads = hinges_of(triangles)
    builder = ModelBuilder()
    owner = builder.add_particles("strip", x, mass=1e-4)
    builder.pin([0, 1])
    bends = HingeBends.of(builder, owner, quads, 0.05)
    previous = x + [(0.0, 0.0, 0.02 * np.sin(9.0 * a[0])) for a in x]
    now = previous + [(0.0, 0.0, 1e-6 * (-1) ** k) for k in range(len(x))]
    rows, share = np.column_stack([quads, quads[:, 2:]]), np.zeros((len(quads), 2))
    mass = np.full(len(x), 1e4)
    mass[:2] = 0.0
    moved = now.copy()
    moving = Moving(moved, previous, mass, 1 / 480, 0.0, True, (AnimatedSettings(),))
    multiplier = np.zeros(bends.multiplier_count)
    steps = {"none": 1, "one step ago": 2, "a straight line": 3, "a wild one": 2}[guess]
    for known in range(steps):
        moved[:] = now
        moving.steps_known = known
        if guess == "a wild one" and known == 1:
            rows_of = multiplier[: scratch_size(SOLUTION, len(bends.hinges))].view(SOLUTION)
            rows_of["multiplier"] = np.random.default_rng(4).normal(
                0.0, 1e3, rows_of["multiplier"].shape
            )
        bends.project(moving, multiplier)

    gradient = np.zeros((len(quads), x.size))
    for k in range(x.size):
        step = np.zeros(x.size)
        step[k] = 1e-7
        there, back = (
            rest_angles(previous + s * step.reshape(-1, 3), rows, share) for s in (1, -1)
        )
        gradient[:, k] = (there - back) / 2e-7
    weighed = gradient * np.repeat(mass, 3)
    soft = bends.hinges["compliance"].sum(axis=1).reshape(-1)[: len(quads)] * 480.0**2
    matrix = weighed @ gradient.T + np.diag(soft)
    wanted = weighed.T @ np.linalg.solve(matrix, -rest_angles(now, rows, share))
    off = (moved - now).reshape(-1) - wanted
    assert np.abs(wanted).max() > 1e-4
    assert np.abs(off).max() < 1e-3 * np.abs(wanted).max()


def test_flattened_triangles_stay_finite():
    x = np.array([(0, 0, 0), (0, 1, 0), (-1, 0.5, 0), (1, 0.5, 0)], dtype=float)
    model = one_hinge(x)
    for places in (np.zeros((4, 3)), x * (0, 1, 0), x * (1e-9, 1, 1)):
        state = model.initial_state()
        state.position[:] = places
        state.previous[:] = places
        for _ in range(12):
            state, _ = advance(model, state, FrameInputs(), SolverSettings())
        assert np.isfinite(state.position).all()
    builder = ModelBuilder()
    owner = builder.add_particles("needle", x * (0, 1, 0), mass=1.0)
    assert len(HingeBends.of(builder, owner, [(0, 1, 2, 3)], 1.0).hinges) == 0


def test_impossible_rest_angles_and_rigidities_are_refused():
    builder = ModelBuilder()
    owner = builder.add_particles("leaf", np.random.default_rng(0).normal(size=(4, 3)), mass=1.0)
    with pytest.raises(ModelError, match="leaf: rest angles"):
        HingeBends.of(builder, owner, [(0, 1, 2, 3)], 1.0, rest_angle=4.0)
    with pytest.raises(ModelError, match="leaf: bending rigidity"):
        HingeBends.of(builder, owner, [(0, 1, 2, 3)], -1.0)
