"""Yarns: lines of sticks that hang on pins, solved together."""

import itertools

import numpy as np
import pytest

from verlet_physics.building.builder import ModelBuilder
from verlet_physics.errors import ModelError
from verlet_physics.model import FrameInputs
from verlet_physics.model.constraint import Moving
from verlet_physics.particles.constraints.yarn import Yarns
from verlet_physics.recipes.cloth import add_cloth
from verlet_physics.recipes.geometry import Geometry
from verlet_physics.recipes.topology import lines_from
from verlet_physics.settings import ClothSettings, SolverSettings
from verlet_physics.step import advance

H = 1.0 / 480.0


def a_yarn(rest, pins=(0,), mass=None):
    """A model with one yarn through all particles (n, 3), which rest where they are given."""
    builder = ModelBuilder()
    owner = builder.add_particles("yarn", rest, mass=0.1 if mass is None else mass)
    for pin in pins:
        builder.pin([pin])
    yarns = Yarns.of(builder, owner, np.arange(len(rest)), [0, len(rest)])
    return builder.finalize(), yarns


def project(model, yarns, x, previous=None):
    x = np.array(x, dtype=float)
    moving = Moving(
        x=x,
        previous=x.copy() if previous is None else previous,
        inverse_mass=model.particles.inverse_mass,
        h=H,
        time=0.0,
        is_first_pass=True,
        animated=(),
    )
    yarns.project(moving, np.zeros(yarns.multiplier_count))
    return x


def lengths(x):
    return np.linalg.norm(np.diff(x, axis=0), axis=1)


@pytest.mark.parametrize("masses", [None, [1.0, 0.1, 0.3, 0.02, 5.0, 0.1]])
def test_a_straight_yarn_has_its_lengths_after_one_pass_whatever_its_masses(masses):
    rest = np.zeros((6, 3))
    rest[:, 2] = -np.array([0.0, 0.1, 0.25, 0.3, 0.5, 0.6])
    model, yarns = a_yarn(rest, mass=masses)
    x = project(model, yarns, rest * 1.05, rest.copy())
    assert lengths(x) == pytest.approx(lengths(rest), rel=1e-7)
    assert (x[0] == rest[0]).all()


def test_pulls_act_inside_the_yarn_alone_so_what_it_gains_comes_from_its_pin():
    rest = np.zeros((5, 3))
    rest[:, 0] = np.arange(5)
    model, yarns = a_yarn(rest, mass=[1.0, 2.0, 1.0, 3.0, 1.0])
    bent = rest + [[0, 0, 0], [0.02, 0.3, 0], [0.05, 0, 0.2], [0.08, 0.4, 0], [0.1, 0, 0]]
    x = project(model, yarns, bent)
    pulled = ((x - bent) / model.particles.inverse_mass.clip(1e-9)[:, None])[1:].sum(axis=0)
    first = bent[1] - bent[0] + 0.6 * (x[1] - bent[1])  # the one stick that ends at the pin
    assert np.cross(pulled, first) == pytest.approx(np.zeros(3), abs=1e-9 * np.linalg.norm(pulled))
    assert pulled @ first < 0.0


def test_a_yarn_without_a_pin_is_left_alone():
    rest = np.zeros((4, 3))
    rest[:, 0] = np.arange(4)
    model, yarns = a_yarn(rest, pins=())
    assert (project(model, yarns, rest * 1.2) == rest * 1.2).all()


@pytest.mark.parametrize("stretch", [0.3, 1.0, 3.0])
def test_ends_that_are_pinned_too_near_or_too_far_and_ends_that_coincide_stay_finite(stretch):
    rest = np.zeros((6, 3))
    rest[:, 0] = np.arange(6)
    model, yarns = a_yarn(rest, pins=(0, 5))
    x = project(model, yarns, rest * stretch)
    assert np.isfinite(x).all()
    assert np.abs(x).max() <= 20.0
    crooked = rest * stretch + 1e-6 * np.random.default_rng(5).normal(size=(6, 3))
    assert np.abs(project(model, yarns, crooked)).max() <= 20.0
    assert np.isfinite(project(model, yarns, rest * 0.0)).all()


@pytest.mark.parametrize("noise", [1e-7, 1e-5])
def test_a_fine_yarn_under_a_heavy_weight_stays_calm_where_its_waves_outrun_the_step(noise):
    n = 200
    rest = np.zeros((n + 1, 3))
    rest[:, 2] = -np.linspace(0.0, 0.5, n + 1)
    masses = np.full(n + 1, 1e-4)
    masses[-1] = 0.02
    builder = ModelBuilder()
    owner = builder.add_particles("yarn", rest, mass=masses)
    builder.pin([0])
    builder.add_constraint(Yarns.of(builder, owner, np.arange(n + 1), [0, n + 1]))
    model = builder.finalize()
    state = model.initial_state()
    state.position[1:, 0] += noise * np.random.default_rng(3).normal(size=n)
    for _ in range(24):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
    assert lengths(state.position) == pytest.approx(np.full(n, 0.5 / n), rel=1e-3)
    bend = np.abs(np.diff(state.position[:, 0], 2)).max()  # a swing to and fro has none
    assert bend < noise / 20


def grid(columns, rows):
    x, y = np.meshgrid(np.arange(columns), np.arange(rows))
    positions = np.stack([x.ravel(), y.ravel(), 0.0 * x.ravel()], axis=1)
    corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).reshape(-1)
    quads = np.stack([corner, corner + 1, corner + columns + 1, corner + columns], axis=1)
    return Geometry.of("grid", positions, (), np.arange(len(quads) + 1) * 4, quads.reshape(-1))


def test_lines_run_straight_from_their_starts_to_the_next_end_or_the_border():
    sheet = grid(4, 5)
    ends = np.zeros(20, dtype=bool)
    ends[[0, 1, 2, 3, 18]] = True
    starts = ends.copy()
    starts[18] = False
    vertex, first = lines_from(sheet.positions, sheet.edges, starts, ends)
    lines = [vertex[a:b].tolist() for a, b in itertools.pairwise(first)]
    assert lines == [[c, c + 4, c + 8, c + 12, c + 16] for c in range(4)]


def test_cloth_has_yarns_on_a_held_border_and_none_on_a_single_corner():
    def yarns(pins, **settings):
        builder = ModelBuilder()
        weight = np.zeros(20)
        weight[pins] = 1.0
        add_cloth(builder, grid(4, 5), ClothSettings(**settings), pin_weight=weight)
        return [c for c in builder.finalize().constraints if isinstance(c, Yarns)]

    assert len(yarns([0, 1, 2, 3])[0].start) == 5
    assert not yarns([0])
    assert not yarns([0, 3])
    for loose in ({"tethers": False}, {"stretch": 0.5}, {"slack": 0.5}):
        assert not yarns([0, 1, 2, 3], **loose)


def test_bounds_that_do_not_fit_are_refused():
    builder = ModelBuilder()
    owner = builder.add_particles("cloth", np.eye(3), mass=1.0)
    for start in ([0, 2], [1, 3], [0, 1, 3]):
        with pytest.raises(ModelError, match="cloth"):
            Yarns.of(builder, owner, [0, 1, 2], start)
