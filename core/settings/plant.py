"""Plants."""

from __future__ import annotations

from dataclasses import dataclass

from .tunable import (
    Checked,
    area_density_tunable,
    diameter_tunable,
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
    diameter: float = diameter_tunable(
        "Thickness of bare branches for collisions and wind; 0 takes it from the plant's size"
    )
    drag: float = drag_tunable(0.5)
    friction: float = friction_tunable()
    restitution: float = restitution_tunable()
    area_density: float = area_density_tunable(
        0.5,
        "Mass of a square metre of leaves and stems: the lighter, the more the wind bends them",
    )
    meets_others: bool = meets_others_tunable(default=False)
    plane: str = plane_tunable()
