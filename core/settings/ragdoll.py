"""Ragdolls: a skeleton as rigid bodies or sticks, and what may be chosen for each of its bones."""

from __future__ import annotations

import math
from dataclasses import dataclass

from .tunable import (
    Checked,
    angular_drag_tunable,
    density_tunable,
    drag_tunable,
    friction_tunable,
    layers_tunable,
    mass_by_tunable,
    mass_tunable,
    restitution_tunable,
    sleeps_tunable,
    static_friction_tunable,
    tunable,
)

RAGDOLL_MODELS = (
    (
        "BODIES",
        "Bodies",
        "A rigid body for each part, of its own shape, joined by joints: exact, sleeps, meets "
        "everything, has muscles",
    ),
    (
        "STICKS",
        "Sticks",
        "A stick figure (Jakobsen): particles at the joints and sticks between them, which meet "
        "everything as capsules; light, loose and quick, has no muscles and does not sleep",
    ),
)

PART_SHAPES = (
    (
        "AUTO",
        "Automatic",
        "Boxes for trunk, hands and feet, capsules for round limbs, hulls where skin sticks out",
    ),
    ("CAPSULE", "Capsule", "A cylinder with round ends along the bone"),
    ("BOX", "Box", "A box along the bone"),
    ("HULL", "Convex Hull", "The bone's part of the mesh wrapped tightly"),
)

BONE_PARTS = (
    ("AUTO", "Automatic", "A body of its own, or joined to its parent's where the bone is short"),
    ("OWN", "Own Body", "A body of its own, joined to that of its parent"),
    ("JOINED", "With Parent", "One body together with its parent"),
    ("NONE", "None", "No body: follows its parent and touches nothing"),
)

BONE_JOINTS = (
    ("AUTO", "Automatic", "By the bone's name, its IK limits and its rest pose"),
    ("HINGE", "Hinge", "Bends about one axis: knees, elbows, fingers"),
    ("CONE_TWIST", "Cone Twist", "Leans within a cone and twists: hips, shoulders, spine, neck"),
    ("BALL", "Ball", "Turns freely"),
    ("FIXED", "Fixed", "Does not turn"),
)


@dataclass(frozen=True)
class RagdollSettings(Checked):
    """One character."""

    model: str = tunable("BODIES", "Model", "What it is made of", choices=RAGDOLL_MODELS)
    shape: str = tunable(
        "AUTO", "Shape", "What collides in place of each bone", choices=PART_SHAPES
    )
    mass_by: str = mass_by_tunable()
    mass: float = mass_tunable(
        70.0, "Mass of the whole character, shared out by volume; Ragdoll proposes it by size"
    )
    density: float = density_tunable("flesh 1000, wood 600, steel 7800")
    looseness: float = tunable(
        1.0,
        "Looseness",
        "Factor on how far joints turn: 0 holds the rest pose, 1 is a human",
        minimum=0.0,
        maximum=3.0,
        soft_maximum=1.5,
    )
    stiffness: float = tunable(
        0.15,
        "Joint Friction",
        "How much joints resist being turned, as a share of the torque that holds the limb level",
        minimum=0.0,
        maximum=10.0,
        soft_maximum=1.0,
    )
    smallest: float = tunable(
        0.05,
        "Smallest Part",
        "Bones shorter than this share of the character are one body with their parent. "
        "0.01 gives fingers bodies of their own",
        minimum=0.0,
        maximum=1.0,
        soft_maximum=0.2,
    )
    collides_itself: bool = tunable(
        True, "Meet Itself", "Limbs collide with each other and with the trunk"
    )
    friction: float = friction_tunable()
    restitution: float = restitution_tunable()
    drag: float = drag_tunable(0.05)
    angular_drag: float = angular_drag_tunable(0.3)
    frequency: float = tunable(
        10.0,
        "Strength",
        "How fast muscles bring a joint to the keyed pose, where Limp is below 1",
        unit="Hz",
        minimum=0.0,
        maximum=1000.0,
        soft_maximum=30.0,
    )
    torque: float = tunable(
        10.0,
        "Largest Torque",
        "Of muscles, as a multiple of the torque that holds the limb level",
        minimum=0.0,
        maximum=1e6,
        soft_maximum=100.0,
        advanced=True,
    )
    balance: float = tunable(
        3.0,
        "Balance",
        "Largest pull of muscles towards where the keys have the character, as a multiple of its "
        "weight. 0: only joints are moved, and it falls over where nothing holds it",
        minimum=0.0,
        maximum=1e6,
        soft_maximum=10.0,
    )
    blend: float = tunable(
        0.5,
        "Blend Back",
        "How long a bone takes from where it has been moved to its keys, where Limp returns to 0",
        unit="s",
        minimum=0.0,
        maximum=1e4,
        soft_maximum=5.0,
    )
    static_friction: float = static_friction_tunable()
    sleeps: bool = sleeps_tunable()
    layers: tuple[bool, ...] = layers_tunable()


BONE_ENDS = (
    ("HEAD", "Head", "The joint of the bone with its parent"),
    ("TAIL", "Tail", "The other end of the bone"),
)


@dataclass(frozen=True)
class PinSettings(Checked):
    """How one bone is pinned to an object."""

    pin_end: str = tunable("TAIL", "End", "Which end of the bone is pinned", choices=BONE_ENDS)
    pin_turns: bool = tunable(
        False, "Turn Along", "The bone keeps its angle to what it is pinned to, as a gripping hand"
    )
    pin_firmness: float = tunable(
        1.0,
        "Firmness",
        "1 holds the bone to a fraction of a millimetre. Of pins that cannot all be reached, those "
        "that are less firm give way first",
        minimum=1e-4,
        maximum=1.0,
    )


@dataclass(frozen=True)
class BoneSettings(Checked):
    """What is chosen for one bone; everything automatic unless it is changed."""

    part: str = tunable("AUTO", "Body", "Whether the bone is a body of its own", choices=BONE_PARTS)
    shape: str = tunable("AUTO", "Shape", "What collides in its place", choices=PART_SHAPES)
    size: float = tunable(
        1.0,
        "Size",
        "Factor on the shape's thickness",
        minimum=0.01,
        maximum=100.0,
        soft_minimum=0.2,
        soft_maximum=3.0,
    )
    mass: float = tunable(
        1.0,
        "Mass Factor",
        "Factor on the part's share of the mass",
        minimum=1e-3,
        maximum=1e3,
        soft_minimum=0.1,
        soft_maximum=10.0,
    )
    joint: str = tunable("AUTO", "Joint", "How it turns in its parent", choices=BONE_JOINTS)
    has_limits: bool = tunable(False, "Own Limits", "Limits by hand in place of the automatic ones")
    lower: float = tunable(
        -math.pi / 6,
        "Lower",
        "Smallest angle of a hinge, or twist, from the rest pose",
        unit="rad",
        minimum=-math.pi,
        maximum=math.pi,
    )
    upper: float = tunable(
        math.pi / 6,
        "Upper",
        "Largest angle of a hinge, or twist, from the rest pose",
        unit="rad",
        minimum=-math.pi,
        maximum=math.pi,
    )
    swing: float = tunable(
        math.pi / 4,
        "Swing",
        "Half the opening angle of the cone, about the rest pose or what it leans to",
        unit="rad",
        minimum=0.0,
        maximum=math.pi,
    )
    lean_x: float = tunable(
        0.0,
        "Lean X",
        "Turns the middle of the cone away from the rest pose, about the bone's X",
        unit="rad",
        minimum=-math.pi,
        maximum=math.pi,
    )
    lean_z: float = tunable(
        0.0,
        "Lean Z",
        "Turns the middle of the cone away from the rest pose, about the bone's Z",
        unit="rad",
        minimum=-0.5 * math.pi,
        maximum=0.5 * math.pi,
    )
    hinge_axis: tuple[float, float, float] = tunable(
        (0.0, 0.0, 0.0),
        "Axis",
        "What a hinge turns about, in the bone's own axes. All 0: by the bone's role and rest pose",
    )


@dataclass(frozen=True)
class BoneAnimatedSettings(Checked):
    """The factors of one bone that may be keyed."""

    limp: float = tunable(
        1.0,
        "Limp",
        "0 follows its keys exactly, 1 hangs limp, between muscles hold the keyed pose",
        minimum=0.0,
        maximum=1.0,
    )
    pin: bool = tunable(True, "Hold", "Off: the pin lets go of the bone")
