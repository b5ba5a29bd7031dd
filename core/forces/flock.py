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
from dataclasses import dataclass, field

import numpy as np

from ..coincidence import direction_between
from ..contact.grid import NeighbourGrid, bucket_of
from ..errors import ModelError
from ..jit import kernel
from ..model import Ints
from ..settings import FlockSettings
from .base import Acting

RATE = 2.0
"""1/s: how quickly a boid with weights of 1 reacts."""


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
        steer_flock(
            acting.x,
            acting.velocity,
            acting.mass,
            acting.inverse_mass,
            self.particles,
            grid.cell,
            grid.first,
            grid.member,
            settings.radius,
            settings.distance,
            RATE * RATE * settings.separation,
            RATE * settings.alignment,
            RATE * RATE * settings.cohesion,
            settings.cruise_speed,
            settings.max_speed,
            settings.max_acceleration,
            acting.gravity if settings.flies else np.zeros(3),
            acting.hold,
            acting.force,
        )


@kernel
def steer_flock(
    x,
    velocity,
    mass,
    inverse_mass,
    particles,
    cell,
    first,
    member,
    radius,
    distance,
    separation,
    alignment,
    cohesion,
    cruise_speed,
    max_speed,
    max_acceleration,
    carried,
    hold,
    force,
):
    """Add the formula above times the mass to force (n, 3) N; carried (3,) m/s² is cancelled."""
    buckets = first.shape[0] - 1
    for n in range(particles.shape[0]):
        i = particles[n]
        if inverse_mass[i] == 0.0:
            continue
        seen = 0
        px, py, pz = 0.0, 0.0, 0.0  # sums over the neighbours: offset, velocity, push
        ux, uy, uz = 0.0, 0.0, 0.0
        ax, ay, az = 0.0, 0.0, 0.0
        for place in range(27):
            cx = int(cell[n, 0]) + place % 3 - 1
            cy = int(cell[n, 1]) + (place // 3) % 3 - 1
            cz = int(cell[n, 2]) + place // 9 - 1
            b = bucket_of(cx, cy, cz, buckets)
            for m in range(first[b], first[b + 1]):
                other = member[m]
                if other == n or cell[other, 0] != cx:
                    continue
                if cell[other, 1] != cy or cell[other, 2] != cz:
                    continue
                j = particles[other]
                dx, dy, dz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
                dd = dx * dx + dy * dy + dz * dz
                if dd > radius * radius:
                    continue
                seen += 1
                px, py, pz = px + dx, py + dy, pz + dz
                ux, uy, uz = ux + velocity[j, 0], uy + velocity[j, 1], uz + velocity[j, 2]
                if dd < distance * distance:
                    gap = math.sqrt(dd)
                    if gap < 1e-6 * distance:
                        dx, dy, dz = direction_between(i, j)
                        push = separation * distance
                    else:
                        push = separation * min(distance / gap - 1.0, 1e3)
                    ax, ay, az = ax - push * dx, ay - push * dy, az - push * dz
        vx, vy, vz = velocity[i, 0], velocity[i, 1], velocity[i, 2]
        if seen > 0:
            ax += cohesion * px / seen + alignment * (ux / seen - vx)
            ay += cohesion * py / seen + alignment * (uy / seen - vy)
            az += cohesion * pz / seen + alignment * (uz / seen - vz)
        speed = math.sqrt(vx * vx + vy * vy + vz * vz)
        if speed > 1e-9:
            cruise = RATE * (cruise_speed / speed - 1.0)
            ax, ay, az = ax + cruise * vx, ay + cruise * vy, az + cruise * vz
        size = math.sqrt(ax * ax + ay * ay + az * az)
        if size > max_acceleration:
            less = max_acceleration / size
            ax, ay, az = ax * less, ay * less, az * less
        vx, vy, vz = vx + hold * ax, vy + hold * ay, vz + hold * az
        fast = math.sqrt(vx * vx + vy * vy + vz * vz)
        if fast > max(max_speed, speed) and hold > 0.0:  # what is faster already may only turn
            less = (max(max_speed, speed) / fast - 1.0) / hold
            ax, ay, az = ax + less * vx, ay + less * vy, az + less * vz
        force[i, 0] += mass[i] * (ax - carried[0])
        force[i, 1] += mass[i] * (ay - carried[1])
        force[i, 2] += mass[i] * (az - carried[2])
