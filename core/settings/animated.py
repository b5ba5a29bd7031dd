"""The factors of an object that may be keyed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .tunable import Checked, tunable

HOLDS = 0.5
"""`AnimatedSettings.pin` from which on ties hold."""


def _factor(label: str, description: str, maximum: float = 10.0) -> Any:
    return tunable(
        1.0,
        label,
        description,
        minimum=0.0,
        maximum=maximum,
        soft_maximum=min(maximum, 2.0),
    )


@dataclass(frozen=True)
class AnimatedSettings(Checked):
    """Factors on what one object was set up with: the ones that may be keyed."""

    pin: float = _factor("Pin", "Hold of the pins: key it to 0 to let the object go", 1.0)
    stiffness: float = _factor("Stiffness", "Factor on all that gives way: bend, shear, shape")
    drag: float = _factor("Air Drag", "Factor on the drag of still air", 100.0)
    friction: float = _factor("Friction", "Factor on the friction against other surfaces")
    wind: float = _factor("Wind", "Factor on what the wind does to this object")
    fields: float = _factor("Force Fields", "Factor on what force fields do to this object")
    pressure: float = _factor("Pressure", "Factor on the pressure inside a closed object")
    strength: float = _factor("Strength", "Factor on the strength: at 0 all that may tear parts")
    loose: frozenset[int] = frozenset()
    """Numbers of its ties that do not hold."""

    def holds(self, number: int = -1) -> bool:
        """Whether the ties of that number hold, −1: those that are let go by `pin` alone."""
        return self.pin >= HOLDS and number not in self.loose
