"""How heavy a character is: what its skin encloses, or else the shapes of its bodies."""

from __future__ import annotations

from collections.abc import Iterable
from math import floor, log10
from typing import TYPE_CHECKING

from ..geometry.closest_shape import shape_mass_properties
from ..geometry.solid import solid_parts
from ..settings import RagdollSettings, tunables

if TYPE_CHECKING:
    from ..arrays import Floats, Ints
    from .ragdoll_plan import Plan

LEAST_FLESH, MOST_FLESH = 0.4, 1.6
"""What the skin may enclose, as a share of the shapes: less is a shell of single sheets, more are
skins for several distances, one inside the other."""

DIGITS = 3
"""Of a proposed mass: it is an estimate."""


def flesh_volume(plan: Plan, skins: Iterable[tuple[Floats, Ints]]) -> float:
    """What a character fills, m³.

    skins: points (n, 3) m in the world and triangles (t, 3) of each mesh that hangs on it. Without
    any that encloses something believable the shapes of the bodies count.
    """
    shapes = sum(shape_mass_properties(part.fit).volume for part in plan.parts)
    skin = sum(
        part.volume for points, triangles in skins for part in solid_parts(points, triangles)
    )
    return skin if LEAST_FLESH * shapes <= skin <= MOST_FLESH * shapes else shapes


def proposed_mass(plan: Plan, skins: Iterable[tuple[Floats, Ints]]) -> float:
    """What a character weighs at the density (kg/m³) of its settings, kg."""
    mass = plan.settings.density * flesh_volume(plan, skins)
    about = tunables(RagdollSettings)["mass"][1]
    mass = float(min(max(mass, about.minimum or mass), about.maximum or mass))
    return round(mass, DIGITS - 1 - floor(log10(mass)))
