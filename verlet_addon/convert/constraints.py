"""One rigid body constraint of Blender as a joint of ours, and back.

Blender's angles are those of the first object seen from the second, ours the other way round, so
that their signs differ; places along the axes are those of the second seen from the first in both.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import bpy

from ...core.settings import JointSettings
from ..blender.data import any_item
from ..joints.joint_inputs import settings_of_joint
from .bodies import is_same

AXIS_LETTERS = "xyz"
_SIMPLE = {"FIXED": "FIXED", "POINT": "BALL", "HINGE": "HINGE", "SLIDER": "SLIDER"}
_SIMPLE_BACK = {ours: theirs for theirs, ours in _SIMPLE.items()}
_TYPE_OF = {
    **_SIMPLE_BACK,
    "SPRING": "GENERIC_SPRING",
    "GENERIC": "GENERIC",
    "CONE_TWIST": "GENERIC",
}
MOTORED = {"HINGE", "SLIDER"}
ALIGNED = 0.99  # cosine of the angle between the axes of a motor and of what it drives

Notes = list[str]


def wanted_of(theirs: bpy.types.RigidBodyConstraint, step: float) -> tuple[JointSettings, Notes]:
    """Our settings for a constraint of any type but MOTOR, and what has no counterpart.

    step: s, of Blender's simulation: its breaking threshold is an impulse in one step.
    """
    values: dict[str, Any] = {"kind": _SIMPLE.get(theirs.type, "GENERIC")}
    notes: Notes = []
    match theirs.type:
        case "HINGE":
            lower, upper = theirs.limit_ang_z_lower, theirs.limit_ang_z_upper
            values |= {"is_limited": theirs.use_limit_ang_z, "lower": -upper, "upper": -lower}
        case "SLIDER":
            values["is_limited"] = theirs.use_limit_lin_x
            values |= {"lower": theirs.limit_lin_x_lower, "upper": theirs.limit_lin_x_upper}
        case "PISTON":
            values |= _six_axes(theirs, locked="yz")
        case "GENERIC":
            values |= _six_axes(theirs)
        case "GENERIC_SPRING":
            values |= _springs(theirs, notes)
    if values["kind"] in MOTORED and values["lower"] > values["upper"]:
        values |= {"is_limited": False, "lower": 0.0, "upper": 0.0}  # which means free in Blender
    if theirs.use_breaking:
        values["breaking_force"] = theirs.breaking_threshold / step
    values["collides"] = not theirs.disable_collisions
    return JointSettings(**values), notes


def _six_axes(theirs: bpy.types.RigidBodyConstraint, locked: str = "") -> dict[str, Any]:
    """Limits of the six axes; a lower one above the upper one means free."""
    found: dict[str, Any] = {}
    for name, short, sign in (("linear", "lin", 1.0), ("angular", "ang", -1.0)):
        rows = []
        for axis in AXIS_LETTERS:
            if axis in locked:
                rows.append((True, 0.0, 0.0))
                continue
            lower = getattr(theirs, f"limit_{short}_{axis}_lower")
            upper = getattr(theirs, f"limit_{short}_{axis}_upper")
            is_limited = getattr(theirs, f"use_limit_{short}_{axis}") and lower <= upper
            low, high = sorted((sign * lower, sign * upper)) if is_limited else (0.0, 0.0)
            rows.append((is_limited, low, high))
        limits, lowers, uppers = zip(*rows)
        found |= {f"limits_{name}": limits, f"{name}_lower": lowers, f"{name}_upper": uppers}
    return found


def _springs(theirs: bpy.types.RigidBodyConstraint, notes: Notes) -> dict[str, Any]:
    """Springs, the same along all axes; without any spring a generic joint."""
    found: dict[str, Any] = {"kind": "SPRING"}
    limits = _six_axes(theirs)
    used = {
        prefix: [axis for axis in AXIS_LETTERS if getattr(theirs, f"use_spring_{prefix}{axis}")]
        for prefix in ("", "ang_")
    }
    if not any(used.values()):
        return {"kind": "GENERIC", **limits}
    differing = False
    for prefix, ours in (("", ""), ("ang_", "angular_")):
        for quantity in ("stiffness", "damping"):
            each = [getattr(theirs, f"spring_{quantity}_{prefix}{axis}") for axis in used[prefix]]
            found[ours + quantity] = sum(each) / len(each) if each else 0.0
            differing |= any(not is_same(one, each[0]) for one in each)
        differing |= len(used[prefix]) in (1, 2)
    if differing:
        notes.append("its springs are the same along all axes now, with the mean of what they were")
    if any(limits["limits_linear"]) or any(limits["limits_angular"]):
        notes.append("its limits are left out, a spring of ours has none")
    if theirs.spring_type == "SPRING1":
        notes.append("the damping of its old kind of spring (Blender 2.7) means something else")
    return found


def motor_of(
    theirs: bpy.types.RigidBodyConstraint, kind: str, sign: float, step: float
) -> dict[str, Any] | None:
    """Settings of the motor that drives a HINGE or a SLIDER; None when it drives something else.

    sign: −1 where the motor's axis, or the order of its objects, is opposite to the joint's.
    """
    short = {"HINGE": "ang", "SLIDER": "lin"}[kind]
    if not getattr(theirs, f"use_motor_{short}"):
        return None
    return {
        "motor": "VELOCITY",
        "motor_speed": -sign * getattr(theirs, f"motor_{short}_target_velocity"),
        "motor_force": getattr(theirs, f"motor_{short}_max_impulse") / step,
    }


def give_back(
    ob: bpy.types.Object,
    theirs: bpy.types.RigidBodyConstraint,
    step: float,
    *,
    is_new: bool,
) -> Notes:
    """Write a joint's settings to a constraint, if it does not mean the same already.

    Returns what has no counterpart.
    """
    ours = settings_of_joint(ob)
    theirs.object1, theirs.object2 = ob.verlet.joint.object_a, ob.verlet.joint.object_b
    notes: Notes = []
    if is_new or not _means_the_same(theirs, ours, step):
        theirs.type = any_item(_TYPE_OF[ours.kind])
        match ours.kind:
            case "HINGE":
                theirs.use_limit_ang_z = ours.is_limited
                theirs.limit_ang_z_lower, theirs.limit_ang_z_upper = -ours.upper, -ours.lower
            case "SLIDER":
                theirs.use_limit_lin_x = ours.is_limited
                theirs.limit_lin_x_lower, theirs.limit_lin_x_upper = ours.lower, ours.upper
            case "GENERIC":
                _write_axes(theirs, asdict(ours))
            case "CONE_TWIST":
                _write_axes(theirs, _cone(ours))
                notes.append("its cone is a pyramid in Blender")
            case "SPRING":
                _write_springs(theirs, ours)
        theirs.use_breaking = ours.breaking_force > 0.0
        if theirs.use_breaking:
            theirs.breaking_threshold = ours.breaking_force * step
        theirs.disable_collisions = not ours.collides
        if ours.friction > 0.0:
            notes.append("its friction is left out, Blender knows none")
    return notes


def _means_the_same(
    theirs: bpy.types.RigidBodyConstraint, ours: JointSettings, step: float
) -> bool:
    if theirs.type == "MOTOR":
        return False
    known, _ = wanted_of(theirs, step)
    return all(
        name.startswith("motor") or is_same(value, getattr(known, name))
        for name, value in asdict(ours).items()
    )


def _cone(ours: JointSettings) -> dict[str, Any]:
    """A cone as limits of the six axes."""
    lean = ours.swing
    return {
        "limits_linear": (True,) * 3,
        "linear_lower": (0.0,) * 3,
        "linear_upper": (0.0,) * 3,
        "limits_angular": (ours.is_limited,) * 3,
        "angular_lower": (ours.lower, -lean, -lean),
        "angular_upper": (ours.upper, lean, lean),
    }


def _write_axes(theirs: bpy.types.RigidBodyConstraint, values: dict[str, Any]) -> None:
    for name, short, sign in (("linear", "lin", 1.0), ("angular", "ang", -1.0)):
        for number, axis in enumerate(AXIS_LETTERS):
            ends = sign * values[f"{name}_lower"][number], sign * values[f"{name}_upper"][number]
            setattr(theirs, f"use_limit_{short}_{axis}", values[f"limits_{name}"][number])
            setattr(theirs, f"limit_{short}_{axis}_lower", min(ends))
            setattr(theirs, f"limit_{short}_{axis}_upper", max(ends))


def _write_springs(theirs: bpy.types.RigidBodyConstraint, ours: JointSettings) -> None:
    theirs.spring_type = "SPRING2"
    for prefix, stiffness, damping in (
        ("", ours.stiffness, ours.damping),
        ("ang_", ours.angular_stiffness, ours.angular_damping),
    ):
        for axis in AXIS_LETTERS:
            setattr(theirs, f"use_spring_{prefix}{axis}", stiffness > 0.0 or damping > 0.0)
            setattr(theirs, f"spring_stiffness_{prefix}{axis}", stiffness)
            setattr(theirs, f"spring_damping_{prefix}{axis}", damping)
            short = "ang" if prefix else "lin"
            setattr(theirs, f"use_limit_{short}_{axis}", False)
