"""Plants."""

from __future__ import annotations

from dataclasses import dataclass

from .tunable import (
    Checked,
    drag_tunable,
    friction_tunable,
    meets_others_tunable,
    plane_tunable,
    restitution_tunable,
    tunable,
)


@dataclass(frozen=True)
class PlantSettings(Checked):
    """One plant: branches of edges, leaves of faces, rooted where it is pinned."""

    stiffness: float = tunable(
        0.5,
        "Stiffness",
        "How fast it sways, and so how hard it is to bend: grass is near 0, a tree near 1",
        minimum=0.0,
        maximum=1.0,
        paintable=True,
    )
    recovery: float = tunable(
        0.5,
        "Recovery",
        "How fast it comes to rest when the wind is over: 0 sways for long, 1 hardly at all",
        minimum=0.0,
        maximum=1.0,
    )
    leaf_softness: float = tunable(
        0.6,
        "Leaf Softness",
        "How much softer leaves are than branches",
        minimum=0.0,
        maximum=1.0,
    )
    taper: float = tunable(
        0.7,
        "Taper",
        "How much softer and lighter branches get toward their ends",
        minimum=0.0,
        maximum=1.0,
        advanced=True,
    )
    diameter: float = tunable(
        0.0,
        "Branch Diameter",
        "Thickness of bare branches for collisions and wind; 0 takes it from the plant's size",
        unit="m",
        minimum=0.0,
        maximum=100.0,
        soft_maximum=0.5,
    )
    drag: float = drag_tunable(0.5)
    friction: float = friction_tunable()
    restitution: float = restitution_tunable()
    area_density: float = tunable(
        0.5,
        "Leaf Mass per Area",
        "Mass of a square metre of leaves and stems: the lighter, the more the wind bends them",
        unit="kg/m²",
        minimum=1e-4,
        maximum=1e4,
        soft_minimum=0.05,
        soft_maximum=2.0,
        advanced=True,
    )
    meets_others: bool = meets_others_tunable(default=False)
    plane: str = plane_tunable()
