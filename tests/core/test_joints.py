"""Joints of rigid bodies: pendulums, limits, motors, springs, breaking, momenta, bad input."""

import math

import numpy as np
import pytest

from verlet_physics import FrameInputs, ModelBuilder, ModelError, SolverSettings, advance
from verlet_physics.bench.rigid_bodies import model_of
from verlet_physics.bench.rigid_scenes import ragdolls, rotation_matrices
from verlet_physics.model.joint_table import OnBody, OnCollider
from verlet_physics.settings import JointSettings
from verlet_physics.truth.joints import joint_gaps
from verlet_physics.truth.rigid_motion import angular_momentum

G = 9.81
WEIGHTLESS = FrameInputs(gravity=(0.0, 0.0, 0.0))
ALONG_Y = (math.sqrt(0.5), -math.sqrt(0.5), 0.0, 0.0)  # turns Z to Y: a hinge across the page


def box(builder, place, half=(0.1, 0.1, 0.1), mass=1.0, **details):
    details = {"layers": 0, "sleeps": False, **details}
    return OnBody(builder.add_body("box", "BOX", half, place, mass=mass, **details))


def run(model, frames, inputs=None, state=None, **settings):
    state = state or model.initial_state()
    for _ in range(frames):
        state, _ = advance(model, state, inputs or FrameInputs(), SolverSettings(**settings))
    return state


def angle_about(q, axis):
    return 2.0 * math.atan2(q[1 + axis], q[0])


def pendulum(degrees, kind="BALL"):
    """A rod of 1 m that hangs by its end, turned aside about Y."""
    a = math.radians(degrees)
    builder = ModelBuilder()
    turn = (math.cos(a / 2), 0.0, math.sin(-a / 2), 0.0)
    rod = box(builder, (0.5 * math.sin(a), 0.0, -0.5 * math.cos(a)), (0.02, 0.02, 0.5), 1.0)
    builder._rigid.bodies[0]["orientation"] = np.array(turn)
    builder.add_joint("pivot", None, rod, (0, 0, 0), ALONG_Y, JointSettings(kind=kind))
    return builder.finalize()


@pytest.mark.parametrize("kind", ["BALL", "HINGE"])
@pytest.mark.parametrize("degrees", [45.0, 90.0])
def test_a_compound_pendulum_keeps_time(degrees, kind):
    model = pendulum(degrees, kind)
    inertia = 1.0 / 12.0 * (1.0 + 0.04**2) + 0.25
    small = 2.0 * math.pi * math.sqrt(inertia / (G * 0.5))
    a, b = 1.0, math.cos(math.radians(degrees) / 2)  # period by the arithmetic–geometric mean
    for _ in range(20):
        a, b = 0.5 * (a + b), math.sqrt(a * b)
    period = small / a
    state = run(model, 1, FrameInputs(duration=5.0 * period))
    x = state.body_position[0]
    assert math.degrees(math.atan2(x[0], -x[2])) == pytest.approx(degrees, abs=0.1)
    assert np.linalg.norm(state.body_position - state.body_previous) * 480 < 0.02 * 480 * 0.1
    quarter = run(model, 1, FrameInputs(duration=0.25 * period))
    assert abs(quarter.body_position[0, 0]) < 2e-3


def free_pair(kind, **settings):
    builder = ModelBuilder()
    a = box(builder, (0, 0, 0), (0.1, 0.2, 0.3), 1.0, velocity=(1, 2, 3))
    b = box(builder, (1, 0, 0), (0.3, 0.1, 0.2), 3.0, angular_velocity=(3, -2, 4))
    place = (0.4, 0.1, 0.05)
    builder.add_joint("joint", a, b, place, (0.9, 0.1, 0.3, 0.2), JointSettings(kind, **settings))
    return builder.finalize()


def momenta(model, state):
    v = (state.body_position - state.body_previous) / state.step
    m = model.bodies.mass[:, None]
    spin = np.array([angular_momentum(model, state, b) for b in range(len(model.bodies))])
    return (m * v).sum(axis=0), (m * np.cross(state.body_position, v) + spin).sum(axis=0)


@pytest.mark.parametrize(
    "kind", ["BALL", "HINGE", "CONE_TWIST", "SLIDER", "FIXED", "DISTANCE", "SPRING", "GENERIC"]
)
def test_a_free_pair_keeps_its_momenta(kind):
    model = free_pair(kind, is_limited=True, lower=-0.2, upper=0.3, swing=0.3, friction=0.1)
    start = momenta(model, model.initial_state(gravity=(0, 0, 0)))
    state = run(model, 50, WEIGHTLESS, model.initial_state(gravity=(0, 0, 0)))
    end = momenta(model, state)
    assert np.allclose(end[0], start[0], rtol=1e-10, atol=1e-10)
    assert np.allclose(end[1], start[1], rtol=0, atol=1e-6 * np.linalg.norm(start[1]))


@pytest.mark.parametrize("rate", [240.0, 480.0, 960.0])
def test_a_hinge_stops_at_its_limit(rate):
    builder = ModelBuilder()
    rod = box(builder, (0.5, 0, 0), (0.5, 0.02, 0.02))
    settings = JointSettings("HINGE", is_limited=True, lower=-1.0, upper=0.5)
    builder.add_joint("hinge", None, rod, (0, 0, 0), ALONG_Y, settings)
    model = builder.finalize()
    state = run(model, 48, substep_rate=rate)
    x = state.body_position[0]
    down = math.atan2(-x[2], x[0])
    assert min(abs(down - 1.0), abs(down - 0.5)) < math.radians(0.1)
    assert joint_gaps(model, state).max() < 1e-4


@pytest.mark.parametrize("rate", [240.0, 480.0, 960.0])
def test_a_cone_stops_at_its_swing(rate):
    builder = ModelBuilder()
    rod = box(builder, (0.3, 0, 0.4), (0.02, 0.02, 0.02))
    settings = JointSettings("CONE_TWIST", is_limited=True, swing=0.6)
    builder.add_joint("cone", None, rod, (0, 0, 0), (1, 0, 0, 0), settings)
    model = builder.finalize()
    state = run(model, 48, substep_rate=rate)
    r = rotation_matrices(state.body_orientation)[0]
    assert math.acos(r[0, 0]) == pytest.approx(0.6, abs=math.radians(0.5))
    assert joint_gaps(model, state).max() < 1e-4


def test_a_slider_swings_at_its_frequency():
    builder = ModelBuilder()
    weight = box(builder, (0, 0, 0), mass=2.0)
    free = {"limits_angular": (True,) * 3, "limits_linear": (False, True, True)}
    builder.add_joint("rail", None, weight, (0, 0, 0), settings=JointSettings("GENERIC", **free))
    builder.add_joint(
        "spring",
        None,
        weight,
        (0, 0, 0),
        settings=JointSettings("SPRING", stiffness=200.0, damping=0.0),
    )
    model = builder.finalize()
    period = 2.0 * math.pi * math.sqrt(2.0 / 200.0)
    sideways = FrameInputs(duration=2.5 * period, gravity=(1.0, 0.0, 0.0))
    state = run(model, 1, sideways)
    assert state.body_position[0, 0] == pytest.approx(2.0 * 2.0 / 200.0, rel=1e-3)
    state = run(model, 1, FrameInputs(duration=20 * period, gravity=(1.0, 0.0, 0.0)))
    assert abs(state.body_position[0, 0]) < 1e-3 * 0.02


def wheel(**settings):
    builder = ModelBuilder()
    disc = box(builder, (0, 0, 0), (0.3, 0.3, 0.1), 2.0)
    builder.add_joint("axle", None, disc, (0, 0, 0), settings=JointSettings("HINGE", **settings))
    return builder.finalize()


def test_a_motor_reaches_its_speed_with_its_torque():
    model = wheel(motor="VELOCITY", motor_speed=5.0, motor_force=0.3)
    inertia = model.bodies.inertia[0, 2]
    state = run(model, 1, FrameInputs(duration=0.5))
    turned = angle_about(state.body_orientation[0], 2)
    assert turned == pytest.approx(0.5 * 0.3 / inertia * 0.25, rel=0.01)
    state = run(model, 48)
    before = angle_about(state.body_orientation[0], 2)
    state = run(model, 1, FrameInputs(duration=0.1), state)
    turned = (angle_about(state.body_orientation[0], 2) - before) % (2 * math.pi)
    assert turned == pytest.approx(0.5, rel=1e-3)


def test_a_pose_motor_goes_where_it_is_told():
    model = wheel(motor="POSE", motor_target=1.0)
    state = run(model, 24)
    assert angle_about(state.body_orientation[0], 2) == pytest.approx(1.0, abs=1e-3)
    state = run(model, 24, FrameInputs(joint_target=np.array([-0.5])), state)
    assert angle_about(state.body_orientation[0], 2) == pytest.approx(-0.5, abs=1e-3)
    pose = np.array([[math.cos(0.2), 0, 0, math.sin(0.2)]])
    state = run(model, 24, FrameInputs(joint_pose=pose), state)
    assert angle_about(state.body_orientation[0], 2) == pytest.approx(0.4, abs=1e-3)


def test_a_limp_motor_does_nothing():
    model = wheel(motor="POSE", motor_target=1.0)
    state = run(model, 12, FrameInputs(joint_strength=np.zeros(1)))
    assert angle_about(state.body_orientation[0], 2) == pytest.approx(0.0, abs=1e-9)


def test_friction_of_a_joint_stops_a_wheel():
    builder = ModelBuilder()
    disc = box(builder, (0, 0, 0), (0.3, 0.3, 0.1), 2.0, angular_velocity=(0, 0, 4.0))
    builder.add_joint("axle", None, disc, (0, 0, 0), settings=JointSettings("HINGE", friction=0.3))
    model = builder.finalize()
    inertia = model.bodies.inertia[0, 2]
    state = run(model, 48, state=model.initial_state(gravity=(0, 0, 0)), inputs=WEIGHTLESS)
    expected = 0.5 * inertia * 4.0**2 / 0.3  # work of friction
    assert angle_about(state.body_orientation[0], 2) == pytest.approx(expected, rel=0.01)
    v = np.abs(state.body_orientation - state.body_previous_orientation).max()
    assert v < 1e-9


@pytest.mark.parametrize(("strength", "holds"), [(1.05, True), (0.95, False)])
def test_a_joint_breaks_under_its_load(strength, holds):
    builder = ModelBuilder()
    load = box(builder, (0, 0, 0), mass=3.0)
    settings = JointSettings("FIXED", breaking_force=strength * 3.0 * G)
    builder.add_joint("glue", None, load, (0, 0, 0.1), settings=settings)
    model = builder.finalize()
    state = run(model, 12)
    assert (state.joints.broken[0] == 0) == holds
    assert (state.body_position[0, 2] > -1e-4) == holds


def test_a_rope_ends_a_fall():
    builder = ModelBuilder()
    load = box(builder, (0, 0, -0.5))
    settings = JointSettings("DISTANCE", length=1.0)
    builder.add_joint(
        "rope", None, load, (0, 0, 0), settings=settings, second_position=(0, 0, -0.5)
    )
    state = run(builder.finalize(), 48)
    assert state.body_position[0, 2] == pytest.approx(-1.0, abs=1e-4)


def test_a_chain_with_a_heavy_end_holds_together():
    builder = ModelBuilder()
    before = None
    for n in range(10):
        link = box(builder, (0.1 + 0.2 * n, 0, 0), (0.1, 0.03, 0.03), 100.0 if n == 9 else 1.0)
        builder.add_joint("ball", before, link, (0.2 * n, 0, 0))
        before = link
    model = builder.finalize()
    state, worst = model.initial_state(), 0.0
    for _ in range(72):
        state = run(model, 1, state=state)
        worst = max(worst, joint_gaps(model, state).max())
    assert worst < 0.01 * 0.2


def test_loops_driven_ends_and_zero_arms_do_no_harm():
    builder = ModelBuilder()
    around = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
    bodies = [box(builder, place) for place in around]
    for n in range(4):
        place = np.mean([around[n], around[(n + 1) % 4]], axis=0)
        builder.add_joint(
            "hinge", bodies[n], bodies[(n + 1) % 4], place, (1, 0, 0, 0), JointSettings("HINGE")
        )
    builder.add_joint("same", bodies[0], bodies[2], (0, 0, 0), settings=JointSettings("FIXED"))
    builder.add_joint(
        "same again", bodies[0], bodies[2], (0, 0, 0), settings=JointSettings("FIXED")
    )
    held = box(builder, (0, 0, 5), follows="PASSIVE")
    wall = builder.add_collider("wall", "BOX", (1, 1, 1), (0, 0, 9), layers=0)
    builder.add_joint("idle", held, OnCollider(wall), (0, 0, 6))
    builder.add_joint("nowhere", held, bodies[1], (1, 0, 0), settings=JointSettings("DISTANCE"))
    model = builder.finalize()
    state = run(model, 24)
    assert np.isfinite(state.body_position).all()
    assert joint_gaps(model, state).max() < 1e-2


def test_joined_bodies_pass_through_each_other_until_the_joint_breaks():
    builder = ModelBuilder()
    a = box(builder, (0, 0, 0), layers=1)
    b = box(builder, (0.15, 0, 0), layers=1)
    builder.add_joint("joint", a, b, (0.07, 0, 0), settings=JointSettings("FIXED"))
    model = builder.finalize()
    state = run(model, 24, WEIGHTLESS, model.initial_state(gravity=(0, 0, 0)))
    assert np.allclose(state.body_position, model.bodies.position, atol=1e-9)
    state.joints.broken[:] = 1
    state = run(model, 24, WEIGHTLESS, state)
    assert state.body_position[1, 0] - state.body_position[0, 0] > 0.19


def test_a_joint_that_leaves_all_free_only_keeps_bodies_from_colliding():
    free = JointSettings(kind="GENERIC", limits_linear=(False,) * 3, limits_angular=(False,) * 3)
    builder = ModelBuilder()
    low = box(builder, (0.0, 0.0, 1.0), mass=2.0, layers=1)
    high = box(builder, (0.05, 0.0, 1.1), layers=1)
    held = box(builder, (5.0, 0.0, 1.0))
    builder.add_joint("free", low, high, (0, 0, 1), (1, 0, 0, 0), free)
    builder.add_joint("ball", None, held, (4.9, 0.0, 1.0), (1, 0, 0, 0), JointSettings())
    state = run(builder.finalize(), 12)
    fallen = 0.5 * G * 0.5**2
    np.testing.assert_allclose(state.body_position[:2, 2], (1.0 - fallen, 1.1 - fallen), atol=0.02)
    np.testing.assert_allclose(state.body_position[:2, 0], (0.0, 0.05), atol=1e-9)


def test_a_saved_frame_goes_on_bit_for_bit():
    model = free_pair("CONE_TWIST", is_limited=True, swing=0.3, friction=0.1)
    middle = run(model, 10)
    straight = run(model, 10, state=middle)
    run(model, 3)  # other states in between
    again = run(model, 10, state=middle.copy())
    assert straight.body_position.tobytes() == again.body_position.tobytes()
    assert straight.joints.impulse.tobytes() == again.joints.impulse.tobytes()


@pytest.mark.parametrize(
    ("ends", "settings"),
    [
        ((OnBody(0), OnBody(0)), {}),
        ((None, None), {}),
        ((OnBody(7), None), {}),
        ((OnCollider(0), OnBody(0)), {}),
        ((None, OnBody(0)), {"kind": "HINGE", "is_limited": True, "lower": 1.0, "upper": 0.0}),
    ],
)
def test_bad_joints_are_named(ends, settings):
    builder = ModelBuilder()
    box(builder, (0, 0, 0))
    with pytest.raises(ModelError, match="latch"):
        builder.add_joint("latch", *ends, (0, 0, 0), settings=JointSettings(**settings))


def braked(seed, *, is_limited, spin, speed):
    """Eight rods in a row, joined by joints that rub, every other one two hundred times lighter."""
    random = np.random.default_rng(seed)
    builder = ModelBuilder()
    bodies = []
    for k in range(8):
        mass, half = (1.0, (0.1, 0.02, 0.02)) if k % 2 == 0 else (0.005, (0.01, 0.01, 0.01))
        thrown = {"velocity": random.normal(0, speed, 3)}
        thrown["angular_velocity"] = random.normal(0, spin, 3)
        bodies.append(box(builder, (0.12 * k, 0, 0), half, mass=mass, **thrown))
    for k in range(7):
        at = 0.12 * k + (0.1 if k % 2 == 0 else 0.02)
        settings = JointSettings(kind="CONE_TWIST", is_limited=is_limited, friction=0.1)
        builder.add_joint(f"{k}", bodies[k], bodies[k + 1], (at, 0, 0), settings=settings)
    return builder.finalize()


@pytest.mark.parametrize("seed", [2, 4, 5])
@pytest.mark.parametrize(
    ("is_limited", "spin", "speed", "rise"),
    [(False, 20.0, 1.0, 0.0), (True, 5.0, 0.2, 0.5)],  # J; limits drive back what is beyond them
)
def test_brakes_of_light_bodies_drive_nothing(seed, is_limited, spin, speed, rise):
    model = braked(seed, is_limited=is_limited, spin=spin, speed=speed)
    state, before = model.initial_state(), math.inf
    for _ in range(30):
        state, figures = advance(model, state, WEIGHTLESS, SolverSettings())
        assert figures.kinetic_energy <= before + rise
        assert joint_gaps(model, state).max() < 1e-3
        before = figures.kinetic_energy


@pytest.mark.parametrize("rate", [480.0, 240.0, 120.0])
@pytest.mark.parametrize("deep", [0.0, 0.03])
def test_a_foot_carries_its_load_and_comes_out_of_the_floor_at_every_rate(rate, deep):
    builder = ModelBuilder()
    builder.add_body("foot", "BOX", (0.05,) * 3, (0, 0, 0.05 - deep), mass=1.0)
    builder.add_body("trunk", "BOX", (0.15, 0.15, 0.3), (0, 0, 0.4 - deep), mass=40.0)
    ankle = (0, 0, 0.1 - deep)
    builder.add_joint("ankle", OnBody(0), OnBody(1), ankle, settings=JointSettings("FIXED"))
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    model = builder.finalize()
    state = model.initial_state()
    for frame in range(48):
        state, _ = advance(model, state, FrameInputs(), SolverSettings(substep_rate=rate))
        if frame >= 24:
            assert abs(state.body_position[0, 2] - 0.05) < 1e-3 * 480.0 / rate


def test_rounding_pushes_at_no_limit():
    """A doll that falls freely from its rest pose: knees and elbows are at limits and stay."""
    model = model_of(ragdolls(1))
    state = model.initial_state()
    is_limited = model.joints.lower < model.joints.upper
    for _ in range(6):
        state, _ = advance(model, state, FrameInputs(duration=1 / 48), SolverSettings())
        assert (state.joints.impulse[is_limited] == 0.0).all()
