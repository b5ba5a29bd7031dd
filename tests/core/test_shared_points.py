"""Joints of bodies of particles: shared places, momenta, pendulums, chains, what is refused."""

import math

import numpy as np
import pytest

from verlet_physics import (
    FrameInputs,
    ModelBuilder,
    ModelError,
    SolverSettings,
    advance,
    body_poses,
)
from verlet_physics.bench.rigid_scenes import rotation_matrices
from verlet_physics.model.joint_table import OnBody, OnCollider
from verlet_physics.settings import JointSettings

G = 9.81
WEIGHTLESS = (0.0, 0.0, 0.0)
ALONG_Y = (math.sqrt(0.5), -math.sqrt(0.5), 0.0, 0.0)  # turns Z to Y
BOTH = pytest.mark.parametrize("model", ["TETRAHEDRON", "AXES"])


def box(builder, place, half=(0.1, 0.1, 0.1), mass=1.0, model="AXES", **details):
    details = {"layers": 0, **details}
    return OnBody(builder.add_body("box", "BOX", half, place, mass=mass, model=model, **details))


def run(model, seconds, gravity=(0.0, 0.0, -G), inputs=None, state=None, **settings):
    state = state or model.initial_state(gravity=gravity)
    for frame in range(round(24 * seconds)):
        given = inputs(frame) if inputs else FrameInputs(gravity=gravity)
        state, _ = advance(model, state, given, SolverSettings(**settings))
    return state


def ends_of(model, state):
    """The two places of each shared one, (s, 2, 3) m."""
    place, q = body_poses(model, state)
    count = len(model.bodies)
    x = np.vstack([place[:count], state.collider_position, place[count:], np.zeros((1, 3))])
    q = np.vstack([q[:count], state.collider_orientation, q[count:], [(1, 0, 0, 0)]])
    r = rotation_matrices(q)
    owner = model.shared.rows["owner"]
    return x[owner] + np.einsum("nsij,nsj->nsi", r[owner], model.shared.rows["anchor"])


def gap(model, state):
    ends = ends_of(model, state)
    return np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).max()


def momenta(model, state):
    moved = model.particles.mass[:, None] * (state.position - state.previous) / state.step
    return moved.sum(axis=0), np.cross(state.previous, moved).sum(axis=0)


def pair(kind, model="AXES"):
    builder = ModelBuilder()
    a = box(builder, (0, 0, 0), (0.1, 0.2, 0.3), 1.0, model, velocity=(1, 2, 3))
    b = box(builder, (1, 0, 0), (0.3, 0.1, 0.2), 3.0, model, angular_velocity=(3, -2, 4))
    settings = JointSettings(kind)
    place = {"second_position": (0.9, 0.3, 0.1)} if kind == "DISTANCE" else {}
    turn = (0.9, 0.1, 0.3, 0.2)
    assert builder.add_joint("joint", a, b, (0.4, 0.1, 0.05), turn, settings, **place) == -1
    return builder.finalize()


@BOTH
@pytest.mark.parametrize("kind", ["BALL", "HINGE", "FIXED", "DISTANCE"])
def test_a_free_pair_keeps_its_momenta(kind, model):
    model = pair(kind, model)
    before = momenta(model, model.initial_state(gravity=WEIGHTLESS))
    state = run(model, 1000 / 480, WEIGHTLESS)
    after = momenta(model, state)
    assert np.abs(after[0] - before[0]).max() < 1e-10
    assert np.abs(after[1] - before[1]).max() < 1e-6 * np.linalg.norm(before[1])
    if kind != "DISTANCE":
        assert gap(model, state) < 1e-4
    else:
        assert gap(model, state) < model.shared.rows["length"][0] * (1 + 1e-3)


def test_a_hinge_keeps_its_axis_and_turns_about_it():
    builder = ModelBuilder()
    a = box(builder, (0, 0, 0), angular_velocity=(0, 0, 2))
    b = box(builder, (0.3, 0, 0), angular_velocity=(0, 0, -2), velocity=(0.3, 0.1, 0.2))
    builder.add_joint("hinge", a, b, (0.15, 0, 0), settings=JointSettings("HINGE"))
    model = builder.finalize()
    state = run(model, 2.0, WEIGHTLESS)
    r = rotation_matrices(body_poses(model, state)[1])
    assert r[0, :, 2] @ r[1, :, 2] == pytest.approx(1.0, abs=1e-6)
    assert abs(r[0, :, 0] @ r[1, :, 0]) < 0.99
    assert gap(model, state) < 1e-5


def test_a_fixed_pair_is_one_body():
    model = pair("FIXED")
    state = run(model, 2.0, WEIGHTLESS)
    x = [model.particles.position, state.position]
    edges = [np.linalg.norm(p[:, None] - p, axis=2) for p in x]
    assert np.abs(edges[1] - edges[0]).max() < 1e-3


@BOTH
@pytest.mark.parametrize("end", ["world", "collider"])
def test_a_compound_pendulum_keeps_time(end, model):
    builder = ModelBuilder()
    a = math.radians(45.0)
    rod = OnBody(
        builder.add_body(
            "rod", "BOX", (0.05, 0.05, 0.5), (0.5 * math.sin(a), 0, -0.5 * math.cos(a)),
            (math.cos(a / 2), 0, -math.sin(a / 2), 0), mass=1.0, model=model, layers=0,
        )
    )  # fmt: skip
    wall = OnCollider(builder.add_collider("wall", "BOX", (0.1,) * 3, (0, 0, 0.1), layers=0))
    first = None if end == "world" else wall
    builder.add_joint("pivot", first, rod, (0, 0, 0), ALONG_Y, JointSettings("HINGE"))
    made = builder.finalize()
    e = made.particle_bodies.extent[0]
    inertia = e[0] ** 2 + e[2] ** 2 + 0.25
    low, high = 1.0, math.cos(a / 2)
    for _ in range(20):
        low, high = 0.5 * (low + high), math.sqrt(low * high)
    period = 2.0 * math.pi * math.sqrt(inertia / (0.5 * G)) / low
    state, _ = advance(
        made, made.initial_state(), FrameInputs(duration=3.75 * period), SolverSettings()
    )
    x = body_poses(made, state)[0][0]
    assert abs(x[0]) < 0.01  # at three quarters of a period it passes straight down
    assert gap(made, state) < 1e-4


def test_a_collider_carries_what_hangs_on_it():
    builder = ModelBuilder()
    wall = OnCollider(builder.add_collider("hook", "BOX", (0.1,) * 3, (0, 0, 0), layers=0))
    load = box(builder, (0, 0, -0.5))
    builder.add_joint("pin", wall, load, (0, 0, 0))
    model = builder.finalize()

    def rising(frame):
        return FrameInputs(collider_position=np.array([(0.0, 0.0, (frame + 1) / 24)]))

    state = run(model, 1.0, inputs=rising)
    assert body_poses(model, state)[0][0, 2] == pytest.approx(0.5, abs=1e-3)
    assert gap(model, state) < 1e-3


def test_a_body_of_particles_hangs_on_one_of_place_and_rotation():
    """Two ways: what holds gets as much as what is held, and does not fall asleep."""
    builder = ModelBuilder()
    above = box(builder, (0, 0, 0), mass=2.0, model="QUATERNION")
    below = box(builder, (0.2, 0, -0.3), (0.1, 0.05, 0.1))
    builder.add_joint("joint", above, below, (0.1, 0.0, -0.1))
    model = builder.finalize()
    start = model.initial_state(gravity=WEIGHTLESS)
    start.previous -= np.array((0.3, 0.2, -0.1)) * start.step
    state = run(model, 2.0, WEIGHTLESS, state=start)
    body = 2.0 * (state.body_position - state.body_previous)[0] / state.step
    total = momenta(model, state)[0] + body
    assert np.abs(total - (0.3, 0.2, -0.1)).max() < 1e-10
    assert np.linalg.norm(body) > 0.05
    assert gap(model, state) < 1e-3
    assert not model.bodies.sleeps[0]


@BOTH
def test_a_chain_of_ten_swings_and_stays_together(model):
    builder = ModelBuilder()
    before = None
    for n in range(10):
        link = box(builder, (0.1 + 0.2 * n, 0, 0), (0.1, 0.03, 0.03), model=model)
        builder.add_joint("ball", before, link, (0.2 * n, 0, 0))
        before = link
    made = builder.finalize()
    state, worst = made.initial_state(), 0.0
    for _ in range(72):
        state, _ = advance(made, state, FrameInputs(), SolverSettings())
        worst = max(worst, gap(made, state))
    assert worst < 0.02 * 0.2


def test_a_rope_ends_a_fall():
    builder = ModelBuilder()
    load = box(builder, (0, 0, -0.5))
    settings = JointSettings("DISTANCE", length=1.0)
    builder.add_joint(
        "rope", None, load, (0, 0, 0), settings=settings, second_position=(0, 0, -0.5)
    )
    state = run(builder.finalize(), 2.0)
    assert state.position[:, 2].mean() == pytest.approx(-1.0, abs=1e-4)


@pytest.mark.parametrize("collides", [False, True])
def test_joined_bodies_pass_through_each_other_unless_told_to_collide(collides):
    builder = ModelBuilder()
    a = box(builder, (0, 0, 0), layers=1)
    b = box(builder, (0.15, 0, 0), layers=1)
    settings = JointSettings("DISTANCE", length=1.0, collides=collides)
    builder.add_joint("rope", a, b, (0, 0, 0), settings=settings, second_position=(0.15, 0, 0))
    model = builder.finalize()
    state = run(model, 1.0, WEIGHTLESS)
    apart = np.diff(body_poses(model, state)[0][:, 0])[0]
    assert apart == pytest.approx(0.2 if collides else 0.15, abs=2e-3)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"kind": "SLIDER"}, "no Slider joint"),
        ({"kind": "HINGE", "is_limited": True}, "no limits"),
        ({"kind": "HINGE", "motor": "VELOCITY"}, "no motor"),
        ({"kind": "BALL", "friction": 1.0}, "no joint friction"),
        ({"kind": "FIXED", "breaking_force": 9.0}, "no breaking force"),
    ],
)
def test_what_they_cannot_do_is_refused_by_name_with_the_way_out(settings, reason):
    builder = ModelBuilder()
    a = box(builder, (0, 0, 0))
    with pytest.raises(ModelError, match=f"latch.*box is made of.*{reason}.*Model to Quaternion"):
        builder.add_joint("latch", a, None, (0, 0, 0), settings=JointSettings(**settings))
    assert len(builder.finalize().shared) == 0
