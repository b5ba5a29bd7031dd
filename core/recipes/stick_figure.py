"""Stick figure: a skeleton as particles at its joints and sticks between them (Jakobsen 2001, §6).

The parts, their masses and the limits of their joints are those of a ragdoll of bodies
(`recipes.ragdoll.plan_ragdoll`). A part is the particles where it hangs on others and where it
ends, and sticks between all of these: two make a limb, which knows no twist, three and more a trunk
or a hip that turns as a whole. What a joint allows becomes one-sided sticks between a part's
particles and those of the part that it hangs on; what bends one way only, a knee, is kept on its
side of a plane. `limb_frames` reads how the bones are turned.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..constraints.link import Links
from ..constraints.plane import MovingPlanes
from ..constraints.point_link import PARTING_SPEED, PointLinks
from ..constraints.weighted_point import weights_of
from ..forces.wobble import WobbleDamping
from .bone_joints import BENT, BoneJoint
from .bone_roles import body_axes, bone_roles, side_of
from .bone_shapes import surface_points
from .ragdoll import Part, Plan
from .skeleton import turn_about, unit

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ..builder import ModelBuilder
    from ..model import Floats, Ints

SAME = 0.02
"""Joints of one part that are nearer to each other than this share of the character are one."""

ENDS = 0.25
"""A part whose particles all keep this share of its length from its end gets one there."""

FLAT = 0.15
"""Particles whose second extent is a smaller share of their largest are a line, the third a plane.
"""

LEAST_SHARE = 0.25
"""Of a limb's mass at either of its ends."""

FREE = 1e-3
"""A one-sided stick that leaves all but this share of the way its two ends have is left out."""

DAMPING = 8.0
"""1/s: how fast limbs come to rest against each other, times the share that is joint friction."""

DRY = 6.0
"""m/s², likewise, however slow they are: what rocks or sinks on and on comes to rest. A joint of a
ragdoll holds its limb against half as much again."""

TELLS = 0.5
"""Least cosine of an elbow's own axis with the plane that is made for all arms."""

ALL_WAYS = 1.98
"""Times its length that a limb's end gets from the middle of its cone where no way is closed."""

MOST_BACK = 0.5
"""rad, most that a knee bends back, whatever its limits: beyond, the plane says less and less."""

ASIDE = 0.5
"""A foot that stands off the shin by this sine keeps to the side to which it does."""

WEDGE = math.radians(40.0)
"""Knees and elbows may be turned about the limb above by a right angle less this."""

Z = np.array([0.0, 0.0, 1.0])

Three = tuple["Ints", "Floats", "Floats"]


@dataclass(frozen=True, eq=False)
class Limb:
    """The particles of one part."""

    particles: Ints  # (m,) rows of the figure, its joint first
    parent: int  # row of the limb that it hangs on, −1 for none
    end: int  # row of the particle farthest from its joint
    has_frame: bool  # its particles tell how it is turned; else only where it points to
    bend: int  # row of the limb whose bending tells how this one is twisted, −1 for none
    bend_axis: Floats  # (3,) that one bends about, in the world at rest
    bends_both_ways: bool


@dataclass(frozen=True, eq=False)
class Figure:
    """A whole figure of n particles, in the world in the rest pose."""

    plan: Plan
    limbs: tuple[Limb, ...]  # one for each part of the plan
    order: tuple[int, ...]  # of the limbs, parents first
    place: Floats  # (n, 3) m
    owner: Ints  # (n,) the limb that a particle goes with
    mass: Floats  # (n,) kg
    radius: Floats  # (n,) m
    stick: Ints  # (s, 2) particles
    stick_radius: Floats  # (s,) m
    apart: Ints  # (k, 2) sticks that may meet
    apart_reach: Floats  # (k,) m that these keep between their middles
    link: Ints  # (l, 2) particles
    shortest: Floats  # (l,) m
    longest: Floats  # (l,) m
    cone: Ints  # (m, 5) a particle, and four that carry the middle of its cone
    cone_weight: Floats  # (m, 4)
    cone_longest: Floats  # (m,) m that it gets from there
    plane: Ints  # (q, 7) a particle, and others whose plane it keeps to one side of
    plane_weight: Floats  # (q, 4) of the last four, see `MovingPlanes`
    plane_least: Floats  # (q,) m³

    def places(self, turn: Floats, move: Floats) -> Floats:
        """Where the particles (n, 3) m are with bones carried by turn (b, 3, 3), move (b, 3) m."""
        bone = np.array([part.bone for part in self.plan.parts])[self.owner]
        moved: Floats = np.einsum("nij,nj->ni", turn[bone], self.place) + move[bone]
        return moved

    def heights(self, x: Floats) -> Floats:
        """How far (q,) m³ knees, elbows and feet are on their side of their planes."""
        i, a, b = (x[column] for column in self.plane.T[:3])
        c = np.einsum("qk,qki->qi", self.plane_weight, x[self.plane[:, 3:]])
        height: Floats = ((i - a) * np.cross(b - a, c - a)).sum(axis=1)
        return height

    def weights(self, limp: Floats) -> Floats:
        """How firmly (n,) 0 … 1 particles are held to the keys, by how limp (b,) each bone is."""
        held = np.zeros(len(self.place))
        for part, limb in zip(self.plan.parts, self.limbs):
            held[limb.particles] = np.maximum(held[limb.particles], 1.0 - limp[part.bone])
        return np.clip(held, 0.0, 1.0)


def plan_figure(plan: Plan) -> Figure:
    """Particles, sticks and limits of a plan; nothing is added anywhere."""
    parts = plan.parts
    order = _parents_first(parts)
    places, members, owner = _particles(plan, order)
    place = np.array(places)
    radius_of_part = np.array([_radius(plan, part) for part in parts])
    mass, radius = np.zeros(len(place)), np.zeros(len(place))
    count = np.zeros(len(place))
    sticks: dict[tuple[int, int], float] = {}
    for row, rows in enumerate(members):
        mass[rows] += plan.mass[row] * _shares(place[rows], parts[row])
        radius[rows] += radius_of_part[row]
        count[rows] += 1.0
        for a in range(len(rows)):
            for b in range(a):
                pair = (min(rows[a], rows[b]), max(rows[a], rows[b]))
                sticks[pair] = max(sticks.get(pair, 0.0), float(radius_of_part[row]))
    stick = np.array(list(sticks), dtype=np.int32).reshape(-1, 2)
    stick_radius = np.array(list(sticks.values()))
    limbs = _limbs(plan, place, members)
    apart, reach = _meeting(plan, place, members, stick, stick_radius)
    links, cones = _links(plan, place, limbs)
    return Figure(
        plan,
        limbs,
        tuple(order),
        place,
        np.array(owner, dtype=np.int32),
        mass,
        radius / count,
        stick,
        stick_radius,
        apart,
        reach,
        *links,
        *cones,
        *_planes(plan, place, limbs),
    )


def add_stick_figure(
    builder: ModelBuilder,
    figure: Figure,
    turn: Floats | None = None,
    move: Floats | None = None,
    before: tuple[Floats, Floats] | None = None,
    duration: float = 1.0 / 24.0,
    held: ArrayLike | None = None,
) -> int:
    """Add a figure where its skeleton stands at the start; returns its row in builder.objects.

    turn (b, 3, 3), move (b, 3) m: what carries each bone there from the rest pose, nothing by
    default; before: the same ``duration`` s earlier, from which every particle has its velocity
    (Jakobsen §7). held (n,): all particles are pins of that weight, which `FrameInputs` may change;
    none without it.
    """
    plan, settings = figure.plan, figure.plan.settings
    bones = len(plan.skeleton)
    turn = np.tile(np.eye(3), (bones, 1, 1)) if turn is None else turn
    move = np.zeros((bones, 3)) if move is None else move
    x = figure.places(turn, move)
    velocity = np.zeros(3) if before is None else (x - figure.places(*before)) / duration
    first = builder.particle_count
    index = builder.add_particles(
        plan.name,
        x,
        mass=figure.mass,
        velocity=velocity,
        drag=settings.drag,
        radius=figure.radius,
        friction=settings.friction,
        restitution=settings.restitution,
    )
    builder.add_sticks(figure.stick + first)
    builder.add_limbs(figure.stick + first, figure.stick_radius, figure.apart, _reach_at(figure, x))
    if len(figure.link):
        a, b = figure.link.T
        now = np.linalg.norm(x[b] - x[a], axis=1)  # a pose beyond a limit may stay there
        builder.add_constraint(
            Links.of(
                builder,
                index,
                figure.link + first,
                shortest=np.minimum(figure.shortest, now),
                longest=np.maximum(figure.longest, now),
                snapping=PARTING_SPEED,
            )
        )
    if len(figure.cone):
        middle = np.einsum("mk,mki->mi", figure.cone_weight, x[figure.cone[:, 1:]])
        now = np.linalg.norm(x[figure.cone[:, 0]] - middle, axis=1)
        builder.add_constraint(
            PointLinks.of(
                builder,
                index,
                figure.cone + first,
                figure.cone_weight,
                np.maximum(figure.cone_longest, now),
            )
        )
    if len(figure.plane):
        now = figure.heights(x)
        builder.add_constraint(
            MovingPlanes.of(
                builder,
                index,
                figure.plane + first,
                weights=figure.plane_weight,
                least=np.minimum(figure.plane_least, now),
                most=np.inf,
            )
        )
    rows = np.arange(first, first + len(x), dtype=np.int32)
    if settings.stiffness > 0.0:
        friction = DAMPING * settings.stiffness, DRY * settings.stiffness
        builder.add_force(WobbleDamping(index, rows, *friction))
    if held is not None:
        builder.pin(rows, held)
    return index


# ---------------------------------------------------------------------- particles


def _parents_first(parts: tuple[Part, ...]) -> list[int]:
    depth = []
    for part in parts:
        steps, above = 0, part.parent
        while above >= 0:
            steps, above = steps + 1, parts[above].parent
        depth.append(steps)
    return [int(row) for row in np.argsort(depth, kind="stable")]


def _far_end(plan: Plan, part: Part) -> Floats:
    """Where a part ends (3,): as far along its bone as the bones go that are one with it."""
    bones = plan.skeleton
    head, along = bones.head[part.bone], bones.direction(part.bone)
    in_line = [m for m in part.members if float(bones.direction(m) @ along) > 0.8]
    far = max(float((bones.tail[m] - head) @ along) for m in {part.bone, *in_line})
    end: Floats = head + far * along
    return end


def _particles(plan: Plan, order: list[int]) -> tuple[list[Floats], list[list[int]], list[int]]:
    """Places of all particles, the rows of each part's, and the part that each goes with."""
    near = SAME * plan.skeleton.size
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
    return bool(_extents(place)[1] > FLAT)


def fills_space(place: Floats) -> bool:
    """Whether distances from places (m, 3) tell one side of a part from the other."""
    return bool(_extents(place)[2] > FLAT)


def _radius(plan: Plan, part: Part) -> float:
    """Half of the smaller width m of a part's shape across its bone."""
    along = plan.skeleton.direction(part.bone)
    points = surface_points(part.fit)
    points = points - np.outer(points @ along, along)
    widths = np.linalg.svd(points - points.mean(axis=0))[2][:2]  # two directions across
    return 0.5 * float(np.ptp(points @ widths.T, axis=0).min())


def _shares(place: Floats, part: Part) -> Floats:
    """The share (m,) of a part's mass at each of its particles: the centre of a limb stays."""
    count = len(place)
    if count != 2:
        return np.full(count, 1.0 / count)
    way = place[1] - place[0]
    centre = float((part.fit.centre - place[0]) @ way) / float(way @ way)
    second = min(max(centre, LEAST_SHARE), 1.0 - LEAST_SHARE)
    return np.array([1.0 - second, second])


def _limbs(plan: Plan, place: Floats, members: list[list[int]]) -> tuple[Limb, ...]:
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
            both = child.joint.is_limited is False or child.joint.lower < -bent - 4.0 * BENT
        end = int(rows[int(np.argmax(far))])
        found.append(Limb(rows, part.parent, end, frames[row], bend, axis, both))
    return tuple(found)


def _bent(plan: Plan, part: Part, child: Part) -> float:
    """How far rad a part is bent against the one that it hangs on, at rest."""
    before, along = plan.skeleton.direction(part.bone), plan.skeleton.direction(child.bone)
    return math.atan2(float(np.linalg.norm(np.cross(before, along))), float(before @ along))


# ---------------------------------------------------------------------- what meets


def _meeting(
    plan: Plan, place: Floats, members: list[list[int]], stick: Ints, radius: Floats
) -> tuple[Ints, Floats]:
    """Sticks (k, 2) of the figure that may meet, and what (k,) m they keep between their middles.

    Not those of one part or of two that share a particle. Parts that reach into each other at rest,
    as thighs do, keep what distance their middles have there.
    """
    if not plan.settings.collides_itself:
        return np.zeros((0, 2), dtype=np.int32), np.zeros(0)
    part_of = [
        {row for row, rows in enumerate(members) if a in rows and b in rows} for a, b in stick
    ]
    joined = {frozenset((row, part.parent)) for row, part in enumerate(plan.parts)}
    pairs = []
    for e in range(len(stick)):
        for f in range(e):
            ones, others = part_of[e], part_of[f]
            if ones & others or set(stick[e].tolist()) & set(stick[f].tolist()):
                continue
            if any(frozenset((p, q)) in joined for p in ones for q in others):
                continue
            pairs.append((f, e))
    found = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    gaps = segment_gaps(place[stick[found[:, 0]]], place[stick[found[:, 1]]])
    reach = np.minimum(radius[found].sum(axis=1), 0.95 * gaps)
    return found, reach


def segment_gaps(first: Floats, second: Floats) -> Floats:
    """Least distances (k,) m of segments (k, 2, 3) from others (k, 2, 3)."""
    share = np.linspace(0.0, 1.0, 33)[:, None]
    best = np.full(len(first), np.inf)
    for one, other in ((first, second), (second, first)):
        points = one[:, :1] + share * (one[:, 1:] - one[:, :1])  # (k, 33, 3)
        way = other[:, 1] - other[:, 0]
        along = np.einsum("kpi,ki->kp", points - other[:, :1], way)
        along = np.clip(along / np.maximum((way**2).sum(axis=1), 1e-30)[:, None], 0.0, 1.0)
        apart = points - other[:, :1] - along[:, :, None] * way[:, None]
        best = np.minimum(best, np.linalg.norm(apart, axis=2).min(axis=1, initial=np.inf))
    return best


def _reach_at(figure: Figure, x: Floats) -> Floats:
    """What sticks keep between their middles: no more than they have in the start pose."""
    first, second = (x[figure.stick[figure.apart[:, k]]] for k in (0, 1))
    return np.minimum(figure.apart_reach, segment_gaps(first, second))


# ---------------------------------------------------------------------- limits


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


def _links(plan: Plan, place: Floats, limbs: tuple[Limb, ...]) -> tuple[Three, Three]:
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
            if shortest < abs(one - two) + FREE * room:
                shortest = 0.0
            if longest > one + two - FREE * room:
                longest = math.inf
            if shortest > 0.0 or longest < math.inf:
                ranges[particle, held] = (shortest, longest)


def _planes(plan: Plan, place: Floats, limbs: tuple[Limb, ...]) -> Three:
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
        along = unit(place[limb.end] - place[limb.particles[0]], Z)
        way = unit(np.cross(limb.bend_axis, along), body[1])
        across = limb.bend_axis
        if plan.parts[row].role == "upper_arm":
            across = _down_across(bones.name[plan.parts[row].bone], body, along, across)
        back = turn_about(limb.bend_axis, max(joint.lower, -MOST_BACK))
        keep(limb, shin, root, way, across, np.stack([back, np.eye(3)]), (-WEDGE, WEDGE))
        for foot in limbs:
            if foot.parent != limb.bend or foot.has_frame:
                continue
            below = unit(place[shin.end] - place[shin.particles[0]], Z)
            aside = unit(place[foot.end] - place[foot.particles[0]], Z)
            ahead = aside - (aside @ below) * below
            if float(np.linalg.norm(ahead)) > ASIDE:
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
