"""Moving air against triangles and wires."""

import math

import numpy as np
import pytest

from verlet_physics import (
    FrameInputs,
    ModelBuilder,
    ModelError,
    SolverSettings,
    WindSettings,
    advance,
)
from verlet_physics.stages.forces import ForceScratch
from verlet_physics.workspace import workspace_of

DENSITY = 1.2
HEAVY = 1e9  # kg: the air's push does not move it, so that it is not taken implicitly


def force_of(model, wind):
    """The whole force on the model at rest in this wind, N."""
    h = 1 / 480
    state = model.initial_state(gravity=(0, 0, 0), step=h)
    inputs = FrameInputs(duration=h, gravity=(0, 0, 0), wind=wind)
    advance(model, state, inputs, SolverSettings())
    return workspace_of(model).scratch(ForceScratch, model).force.sum(axis=0)


def plate(angle, mass=HEAVY):
    """A triangle of ½ m² whose plane rises by ``angle`` against a wind along X."""
    along = np.array([math.cos(angle), 0.0, math.sin(angle)])
    builder = ModelBuilder()
    builder.add_particles("plate", [(0, 0, 0), along, (0, 1, 0)], mass=mass)
    builder.add_triangles(np.array([(0, 1, 2)]))
    return builder.finalize()


def steady(speed=10.0, **about):
    return WindSettings(velocity=(speed, 0, 0), gust=0.0, air_density=DENSITY, **about)


@pytest.mark.parametrize("degrees", [10, 30, 45, 60, 80])
def test_lift_over_drag_of_a_plate_is_the_cotangent_of_its_angle(degrees):
    angle = math.radians(degrees)
    f = force_of(plate(angle), steady(skin_friction=0.0))
    assert abs(f[2]) / f[0] == pytest.approx(1 / math.tan(angle), rel=1e-9)
    assert f[1] == pytest.approx(0.0, abs=1e-12)
    normal_speed = 10.0 * math.sin(angle)
    pressure = 0.5 * DENSITY * 0.5 * 2.0 * normal_speed**2
    assert math.hypot(f[0], f[2]) == pytest.approx(pressure, rel=1e-6)


@pytest.mark.parametrize("degrees", [10, 45, 80])
def test_drag_scales_what_is_along_the_stream_and_lift_what_is_across(degrees):
    model = plate(math.radians(degrees))
    whole = force_of(model, steady())
    no_lift = force_of(model, steady(lift=0.0))
    no_drag = force_of(model, steady(drag=0.0))
    assert no_lift == pytest.approx((whole[0], 0, 0), abs=1e-9)
    assert no_drag == pytest.approx((0, 0, whole[2]), abs=1e-9)
    assert force_of(model, steady(drag=3.0, lift=2.0)) == pytest.approx(
        (3 * whole[0], 0, 2 * whole[2]), rel=1e-6, abs=1e-9
    )


@pytest.mark.parametrize("kind", ["plate", "wire"])
def test_without_lift_the_push_is_along_the_stream_wherever_it_comes_from(kind):
    builder = ModelBuilder()
    builder.add_particles("it", [(0, 0, 0), (0.9, 0.1, 0.4), (0.2, 1.1, -0.3)], mass=HEAVY)
    if kind == "plate":
        builder.add_triangles(np.array([(0, 1, 2)]))
    else:
        builder.add_wires([(0, 1), (1, 2)], 0.02)
    model = builder.finalize()
    stream = np.array([3.0, -4.0, 5.0])
    along, across, whole = (
        force_of(
            model,
            WindSettings(velocity=tuple(stream), gust=0.0, drag=float(drag), lift=float(lift)),
        )
        for drag, lift in ((1, 0), (0, 1), (1, 1))
    )
    assert np.abs(np.cross(along, stream)).max() < 1e-6 * (along @ stream)
    assert abs(across @ stream) < 1e-6 * np.linalg.norm(across)
    assert along + across == pytest.approx(whole, rel=1e-6)


def test_skin_friction_pulls_along_a_surface():
    f = force_of(plate(0.0), steady(skin_friction=0.05))
    assert f == pytest.approx((0.05 * DENSITY * 0.5 * 100.0, 0, 0), rel=1e-6)


@pytest.mark.parametrize("drag", [0.0, 1.0, 10.0])
@pytest.mark.parametrize("lift", [0.0, 1.0, 10.0])
@pytest.mark.parametrize("kind", ["plate", "wire"])
def test_nothing_drifts_faster_than_a_steady_wind(drag, lift, kind):
    if kind == "plate":
        builder = ModelBuilder()
        corners = np.array([(0, 0, 0), (0.3, 0.9, 0.1), (0.1, 0.2, 1.0)])
        builder.add_particles("it", corners, mass=1e-3)
        builder.add_triangles(np.array([(0, 1, 2)]))
        builder.add_sticks([(0, 1), (1, 2), (2, 0)])
    else:
        builder = wire((0.5, 0.5, 0.7), mass=1e-4)
        builder.add_sticks([(0, 1)])
    model = builder.finalize()
    state = model.initial_state(gravity=(0, 0, 0))
    inputs = FrameInputs(gravity=(0, 0, 0), wind=steady(speed=5.0, drag=drag, lift=lift))
    for _ in range(72):
        state, _ = advance(model, state, inputs, SolverSettings())
        drift = (state.position - state.previous).mean(axis=0)[0] / state.step
        assert drift <= 5.0 + 1e-6
    if drag:
        assert drift > 2.0


# ---------------------------------------------------------------------------- wires


def wire(direction, mass=1.0, diameter=0.02):
    builder = ModelBuilder()
    builder.add_particles("rope", [(0, 0, 0), direction], mass=mass)
    builder.add_wires([(0, 1)], diameter)
    return builder


@pytest.mark.parametrize("degrees", [0, 30, 45, 90])
def test_a_wire_feels_the_stream_across_it(degrees):
    angle = math.radians(degrees)
    length = 2.0
    across = 10.0 * math.sin(angle)
    along = np.array([math.cos(angle), 0, math.sin(angle)])
    f = force_of(wire(length * along, mass=HEAVY).finalize(), steady())
    size = 0.5 * DENSITY * 1.2 * 0.02 * length * across**2
    direction = np.array([math.sin(angle), 0, -math.cos(angle)])
    assert f == pytest.approx(size * direction, rel=1e-6, abs=1e-9)
    f = force_of(wire(length * along, mass=HEAVY).finalize(), steady(lift=0.0))
    assert f == pytest.approx((size * math.sin(angle), 0, 0), rel=1e-6, abs=1e-9)


def test_a_free_wire_ends_up_in_the_wind():
    model = wire((0, 0, 1.0), mass=0.01).finalize()
    state = model.initial_state(gravity=(0, 0, 0))
    for _ in range(24 * 20):
        state, _ = advance(
            model, state, FrameInputs(gravity=(0, 0, 0), wind=steady(speed=3.0)), SolverSettings()
        )
    v = (state.position - state.previous) / state.step
    assert v[:, 0] == pytest.approx(3.0, rel=0.1)
    assert (v[:, 0] <= 3.0).all()


def test_gusts_reach_wires_too():
    model = wire((0, 0, 1.0), mass=HEAVY).finalize()
    calm, gusty = (
        force_of(model, WindSettings(velocity=(5, 0, 0), gust=gust)) for gust in (0.0, 0.8)
    )
    assert not np.allclose(calm, gusty)


@pytest.mark.parametrize(
    ("pairs", "diameter"), [([(0, 1)], -0.1), ([(0, 1)], math.nan), ([(0, 2)], 0.1), ([(1, 1)], 1)]
)
def test_bad_wires_are_refused(pairs, diameter):
    builder = ModelBuilder()
    builder.add_particles("rope", [(0, 0, 0), (1, 0, 0)], mass=1.0)
    with pytest.raises(ModelError):
        builder.add_wires(pairs, diameter)


def test_a_wire_without_length_or_width_feels_nothing():
    for direction, diameter in (((0, 0, 0), 0.1), ((0, 0, 1), 0.0)):
        model = wire(direction, diameter=diameter).finalize()
        assert (force_of(model, steady()) == 0).all()
