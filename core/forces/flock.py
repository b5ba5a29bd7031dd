"""Boids: each steers by the neighbours that it sees.

C. Reynolds, *Flocks, Herds, and Schools*, SIGGRAPH 1987; *Steering Behaviors for Autonomous
Characters*, GDC 1999. The acceleration of boid i among the others j within ``radius`` is

    separation · Σ (s/d − 1) (xᵢ − xⱼ)/s over those nearer than s = distance   (in m/s², × RATE²)
  + alignment · RATE · (mean vⱼ − vᵢ)
  + cohesion · RATE² · (mean xⱼ − xᵢ)
  + RATE · (cruise_speed − |vᵢ|) vᵢ/|vᵢ|

cut to max_acceleration, and to what leads to max_speed at most.
"""

from __future__ import annotations

import math
from collections import namedtuple
from dataclasses import dataclass, field

import numpy as np

from ..arrays import Ints
from ..coincidence import direction_between
from ..collision.grid import NeighbourGrid, bucket_of, row_of
from ..errors import ModelError
from ..kernels.jit import inline, kernel
from ..model.force import Acting
from ..settings import FlockSettings
from ..vec3 import ZERO, add, along, between, divide, dot, length, load, scale, shift, sub, vec

RATE = 2.0
"""1/s: how quickly a boid with weights of 1 reacts."""


Rule = namedtuple(
    "Rule",
    [
        "radius",  # m
        "distance",  # m
        "separation",  # m/s²
        "alignment",  # 1/s
        "cohesion",  # 1/s²
        "cruise_speed",  # m/s
        "max_speed",  # m/s
        "max_acceleration",  # m/s²
        "hold",  # s for which the force stands
    ],
)

Boids = namedtuple("Boids", ["x", "velocity", "mass", "inverse_mass"])
"""All particles: (n, 3) m, (n, 3) m/s, (n,) kg, (n,) 1/kg."""


@dataclass(frozen=True, eq=False)
class Flock:
    """One object's boids. Raises `ModelError` for fewer than one particle."""

    object: int
    particles: Ints  # (count,)
    settings: FlockSettings = field(default_factory=FlockSettings)

    def __post_init__(self) -> None:
        particles = np.ascontiguousarray(self.particles, dtype=np.int32).reshape(-1)
        if not len(particles):
            raise ModelError("", "a flock needs at least one particle; add vertices to the object")
        if len(np.unique(particles)) < len(particles):
            raise ModelError("", "a flock names a particle twice")
        object.__setattr__(self, "particles", particles)
        grid = NeighbourGrid(particles, self.settings.radius)
        object.__setattr__(self, "_grid", grid)

    def apply(self, acting: Acting) -> None:
        """Add the steering force of every boid."""
        settings = self.settings
        grid: NeighbourGrid = self._grid  # type: ignore[attr-defined]
        grid.sort(acting.x)
        rule = Rule(
            float(settings.radius),
            float(settings.distance),
            RATE * RATE * settings.separation,
            RATE * settings.alignment,
            RATE * RATE * settings.cohesion,
            float(settings.cruise_speed),
            float(settings.max_speed),
            float(settings.max_acceleration),
            float(acting.hold),
        )
        boids = Boids(acting.x, acting.velocity, acting.mass, acting.inverse_mass)
        carried = acting.gravity if settings.flies else np.zeros(3)
        steer_flock(boids, grid.cells, rule, carried, acting.force)


@inline
def _look_around(boids, cells, n, rule):
    """What boid n of the grid sees: how many, the sums of their offsets and velocities, its push.

    m, m/s and m/s².
    """
    i = cells.particles[n]
    buckets = cells.first.shape[0] - 1
    seen = 0
    offset, velocity, push = ZERO, ZERO, ZERO
    for place in range(27):
        cx = int(cells.cell[n, 0]) + place % 3 - 1
        cy = int(cells.cell[n, 1]) + (place // 3) % 3 - 1
        cz = int(cells.cell[n, 2]) + place // 9 - 1
        b = bucket_of(cx, row_of(cy, cz), buckets)
        for m in range(cells.first[b], cells.first[b + 1]):
            other = cells.member[m]
            if other == n or cells.cell[other, 0] != cx:
                continue
            if cells.cell[other, 1] != cy or cells.cell[other, 2] != cz:
                continue
            j = cells.particles[other]
            d = between(boids.x, i, j)
            dd = dot(d, d)
            if dd > rule.radius * rule.radius:
                continue
            seen += 1
            offset = add(offset, d)
            velocity = add(velocity, load(boids.velocity, j))
            if dd < rule.distance * rule.distance:
                gap = math.sqrt(dd)
                if gap < 1e-6 * rule.distance:
                    d = direction_between(i, j)
                    away = rule.separation * rule.distance
                else:
                    away = rule.separation * min(rule.distance / gap - 1.0, 1e3)
                push = along(push, -away, d)
    return seen, offset, velocity, push


@kernel
def steer_flock(boids, cells, rule, carried, force):
    """Add the formula above times the mass to force (n, 3) N; carried (3,) m/s² is cancelled."""
    for n in range(cells.particles.shape[0]):
        i = cells.particles[n]
        if boids.inverse_mass[i] == 0.0:
            continue
        seen, offset, velocity, a = _look_around(boids, cells, n, rule)
        v = load(boids.velocity, i)
        if seen > 0:
            closer = divide(scale(rule.cohesion, offset), seen)
            a = add(a, along(closer, rule.alignment, sub(divide(velocity, seen), v)))
        speed = length(v)
        if speed > 1e-9:
            a = along(a, RATE * (rule.cruise_speed / speed - 1.0), v)
        size = length(a)
        if size > rule.max_acceleration:
            a = scale(rule.max_acceleration / size, a)
        v = along(v, rule.hold, a)
        fast = length(v)
        most = max(rule.max_speed, speed)  # what is faster already may only turn
        if fast > most and rule.hold > 0.0:
            a = along(a, (most / fast - 1.0) / rule.hold, v)
        shift(force, i, boids.mass[i], sub(a, vec(carried)))
