"""Contacts know how a limb answers a push with all that hangs on it."""

import numpy as np
import pytest

from verlet_physics import FrameInputs, ModelBuilder, SolverSettings, advance
from verlet_physics.model.joint_table import OnBody
from verlet_physics.rigid.articulation.articulated_inertia import (
    TURNS,
    begin_iterations,
    block_of,
    learn_responses,
    note_turns,
)
from verlet_physics.rigid.contacts.contact_aim import aim_contacts
from verlet_physics.rigid.contacts.limb_impulses import forget_answers
from verlet_physics.settings import JointSettings
from verlet_physics.workspace import workspace_of


def tree() -> ModelBuilder:
    """A trunk with two arms of two links each, and a leg; every joint of another kind."""
    builder = ModelBuilder()
    trunk = builder.add_body("trunk", "BOX", (0.2, 0.1, 0.3), (0, 0, 1), mass=20.0)
    for x in (-1, 1):
        upper = builder.add_body(f"upper {x}", "BOX", (0.15, 0.04, 0.05), (0.4 * x, 0, 1.2), mass=2)
        lower = builder.add_body(
            f"lower {x}", "BOX", (0.15, 0.03, 0.03), (0.7 * x, 0.1, 1.2), mass=1
        )
        settings = JointSettings("CONE_TWIST", is_limited=True, swing=1.0, lower=-0.5, upper=0.5)
        builder.add_joint(f"shoulder {x}", OnBody(trunk), OnBody(upper), (0.22 * x, 0, 1.2))
        builder.add_joint(
            f"elbow {x}", OnBody(upper), OnBody(lower), (0.55 * x, 0, 1.2), settings=settings
        )
    leg = builder.add_body("leg", "BOX", (0.06, 0.06, 0.3), (0, 0, 0.4), (0.9, 0.1, 0.2, 0), mass=5)
    hinge = JointSettings("HINGE", is_limited=True, lower=-0.5, upper=0.5)
    builder.add_joint("hip", OnBody(trunk), OnBody(leg), (0, 0, 0.7), settings=hinge)
    return builder


def test_a_response_is_what_joints_that_hold_leave_of_a_wrench():
    """Against M⁻¹ − M⁻¹ Jᵀ (J M⁻¹ Jᵀ)⁻¹ J M⁻¹ of dense matrices."""
    model = tree().finalize()
    advance(model, model.initial_state(), FrameInputs(), SolverSettings())
    work = workspace_of(model)
    limbs, joints, owners = work.body_contacts.limbs, work.joints, work.owners
    touched = [0, 2, 5]  # trunk, lower arm, leg
    limbs.body["touched"][touched] = 1
    groups = np.ones_like(work.body_contacts.groups.active)
    learn_responses(limbs, joints, owners, groups, np.zeros_like(groups))
    assert sorted(limbs.owner[: limbs.component["count"][0]]) == touched

    count = len(model.bodies)
    inverse = np.zeros((6 * count, 6 * count))
    for o in range(count):
        inverse[6 * o : 6 * o + 3, 6 * o : 6 * o + 3] = np.eye(3) * owners.inverse_mass[o]
        inverse[6 * o + 3 : 6 * o + 6, 6 * o + 3 : 6 * o + 6] = owners.inverse_inertia[o]
    held = []
    for j in range(len(model.joints)):
        first, met = joints.joint[j]["first_row"], joints.joint[j]["met_count"]
        for row in joints.met[first : first + met]:
            line = np.zeros(6 * count)
            for side, sign in ((0, -1.0), (1, 1.0)):
                o = joints.joint[j]["body"][side]
                line[6 * o : 6 * o + 3] = sign * joints.axis[row]["line"]
                line[6 * o + 3 : 6 * o + 6] = sign * joints.axis[row]["torque"][side]
            held.append(line)
    jacobian = np.array(held)
    assert len(held) == 2 * 3 + 2 * 3 + 5  # no limit holds
    pulls = jacobian @ inverse @ jacobian.T
    exact = inverse - inverse @ jacobian.T @ np.linalg.solve(pulls, jacobian @ inverse)
    for s in touched:
        for t in touched:
            found = limbs.response[block_of(limbs, s, t)]
            wanted = exact[6 * t : 6 * t + 6, 6 * s : 6 * s + 6].T
            # rows give way by 1e-5 of their diagonals, see `joint_matrix.EVEN`
            assert np.allclose(found, wanted, rtol=1e-3, atol=1e-4 * np.abs(exact).max())
    lone = inverse[30, 30]  # 1/kg, of the leg alone
    assert limbs.response[block_of(limbs, 5, 5)][2, 2] < 0.5 * lone


@pytest.mark.parametrize("links", [1, 3])
@pytest.mark.parametrize("rate", [240.0, 480.0])
def test_a_light_foot_stops_the_heavy_body_above_it(links, rate):
    """40 kg fall half a metre on a foot of 1 kg: 4 mm deep where contacts knew the foot alone."""
    builder = ModelBuilder()
    for n in range(links):
        place = (0, 0, 0.55 + 0.1 * n)
        foot = builder.add_body(f"foot {n}", "BOX", (0.05,) * 3, place, mass=1.0)
        if n:
            ends = OnBody(foot - 1), OnBody(foot)
            builder.add_joint(
                f"joint {n}", *ends, (0, 0, 0.5 + 0.1 * n), settings=JointSettings("FIXED")
            )
    place = (0, 0, 0.8 + 0.1 * links)
    trunk = builder.add_body("trunk", "BOX", (0.15, 0.15, 0.3), place, mass=40.0)
    ends = OnBody(trunk - 1), OnBody(trunk)
    ankle = (0, 0, 0.5 + 0.1 * links)
    builder.add_joint("ankle", *ends, ankle, settings=JointSettings("FIXED"))
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    model = builder.finalize()
    state = model.initial_state()
    height = []
    for _ in range(24):
        state, _ = advance(model, state, FrameInputs(), SolverSettings(substep_rate=rate))
        height.append(state.body_position[0, 2] - 0.05)
    assert min(height) > -1.5e-3
    fall = (state.body_position[:, 2] - state.body_previous[:, 2]) / state.step
    assert np.abs(fall).max() < 0.01


def test_responses_of_one_frame_are_not_known_in_another():
    models = []
    for _ in range(2):
        builder = tree()
        builder.add_collider("floor", "PLANE", (), (0, 0, 0))
        models.append(builder.finalize())
    used, unused = models
    settings = SolverSettings(substep_rate=240.0)

    def run(model, frames, state):
        for _ in range(frames):
            state, _ = advance(model, state, FrameInputs(), settings)
        return state

    later, known = used.initial_state(), workspace_of(used).body_contacts.limbs.component["count"]
    for _ in range(48):
        later = run(used, 1, later)
        if known[0] > 0:
            break
    assert known[0] > 0
    again, other = run(used, 4, later), run(unused, 4, later)
    for name, value in other.columns().items():
        assert np.array_equal(again.columns()[name], value), name


def test_a_row_that_forgets_how_limbs_answer_meets_its_two_bodies_alone():
    """A row with the mass of a whole ragdoll that pushes a limb alone throws it to and fro."""
    builder = tree()
    builder.add_collider("floor", "PLANE", (), (0, 0, 0.1))
    model = builder.finalize()
    state, work = model.initial_state(), workspace_of(model)
    for _ in range(24):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
        contacts, owners = work.body_contacts, work.owners
        rows = contacts.rows[: contacts.count[0]]
        if (rows["answered"] > 0).any():
            break
    assert (rows["answered"] > 0).any()
    names = ("mass", "mobility", "coupling")
    joined = {name: rows[name].copy() for name in names}
    answered = rows["answered"].copy()
    contacts.limbs.component["is_new"] = 0
    forget_answers(contacts, owners)
    assert np.array_equal(rows["answered"], answered)  # nothing else is known than they asked for
    contacts.limbs.component["is_new"] = 1
    forget_answers(contacts, owners)
    forgotten = {name: rows[name].copy() for name in names}
    assert (rows["answered"] == 0).all()
    assert not np.allclose(forgotten["mass"], joined["mass"], rtol=0.1)
    aim_contacts(contacts, owners)
    for name in names:
        assert np.allclose(forgotten[name], rows[name], rtol=1e-6, atol=1e-9), name


def known_limbs(change):
    """How many limbs are known before the iterations that follow a change of owners."""
    model = tree().finalize()
    advance(model, model.initial_state(), FrameInputs(), SolverSettings())
    work = workspace_of(model)
    limbs, joints, owners = work.body_contacts.limbs, work.joints, work.owners
    limbs.body["touched"][[0, 2, 5]] = 1
    groups = np.ones_like(work.body_contacts.groups.active)
    learn_responses(limbs, joints, owners, groups, np.zeros_like(groups))
    change(limbs, owners)
    begin_iterations(limbs, joints, owners, np.zeros_like(groups))
    return int(limbs.component["count"][0])


def turn(angle):
    def change(limbs, owners):
        owners.spin[:] = 0.0
        owners.spin[2] = (0.0, 48.0 * angle, 0.0)
        for _ in range(10):  # parts of a frame, its end included
            note_turns(limbs, owners, 1.0 / 480.0)

    return change


def stiffen(share):
    def change(limbs, owners):
        owners.extra_inertia[1] += share * owners.inertia[1].min()  # the joint beside a limb

    return change


def test_answers_are_forgotten_once_limbs_have_turned_or_become_stiffer():
    assert known_limbs(turn(0.9 * TURNS)) == known_limbs(stiffen(0.05)) == 3
    assert known_limbs(turn(1.1 * TURNS)) == known_limbs(stiffen(0.2)) == 0
