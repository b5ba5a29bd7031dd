"""Golden scenes of characters: ragdolls, stick figures and clothes, and all that meets them."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats
from ..bench.cloth_scenes import MEETS_ITSELF, add_quads, sheet
from ..bench.scenes import add_sheet
from ..bench.shapes import ball
from ..bench.skinned_arm import add_arm
from ..building.builder import ModelBuilder
from ..model import FrameInputs, Model
from ..model.joint_table import OnBody, OnCollider
from ..recipes.bone_pins import BonePin
from ..recipes.figure_clothes import tie_to_limb
from ..recipes.geometry import Geometry
from ..recipes.ragdoll import add_ragdoll
from ..recipes.ragdoll_plan import Plan
from ..recipes.ragdoll_planning import plan_ragdoll
from ..recipes.rope import add_rope
from ..recipes.skeleton import Skeleton, turn_from_to
from ..recipes.soft_body import add_soft_body
from ..recipes.stick_figure import add_stick_figure, plan_figure
from ..settings import (
    AnimatedSettings,
    PinSettings,
    RagdollSettings,
    RopeSettings,
    SoftBodySettings,
)
from .particle_scenes import add_floor
from .scene import GoldenScene, scene

FIGURE_BONES = (  # name, parent, head and tail m
    ("spine", "", (0.0, 0.0, 1.0), (0.0, 0.0, 1.2)),
    ("chest", "spine", (0.0, 0.0, 1.2), (0.0, 0.0, 1.5)),
    ("head", "chest", (0.0, 0.0, 1.55), (0.0, 0.0, 1.8)),
    ("upper_arm.L", "chest", (0.2, 0.0, 1.45), (0.45, 0.0, 1.45)),
    ("forearm.L", "upper_arm.L", (0.45, 0.0, 1.45), (0.75, 0.0, 1.45)),
    ("upper_arm.R", "chest", (-0.2, 0.0, 1.45), (-0.45, 0.0, 1.45)),
    ("forearm.R", "upper_arm.R", (-0.45, 0.0, 1.45), (-0.75, 0.0, 1.45)),
    ("thigh.L", "spine", (0.1, 0.0, 1.0), (0.1, 0.0, 0.55)),
    ("shin.L", "thigh.L", (0.1, 0.0, 0.55), (0.1, 0.0, 0.1)),
    ("thigh.R", "spine", (-0.1, 0.0, 1.0), (-0.1, 0.0, 0.55)),
    ("shin.R", "thigh.R", (-0.1, 0.0, 0.55), (-0.1, 0.0, 0.1)),
)


def human() -> Skeleton:
    """Eleven bones of somebody who looks along −Y."""
    names = [name for name, _, _, _ in FIGURE_BONES]
    head, tail = (np.array([bone[k] for bone in FIGURE_BONES]) for k in (2, 3))
    along = (tail - head) / np.linalg.norm(tail - head, axis=1)[:, None]
    return Skeleton(
        tuple(names),
        np.array(
            [names.index(above) if above else -1 for _, above, _, _ in FIGURE_BONES], np.int32
        ),
        head,
        tail,
        np.array([turn_from_to(np.eye(3)[1], way) for way in along]),
        deforms=np.ones(len(FIGURE_BONES), dtype=bool),
        ik_lock=np.zeros((len(FIGURE_BONES), 3), dtype=bool),
        ik_lower=np.full((len(FIGURE_BONES), 3), -np.inf),
        ik_upper=np.full((len(FIGURE_BONES), 3), np.inf),
    )


def _lifted(plan: Plan, move: tuple[float, float, float]) -> tuple[Floats, Floats]:
    count = len(plan.skeleton)
    return np.tile(np.eye(3), (count, 1, 1)), np.tile(move, (count, 1))


def _pin(plan: Plan, bone: str, to: OnCollider, turns: bool = False) -> BonePin:
    return BonePin(plan.skeleton.name.index(bone), PinSettings(pin_turns=turns), to)


@scene("ragdoll-falls")
def ragdoll_falls() -> GoldenScene:
    """Two of them, one on the other, on the floor."""
    builder = ModelBuilder()
    plan = plan_ragdoll("doll", human(), RagdollSettings())
    lying = np.array([(1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)])
    count = len(plan.skeleton)
    for number in range(2):
        turns = np.tile(lying, (count, 1, 1))
        moves = np.tile((0.1 * number, 0.0, 0.2 + 0.35 * number), (count, 1))
        before = (turns, moves + (0.0, 0.0, 0.05))
        add_ragdoll(builder, plan, turns, moves, before)
    add_floor(builder)
    return GoldenScene(builder.finalize(), frames=12)


@scene("ragdoll-driven")
def ragdoll_driven() -> GoldenScene:
    """Pins to a handle that moves, muscles that aim, one that follows its keys at first."""
    builder = ModelBuilder()
    plan = plan_ragdoll("doll", human(), RagdollSettings(stiffness=0.3))
    handle = OnCollider(builder.add_handle("hand", plan.skeleton.tail[4], (1.0, 0.0, 0.0, 0.0)))
    pins = (_pin(plan, "forearm.L", handle), _pin(plan, "head", handle, turns=True))
    add_ragdoll(builder, plan, has_muscles=True, pins=pins)
    add_floor(builder)

    def inputs(model: Model, frame: int) -> FrameInputs:
        joints = len(model.joints)
        pose = np.tile((1.0, 0.05 * frame, 0.0, 0.02), (joints, 1))
        held = AnimatedSettings(pin=1.0 if frame < 3 else 0.0)
        return FrameInputs(
            animated=(held,) * len(model.objects),
            body_position=model.bodies.position + (0.0, 0.01 * frame, 0.0),
            body_orientation=model.bodies.orientation,
            collider_position=model.colliders.position + (0.0, 0.0, 0.02 * frame),
            joint_pose=pose / np.linalg.norm(pose, axis=1)[:, None],
            joint_strength=np.full(joints, 0.8),
        )

    return GoldenScene(builder.finalize(), inputs, frames=8)


@scene("stick-figure")
def stick_figure() -> GoldenScene:
    """Clothed and pinned, another one that falls on it, a sheet that both fall into."""
    builder = ModelBuilder()
    plan = plan_ragdoll("stick", human(), RagdollSettings(model="STICKS"))
    figure = plan_figure(plan)
    add_sheet(builder, 8, height=1.35)
    number = add_stick_figure(builder, figure)
    first = builder.objects[number].first_particle
    chest, arm = (plan.part_of_bone[plan.skeleton.name.index(b)] for b in ("chest", "forearm.L"))
    sheet = np.arange(64)
    builder.touch_nothing(sheet[27:29])
    tie_to_limb(builder, 0, figure, first, int(chest), sheet[27:29].astype(np.int32))
    tie_to_limb(builder, 0, figure, first, int(arm), sheet[39:40].astype(np.int32))
    builder.pin([first])
    turns, moves = _lifted(plan, (0.05, 0.02, 0.9))
    add_stick_figure(builder, figure, turns, moves, (turns, moves + (0.0, 0.0, 0.1)))
    builder.add_body("ball", "SPHERE", (0.2,), (0.5, 0.0, 1.8), mass=1.0)
    add_floor(builder)
    return GoldenScene(builder.finalize(), frames=8)


@scene("skin-meets-cloth")
def skin_meets_cloth() -> GoldenScene:
    """A sheet falls on an arm of two bodies with a skin drawn over them, and folds it."""
    builder = ModelBuilder()
    add_arm(builder, (0.0, 0.0, 0.5), mass=0.6)
    x, quads = sheet(12, 12, 0.6, 0.6)
    add_quads(builder, x + (0.07, 0.03, 0.62), quads, MEETS_ITSELF)
    add_floor(builder)
    return GoldenScene(builder.finalize(), frames=8)


@scene("everything-meets")
def everything_meets() -> GoldenScene:
    """Cloth, rope, jelly and dust tied to bodies, on bodies and on each other."""
    builder = ModelBuilder()
    add_sheet(builder, 12, height=1.0, pins=(0, 11))
    box = OnBody(builder.add_body("box", "BOX", (0.2, 0.15, 0.1), (1.1, 1.1, 1.0), mass=0.5))
    builder.add_attachment(box, [143])
    builder.add_body("ball", "SPHERE", (0.3,), (0.0, 0.0, 1.4), mass=2.0, restitution=0.3)
    builder.add_body("soft", "BOX", (0.2,) * 3, (-0.5, 0.4, 1.3), mass=1.0, model="TETRAHEDRON")
    place = np.stack([np.full(11, 1.1), np.full(11, 1.1), np.linspace(0.9, 0.1, 11)], axis=1)
    rope = add_rope(
        builder, Geometry.of("rope", place, [(k, k + 1) for k in range(10)]), RopeSettings()
    )
    builder.add_attachment(box, [builder.objects[rope].first_particle], number=3)
    add_soft_body(builder, ball(0, 0.2, (0.4, -0.5, 1.3)), SoftBodySettings())
    builder.add_particles(
        "dust", [(0.0, 0.0, 2.0), (0.1, 0.0, 2.1)], mass=0.05, self_collision=True
    )
    add_floor(builder)

    def inputs(model: Model, frame: int) -> FrameInputs:
        loose = AnimatedSettings(loose=frozenset({3}) if frame > 5 else frozenset())
        return FrameInputs(animated=(loose,) * len(model.objects))

    return GoldenScene(builder.finalize(), inputs, frames=10)
