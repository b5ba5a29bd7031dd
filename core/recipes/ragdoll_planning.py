"""From a skeleton and its skin to a ragdoll in the rest pose: shapes, masses, joints, limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..geometry.closest_shape import shape_mass_properties
from ..settings import BoneSettings, RagdollSettings
from ..settings.gravity import GRAVITY
from .bone_joints import bone_joint
from .bone_parts import bone_parts, parents_of_parts
from .bone_roles import body_axes, bone_roles, side_of
from .bone_shapes import (
    FEWEST_CORNERS,
    FEWEST_POINTS,
    fit_closely,
    fit_to_skin,
    shape_by_length,
    thickened,
)
from .parts_apart import parts_apart
from .ragdoll_plan import Plan, RagdollPart
from .skeleton import NO_SKIN, Skeleton, Skin

if TYPE_CHECKING:
    from ..arrays import Floats
    from ..geometry.closest_shape import Fit

LEAST_MASS_SHARE = 0.1
"""Least mass of a part, as a share of what it hangs on and of what hangs on it: the first bone of a
tail, thin as it is, is jerked between a trunk and the rest of the tail."""


def plan_ragdoll(
    name: str,
    skeleton: Skeleton,
    settings: RagdollSettings,
    skin: Skin = NO_SKIN,
    bones: Sequence[BoneSettings] | None = None,
    change: Floats | None = None,
) -> Plan:
    """Bodies, masses, joints and limits of a skeleton; nothing is added anywhere.

    bones (b,): choices for each. change (b, 4, 4): what carries each from rest to the pose in which
    it starts; shapes are of the skin as that bends it within a part. Raises `ModelError` that names
    the character for a skeleton that nothing can be made of.
    """
    skeleton.checked(name)
    chosen = list(bones) if bones is not None else [BoneSettings()] * len(skeleton)
    roles = bone_roles(skeleton)
    body = body_axes(skeleton, roles)
    part_of_bone, leaders = bone_parts(name, skeleton, settings, roles, chosen, skin)
    parents = parents_of_parts(skeleton, part_of_bone, leaders, roles)
    owners = skin.owners(part_of_bone, len(leaders))
    seen = skin.points
    if change is not None and len(seen):
        seen = skin.bent(part_of_bone, np.array(leaders), change)
    parts: list[RagdollPart] = []
    for row, bone in enumerate(leaders):
        members = tuple(int(b) for b in np.flatnonzero(part_of_bone == row))
        wanted = chosen[bone].shape if chosen[bone].shape != "AUTO" else settings.shape
        fit = _fit(skeleton, bone, members, seen[owners == row], wanted, roles[bone], body)
        fit = thickened(fit, chosen[bone].size)
        joint = None
        if parents[row] >= 0:
            joint = bone_joint(
                skeleton,
                bone,
                leaders[parents[row]],
                roles[bone],
                side_of(skeleton.name[bone]),
                body,
                chosen[bone],
                settings.looseness,
            )
        volume = shape_mass_properties(fit).volume * chosen[bone].mass
        parts.append(RagdollPart(bone, members, fit, volume, parents[row], joint, roles[bone]))
    volumes = _evened(np.array([part.volume for part in parts]), parents)
    if settings.mass_by == "MASS":
        mass = settings.mass * volumes / volumes.sum()
    else:
        mass = settings.density * volumes
    level = _level_torques(skeleton, parts, mass)
    apart = parts_apart(parts, everything=not settings.collides_itself)
    return Plan(name, skeleton, settings, tuple(parts), mass, level, apart, part_of_bone)


def _fit(
    skeleton: Skeleton,
    bone: int,
    members: tuple[int, ...],
    points: Floats,
    wanted: str,
    role: str,
    body: tuple[Floats, Floats, Floats],
) -> Fit:
    """The shape of a part: by its skin, else by the length of its bones."""
    if len(points) >= (FEWEST_CORNERS if wanted == "HULL" else FEWEST_POINTS):
        place = points, skeleton.head[bone], skeleton.axes[bone]
        if wanted == "AUTO":
            fit = fit_closely(*place, role, skeleton.size)
        else:
            fit = fit_to_skin(*place, wanted, role)
        if fit is not None:
            return fit
    head, along = skeleton.head[bone], skeleton.direction(bone)
    far = max(
        float((skeleton.tail[m] - head) @ along) for m in members if _is_in_line(skeleton, bone, m)
    )
    return shape_by_length(head, head + far * along, body[0], wanted, role, skeleton.size)


def _is_in_line(skeleton: Skeleton, bone: int, member: int) -> bool:
    """Whether a member goes on where the leader ends; what stands aside makes no limb longer."""
    return member == bone or float(skeleton.direction(bone) @ skeleton.direction(member)) > 0.8


def _evened(volume: Floats, parents: list[int]) -> Floats:
    """Volumes (p,) m³, no one's much less than those of its neighbours (`LEAST_MASS_SHARE`)."""
    least = volume.copy()
    for row, parent in enumerate(parents):
        if parent >= 0:
            least[row] = max(least[row], LEAST_MASS_SHARE * volume[parent])
            least[parent] = max(least[parent], LEAST_MASS_SHARE * volume[row])
    return least


def _level_torques(skeleton: Skeleton, parts: list[RagdollPart], mass: Floats) -> Floats:
    """Torque (p,) N·m of gravity on each joint when all that hangs on it is held out level."""
    moment = mass[:, None] * np.array([part.fit.centre for part in parts])
    total = mass.copy()
    for row in _children_first(parts):
        parent = parts[row].parent
        if parent >= 0:
            moment[parent] += moment[row]
            total[parent] += total[row]
    heads = skeleton.head[[part.bone for part in parts]]
    torque: Floats = GRAVITY * np.linalg.norm(moment - total[:, None] * heads, axis=1)
    return torque


def _children_first(parts: list[RagdollPart]) -> list[int]:
    depth = []
    for row in range(len(parts)):
        steps, above = 0, parts[row].parent
        while above >= 0:
            steps, above = steps + 1, parts[above].parent
        depth.append(steps)
    return [int(row) for row in np.argsort(depth, kind="stable")[::-1]]
