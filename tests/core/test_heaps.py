"""Heaps of balls: they bear, slide, rest, sleep and wake."""

import numpy as np
import pytest

from verlet_physics import FrameInputs, ModelBuilder, Shape, SolverSettings, Surface, advance
from verlet_physics.model.field import Field
from verlet_physics.stages.grab import grab_particle
from verlet_physics.truth.heaps import block_of_balls, deepest_overlap

R = 0.06
WEIGHTY = FrameInputs()
WEIGHTLESS = FrameInputs(gravity=(0.0, 0.0, 0.0))


def balls(x, **about):
    builder = ModelBuilder()
    given = {"mass": 0.1, "radius": R, "friction": 0.4, "self_collision": True} | about
    builder.add_particles("balls", x, **given)
    return builder


def on_floor(builder, **about):
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0), **({"friction": 0.4} | about))
    return builder.finalize()


def run(model, state, frames, inputs=WEIGHTY, threads=1):
    settings = SolverSettings(threads=threads)
    for _ in range(frames):
        state, figures = advance(model, state, inputs, settings)
    return state, figures


def asleep(state):
    return state.balls.rest >= 0.5


@pytest.fixture(scope="module")
def heap():
    """A heap of 64 balls that sleeps on a floor, beside it one ball and a lid high above."""
    x = np.concatenate([block_of_balls(64) + (0, 0, R), [(3.0, 0.0, R)]])
    builder = balls(x)
    builder.add_collider("lid", "BOX", (0.3, 0.3, 0.05), (0.0, 0.0, 3.0))
    model = on_floor(builder)
    state, _ = run(model, model.initial_state(), 60)
    assert asleep(state).all()
    return model, state


def test_sleepers_stay_to_the_bit(heap):
    model, state = heap
    later, figures = run(model, state, 5)
    assert np.array_equal(later.position, state.position)
    assert np.array_equal(later.balls.impulse, state.balls.impulse)
    assert figures.kinetic_energy < 1e-6


def test_a_heap_wakes_when_gravity_turns_and_lone_balls_too(heap):
    model, state = heap
    later, _ = run(model, state, 6, FrameInputs(gravity=(3.0, 0.0, -9.81)))
    assert not asleep(later).any()
    assert (later.position[:, 0] > state.position[:, 0]).mean() > 0.5


def test_a_field_wakes_it(heap):
    model, state = heap
    wind = FrameInputs(fields=(Field("push", "WIND", strength=5.0),))
    later, _ = run(model, state, 2, wind)
    assert not asleep(later).any()


def test_a_collider_that_comes_wakes_what_it_touches_and_no_more(heap):
    model, state = heap
    place = model.colliders.position.copy()
    place[0, 2] = 0.3
    later, _ = run(model, state, 1, FrameInputs(collider_position=place))
    assert not asleep(later)[:64].any()
    assert asleep(later)[64]
    assert np.isfinite(later.position).all()


def test_a_hand_wakes_it(heap):
    model, state = heap
    grab = grab_particle(model, state, 64).toward((3.0, 0.0, 1.0))
    later, _ = run(model, state, 4, FrameInputs(grab=grab))
    assert later.position[64, 2] > R + 1e-3
    assert asleep(later)[:64].all()


def test_a_ball_that_falls_on_a_heap_wakes_what_touches_each_other(heap):
    model, given = heap
    state = given.copy()
    state.position[64] = state.previous[64] = (0.0, 0.0, 1.0)
    state.balls.rest[64] = 0.0
    falls, _ = run(model, state, 4)
    assert asleep(falls)[:64].all()
    later, _ = run(model, falls, 6)
    awake = ~asleep(later)[:64]
    assert awake.any()
    column = (
        np.linalg.norm(state.position[:64, None, :2] - state.position[None, :64, :2], axis=2) < R
    )
    assert (awake[:, None] == awake[None, :])[column].all()  # what stands on each other
    rests, _ = run(model, later, 60)
    assert asleep(rests).all()


@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_free_balls_keep_their_momentum(restitution):
    random = np.random.default_rng(4)
    x = block_of_balls(216)
    mass = random.uniform(0.1, 1.0, len(x))
    builder = balls(x, mass=mass, restitution=restitution, velocity=-2.0 * (x - x.mean(axis=0)))
    model = builder.finalize()
    state = model.initial_state(gravity=WEIGHTLESS.gravity)
    before = mass @ (state.position - state.previous) / state.step
    state, figures = run(model, state, 20, WEIGHTLESS)
    after = mass @ (state.position - state.previous) / state.step
    assert np.abs(after - before).max() < 1e-12 * len(x)
    centre = mass @ x / mass.sum() + before / mass.sum() * 20 / 24
    assert np.allclose(mass @ state.position / mass.sum(), centre, atol=1e-10)
    assert figures.kinetic_energy > 0.0


def test_balls_and_a_rigid_body_keep_their_momentum_together():
    x = block_of_balls(27) + (0, 0, 0.3)
    builder = balls(x, velocity=(0.0, 0.0, -3.0))
    builder.add_body("plate", "BOX", (0.5, 0.5, 0.1), (0.0, 0.0, 0.0), mass=2.0)
    model = builder.finalize()
    state = model.initial_state(gravity=WEIGHTLESS.gravity)
    state, _ = run(model, state, 12, WEIGHTLESS)
    p = 0.1 * (state.position - state.previous).sum(axis=0) / state.step
    p += 2.0 * (state.body_position - state.body_previous)[0] / state.step
    assert np.allclose(p, (0.0, 0.0, -3.0 * 2.7), atol=1e-9)
    assert state.body_position[0, 2] < -0.1


def test_friction_sets_how_high_a_heap_stands():
    heights = []
    for friction in (0.0, 0.3, 0.6):
        x = block_of_balls(125, shake=0.02) + (0, 0, R)
        model = on_floor(balls(x, friction=friction), friction=friction)
        state, _ = run(model, model.initial_state(), 72)
        heights.append(state.position[:, 2].mean())
    assert heights[0] < 1.01 * R
    assert heights[0] < heights[1] < heights[2]


@pytest.mark.parametrize("tangent", [0.35, 0.45])
def test_a_layer_holds_on_a_slope_up_to_the_angle_of_friction(tangent):
    x = block_of_balls(27)
    x = x[x[:, 2] < 0.1] * (1, 1, 0) + (0, 0, R)
    model = on_floor(balls(x))
    g = 9.81 / np.hypot(1.0, tangent)
    state, _ = run(model, model.initial_state(), 48, FrameInputs(gravity=(g * tangent, 0.0, -g)))
    way = (state.position - x)[:, 0].mean()
    slid = 0.5 * g * max(0.0, tangent - 0.4) * 4.0
    assert way == pytest.approx(slid, abs=0.01 + 0.02 * slid)


@pytest.mark.parametrize(
    ("radius", "mass"),
    [(1e-3, 1e-5), (10.0, 4e6), ("mixed", 0.1), (R, "mixed")],
)
def test_balls_of_all_sizes_and_masses_rest_shallow(radius, mass):
    random = np.random.default_rng(8)
    size = 0.1 if radius == "mixed" else radius
    r = random.uniform(0.02, 0.1, 125) if radius == "mixed" else np.full(125, radius)
    m = np.where(np.arange(125) % 2, 0.1, 10.0) if mass == "mixed" else mass
    x = block_of_balls(125) / R * size + (0, 0, 2.0 * size)
    builder = balls(x, radius=r, mass=m)
    walls = (7.0 * size, 7.0 * size, 90.0 * size)
    builder.add_collider("room", "ROOM", walls, (0.0, 0.0, 90.0 * size), friction=0.4)
    model = builder.finalize()
    state, _ = run(model, model.initial_state(), 240 if size > 1.0 else 120)
    assert deepest_overlap(state.position, r) < 0.02
    assert (state.position[:, 2] > 0.98 * r).all()
    assert asleep(state).all()


@pytest.fixture(scope="module")
def landing():
    """1200 balls in several slabs as they land in a room, and the frames before."""
    x = block_of_balls(1200)
    builder = balls(x + (0, 0, 0.1), restitution=0.5)
    builder.add_collider("room", "ROOM", (0.8, 0.8, 3.0), (0.0, 0.0, 3.0))
    return builder.finalize()


def test_threads_give_the_same_bits(landing):
    ends = []
    for threads in (1, 2):
        state, _ = run(landing, landing.initial_state(), 10, threads=threads)
        ends.append(state.position.tobytes() + state.balls.impulse.tobytes())
    assert ends[0] == ends[1]


def test_a_frame_knows_nothing_of_the_one_before_but_its_state(landing):
    state, _ = run(landing, landing.initial_state(), 8)
    once, _ = run(landing, state.copy(), 2)
    run(landing, landing.initial_state(), 3)
    again, _ = run(landing, state.copy(), 2)
    assert once.position.tobytes() == again.position.tobytes()
    assert once.balls.contact.tobytes() == again.balls.contact.tobytes()


def test_a_bowl_of_triangles_holds_a_heap():
    n = 24
    u = np.linspace(-1.0, 1.0, n)
    gx, gy = np.meshgrid(u, u)
    v = np.stack([gx, gy, 0.8 * (gx**2 + gy**2)], axis=-1).reshape(-1, 3)
    a = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).reshape(-1)
    triangle = np.concatenate(
        [np.stack(t, 1) for t in ((a, a + 1, a + n), (a + 1, a + n + 1, a + n))]
    )
    x = block_of_balls(64) + (0, 0, 0.4)
    builder = balls(x)
    bowl = Shape.of("bowl", "MESH", surface=Surface(v, triangle.astype(np.int32)))
    builder.add_collider_shapes("bowl", [bowl], (0, 0, 0))
    model = builder.finalize()
    state, _ = run(model, model.initial_state(), 96)
    x = state.position
    assert deepest_overlap(x, model.particles.radius) < 0.02
    assert (x[:, 2] > 0.8 * (x[:, 0] ** 2 + x[:, 1] ** 2)).all()
    assert np.linalg.norm((x - state.previous) / state.step, axis=1).max() < 0.05
