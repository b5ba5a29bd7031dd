"""A figure whose hand is pinned to an empty that drags it across the floor."""

from characters import PERSON, add_character, lead
from scene_parts import RED, add_box, add_floor, make, new_scene

PATH = {
    1: (0.0, 0.0, 0.0),
    14: (0.25, -0.35, 0.1),
    40: (1.3, -0.9, -0.45),
    70: (1.0, -2.4, -0.55),
    100: (-0.9, -2.6, -0.3),
    122: (-1.0, -1.5, 0.75),
    150: (-1.0, -1.5, 0.75),
}
"""Where the hand is drawn to from its place, m, by frame."""


def build() -> None:
    """Set it up."""
    new_scene(150, (3.1, -7.0, 2.7), (0.15, -1.25, 0.6), lens=40.0)
    add_floor()
    crate = add_box("Crate", (0.5, 0.5, 0.5), (0.5, 0.36, 0.2, 1.0))
    crate.location = (-0.75, -2.1, 0.25)
    make("rigid_body", crate, preset="WOOD")
    rig, _ = add_character("Figure", PERSON, RED)
    rig.location.z = 0.01
    make("ragdoll", rig)
    lead(rig, "hand.L", PATH)
