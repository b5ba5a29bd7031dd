"""Fifty boxes that fall in a heap: rigid bodies."""

import math

import numpy as np
from scene_parts import BLUE, GOLD, RED, TEAL, WHITE, add_box, add_floor, make, new_scene

WOOD_DENSITY = 500.0  # kg/m³


def build() -> None:
    """Set it up."""
    new_scene(160, (6.4, -7.4, 3.9), (0.0, 0.0, 1.75), lens=38.0)
    add_floor()
    random = np.random.default_rng(4)
    colors = (RED, BLUE, GOLD, TEAL, WHITE)
    boxes = []
    for number in range(50):
        size = 2.0 * random.uniform(0.16, 0.26, 3)
        box = add_box(f"Box {number + 1:02}", size, colors[number % len(colors)])
        layer, place = divmod(number, 9)
        box.location = (
            0.62 * (place % 3 - 1) + random.normal(0.0, 0.03),
            0.62 * (place // 3 - 1) + random.normal(0.0, 0.03),
            0.6 + 0.75 * layer,
        )
        box.rotation_euler = random.uniform(-math.pi, math.pi, 3)
        boxes.append(box)
    make("rigid_body", *boxes)
    for box in boxes:
        box.verlet.body.mass = round(WOOD_DENSITY * float(np.prod(box.dimensions)), 2)
