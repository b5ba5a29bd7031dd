"""Sleep: what rests sleeps, and whatever should wake it does, with all that leans on it."""

import copy

import numpy as np
import pytest

from verlet_physics import FrameInputs, ModelBuilder, SolverSettings, advance
from verlet_physics.bench.rigid_bodies import model_of
from verlet_physics.bench.rigid_scenes import ragdolls
from verlet_physics.bench.scenes import add_sheet
from verlet_physics.model.joint_table import OnBody
from verlet_physics.rigid.sleep.falling_asleep import WEDGED_PACE
from verlet_physics.rigid.sleep.stillness import REST_TIME
from verlet_physics.rotation import conjugate, product
from verlet_physics.settings import AnimatedSettings

ONE_THREAD = SolverSettings(threads=1)


def row_of_cubes(builder, count, *, across=0.0, **details):
    """Cubes of half a metre side by side, from x = across on, and two on top of them."""
    for k in range(count):
        builder.add_body(
            f"{k}", "BOX", (0.25,) * 3, (across + 0.5 * k, 0, 0.25), mass=1.0, **details
        )
    for k in range(count - 1):
        place = (across + 0.5 * k + 0.25, 0, 0.75)
        builder.add_body(f"top {k}", "BOX", (0.25,) * 3, place, mass=1.0, **details)


def stepped(model, state, frames, inputs=None):
    inputs = inputs or FrameInputs()
    for _ in range(frames):
        state, _ = advance(model, state, inputs, ONE_THREAD)
    return state


def asleep(state):
    return state.body_rest >= REST_TIME


def sleeping(build, frames=48):
    """A model of what `build` adds to a floor, and its state once all sleep."""
    builder = ModelBuilder()
    build(builder)
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    model = builder.finalize()
    state = stepped(model, model.initial_state(), frames)
    assert asleep(state).all()
    return model, state


def speed(state):
    return np.linalg.norm(state.body_position - state.body_previous, axis=1) / state.step


def test_sleepers_keep_every_bit():
    model, state = sleeping(lambda b: row_of_cubes(b, 3))
    later = stepped(model, state, 5)
    assert np.array_equal(later.body_position, state.body_position)
    assert np.array_equal(later.body_orientation, state.body_orientation)
    assert np.array_equal(later.contacts.remembered, state.contacts.remembered)


def test_a_body_that_may_not_sleep_does_not():
    builder = ModelBuilder()
    row_of_cubes(builder, 2, sleeps=False)
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    model = builder.finalize()
    assert not asleep(stepped(model, model.initial_state(), 72)).any()


def test_nothing_sleeps_in_flight():
    """At the top of its flight a body is slow for a moment only."""
    builder = ModelBuilder()
    builder.add_body("box", "BOX", (0.25,) * 3, (0, 0, 0), mass=1.0, velocity=(0, 0, 9.81))
    model = builder.finalize()
    state = model.initial_state()
    for _ in range(48):
        state = stepped(model, state, 1)
        assert not asleep(state).any()


def shot(sleeps):
    """A ball that hits a cube which has long rested beside others."""

    def build(builder):
        row_of_cubes(builder, 3, sleeps=sleeps)
        builder.add_body("ball", "SPHERE", (0.2,), (-20.0, 0, 0.3), mass=5.0, follows="ANIMATED")

    builder = ModelBuilder()
    build(builder)
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    model = builder.finalize()
    state = stepped(model, model.initial_state(), 48)
    place = state.body_position.copy()
    place[-1] = (-1.2, 0, 0.3)
    state = stepped(model, state, 1, FrameInputs(body_position=place))
    place[-1, 0] += 8.0 / 24.0
    state = stepped(model, state, 1, FrameInputs(body_position=place))
    free = (*(AnimatedSettings(pin=1.0) for _ in range(5)), AnimatedSettings(pin=0.0))
    for _ in range(3):
        state, _ = advance(model, state, FrameInputs(animated=free), ONE_THREAD)
    return model, state


def test_a_hit_on_sleepers_is_the_hit_on_what_never_slept():
    _, slept = shot(True)
    _, awake = shot(False)
    assert speed(awake)[:3].max() > 1.0
    assert np.allclose(slept.body_position, awake.body_position, atol=2e-3)


def test_the_whole_island_wakes_at_once():
    _, state = sleeping(lambda b: row_of_cubes(b, 6), 60)
    builder = ModelBuilder()
    row_of_cubes(builder, 6)
    builder.add_body("ball", "SPHERE", (0.2,), (-0.7, 0, 0.3), mass=2.0, velocity=(9, 0, 0))
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    with_ball = builder.finalize()
    state2 = with_ball.initial_state()
    for name in ("body_position", "body_previous", "body_orientation", "body_previous_orientation"):
        getattr(state2, name)[:-1] = getattr(state, name)
    state2.body_rest[:-1] = state.body_rest
    # the ball's shape is the last one: shapes of the others keep their numbers
    state2.contacts.remembered = state.contacts.remembered
    after = stepped(with_ball, state2, 1)
    assert not asleep(after).any()


def test_islands_that_touch_nothing_sleep_on():
    def build(builder):
        row_of_cubes(builder, 2)
        row_of_cubes(builder, 2, across=5.0)
        builder.add_body("ball", "SPHERE", (0.2,), (0.25, 0, 30.0), mass=5.0)

    builder = ModelBuilder()
    build(builder)
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    model = builder.finalize()
    state = stepped(model, model.initial_state(), 40)
    assert asleep(state)[:6].all()
    woke = np.zeros(6, dtype=bool)
    for _ in range(30):
        state = stepped(model, state, 1)
        woke |= ~asleep(state)[:6]
    assert woke[:3].all()
    assert not woke[3:].any()


@pytest.mark.parametrize("way", [(0, 0, -1.0), (0, 3.0, 0)])
def test_what_rests_on_a_collider_wakes_when_it_is_taken_away(way):
    builder = ModelBuilder()
    for k in range(3):
        builder.add_body(f"{k}", "BOX", (0.25,) * 3, (0, 0, 1.25 + 0.5 * k), mass=1.0)
    table = builder.add_collider("table", "BOX", (1, 1, 0.1), (0, 0, 0.9))
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    model = builder.finalize()
    state = stepped(model, model.initial_state(), 48)
    assert asleep(state).all()
    place = model.colliders.position.copy()
    for _ in range(24):
        place[table] += np.array(way) / 24.0
        state, _ = advance(model, state, FrameInputs(collider_position=place.copy()), ONE_THREAD)
    if way[2]:
        assert state.body_position[:, 2] == pytest.approx([0.25, 0.75, 1.25], abs=0.02)
    else:
        assert state.body_position[0, 1] > 0.2  # dragged along, or fallen


def test_what_rests_on_an_animated_body_wakes_when_it_is_let_go():
    builder = ModelBuilder()
    builder.add_body("shelf", "BOX", (1, 1, 0.1), (0, 0, 2), mass=1.0, follows="ANIMATED")
    builder.add_body("box", "BOX", (0.25,) * 3, (0, 0, 2.35), mass=1.0)
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    model = builder.finalize()
    state = stepped(model, model.initial_state(), 48)
    assert asleep(state)[1]
    let_go = (AnimatedSettings(pin=0.0), AnimatedSettings())
    for _ in range(24):
        state, _ = advance(model, state, FrameInputs(animated=let_go), ONE_THREAD)
    assert state.body_position[:, 2] == pytest.approx([0.1, 0.45], abs=0.02)


def test_a_collider_that_comes_pushes_sleepers():
    def build(builder):
        row_of_cubes(builder, 2)
        builder.add_collider("ram", "BOX", (0.2, 1, 1), (-3, 0, 1))

    model, state = sleeping(build)
    place = model.colliders.position.copy()
    for _ in range(48):
        place[0, 0] += 2.0 / 24.0
        state, _ = advance(model, state, FrameInputs(collider_position=place.copy()), ONE_THREAD)
    assert (state.body_position[:, 0] > place[0, 0] + 0.4).all()


def test_a_change_of_gravity_wakes_and_a_trifle_does_not():
    model, state = sleeping(lambda b: row_of_cubes(b, 2))
    same = stepped(model, state, 24, FrameInputs(gravity=(0, 0, -9.80)))
    assert np.array_equal(same.body_position, state.body_position)
    lifted = stepped(model, state, 24, FrameInputs(gravity=(0, 0, 2.0)))
    assert (lifted.body_position[:, 2] - state.body_position[:, 2] > 0.9).all()
    slid = stepped(model, state, 24, FrameInputs(gravity=(9.81, 0, -9.81)))
    assert slid.body_position[1, 0] - state.body_position[1, 0] > 1.0


def test_gravity_that_fades_slowly_is_noticed():
    """Sleepers compare with what they fell asleep under, not with the last frame."""
    model, state = sleeping(lambda b: row_of_cubes(b, 2))
    for frame in range(240):
        inputs = FrameInputs(gravity=(0, 0, -9.81 + frame * 0.05))
        state, _ = advance(model, state, inputs, ONE_THREAD)
    assert state.body_position[2, 2] > 1.0


def test_particles_that_land_wake_a_sleeper_and_give_it_their_momentum():
    builder = ModelBuilder()
    builder.add_body("box", "BOX", (0.25,) * 3, (0, 0, 0.25), mass=1.0, friction=0.0)
    builder.add_particles(
        "shot", [(-30.0, 0, 0.25)], mass=2.0, radius=0.05, friction=0.0, velocity=(15.0, 0, 4.9)
    )
    builder.add_collider("floor", "PLANE", (), (0, 0, 0), friction=0.0)
    model = builder.finalize()
    state = stepped(model, model.initial_state(), 26)
    assert asleep(state).all()
    state.position[0] = (-0.5, 0, 0.25)
    state.previous[0] = state.position[0] - np.array((10.0, 0, 0.1)) * state.step
    after = stepped(model, state, 4)
    v = (after.body_position - after.body_previous)[0, 0] / after.step
    assert v == pytest.approx(2.0 * 10.0 / 3.0, rel=0.02)  # e = 0: both go on together


def test_still_particles_let_it_sleep():
    builder = ModelBuilder()
    builder.add_body("box", "BOX", (0.25,) * 3, (0, 0, 0.25), mass=1.0)
    builder.add_particles("dust", [(0.1, 0.05, 0.51)], mass=0.01, radius=0.01)
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    model = builder.finalize()
    state = stepped(model, model.initial_state(), 48)
    assert asleep(state).all()


def test_cloth_that_lands_on_a_sleeper_wakes_it():
    builder = ModelBuilder()
    builder.add_body("box", "BOX", (0.25,) * 3, (0, 0, 0.25), mass=1.0)
    add_sheet(builder, 12, height=2.5)
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    model = builder.finalize()
    state = model.initial_state()
    seen = set()
    for _ in range(48):
        state = stepped(model, state, 1)
        seen.add(bool(asleep(state)[0]))
    assert seen == {True, False}


def test_sleep_agrees_at_every_frame_rate():
    for duration in (1 / 24, 1 / 60):
        builder = ModelBuilder()
        row_of_cubes(builder, 3)
        builder.add_collider("floor", "PLANE", (), (0, 0, 0))
        model = builder.finalize()
        state = stepped(
            model, model.initial_state(), round(1.5 / duration), FrameInputs(duration=duration)
        )
        assert asleep(state).all()


def stack(builder, count, height, **details):
    for k in range(count):
        place = (0, 0, height + 0.25 + 0.5 * k)
        builder.add_body(f"{k}", "BOX", (0.25,) * 3, place, mass=1.0, **details)


def test_one_that_may_not_sleep_keeps_those_awake_that_it_touches_and_no_others():
    builder = ModelBuilder()
    for k in range(8):
        builder.add_body(f"{k}", "BOX", (0.25,) * 3, (0.4995 * k, 0, 0.25), mass=1.0, sleeps=k > 0)
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    model = builder.finalize()
    state = stepped(model, model.initial_state(), 48)
    assert asleep(state).tolist() == [False, False] + 6 * [True]


def test_a_light_blow_wakes_the_near_ones_alone():
    def build(builder):
        for k in range(20):
            builder.add_body(f"{k}", "BOX", (0.25,) * 3, (0.4995 * k, 0, 0.25), mass=1.0)
        builder.add_body("pea", "SPHERE", (0.05,), (0, 0, 8.0), mass=0.02)

    builder = ModelBuilder()
    build(builder)
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    model = builder.finalize()
    state = stepped(model, model.initial_state(), 24)
    assert asleep(state)[:-1].all()
    woke = np.zeros(21, dtype=bool)
    for _ in range(24):
        state = stepped(model, state, 1)
        woke |= ~asleep(state)
    # 0.02 kg at 12 m/s, shared by as many as a touch would not make faster than 0.04 m/s
    assert woke[:3].all()
    assert not woke[10:-1].any()


@pytest.mark.parametrize("way", ["let go", "driven away"])
def test_a_sleeping_stack_falls_as_one(way):
    """What bears a sleeper and leaves wakes all above it at once."""

    def run(sleeps):
        builder = ModelBuilder()
        stack(builder, 6, 2.1, sleeps=sleeps)
        builder.add_body("shelf", "BOX", (1, 1, 0.1), (0, 0, 2), mass=1.0, follows="ANIMATED")
        builder.add_collider("floor", "PLANE", (), (0, 0, 0))
        model = builder.finalize()
        state = stepped(model, model.initial_state(), 48)
        assert asleep(state)[:6].all() == sleeps
        if way == "let go":
            free = (*(AnimatedSettings(pin=1.0) for _ in range(6)), AnimatedSettings(pin=0.0))
            return stepped(model, state, 12, FrameInputs(animated=free))
        place = state.body_position.copy()
        for _ in range(10):
            place[-1] += (0.0, 0.0, -0.2)
            state = stepped(model, state, 1, FrameInputs(body_position=place.copy()))
        return state

    slept, awake = run(True), run(False)
    assert awake.body_position[0, 2] < 1.8
    assert np.allclose(slept.body_position, awake.body_position, atol=1e-3)


def pulled_out(sleeps, speed, frames):
    """A stack of four on one more and on a drawer that is pulled out; the four sleep or do not."""
    builder = ModelBuilder()
    stack(builder, 5, 0.5, sleeps=sleeps, friction=0.1)
    builder.add_body(
        "drawer", "BOX", (0.3, 0.25, 0.25), (0, 0, 0.25), mass=1.0, sleeps=False, friction=0.1
    )
    builder.add_collider("floor", "PLANE", (), (0, 0, 0), friction=0.1)
    model = builder.finalize()
    state = stepped(model, model.initial_state(), 48)
    assert asleep(state)[1:5].all() == sleeps
    state.body_previous[-1, 0] -= speed * state.step
    return stepped(model, state, frames)


def test_a_stack_falls_as_one_when_its_lowest_body_is_taken_out():
    """A body that is awake leaves the sleepers that it bears."""
    slept, awake = (pulled_out(sleeps, 30.0, 6) for sleeps in (True, False))
    assert awake.body_position[-1, 0] > 2.0
    assert awake.body_position[0, 2] < 0.65
    heights = slept.body_position[:5, 2]
    assert np.allclose(np.diff(heights[1:]), 0.5, atol=2e-3)
    assert np.allclose(slept.body_position, awake.body_position, atol=5e-3)


def test_what_sleeps_weighs_on_what_slides_under_it():
    """The drawer is braked by all four from the start, and takes them along as if awake."""
    slept, awake = (pulled_out(sleeps, 1.0, 24) for sleeps in (True, False))
    assert 0.03 < awake.body_position[-1, 0] < 0.2
    assert np.allclose(slept.body_position, awake.body_position, atol=5e-3)


def test_a_blow_goes_through_one_that_is_awake():
    def run(sleeps):
        builder = ModelBuilder()
        for k in range(6):
            builder.add_body(
                f"{k}",
                "BOX",
                (0.25,) * 3,
                (0.4999 * k, 0, 0.25),
                mass=1.0,
                friction=0.2,
                sleeps=sleeps and k > 0,
            )
        builder.add_body("ball", "SPHERE", (0.2,), (-20.0, 0, 0.25), mass=5.0, follows="ANIMATED")
        builder.add_collider("floor", "PLANE", (), (0, 0, 0), friction=0.2)
        model = builder.finalize()
        state = stepped(model, model.initial_state(), 48)
        assert asleep(state)[2:6].all() == sleeps
        state.body_position[-1] = (-0.6, 0, 0.25)
        state.body_previous[-1] = (-0.6 - 6.0 * state.step, 0, 0.25)
        free = (*(AnimatedSettings(pin=1.0) for _ in range(6)), AnimatedSettings(pin=0.0))
        return stepped(model, state, 6, FrameInputs(animated=free))

    slept, awake = run(True), run(False)
    assert speed(awake)[5] > 0.5
    assert np.allclose(slept.body_position, awake.body_position, atol=2e-2)


def test_what_is_wedged_has_time_to_be_parted_and_sleeps_all_the_same():
    def falls_asleep(room):
        builder = ModelBuilder()
        builder.add_body("cube", "BOX", (0.25,) * 3, (0, 0, 0.25), mass=1.0)
        builder.add_collider("floor", "PLANE", (), (0, 0, 0))
        for side in (-1.0, 1.0):
            builder.add_collider("wall", "BOX", (0.5,) * 3, (side * (0.75 + room), 0, 0.5))
        model = builder.finalize()
        state = model.initial_state()
        for frame in range(1, 241):
            state, _ = advance(model, state, FrameInputs(), ONE_THREAD)
            if asleep(state).all():
                return frame / 24.0
        return np.inf

    assert falls_asleep(0.001) == pytest.approx(REST_TIME, abs=0.3)
    # nothing can part it from two walls that stand a fifth of a millimetre too close
    assert falls_asleep(-0.0001) == pytest.approx(REST_TIME / WEDGED_PACE, abs=1.0)


def test_ragdolls_that_lie_on_each_other_do_not_creep():
    """Limp dolls in a heap, sleep off; arms that hang free may swing on.

    A doll may still roll over after six seconds in one start and not in the next, a micrometre
    beside it: the middle of five starts counts.
    """
    model = model_of(ragdolls(8), sleeps=False)
    ways = []  # m
    for start in range(5):
        state = model.initial_state()
        state.body_position[0, 0] += 1e-6 * start
        state.body_previous[0, 0] += 1e-6 * start
        state = stepped(model, state, 144)
        way = np.zeros(len(model.bodies))
        for _ in range(24):
            before = state.body_position
            state = stepped(model, state, 1)
            way += np.linalg.norm(state.body_position - before, axis=1)
        ways.append(np.median(way))
    # 1 to 120 µm as a rule; 0.5 to 5 mm where contacts came after joints
    assert np.median(ways) < 3e-4


SUBSTEP = 1.0 / 480.0


def test_what_hangs_together_wakes_in_one_piece():
    """Joints of sleepers are idle; in the step that wakes them they are to hold already."""
    model = model_of(ragdolls(1))
    state = stepped(model, model.initial_state(), 60)
    assert asleep(state).all()
    heavier = FrameInputs(gravity=(0.0, 0.0, -10.2), duration=SUBSTEP)
    for _ in range(12):
        state, _ = advance(model, state, heavier, ONE_THREAD)
        assert not asleep(state).any()
        # 0.5 mm/s; 12 mm/s where each limb fell by itself, pushed with the weight of the whole
        assert speed(state).max() < 2e-3


@pytest.fixture(scope="module")
def box_on_swinging_post():
    """A box on a heavy post at which a pendulum swings freely; box, post, pendulum."""
    builder = ModelBuilder()
    builder.add_body("box", "BOX", (0.2,) * 3, (0, 0, 1.2), mass=2.0)
    post = builder.add_body("post", "BOX", (0.5,) * 3, (0, 0, 0.5), mass=500.0)
    rod = builder.add_body("rod", "BOX", (0.02, 0.2, 0.02), (0.6, 0.2, 0.8), mass=0.2)
    builder.add_joint("pivot", OnBody(post), OnBody(rod), (0.6, 0, 0.8))
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    model = builder.finalize()
    return model, stepped(model, model.initial_state(), 48)


def test_one_sleeps_on_what_lies_still_though_something_swings_at_it(box_on_swinging_post):
    _, state = box_on_swinging_post
    assert asleep(state).tolist() == [True, False, False]
    assert speed(state)[2] > 0.1


def test_what_slips_away_under_a_sleeper_wakes_it(box_on_swinging_post):
    model, state = box_on_swinging_post
    state = copy.deepcopy(state)
    state.body_previous[1:, 0] -= 0.5 * state.step  # post and rod at 0.5 m/s
    state = stepped(model, state, 1)
    assert not asleep(state)[0]
    state = stepped(model, state, 23)
    box, post = state.body_position[:2, 0]
    assert post > 0.01
    assert box == pytest.approx(post, abs=0.02)  # it has gone along


FPS = 24


def on_a_floor(velocity, *, walls=False, floor="collider", details=None):
    """Two cubes, one on the other, on a floor of 10 m that begins with a velocity."""
    builder = ModelBuilder()
    for k in range(2):
        place = (0.0, 0.0, 0.25 + 0.5 * k)
        about = {"mass": 1.0, "velocity": velocity, **(details or {})}
        builder.add_body(f"{k}", "BOX", (0.25,) * 3, place, **about)
    if floor == "body":
        builder.add_body("floor", "BOX", (5, 5, 0.5), (0, 0, -0.5), mass=1.0, follows="PASSIVE")
    else:
        builder.add_collider("floor", "BOX", (5, 5, 0.5), (0, 0, -0.5))
    if walls:  # the cubes lean on it
        builder.add_collider("wall", "BOX", (0.25, 0.5, 0.5), (0.5, 0, 0.5))
    return builder


def led(model, state, frames, velocity, turn=None):
    """So many frames on, what is driven goes at a velocity; turn: of one frame, a quaternion."""
    for _ in range(frames):
        way = np.array(velocity) / FPS
        given = {"collider_position": state.collider_position + way}
        if turn is not None:
            turned = np.array([product(turn, tuple(q)) for q in state.collider_orientation])
            given["collider_orientation"] = turned
        given["body_position"] = state.body_position + way
        state, _ = advance(model, state, FrameInputs(duration=1 / FPS, **given), ONE_THREAD)
    return state


@pytest.mark.parametrize("floor", ["collider", "body"])
@pytest.mark.parametrize("velocity", [(10.0, 0.0, 0.0), (0.0, -2.0, 4.0)])
def test_what_rests_on_a_floor_that_moves_steadily_sleeps_and_goes_along(velocity, floor):
    model = on_a_floor(velocity, floor=floor).finalize()
    state = led(model, model.initial_state(), 36, velocity)
    assert asleep(state)[:2].all()
    later = led(model, state, 24, velocity)
    assert asleep(later)[:2].all()
    assert np.abs(later.body_position - state.body_position - np.array(velocity)).max() < 1e-12
    assert later.body_orientation[:2].tobytes() == state.body_orientation[:2].tobytes()


def test_what_leans_on_two_colliders_that_move_alike_sleeps():
    velocity = (5.0, 1.0, 0.0)
    model = on_a_floor(velocity, walls=True).finalize()
    assert asleep(led(model, model.initial_state(), 48, velocity)).all()


@pytest.mark.parametrize("change", [(1.0, 0.0, 0.0), (-10.0, 0.0, 0.0), (0.0, 0.0, -2.0)])
def test_a_floor_that_goes_on_otherwise_wakes_what_sleeps_on_it_with_the_velocity_it_had(change):
    velocity = (10.0, 0.0, 0.0)
    model = on_a_floor(velocity).finalize()
    state = led(model, model.initial_state(), 36, velocity)
    assert asleep(state).all()
    other = np.array(velocity) + change
    woken = led(model, state, 1, other)
    assert not asleep(woken).any()
    moved = (woken.body_position - state.body_position)[1] * FPS
    most = 0.5 * 9.81 / FPS + 1e-3  # friction, gravity
    assert np.abs(moved - velocity).max() < 2 * most


def test_a_floor_that_gathers_speed_slowly_takes_sleepers_along():
    velocity = np.array([3.0, 0.0, 0.0])
    model = on_a_floor(tuple(velocity)).finalize()
    state = led(model, model.initial_state(), 36, velocity)
    begin = state.body_position - state.collider_position
    for _ in range(24):
        velocity[0] += 0.05 / FPS
        state = led(model, state, 1, velocity)
        assert asleep(state).all()
    assert np.abs(state.body_position - state.collider_position - begin).max() < 1e-12


def test_sleepers_turn_with_a_slow_turntable_and_not_with_a_fast_one():
    def turned(spin, frames):
        model = on_a_floor((0.0, 0.0, 0.0)).finalize()
        half = 0.5 * spin / FPS
        turn = (np.cos(half), 0.0, 0.0, np.sin(half))
        return led(model, model.initial_state(), frames, (0.0, 0.0, 0.0), turn)

    early, late = turned(0.2, 48), turned(0.2, 96)
    assert asleep(early).all()
    assert asleep(late).all()
    way = product(tuple(late.body_orientation[1]), conjugate(tuple(early.body_orientation[1])))
    assert abs(2.0 * np.arccos(abs(way[0])) - 0.2 * 2.0) < 1e-9
    place = np.abs(late.body_position - early.body_position).max()
    assert place < 1e-3  # it lies on the axis


def test_a_floor_that_tilts_wakes_what_sleeps_on_it_before_it_would_slide():
    model = on_a_floor((0.0, 0.0, 0.0)).finalize()
    state = led(model, model.initial_state(), 36, (0.0, 0.0, 0.0))
    assert asleep(state).all()
    half = 0.5 * np.radians(0.5) / FPS
    turn = (np.cos(half), np.sin(half), 0.0, 0.0)
    slept = 0
    while asleep(state).any():
        state = led(model, state, 1, (0.0, 0.0, 0.0), turn)
        slept += 1
    assert slept < 3 * FPS  # 1.5°


def test_a_wall_that_stands_wakes_what_a_floor_carries_against_it():
    velocity = (2.0, 0.0, 0.0)
    builder = on_a_floor(velocity)
    builder.add_collider("wall", "BOX", (0.1, 1.0, 1.0), (6.0, 0.0, 1.0))
    model = builder.finalize()
    state = model.initial_state()
    for frame in range(5 * FPS):
        given = model.colliders.position.copy()
        given[0] += np.array(velocity) * (frame + 1) / FPS
        inputs = FrameInputs(duration=1 / FPS, collider_position=given)
        state, _ = advance(model, state, inputs, ONE_THREAD)
        if frame == 2 * FPS:
            assert asleep(state).all()
    assert state.body_position[:, 0].max() < 5.66


def test_a_hit_on_what_sleeps_on_a_floor_that_moves_is_the_hit_on_one_at_rest():
    def shot(velocity):
        builder = on_a_floor(velocity)
        place = np.array([-4.0, 0.0, 0.3])
        thrown = tuple(np.array([6.0, 0.0, 2.0]) + velocity)
        far = tuple(place - np.array([6.0, 0.0, 2.0]) * 2.0 + (0.0, 0.0, 0.5 * 9.81 * 4.0))
        builder.add_body("ball", "SPHERE", (0.1,), far, mass=0.5, velocity=thrown)
        model = builder.finalize()
        before = led(model, model.initial_state(), 40, velocity)
        assert asleep(before)[:2].all()
        after = led(model, before, 56, velocity)
        return after.body_position - np.array(velocity) * 4.0

    assert np.abs(shot((0.0, 0.0, 0.0)) - shot((7.0, 3.0, 0.0))).max() < 1e-6
