"""Stick figures: dragged over a bar by the hand, thrown, dropped, and one under a falling sheet."""

import numpy as np
from characters import PERSON, add_another, add_character, lead
from mathutils import Euler
from scene_parts import (
    BLUE,
    GOLD,
    RED,
    TEAL,
    WHITE,
    WOOD,
    add_box,
    add_cylinder,
    add_floor,
    add_grid,
    make,
    new_scene,
)

HAND = {1: (0.0, 0.0, 0.0), 20: (0.0, 0.0, 0.6), 60: (1.6, -0.4, 0.9), 110: (3.4, -0.6, 0.1)}
"""Where the hand is drawn to from its place, m, by frame."""


def build() -> None:
    """Set it up."""
    new_scene(120, (4.6, -8.2, 3.4), (0.75, -0.3, 0.95), lens=38.0)
    add_floor()
    bar = add_cylinder("Bar", 0.12, 3.0, WOOD)
    bar.location, bar.rotation_euler.x = (0.0, 0.0, 0.75), 0.5 * np.pi
    block = add_box("Block", (1.0, 1.0, 0.6), WOOD)
    block.location = (2.6, 1.0, 0.3)
    for ob in (bar, block):
        make("collider", ob)
    rig, skin = add_character("Puppet 1", PERSON, RED)
    make("ragdoll", rig)
    rig.verlet.ragdoll.model = "STICKS"
    others = [
        add_another(rig, skin, f"Puppet {n}", c)[0] for n, c in ((2, BLUE), (3, TEAL), (4, GOLD))
    ]
    rig.location = (-1.5, -0.3, 0.02)
    for puppet, place, turn in zip(
        others,
        ((0.1, 0.6, 1.6), (2.5, 1.0, 2.2), (1.9, -1.3, 0.4)),
        ((1.2, 0.3, 1.4), (0.6, 0.9, 0.4), (-1.5, 0.0, 0.5)),
    ):
        puppet.location, puppet.rotation_euler = place, Euler(turn)
    sheet = add_grid("Sheet", 27, 27, 1.5, 1.5, WHITE)
    sheet.location = (1.75, -0.7, 1.3)
    make("cloth", sheet)
    lead(rig, "hand.L", HAND)
