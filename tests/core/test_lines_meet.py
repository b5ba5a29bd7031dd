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
from verlet_physics.bench.shapes import line
from verlet_physics.truth.lines_on_surfaces import level_sheet, rim_of
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
            add_rope(builder, line("rope", (0, 0, 1), (1, 0, 1), 4), RopeSettings())
        return workspace_of(builder.finalize()).surfaces

    assert room_of(meets_itself=False, rope=False, others=True) is None
    assert room_of(meets_itself=False, rope=True, others=False) is None
    assert room_of(meets_itself=False, rope=True, others=True) is not None
    assert room_of(meets_itself=True, rope=False, others=True) is not None
