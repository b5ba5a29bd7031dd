"""What drives ragdolls: pins, muscles that balance, friction beside them, the way back to keys."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from test_recipe_ragdoll import human, skeleton

from verlet_physics import FrameInputs, ModelBuilder, SolverSettings, advance
from verlet_physics.model.field import Field
from verlet_physics.model.joint_table import OnCollider
from verlet_physics.model.pull import Pull
from verlet_physics.recipes import pose_return
from verlet_physics.recipes.bone_joints import rotation_vector
from verlet_physics.recipes.bone_pins import BonePin
from verlet_physics.recipes.ragdoll import add_ragdoll
from verlet_physics.recipes.ragdoll_planning import plan_ragdoll
from verlet_physics.recipes.skeleton import turn_about
from verlet_physics.settings import AnimatedSettings, PinSettings, RagdollSettings
from verlet_physics.truth.joints import joint_gaps

FRAME = 1.0 / 24.0
UP = np.array([0.0, 0.0, 1.0])


def pinned(bones, names, floor=False, **options):
    """A model of a character whose bones of these names are pinned to handles at their tails."""
    plan = plan_ragdoll("Human", bones, RagdollSettings(**options))
    builder = ModelBuilder()
    if floor:
        builder.add_collider("Floor", "BOX", (5, 5, 0.5), (0, 0, -0.6))
    pins = []
    for name in names:
        bone = bones.name.index(name)
        handle = builder.add_handle(name, bones.tail[bone], (1, 0, 0, 0))
        pins.append(BonePin(bone, PinSettings(), OnCollider(handle)))
    made = add_ragdoll(builder, plan, pins=pins)
    return plan, builder.finalize(), made


def test_a_hand_is_dragged_while_both_feet_are_held():
    _plan, model, made = pinned(human(), ["hand.L", "foot.L", "foot.R"], collides_itself=False)
    state = model.initial_state(0)
    start = state.body_position.copy()
    pins = list(made.pins)
    worst = others = 0.0
    for frame in range(36):
        a = (frame + 1) / 24.0
        held = model.colliders.position.copy()
        held[1] += (0.2 * np.sin(3 * a), -0.25 * np.sin(2 * a), -0.2 * (1 - np.cos(2 * a)))
        state, _ = advance(model, state, FrameInputs(collider_position=held), SolverSettings())
        found = joint_gaps(model, state)
        worst = max(worst, found[pins].max())
        others = max(others, np.delete(found, pins).max())
    assert worst < 2e-3
    assert others < 2e-3
    assert np.linalg.norm(state.body_position - start, axis=1).max() > 0.3


def test_a_pin_holds_the_character_to_a_fraction_of_a_millimetre_and_lets_go_when_told():
    _plan, model, made = pinned(human(), ["hand.L"])
    state = model.initial_state(0)
    hold = np.ones(len(model.joints))
    for _ in range(120):
        state, _ = advance(model, state, FrameInputs(joint_hold=hold), SolverSettings())
    assert joint_gaps(model, state)[made.pins[0]] < 4e-4
    mass = model.bodies.mass / model.bodies.mass.sum()
    height = mass @ state.body_position[:, 2]
    speed = mass @ (state.body_position - state.body_previous)[:, 2] / state.step
    hold[made.pins[0]] = 0.0
    for _ in range(12):
        state, _ = advance(model, state, FrameInputs(joint_hold=hold), SolverSettings())
    thrown = height + 0.5 * speed - 0.5 * 9.81 * 0.25
    assert mass @ state.body_position[:, 2] == pytest.approx(thrown, abs=0.02)
    assert state.joints.broken.sum() == 0
    hold[made.pins[0]] = 1.0
    for _ in range(60):
        state, _ = advance(model, state, FrameInputs(joint_hold=hold), SolverSettings())
    assert joint_gaps(model, state)[made.pins[0]] < 0.01


def test_the_less_firm_pin_gives_way_where_both_cannot_be_reached():
    bones = human()
    plan = plan_ragdoll("Human", bones, RagdollSettings())
    builder = ModelBuilder()
    pins = []
    for name, firmness in (("foot.L", 1.0), ("hand.L", 0.02)):
        bone = bones.name.index(name)
        handle = builder.add_handle(name, bones.tail[bone], (1, 0, 0, 0))
        pins.append(BonePin(bone, PinSettings(pin_firmness=firmness), OnCollider(handle)))
    made = add_ragdoll(builder, plan, pins=pins)
    model = builder.finalize()
    state = model.initial_state(0)
    held = model.colliders.position.copy()
    for _frame in range(48):
        held[1, 0] += 0.05
        state, _ = advance(model, state, FrameInputs(collider_position=held), SolverSettings())
    found = joint_gaps(model, state)
    assert found[made.pins[0]] < 0.05
    assert found[made.pins[1]] > 0.8
    assert np.delete(found, made.pins).max() < 1e-3


def test_what_lies_asleep_wakes_for_its_pin():
    _plan, model, made = pinned(human(), ["hand.L"], floor=True)
    state = model.initial_state(0)
    hold = np.ones(len(model.joints))
    hold[made.pins[0]] = 0.0
    for _ in range(120):
        state, _ = advance(model, state, FrameInputs(joint_hold=hold), SolverSettings())
    assert (state.body_rest > 0.4).all()
    lying = state.body_position.copy()
    hold[made.pins[0]] = 1.0
    for _ in range(48):
        state, _ = advance(model, state, FrameInputs(joint_hold=hold), SolverSettings())
    assert joint_gaps(model, state)[made.pins[0]] < 0.02
    assert np.abs(state.body_position - lying).max() > 0.5


def test_the_pull_brings_bodies_to_where_they_are_wanted_with_no_more_than_its_force():
    builder = ModelBuilder()
    for number in range(2):
        builder.add_body(f"Ball {number}", "SPHERE", (0.1,), (number, 0, 0), mass=2.0)
    model = builder.finalize()
    state = model.initial_state(0)
    start = state.body_position + (0, 0, 0.5)
    speed = np.array([0.5, 0.0, 0.0])
    frequency, most = np.array([4.0, 4.0]), np.array([50.0, 5.0])
    for frame in range(48):
        ends = (start + frame * FRAME * speed, start + (frame + 1) * FRAME * speed)
        pull = Pull(*ends, frequency, most)
        state, _ = advance(model, state, FrameInputs(pull=pull), SolverSettings())
    sag = 9.81 / (2 * np.pi * 4.0) ** 2
    np.testing.assert_allclose(ends[1][0] - state.body_position[0], (0, 0, sag), atol=2e-3)
    fall = 0.5 * (9.81 - 5.0) * 2.0**2  # the weak one only falls more slowly
    assert start[1, 2] - 0.5 - state.body_position[1, 2] == pytest.approx(fall, rel=0.15)


def swing(strength):
    """How far (rad) an arm that hangs level has fallen in half a second, and its model."""
    bones = skeleton(
        [("root", None, (0, 0, 1), (0.4, 0, 1)), ("arm", "root", (0.4, 0, 1), (1, 0, 1))]
    )
    plan = plan_ragdoll("Arm", bones, RagdollSettings(stiffness=2.0))
    builder = ModelBuilder()
    made = add_ragdoll(builder, plan, has_muscles=True)
    model = builder.finalize()
    state = model.initial_state(0)
    factors = [AnimatedSettings(pin=0.0)] * 2
    factors[made.objects[0]] = AnimatedSettings(pin=1.0)
    inputs = FrameInputs(
        animated=tuple(factors),
        joint_pose=np.array([[1.0, 0.0, 0.0, 0.0]]),
        joint_strength=np.array([strength]),
    )
    for _ in range(12):
        state, _ = advance(model, state, inputs, SolverSettings())
    return model.bodies.position[1, 2] - state.body_position[1, 2]


def test_joints_rub_where_muscles_are_too_weak_to_win():
    assert swing(0.0) < 1e-3  # twice the torque that holds it level
    assert swing(0.001) < 1e-3
    assert swing(1.0) < 0.02


@pytest.mark.parametrize("kind", ["HIT", "EXPLOSION"])
def test_hits_and_explosions_throw_limbs(kind):
    plan = plan_ragdoll("Human", human(), RagdollSettings())
    builder = ModelBuilder()
    made = add_ragdoll(builder, plan)
    model = builder.finalize()
    names = [plan.skeleton.name[part.bone] for part in plan.parts]
    chest = made.objects[names.index("chest")]
    place = model.bodies.position[chest] + (0, 0.3, 0)
    blow = Field(
        "Blow",
        kind,
        tuple(place),
        (np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0),  # Z to −Y
        strength=4.0 if kind == "HIT" else 0.5,
        distance_max=0.45,
        time=1.5 * FRAME,
    )
    inputs = FrameInputs(gravity=(0, 0, 0), fields=(blow,))
    state = model.initial_state(0)
    state, _ = advance(model, state, inputs, SolverSettings())
    assert np.abs(state.body_position - model.bodies.position).max() < 1e-3
    state, _ = advance(model, state, inputs, SolverSettings())
    velocity = (state.body_position - state.body_previous) / state.step
    assert velocity[chest, 1] < -0.5
    assert np.abs(velocity[:, 1]).max() < 6.0
    assert joint_gaps(model, state).max() < 2e-3
    mean = (model.bodies.mass[:, None] * velocity).sum(axis=0) / model.bodies.mass.sum()
    assert -4.0 < mean[1] < -0.1


# ---------------------------------------------------------------------- back to the keys

PARENTS = [-1, 0, 1]


def posed(root, place, *bends):
    """Turns and heads of three parts in a row, half a metre each, bent one against the other."""
    turn, head = [root], [np.asarray(place, dtype=float)]
    for bend in bends:
        head.append(head[-1] + turn[-1] @ (0.5, 0, 0))
        turn.append(turn[-1] @ turn_about(UP, bend))
    return np.array(turn), np.array(head)


def way_back(blend=0.5, velocity=(0.0, 0.0, 0.0), bend=0.1):
    """Poses of frames from the last simulated one on, of keys that walk along X."""
    move = np.array(velocity) * FRAME
    tilt = turn_about(np.array([0.0, 1.0, 0.0]), 1.2)
    before, now = (posed(tilt, (0, 2, 0.1) + n * move, 0.9, -0.7) for n in (-1, 0))
    held = np.ones(3, dtype=bool)
    free = pose_return.at_rest(~held)
    first = posed(np.eye(3), (0, 0, 1), 0.0, bend)
    known = pose_return.begun(free, held, PARENTS, 1.0, now, before, first, FRAME)
    found, keys = [now], [None]
    for frame in range(1, 20):
        keyed = posed(np.eye(3), (1.4 * frame * FRAME, 0, 1), 0.02 * frame, bend + 0.02 * frame)
        found.append(pose_return.returned(known, [0, 1, 2], 1.0 + frame * FRAME, blend, keyed))
        keys.append(keyed)
    return found, keys


def test_the_way_back_begins_where_it_was_and_ends_in_the_keys():
    found, keys = way_back()
    for frame in (12, 15, 19):
        for mine, theirs in zip(found[frame], keys[frame], strict=True):
            np.testing.assert_allclose(mine, theirs, atol=1e-12)
    heads = np.array([head for _, head in found])
    lengths = np.linalg.norm(np.diff(heads, axis=1), axis=2)
    np.testing.assert_allclose(lengths, 0.5, atol=1e-12)
    step = np.linalg.norm(np.diff(heads, axis=0), axis=2)
    assert step[0].max() < 0.02
    turned = [
        np.linalg.norm(rotation_vector(b[2] @ a[2].T))
        for (a, _), (b, _) in itertools.pairwise(found)
    ]
    assert turned[0] < 0.02
    assert max(turned) < 0.6
    jerk = np.linalg.norm(np.diff(heads, n=2, axis=0), axis=2)
    assert jerk.max() < 0.15  # m a frame²: 5.8 D/T² of a way D of 2 m and a turn


def test_half_a_turn_keeps_its_side_while_the_keys_go_on():
    found, _ = way_back(bend=np.pi - 0.7 - 0.12)  # beyond half a turn after six frames
    turned = [
        np.linalg.norm(rotation_vector(b[2] @ a[2].T))
        for (a, _), (b, _) in itertools.pairwise(found)
    ]
    assert max(turned) < 0.9


def test_what_still_moved_goes_on_moving():
    found, _ = way_back(velocity=(0.0, -3.0, 0.0))
    first = found[1][1][0] - found[0][1][0]
    assert first[1] == pytest.approx(-3.0 * FRAME, rel=0.2)


def test_a_blend_of_no_time_is_a_jump_and_parts_that_stay_limp_are_left_alone():
    found, keys = way_back(blend=0.0)
    np.testing.assert_allclose(found[1][1], keys[1][1], atol=1e-12)
    held = np.array([True, False, False])
    known = pose_return.at_rest(held)
    pose = posed(np.eye(3), (0, 0, 0), 0.1, 0.2)
    both = held | (np.arange(3) == 1)
    later = pose_return.begun(known, both, PARENTS, 2.0, pose, pose, pose, FRAME)
    assert later.base[1] == 0
    assert np.isinf(later.since).tolist() == [True, False, True]
    again = pose_return.begun(later, held, PARENTS, 3.0, pose, pose, pose, FRAME)
    assert np.isinf(again.since).all()
    assert replace(again).held.tolist() == [True, False, False]
