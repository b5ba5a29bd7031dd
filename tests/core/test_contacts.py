"""Contacts: distances against brute force, friction and tunnelling against hand calculation."""

import math

import numpy as np
import pytest

from verlet_physics import (
    ClothSettings,
    FrameInputs,
    ModelBuilder,
    RopeSettings,
    SolverSettings,
    advance,
    body_poses,
)
from verlet_physics.bench.scenes import add_sheet
from verlet_physics.collision.kinds import SHAPE_KINDS
from verlet_physics.collision.point_distance import solid_distance
from verlet_physics.collision.shape import Shape, Surface
from verlet_physics.particles.contacts.contact_point import contact_room
from verlet_physics.particles.contacts.hook import ContactHook
from verlet_physics.particles.contacts.own_clothes import spare_clothes
from verlet_physics.particles.contacts.pin_holds import PinHolds
from verlet_physics.recipes.geometry import Geometry
from verlet_physics.recipes.rope import add_rope
from verlet_physics.vector import rotation_matrix

SECOND = 24
MODELS = pytest.mark.parametrize("kind", ["QUATERNION", "TETRAHEDRON", "AXES"])


def run(model, frames, inputs=None, **settings):
    chosen = SolverSettings(**settings)
    state = model.initial_state(step=1 / chosen.substep_rate)
    for _ in range(frames):
        state, figures = advance(model, state, inputs or FrameInputs(), chosen)
    return state, figures


def momentum_of(model, state, span=None):
    """Momentum (3,) kg·m/s of one object, or of all."""
    particles = slice(None) if span is None else span.particles
    moved = (state.position - state.previous)[particles] / state.step
    total = (model.particles.mass[particles, None] * moved).sum(axis=0)
    bodies = np.arange(len(model.bodies))
    if span is not None:
        bodies = bodies[bodies == span.body] if span.particle_count == 0 else bodies[:0]
    moved = (state.body_position - state.body_previous)[bodies] / state.step
    return total + (model.bodies.mass[bodies, None] * moved).sum(axis=0)


def particle_on(shape, size, place, turn=(1, 0, 0, 0), start=(0, 0, 1), **about):
    builder = ModelBuilder()
    velocity = about.pop("velocity", (0, 0, 0))
    builder.add_particles("ball", [start], mass=1.0, velocity=velocity, **about)
    builder.add_collider("ground", shape, size, place, turn, friction=about.get("friction", 0.5))
    return builder.finalize()


@pytest.mark.parametrize(
    ("shape", "size"),
    [("BOX", (0.5, 0.3, 0.2)), ("SPHERE", (0.4, 0, 0)), ("CAPSULE", (0.2, 0.5, 0))],
)
def test_distance_is_that_to_the_nearest_surface_point(shape, size):
    random = np.random.default_rng(0)
    size = np.array(size, dtype=float)
    surface = surface_points(shape, size, random)
    for p in random.uniform(-1, 1, (200, 3)):
        p = tuple(p)
        gap, normal = solid_distance(None, SHAPE_KINDS[shape], size, -1, 0, p, p, 0.0)
        nearest = np.linalg.norm(surface - p, axis=1).min()
        assert abs(gap) == pytest.approx(nearest, abs=0.02)
        assert np.linalg.norm(normal) == pytest.approx(1.0)
        on_surface = p - gap * np.array(normal)
        assert np.linalg.norm(surface - on_surface, axis=1).min() < 0.03


def surface_points(shape, size, random):
    count = 60_000
    if shape == "BOX":
        points = random.uniform(-1, 1, (count, 3))
        axis = random.integers(0, 3, count)
        points[np.arange(count), axis] = np.sign(points[np.arange(count), axis])
        return points * size
    ball = random.normal(size=(count, 3))
    ball *= size[0] / np.linalg.norm(ball, axis=1, keepdims=True)
    if shape == "SPHERE":
        return ball
    ball[:, 2] += np.sign(ball[:, 2]) * size[1]
    ring = random.normal(size=(count, 2))
    ring *= size[0] / np.linalg.norm(ring, axis=1, keepdims=True)
    return np.concatenate([ball, np.c_[ring, random.uniform(-size[1], size[1], count)]])


@pytest.mark.parametrize("degrees", [26.0, 27.1])
def test_a_particle_holds_on_a_slope_up_to_the_angle_of_friction(degrees):
    angle = math.radians(degrees)
    turn = (math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0)
    model = particle_on("PLANE", (), (0, 0, 0), turn, start=(0, 0, 0), friction=0.5)
    state, _ = run(model, 2 * SECOND)
    moved = np.linalg.norm(state.position[0])
    if degrees < math.degrees(math.atan(0.5)):
        assert moved < 1e-9
    else:
        slide = 9.81 * (math.sin(angle) - 0.5 * math.cos(angle)) * 2.0**2 / 2
        assert moved == pytest.approx(slide, rel=0.02)


def test_friction_slows_by_mu_g_and_never_reverses():
    model = particle_on("PLANE", (), (0, 0, 0), start=(0, 0, 0), velocity=(3, 0, 0), friction=0.5)
    state = model.initial_state()
    for frame in range(1, 25):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
        speed = (state.position[0, 0] - state.previous[0, 0]) / state.step
        exact = max(0.0, 3.0 - 0.5 * 9.81 * frame / 24)
        assert speed == pytest.approx(exact, abs=0.02)
        assert speed >= 0.0


def test_a_turning_belt_carries_what_lies_on_it():
    model = particle_on("BOX", (5, 5, 0.5), (0, 0, -0.5), start=(0, 0, 0), friction=1.0)
    state = model.initial_state()
    for frame in range(1, 25):
        inputs = FrameInputs(collider_position=np.array([[0.02 * frame, 0, -0.5]]))
        state, _ = advance(model, state, inputs, SolverSettings())
    assert state.position[0, 0] == pytest.approx(0.48, abs=0.02)


def test_a_rising_collider_lifts_a_particle():
    model = particle_on("BOX", (1, 1, 0.1), (0, 0, -0.1), start=(0, 0, 0))
    state = model.initial_state()
    for frame in range(1, 25):
        inputs = FrameInputs(collider_position=np.array([[0, 0, -0.1 + frame / 24]]))
        state, _ = advance(model, state, inputs, SolverSettings())
    assert state.position[0, 2] == pytest.approx(1.0, abs=0.01)


def test_what_a_collider_lifts_against_another_one_ends_below_that():
    builder = ModelBuilder()
    builder.add_particles("ball", [(0.01 * k, 0, 0) for k in range(20)], mass=1.0)
    builder.add_collider("lift", "BOX", (1, 1, 0.1), (0, 0, -0.1))
    builder.add_collider("ceiling", "BOX", (1, 1, 0.1), (0, 0, 0.2))
    model = builder.finalize()
    settings = SolverSettings(substep_rate=24.0)
    state = model.initial_state(step=1 / 24)
    inputs = FrameInputs(collider_position=np.array([[0, 0, 0.05], [0, 0, 0.2]]))
    state, _ = advance(model, state, inputs, settings)
    assert state.position[:, 2] == pytest.approx(0.1, abs=1e-6)


def test_particles_meet_colliders_together_as_each_would_alone():
    random = np.random.default_rng(3)
    x = np.cumsum(random.normal(0.0, 0.08, (60, 3)), axis=0)
    radius = random.uniform(0.0, 0.05, 60)
    turn = random.normal(size=(5, 4))
    turn /= np.linalg.norm(turn, axis=1)[:, None]

    def met(rows):
        builder = ModelBuilder()
        thrown = {"mass": 1.0, "velocity": (0, 0, -3.0), "radius": radius[rows], "restitution": 0.3}
        builder.add_particles("dust", x[rows], **thrown)
        builder.add_collider("slope", "PLANE", (), (0, 0, -0.8), turn[0] * (1, 0.1, 0.1, 0.1))
        builder.add_collider("box", "BOX", (0.2, 0.3, 0.1), (0, 0, -0.2), turn[1])
        builder.add_collider("ball", "SPHERE", (0.2,), (0.3, 0.2, 0), turn[2])
        builder.add_collider("log", "CAPSULE", (0.1, 0.4), (-0.2, 0.3, 0.1), turn[3])
        builder.add_collider("room", "ROOM", (2, 2, 2), (0, 0, 0), turn[4])
        return run(builder.finalize(), 12)[0].position

    together = met(np.arange(60))
    assert np.abs(together - x).max() > 0.1
    for k in range(0, 60, 7):
        assert met(np.array([k])).tobytes() == together[[k]].tobytes()


def test_a_fast_particle_does_not_pass_a_thin_wall():
    model = particle_on(
        "BOX", (1, 1, 0.005), (0, 0, 0), start=(0, 0, 5), velocity=(0, 0, -200), radius=0.001
    )
    state, _ = run(model, SECOND)
    assert state.position[0, 2] > 0.0


def test_an_overlapping_start_is_left_without_a_kick():
    model = particle_on("SPHERE", (0.5,), (0, 0, 0), start=(0.3, 0, 0.1))
    still = FrameInputs(gravity=(0, 0, 0))
    state = model.initial_state(gravity=(0, 0, 0))
    for _ in range(6):
        state, _ = advance(model, state, still, SolverSettings())
        assert np.linalg.norm(state.position - state.previous) < 1e-12
    assert np.linalg.norm(state.position[0]) == pytest.approx(0.5)


@MODELS
def test_overlapping_bodies_part_gently(kind):
    builder = ModelBuilder()
    for k in range(3):
        builder.add_body(
            f"box {k}", "BOX", (0.5,) * 3, (0.1 * k, 0.05 * k, 0.2 * k), mass=1.0, model=kind
        )
    model = builder.finalize()
    state = model.initial_state(gravity=(0, 0, 0))
    for _ in range(120):
        state, figures = advance(model, state, FrameInputs(gravity=(0, 0, 0)), SolverSettings())
        assert figures.kinetic_energy < 0.05
    assert figures.penetration < 5e-3


@pytest.mark.parametrize("kind", ["QUATERNION", "TETRAHEDRON"])
@pytest.mark.parametrize(("along", "up"), [(0.01, 0.102), (0.03, 0.098), (0.2, 0.05), (0.5, 0.05)])
def test_what_overlaps_near_a_pin_parts_without_swinging_the_far_end(along, up, kind):
    """The free end came at 22 m/s, for a push of 1 m/s a hand's breadth from the pin.

    The pin itself is outside of the ball: what is rooted in it touches it not at all.
    """
    builder = ModelBuilder()
    line = Geometry.of("rope", np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0)]), [(0, 1)])
    add_rope(builder, line, RopeSettings(diameter=0.02, drag=0.0), pin_weight=np.array([1.0, 0.0]))
    builder.add_body("ball", "SPHERE", (0.1,), (along, 0.0, up), mass=100.0, model=kind)
    model = builder.finalize()
    state, inputs = model.initial_state(), FrameInputs(duration=1 / 480, gravity=(0.0, 0.0, 0.0))
    fastest = 0.0
    for _ in range(200):
        before = state.position[1]
        state, _ = advance(model, state, inputs, SolverSettings())
        fastest = max(fastest, float(np.linalg.norm(state.position[1] - before)) * 480)
    assert 0.05 < fastest < 1.01
    ball = state.body_position[0] if kind == "QUATERNION" else state.position[2:6].mean(axis=0)
    away = state.position[1] / np.linalg.norm(state.position[1])
    assert np.linalg.norm(ball - away * (ball @ away)) > 0.11 - 1e-3


def test_a_room_keeps_particles_inside():
    random = np.random.default_rng(1)
    builder = ModelBuilder()
    builder.add_particles(
        "dust", random.uniform(-0.4, 0.4, (200, 3)), mass=1.0, restitution=0.9,
        velocity=random.uniform(-30, 30, (200, 3)),
    )  # fmt: skip
    builder.add_collider("room", "ROOM", (0.5, 0.6, 0.7), (0, 0, 0))
    state, _ = run(builder.finalize(), 3 * SECOND)
    assert (np.abs(state.position) <= np.array([0.5, 0.6, 0.7]) + 1e-9).all()


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
@MODELS
def test_bodies_bounce_by_their_restitution(restitution, kind):
    builder = ModelBuilder()
    builder.add_body(
        "box", "BOX", (0.2,) * 3, (0, 0, 1.2), mass=3.0, restitution=restitution, model=kind
    )
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    model = builder.finalize()
    state = model.initial_state()
    heights = []
    for _ in range(480):
        state, _ = advance(model, state, FrameInputs(duration=1 / 480), SolverSettings())
        heights.append(body_poses(model, state)[0][0, 2])
    landed = int(np.argmin(heights[: len(heights) // 2]))
    apex = max(heights[landed:]) - 0.2
    assert apex == pytest.approx(restitution**2, abs=0.03)


@MODELS
def test_two_bodies_keep_their_momentum_and_bounce_apart(kind):
    builder = ModelBuilder()
    builder.add_body(
        "a", "SPHERE", (0.3,), (-1, 0, 0), mass=1.0, velocity=(3, 0, 0), restitution=1, model=kind
    )
    builder.add_body("b", "SPHERE", (0.3,), (1, 0.2, 0), mass=3.0, restitution=1, model=kind)
    model = builder.finalize()
    still = FrameInputs(duration=1 / 480, gravity=(0, 0, 0))
    state = model.initial_state(gravity=(0, 0, 0))

    def momentum(state):
        return momentum_of(model, state)

    before = momentum(state)
    closest = math.inf
    for _ in range(480):
        state, _ = advance(model, state, still, SolverSettings())
        places = body_poses(model, state)[0]
        closest = min(closest, np.linalg.norm(places[1] - places[0]))
    assert np.allclose(momentum(state), before, atol=1e-9)
    assert closest > 0.57
    assert (places[1] - places[0]) @ (1, 0, 0) > 1.0
    assert momentum(state)[0] == pytest.approx(3.0)
    light = momentum_of(model, state, model.objects[0])
    assert light[0] < 0.0  # the lighter one is thrown back


SHAPES = {"BOX": (0.3, 0.25, 0.2), "SPHERE": (0.25,)}
GROUNDS = {
    "PLANE": ((), (0, 0, 0)),
    "BOX": ((3, 3, 0.5), (0, 0, -0.5)),
    "ROOM": ((2, 2, 2), (0, 0, 2)),
    "SPHERE": ((30.0,), (0, 0, -30.0)),
    "CAPSULE": ((30.0, 5.0), (0, 0, -30.0)),
}


@pytest.mark.parametrize("body", SHAPES)
@pytest.mark.parametrize("ground", GROUNDS)
@MODELS
def test_every_body_comes_to_rest_on_every_collider(body, ground, kind):
    builder = ModelBuilder()
    turn = (0.9, 0.3, 0.2, 0.1) if ground != "CAPSULE" else (1, 0, 0, 0)
    builder.add_body(
        "body", body, SHAPES[body], (0.1, 0.05, 0.8), turn, mass=2.0, friction=1.0, model=kind
    )
    size, place = GROUNDS[ground]
    along_x = (math.sqrt(0.5), 0, math.sqrt(0.5), 0) if ground == "CAPSULE" else (1, 0, 0, 0)
    builder.add_collider("ground", ground, size, place, along_x, friction=1.0)
    model = builder.finalize()
    state, figures = run(model, 4 * SECOND)
    height = body_poses(model, state)[0][0, 2]
    assert figures.penetration < 2e-3
    # on one of its faces, whichever way it came down
    face = min(SHAPES[body], key=lambda half: abs(height - half))
    assert height == pytest.approx(face, abs=0.02)


@MODELS
def test_crossed_edges_of_two_boxes_meet_in_one_point(kind):
    """A box standing on its edge lands across the edge of another: only edges can touch."""
    builder = ModelBuilder()
    half = 0.25
    lift = half * math.sqrt(2)
    lying = (math.cos(math.pi / 8), math.sin(math.pi / 8), 0, 0)  # edge up, along x
    crossing = (math.cos(math.pi / 8), 0, math.sin(math.pi / 8), 0)  # edge down, along y
    builder.add_collider("lower", "BOX", (half,) * 3, (0, 0, 0), lying)
    builder.add_body(
        "upper", "BOX", (half,) * 3, (0, 0, 2 * lift + 0.05), crossing, mass=1.0, model=kind
    )
    model = builder.finalize()
    state = model.initial_state()
    for _ in range(6):
        state, figures = advance(model, state, FrameInputs(), SolverSettings())
    assert body_poses(model, state)[0][0, 2] == pytest.approx(2 * lift, abs=2e-3)
    assert figures.contact_count == 1


@MODELS
def test_a_slack_sheet_holds_a_crate_up(kind):
    n = 24
    builder = ModelBuilder()
    add_sheet(builder, n, pins=(0, n - 1, n * (n - 1), n * n - 1))
    builder.add_body("crate", "BOX", (0.3, 0.3, 0.1), (0, 0, 0.3), mass=0.5, model=kind)
    model = builder.finalize()
    state = model.initial_state()
    corners = state.position[model.pins.particle]
    for frame in range(5 * SECOND):
        closer = 1.0 - 0.2 * min(1.0, frame / SECOND)
        inputs = FrameInputs(pin_position=corners * (closer, closer, 1.0))
        state, _ = advance(model, state, inputs, SolverSettings())
    assert -1.0 < state.position[n * (n // 2) + n // 2, 2] < -0.3
    place, turn = (pose[0] for pose in body_poses(model, state))
    seen = (state.position[: n * n] - place) @ rotation_matrix(turn)  # from the crate
    assert not (np.abs(seen) < (0.3, 0.3, 0.1)).all(axis=1).any()
    # its corners lie on the sheet, and what is slack between hangs a little below it
    start, end = seen[model.sticks.pair[:, 0]], seen[model.sticks.pair[:, 1]]
    along = np.concatenate([start + t * (end - start) for t in np.linspace(0.0, 1.0, 11)])
    beyond = np.abs(along) - (0.3, 0.3, 0.1)
    away = np.linalg.norm(np.maximum(beyond, 0.0), axis=1) + np.minimum(beyond.max(axis=1), 0.0)
    assert away.min() == pytest.approx(model.particles.radius.max(), abs=1e-3)
    below = -0.1 - seen[(np.abs(seen[:, :2]) < 0.3).all(axis=1), 2]
    assert below.max() < 0.08


@MODELS
def test_a_ball_thrown_into_a_free_sheet_gives_it_its_momentum(kind):
    """Two ways in one solver: what the ball loses the sheet gains, to rounding."""
    builder = ModelBuilder()
    add_sheet(builder, 24, settings=ClothSettings(drag=0.0))
    builder.add_body(
        "ball", "SPHERE", (0.3,), (0.1, 0, -0.5), mass=0.5, velocity=(0, 0, 2), model=kind
    )
    model = builder.finalize()
    still = FrameInputs(gravity=(0, 0, 0))
    state = model.initial_state(gravity=(0, 0, 0))

    ball = model.objects[1]
    before = momentum_of(model, state)
    assert momentum_of(model, state, ball)[2] == pytest.approx(1.0)
    for _ in range(SECOND):
        state, _ = advance(model, state, still, SolverSettings())
    assert np.allclose(momentum_of(model, state), before, atol=1e-10)
    assert momentum_of(model, state, ball)[2] < 0.6


@MODELS
def test_a_stack_of_three_stands(kind):
    builder = ModelBuilder()
    for k in range(3):
        builder.add_body(
            f"box {k}", "BOX", (0.25,) * 3, (0, 0, 0.25 + 0.5 * k), mass=1.0, model=kind
        )
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    model = builder.finalize()
    state, figures = run(model, 5 * SECOND)
    places = body_poses(model, state)[0]
    assert np.allclose(places[:, 2], [0.25, 0.75, 1.25], atol=2e-3)
    assert np.abs(places[:, :2]).max() < 0.02
    assert figures.penetration < 1e-3


@pytest.mark.parametrize("kind", ["QUATERNION", "TETRAHEDRON"])
@pytest.mark.parametrize("floor", ["PLANE", "MESH"])
def test_cloth_between_a_body_and_the_floor_stays_on_the_floor(kind, floor):
    builder = ModelBuilder()
    add_sheet(builder, 21, height=0.05)
    builder.add_body("crate", "BOX", (0.3, 0.3, 0.3), (0, 0, 0.8), mass=70.0, model=kind)
    if floor == "PLANE":
        builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    else:
        corners = np.array([(-9.0, -9, 0), (9, -9, 0), (9, 9, 0), (-9, 9, 0)])
        surface = Surface(corners, np.array([(0, 1, 2), (0, 2, 3)], dtype=np.int32))
        builder.add_collider_shapes(
            "floor", [Shape.of("floor", "MESH", surface=surface)], (0, 0, 0)
        )
    model = builder.finalize()
    cloth = np.flatnonzero(model.particles.radius > 0.0)
    state = model.initial_state()
    for frame in range(72):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
        if frame >= 24:  # the first blow may press some in for a moment
            assert (state.position[cloth, 2] > model.particles.radius[cloth] - 1e-5).all(), frame


def test_a_body_that_lies_on_cloth_goes_on_alike_in_a_fresh_model():
    """What is known of contacts and of what backs them does not outlive a substep."""

    def build():
        builder = ModelBuilder()
        builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
        add_sheet(builder, 20, height=0.3)
        place, turn = (0.05, 0.02, 0.6), (1.0, 0.1, 0.2, 0.05)
        builder.add_body("box", "BOX", (0.1, 0.1, 0.1), place, turn, mass=1.0)
        return builder.finalize()

    model = build()
    states = [model.initial_state()]
    for _ in range(24):
        states.append(advance(model, states[-1], FrameInputs(), SolverSettings())[0])
    for kept in (9, 13, 20):
        fresh, state = build(), states[kept]
        for _ in range(kept, 24):
            state, _ = advance(fresh, state, FrameInputs(), SolverSettings())
        assert (state.position == states[-1].position).all()
        assert (state.body_position == states[-1].body_position).all()


def test_contacts_with_own_clothes_alone_stay_as_they_are():
    """Of a shirt on body 0, worn by group 3, a rag of nobody's and a sock on body 2, of group 5."""
    garment = np.array([3, -1, 5], dtype=np.int32)  # of each particle
    wearer = np.array([3, -1, 5], dtype=np.int32)  # of each body
    touching = [(0, 0, 1), (0, 2, 0), (1, 0, 0), (1, 1, 0), (2, 2, 1), (0, -1, 0), (0, 3, 0)]
    solving = contact_room(len(touching) + 1).solving
    for c, (particle, owner, _) in enumerate(touching):
        solving[c]["place"][0]["particle"][:] = particle
        solving[c]["place"][1]["owner"] = owner
    solving[2]["stays"] = 1  # for another reason
    spare_clothes(solving, len(touching), garment, wearer)
    stays = [one["stays"] for one in solving]
    assert stays == [1, 0, 1, 0, 1, 0, 0, 0]


def test_hooks_say_which_parts_of_a_substep_they_have_a_use_for():
    parts = ("look", "find", "hold", "relax", "support", "spare", "stop")
    assert not any(ContactHook().does(part) for part in parts)
    hook = PinHolds.__new__(PinHolds)
    assert [part for part in parts if hook.does(part)] == ["support"]
