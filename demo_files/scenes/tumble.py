"""Somebody in a shirt and a skirt walks over the top of a stair, and falls down it."""

from characters import PERSON, add_character
from garments import add_shirt, add_skirt
from scene_parts import TEAL, add_floor, new_scene

from scenes.stairs import add_stairs, fall_down

RAMP = 14


def build() -> None:
    """Set it up."""
    new_scene(120, (6.6, -6.2, 2.9), (0.1, -0.9, 1.45), lens=40.0)
    add_floor()
    height = add_stairs()
    rig, _ = add_character("Walker", PERSON, TEAL)
    add_shirt(rig)
    add_skirt(rig)
    fall_down(rig, height, RAMP)
