"""Stick figures meet cloth, ropes, soft bodies, rigid bodies and ragdolls, and come to rest."""

import numpy as np
import pytest
from test_recipe_ragdoll import plan
from test_stick_figure import X, Y, build, figure, simulate, turn_about

from verlet_physics import FrameInputs, ModelBuilder, SolverSettings, advance
from verlet_physics.bench.shapes import cube
from verlet_physics.recipes.cloth import add_cloth
from verlet_physics.recipes.geometry import Geometry
from verlet_physics.recipes.particles import add_particles
from verlet_physics.recipes.ragdoll import add_ragdoll
from verlet_physics.recipes.rope import add_rope
from verlet_physics.recipes.soft_body import add_soft_body
from verlet_physics.recipes.stick_figure import add_stick_figure
from verlet_physics.settings import ClothSettings, ParticleSettings, RopeSettings, SoftBodySettings

STILL = FrameInputs(gravity=(0.0, 0.0, 0.0))


def lay(builder, found, turn=None, move=(0.0, 0.0, 0.0), **options):
    """Add a figure turned about the origin and moved; returns its first particle."""
    count, first = len(found.plan.skeleton), builder.particle_count
    turns = np.tile(np.eye(3) if turn is None else turn, (count, 1, 1))
    add_stick_figure(builder, found, turns, np.tile(move, (count, 1)), **options)
    return first


def quads(name, points, faces, move=(0.0, 0.0, 0.0)):
    edges = {tuple(sorted((f[k], f[(k + 1) % 4]))) for f in faces for k in range(4)}
    offsets = np.arange(0, 4 * len(faces) + 1, 4)
    points = np.array(points, dtype=float) + move
    return Geometry.of(name, points, sorted(edges), offsets, np.array(faces).reshape(-1))


def sheet(n, size, move):
    """A flat square of n by n vertices."""
    line = np.linspace(-0.5 * size, 0.5 * size, n)
    faces = [
        (r * n + c, r * n + c + 1, (r + 1) * n + c + 1, (r + 1) * n + c)
        for r in range(n - 1)
        for c in range(n - 1)
    ]
    return quads("sheet", [(a, b, 0.0) for a in line for b in line], faces, move)


def depth(found, x, points, first):
    """How deep (n,) m points (n, 3) are under the skin of a figure, negative outside."""
    deepest = np.full(len(points), -np.inf)
    for (a, b), radius in zip(x[found.stick + first], found.stick_radius):
        share = np.clip((points - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
        apart = np.linalg.norm(points - a - share[:, None] * (b - a), axis=1)
        deepest = np.maximum(deepest, radius - apart)
    return deepest


def add_cloth_to(builder, n):
    add_cloth(builder, sheet(n, 1.2, (0.0, -1.1, 1.0)), ClothSettings(shear=0.5, drag=0.0))


def add_rope_to(builder):
    points = [(-1.0 + 0.2 * k, -0.3, 1.05) for k in range(11)]
    rope = Geometry.of("rope", points, [(k, k + 1) for k in range(10)])
    add_rope(builder, rope, RopeSettings(drag=0.0))


def add_jelly_to(builder):
    add_soft_body(builder, cube(0.3, (0.0, -0.6, 1.1)), SoftBodySettings(drag=0.0))


def add_balls_to(builder):
    points = [(-0.3 + 0.15 * k, -0.5, 1.1) for k in range(5)]
    add_particles(builder, Geometry.of("balls", points), ParticleSettings(drag=0.0))


@pytest.mark.parametrize(
    "add",
    [
        pytest.param(lambda b: add_cloth_to(b, 17), id="cloth"),
        pytest.param(lambda b: add_cloth_to(b, 6), id="cloth of 24 cm edges"),
        pytest.param(add_rope_to, id="rope"),
        pytest.param(add_jelly_to, id="soft body"),
        pytest.param(add_balls_to, id="particles"),
    ],
)
def test_what_is_thrown_at_a_figure_hits_its_skin_and_keeps_all_momentum(add):
    found = figure(drag=0.0, stiffness=0.0)
    builder = ModelBuilder()
    add(builder)
    first = lay(builder, found)
    model = builder.finalize()
    speed = np.zeros((len(model.particles), 3))
    speed[:first] = 0.2, 3.0, 0.0
    state = model.initial_state(gravity=STILL.gravity)
    state.previous[:] = state.position - state.step * speed
    mass = model.particles.mass[:, None]

    def momenta(state):
        v = (state.position - state.previous) / state.step
        return (mass * v).sum(axis=0), (mass * np.cross(state.previous, v)).sum(axis=0)

    start, pushed = momenta(state), 0.0
    for _ in range(14):
        state, _ = advance(model, state, STILL, SolverSettings())
        linear, angular = momenta(state)
        assert linear == pytest.approx(start[0], abs=1e-8)
        assert angular == pytest.approx(start[1], abs=2e-4 * np.abs(start[1]).max())
        assert depth(found, state.position, state.position[:first], first).max() < 1e-3
        v = (state.position - state.previous)[first:, 1] / state.step
        pushed = max(pushed, float((model.particles.mass[first:] * v).sum()))
    assert pushed > 0.3 * start[0][1]


def in_or_under_cloth(at, weight, floor, aside=0.0):
    """States of a figure that lies while a coarse sheet at the height ``at`` meets it; its rows."""
    found, lying = figure(), turn_about(X, -1.5)
    builder = ModelBuilder()
    add_cloth(builder, sheet(12, 2.2, (0.0, 0.0, at)), ClothSettings(), pin_weight=weight)
    first = lay(builder, found, lying, np.array((aside, 0.0, 0.5)) - lying @ (0.0, 0.0, 1.0))
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, floor))
    model = builder.finalize()
    states = simulate(model, 48)
    for state in states:
        x = state.position
        points = np.concatenate([x[:first], x[model.pieces.triangle].mean(axis=1)])
        assert depth(found, x, points, first).max() < 0.02
    return states[-1].position[:first], states[-1].position[first:]


def test_a_falling_sheet_lies_on_a_figure():
    """Nothing of cloth is inside limbs, coarse edges and middles of triangles included."""
    cloth, _ = in_or_under_cloth(0.75, np.zeros(144), 0.0)
    assert cloth[:, 2].max() > 0.2


def test_a_figure_lies_in_a_hammock():
    """70 kg in 1.4 kg of taut cloth are neither through it nor thrown."""
    rim = np.ones((12, 12))
    rim[1:-1, 1:-1] = 0.0
    for start in (0.0, 1e-6, 2e-6):
        figure_at = in_or_under_cloth(0.3, rim.ravel(), -5.0, start)[1]
        assert figure_at[:, 2].min() > 0.3
        assert figure_at[:, 2].mean() < 0.42
        assert np.abs(figure_at[:, :2]).max() < 1.2


def test_a_fist_does_not_go_through_the_middle_of_a_triangle():
    builder = ModelBuilder()
    points = [(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (0.0, 1.0, 0.0)]
    builder.add_particles("cloth", points, mass=0.1, radius=0.01)
    builder.add_triangles([(0, 1, 2)])
    builder.pin([0, 1, 2])
    builder.add_particles("arm", [(0.0, -0.2, 0.2), (0.0, -0.2, 0.8)], mass=1.0, radius=0.05)
    builder.add_sticks([(3, 4)])
    builder.add_limbs([(3, 4)], 0.05)
    x = simulate(builder.finalize(), 24)[-1].position
    assert x[3, 2] == pytest.approx(0.06, abs=2e-3)


def test_a_figure_falls_on_a_box_a_body_a_ragdoll_and_another_figure():
    """What lies below stays below, by the thickness of both."""
    found = figure()
    across = turn_about(X, 1.5)
    for below in ("collider", "body", "ragdoll", "figure"):
        builder = ModelBuilder()
        if below == "figure":
            lay(builder, found, across, (0.0, 1.0, 0.2))
        first = lay(builder, found, turn_about(X, 1.5) @ turn_about(Y, 1.5), (-1.05, 0.0, 0.9))
        if below == "collider":
            builder.add_collider("box", "BOX", (0.6, 0.6, 0.25), (0, 0, 0.25))
        if below == "body":
            builder.add_body("box", "BOX", (0.6, 0.6, 0.25), (0, 0, 0.25), mass=300.0)
        if below == "ragdoll":
            count = len(found.plan.skeleton)
            turn = np.tile(across, (count, 1, 1)), np.tile((0.0, 1.0, 0.2), (count, 1))
            add_ragdoll(builder, plan(), *turn)
        builder.add_collider("floor", "PLANE", (), (0, 0, 0))
        states = simulate(builder.finalize(), 72)
        x = states[-1].position[first:]
        highest = 0.5 if below in ("collider", "body") else 0.15
        assert x[:, 2].max() > highest, below
        assert (x[:, 2] - found.radius).min() > -1e-3, below


@pytest.mark.parametrize(
    ("rate", "lean"),
    [
        *((240.0, lean) for lean in (0.3, 0.05, -0.2, 0.5, 0.1)),
        *((480.0, lean) for lean in (0.05, -0.5, 1.0)),
        (960.0, 0.05),
    ],
)
def test_a_fallen_figure_lies_still(rate, lean):
    """No particle gets farther than 1 cm/s goes, 10 s after the fall."""
    settings = SolverSettings(substep_rate=rate)
    model = build(figure(), 0.6, turn_about(X, lean))
    state = model.initial_state()
    for _ in range(240):
        before = state.position
        state, _ = advance(model, state, FrameInputs(), settings)
    assert np.linalg.norm(state.position - before, axis=1).max() * 24.0 < 0.01
