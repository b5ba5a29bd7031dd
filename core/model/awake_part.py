"""The model of what is awake: nothing is solved, nor looked for, among what sleeps.

It has the same particles, so that states and inputs fit it. Those of sleepers have no inverse mass
and touch nothing; their sticks, springs, tethers and other constraints, their triangles and
stretches of rope are not in it. What is left lies in the order that it had.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .stick_table import TetherTable

if TYPE_CHECKING:
    from ..arrays import Ints
    from .model import Model
    from .schedule import Schedule

Mask = NDArray[np.bool_]


def awake_part(model: Model, asleep: Mask) -> Model:
    """A model without what the objects that are ``asleep`` (o,) do by themselves."""
    sleeps = asleep[model.particle_object]  # (n,)
    particles, ties = model.particles, model.self_collision
    inverse_mass = np.where(sleeps, 0.0, particles.inverse_mass)
    colliding = particles.colliding[~sleeps[particles.colliding]]
    stick, spring = ~sleeps[model.sticks.pair[:, 0]], ~sleeps[model.springs.pair[:, 0]]
    meets = ~sleeps[ties.particle]  # no ball is among those that sleep
    rows = np.cumsum(meets) - 1
    pieces, surfaces = model.pieces, model.surfaces
    triangle, wire = ~sleeps[pieces.triangle[:, 0]], ~sleeps[pieces.wire[:, 0]]
    surface, line = ~sleeps[surfaces.triangle[:, 0]], ~sleeps[surfaces.line[:, 0]]
    return replace(
        model,
        particles=replace(particles, inverse_mass=inverse_mass, colliding=colliding),
        self_collision=replace(
            ties,
            particle=ties.particle[meets],
            group=ties.group[meets],
            radius=ties.radius[meets],
            balls=rows[ties.balls].astype(np.int32),
        ),
        sticks=model.sticks.in_order(np.flatnonzero(stick).astype(np.int32)),
        springs=model.springs.in_order(np.flatnonzero(spring).astype(np.int32)),
        schedule=_without(model.schedule, stick, spring),
        tethers=_tethers_of(model.tethers, ~sleeps),
        constraints=tuple(one for one in model.constraints if not asleep[one.object]),
        forces=tuple(one for one in model.forces if not asleep[one.object]),
        pieces=replace(
            pieces,
            triangle=pieces.triangle[triangle],
            wire=pieces.wire[wire],
            wire_diameter=pieces.wire_diameter[wire],
        ),
        surfaces=replace(
            surfaces,
            triangle=surfaces.triangle[surface],
            meets=surfaces.meets[surface],
            line=surfaces.line[line],
            line_meets=surfaces.line_meets[line],
            parts_meshes=surfaces.parts_meshes & ~sleeps,
        ),
    )


def _without(schedule: Schedule, stick: Mask, spring: Mask) -> Schedule:
    """The same tasks with those sticks (s,) and springs (c,) alone that are true."""

    def moved(bounds: Ints, keeps: Mask) -> Ints:
        before = np.concatenate([[0], np.cumsum(keeps)])
        found: Ints = before[bounds].astype(np.int32)
        return found

    return replace(
        schedule,
        stick_order=schedule.stick_order[stick],
        spring_order=schedule.spring_order[spring],
        task_stick=moved(schedule.task_stick, stick),
        task_spring=moved(schedule.task_spring, spring),
        first_net_spring=np.unique(moved(schedule.first_net_spring, spring)),
    )


def _tethers_of(tethers: TetherTable, keeps: Mask) -> TetherTable:
    """The tethers of those particles (n,) that are true."""
    size, hangs, spans = np.diff(tethers.start), keeps[tethers.particle], keeps[tethers.span[:, 0]]
    kept = np.repeat(hangs, size)
    return TetherTable(
        particle=tethers.particle[hangs],
        start=np.append(0, np.cumsum(size[hangs])).astype(np.int32),
        anchor=tethers.anchor[kept],
        length=tethers.length[kept],
        span=tethers.span[spans],
        span_length=tethers.span_length[spans],
    )
