"""What is wrong with the scene itself: its unit."""

from __future__ import annotations

import bpy

from ..problem import Problem
from ..properties import participants

SAME_UNIT = 1e-4  # share by which a unit may differ from a metre


def of_units(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> list[Problem]:
    """A unit that is shown as something else than the metre that the simulation takes it for."""
    unit = scene.unit_settings
    if unit.system == "NONE" or not participants.has_any(scene):
        return []
    if abs(unit.scale_length - 1.0) <= SAME_UNIT or gravity_fits(scene):
        return []
    shown = f"{unit.scale_length:.3g} m"
    return [
        Problem(
            f"A unit of this scene is shown as {shown} (Scene › Units › Unit Scale), and the "
            "simulation takes it for a metre: things fall "
            f"{'too slowly' if unit.scale_length < 1.0 else 'too fast'} for the size that they are "
            "shown with. Fit Gravity makes them fall right; masses and cloth are still those of "
            f"things {1.0 / unit.scale_length:.3g} times as large",
            0,
            "verlet.fit_gravity",
            "Fit Gravity",
        )
    ]


def fitting_gravity(scene: bpy.types.Scene) -> float:
    """Units/s² downwards that are 9.81 m/s² in the unit that the scene shows."""
    return -9.81 / scene.unit_settings.scale_length


def gravity_fits(scene: bpy.types.Scene) -> bool:
    """Whether the scene's gravity is that of the earth in the unit that the scene shows."""
    wanted = fitting_gravity(scene)
    return abs(scene.gravity[2] - wanted) <= 0.02 * abs(wanted)
