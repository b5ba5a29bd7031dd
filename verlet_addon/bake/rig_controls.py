"""The controls of a rig: which of them carry the simulated bones, found by trying each.

Nothing is asked of names or of how a rig is built. A control carries a bone if the two turn as one
when it alone is turned, so the control's place follows from the bone's:
control = bone · (bone at rest)⁻¹ · control at rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

from ...core.arrays import Floats
from ...core.geometry.affine import inverse
from ..blender.data import armature_of
from ..ragdoll.bone_constraints import chain_of

_INFLUENCE = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)*)"\]\.constraints\["(.+)"\]\.influence$')
_CUSTOM = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)*)"\]\["((?:[^"\\]|\\.)*)"\]$')
_POSE_CHANNELS = (
    "location",
    "rotation_quaternion",
    "rotation_euler",
    "rotation_axis_angle",
    "scale",
)
_TURN_AT_MOST = 0.4  # rad by which a control is turned to see what goes along
_AS_ONE = 1e-4  # two matrices that differ by no more, of an armature of unit size, are one


@dataclass(frozen=True)
class Switch:
    """A number that blends between inverse and forward kinematics."""

    bone: str
    name: str
    forward: float
    inverse: float

    @property
    def path(self) -> str:
        """Its data path from the armature object."""
        bone, name = map(bpy.utils.escape_identifier, (self.bone, self.name))
        return f'pose.bones["{bone}"]["{name}"]'


@dataclass(frozen=True, eq=False)
class Control:
    """A bone that is posed by hand, and the simulated one with which it goes along."""

    name: str
    lead: str
    offset: Floats  # (4, 4): where it is, seen from the simulated bone


@dataclass(frozen=True, eq=False)
class ControlledLimb:
    """Two bones that inverse kinematics bends, and the control that turns their bend."""

    upper: str
    handle: str  # a pole, or the upper bone itself, which is turned about its own axis
    lower: Control  # the lower bone, and the simulated one with the same head, the knee

    @property
    def is_pole(self) -> bool:
        """Whether a pole turns it."""
        return self.handle != self.upper


def set_switch(ob: bpy.types.Object, switch: Switch, value: float) -> Any:
    """Set a switch, as the kind of number that it is; return what it was."""
    bone = ob.pose.bones[switch.bone]
    before = bone[switch.name]
    bone[switch.name] = type(before)(value)
    return before


class Poser:
    """Poses an armature and looks at where its bones come to lie, in its own space."""

    def __init__(self, ob: bpy.types.Object, layer: bpy.types.ViewLayer) -> None:
        self._ob, self._layer = ob, layer
        self.row = {bone.name: number for number, bone in enumerate(ob.pose.bones)}

    def look(self) -> Floats:
        """Evaluate: places (b, 4, 4) of all bones in the order of the pose."""
        self._layer.update()
        bones = self._ob.evaluated_get(self._layer.depsgraph).pose.bones
        flat = np.empty(16 * len(bones), np.float32)
        bones.foreach_get("matrix", flat)
        return flat.reshape(-1, 4, 4).transpose(0, 2, 1).astype(np.float64)

    def set_switch(self, switch: Switch, value: float) -> None:
        """Set a switch to one of its ends."""
        set_switch(self._ob, switch, value)
        self._ob.update_tag()

    @contextmanager
    def kept(self, switches: Sequence[Switch]) -> Iterator[None]:
        """Put all own transforms and switches back at the end."""
        bones = self._ob.pose.bones
        values = {}
        for name in _POSE_CHANNELS:
            width = 4 if name in ("rotation_quaternion", "rotation_axis_angle") else 3
            values[name] = np.empty(width * len(bones), np.float32)
            bones.foreach_get(name, values[name])
        before = [bones[switch.bone][switch.name] for switch in switches]
        try:
            yield
        finally:
            for name, array in values.items():
                bones.foreach_set(name, array)
            for switch, value in zip(switches, before):
                bones[switch.bone][switch.name] = value
            self._ob.update_tag()
            self._layer.update()

    def rest(self) -> None:
        """Take every bone's own transform away."""
        for bone in self._ob.pose.bones:
            bone.matrix_basis = Matrix()


def find_switches(ob: bpy.types.Object, poser: Poser) -> list[Switch]:
    """Numbers of bones that drive the influence of constraints which take over from an IK chain."""
    solved: set[str] = set()
    for bone in ob.pose.bones:
        for constraint in bone.constraints:
            solved |= chain_of(bone, constraint)
    driven: dict[tuple[str, str], list[bpy.types.Constraint]] = {}
    for driver in ob.animation_data.drivers if ob.animation_data else ():
        found = _INFLUENCE.match(driver.data_path)
        bone = ob.pose.bones.get(_plain(found[1])) if found else None
        constraint = bone.constraints.get(found[2]) if bone is not None and found else None
        if constraint is None or not _takes_over(constraint, solved):
            continue
        for variable in driver.driver.variables:
            named = _CUSTOM.match(variable.targets[0].data_path)
            if named and variable.targets[0].id == ob:
                key = (_plain(named[1]), _plain(named[2]))
                driven.setdefault(key, []).append(constraint)
    switches = []
    for (bone_name, name), constraints in driven.items():
        ends = _range(ob.pose.bones[bone_name], name)
        switch = Switch(bone_name, name, *ends)
        shares = []
        with poser.kept([switch]):
            for value in ends:
                poser.set_switch(switch, value)
                shares.append(_influence(ob, poser, constraints))
        if shares[0] != shares[1]:
            low_first = shares[0] < shares[1]
            switches.append(Switch(bone_name, name, *(ends if low_first else ends[::-1])))
    return switches


def _plain(name: str) -> str:
    """A name as it is, from one in a data path."""
    return bpy.utils.unescape_identifier(name)


def _takes_over(constraint: Any, solved: set[str]) -> bool:
    """Whether a constraint is one of inverse kinematics, or copies what such a one has solved."""
    if isinstance(constraint, bpy.types.KinematicConstraint):
        return True
    return constraint.type.startswith("COPY_") and constraint.subtarget in solved


def _range(bone: bpy.types.PoseBone, name: str) -> tuple[float, float]:
    about = bone.id_properties_ui(name).as_dict() if not isinstance(bone[name], bool) else {}
    low, high = about.get("min", 0.0), about.get("max", 1.0)
    return (low, high) if abs(low) + abs(high) < 1e6 else (0.0, 1.0)


def _influence(
    ob: bpy.types.Object, poser: Poser, constraints: Sequence[bpy.types.Constraint]
) -> float:
    poser.look()
    evaluated = ob.evaluated_get(bpy.context.view_layer.depsgraph)
    shares: list[Any] = [evaluated.path_resolve(c.path_from_id("influence")) for c in constraints]
    return float(sum(shares))


def may_be_posed(ob: bpy.types.Object, moved: frozenset[str]) -> list[bpy.types.PoseBone]:
    """Bones that a hand can pose: those with a shape of their own, where the rig has any, else all
    that nothing else moves.
    """
    free = [b for b in ob.pose.bones if not any(not c.mute for c in b.constraints)]
    shaped = [bone for bone in free if bone.custom_shape is not None]
    return [b for b in free if b.name in moved or not shaped or b.custom_shape is not None]


def carried_by(
    poser: Poser, controls: Sequence[bpy.types.PoseBone], moved: Sequence[str]
) -> dict[str, frozenset[str]]:
    """Which simulated bones controls carry, in the rest pose and with switches as they are."""
    rows = [poser.row[name] for name in moved]
    rest = poser.look()
    back = inverse(rest)
    size = max(float(np.abs(rest[:, :3, 3]).max()), 1e-6)
    found: dict[str, frozenset[str]] = {}
    for bone in controls:
        own = poser.row[bone.name]
        for axis in ("X", "Y"):  # twist is often shared out among bones, swing is not
            bone.matrix_basis = Matrix.Rotation(_TURN_AT_MOST, 4, axis)
            now = poser.look()
            went = now[own] @ back[own]
            gone = now[rows] @ back[rows] - went
            gone[:, :3, 3] /= size
            has_turned = np.trace(went[:3, :3]) < 1.0 + 2.0 * np.cos(0.5 * _TURN_AT_MOST)
            is_one = has_turned & (np.abs(gone).max(axis=(1, 2)) < _AS_ONE)
            names = frozenset(name for name, yes in zip(moved, is_one) if yes)
            found[bone.name] = found.get(bone.name, frozenset()) | names
        bone.matrix_basis = Matrix()
    return {name: names for name, names in found.items() if names}


def choose(
    ob: bpy.types.Object,
    poser: Poser,
    moved: Sequence[str],
    carried: Mapping[str, frozenset[str]],
) -> list[Control]:
    """Controls with the bones that lead them, in the rest pose. ``moved``: parents first.

    Of those that carry about the same from the same bone on the deepest is taken: the torso and
    not the root. Tweaks, which may not be turned freely, take what those leave over.
    """
    tweaks = {name for name in carried if any(ob.pose.bones[name].lock_rotation)}
    depth = {name: len(ob.pose.bones[name].parent_recursive) for name in carried}
    lead = {name: next(bone for bone in moved if bone in names) for name, names in carried.items()}
    rest = poser.look()
    chosen = []
    for name, names in carried.items():
        is_outer = any(
            lead[other] == lead[name]
            and other not in tweaks
            and depth[other] > depth[name]
            and 2 * len(carried[other]) > len(names)
            for other in carried
        )
        is_led = any(lead[other] == name for other in carried if other != name)
        if not is_outer and not is_led:
            offset = inverse(rest[poser.row[lead[name]]]) @ rest[poser.row[name]]
            chosen.append(Control(name, lead[name], offset))
    return chosen


def find_controls(
    ob: bpy.types.Object, poser: Poser, moved: Sequence[str], switches: Sequence[Switch]
) -> list[Control]:
    """The controls that are to follow simulated bones, those of inverse kinematics too."""
    left = may_be_posed(ob, frozenset(moved))
    found: list[Control] = []
    with poser.kept(switches):
        poser.rest()
        for side in ("forward", "inverse") if switches else ("forward",):
            for switch in switches:
                poser.set_switch(switch, getattr(switch, side))
            carried = carried_by(poser, left, moved)
            found += choose(ob, poser, moved, carried)
            left = [bone for bone in left if bone.name not in carried]
    return found


def find_limbs(
    ob: bpy.types.Object, moved: Sequence[str]
) -> tuple[list[ControlledLimb], list[Control]]:
    """The limbs whose bend a control turns; and controls at their ends, and poles.

    Those go along with the bones whose heads lie where those of the limb's do.
    """
    posable = {bone.name for bone in may_be_posed(ob, frozenset(moved))}
    bones = armature_of(ob).bones
    heads = np.array([bones[name].head_local for name in moved])

    def control(name: str, near: str) -> Control:
        far = np.linalg.norm(heads - np.array(bones[near].head_local), axis=1)
        lead = moved[int(np.argmin(far))]
        offset = bones[lead].matrix_local.inverted() @ bones[name].matrix_local
        return Control(name, lead, np.array(offset))

    limbs, ends = [], []
    for bone, constraint in _bends(ob):
        upper = bone.parent.name
        pole = constraint.pole_subtarget if constraint.pole_target == ob else ""
        target = constraint.subtarget if constraint.target == ob else ""
        if target in posable:
            ends.append(control(target, bone.name))
        if pole in posable:
            ends.append(control(pole, upper))
        if (pole or upper) in posable:
            limbs.append(ControlledLimb(upper, pole or upper, control(bone.name, bone.name)))
    return limbs, ends


def _bends(ob: bpy.types.Object) -> list[tuple[bpy.types.PoseBone, bpy.types.KinematicConstraint]]:
    """Constraints that bend two bones to a target, each with the lower one."""
    return [
        (bone, constraint)
        for bone in ob.pose.bones
        for constraint in bone.constraints
        if isinstance(constraint, bpy.types.KinematicConstraint)
        and not constraint.mute
        and len(chain_of(bone, constraint)) == 2
        and constraint.use_tail
    ]
