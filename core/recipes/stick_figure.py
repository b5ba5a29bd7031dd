"""Stick figure: a skeleton as particles at its joints and sticks between them (Jakobsen 2001, §6).

The parts, their masses and the limits of their joints are those of a ragdoll of bodies
(`recipes.ragdoll.plan_ragdoll`). A part is its particles (`figure_particles`) and sticks between
all of these; what its joint allows are one-sided sticks, cones and planes (`figure_joints`).
`limb_frames` reads how the bones are turned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..forces.wobble import WobbleDamping
from ..particles.constraints.link import Links
from ..particles.constraints.plane import MovingPlanes
from ..particles.constraints.point_link import COMING_IN_SPEED, PointLinks
from .figure import Figure
from .figure_joints import links_of, planes_of
from .figure_particles import limbs_of, parents_first, particles_of, radius_of, shares_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ..arrays import Floats, Ints
    from ..building.builder import ModelBuilder
    from .ragdoll_plan import Plan

LIMB_DAMPING = 8.0
"""1/s: how fast limbs come to rest against each other, times the share that is joint friction."""

DRY = 6.0
"""m/s², likewise, however slow they are: what rocks or sinks on and on comes to rest. A joint of a
ragdoll holds its limb against half as much again."""


def plan_figure(plan: Plan) -> Figure:
    """Particles, sticks and limits of a plan; nothing is added anywhere."""
    parts = plan.parts
    order = parents_first(parts)
    places, members, owner = particles_of(plan, order)
    place = np.array(places)
    radius_of_part = np.array([radius_of(plan, part) for part in parts])
    mass, radius = np.zeros(len(place)), np.zeros(len(place))
    count = np.zeros(len(place))
    sticks: dict[tuple[int, int], float] = {}
    for row, rows in enumerate(members):
        mass[rows] += plan.mass[row] * shares_of(place[rows], parts[row])
        radius[rows] += radius_of_part[row]
        count[rows] += 1.0
        for a in range(len(rows)):
            for b in range(a):
                pair = (min(rows[a], rows[b]), max(rows[a], rows[b]))
                sticks[pair] = max(sticks.get(pair, 0.0), float(radius_of_part[row]))
    stick = np.array(list(sticks), dtype=np.int32).reshape(-1, 2)
    stick_radius = np.array(list(sticks.values()))
    limbs = limbs_of(plan, place, members)
    apart, reach = _meeting(plan, place, members, stick, stick_radius)
    links, cones = links_of(plan, place, limbs)
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
        *planes_of(plan, place, limbs),
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
                snapping=COMING_IN_SPEED,
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
        friction = LIMB_DAMPING * settings.stiffness, DRY * settings.stiffness
        builder.add_force(WobbleDamping(index, rows, *friction))
    if held is not None:
        builder.pin(rows, held)
    return index


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
