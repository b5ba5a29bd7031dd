"""A thousand cubes that fall in a heap and come to rest: rigid bodies in bulk."""

import math

import numpy as np
from scene_parts import (
    BLUE,
    GOLD,
    RED,
    TEAL,
    WHITE,
    add_box,
    add_copy,
    add_floor,
    make,
    new_scene,
)

SIZE = 0.2  # m
LAYERS, SIDE = 20, 7
COUNT = 1000


def build() -> None:
    """Set it up."""
    new_scene(96, (8.4, -9.6, 6.0), (0.25, -0.1, 0.9), lens=40.0)
    add_floor()
    random = np.random.default_rng(1)
    colors = (RED, GOLD, WHITE, TEAL, BLUE)
    first = add_box("Cube 0001", (SIZE, SIZE, SIZE), RED)
    make("rigid_body", first, preset="WOOD")
    for number in range(COUNT):
        layer, place = divmod(number, SIDE * SIDE)
        color = colors[layer * len(colors) // (LAYERS + 1)]
        cube = first if number == 0 else add_copy(first, f"Cube {number + 1:04}", color)
        across = np.array(divmod(place, SIDE)) - 0.5 * (SIDE - 1)
        cube.location = (*(0.37 * across + random.normal(0.0, 0.02, 2)), 0.4 + 0.37 * layer)
        cube.rotation_euler = random.uniform(-math.pi, math.pi, 3)
