"""Joints of a model as constant arrays, and the settings they are made of.

A joint has six degrees of freedom, three of place and three of turning, seen in the joint's frame.
Each is locked (lower = upper), limited, free, or springs; what is free may have a motor or
friction. Angles and places are those of the second owner's frame seen from the first's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from .state_part import StatePart

if TYPE_CHECKING:
    from ..arrays import Floats, Ints
    from ..settings.joint import JointSettings

POINT, AXES, ROPE = range(3)
"""How places are measured: a point held, along three axes, or the distance of two points."""

FREE_TURN, HINGE_TURN, CONE_TURN, VECTOR_TURN, LOCKED_TURN = range(5)
"""How turning is measured: not at all, about one axis, swing and twist, a rotation vector, held."""

NO_MOTOR, SPEED_MOTOR, POSE_MOTOR = range(3)
MOTOR_CODES = {"NONE": NO_MOTOR, "VELOCITY": SPEED_MOTOR, "POSE": POSE_MOTOR}

ALL_TURNS = 6
"""In place of a degree of freedom: the motor turns the joint about all axes."""

THIN_CONE = 1e-3
"""A cone narrower than this (rad) has no direction to lean to: it is a hinge about its twist."""

FREEDOMS = 6


class OnBody(NamedTuple):
    """A joint's end on a rigid body: its index in `ModelBuilder.objects`."""

    object: int


class OnCollider(NamedTuple):
    """A joint's end on a collider: its index among the colliders."""

    collider: int


End = OnBody | OnCollider | None
"""What a joint holds; None is the world, a place in space that never moves."""


@dataclass(frozen=True, eq=False)
class JointTable:
    """j joints between owners (see `rigid.owners`; the last one of all is the world)."""

    name: tuple[str, ...]
    owner: Ints  # (j, 2)
    anchor: Floats  # (j, 2, 3) m, in the owners' frames
    frame: Floats  # (j, 2, 4), the joint's axes in the owners' frames
    place_form: Ints  # (j,) POINT, AXES or ROPE
    turn_form: Ints  # (j,) FREE_TURN, HINGE_TURN, CONE_TURN, VECTOR_TURN or LOCKED_TURN
    axis: Ints  # (j,) 0, 1 or 2: axis of a HINGE_TURN
    lower: Floats  # (j, 6) m or rad, −∞ where there is no limit
    upper: Floats  # (j, 6)
    stiffness: Floats  # (j, 6) N/m or N·m/rad of springs
    damping: Floats  # (j, 6)
    rubs: Ints  # (j, 6) 1: friction acts on it
    motor: Ints  # (j,) NO_MOTOR, SPEED_MOTOR or POSE_MOTOR
    motor_freedom: Ints  # (j,) the degree of freedom that it drives, or ALL_TURNS
    motor_speed: Floats  # (j,) rad/s or m/s
    motor_target: Floats  # (j,) rad or m
    motor_frequency: Floats  # (j,) Hz
    motor_force: Floats  # (j,) N or N·m
    friction: Floats  # (j,) N or N·m
    breaking_force: Floats  # (j,) N, ∞ for never
    collides: Ints  # (j,) 1: the two owners collide with each other

    def __len__(self) -> int:
        return len(self.motor)

    def at_start(self) -> JointState:
        """Whole joints on which nothing has acted."""
        return JointState(np.zeros((len(self), 6)), np.zeros(len(self), dtype=np.int32))

    @cached_property
    def has_motors(self) -> bool:
        """Whether any joint has a motor."""
        return bool((self.motor != NO_MOTOR).any())


@dataclass(eq=False)
class JointState(StatePart):
    """What j joints have done."""

    impulse: Floats  # (j, 6) N·s and N·m·s of the last substep, by degree of freedom
    broken: Ints  # (j,) 1: broken for good


_KIND_FORMS = {
    "BALL": (POINT, FREE_TURN),
    "HINGE": (POINT, HINGE_TURN),
    "CONE_TWIST": (POINT, CONE_TURN),
    "SLIDER": (AXES, LOCKED_TURN),
    "FIXED": (POINT, LOCKED_TURN),
    "DISTANCE": (ROPE, FREE_TURN),
    "SPRING": (AXES, VECTOR_TURN),
    "GENERIC": (AXES, VECTOR_TURN),
}


def joint_columns(name: str, settings: JointSettings, distance: float) -> dict[str, object]:
    """One joint's row of every `JointTable` array that the settings decide.

    distance m: how far the two anchors of a rope start from each other. Raises `ModelError` for
    limits that leave no room.
    """
    place_form, turn_form = _KIND_FORMS[settings.kind]
    lower, upper = np.full(FREEDOMS, -math.inf), np.full(FREEDOMS, math.inf)
    stiffness, damping = np.zeros(FREEDOMS), np.zeros(FREEDOMS)
    axis, motor_freedom = 2, -1
    if place_form == POINT:
        lower[:3] = upper[:3] = 0.0
    if turn_form == LOCKED_TURN:
        lower[3:] = upper[3:] = 0.0
    if settings.kind == "HINGE":
        lower[3:5] = upper[3:5] = 0.0
        motor_freedom = 5
        if settings.is_limited:
            lower[5], upper[5] = settings.lower, settings.upper
    elif settings.kind == "CONE_TWIST":
        motor_freedom = 3
        if settings.is_limited:
            lower[3], upper[3] = settings.lower, settings.upper
            upper[4] = settings.swing
            if settings.swing < THIN_CONE:
                turn_form, axis = HINGE_TURN, 0
                lower[4:] = upper[4:] = 0.0
    elif settings.kind == "SLIDER":
        lower[1:3] = upper[1:3] = 0.0
        motor_freedom = 0
        if settings.is_limited:
            lower[0], upper[0] = settings.lower, settings.upper
    elif settings.kind == "DISTANCE":
        upper[0] = settings.length or distance
    elif settings.kind == "SPRING":
        stiffness[:3], damping[:3] = settings.stiffness, settings.damping
        stiffness[3:], damping[3:] = settings.angular_stiffness, settings.angular_damping
    elif settings.kind == "GENERIC":
        for first, has, low, high in (
            (0, settings.limits_linear, settings.linear_lower, settings.linear_upper),
            (3, settings.limits_angular, settings.angular_lower, settings.angular_upper),
        ):
            for k in range(3):
                if has[k]:
                    lower[first + k], upper[first + k] = low[k], high[k]
        turn_form, axis = _generic_turns(lower, upper)
        motor_freedom = 3 + axis if turn_form == HINGE_TURN else -1
    if (lower > upper).any():
        k = int(np.argmax(lower > upper))
        raise ModelError(
            name, f"lower limit {lower[k]:g} is above the upper one {upper[k]:g}; swap them"
        )
    if settings.motor == "POSE" and turn_form in (FREE_TURN, CONE_TURN, VECTOR_TURN):
        motor_freedom = ALL_TURNS
    motor = MOTOR_CODES[settings.motor] if motor_freedom >= 0 else NO_MOTOR
    return {
        "place_form": place_form,
        "turn_form": turn_form,
        "axis": axis,
        "lower": lower,
        "upper": upper,
        "stiffness": stiffness,
        "damping": damping,
        "rubs": _rubbing(settings, place_form, turn_form, lower, upper, motor, motor_freedom),
        "motor": motor,
        "motor_freedom": motor_freedom,
        "motor_speed": settings.motor_speed,
        "motor_target": settings.motor_target,
        "motor_frequency": settings.motor_frequency,
        "motor_force": settings.motor_force,
        "friction": settings.friction,
        "breaking_force": settings.breaking_force or math.inf,
        "collides": settings.collides,
    }


def _generic_turns(lower: Floats, upper: Floats) -> tuple[int, int]:
    """Form and axis of three limited angles; one that is not held alone makes a hinge."""
    held = (lower[3:] == 0.0) & (upper[3:] == 0.0)
    if held.all():
        return LOCKED_TURN, 2
    if held.sum() == 2:
        return HINGE_TURN, int(np.argmin(held))
    return (
        VECTOR_TURN if np.isfinite(upper[3:]).any() or np.isfinite(lower[3:]).any() else FREE_TURN
    ), 2


def _rubbing(
    settings: JointSettings,
    place_form: int,
    turn_form: int,
    lower: Floats,
    upper: Floats,
    motor: int,
    motor_freedom: int,
) -> NDArray[np.bool_]:
    """Which degrees of freedom friction acts on: those that move and that no motor drives."""
    rubs = (lower < upper) & (settings.friction > 0.0)
    if settings.kind == "SPRING":
        rubs[:] = False
    if place_form == ROPE:
        rubs[:3] = False
    if turn_form == LOCKED_TURN:
        rubs[3:] = False
    if motor != NO_MOTOR:
        if motor_freedom == ALL_TURNS:
            rubs[3:] = False
        else:
            rubs[motor_freedom] = False
    return rubs


def acting(joints: JointTable) -> NDArray[np.bool_]:
    """Degrees of freedom (j, 6) that something ever acts on: the rows of the solver."""
    acts: NDArray[np.bool_] = np.isfinite(joints.lower) | np.isfinite(joints.upper)
    acts |= (joints.stiffness > 0.0) | (joints.damping > 0.0) | (joints.rubs > 0)
    for j in np.flatnonzero(joints.motor != NO_MOTOR):
        if joints.motor_freedom[j] == ALL_TURNS:
            acts[j, 3:] = True
        else:
            acts[j, joints.motor_freedom[j]] = True
    acts[joints.place_form == ROPE, 1:3] = False
    return acts


def joint_table(rows: list[dict[str, object]]) -> JointTable:
    """The table of rows that hold one value for each field of `JointTable`."""
    whole = ("owner", "place_form", "turn_form", "axis", "rubs", "motor", "motor_freedom")
    shapes = {"owner": (-1, 2), "anchor": (-1, 2, 3), "frame": (-1, 2, 4)}
    six = ("lower", "upper", "stiffness", "damping", "rubs")
    columns: dict[str, Any] = {}
    for field in JointTable.__dataclass_fields__:
        values = [row[field] for row in rows]
        if field == "name":
            columns[field] = tuple(values)
            continue
        table = np.array(values, dtype=np.int32 if field in (*whole, "collides") else np.float64)
        columns[field] = table.reshape(shapes.get(field, (-1, 6) if field in six else (-1,)))
    return JointTable(**columns)
