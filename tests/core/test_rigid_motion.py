"""Rigid bodies hit, spin, are driven and let go: momentum, energy, tunnelling, scale, extremes."""

import math

import numpy as np
import pytest

from verlet_physics import (
    FrameCache,
    FrameInputs,
    ModelBuilder,
    ModelError,
    SimulationDiverged,
    SolverSettings,
    advance,
)
from verlet_physics.bench.rigid_measure import body_depths
from verlet_physics.collision.shape import Shape
from verlet_physics.geometry.hull import convex_hull
from verlet_physics.model.field import Field
from verlet_physics.model.joint_table import OnBody
from verlet_physics.settings import AnimatedSettings
from verlet_physics.truth.rigid_motion import angular_momentum
from verlet_physics.vector import rotation_matrix

WEIGHTLESS = (0.0, 0.0, 0.0)
ONE_THREAD = SolverSettings(threads=1)


def run(model, frames, inputs=None, state=None, settings=ONE_THREAD):
    inputs = inputs or FrameInputs()
    state = state or model.initial_state(gravity=inputs.gravity)
    for _ in range(frames):
        state, _ = advance(model, state, inputs, settings)
    return state


def velocity(state):
    return (state.body_position - state.body_previous) / state.step


def totals(model, state):
    """Momentum (3,), angular momentum (3,) about the origin and kinetic energy of all bodies."""
    v, mass = velocity(state), model.bodies.mass[:, None]
    turning = np.array([angular_momentum(model, state, b) for b in range(len(model.bodies))])
    energy = 0.5 * float((mass * v**2).sum())
    for b in range(len(model.bodies)):
        own = turning[b] @ rotation_matrix(state.body_orientation[b])
        energy += 0.5 * float((own**2 / model.bodies.inertia[b]).sum())
    places = state.body_position - 0.5 * state.step * v  # v is that of the middle of the step
    return (mass * v).sum(axis=0), (turning + np.cross(places, mass * v)).sum(axis=0), energy


def pair(shape, size, offset, *, restitution, friction=0.0, spin=(0.0, 0.0, 0.0)):
    builder = ModelBuilder()
    details = {"restitution": restitution, "friction": friction}
    builder.add_body(
        "one", shape, size, (-1, 0, 0), (0.9, 0.2, 0.3, 0.1), mass=1.0, velocity=(3, 0, 0),
        angular_velocity=spin, **details,
    )  # fmt: skip
    builder.add_body(
        "two", shape, size, (1, *offset), (0.3, 0.9, 0.1, 0.2), mass=3.0, velocity=(-1, 0, 0),
        **details,
    )  # fmt: skip
    return builder.finalize()


SHAPES = [("BOX", (0.3, 0.2, 0.25)), ("SPHERE", (0.3,)), ("CAPSULE", (0.2, 0.2)),
          ("CYLINDER", (0.25, 0.2))]  # fmt: skip


@pytest.mark.parametrize(("shape", "size"), SHAPES)
@pytest.mark.parametrize("offset", [(0.0, 0.0), (0.15, 0.1)])
def test_hits_keep_momentum_and_elastic_ones_energy(shape, size, offset):
    still = FrameInputs(gravity=WEIGHTLESS)
    for restitution, friction, spin in ((1.0, 0.0, (0, 0, 0)), (0.5, 0.6, (3, -2, 4))):
        model = pair(shape, size, offset, restitution=restitution, friction=friction, spin=spin)
        start = model.initial_state(gravity=WEIGHTLESS)
        before, after = totals(model, start), totals(model, run(model, 24, still))
        assert np.allclose(after[0], before[0], atol=1e-9)
        assert np.allclose(after[1], before[1], atol=1e-6)
        assert abs(velocity(run(model, 24, still))[0, 0] - 3.0) > 0.1
        if restitution == 1.0:
            assert after[2] == pytest.approx(before[2], rel=0.02)
        else:
            assert after[2] < before[2]


def tower(builder, count=6):
    for k in range(count):
        builder.add_body(
            f"{k}", "BOX", (0.2, 0.25, 0.15), (0.05 * k, 0.03 * k, 0.2 + 0.4 * k),
            (1.0, 0.1 * k, 0.2, 0.0), mass=1.0 + k,
        )  # fmt: skip
    builder.add_body(
        "ball", "SPHERE", (0.2,), (-2.0, 0, 1), mass=2.0, velocity=(4, 0, 1), restitution=0.5
    )
    corners = np.random.default_rng(5).normal(size=(12, 3)) * 0.2
    hull = Shape.of("stone", "HULL", (), hull=convex_hull(corners))
    builder.add_rigid_body("stone", [hull], (0, 0.6, 2), mass=1.0, inertia=(0.02, 0.02, 0.02))


def scene(with_particles=False):
    builder = ModelBuilder()
    tower(builder)
    if with_particles:
        x = np.random.default_rng(2).uniform(-0.5, 0.5, (30, 3)) + (0, 0, 3.5)
        builder.add_particles("dust", x, mass=0.05, radius=0.05)
        builder.add_body(
            "soft", "BOX", (0.2,) * 3, (0.3, 0.3, 4), mass=1.0, model="TETRAHEDRON", restitution=0.2
        )
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    return builder.finalize()


def same(a, b):
    there = b.columns()
    return all(np.array_equal(value, there[name]) for name, value in a.columns().items())


@pytest.mark.parametrize("with_particles", [False, True])
def test_same_bits_twice_on_two_threads_and_resumed_at_any_frame(tmp_path, with_particles):
    model = scene(with_particles)
    cache = FrameCache(model)
    state = model.initial_state()
    counts = set()
    for _ in range(60):
        state, _ = advance(model, state, FrameInputs(), ONE_THREAD)
        cache.store(state)
        counts.add(len(state.contacts.remembered))
    assert len(counts) > 3  # ragged
    assert same(state, run(scene(with_particles), 60))
    assert same(state, run(model, 60))  # scratch memory that knows another frame
    assert same(state, run(model, 60, settings=SolverSettings(threads=2)))
    cache.save(tmp_path / "frames.npz")
    loaded = FrameCache(model)
    loaded.load(tmp_path / "frames.npz")
    for frame in (1, 7, 20, 33, 52, 59):
        assert same(loaded[frame], cache[frame])
        fresh = scene(with_particles)  # with scratch memory that knows nothing
        assert same(state, run(fresh, 60 - frame, state=loaded[frame])), frame


def test_a_body_that_is_let_go_keeps_its_velocity_and_spin():
    builder = ModelBuilder()
    builder.add_body("box", "BOX", (0.2,) * 3, (0, 0, 5), mass=1.0, follows="ANIMATED")
    model = builder.finalize()
    state = model.initial_state(gravity=WEIGHTLESS)
    for frame in range(1, 13):
        a = 0.5 * 0.05 * frame
        inputs = FrameInputs(
            gravity=WEIGHTLESS,
            body_position=np.array([[0.1 * frame, 0, 5]]),
            body_orientation=np.array([[math.cos(a), 0, 0, math.sin(a)]]),
        )
        state, _ = advance(model, state, inputs, ONE_THREAD)
    assert np.allclose(velocity(state), [(2.4, 0, 0)], atol=1e-6)
    free = FrameInputs(gravity=WEIGHTLESS, animated=(AnimatedSettings(pin=0.0),))
    state = run(model, 12, free, state)
    assert np.allclose(state.body_position, [(2.4, 0, 5)], atol=1e-6)
    turned = 2.0 * math.atan2(state.body_orientation[0, 3], state.body_orientation[0, 0])
    assert turned == pytest.approx(0.05 * 24, abs=1e-3)


@pytest.mark.parametrize("degrees", [0, 20, 40, 60, 75])
def test_a_fast_ball_does_not_go_through_a_thin_wall(degrees):
    """10 cm, 200 m/s, a wall of 1 cm: 42 cm a substep."""
    a = math.radians(degrees)
    for shift in (0.0, 0.13, 0.29):
        builder = ModelBuilder()
        way = np.array([math.cos(a), math.sin(a), 0.0])
        builder.add_body(
            "ball", "SPHERE", (0.05,), -(3.0 + shift) * way, mass=1.0, velocity=200.0 * way
        )
        builder.add_collider("wall", "BOX", (0.005, 30, 30), (0, 0, 0))
        model = builder.finalize()
        state = model.initial_state(gravity=WEIGHTLESS)
        for _ in range(3):
            state = run(model, 1, FrameInputs(gravity=WEIGHTLESS), state)
            assert state.body_position[0, 0] < 0.0


def test_fast_balls_meet_and_a_fast_rod_stops():
    for shift in (0.0, 0.1, 0.2):
        builder = ModelBuilder()
        for side in (-1, 1):
            builder.add_body(
                f"{side}", "SPHERE", (0.05,), (side * (2.0 + shift), 0, 0), mass=1.0,
                velocity=(-side * 150.0, 0, 0),
            )  # fmt: skip
        builder.add_body(
            "rod", "CAPSULE", (0.01, 0.3), (-2.0 - shift, 5, 0), (1, 0, 1, 0), mass=1.0,
            velocity=(100, 0, 0),
        )  # fmt: skip
        builder.add_collider("wall", "BOX", (0.005, 1, 1), (0, 5, 0))
        model = builder.finalize()
        state = run(model, 3, FrameInputs(gravity=WEIGHTLESS))
        assert state.body_position[0, 0] < 0.0 < state.body_position[1, 0]
        assert state.body_position[2, 0] < 0.05


@pytest.mark.parametrize("scale", [1e-3, 1e-2, 100.0])
def test_small_and_large_scenes_behave_alike(scale):
    """With lengths and gravity scaled alike the motion is the same in time."""

    def places(s):
        builder = ModelBuilder()
        for k in range(5):
            builder.add_body(
                f"{k}", "BOX", (0.25 * s,) * 3, (0.02 * k * s, 0, (0.3 + 0.6 * k) * s),
                (1, 0.01 * k, 0.01, 0), mass=1.0,
            )  # fmt: skip
        builder.add_collider("floor", "PLANE", (), (0, 0, 0))
        state = run(builder.finalize(), 36, FrameInputs(gravity=(0, 0, -9.81 * s)))
        assert (
            body_depths(state.body_position, state.body_orientation, np.full((5, 3), 0.25 * s)).max(
                initial=0.0
            )
            < 0.02 * s
        )
        return state.body_position / s

    assert np.abs(places(scale) - places(1.0)).max() < 0.1


def test_without_gyroscopic_the_spin_stays():
    builder = ModelBuilder()
    details = {"mass": 1.0, "angular_velocity": (0.5, 6.0, 0.5)}
    builder.add_body("off", "BOX", (0.1, 0.2, 0.4), (0, 0, 0), gyroscopic=False, **details)
    builder.add_body("on", "BOX", (0.1, 0.2, 0.4), (5, 0, 0), **details)
    model = builder.finalize()
    state = run(model, 48, FrameInputs(gravity=WEIGHTLESS))
    spins = []
    for b in range(2):
        r = rotation_matrix(state.body_orientation[b])
        spins.append(r @ ((angular_momentum(model, state, b) @ r) / model.bodies.inertia[b]))
    assert np.allclose(spins[0], (0.5, 6.0, 0.5), atol=0.05)
    assert not np.allclose(spins[1], (0.5, 6.0, 0.5), atol=0.1)


def test_static_friction_holds_what_would_slide():
    a = math.radians(35.0)
    turn, up = (math.cos(a / 2), 0, math.sin(a / 2), 0), np.array([math.sin(a), 0, math.cos(a)])
    moved = {}
    for factor in (1.0, 2.0):
        builder = ModelBuilder()
        builder.add_body(
            "box", "BOX", (0.3, 0.3, 0.1), 0.1 * up, turn, mass=1.0, static_friction=factor
        )
        builder.add_collider("slope", "PLANE", (), (0, 0, 0), turn)
        state = run(builder.finalize(), 24)
        moved[factor] = np.linalg.norm(state.body_position[0] - 0.1 * up)
    assert moved[1.0] > 0.5
    assert moved[2.0] < 5e-3


def test_things_meet_when_they_share_a_layer():
    builder = ModelBuilder()
    for k, layers in enumerate((1, 2, 3)):
        builder.add_body(f"{k}", "SPHERE", (0.2,), (k, 0, 0.5), mass=1.0, layers=layers)
    builder.add_collider("floor", "PLANE", (), (0, 0, 0), layers=1)
    state = run(builder.finalize(), 24)
    assert (state.body_position[:, 2] > 0).tolist() == [True, False, True]


@pytest.mark.parametrize("gravity", [(0, 0, -9.81), WEIGHTLESS])
def test_no_size_and_no_mass_makes_a_number_that_is_none(gravity):
    random = np.random.default_rng(11)
    builder = ModelBuilder()
    for k, mass in enumerate((1e-6, 1e9, 1.0, 1e-3, 1e6, 1e-6)):
        size = 10.0 ** random.uniform(-3, 2, 3)
        kind = ("BOX", "SPHERE", "CAPSULE", "CYLINDER")[k % 4]
        builder.add_body(
            f"{k}", kind, size, random.normal(size=3), random.normal(size=4), mass=mass,
            velocity=random.normal(size=3), angular_velocity=random.normal(size=3),
        )  # fmt: skip
    builder.add_collider("floor", "PLANE", (), (0, 0, -1))
    model = builder.finalize()
    state = run(model, 24, FrameInputs(gravity=gravity))
    assert np.isfinite(state.body_position).all()
    assert np.isfinite(state.body_orientation).all()


def test_what_starts_within_each_other_parts_gently():
    builder = ModelBuilder()
    for k in range(4):
        builder.add_body(f"{k}", "BOX", (0.25,) * 3, (0.05 * k, 0.02 * k, 0), mass=1.0)
    model = builder.finalize()
    state = model.initial_state(gravity=WEIGHTLESS)
    for _ in range(120):
        state = run(model, 1, FrameInputs(gravity=WEIGHTLESS), state)
        assert np.linalg.norm(velocity(state), axis=1).max() < 0.5
    half = np.full((4, 3), 0.25)
    assert body_depths(state.body_position, state.body_orientation, half).max(initial=0.0) < 0.01


def test_a_body_that_blew_up_is_named():
    builder = ModelBuilder()
    builder.add_body("fine", "SPHERE", (1,), (0, 0, 0), mass=1.0)
    builder.add_body("rocket", "SPHERE", (1,), (9, 0, 0), mass=1.0, velocity=(6000, 0, 0))
    model = builder.finalize()
    with pytest.raises(SimulationDiverged, match=r"rocket.*6e\+03 m/s") as caught:
        run(model, 1)
    assert caught.value.object_name == "rocket"
    state = model.initial_state()
    state.body_position[0, 1] = np.nan
    with pytest.raises(ModelError, match=r"body_position of the state .* not finite"):
        run(model, 1, state=state)


def linked_pair():
    builder = ModelBuilder()
    for name, x in (("first", 0.0), ("second", 0.6)):
        builder.add_body(name, "BOX", (0.25,) * 3, (x, 0, 1), mass=1.0, drag=0.5)
    builder.add_joint("hinge", OnBody(0), OnBody(1), (0.3, 0, 1))
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    return builder.finalize()


def test_a_frame_knows_nothing_of_the_frame_before_it_but_its_state():
    """A model's scratch memory keeps forces, drags and joints that the next frame may not have."""
    wild = FrameInputs(
        gravity=(1.0, 2.0, 3.0),
        fields=(Field("whirl", "VORTEX", strength=50.0, shape="LINE"),),
        animated=(AnimatedSettings(drag=50.0),) * 2,
        collider_position=np.full((1, 3), 0.5),
        joint_hold=np.zeros(1),
    )
    used, unused = (linked_pair() for _ in range(2))
    start = run(used, 3)
    run(used, 3, wild, start)
    was_here, was_not = (run(model, 2, state=start) for model in (used, unused))
    for name, value in was_not.columns().items():
        assert np.array_equal(was_here.columns()[name], value), name


def test_a_state_that_nobody_may_write_to_can_be_advanced():
    builder = ModelBuilder()
    builder.add_body("box", "BOX", (0.25,) * 3, (0, 0, 1), mass=1.0)
    model = builder.finalize()
    state = run(model, 1)
    frozen = state.copy()
    for value in frozen.columns().values():
        if isinstance(value, np.ndarray):
            value.setflags(write=False)  # empty ones too: kernels get those of joints
    assert np.array_equal(
        run(model, 2, state=frozen).body_position, run(model, 2, state=state).body_position
    )


def test_figures_tell_energy_and_depth_of_bodies():
    builder = ModelBuilder()
    spin = (0.0, 0.0, 4.0)
    builder.add_body(
        "box",
        "BOX",
        (0.1, 0.2, 0.3),
        (0, 0, 7),
        mass=2.0,
        velocity=(3, 0, 0),
        angular_velocity=spin,
    )
    model = builder.finalize()
    state, figures = advance(model, model.initial_state(), FrameInputs(), ONE_THREAD)
    t = state.time
    kinetic = 0.5 * 2.0 * (9.0 + (9.81 * t) ** 2) + 0.5 * model.bodies.inertia[0, 2] * 16.0
    assert figures.kinetic_energy == pytest.approx(kinetic, rel=1e-5)
    height = 7.0 - 0.5 * 9.81 * t * t
    assert figures.potential_energy == pytest.approx(2.0 * 9.81 * height, rel=1e-9)
    builder.add_body("other", "BOX", (0.1, 0.2, 0.3), (0.15, 0, 7), mass=2.0)
    model = builder.finalize()
    _, figures = advance(model, model.initial_state(), FrameInputs(duration=1 / 480), ONE_THREAD)
    assert figures.penetration == pytest.approx(0.05, abs=5e-3)
    assert figures.contact_count > 0
