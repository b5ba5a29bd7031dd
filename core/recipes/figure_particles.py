"""Where a stick figure has particles, and what they weigh.

A part has them where it hangs on others and where it ends: two make a limb, which knows no twist,
three and more a trunk or a hip that turns as a whole.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from .bone_joints import BENT_TURN
from .bone_roles import body_axes, bone_roles
from .bone_shapes import surface_points
from .figure import Limb
from .skeleton import unit

if TYPE_CHECKING:
    from ..arrays import Floats
    from .ragdoll_plan import Plan, RagdollPart

SAME_JOINT = 0.02
"""Joints of one part that are nearer to each other than this share of the character are one."""

ENDS = 0.25
"""A part whose particles all keep this share of its length from its end gets one there."""

FLAT_PARTICLES = 0.15
"""Particles whose second extent is a smaller share of their largest are a line, the third a plane.
"""

LEAST_END_SHARE = 0.25
"""Of a limb's mass at either of its ends."""


def parents_first(parts: tuple[RagdollPart, ...]) -> list[int]:
    """Rows of all parts, each after the one that it hangs on."""
    depth = []
    for part in parts:
        steps, above = 0, part.parent
        while above >= 0:
            steps, above = steps + 1, parts[above].parent
        depth.append(steps)
    return [int(row) for row in np.argsort(depth, kind="stable")]


def _far_end(plan: Plan, part: RagdollPart) -> Floats:
    """Where a part ends (3,): as far along its bone as the bones go that are one with it."""
    bones = plan.skeleton
    head, along = bones.head[part.bone], bones.direction(part.bone)
    in_line = [m for m in part.members if float(bones.direction(m) @ along) > 0.8]
    far = max(float((bones.tail[m] - head) @ along) for m in {part.bone, *in_line})
    end: Floats = head + far * along
    return end


def particles_of(plan: Plan, order: list[int]) -> tuple[list[Floats], list[list[int]], list[int]]:
    """Places of all particles, the rows of each part's, and the part that each goes with."""
    near = SAME_JOINT * plan.skeleton.size
    places: list[Floats] = []
    owner: list[int] = []
    members: list[list[int]] = [[] for _ in plan.parts]

    def add(place: Floats, part: int) -> int:
        places.append(place)
        owner.append(part)
        return len(places) - 1

    for row in order:
        part = plan.parts[row]
        head = plan.skeleton.head[part.bone]
        joint = -1
        if part.parent >= 0:
            for other in members[part.parent]:
                if np.linalg.norm(places[other] - head) < near:
                    joint = other
                    break
        if joint < 0:
            joint = add(head, row)
        members[row].append(joint)
        if part.parent >= 0 and joint not in members[part.parent]:
            members[part.parent].append(joint)
    _, front, _ = body_axes(plan.skeleton, bone_roles(plan.skeleton))
    for row in order:
        part, rows = plan.parts[row], members[row]
        end, head = _far_end(plan, part), plan.skeleton.head[part.bone]
        length = float(np.linalg.norm(end - head))
        gaps = [float(np.linalg.norm(places[other] - end)) for other in rows]
        if min(gaps) > ENDS * length:
            rows.append(add(end, row))
        if part.role == "spine" and not fills_space(np.array([places[r] for r in rows])):
            along = (end - head) / length
            aside = unit(front - (front @ along) * along, plan.skeleton.axes[part.bone, :, 2])
            rows.append(add(0.5 * (head + end) + 0.5 * length * aside, row))
    return places, members, owner


def _extents(place: Floats) -> Floats:
    """Extents (3,) of places (m, 3) along their own axes, the largest first, as shares of it."""
    sizes = np.zeros(3)
    found = np.linalg.svd(place - place.mean(axis=0), compute_uv=False)
    sizes[: len(found)] = found / max(float(found[0]), 1e-30)
    return sizes


def _has_frame(place: Floats) -> bool:
    """Whether places (m, 3) tell how what they belong to is turned."""
    return bool(_extents(place)[1] > FLAT_PARTICLES)


def fills_space(place: Floats) -> bool:
    """Whether distances from places (m, 3) tell one side of a part from the other."""
    return bool(_extents(place)[2] > FLAT_PARTICLES)


def radius_of(plan: Plan, part: RagdollPart) -> float:
    """Half of the smaller width m of a part's shape across its bone."""
    along = plan.skeleton.direction(part.bone)
    points = surface_points(part.fit)
    points = points - np.outer(points @ along, along)
    widths = np.linalg.svd(points - points.mean(axis=0))[2][:2]  # two directions across
    return 0.5 * float(np.ptp(points @ widths.T, axis=0).min())


def shares_of(place: Floats, part: RagdollPart) -> Floats:
    """The share (m,) of a part's mass at each of its particles: the centre of a limb stays."""
    count = len(place)
    if count != 2:
        return np.full(count, 1.0 / count)
    way = place[1] - place[0]
    centre = float((part.fit.centre - place[0]) @ way) / float(way @ way)
    second = min(max(centre, LEAST_END_SHARE), 1.0 - LEAST_END_SHARE)
    return np.array([1.0 - second, second])


def limbs_of(plan: Plan, place: Floats, members: list[list[int]]) -> tuple[Limb, ...]:
    """A limb for each part, of the particles in its row of members."""
    frames = [_has_frame(place[rows]) for rows in members]
    found = []
    for row, part in enumerate(plan.parts):
        rows = np.array(members[row], dtype=np.int32)
        far = np.linalg.norm(place[rows] - place[rows[0]], axis=1)
        bend, axis, both = -1, np.array([0.0, 0.0, 1.0]), False
        hinges = [
            other
            for other, child in enumerate(plan.parts)
            if child.parent == row and child.joint is not None and child.joint.kind == "HINGE"
        ]
        if not frames[row] and len(hinges) == 1 and not frames[hinges[0]]:
            child = plan.parts[hinges[0]]
            assert child.joint is not None
            bend, axis = hinges[0], child.joint.first[:, 2]
            bent = _bent(plan, part, child)
            both = child.joint.is_limited is False or child.joint.lower < -bent - 4.0 * BENT_TURN
        end = int(rows[int(np.argmax(far))])
        found.append(Limb(rows, part.parent, end, frames[row], bend, axis, both))
    return tuple(found)


def _bent(plan: Plan, part: RagdollPart, child: RagdollPart) -> float:
    """How far rad a part is bent against the one that it hangs on, at rest."""
    before, along = plan.skeleton.direction(part.bone), plan.skeleton.direction(child.bone)
    return math.atan2(float(np.linalg.norm(np.cross(before, along))), float(before @ along))
