"""Cloth."""

from __future__ import annotations

from dataclasses import dataclass

from .tunable import (
    Checked,
    area_density_tunable,
    drag_tunable,
    friction_tunable,
    meets_itself_tunable,
    meets_others_tunable,
    plane_tunable,
    restitution_tunable,
    strength_tunable,
    thickness_tunable,
    tunable,
)

BEND_MODELS = (
    ("SUPPORT", "Support Springs", "Springs between vertices two edges apart: fast"),
    (
        "DIHEDRAL",
        "Fold Angles",
        "Resist folding at every edge: keeps curved shapes, needs faces",
    ),
)


@dataclass(frozen=True)
class ClothSettings(Checked):
    """One cloth object."""

    shear: float = tunable(
        0.5,
        "Shear",
        "Resistance of the weave to being pulled askew",
        minimum=0.0,
        maximum=1.0,
        paintable=True,
    )
    bend: float = tunable(
        0.25,
        "Bend",
        "Resistance to folding: silk is near 0, leather near 1",
        minimum=0.0,
        maximum=1.0,
        paintable=True,
    )
    stretch: float = tunable(
        0.0,
        "Stretch",
        "How far it gives when it is pulled: 0 like woven cloth, 1 like thin rubber",
        minimum=0.0,
        maximum=1.0,
        paintable=True,
    )
    drag: float = drag_tunable(1.5)
    friction: float = friction_tunable()
    restitution: float = restitution_tunable()
    area_density: float = area_density_tunable(
        0.3, "Mass of a square metre: silk 0.1, cotton 0.3, leather 1"
    )
    thickness: float = thickness_tunable()
    meets_itself: bool = meets_itself_tunable(
        "Passes through neither itself nor other cloth that has this on"
    )
    strength: float = strength_tunable(
        "N/m",
        "Pull across a metre of width that tears it: paper 500, cotton 10000; 0 never tears. "
        "Only a mesh that is made tearable parts",
    )
    bend_model: str = tunable(
        "SUPPORT", "Bend Model", "What resists folding", choices=BEND_MODELS, advanced=True
    )
    slack: float = tunable(
        0.0,
        "Slack",
        "Share of its length that an edge may shorten before it resists: loose knits and nets",
        minimum=0.0,
        maximum=1.0,
        advanced=True,
    )
    damping: float = tunable(
        0.0,
        "Damping",
        "How fast the weave stops moving in itself: 0 keeps every flutter, 1 hardly any",
        minimum=0.0,
        maximum=1.0,
        advanced=True,
    )
    sewing: float = tunable(
        0.0,
        "Sewing Speed",
        "Edges without faces are threads that close at this speed; 0 leaves them as they are",
        unit="m/s",
        minimum=0.0,
        maximum=1000.0,
        soft_maximum=5.0,
        advanced=True,
    )
    tethers: bool = tunable(
        True,
        "Tethers",
        "Keep each vertex within its distance along the cloth from the pins, so that long "
        "cloth does not stretch",
        advanced=True,
    )
    meets_others: bool = meets_others_tunable()
    plane: str = plane_tunable()
