"""Bodies held as an origin and three axes: exact inertia, exact tumbling, contacts, thin plates."""

import math

import numpy as np
import pytest

from verlet_physics import (
    BodySettings,
    FrameInputs,
    ModelBuilder,
    ModelError,
    SolverSettings,
    advance,
    body_poses,
)
from verlet_physics.recipes.body import add_body
from verlet_physics.vector import rotation_matrix

G = 9.81
TURNED = np.array((0.5, 0.1, -0.7, 0.4)) / math.sqrt(0.91)
PLANK, PLATE = (0.05, 0.2, 0.45), (0.5, 0.3, 0.002)


def one_body(half, model="AXES", place=(0, 0, 0), turn=(1, 0, 0, 0), **details):
    builder = ModelBuilder()
    builder.add_body("body", "BOX", half, place, turn, model=model, **{"mass": 10.0, **details})
    return builder


def run(model, seconds, rate=480.0, gravity=(0.0, 0.0, -G), **settings):
    state = model.initial_state(step=1 / rate, gravity=gravity)
    for _ in range(round(24 * seconds)):
        inputs = FrameInputs(gravity=gravity)
        state, _ = advance(model, state, inputs, SolverSettings(substep_rate=rate, **settings))
    return state


def tensor_of(mass, x):
    """Inertia (3, 3) kg·m² of particles about their centre of mass."""
    x = x - mass @ x / mass.sum()
    return np.einsum("n,nk,nk->", mass, x, x) * np.eye(3) - np.einsum("n,ni,nj->ij", mass, x, x)


@pytest.mark.parametrize("moments", [(0.80833, 0.68333, 0.14167), (2.0, 2.0, 2.0), (9, 5, 4.001)])
def test_particles_have_the_mass_centre_and_inertia_of_the_body(moments):
    builder = ModelBuilder()
    builder.add_rigid_body("body", [], (1, 2, 3), TURNED, mass=7.0, inertia=moments, model="AXES")
    model = builder.finalize()
    r = rotation_matrix(TURNED)
    exact = r @ np.diag(moments) @ r.T
    assert model.particles.mass.sum() == pytest.approx(7.0, rel=1e-15)
    assert np.abs(model.particles.mass @ model.particles.position / 7.0 - (1, 2, 3)).max() < 1e-12
    assert np.abs(tensor_of(model.particles.mass, model.particles.position) - exact).max() < 1e-12


def test_a_mesh_has_its_own_inertia():
    """A skew prism: its solid's inertia by the mass properties, whatever box stands in for it."""
    base = np.array([(0, 0), (0.8, 0.1), (0.3, 0.5)])
    points = np.array([(*p, z) for z in (0.0, 0.3) for p in base])
    faces = [(0, 2, 1), (3, 4, 5), (0, 1, 4), (0, 4, 3), (1, 2, 5), (1, 5, 4), (2, 0, 3), (2, 3, 5)]
    tensors = []
    for model in ("QUATERNION", "AXES"):
        builder = ModelBuilder()
        settings = BodySettings(model=model, mass=3.0)
        add_body(builder, "prism", points, (1, 0, 0, 0), settings, triangles=faces)
        made = builder.finalize()
        if model == "AXES":
            tensors.append(tensor_of(made.particles.mass, made.particles.position))
        else:
            r = rotation_matrix(made.bodies.orientation[0])
            tensors.append(r @ np.diag(made.bodies.inertia[0]) @ r.T)
    assert np.abs(tensors[1] - tensors[0]).max() < 1e-12


@pytest.mark.parametrize("half", [PLANK, (0.2, 0.2, 0.2), PLATE])
def test_it_tumbles_behind_the_quaternion_model_by_the_error_of_its_multiplier(half):
    """Axes turn by asin(ωh) a step (Moser–Veselov), (ωh)³/6 too far; the other is exact."""
    poses = []
    for kind in ("QUATERNION", "AXES"):
        spin = {"velocity": (1, 2, 3), "angular_velocity": (0.1, 5, 0.1)}
        model = one_body(half, kind, (1, 2, 3), TURNED, **spin).finalize()
        state = run(model, 10.0, gravity=(0, 0, 0))
        poses.append(np.concatenate(body_poses(model, state), axis=1)[0])
    turn = abs(poses[0][3:] @ poses[1][3:])
    assert np.abs(poses[0][:3] - poses[1][:3]).max() < 1e-9
    behind = 10.0 * 480.0 * (5.0 / 480.0) ** 3 / 6.0
    assert 2.0 * math.acos(min(1.0, turn)) == pytest.approx(behind, abs=2e-4)


def test_it_keeps_momenta_and_shape_while_it_tumbles():
    model = one_body(PLANK, velocity=(1, 2, 3), angular_velocity=(0.1, 5, 0.1)).finalize()

    def momenta(state):
        moved = model.particles.mass[:, None] * (state.position - state.previous) / state.step
        return moved.sum(axis=0), np.cross(state.previous, moved).sum(axis=0)

    before = momenta(model.initial_state(gravity=(0, 0, 0)))
    state = run(model, 1000 / 480, gravity=(0, 0, 0))
    after = momenta(state)
    assert np.abs(after[0] - before[0]).max() < 1e-10
    assert np.abs(after[1] - before[1]).max() < 1e-9 * np.linalg.norm(before[1])
    edges = [
        np.linalg.norm(x[:, None] - x, axis=2) for x in (model.particles.position, state.position)
    ]
    assert np.abs(edges[1] - edges[0]).max() < 1e-9


@pytest.mark.parametrize("restitution", [0.5, 0.8])
def test_it_bounces_as_high_as_it_should(restitution):
    builder = ModelBuilder()
    about = {"mass": 1.0, "restitution": restitution, "model": "AXES"}
    builder.add_body("ball", "SPHERE", (0.1,), (0, 0, 2.1), **about)
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    model = builder.finalize()
    fall = math.sqrt(2 * 2.0 / G)
    apex = fall + restitution * fall
    rate = 480.0
    state = model.initial_state(step=1 / rate)
    state, _ = advance(model, state, FrameInputs(duration=apex), SolverSettings())
    height = body_poses(model, state)[0][0, 2] - 0.1
    assert height == pytest.approx(2.0 * restitution**2, rel=0.01)


def test_it_slides_and_stops():
    builder = one_body((0.5, 0.5, 0.25), place=(0, 0, 0.25), velocity=(3, 0, 0), friction=0.5)
    builder.add_collider("floor", "PLANE", (), (0, 0, 0), friction=0.5)
    model = builder.finalize()
    state, worst = model.initial_state(), 0.0
    for _ in range(24):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
        moved = (state.position - state.previous).mean(axis=0)[0] / state.step
        exact = max(3.0 - 0.5 * G * (state.time - 0.5 * state.step), 0.0)
        worst = max(worst, abs(moved - exact))
    assert worst < 0.01
    assert abs(moved) < 1e-5


@pytest.mark.parametrize(("passes", "creep"), [(4, 5e-3), (16, 5e-4)])
@pytest.mark.parametrize("degrees", [26.0, 27.1])
def test_it_holds_on_a_slope_up_to_the_angle_of_friction(degrees, passes, creep):
    """No impulses are remembered, so it creeps by what few passes leave."""
    a = math.radians(degrees)
    turn = (math.cos(a / 2), 0.0, math.sin(a / 2), 0.0)
    up = np.array([math.sin(a), 0.0, math.cos(a)])
    builder = one_body((0.25,) * 3, place=0.25 * up, turn=turn, friction=0.5)
    builder.add_collider("slope", "PLANE", (), (0, 0, 0), turn, friction=0.5)
    model = builder.finalize()
    off = body_poses(model, run(model, 2.0, body_iterations=passes))[0][0] - 0.25 * up
    way = off @ (math.cos(a), 0.0, -math.sin(a))
    exact = max(0.0, 0.5 * G * (math.sin(a) - 0.5 * math.cos(a)) * 4.0)
    assert way == pytest.approx(exact, rel=0.03, abs=creep)


def test_a_thin_plate_lands_flat_without_turning_inside_out():
    builder = one_body(PLATE, place=(0, 0, 1.5), turn=(0.95, 0.25, 0.15, 0), velocity=(0, 0, -8))
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    model = builder.finalize()
    state = run(model, 4.0)
    place, _ = body_poses(model, state)
    edges = [
        np.linalg.norm(x[:, None] - x, axis=2) for x in (model.particles.position, state.position)
    ]
    volume = [np.linalg.det(x[1:] - x[0]) for x in (model.particles.position, state.position)]
    assert place[0, 2] == pytest.approx(0.002, abs=5e-4)
    assert np.abs(edges[1] - edges[0]).max() < 1e-4
    assert volume[1] == pytest.approx(volume[0], rel=1e-2)
    assert np.abs(state.position - state.previous).max() / state.step < 1e-2


def test_a_plate_without_thickness_is_refused_by_name():
    with pytest.raises(ModelError, match=r"sheet.*too thin.*thicken it, or set Model to Quat"):
        ModelBuilder().add_rigid_body(
            "sheet", [], (0, 0, 0), mass=1.0, inertia=(1.0, 2.0, 3.0), model="AXES"
        )
