"""Every verb that turns vertices into particles, by the name of its kind."""

from __future__ import annotations

from collections.abc import Callable

from .cloth import add_cloth
from .plant import add_plant
from .rope import add_rope

RECIPES: dict[str, Callable[..., int]] = {
    "CLOTH": add_cloth,
    "ROPE": add_rope,
    "PLANT": add_plant,
}
"""``recipe(builder, geometry, settings, *, pin_weight, velocity, paint)`` → index of the object."""
