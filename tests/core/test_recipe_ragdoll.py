"""Ragdolls from plain arrays: roles, parts, shapes, limits, poses, falls, and bad input."""

import math

import numpy as np
import pytest

from verlet_physics import FrameInputs, ModelBuilder, ModelError, SolverSettings, advance
from verlet_physics.model.joint_table import OnBody
from verlet_physics.recipes.bone_joints import as_choice, learnt_joint, rotation_vector
from verlet_physics.recipes.bone_roles import body_axes, bone_roles, side_of
from verlet_physics.recipes.bone_shapes import distances_to, surface_points
from verlet_physics.recipes.flesh import proposed_mass
from verlet_physics.recipes.ragdoll import add_ragdoll, turned_pose
from verlet_physics.recipes.ragdoll_planning import LEAST_MASS_SHARE, plan_ragdoll
from verlet_physics.recipes.skeleton import Skeleton, Skin, turn_about, turn_from_to
from verlet_physics.settings import AnimatedSettings, BoneSettings, RagdollSettings
from verlet_physics.vector import rotation_matrix, rotation_quaternion

UP = np.array([0.0, 0.0, 1.0])
LEFT, FRONT = np.array([1.0, 0.0, 0.0]), np.array([0.0, -1.0, 0.0])


def skeleton(bones, turn=None, **options):
    """Of bones (name, parent's name, head, tail), as Blender lays their axes; looks along −Y."""
    names = [bone[0] for bone in bones]
    head = np.array([bone[2] for bone in bones], dtype=float)
    tail = np.array([bone[3] for bone in bones], dtype=float)
    turn = np.eye(3) if turn is None else turn
    head, tail = head @ turn.T, tail @ turn.T
    y = np.eye(3)[1]
    along = [t - h if np.any(t != h) else y for h, t in zip(head, tail, strict=True)]
    axes = np.array([turn_from_to(y, way / np.linalg.norm(way)) for way in along])
    parent = [names.index(bone[1]) if bone[1] else -1 for bone in bones]
    count = len(bones)
    given = {
        "deforms": np.ones(count, dtype=bool),
        "ik_lock": np.zeros((count, 3), dtype=bool),
        "ik_lower": np.full((count, 3), -np.inf),
        "ik_upper": np.full((count, 3), np.inf),
        "up": turn @ UP,
        **options,
    }
    return Skeleton(tuple(names), np.array(parent, np.int32), head, tail, axes, **given)


def human(**options):
    bones = [
        ("spine", None, (0, 0, 1.0), (0, 0, 1.2)),
        ("chest", "spine", (0, 0, 1.2), (0, 0, 1.5)),
        ("neck", "chest", (0, 0, 1.5), (0, 0, 1.6)),
        ("head", "neck", (0, 0, 1.6), (0, 0, 1.8)),
    ]
    for side, x in (("L", 1), ("R", -1)):
        bones += [
            (f"upper_arm.{side}", "chest", (0.2 * x, 0, 1.45), (0.45 * x, 0, 1.45)),
            (f"forearm.{side}", f"upper_arm.{side}", (0.45 * x, 0, 1.45), (0.7 * x, 0, 1.45)),
            (f"hand.{side}", f"forearm.{side}", (0.7 * x, 0, 1.45), (0.8 * x, 0, 1.45)),
            (f"finger.{side}", f"hand.{side}", (0.8 * x, 0, 1.45), (0.84 * x, 0, 1.45)),
            (f"thigh.{side}", "spine", (0.1 * x, 0, 1.0), (0.1 * x, 0, 0.55)),
            (f"shin.{side}", f"thigh.{side}", (0.1 * x, 0, 0.55), (0.1 * x, 0, 0.1)),
            (f"foot.{side}", f"shin.{side}", (0.1 * x, 0, 0.1), (0.1 * x, -0.18, 0.02)),
            (f"toe.{side}", f"foot.{side}", (0.1 * x, -0.18, 0.02), (0.1 * x, -0.23, 0.02)),
        ]
    return skeleton(bones, **options)


def plan(bones=None, choices=None, skin=None, **settings):
    bones = bones or human()
    chosen = None
    if choices is not None:
        chosen = [BoneSettings(**choices.get(name, {})) for name in bones.name]
    details = {} if skin is None else {"skin": skin}
    return plan_ragdoll("Figure", bones, RagdollSettings(**settings), bones=chosen, **details)


def part_of(found, name):
    """The part that a bone belongs to."""
    return found.parts[found.part_of_bone[found.skeleton.name.index(name)]]


def names_of(found):
    return {found.skeleton.name[part.bone] for part in found.parts}


def build(found, lift=0.0, turn=None, floor=True, **options):
    """A model of a plan, lifted and turned as a whole."""
    builder = ModelBuilder()
    count = len(found.skeleton)
    turns = np.tile(np.eye(3) if turn is None else turn, (count, 1, 1))
    made = add_ragdoll(builder, found, turns, np.tile((0, 0, lift), (count, 1)), **options)
    if floor:
        builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    return builder.finalize(), made


def run(model, frames, inputs=None, state=None):
    state = state or model.initial_state()
    for _ in range(frames):
        state, _ = advance(model, state, inputs or FrameInputs(), SolverSettings())
    return state


def frames_of(model, state):
    """Axes of both sides of each joint in the world (j, 2, 3, 3), and their places (j, 2, 3)."""
    joints = model.joints
    body = np.array([rotation_matrix(q) for q in state.body_orientation])[joints.owner]
    own = np.array([[rotation_matrix(q) for q in pair] for pair in joints.frame])
    place = state.body_position[joints.owner]
    return body @ own, place + np.einsum("jsik,jsk->jsi", body, joints.anchor)


def excess(model, state):
    """How far rad each joint is beyond its limits (j,)."""
    axes, _ = frames_of(model, state)
    joints, found = model.joints, []
    for j, (a, b) in enumerate(axes):
        seen = a.T @ b
        if joints.turn_form[j] == 1:
            angle = math.atan2(seen[1, 0], seen[0, 0])
            found.append(max(joints.lower[j, 5] - angle, angle - joints.upper[j, 5]))
            continue
        swing = math.acos(min(max(seen[0, 0], -1.0), 1.0))
        twist = rotation_vector(turn_from_to(np.eye(3)[0], seen[:, 0]).T @ seen)[0]
        found.append(
            max(
                swing - joints.upper[j, 4],
                twist - joints.upper[j, 3],
                joints.lower[j, 3] - twist,
            )
        )
    return np.maximum(np.array(found), 0.0)


# ---------------------------------------------------------------------- roles


@pytest.mark.parametrize(
    ("names", "roles"),
    [
        (
            ("spine.003", "shoulder.L", "upper_arm.L", "forearm.L", "hand.L", "f_index.01.L"),
            ("spine", "clavicle", "upper_arm", "forearm", "hand", "finger"),
        ),
        (
            ("mixamorig:Spine", "mixamorig:LeftShoulder", "mixamorig:LeftArm")
            + ("mixamorig:LeftForeArm", "mixamorig:LeftHand", "mixamorig:LeftHandThumb1"),
            ("spine", "clavicle", "upper_arm", "forearm", "hand", "finger"),
        ),
        (
            ("mixamorig:Hips", "mixamorig:RightUpLeg", "mixamorig:RightLeg")
            + ("mixamorig:RightFoot", "mixamorig:RightToeBase"),
            ("spine", "thigh", "shin", "foot", "toe"),
        ),
        (
            ("pelvis", "thigh_l", "calf_l", "foot_l", "ball_l"),
            ("spine", "thigh", "shin", "foot", "toe"),
        ),
        (
            ("Chest", "LeftCollar", "LeftShoulder", "LeftElbow", "LeftWrist"),
            ("spine", "clavicle", "upper_arm", "forearm", "hand"),
        ),
        (("Hips", "LeftHip", "LeftKnee", "LeftAnkle"), ("spine", "thigh", "shin", "foot")),
        (("DEF-spine", "DEF-forehead.L", "DEF-ear.L"), ("spine", "face", "face")),
    ],
)
def test_names_of_many_rigs_tell_what_a_bone_is(names, roles):
    bones = [
        (name, names[i - 1] if i else None, (0, 0, i), (0, 0, i + 1))
        for i, name in enumerate(names)
    ]
    found = bone_roles(skeleton(bones))
    assert [role if role != "head" else "spine" for role in found] == list(roles)


def test_sides_are_read_from_names():
    assert [side_of(n) for n in ("arm.L", "RightArm", "leg_l", "Bip01 R Calf", "tail")] == [
        1,
        -1,
        1,
        -1,
        0,
    ]


@pytest.mark.parametrize("angle", [0.0, 1.0, -2.0])
def test_the_character_knows_its_left_and_front_however_it_stands(angle):
    turn = turn_about(UP, angle) @ turn_about(LEFT, 0.5)
    bones = human(turn=None)
    turned = skeleton(
        [
            (n, bones.name[p] if p >= 0 else None, turn @ h, turn @ t)
            for n, p, h, t in zip(bones.name, bones.parent, bones.head, bones.tail, strict=True)
        ],
        up=turn @ UP,
    )
    left, front, up = body_axes(turned, bone_roles(turned))
    np.testing.assert_allclose(left, turn @ LEFT, atol=1e-12)
    np.testing.assert_allclose(front, turn @ FRONT, atol=1e-12)
    np.testing.assert_allclose(up, turn @ UP, atol=1e-12)


# ---------------------------------------------------------------------- parts


def test_a_human_has_a_body_for_each_large_bone():
    found = plan()
    assert names_of(found) == {
        *("spine", "chest", "neck", "head"),
        *(f"{n}.{s}" for n in ("upper_arm", "forearm", "hand", "thigh", "shin") for s in "LR"),
        *("foot.L", "foot.R"),
    }
    assert part_of(found, "toe.L") is part_of(found, "foot.L")
    assert part_of(found, "finger.R") is part_of(found, "hand.R")
    assert sum(part.parent < 0 for part in found.parts) == 1


def test_mass_is_shared_out_by_volume():
    found = plan(mass=80.0)
    assert found.mass.sum() == pytest.approx(80.0)
    volumes = np.array([part.volume for part in found.parts])
    neck, chest = (found.parts.index(part_of(found, name)) for name in ("neck", "chest"))
    assert volumes[neck] < LEAST_MASS_SHARE * volumes[chest]
    volumes[neck] = LEAST_MASS_SHARE * volumes[chest]
    np.testing.assert_allclose(found.mass / volumes, 80.0 / volumes.sum())
    dense = plan(mass_by="DENSITY", density=500.0)
    np.testing.assert_allclose(dense.mass, 500.0 * volumes)
    heavy = plan(choices={"hand.L": {"mass": 3.0}}, mass_by="DENSITY", density=500.0)
    assert heavy.mass.sum() - dense.mass.sum() == pytest.approx(
        2.0 * dense.mass[found.part_of_bone[found.skeleton.name.index("hand.L")]]
    )


def sphere(radius, count=24):
    """Points and triangles of a ball at the origin."""
    rows, turns = np.linspace(0, np.pi, count), np.linspace(0, 2 * np.pi, count)[:-1]
    points = [
        (np.sin(a) * np.cos(b), np.sin(a) * np.sin(b), np.cos(a)) for a in rows for b in turns
    ]
    near = np.arange((count - 1) ** 2).reshape(count - 1, count - 1)
    beside = np.roll(near, -1, axis=1)
    below, corner = near + count - 1, beside + count - 1
    triangles = np.stack([near, below, beside, beside, below, corner], axis=-1).reshape(-1, 3)
    return radius * np.array(points), triangles


def test_a_character_weighs_by_its_size():
    found = plan()
    weight = proposed_mass(found, [])
    assert 50.0 < weight < 90.0  # of 1.8 m
    bones = human()
    names = [(n, bones.name[p] if p >= 0 else None) for n, p in zip(bones.name, bones.parent)]
    ends = list(zip(bones.head / 18.0, bones.tail / 18.0))
    mouse = plan(skeleton([(*name, *end) for name, end in zip(names, ends)]))
    assert proposed_mass(mouse, []) == pytest.approx(weight / 18.0**3, rel=0.01)  # of 10 cm: 12 g
    assert proposed_mass(plan(density=500.0), []) == pytest.approx(0.5 * weight, rel=0.01)
    assert proposed_mass(plan(choices={"hand.L": {"mass": 9.0}}), []) == weight


def test_skin_that_encloses_something_counts_in_place_of_the_shapes():
    found = plan()
    shapes = proposed_mass(found, [])
    radius = float(np.cbrt(1.2e-3 * shapes / (4.0 / 3.0 * np.pi)))
    points, triangles = sphere(radius)
    assert proposed_mass(found, [(points, triangles)]) == pytest.approx(1.2 * shapes, rel=0.03)
    several = [(points, triangles), (0.98 * points, triangles)]  # the same for two distances
    assert proposed_mass(found, several) == shapes
    assert proposed_mass(found, [(points, triangles[:200])]) == shapes  # a cap is no skin


def test_small_parts_come_with_a_smaller_limit_and_go_with_a_larger_one():
    assert {"finger.L", "toe.R"} <= names_of(plan(smallest=0.01))
    assert names_of(plan(smallest=0.9)) == {"spine"}


def test_choices_decide_what_is_a_body():
    found = plan(
        choices={
            "finger.L": {"part": "OWN"},
            "neck": {"part": "JOINED"},
            "hand.R": {"part": "NONE"},
        }
    )
    assert "finger.L" in names_of(found)
    assert part_of(found, "neck") is part_of(found, "chest")
    assert found.part_of_bone[found.skeleton.name.index("hand.R")] == -1
    # what hangs on a bone without a body hangs on the next one above
    assert part_of(found, "finger.R") is part_of(found, "forearm.R")
    assert part_of(found, "head").parent == found.parts.index(part_of(found, "chest"))


def test_a_limb_cut_in_two_for_its_twist_is_one_body():
    bones = [
        ("DEF-upper_arm.L", None, (0, 0, 0), (0.2, 0, 0)),
        ("DEF-upper_arm.L.001", "DEF-upper_arm.L", (0.2, 0, 0), (0.4, 0, 0)),
        ("DEF-forearm.L", "DEF-upper_arm.L.001", (0.4, 0, 0), (0.7, 0, 0)),
    ]
    found = plan(skeleton(bones))
    assert names_of(found) == {"DEF-upper_arm.L", "DEF-forearm.L"}
    whole = part_of(found, "DEF-upper_arm.L").fit
    assert whole.size[0] + whole.size[1] == pytest.approx(0.2, rel=0.2)
    assert abs(whole.centre[0] - 0.2) < 1e-9


def test_bones_without_parents_hang_on_what_is_near():
    bones = human()
    parent = bones.parent.copy()
    loose = [bones.name.index(name) for name in ("thigh.L", "upper_arm.R")]
    parent[loose] = -1
    found = plan(Skeleton(**{**vars(bones), "parent": parent}))
    assert part_of(found, "thigh.L").parent == found.parts.index(part_of(found, "spine"))
    assert sum(part.parent < 0 for part in found.parts) == 1


# ---------------------------------------------------------------------- shapes


def test_arms_hang_on_the_shoulder_that_they_begin_at():
    bones = [
        ("spine", None, (0, 0, 1.0), (0, 0, 1.5)),
        ("shoulder.L", "spine", (0.03, 0, 1.45), (0.17, 0, 1.45)),
        ("upper_arm.L", "spine", (0.18, 0, 1.45), (0.4, 0, 1.45)),
        ("shoulder.R", "spine", (-0.03, 0, 1.45), (-0.17, 0, 1.45)),
        ("upper_arm.R", "spine", (-0.4, 0, 1.45), (-0.7, 0, 1.45)),
    ]
    found = plan(skeleton(bones))
    shoulder = found.parts.index(part_of(found, "shoulder.L"))
    assert part_of(found, "upper_arm.L").parent == shoulder
    assert part_of(found, "upper_arm.R").parent == found.parts.index(part_of(found, "spine"))


def test_feathers_are_one_with_their_wing():
    bones = [
        ("spine", None, (0, 0, 1.0), (0, 0.3, 1.0)),
        ("wing.L", "spine", (0.1, 0, 1.0), (0.5, 0, 1.0)),
        ("feather.001.L", "wing.L", (0.5, 0, 1.0), (0.5, 0.3, 1.0)),
    ]
    found = plan(skeleton(bones))
    assert names_of(found) == {"spine", "wing.L"}


def test_thin_bones_between_heavy_ones_are_not_much_lighter():
    bones = [
        ("spine", None, (0, 0, 1.0), (0, 0.6, 1.0)),
        ("tail", "spine", (0, 0.6, 1.0), (0, 0.8, 1.0)),
        ("tail.001", "tail", (0, 0.8, 1.0), (0, 1.2, 1.0)),
    ]
    thin = {name: {"size": 0.2} for name in ("tail",)}
    found = plan(skeleton(bones), thin, mass=10.0)
    trunk, tail = (part_of(found, name) for name in ("spine", "tail"))
    mass = dict(zip(found.parts, found.mass, strict=True))
    assert sum(mass.values()) == pytest.approx(10.0)
    assert mass[tail] == pytest.approx(LEAST_MASS_SHARE * mass[trunk])


def test_neighbours_but_one_of_a_bent_trunk_do_not_fight_their_joints():
    bones = [("spine", None, (0, 0, 0.8), (0, 0, 0.83))]
    for k in range(3):
        z = 0.83 + 0.03 * k
        bones.append((f"spine.{k:03}", bones[-1][0], (0, 0, z), (0, 0, z + 0.03)))
    bones += [
        ("thigh", "spine", (0, 0, 0.8), (0, 0, 0.4)),
        ("shin", "thigh", (0, 0, 0.4), (0, 0, 0.1)),
        ("foot", "shin", (0, 0, 0.1), (0, -0.2, 0.0)),
    ]
    found = plan(skeleton(bones), smallest=0.01)
    rows = {name: found.parts.index(part_of(found, name)) for name in found.skeleton.name}
    apart = {tuple(pair) for pair in found.apart.tolist()}
    assert (rows["spine"], rows["spine.001"]) in apart
    assert (rows["spine"], rows["spine.002"]) not in apart
    assert (rows["thigh"], rows["foot"]) not in apart  # a folded leg


def tube(radii=(0.1, 0.1), start=0.0, end=0.5, bone=0, count=16):
    """Skin around a bone along Z."""
    angle = np.linspace(0, 2 * np.pi, count, endpoint=False)
    ring = np.stack([radii[0] * np.cos(angle), radii[1] * np.sin(angle)], axis=1)
    points = np.array([(x, y, z) for z in np.linspace(start, end, 21) for x, y in ring])
    every = np.arange(len(points), dtype=np.int32)
    return Skin(points, every, np.full(len(points), bone, np.int32), np.ones(len(points)))


def upright():
    return skeleton([("limb", None, (0, 0, 0), (0, 0, 0.5))])


def test_a_round_limb_is_a_capsule_as_wide_and_long_as_its_skin():
    fit = plan(upright(), skin=tube()).parts[0].fit
    assert fit.shape == "CAPSULE"
    assert fit.size[0] == pytest.approx(0.1, rel=1e-6)
    assert fit.size[0] + fit.size[1] == pytest.approx(0.25, rel=0.03)
    np.testing.assert_allclose(fit.centre, (0, 0, 0.25), atol=1e-3)
    np.testing.assert_allclose(np.abs(rotation_matrix(fit.orientation)[:, 2]), UP, atol=1e-9)


def test_a_flat_limb_is_a_box_turned_to_its_skin():
    turn = turn_about(UP, 0.4)
    flat = tube((0.2, 0.05))
    flat = Skin(flat.points @ turn.T, flat.vertex, flat.bone, flat.weight)
    fit = plan(upright(), skin=flat).parts[0].fit
    assert fit.shape == "BOX"
    wide = rotation_matrix(fit.orientation)[:, int(np.argsort(fit.size)[1])]
    assert abs(wide @ turn[:, 0]) > 0.999
    assert sorted(fit.size) == pytest.approx([0.05, 0.2, 0.25], rel=0.06)


def test_shapes_can_be_chosen_and_thickened():
    assert plan(upright(), skin=tube(), shape="BOX").parts[0].fit.shape == "BOX"
    hull = plan(upright(), {"limb": {"shape": "HULL"}}, skin=tube()).parts[0].fit
    assert hull.shape == "HULL"
    assert hull.hull is not None
    thick = plan(upright(), {"limb": {"size": 2.0}}, skin=tube()).parts[0].fit
    assert thick.size[0] == pytest.approx(0.2, rel=1e-6)


def test_what_sticks_out_of_a_simple_shape_is_wrapped_in_a_hull():
    blade = np.array([(0.3, 0.0, z) for z in np.linspace(0.2, 0.3, 4)])
    limb = tube()
    points = np.concatenate([limb.points, blade])
    every = np.arange(len(points), dtype=np.int32)
    skin = Skin(points, every, np.zeros(len(points), np.int32), np.ones(len(points)))
    fit = plan(upright(), skin=skin).parts[0].fit
    assert fit.shape == "HULL"
    assert distances_to(fit, points).max() < 0.012 * 0.5
    chosen = plan(upright(), {"limb": {"shape": "CAPSULE"}}, skin=skin).parts[0].fit
    assert chosen.shape == "CAPSULE"


def test_a_shape_is_of_the_skin_as_the_pose_bends_it_within_the_part():
    bones = skeleton(
        [("arm", None, (0, 0, 0), (0, 0, 1.0)), ("nail", "arm", (0, 0, 1), (0, 0, 1.01))]
    )
    skin = tube(end=1.0)
    nail = np.array([(0.01 * x, 0.01 * y, z) for x in (-1, 1) for y in (-1, 1) for z in (1.0, 1.3)])
    every = np.arange(len(skin.points) + len(nail), dtype=np.int32)
    owner = np.concatenate([skin.bone, np.ones(len(nail), np.int32)])
    skin = Skin(np.concatenate([skin.points, nail]), every, owner, np.ones(len(every)))
    change = np.tile(np.eye(4), (2, 1, 1))
    straight = plan_ragdoll("Rig", bones, RagdollSettings(), skin, None, change)
    assert surface_points(straight.parts[0].fit)[:, 2].max() == pytest.approx(1.3)
    change[1, :3, :3] = turn_about(np.array([0.0, 1.0, 0.0]), np.pi / 2)  # the nail points to X
    change[1, :3, 3] = (0, 0, 1) - change[1, :3, :3] @ (0, 0, 1)
    whole = turn_about(np.array([0.6, 0.0, 0.8]), 1.0)
    change[:, :3, :3] = whole @ change[:, :3, :3]  # which turns the whole arm, too
    change[:, :3, 3] = change[:, :3, 3] @ whole.T + (3, 2, 1)
    bent = plan_ragdoll("Rig", bones, RagdollSettings(), skin, None, change)
    assert len(bent.parts) == 1
    far = surface_points(bent.parts[0].fit).max(axis=0)
    assert far[0] == pytest.approx(0.3, abs=0.01)
    assert far[2] < 1.02


def test_each_part_takes_the_points_that_weigh_most_on_it():
    bones = skeleton([("a", None, (0, 0, 0), (0, 0, 0.5)), ("b", "a", (0, 0, 0.5), (0, 0, 1.0))])
    one, other = tube(end=0.5), tube((0.05, 0.05), 0.5, 1.0, bone=1)
    count = len(one.points)
    skin = Skin(
        np.concatenate([one.points, other.points]),
        np.concatenate([one.vertex, other.vertex + count, one.vertex]),
        np.concatenate([one.bone, other.bone, np.ones(count, np.int32)]),
        np.concatenate([one.weight, other.weight, np.full(count, 0.4)]),
    )
    found = plan(bones, skin=skin)
    assert [part.fit.size[0] for part in found.parts] == pytest.approx([0.1, 0.05], rel=1e-6)


def test_a_bone_without_skin_is_no_body_where_others_have_some():
    bones = skeleton([("a", None, (0, 0, 0), (0, 0, 0.5)), ("b", "a", (0, 0, 0.5), (0, 0, 1.0))])
    assert names_of(plan(bones, skin=tube())) == {"a"}
    assert names_of(plan(bones, {"b": {"part": "OWN"}}, skin=tube())) == {"a", "b"}


# ---------------------------------------------------------------------- joints


def test_knees_bend_backward_and_elbows_forward():
    found = plan()
    for side in "LR":
        for name, towards in (("shin", -FRONT), ("forearm", FRONT)):
            part = part_of(found, f"{name}.{side}")
            assert part.joint.kind == "HINGE"
            assert part.joint.upper > math.radians(120)
            assert -math.radians(10) < part.joint.lower < 0.0
            along = found.skeleton.direction(part.bone)
            bent = turn_about(part.joint.first[:, 2], 0.5) @ along
            assert bent @ towards > 0.4


def test_a_bent_rest_pose_tells_where_a_limb_bends():
    bones = [
        ("thigh.L", None, (0, 0, 1), (0, -0.2, 0.5)),
        ("shin.L", "thigh.L", (0, -0.2, 0.5), (0, -0.9, 0.4)),  # a stork's knee
    ]
    found = plan(skeleton(bones))
    joint = part_of(found, "shin.L").joint
    straight = (found.skeleton.direction(0) + found.skeleton.direction(1)) / 2
    farther = turn_about(joint.second[:, 2], 0.3) @ found.skeleton.direction(1)
    nearer = turn_about(joint.second[:, 2], -0.3) @ found.skeleton.direction(1)
    assert farther @ found.skeleton.direction(0) < nearer @ found.skeleton.direction(0)
    bend = math.acos(found.skeleton.direction(0) @ found.skeleton.direction(1))
    assert joint.lower == pytest.approx(-bend - math.radians(3))
    assert joint.upper == pytest.approx(math.radians(145) - bend)
    assert np.linalg.norm(straight) > 0.5


@pytest.mark.parametrize("looseness", [0.0, 0.5, 1.0])
def test_the_rest_pose_lies_within_all_limits(looseness):
    model, _ = build(plan(looseness=looseness))
    assert excess(model, model.initial_state()).max() < 1e-9


def test_looseness_scales_limits():
    def widths(looseness):
        model, _ = build(plan(looseness=looseness))
        return (model.joints.upper - model.joints.lower)[:, 3:][:, [0, 2]]

    tight, loose = widths(0.5), widths(1.0)
    moves = np.isfinite(loose) & (loose > 0.0)
    assert (tight[moves] < loose[moves]).all()


def test_hips_and_shoulders_swing_about_the_middle_of_their_range():
    found = plan()
    hip, shoulder = part_of(found, "thigh.L").joint, part_of(found, "upper_arm.R").joint
    assert hip.kind == shoulder.kind == "CONE_TWIST"
    assert hip.first[:, 0] @ FRONT > 0.3  # legs swing farther forward than back
    assert hip.first[:, 0] @ UP < -0.5
    assert shoulder.first[:, 0] @ -LEFT > 0.5
    assert shoulder.first[:, 0] @ FRONT > 0.3
    np.testing.assert_allclose(hip.second[:, 0], -UP, atol=1e-12)


def test_ik_limits_make_the_joint():
    bones = human()
    lock, lower, upper = bones.ik_lock.copy(), bones.ik_lower.copy(), bones.ik_upper.copy()
    neck, head = bones.name.index("neck"), bones.name.index("head")
    lock[neck] = (False, True, True)
    lower[neck, 0], upper[neck, 0] = -0.2, 0.7
    lower[head], upper[head] = (-0.1, -0.3, -0.4), (0.5, 0.6, 0.4)
    found = plan(Skeleton(**{**vars(bones), "ik_lock": lock, "ik_lower": lower, "ik_upper": upper}))
    hinge, cone = part_of(found, "neck").joint, part_of(found, "head").joint
    assert (hinge.kind, hinge.lower, hinge.upper) == ("HINGE", -0.2, 0.7)
    np.testing.assert_allclose(hinge.first[:, 2], bones.axes[neck, :, 0], atol=1e-12)
    assert (cone.kind, cone.lower, cone.upper) == ("CONE_TWIST", -0.3, 0.6)
    assert cone.swing == pytest.approx(0.4)
    wanted = turn_about(bones.axes[head, :, 0], 0.2) @ bones.direction(head)
    np.testing.assert_allclose(cone.first[:, 0], wanted, atol=1e-12)


def test_joints_and_limits_by_hand():
    found = plan(
        choices={
            "head": {"joint": "FIXED"},
            "neck": {"joint": "BALL"},
            "shin.L": {"has_limits": True, "lower": -0.1, "upper": 0.2},
            "shin.R": {"joint": "CONE_TWIST"},
            "chest": {"has_limits": True, "lower": -0.3, "upper": 0.1, "swing": 0.7},
        }
    )
    joints = {name: part_of(found, name).joint for name in found.skeleton.name}
    assert (joints["head"].kind, joints["neck"].kind) == ("FIXED", "BALL")
    assert (joints["shin.L"].kind, joints["shin.L"].lower) == ("HINGE", -0.1)
    assert joints["shin.R"].kind == "CONE_TWIST"
    assert (joints["chest"].lower, joints["chest"].upper) == (-0.3, 0.1)
    assert joints["chest"].swing == 0.7
    build(found)


def test_limits_are_learnt_from_poses():
    bones = human()
    shin, arm = bones.name.index("shin.L"), bones.name.index("upper_arm.L")
    rock = [turn_about(UP, a) @ turn_about(LEFT, 0.3 * a) for a in np.linspace(-1, 1, 9)]
    bends = np.linspace(0.0, 1.2, 9)
    turns = [r @ turn_about(LEFT, b) for r, b in zip(rock, bends, strict=True)]
    knee = learnt_joint(bones, shin, rock, turns, 0.05)
    assert knee.kind == "HINGE"
    assert knee.upper - knee.lower == pytest.approx(1.3, abs=1e-6)
    rng = np.random.default_rng(1)
    swings = [
        turn_about(v / np.linalg.norm(v), 0.5 * rng.random()) for v in rng.normal(size=(40, 3))
    ]
    shoulder = learnt_joint(bones, arm, [np.eye(3)] * 40, swings, 0.02)
    assert shoulder.kind == "CONE_TWIST"
    assert learnt_joint(bones, arm, swings, swings, 0.02) is None
    one_sided = [turn_about(LEFT, a) for a in (*[0.0] * 50, 0.4)]
    cone = learnt_joint(bones, arm, [np.eye(3)] * 51, one_sided, 0.0, wanted="CONE_TWIST")
    assert cone.swing < 0.21  # half of it, wherever most poses are
    chosen = [BoneSettings()] * len(bones)
    for bone, joint in ((shin, knee), (arm, shoulder)):
        chosen[bone] = as_choice(bones, bone, joint, chosen[bone])
    found = plan_ragdoll("Figure", bones, RagdollSettings(), bones=chosen)
    for bone, joint in ((shin, knee), (arm, shoulder)):
        made = part_of(found, bones.name[bone]).joint
        assert made.kind == joint.kind
        np.testing.assert_allclose(made.first, joint.first, atol=1e-9)
        np.testing.assert_allclose(made.second, joint.second, atol=1e-9)
        limits = (made.lower, made.upper, made.swing)
        np.testing.assert_allclose(limits, (joint.lower, joint.upper, joint.swing), atol=1e-9)
    for swing in swings:  # every example lies within what was learnt from them
        seen = shoulder.first.T @ swing @ shoulder.second
        assert math.acos(seen[0, 0]) <= shoulder.swing + 1e-9
        twist = rotation_vector(turn_from_to(np.eye(3)[0], seen[:, 0]).T @ seen)[0]
        assert shoulder.lower <= twist <= shoulder.upper


# ---------------------------------------------------------------------- in the model


def test_a_pose_starts_where_it_stands_with_its_angles():
    found = plan()
    bones = found.skeleton
    count = len(bones)
    turn, move = np.tile(np.eye(3), (count, 1, 1)), np.zeros((count, 3))
    shin = bones.name.index("shin.L")
    joint = part_of(found, "shin.L").joint
    bent = turn_about(joint.second[:, 2], 1.1)
    for bone in (shin, bones.name.index("foot.L"), bones.name.index("toe.L")):
        turn[bone], move[bone] = bent, bones.head[shin] - bent @ bones.head[shin]
    builder = ModelBuilder()
    made = add_ragdoll(builder, found, turn, move)
    model = builder.finalize()
    axes, places = frames_of(model, model.initial_state())
    np.testing.assert_allclose(places[:, 0], places[:, 1], atol=1e-12)
    row = made.joints[found.parts.index(part_of(found, "shin.L"))]
    seen = axes[row, 0].T @ axes[row, 1]
    assert math.atan2(seen[1, 0], seen[0, 0]) == pytest.approx(1.1)
    np.testing.assert_allclose(places[row, 0], bones.head[shin], atol=1e-12)


def test_bodies_go_on_with_the_speed_of_the_animation():
    found = plan()
    count = len(found.skeleton)
    before = np.tile(turn_about(UP, -0.1), (count, 1, 1)), np.tile((-0.2, 0, 0.1), (count, 1))
    model, _ = build(found, before=before, duration=0.1)
    np.testing.assert_allclose(
        model.bodies.angular_velocity, np.tile((0, 0, 1), (len(model.bodies), 1)), atol=1e-9
    )
    centre = model.bodies.position
    earlier = centre @ before[0][0].T + before[1][0]
    np.testing.assert_allclose(model.bodies.velocity, (centre - earlier) / 0.1, atol=1e-9)


def test_turned_pose_takes_bones_from_rest_to_pose_whatever_their_scale():
    rng = np.random.default_rng(3)
    rest = np.tile(np.eye(4), (2, 1, 1))
    rest[:, :3, :3] = [turn_about(UP, 0.3), turn_about(LEFT, 1.0) * 2.0]
    rest[:, :3, 3] = rng.normal(size=(2, 3))
    wanted = turn_about(np.array([0.6, 0.0, 0.8]), 0.7)
    pose = rest.copy()
    pose[:, :3, :3] = wanted @ rest[:, :3, :3] * 1.3
    pose[:, :3, 3] = rng.normal(size=(2, 3))
    turn, move = turned_pose(rest, pose)
    np.testing.assert_allclose(turn, [wanted, wanted], atol=1e-12)
    np.testing.assert_allclose(
        np.einsum("bij,bj->bi", turn, rest[:, :3, 3]) + move, pose[:, :3, 3], atol=1e-12
    )


@pytest.mark.parametrize(
    ("lift", "tilt"), [(0.05, 0.0), (0.6, 0.0), (0.6, 0.4), (1.5, -0.5), (1.0, 2.5)]
)
def test_a_fall_ends_at_rest_with_whole_joints_within_limits(lift, tilt):
    found = plan()
    model, _ = build(found, lift + 0.6 * (tilt > 1), turn_about(LEFT, tilt))
    state = run(model, 180)  # the one that stands at first takes long to topple
    places = frames_of(model, state)[1]
    gaps = np.linalg.norm(places[:, 1] - places[:, 0], axis=1)
    assert gaps.max() < 0.01 * 0.1  # 1 % of the shortest bone
    assert excess(model, state).max() < math.radians(2.0)
    assert (state.body_rest >= 0.5).all()
    lowest = state.body_position[:, 2].min()
    assert lowest > 0.015
    assert state.body_position[:, 2].max() < 0.5


def test_a_fall_is_the_same_every_time():
    found = plan()
    ends = []
    for _ in range(2):
        model, _ = build(found, 0.5, turn_about(LEFT, 0.3))
        ends.append(run(model, 40).body_position)
    assert ends[0].tobytes() == ends[1].tobytes()


def test_parts_that_overlap_at_rest_are_kept_apart_and_others_collide():
    found = plan()
    joined = {(found.parts.index(p), p.parent) for p in found.parts}
    apart = {tuple(pair) for pair in found.apart.tolist()}
    rows = {name: found.parts.index(part_of(found, name)) for name in found.skeleton.name}
    assert (rows["upper_arm.L"], rows["thigh.L"]) not in apart | joined
    assert (rows["shin.L"], rows["shin.R"]) not in apart
    every = plan(collides_itself=False)
    count = len(every.parts)
    assert len(every.apart) == count * (count - 1) // 2


def quickest(model, frames):
    """The quickest that any body gets without gravity (m/s), and the state and figures then."""
    state, speed = model.initial_state(gravity=(0, 0, 0)), 0.0
    for _ in range(frames):
        now, figures = advance(model, state, FrameInputs(gravity=(0, 0, 0)), SolverSettings())
        way = np.linalg.norm(now.body_position - state.body_position, axis=1)
        speed, state = max(speed, 24.0 * way.max()), now
    places = frames_of(model, state)[1]
    return speed, np.linalg.norm(places[:, 1] - places[:, 0], axis=1).max(), figures


@pytest.mark.parametrize(
    ("shift", "turn", "is_free"),
    [
        ((0.1, 0.05, 0.02), 0.0, True),
        ((0.0, 0.0, -0.6), 0.8, True),
        ((0.3, 0.0, 0.0), 0.5, False),  # an arm through a chest, where none knows which way out
        ((0.0, 0.01, 0.0), 3.1, False),
    ],
)
def test_characters_that_start_within_each_other_part_gently(shift, turn, is_free):
    builder = ModelBuilder()
    found = plan()
    count = len(found.skeleton)
    add_ragdoll(builder, found)
    turns = np.tile(turn_about(UP, turn), (count, 1, 1))
    add_ragdoll(builder, found, turns, np.tile(shift, (count, 1)))
    speed, gap, figures = quickest(builder.finalize(), 72)
    assert speed < 1.0
    assert gap < 1e-3
    assert figures.kinetic_energy < 0.5  # of 140 kg: 8 cm/s
    assert (figures.penetration < 5e-3) == is_free


def test_a_character_whose_legs_start_within_each_other_parts_them_gently():
    bones = human()
    found = plan(bones)
    turn, move = np.tile(np.eye(3), (len(bones), 1, 1)), np.zeros((len(bones), 3))
    for side, sign in (("L", 1.0), ("R", -1.0)):
        leaned = turn_about(FRONT, -sign * 0.08)
        at = bones.name.index(f"thigh.{side}")
        for name in (f"thigh.{side}", f"shin.{side}", f"foot.{side}", f"toe.{side}"):
            bone = bones.name.index(name)
            turn[bone], move[bone] = leaned, bones.head[at] - leaned @ bones.head[at]
    builder = ModelBuilder()
    add_ragdoll(builder, found, turn, move)
    model = builder.finalize()
    _, _, figures = quickest(model, 1)
    assert figures.penetration > 0.02
    speed, gap, figures = quickest(model, 72)
    assert speed < 1.0
    assert gap < 1e-3
    assert figures.kinetic_energy < 0.5
    assert figures.penetration < 5e-3


def test_bodies_that_are_kept_apart_pass_through_each_other():
    def meet(is_apart):
        builder = ModelBuilder()
        ends = [
            OnBody(builder.add_body(n, "BOX", (0.1,) * 3, (x, 0, 0), mass=1.0, velocity=(v, 0, 0)))
            for n, x, v in (("a", -0.3, 1.0), ("b", 0.3, -1.0))
        ]
        if is_apart:
            builder.keep_apart("a", *ends)
        model = builder.finalize()
        still = FrameInputs(gravity=(0.0, 0.0, 0.0))
        state = model.initial_state(gravity=(0, 0, 0))
        for _ in range(20):
            state, _ = advance(model, state, still, SolverSettings())
        return state.body_position[0, 0]

    assert meet(True) == pytest.approx(-0.3 + 20 / 24, abs=1e-6)
    assert meet(False) < 0.0


def test_muscles_hold_a_pose_and_let_it_go():
    found = plan()
    model, made = build(found, 1.0, floor=False, has_muscles=True)
    factors = [AnimatedSettings(pin=0.0)] * len(model.objects)
    root = next(row for row, part in enumerate(found.parts) if part.parent < 0)
    factors[made.objects[root]] = AnimatedSettings(pin=1.0)

    def end(strength):
        asked = FrameInputs(
            animated=tuple(factors),
            body_position=model.bodies.position,
            body_orientation=model.bodies.orientation,
            joint_target=np.zeros(len(model.joints)),
            joint_pose=np.array([_seen(part) for part in found.parts if part.joint]),
            joint_strength=np.full(len(model.joints), strength),
        )
        return run(model, 48, asked).body_position

    def _seen(part):
        return rotation_quaternion(part.joint.first.T @ part.joint.second)

    hand = found.parts.index(part_of(found, "hand.L"))
    start = model.bodies.position[hand]
    np.testing.assert_allclose(end(1.0)[root], model.bodies.position[root], atol=1e-9)
    assert np.linalg.norm(end(1.0)[hand] - start) < 0.06
    assert end(0.0)[hand, 2] < start[2] - 0.25


# ---------------------------------------------------------------------- bad input


def spoilt(**changes):
    return Skeleton(**{**vars(human()), **changes})


@pytest.mark.parametrize(
    ("bones", "said"),
    [
        (lambda: spoilt(deforms=np.zeros(20, dtype=bool)), "none of its bones deforms"),
        (lambda: spoilt(parent=np.roll(np.arange(20, dtype=np.int32), 1)), "its own ancestor"),
        (lambda: spoilt(tail=human().head), "no length"),
        (lambda: spoilt(head=np.full((20, 3), np.nan)), "not a number"),
        (lambda: skeleton([("a", None, (0, 0, 0), (0, 0, 1))]), ""),
    ],
)
def test_bad_skeletons_are_named(bones, said):
    if not said:
        build(plan(bones()))
        return
    with pytest.raises(ModelError, match=said) as refused:
        plan(bones())
    assert "Figure" in str(refused.value)


def test_a_bone_without_length_joins_its_parent_and_cannot_stand_alone():
    bones = human()
    tail = bones.tail.copy()
    head = bones.name.index("head")
    tail[head] = bones.head[head]
    flat = Skeleton(**{**vars(bones), "tail": tail})
    assert "head" not in names_of(plan(flat))
    with pytest.raises(ModelError, match="head has no length"):
        plan(flat, {"head": {"part": "OWN"}})
    with pytest.raises(ModelError, match="none of its bones is a body"):
        plan(choices={name: {"part": "NONE"} for name in bones.name})


@pytest.mark.parametrize("seed", [2, 5, 11])
def test_joints_hold_when_a_figure_hits_the_floor(seed):
    """Gaps, limits and drags in every frame of a fall from 2 m in any pose; no energy out of it."""
    q = np.random.default_rng(seed).normal(size=4)
    turn = rotation_matrix(q / np.linalg.norm(q))
    builder = ModelBuilder()
    found = plan()
    count = len(found.skeleton)
    place = np.array([0.0, 0.0, 2.2]) - turn @ np.array([0.0, 0.0, 1.0])
    add_ragdoll(builder, found, np.tile(turn, (count, 1, 1)), np.tile(place, (count, 1)))
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    model = builder.finalize()
    mass, state = model.bodies.mass, model.initial_state()
    gap, beyond, energy = [], [], []
    for _ in range(48):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
        _, places = frames_of(model, state)
        gap.append(np.linalg.norm(places[:, 0] - places[:, 1], axis=1).max())
        beyond.append(excess(model, state).max())
        speed = (state.body_position - state.body_previous) / state.step
        energy.append(mass @ (0.5 * (speed**2).sum(axis=1) + 9.81 * state.body_position[:, 2]))
        remembered = state.contacts.remembered
        assert not remembered["friction_impulse"][remembered["normal_impulse"] == 0.0].any()
    assert max(gap) < 1e-3  # of bones of 8 to 50 cm; a few mm when contacts and joints disagree
    assert np.degrees(max(beyond)) < 2.0
    assert np.diff(energy).max() < 0.2  # J of 1500
