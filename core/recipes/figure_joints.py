"""What the joints of a stick figure allow, as constraints on its particles (Jakobsen 2001, §6).

A joint becomes one-sided sticks between a part's particles and those of the part that it hangs on,
or a cone for the limb's end; what bends one way only, a knee, is kept on its side of a plane.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import numpy as np

from ..particles.constraints.weighted_point import weights_of
from .bone_joints import BoneJoint
from .bone_roles import body_axes, bone_roles, side_of
from .figure_particles import fills_space
from .skeleton import turn_about, unit

if TYPE_CHECKING:
    from ..arrays import Floats, Ints
    from .figure import Limb
    from .ragdoll_plan import Plan

FREE_SHARE = 1e-3
"""A one-sided stick that leaves all but this share of the way its two ends have is left out."""

TELLS = 0.5
"""Least cosine of an elbow's own axis with the plane that is made for all arms."""

ALL_WAYS = 1.98
"""Times its length that a limb's end gets from the middle of its cone where no way is closed."""

MOST_BACK = 0.5
"""rad, most that a knee bends back, whatever its limits: beyond, the plane says less and less."""

ASIDE_SHARE = 0.5
"""A foot that stands off the shin by this sine keeps to the side to which it does."""

WEDGE = math.radians(40.0)
"""Knees and elbows may be turned about the limb above by a right angle less this."""

UPWARD = np.array([0.0, 0.0, 1.0])

Three = tuple["Ints", "Floats", "Floats"]


def _turns(joint: BoneJoint) -> Floats:
    """Turns (k, 3, 3) of a part against the other, both as at rest, that its joint allows."""
    if joint.kind == "FIXED":
        return np.eye(3)[None]
    x, z = np.eye(3)[0], np.eye(3)[2]
    if joint.kind == "HINGE":
        angles = np.linspace(joint.lower, joint.upper, 25)
        local = np.array([turn_about(z, angle) for angle in angles])
    else:
        twists = [turn_about(x, angle) for angle in np.linspace(joint.lower, joint.upper, 5)]
        leans = [np.eye(3)]
        for way in np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False):
            axis = np.array([0.0, math.cos(way), math.sin(way)])
            leans += [turn_about(axis, angle) for angle in np.linspace(0.0, joint.swing, 5)[1:]]
        local = np.array([lean @ twist for lean in leans for twist in twists])
    turned: Floats = joint.first @ local @ joint.second.T
    return turned


def _is_limited(joint: BoneJoint | None) -> bool:
    return joint is not None and (joint.is_limited or joint.kind == "FIXED")


def links_of(plan: Plan, place: Floats, limbs: tuple[Limb, ...]) -> tuple[Three, Three]:
    """One-sided sticks that keep parts where their joints allow them to be.

    Where what a limb hangs on shows it, the limb's end keeps near the middle of its cone; else, and
    for parts that are turned as a whole, particles keep between two distances. A limb on one that
    has no frame, an arm on a collarbone, is held by the part above as well.
    """
    ranges: dict[tuple[int, int], tuple[float, float]] = {}
    cones: list[tuple[Ints, Floats, float]] = []
    for limb, part in zip(limbs, plan.parts):
        if part.joint is None or not _is_limited(part.joint):
            continue
        pivot = place[limb.particles[0]]
        turns = _turns(part.joint)
        above = limbs[part.parent]
        middle = part.joint.first @ part.joint.second.T
        is_cone = part.joint.kind == "CONE_TWIST"
        cone = _cone(place, limb, above, turns, middle) if is_cone else None
        if cone is not None:
            cones.append(cone)
        if cone is None or limb.has_frame:
            turned = pivot + np.einsum("kij,mj->kmi", turns, place[limb.particles[1:]] - pivot)
            _note_ranges(ranges, place, limb, above, turned)
        joint = plan.parts[part.parent].joint
        if cone is None and is_cone and above.parent >= 0 and joint and _is_limited(joint):
            both = (_turns(joint)[::3, None] @ turns[None, ::3]).reshape(-1, 3, 3)
            middle = joint.first @ joint.second.T @ middle
            cone = _cone(place, limb, limbs[above.parent], both, middle)
            if cone is not None:
                cones.append(cone)
    pairs = np.array(list(ranges), dtype=np.int32).reshape(-1, 2)
    bounds = np.array(list(ranges.values())).reshape(-1, 2)
    links = pairs, bounds[:, 0].copy(), bounds[:, 1].copy()
    rows = np.array([row for row, _, _ in cones], dtype=np.int32).reshape(-1, 5)
    weights = np.array([weight for _, weight, _ in cones]).reshape(-1, 4)
    return links, (rows, weights, np.array([longest for _, _, longest in cones]))


def _cone(
    place: Floats, limb: Limb, other: Limb, turns: Floats, middle: Floats
) -> tuple[Ints, Floats, float] | None:
    """Particles (5,), weights (4,) and length m of a limb's cone in another, see `PointLinks`.

    turns (k, 3, 3): what its joint allows; middle (3, 3): that which leads into the cone's middle.
    None where the other's particles lie in a plane, or the cone leaves all ways free.
    """
    if not fills_space(place[other.particles]) or limb.end in other.particles:
        return None
    corners = widest_four(place, other.particles.tolist())
    pivot = place[limb.particles[0]]
    along = place[limb.end] - pivot
    point = pivot + middle @ along
    longest = float(np.linalg.norm(pivot + turns @ along - point, axis=1).max())
    if longest > ALL_WAYS * float(np.linalg.norm(along)):
        return None
    row = np.array([limb.end, *corners], dtype=np.int32)
    return row, weights_of(place[corners], point), longest


def _note_ranges(
    ranges: dict[tuple[int, int], tuple[float, float]],
    place: Floats,
    limb: Limb,
    other: Limb,
    turned: Floats,
) -> None:
    """Note how near and far particles of a limb, turned (k, m, 3), come to and from another's."""
    joint = limb.particles[0]
    for column, particle in enumerate(limb.particles[1:].tolist()):
        for held in other.particles.tolist():
            if held == joint or held in limb.particles:
                continue
            apart = np.linalg.norm(turned[:, column] - place[held], axis=1)
            rest = float(np.linalg.norm(place[particle] - place[held]))
            shortest, longest = min(float(apart.min()), rest), max(float(apart.max()), rest)
            one = float(np.linalg.norm(place[particle] - place[joint]))
            two = float(np.linalg.norm(place[held] - place[joint]))
            room = one + two - abs(one - two)
            if shortest < abs(one - two) + FREE_SHARE * room:
                shortest = 0.0
            if longest > one + two - FREE_SHARE * room:
                longest = math.inf
            if shortest > 0.0 or longest < math.inf:
                ranges[particle, held] = (shortest, longest)


def planes_of(plan: Plan, place: Floats, limbs: tuple[Limb, ...]) -> Three:
    """Particles (q, 7) with weights (q, 4) whose planes keep knees, elbows and feet from turning
    round, and the least heights (q,) m³ over them, see `MovingPlanes`.

    Seen along a thigh, the shin may go backward within a wedge: to one side of each of two planes
    that go along the thigh and turn with the hip. A forearm goes forward: seen from a chest, that
    is across the way from the shoulder to the hip on the other side, wherever the arm points to.
    Feet go forward from shins, to one side of one plane.
    """
    bones = plan.skeleton
    body = body_axes(bones, bone_roles(bones))
    found: list[tuple[list[int], Floats, float]] = []

    def keep(
        limb: Limb,
        child: Limb,
        root: Limb,
        way: Floats,
        across: Floats,
        turns: Floats,
        tilts: tuple[float, ...],
    ) -> None:
        """Keep the end of a child to that side of planes to which ``way`` points.

        They go through ``across``, which is square to it, tilted about the limb.
        """
        a, b, i = int(limb.particles[0]), limb.end, child.end
        free = [c for c in root.particles.tolist() if c not in (a, b, i)]
        if b != child.particles[0] or len(free) < 4 or not fills_space(place[free]):
            return
        corners = widest_four(place, free)
        along = place[b] - place[a]
        size = float(np.linalg.norm(along))
        for tilt in tilts:
            point = place[a] + size * turn_about(along / size, tilt) @ across
            normal = np.cross(along, point - place[a])
            if float(normal @ turn_about(along / size, tilt) @ way) < 0.0:
                point = 2.0 * place[a] - point
                normal = -normal
            least = float((turns @ (place[i] - place[b]) @ normal).min())
            weights = weights_of(place[corners], point)
            found.append(([i, a, b, *corners], weights, min(least, 0.0)))

    for row, limb in enumerate(limbs):
        if limb.bend < 0 or limb.bends_both_ways or limb.parent < 0:
            continue
        root = limbs[limb.parent]
        if not root.has_frame and root.parent >= 0:
            root = limbs[root.parent]
        shin, joint = limbs[limb.bend], plan.parts[limb.bend].joint
        assert joint is not None
        along = unit(place[limb.end] - place[limb.particles[0]], UPWARD)
        way = unit(np.cross(limb.bend_axis, along), body[1])
        across = limb.bend_axis
        if plan.parts[row].role == "upper_arm":
            across = _down_across(bones.name[plan.parts[row].bone], body, along, across)
        back = turn_about(limb.bend_axis, max(joint.lower, -MOST_BACK))
        keep(limb, shin, root, way, across, np.stack([back, np.eye(3)]), (-WEDGE, WEDGE))
        for foot in limbs:
            if foot.parent != limb.bend or foot.has_frame:
                continue
            below = unit(place[shin.end] - place[shin.particles[0]], UPWARD)
            aside = unit(place[foot.end] - place[foot.particles[0]], UPWARD)
            ahead = aside - (aside @ below) * below
            if float(np.linalg.norm(ahead)) > ASIDE_SHARE:
                ahead /= np.linalg.norm(ahead)
                keep(shin, foot, root, ahead, np.cross(below, ahead), np.eye(3)[None], (0.0,))
    rows = np.array([row for row, _, _ in found], dtype=np.int32).reshape(-1, 7)
    weights = np.array([weight for _, weight, _ in found]).reshape(-1, 4)
    return rows, weights, np.array([least for _, _, least in found])


def _down_across(
    name: str, body: tuple[Floats, Floats, Floats], along: Floats, across: Floats
) -> Floats:
    """Where the elbow's plane goes from a shoulder: inward and down, if the rest pose agrees.

    Elbows of arms that hang bend forward, of arms that reach forward up, of raised ones back.
    """
    left, _, up = body
    diagonal = unit(-side_of(name) * left - up, across)
    square = unit(diagonal - (diagonal @ along) * along, across)
    if abs(float(square @ across)) < TELLS:
        return across
    return diagonal if float(square @ across) > 0.0 else -diagonal


def widest_four(place: Floats, rows: list[int]) -> list[int]:
    """Those four of particles that span the largest volume."""
    fours = [list(four) for four in itertools.combinations(rows, 4)]
    edges = [place[four[1:]] - place[four[0]] for four in fours]
    return fours[int(np.argmax(np.abs(np.linalg.det(np.array(edges)))))]
