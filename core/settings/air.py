"""What blows and pushes: wind, explosions, hits."""

from __future__ import annotations

from dataclasses import dataclass

from .tunable import Checked, tunable


@dataclass(frozen=True)
class WindSettings(Checked):
    """Moving air. One per scene."""

    velocity: tuple[float, float, float] = tunable(
        (0.0, 0.0, 0.0),
        "Wind",
        "Velocity of the air",
        unit="m/s",
        minimum=-200.0,
        maximum=200.0,
        soft_minimum=-20.0,
        soft_maximum=20.0,
    )
    gust: float = tunable(
        0.3,
        "Gusts",
        "How much the wind swells, fades and turns about its mean",
        minimum=0.0,
        maximum=1.0,
    )
    gust_length: float = tunable(
        2.0,
        "Gust Length",
        "Distance between two gusts along the wind",
        unit="m",
        minimum=0.01,
        maximum=1000.0,
        soft_maximum=20.0,
        advanced=True,
    )
    air_density: float = tunable(
        1.2,
        "Air Density",
        "Mass of the air per volume: 1.2 at sea level",
        unit="kg/m³",
        minimum=0.0,
        maximum=1000.0,
        soft_maximum=2.0,
        advanced=True,
    )
    drag: float = tunable(
        1.0,
        "Drag",
        "Factor on the push along the wind: what carries things away",
        minimum=0.0,
        maximum=10.0,
        soft_maximum=2.0,
        advanced=True,
    )
    lift: float = tunable(
        1.0,
        "Lift",
        "Factor on the push across the wind on what stands askew to it: what makes a flag flutter "
        "and a leaf sail",
        minimum=0.0,
        maximum=10.0,
        soft_maximum=2.0,
        advanced=True,
    )
    skin_friction: float = tunable(
        0.02,
        "Skin Friction",
        "Pull of the air along a surface, as a share of its pressure on a surface square to it",
        minimum=0.0,
        maximum=1.0,
        soft_maximum=0.1,
        advanced=True,
    )


IMPULSE_KINDS = (
    ("EXPLOSION", "Explosion", "Throws everything away from it, less with the square of distance"),
    ("HIT", "Hit", "Throws everything within reach along its Z axis"),
)


@dataclass(frozen=True)
class ImpulseSettings(Checked):
    """A push at one moment: particles are moved, once (Jakobsen §7)."""

    kind: str = tunable("EXPLOSION", "Impulse", "How it pushes", choices=IMPULSE_KINDS)
    strength: float = tunable(
        8.0,
        "Strength",
        "Speed that it gives: an explosion at a distance of one metre, a hit everywhere",
        unit="m/s",
        minimum=-10_000.0,
        maximum=10_000.0,
        soft_minimum=0.0,
        soft_maximum=50.0,
    )
    radius: float = tunable(
        3.0,
        "Radius",
        "Nothing farther away than this is moved",
        unit="m",
        minimum=0.0,
        maximum=1e6,
        soft_maximum=20.0,
    )
