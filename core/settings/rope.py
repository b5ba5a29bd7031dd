"""Ropes."""

from __future__ import annotations

from dataclasses import dataclass

from .tunable import (
    Checked,
    diameter_tunable,
    drag_tunable,
    friction_tunable,
    meets_itself_tunable,
    meets_others_tunable,
    plane_tunable,
    restitution_tunable,
    strength_tunable,
    tunable,
)


@dataclass(frozen=True)
class RopeSettings(Checked):
    """One object of ropes: a mesh of edges or a curve."""

    stretch: float = tunable(
        0.0,
        "Stretch",
        "How far it gives when it is pulled: 0 not at all, 1 like a rubber band",
        minimum=0.0,
        maximum=1.0,
        paintable=True,
    )
    bend: float = tunable(
        0.3,
        "Bend",
        "Resistance to bending: 0 like a chain, 1 like a steel cable",
        minimum=0.0,
        maximum=1.0,
        paintable=True,
    )
    springback: float = tunable(
        0.0,
        "Springback",
        "How much it wants back to the shape that it was drawn in; 0 takes straight as its rest",
        minimum=0.0,
        maximum=1.0,
    )
    bend_limit: float = tunable(
        180.0,
        "Sharpest Bend",
        "Largest angle between one edge and the next: small for cables and chains that cannot "
        "kink; 180 is no limit",
        unit="°",
        minimum=1.0,
        maximum=180.0,
        advanced=True,
    )
    diameter: float = diameter_tunable(
        "Thickness of the rope for collisions and wind; 0 takes that of the bevel or Skin that is "
        "drawn, or else goes by the rope's size"
    )
    drag: float = drag_tunable(0.4)
    friction: float = friction_tunable()
    restitution: float = restitution_tunable()
    strength: float = strength_tunable(
        "N",
        "Pull that snaps it: sewing thread 10, string 200, climbing rope 20000; 0 never snaps. "
        "Only a mesh that is made tearable parts",
    )
    line_density: float = tunable(
        0.1,
        "Mass per Metre",
        "Mass of one metre: string 0.005, rope 0.1, steel cable 0.4",
        unit="kg/m",
        minimum=1e-5,
        maximum=1e4,
        soft_minimum=0.005,
        soft_maximum=2.0,
        advanced=True,
    )
    meets_itself: bool = meets_itself_tunable(
        "Lies on itself: coils, knots and nets do not pass through themselves"
    )
    meets_others: bool = meets_others_tunable()
    plane: str = plane_tunable()
