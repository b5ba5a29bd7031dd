"""Soft bodies."""

from __future__ import annotations

from dataclasses import dataclass

from .tunable import (
    Checked,
    drag_tunable,
    friction_tunable,
    meets_others_tunable,
    plane_tunable,
    restitution_tunable,
    thickness_tunable,
    tunable,
)


@dataclass(frozen=True)
class SoftBodySettings(Checked):
    """One soft body: a closed mesh that keeps its volume and, more or less, its shape."""

    stiffness: float = tunable(
        0.4,
        "Skin",
        "Resistance of the surface to stretching: jelly is near 0, a ball near 1",
        minimum=0.0,
        maximum=1.0,
        paintable=True,
    )
    shape: float = tunable(
        0.4,
        "Shape",
        "How much it wants back to its own shape: 0 like a bag, 1 like hard rubber",
        minimum=0.0,
        maximum=1.0,
        paintable=True,
    )
    volume: float = tunable(
        1.0,
        "Volume",
        "How well the volume is kept: 0 not at all, 1 as if filled with water",
        minimum=0.0,
        maximum=1.0,
    )
    pressure: float = tunable(
        1.0,
        "Pressure",
        "Volume that it aims at, as a factor on its own: above 1 it swells like a balloon",
        minimum=0.0,
        maximum=100.0,
        soft_maximum=3.0,
    )
    bend: float = tunable(
        0.2,
        "Bend",
        "Resistance of the surface to folding",
        minimum=0.0,
        maximum=1.0,
        paintable=True,
        advanced=True,
    )
    damping: float = tunable(
        0.2,
        "Damping",
        "How fast wobbling dies away",
        minimum=0.0,
        maximum=1.0,
    )
    drag: float = drag_tunable(0.2)
    friction: float = friction_tunable()
    restitution: float = restitution_tunable()
    density: float = tunable(
        200.0,
        "Density",
        "Mass of a cubic metre: foam 50, wood 600, rubber 1100",
        unit="kg/m³",
        minimum=1e-3,
        maximum=1e5,
        soft_minimum=10.0,
        soft_maximum=2000.0,
        advanced=True,
    )
    thickness: float = thickness_tunable()
    meets_others: bool = meets_others_tunable()
    plane: str = plane_tunable()
