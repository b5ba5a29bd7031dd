"""Joints between rigid bodies."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from .tunable import Checked, tunable

JOINT_KINDS = (
    ("BALL", "Ball", "Turns freely about a point"),
    ("HINGE", "Hinge", "Turns about one axis, the Z of the joint: doors, wheels, knees"),
    (
        "CONE_TWIST",
        "Cone Twist",
        "A ball joint with limits: leans within a cone about the X of the joint and twists "
        "within two angles: shoulders, hips, lamps",
    ),
    ("SLIDER", "Slider", "Slides along one axis, the X of the joint: pistons, drawers"),
    ("FIXED", "Fixed", "Holds two bodies together; with a breaking force, until it breaks"),
    ("DISTANCE", "Rope", "Keeps two points within a distance, as a rope of no weight does"),
    ("SPRING", "Spring", "Springs along and about the axes: suspensions, bouncy mounts"),
    ("GENERIC", "Generic", "Each of the six axes locked, limited or free"),
)

MOTORS = (
    ("NONE", "None", "No motor"),
    ("VELOCITY", "Speed", "Turns or slides at a speed as long as its force allows"),
    ("POSE", "Pose", "Springs towards a target angle or place"),
)


def _limits(default: float, label: str, description: str, unit: str) -> Any:
    return tunable((default,) * 3, label, description, unit=unit)


@dataclass(frozen=True)
class JointSettings(Checked):
    """One joint between two rigid bodies, or a body and the world.

    Lengths m, angles rad, along and about the joint's own X, Y and Z. Which fields count is said
    by `kind`: HINGE, SLIDER and CONE_TWIST take ``lower`` and ``upper`` of their axis.
    """

    kind: str = tunable("BALL", "Kind", "How the two may move", choices=JOINT_KINDS)
    is_limited: bool = tunable(False, "Limit", "Keep the joint's motion between two limits")
    lower: float = tunable(
        -math.pi / 4, "Lower", "Smallest angle (rad) of a hinge or twist, or place (m) of a slider"
    )
    upper: float = tunable(
        math.pi / 4, "Upper", "Largest angle (rad) of a hinge or twist, or place (m) of a slider"
    )
    swing: float = tunable(
        math.pi / 4,
        "Swing",
        "Half the opening angle of the cone",
        unit="rad",
        minimum=0.0,
        maximum=math.pi,
    )
    length: float = tunable(
        0.0,
        "Length",
        "Of a rope: largest distance of the two points, 0 = as far apart as they start",
        unit="m",
        minimum=0.0,
        maximum=1e6,
    )
    limits_linear: tuple[bool, ...] = tunable(
        (True,) * 3, "Limit Place", "Of a generic joint: axes along which motion is limited"
    )
    linear_lower: tuple[float, ...] = _limits(0.0, "Lower Place", "Smallest places", "m")
    linear_upper: tuple[float, ...] = _limits(0.0, "Upper Place", "Largest places", "m")
    limits_angular: tuple[bool, ...] = tunable(
        (True,) * 3, "Limit Angle", "Of a generic joint: axes about which turning is limited"
    )
    angular_lower: tuple[float, ...] = _limits(0.0, "Lower Angle", "Smallest angles", "rad")
    angular_upper: tuple[float, ...] = _limits(0.0, "Upper Angle", "Largest angles", "rad")
    stiffness: float = tunable(
        100.0,
        "Stiffness",
        "Of a spring: force by metre along the axes",
        unit="N/m",
        minimum=0.0,
        maximum=1e12,
        soft_maximum=10_000.0,
    )
    damping: float = tunable(
        1.0,
        "Damping",
        "Of a spring: force by speed",
        unit="N·s/m",
        minimum=0.0,
        maximum=1e12,
        soft_maximum=1000.0,
    )
    angular_stiffness: float = tunable(
        10.0,
        "Turn Stiffness",
        "Of a spring: torque by angle",
        unit="N·m/rad",
        minimum=0.0,
        maximum=1e12,
        soft_maximum=1000.0,
    )
    angular_damping: float = tunable(
        0.1,
        "Turn Damping",
        "Of a spring: torque by spin",
        unit="N·m·s/rad",
        minimum=0.0,
        maximum=1e12,
        soft_maximum=100.0,
    )
    motor: str = tunable("NONE", "Motor", "What drives the joint's free axis", choices=MOTORS)
    motor_speed: float = tunable(
        1.0, "Speed", "Of a motor: rad/s of a hinge, m/s of a slider, keyable"
    )
    motor_target: float = tunable(
        0.0, "Target", "Of a motor: angle in rad or place in m that it aims at, keyable"
    )
    motor_frequency: float = tunable(
        4.0,
        "Strength",
        "How fast a pose motor reaches its target",
        unit="Hz",
        minimum=0.0,
        maximum=1000.0,
        soft_maximum=30.0,
    )
    motor_force: float = tunable(
        100.0,
        "Motor Force",
        "Largest force (N) or torque (N·m) of the motor",
        minimum=0.0,
        maximum=1e12,
        soft_maximum=10_000.0,
    )
    friction: float = tunable(
        0.0,
        "Friction",
        "Torque (N·m) or force (N) that the joint opposes to its motion",
        minimum=0.0,
        maximum=1e12,
        soft_maximum=100.0,
    )
    breaking_force: float = tunable(
        0.0,
        "Breaking Force",
        "Force at which the joint breaks for good, 0 = never",
        unit="N",
        minimum=0.0,
        maximum=1e15,
        soft_maximum=100_000.0,
    )
    collides: bool = tunable(
        False, "Collide", "The two joined bodies collide with each other", advanced=True
    )
