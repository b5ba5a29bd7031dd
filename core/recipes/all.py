"""Every verb that turns vertices into particles, by the name of its kind."""

from __future__ import annotations

from collections.abc import Callable

from .cloth import add_cloth
from .particles import add_particles
from .plant import add_plant
from .rope import add_rope
from .soft_body import add_soft_body

RECIPES: dict[str, Callable[..., int]] = {
    "CLOTH": add_cloth,
    "ROPE": add_rope,
    "PLANT": add_plant,
    "SOFT_BODY": add_soft_body,
    "PARTICLES": add_particles,
}
"""``recipe(builder, geometry, settings, *, pin_weight, velocity, paint)`` → index of the object."""
