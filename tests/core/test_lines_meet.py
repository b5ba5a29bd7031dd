"""Ropes, nets and loose particles meet faces and each other: what a truth case does not ask."""

import numpy as np
import pytest

from verlet_physics import (
    ClothSettings,
    FrameInputs,
    Geometry,
    ModelBuilder,
    ParticleSettings,
    RopeSettings,
    SolverSettings,
    add_cloth,
    add_particles,
    add_rope,
    advance,
)
from verlet_physics.bench.scenes import SCENES
from verlet_physics.bench.shapes import line
from verlet_physics.collision.straight_paths import straight_places
from verlet_physics.truth.lines_on_surfaces import level_sheet, rim_of
from verlet_physics.truth.rope_on_itself import least_distance
from verlet_physics.workspace import workspace_of

ENDS = np.array([1.0, 0.0, 0.0, 0.0, 1.0])


def after(builder, frames):
    """The model and its state after so many frames."""
    model = builder.finalize()
    state = model.initial_state()
    for _ in range(frames):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
    return model, state


def nearest(x, one, other):
    """Least distance, m, of two chains of particles, by points along their stretches."""
    share = np.linspace(0.0, 1.0, 200)[:, None]
    places = [
        np.concatenate([(1.0 - share) * x[i] + share * x[i + 1] for i in range(rows[0], rows[-1])])
        for rows in (one, other)
    ]
    return min(np.linalg.norm(places[0] - p, axis=1).min() for p in places[1])


@pytest.mark.parametrize("lean", [0.0, 0.2])
def test_a_rope_lies_on_a_taut_rope_of_long_stretches_as_near_as_both_are_thick(lean):
    builder = ModelBuilder()
    taut = line("rope", (-1.0, 0.0, -lean), (1.0, 0.0, lean), 4)
    add_rope(builder, taut, RopeSettings(diameter=0.02, friction=1.0), pin_weight=ENDS)
    hung = line("rope", (0.13, -0.5, 0.1), (0.11, 0.5, 0.1), 8)
    add_rope(builder, hung, RopeSettings(diameter=0.02, friction=1.0))
    _, state = after(builder, 12)
    x = state.position
    assert nearest(x, range(5), range(5, 14)) == pytest.approx(0.02, abs=2e-3)
    assert x[9, 2] > x[5, 2]  # hangs over it


def test_a_bead_lies_between_two_ropes_and_one_falls_through_the_meshes_of_a_net():
    builder = ModelBuilder()
    for y in (-0.02, 0.02):
        taut = line("rope", (-1.0, y, 0.0), (1.0, y, 0.0), 4)
        add_rope(builder, taut, RopeSettings(diameter=0.01), pin_weight=ENDS)
    bead = Geometry.of("bead", [(0.13, 0.001, 0.1)])
    add_particles(builder, bead, ParticleSettings(radius=0.03))
    _, state = after(builder, 48)
    # both ropes give way a little under 10 g
    assert -0.01 < state.position[-1, 2] < np.sqrt(0.035**2 - 0.02**2) + 1e-3

    net = level_sheet(6)
    builder = ModelBuilder()
    wires = Geometry.of("net", net.positions, net.edges)
    add_cloth(builder, wires, ClothSettings(), pin_weight=rim_of(6))
    add_particles(builder, Geometry.of("grain", [(0.01, 0.02, 0.2)]), ParticleSettings())
    _, state = after(builder, 24)
    assert state.position[-1, 2] < -1.0


def test_a_rope_that_begins_through_a_sheet_is_a_thread_and_stays_so():
    builder = ModelBuilder()
    add_cloth(builder, level_sheet(8), ClothSettings(), pin_weight=rim_of(8))
    pins = np.zeros(13)
    pins[0] = 1.0
    add_rope(
        builder,
        line("rope", (0.07, 0.03, 0.5), (0.13, 0.05, -0.5), 12),
        RopeSettings(),
        pin_weight=pins,
    )
    model, state = after(builder, 24)
    assert (state.position[64:71, 2] > 0.0).any()
    assert (state.position[-4:, 2] < 0.0).all()
    speed = np.linalg.norm(state.position - state.previous, axis=1) / state.step
    assert speed.max() < 1.0
    assert workspace_of(model).surfaces.pierced == ()


def test_a_rope_that_falls_on_a_ball_wakes_it():
    builder = ModelBuilder()
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    add_particles(builder, Geometry.of("bead", [(0.0, 0.0, 0.03)]), ParticleSettings())
    falling = line("rope", (-0.02, -0.5, 4.0), (-0.02, 0.5, 4.0), 4)
    add_rope(builder, falling, RopeSettings(line_density=1.0, drag=0.0))
    model, state = after(builder, 20)
    assert (state.balls.rest >= 0.5).all()
    for _ in range(10):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
    assert state.position[0, 0] > 0.001


def test_what_meets_nothing_keeps_no_room():
    def room_of(*, meets_itself, rope, others):
        builder = ModelBuilder()
        add_cloth(
            builder, level_sheet(4), ClothSettings(meets_itself=meets_itself, meets_others=others)
        )
        if rope:
            rope_settings = RopeSettings(meets_itself=False)
            add_rope(builder, line("rope", (0, 0, 1), (1, 0, 1), 4), rope_settings)
        return workspace_of(builder.finalize()).surfaces

    assert room_of(meets_itself=False, rope=False, others=True) is None
    assert room_of(meets_itself=False, rope=True, others=False) is None
    assert room_of(meets_itself=False, rope=True, others=True) is not None
    assert room_of(meets_itself=True, rope=False, others=True) is not None


# ---------------------------------------------------------------------- ropes and themselves


def path(points, is_closed=False):
    """A rope through some points."""
    ends = [(k, k + 1) for k in range(len(points) - 1)]
    return Geometry.of("rope", points, ends + [(len(points) - 1, 0)] * is_closed)


def floor_under(geometry, settings):
    """Such a rope above a floor, or on it."""
    builder = ModelBuilder()
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    add_rope(builder, geometry, settings)
    return builder


@pytest.mark.parametrize("gap", [1.0, 1.3])
def test_a_coil_that_is_drawn_turn_upon_turn_stays_as_high(gap):
    t = np.linspace(0.0, 8.0 * np.pi, 161)
    height = 0.015 + 0.03 * gap * t / (2.0 * np.pi)
    drawn = path(np.stack([0.3 * np.cos(t), 0.3 * np.sin(t), height], axis=1))
    _, state = after(floor_under(drawn, RopeSettings(diameter=0.03)), 48)
    assert state.position[:, 2].max() > 0.09
    assert least_distance(state.position, 0.03) > 0.93 * 0.03
    _, sunk = after(floor_under(drawn, RopeSettings(diameter=0.03, meets_itself=False)), 48)
    assert sunk.position[:, 2].max() < 0.05


def test_a_rope_that_is_drawn_through_itself_comes_to_lie_still():
    t = np.linspace(0.0, 2.0 * np.pi, 80, endpoint=False)
    eight = np.stack([np.sin(t), 0.5 * np.sin(2.0 * t), np.full(80, 0.011)], axis=1)
    _, state = after(floor_under(path(eight), RopeSettings(diameter=0.02)), 72)
    assert (state.rest.time >= 0.5).all()
    assert 0.025 < state.position[:, 2].max() < 0.01 + 0.022  # one on the other
    assert np.abs(state.position - eight)[:, :2].max() < 0.02


def test_a_ring_that_falls_flat_keeps_its_sides_apart():
    t = np.linspace(0.0, 2.0 * np.pi, 60, endpoint=False)
    ring = np.stack([0.3 * np.cos(t), 0.01 * np.sin(3.0 * t), 0.5 + 0.3 * np.sin(t)], axis=1)
    model, state = after(floor_under(path(ring, True), RopeSettings(diameter=0.04)), 48)
    x = state.position
    sides = [least_distance(np.roll(x, k, axis=0)[:45], 0.04) for k in range(0, 60, 15)]
    assert min(sides) > 0.9 * 0.04
    assert len(model.surfaces.line) == 60


def test_a_net_folded_in_two_does_not_pass_through_itself():
    net = level_sheet(8)
    x = net.positions.copy()
    x[:, 2] = 0.05 + 0.4 * np.abs(x[:, 0])
    builder = floor_under(Geometry.of("net", x, net.edges), RopeSettings(diameter=0.04))
    model, state = after(builder, 48)
    assert (state.position[:, 2] > 0.015).all()
    assert workspace_of(model).surfaces.pierced == ()


def test_what_swings_straight_looks_for_nothing_on_itself():
    scene = SCENES["rope"][0](40)
    state = scene.model.initial_state()
    for _ in range(4):
        state, _ = advance(scene.model, state, scene.inputs, SolverSettings())
    near = workspace_of(scene.model).surfaces.partners[0].near
    assert near.is_self
    assert near.found.sum() == 0


def test_ropes_lie_straight_at_rest_and_nets_as_they_are_drawn():
    t = np.linspace(0.0, 2.0 * np.pi, 13)
    open_turn = np.stack([np.cos(t), np.sin(t), 0.1 * t], axis=1)[::-1]
    ring = np.stack([np.cos(t), np.sin(t), 0.0 * t], axis=1)[:-1]
    star = np.array([(0.0, 0, 9), (1, 0, 9), (0, 1, 9), (0, 0, 10)])
    x = np.concatenate([open_turn, ring, star])
    lines = [(k + 1, k) for k in range(0, 12, 2)] + [(k, k + 1) for k in range(1, 12, 2)]
    lines += [(13 + k, 13 + (k + 1) % 12) for k in range(12)] + [(25, k) for k in (26, 27, 28)]
    line_rows = np.array(lines, dtype=np.int32)
    rows, place = straight_places(line_rows, np.zeros(0, np.int32), x, np.full(29, 0.1))
    assert sorted(rows.tolist()) == list(range(25))
    at = np.full((29, 3), np.nan)
    at[rows] = place
    length = np.linalg.norm(np.diff(open_turn, axis=0), axis=1).sum()
    assert np.linalg.norm(at[0] - at[12]) == pytest.approx(length)
    around = np.linalg.norm(ring - np.roll(ring, 1, axis=0), axis=1).sum()
    assert np.linalg.norm(at[13] - at[19]) == pytest.approx(around / np.pi)
    assert np.linalg.norm(at[:13, None] - at[None, 13:25], axis=2).min() > 10.0 * length
    worn, _ = straight_places(line_rows, np.array([3], np.int32), x, np.full(29, 0.1))
    assert sorted(worn.tolist()) == list(range(13, 25))
