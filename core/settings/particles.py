"""Clouds of particles, and flocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .tunable import (
    Checked,
    drag_tunable,
    friction_tunable,
    meets_others_tunable,
    plane_tunable,
    restitution_tunable,
    tunable,
)


def _separation(**slider: float) -> Any:
    return tunable(1.5, "Separation", "Flock: how hard neighbours keep apart", **slider)


def _alignment(**slider: float) -> Any:
    return tunable(2.0, "Alignment", "Flock: how hard they turn the same way", **slider)


def _cohesion(**slider: float) -> Any:
    return tunable(0.5, "Cohesion", "Flock: how hard they keep together", **slider)


@dataclass(frozen=True)
class FlockSettings(Checked):
    """One flock: particles that steer by their neighbours."""

    radius: float = tunable(
        5.0,
        "Sight",
        "Distance within which a boid sees the others",
        unit="m",
        minimum=1e-3,
        maximum=1e4,
        soft_minimum=0.1,
        soft_maximum=20.0,
    )
    distance: float = tunable(
        1.0,
        "Personal Space",
        "Boids nearer than this steer away from each other",
        unit="m",
        minimum=0.0,
        maximum=1e4,
        soft_maximum=5.0,
    )
    separation: float = _separation(minimum=0.0, maximum=100.0, soft_maximum=5.0)
    alignment: float = _alignment(minimum=0.0, maximum=100.0, soft_maximum=5.0)
    cohesion: float = _cohesion(minimum=0.0, maximum=100.0, soft_maximum=5.0)
    cruise_speed: float = tunable(
        3.0,
        "Cruise Speed",
        "Speed that a boid left alone takes on",
        unit="m/s",
        minimum=0.0,
        maximum=1000.0,
        soft_maximum=20.0,
    )
    max_speed: float = tunable(
        8.0,
        "Top Speed",
        "No boid steers itself beyond this speed",
        unit="m/s",
        minimum=0.0,
        maximum=1000.0,
        soft_maximum=40.0,
    )
    max_acceleration: float = tunable(
        20.0,
        "Agility",
        "Largest acceleration that steering gives",
        unit="m/s²",
        minimum=0.0,
        maximum=1e5,
        soft_maximum=100.0,
    )
    flies: bool = tunable(
        True,
        "Flies",
        "Boids carry their own weight. Off: they fall, and steer as far as that allows",
        advanced=True,
    )


PARTICLE_BEHAVIOURS = (
    ("DUST", "Dust", "Falls, floats and bounces as the air and the forces take it"),
    ("FLOCK", "Flock", "Flies with its neighbours like a swarm of birds or fish"),
    ("FLOW", "Flow", "Is carried by a turbulent stream that neither gathers nor thins it out"),
)


@dataclass(frozen=True)
class ParticleSettings(Checked):
    """One cloud: each vertex of a mesh is a particle of its own."""

    behaviour: str = tunable(
        "DUST", "Behaviour", "What moves the particles", choices=PARTICLE_BEHAVIOURS
    )
    radius: float = tunable(
        0.03,
        "Radius",
        "Size of a particle for collisions",
        unit="m",
        minimum=0.0,
        maximum=1000.0,
        soft_maximum=0.5,
        paintable=True,
    )
    mass: float = tunable(
        0.01,
        "Mass",
        "Mass of a particle",
        unit="kg",
        minimum=1e-9,
        maximum=1e6,
        soft_minimum=1e-4,
        soft_maximum=1.0,
        paintable=True,
    )
    weight: float = tunable(
        1.0,
        "Gravity",
        "Share of gravity that it feels: 0 floats, below 0 rises",
        minimum=-100.0,
        maximum=100.0,
        soft_minimum=-1.0,
        soft_maximum=1.0,
    )
    drag: float = drag_tunable(0.5)
    friction: float = friction_tunable()
    restitution: float = restitution_tunable()
    speed: float = tunable(
        2.0,
        "Speed",
        "Speed of a flock, or of the stream of a flow",
        unit="m/s",
        minimum=0.0,
        maximum=1000.0,
        soft_maximum=20.0,
    )
    size: float = tunable(
        1.0,
        "Pattern Size",
        "How far birds see each other, or how large the eddies of a flow are",
        unit="m",
        minimum=1e-3,
        maximum=1e4,
        soft_minimum=0.1,
        soft_maximum=10.0,
    )
    separation: float = _separation(minimum=0.0, maximum=10.0)
    alignment: float = _alignment(minimum=0.0, maximum=10.0)
    cohesion: float = _cohesion(minimum=0.0, maximum=10.0)
    seed: int = tunable(
        0, "Seed", "Another number gives another start", minimum=0, maximum=1_000_000, advanced=True
    )
    meets_itself: bool = tunable(
        True, "Meet Each Other", "Particles of this cloud collide with each other", advanced=True
    )
    meets_others: bool = meets_others_tunable()
    plane: str = plane_tunable()
