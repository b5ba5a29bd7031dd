"""What a ragdoll is made of, in the rest pose: its bodies, and what they weigh and hang on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..settings import RagdollSettings
from .bone_joints import BoneJoint
from .skeleton import Skeleton

if TYPE_CHECKING:
    from ..arrays import Floats, Ints
    from ..geometry.closest_shape import Fit


@dataclass(frozen=True, eq=False)
class RagdollPart:
    """One body of a ragdoll, in the world in the rest pose."""

    bone: int  # the bone that leads it
    members: tuple[int, ...]  # and those that are one with it
    fit: Fit
    volume: float  # m³, times the factor on its mass
    parent: int  # row of the part that it hangs on, −1 for none
    joint: BoneJoint | None
    role: str


@dataclass(frozen=True, eq=False)
class Plan:
    """A whole ragdoll, in the world in the rest pose."""

    name: str
    skeleton: Skeleton
    settings: RagdollSettings
    parts: tuple[RagdollPart, ...]
    mass: Floats  # (p,) kg
    level: Floats  # (p,) N·m, what holds a part and all that hangs on it out level at its joint
    apart: Ints  # (e, 2) parts that never collide, beside those that are joined
    part_of_bone: Ints  # (b,) −1 for none
