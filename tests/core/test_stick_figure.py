"""Stick figures: what they are made of, how their bones are turned, falls, limits, contacts."""

import itertools
import math

import numpy as np
import pytest
from test_recipe_ragdoll import human, plan, skeleton

from verlet_physics import FrameInputs, ModelBuilder, ModelError, SolverSettings, advance
from verlet_physics.particles.constraints.plane import MovingPlanes
from verlet_physics.recipes.bone_pins import BonePin
from verlet_physics.recipes.figure_pins import pin_weights, pinned_particles, pinned_places
from verlet_physics.recipes.limb_frames import figure_pose, limb_turns, note_hold
from verlet_physics.recipes.skeleton import turn_about
from verlet_physics.recipes.stick_figure import add_stick_figure, plan_figure, segment_gaps
from verlet_physics.settings import PinSettings

X, Y, Z = np.eye(3)


def figure(**settings):
    return plan_figure(plan(**settings))


def row_of(found, name):
    """The limb that a bone leads."""
    return int(found.plan.part_of_bone[found.plan.skeleton.name.index(name)])


def build(found, lift=0.0, turn=None, held=None, floor=True, **options):
    builder = ModelBuilder()
    count = len(found.plan.skeleton)
    turns = np.tile(np.eye(3) if turn is None else turn, (count, 1, 1))
    add_stick_figure(
        builder, found, turns, np.tile((0.0, 0.0, lift), (count, 1)), held=held, **options
    )
    if floor:
        builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    return builder.finalize()


def simulate(model, frames, inputs=None):
    """The states of so many frames."""
    inputs = inputs or FrameInputs()
    state, states = model.initial_state(gravity=inputs.gravity), []
    for _ in range(frames):
        state, _ = advance(model, state, inputs, SolverSettings())
        states.append(state)
    return states


def bends(found, x, limb):
    """How far a shin or forearm is bent from straight, degrees."""
    upper = found.limbs[row_of(found, limb)]
    lower = found.limbs[upper.bend]
    before = x[upper.end] - x[upper.particles[0]]
    along = x[lower.end] - x[lower.particles[0]]
    sine = float(np.linalg.norm(np.cross(before, along)))
    return math.degrees(math.atan2(sine, float(before @ along)))


def beyond_planes(found, x):
    """By the sine (q,) of which angle shins, forearms and feet are on the wrong side of planes."""
    a, b = x[found.plane[:, 1]], x[found.plane[:, 2]]
    c = np.einsum("qk,qki->qi", found.plane_weight, x[found.plane[:, 3:]])
    size = np.linalg.norm(b - a, axis=1) * np.linalg.norm(c - a, axis=1)
    size *= np.linalg.norm(x[found.plane[:, 0]] - b, axis=1)
    return np.maximum((found.plane_least - found.heights(x)) / size, 0.0)


# ---------------------------------------------------------------------- what it is made of


def test_particles_lie_at_the_joints_and_weigh_what_the_bones_do():
    found = figure(mass=80.0)
    assert found.mass.sum() == pytest.approx(80.0)
    assert found.mass.min() > 0.2
    bones = found.plan.skeleton
    for limb, part in zip(found.limbs, found.plan.parts):
        assert found.place[limb.particles[0]] == pytest.approx(bones.head[part.bone], abs=0.03)
    thigh, shin = (found.limbs[row_of(found, name)] for name in ("thigh.L", "shin.L"))
    assert set(thigh.particles) & set(shin.particles) == {thigh.end}  # a knee is one particle
    # centres of limbs stay where the bones' shapes have theirs, where ends alone can tell
    arm = found.plan.parts[row_of(found, "forearm.L")]
    assert abs(arm.fit.centre[0] - 0.575) < 0.07
    # trunk and hips turn as a whole, limbs tell where they point to alone
    framed = {name for name in bones.name if found.limbs[row_of(found, name)].has_frame}
    assert framed == {"spine", "chest"}


def test_middle_parts_of_a_long_spine_tell_how_they_are_turned():
    spine = [
        (f"spine{k}", f"spine{k - 1}" if k else None, (0, 0, k), (0, 0, k + 1)) for k in range(4)
    ]
    found = plan_figure(plan(skeleton(spine)))
    assert all(limb.has_frame for limb in found.limbs)


def test_a_single_bone_is_a_stick():
    found = plan_figure(plan(skeleton([("bone", None, (0, 0, 1), (0, 0, 2))])))
    assert (len(found.place), len(found.stick), len(found.link)) == (2, 1, 0)
    state = simulate(build(found), 48)[-1]
    assert np.isfinite(state.position).all()


# ---------------------------------------------------------------------- how bones are turned


def posed(found, turns):
    """Turns and moves (b, …) of all bones, each by its own turn about its head, parents first."""
    bones = found.plan.skeleton
    turn, move = np.tile(np.eye(3), (len(bones), 1, 1)), np.zeros((len(bones), 3))
    for b, name in enumerate(bones.name):
        above = int(bones.parent[b])
        own = turns.get(name, np.eye(3))
        if above >= 0:
            turn[b] = turn[above] @ own
            head = turn[above] @ bones.head[b] + move[above]
        else:
            turn[b], head = own, bones.head[b]
        move[b] = head - turn[b] @ bones.head[b]
    return turn, move


def test_a_known_pose_is_read_exactly():
    """Hips twisted and bent knees and elbows: what is bent tells how the limb above is twisted."""
    found = figure()
    lean = turn_about(np.array([0.6, 0.0, 0.8]), 1.0) @ turn_about(Y, 0.3)
    turns = {
        "spine": lean,
        "chest": turn_about(Z, 0.25) @ turn_about(X, 0.2),
        "thigh.L": turn_about(X, -0.7) @ turn_about(Z, 0.4),  # the last one twists it
        "shin.L": turn_about(X, 1.2),
        "thigh.R": turn_about(Y, 0.4) @ turn_about(Z, -0.3),
        "shin.R": turn_about(X, 0.6),
        "upper_arm.L": turn_about(Y, 0.8) @ turn_about(X, -0.5),
        "forearm.L": turn_about(Z, -1.1),
    }
    turn, move = posed(found, turns)
    seen = limb_turns(found, found.places(turn, move))
    for name in ("spine", "chest", *list(turns)[2:]):
        row = row_of(found, name)
        bone = found.plan.parts[row].bone
        assert seen[row] == pytest.approx(turn[bone], abs=1e-9), name
    assert np.linalg.det(seen) == pytest.approx(1.0)
    squares = np.einsum("pij,pik->pjk", seen, seen)
    assert squares == pytest.approx(np.tile(np.eye(3), (len(seen), 1, 1)), abs=1e-12)


def test_straight_limbs_turn_as_a_whole_with_what_they_hang_on():
    found = figure()
    turn, move = posed(found, {"spine": turn_about(Z, 2.0) @ turn_about(X, 0.5)})
    seen = limb_turns(found, found.places(turn, move))
    assert seen == pytest.approx(np.tile(turn[0], (len(seen), 1, 1)), abs=1e-9)


def test_what_particles_do_not_tell_is_kept():
    """A pose with twisted arms and bones moved aside is shown as it is, then carried on."""
    found = figure()
    random = np.random.default_rng(3)
    bones = found.plan.skeleton
    turns = {
        n: turn_about(v / np.linalg.norm(v), 0.4)
        for n, v in zip(bones.name, random.normal(size=(99, 3)))
    }
    turn, move = posed(found, turns)
    move += 0.01 * random.normal(size=move.shape)
    leaders = [part.bone for part in found.plan.parts]
    x = found.places(turn, move)
    hold = note_hold(found, x, turn[leaders], move[leaders])
    again = figure_pose(found, x, hold)
    assert again[0] == pytest.approx(turn[leaders], abs=1e-12)
    assert again[1] == pytest.approx(move[leaders], abs=1e-12)
    # and when all of it is carried somewhere, so is the pose
    whole = turn_about(np.array([0.0, 0.6, 0.8]), 2.2)
    then = figure_pose(found, x @ whole.T + (1.0, 2.0, 3.0), hold)
    assert then[0] == pytest.approx(whole @ turn[leaders], abs=1e-9)
    assert then[1] == pytest.approx(move[leaders] @ whole.T + (1.0, 2.0, 3.0), abs=1e-9)


# ---------------------------------------------------------------------- falls


def test_sticks_are_off_by_less_than_a_thousandth_in_the_mean_of_falls():
    """Single falls, of which some lie twisted for long, have .0004 to .002."""
    found = figure()
    length = np.linalg.norm(found.place[found.stick[:, 0]] - found.place[found.stick[:, 1]], axis=1)
    off = []
    for axis, angle in itertools.product((X, Y), (-1.1, -0.5, 0.3, 1.2)):
        for state in simulate(build(found, 0.6, turn_about(axis, angle)), 168):
            x = state.position
            now = np.linalg.norm(x[found.stick[:, 0]] - x[found.stick[:, 1]], axis=1)
            off.append(np.abs(now / length - 1.0).mean())
    assert np.mean(off) < 1e-3


@pytest.mark.parametrize("turn", [turn_about(X, 0.3), turn_about(X, -0.5), turn_about(Y, 1.2)])
def test_it_falls_keeps_its_lengths_and_comes_to_rest(turn):
    found = figure()
    model = build(found, 0.6, turn)
    length = np.linalg.norm(found.place[found.stick[:, 0]] - found.place[found.stick[:, 1]], axis=1)
    off, wrong = [], []
    states = simulate(model, 168)
    for state in states:
        x = state.position
        now = np.linalg.norm(x[found.stick[:, 0]] - x[found.stick[:, 1]], axis=1)
        off.append(np.abs(now / length - 1.0))
        assert (x[:, 2] - found.radius).min() > -1e-3
        wrong.append(beyond_planes(found, x))
    assert np.max(wrong) < 0.3  # in the frame of a hit, as the sine of an angle
    assert np.mean(wrong) < 2e-3
    assert np.max(wrong[-1]) < 0.02
    assert np.max(off) < 0.13  # in the frame of a hit
    assert np.max(off[-1]) < 0.01
    state = states[-1]
    assert np.abs(state.position - state.previous).max() / state.step < 0.02
    assert state.position[:, 2].max() < 0.7


def test_the_same_bits_twice():
    found = figure()
    ends = [simulate(build(found, 0.3, turn_about(X, 0.4)), 30)[-1].position for _ in range(2)]
    assert ends[0].tobytes() == ends[1].tobytes()


def test_it_starts_with_the_speed_of_its_animation():
    found = figure()
    count = len(found.plan.skeleton)
    rest = np.tile(np.eye(3), (count, 1, 1)), np.zeros((count, 3))
    before = rest[0], np.tile((-0.1, 0.0, 0.0), (count, 1))
    builder = ModelBuilder()
    add_stick_figure(builder, found, *rest, before, 1.0 / 24.0)
    assert builder.finalize().particles.velocity == pytest.approx(
        np.tile((2.4, 0, 0), (len(found.place), 1))
    )


# ---------------------------------------------------------------------- limits


def hang(found, names, gravity, frames=72):
    """The last state with the limbs of some bones held where they are."""
    limp = np.ones(len(found.plan.skeleton))
    limp[[found.plan.skeleton.name.index(name) for name in names]] = 0.0
    model = build(found, held=found.weights(limp), floor=False)
    return simulate(model, frames, FrameInputs(gravity=gravity))[-1].position


@pytest.mark.parametrize(
    ("held", "limb", "gravity", "aside", "most"),
    [
        (("spine", "thigh.L"), "thigh.L", (0.0, 9.81, 3.0), (9.81, 0.0, 0.0), 145.0),
        (("chest", "upper_arm.L"), "upper_arm.L", (-9.81, -9.81, 0.0), (0.0, 0.0, 9.81), 148.0),
    ],
)
def test_knees_and_elbows_bend_one_way_and_not_too_far(held, limb, gravity, aside, most):
    found = figure(collides_itself=False)
    free = bends(found, hang(found, held, gravity), limb)
    assert 60.0 < free < most + 2.0
    assert bends(found, hang(found, held, (0.0, -gravity[1], 0.0)), limb) < 8.0, "it bends back"
    rows = found.plane[:, 2] == found.limbs[row_of(found, limb)].end
    for pull in (aside, -np.array(aside)):
        assert beyond_planes(found, hang(found, held, pull))[rows].max() < 0.02, "it bends aside"


def test_hips_and_head_stay_within_their_cones():
    found = figure(collides_itself=False)
    for gravity in ((0.0, 0.0, 9.81), (9.81, 0.0, 5.0), (0.0, 9.81, 5.0)):
        x = hang(found, ("spine", "chest"), gravity, 96)
        widest = 0.0
        for name in ("thigh.L", "upper_arm.L", "upper_arm.R", "head"):
            row = row_of(found, name)
            limb, joint = found.limbs[row], found.plan.parts[row].joint
            way = x[limb.end] - x[limb.particles[0]]
            cosine = float(joint.first[:, 0] @ way) / float(np.linalg.norm(way))
            beyond = math.degrees(math.acos(cosine) - joint.swing)
            assert beyond < 2.0 or name == "head", (name, gravity)  # that hangs on the neck
            widest = max(widest, beyond)
        assert widest > -1.0  # something has come to its limit
    held = figure(collides_itself=False, looseness=0.0)
    x = hang(held, ("spine",), (0.0, -9.81, 0.0), 96)
    assert np.linalg.norm(x - held.place, axis=1).max() < 0.12


def test_a_held_pose_beyond_limits_is_let_go_gently():
    """Keys may bend a chest farther than its joint allows: let go, it comes back without a jump."""
    found = figure(collides_itself=False, stiffness=0.0)
    turns = {"chest": turn_about(X, 0.8), "shin.L": turn_about(X, -0.5)}
    there = found.places(*posed(found, turns))
    model = build(found, held=1.0, floor=False)
    still = {"gravity": (0.0, 0.0, 0.0)}
    state = model.initial_state(gravity=still["gravity"])
    for weight in (1.0, 1.0, 0.0):
        weights = np.full(len(there), weight)
        inputs = FrameInputs(pin_position=there, pin_weight=weights, **still)
        state, _ = advance(model, state, inputs, SolverSettings())
    assert np.linalg.norm(state.position - there, axis=1).max() < 0.1
    speeds = np.linalg.norm(state.position - state.previous, axis=1) / state.step
    assert 0.05 < speeds.max() < 2.5


def test_a_knee_stays_on_its_side_of_a_plane():
    """Bounds on the height over three particles: none inside, the nearest one beyond."""
    corners = [(0.2, 0.2, 0.1), (0, 0, 0), (1, 0, 0), (0, 1, 0)]
    for height, fall, wanted in ((0.1, 0.0, 0.1), (0.1, -9.81, 0.0), (-0.1, -9.81, 0.0)):
        builder = ModelBuilder()
        places = np.array(corners, dtype=float)
        places[0, 2] = height
        owner = builder.add_particles("flap", places, mass=1.0)
        builder.pin([1, 2, 3])
        builder.add_constraint(MovingPlanes.of(builder, owner, [(0, 1, 2, 3)], most=np.inf))
        model = builder.finalize()
        states = simulate(model, 36, FrameInputs(gravity=(0.0, 0.0, fall)))
        assert states[-1].position[0, 2] == pytest.approx(wanted, abs=1e-3)
        assert max(state.position[0, 2] for state in states) < 0.11  # brought back, not shot off
    with pytest.raises(ModelError, match="flap"):
        MovingPlanes.of(builder, owner, [(0, 1, 2, 3)], least=1.0)


# ---------------------------------------------------------------------- pins


def test_a_pin_holds_the_particle_at_the_bones_end_and_a_loose_one_the_weight_of_all():
    found = figure()
    bone = found.plan.skeleton.name.index("hand.L")
    count = len(found.plan.skeleton)
    still = np.tile(np.eye(3), (count, 1, 1)), np.zeros((count, 3))
    aim = found.plan.skeleton.tail[bone] + (0.0, 0.0, 0.3)
    low = {}
    for firmness in (1.0, 0.02):
        pin = BonePin(bone, PinSettings(pin_firmness=firmness), None, aim)
        row = pinned_particles(found, pin)
        assert row.tolist() == [found.limbs[row_of(found, "hand.L")].end]
        weight, place = np.zeros(len(found.place)), found.place.copy()
        weight[row] = pin_weights(found, pin)
        place[row] = pinned_places(found, pin, *still)
        model = build(found, held=0.0, floor=False)
        inputs = FrameInputs(pin_position=place, pin_weight=weight)
        x = simulate(model, 96, inputs)[-1].position[row[0]]
        low[firmness] = np.linalg.norm(x - place[row])
    assert low[1.0] < 1e-9
    end = found.plan.skeleton.tail[bone]
    assert place[row[0]] - aim == pytest.approx(found.place[row[0]] - end)
    assert low[0.02] < 0.15  # hangs on a spring of 4 Hz
    turned = BonePin(bone, PinSettings(pin_turns=True), None)
    assert len(pinned_particles(found, turned)) == 2


# ---------------------------------------------------------------------- contacts


def two_sticks(speed=1.0, slide=0.0, pinned=False):
    """Two crossing sticks of 1 m and 0.1 m radius, one above the other, that come together."""
    builder = ModelBuilder()
    builder.add_particles("low", [(-0.5, 0, 0), (0.5, 0, 0)], mass=[1.0, 2.0], friction=0.5)
    velocity = (slide, 0.0, -speed)
    builder.add_particles(
        "high", [(0.1, -0.5, 0.3), (0.1, 0.5, 0.3)], mass=1.0, velocity=velocity, friction=0.5
    )
    for stick in ([0, 1], [2, 3]):
        builder.add_sticks([stick])
        builder.add_limbs([stick], 0.1)
    if pinned:
        builder.pin([0, 1])
    return builder.finalize()


def momenta(model, state):
    m = (1.0 / model.particles.inverse_mass)[:, None]
    v = (state.position - state.previous) / state.step
    return (m * v).sum(axis=0), (m * np.cross(state.previous, v)).sum(axis=0)


def test_sticks_that_meet_keep_apart_and_keep_their_momenta():
    model = two_sticks(slide=0.5)
    still = FrameInputs(gravity=(0.0, 0.0, 0.0))
    states = simulate(model, 24, still)
    start = momenta(model, model.initial_state(gravity=still.gravity))
    gaps = [segment_gaps(s.position[None, :2], s.position[None, 2:])[0] for s in states]
    assert 0.199 < min(gaps) < 0.202
    speed = (states[-1].position - states[-1].previous) / states[-1].step
    assert np.abs(speed[:2, 2]).max() > 0.1  # the lower one was hit
    for state in states:
        linear, angular = momenta(model, state)
        assert linear == pytest.approx(start[0], abs=1e-9)
        assert angular == pytest.approx(start[1], abs=1e-6)


def test_a_stick_rests_on_another_between_their_ends():
    model = two_sticks(speed=0.0, pinned=True)
    x = simulate(model, 24)[-1].position
    assert x[2:, 2] == pytest.approx(0.2, abs=0.01)


def test_limbs_of_one_figure_meet_unless_they_are_told_not_to():
    """Legs that swing across each other stop at each other; thighs that touch at rest may."""
    found, ghost = figure(), figure(collides_itself=False)
    assert len(found.apart) > 20
    assert not len(ghost.apart)
    ends = []
    for each in (found, ghost):
        limp = np.ones(len(each.plan.skeleton))
        limp[[each.plan.skeleton.name.index(name) for name in ("spine", "thigh.R", "shin.R")]] = 0.0
        model = build(each, held=each.weights(limp), floor=False)
        states = simulate(model, 24, FrameInputs(gravity=(-9.81, 0.0, -2.0)))
        shins = [each.limbs[row_of(each, name)].particles for name in ("shin.L", "shin.R")]
        gaps = [segment_gaps(*(s.position[None, rows] for rows in shins)) for s in states]
        ends.append(float(np.min(gaps)))
    assert ends[0] > 0.1  # two shins of 5 cm
    assert ends[1] < 0.02  # went through


def test_bad_limbs_are_refused():
    builder = ModelBuilder()
    builder.add_particles("doll", [(0, 0, 0), (0, 0, 1)], mass=1.0)
    with pytest.raises(ModelError, match=r"doll.*limb radius"):
        builder.add_limbs([(0, 1)], 0.0)
    with pytest.raises(ModelError, match=r"doll: limbs that meet: 1 lies outside"):
        builder.add_limbs([(0, 1)], 0.1, [(0, 1)], 0.1)


def test_figures_in_a_heap_lie_on_each_other():
    found = plan_figure(plan(human()))
    builder = ModelBuilder()
    count = len(found.plan.skeleton)
    random = np.random.default_rng(1)
    for k in range(4):
        turn = turn_about(Z, random.random() * 6.0) @ turn_about(X, 1.5)
        lift = np.array([0.0, 0.0, 0.6 + 0.5 * k])
        middle = turn @ np.array([0.0, 0.0, 1.0])
        add_stick_figure(
            builder, found, np.tile(turn, (count, 1, 1)), np.tile(lift - middle, (count, 1))
        )
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    state = simulate(builder.finalize(), 96)[-1]
    x = state.position.reshape(4, -1, 3)
    assert x[:, :, 2].min() > 0.0
    heights = x[:, :, 2].mean(axis=1)
    assert heights.max() > 0.2  # they lie on each other, not in each other
