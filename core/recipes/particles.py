"""Particles: each vertex on its own, as dust, as a flock, or carried by a stream."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from ..building.builder import ModelBuilder
from ..errors import ModelError
from ..forces.flock import Flock
from ..forces.stream import Stream
from ..forces.weight import Weight
from ..settings import FlockSettings, ParticleSettings
from .geometry import Geometry, Paint
from .vertices import add_vertices

KEPT_APART = 0.2
"""Distance below which birds turn away from each other, in how far they see."""

FASTEST_BIRD = 1.5
"""Speed that no bird exceeds by itself, in that of the flock."""

NIMBLE = 4.0
"""1/s: how soon a bird can turn round or stop, as an acceleration in its speed."""


def add_particles(
    builder: ModelBuilder,
    geometry: Geometry,
    settings: ParticleSettings,
    *,
    pin_weight: ArrayLike = 0.0,
    velocity: ArrayLike = 0.0,
    paint: Paint = MappingProxyType({}),
) -> int:
    """Add a mesh's vertices as particles; returns the object's index in ``builder.objects``.

    Its edges and faces do not count. pin_weight (n,), 0 = free … 1 = held; velocity (n, 3) or
    (3,) m/s, to which birds add their own; paint: factors on ``radius``, ``mass``, ``drag`` and
    ``friction``. In a stream, drag is against the stream, not against still air.

    Raises `ModelError` for masses painted 0.
    """
    mass = settings.mass * geometry.painted(paint, "mass")
    if (mass <= 0.0).any():
        raise ModelError(
            geometry.name,
            f"vertex {int(np.argmin(mass))} has no mass: paint its mass above 0, or remove the "
            "vertex group",
        )
    flies = settings.behaviour == "FLOCK"
    carried = settings.behaviour == "FLOW"
    speed = np.broadcast_to(np.asarray(velocity, dtype=np.float64), (geometry.count, 3))
    if flies:
        random = np.random.default_rng(settings.seed)
        heading = random.normal(size=(geometry.count, 3))
        heading /= np.linalg.norm(heading, axis=1, keepdims=True)
        speed = speed + settings.speed * heading
    first = builder.particle_count
    index = add_vertices(
        builder,
        geometry,
        replace(settings, drag=0.0) if carried else settings,
        mass=mass,
        radius=settings.radius * geometry.painted(paint, "radius"),
        pin_weight=pin_weight,
        velocity=speed,
        paint=paint,
        meets_itself=settings.meets_itself,
    )
    everything = np.arange(first, first + geometry.count, dtype=np.int32)
    if settings.weight != 1.0:
        builder.add_force(Weight(index, everything, settings.weight))
    if flies:
        builder.add_force(
            Flock(
                index,
                everything,
                FlockSettings(
                    separation=settings.separation,
                    alignment=settings.alignment,
                    cohesion=settings.cohesion,
                    radius=settings.size,
                    distance=KEPT_APART * settings.size,
                    cruise_speed=settings.speed,
                    max_speed=FASTEST_BIRD * settings.speed,
                    max_acceleration=NIMBLE * settings.speed,
                    flies=False,
                ),
            )
        )
    elif carried:
        builder.add_force(
            Stream(index, everything, settings.speed, settings.size, settings.drag, settings.seed)
        )
    return index
