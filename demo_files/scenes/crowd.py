"""Twenty characters that fall into a heap: each is thirteen to twenty bodies, all meet all."""

import bpy
import numpy as np
from characters import PERSON, add_another, add_character
from mathutils import Euler
from scene_parts import (
    BLUE,
    GOLD,
    GREEN,
    PINK,
    RED,
    TEAL,
    WHITE,
    WOOD,
    add_box,
    add_floor,
    make,
    new_scene,
    select,
)

COLORS = (RED, BLUE, GOLD, TEAL, WHITE, GREEN, PINK)
COUNT = 20


def build() -> None:
    """Set it up."""
    new_scene(100, (6.0, -7.5, 4.2), (0.3, 0.0, 1.05), lens=31.0)
    add_floor()
    for number, (x, y, z) in enumerate(((0.0, 0.0, 0.5), (-1.1, 0.9, 0.3), (1.2, 0.7, 0.35))):
        block = add_box(f"Block {number}", (1.3, 1.1, 2.0 * z), WOOD)
        block.location = (x, y, z)
        block.rotation_euler.z = 0.5 * number
        make("collider", block)
    rig, skin = add_character("Person 01", PERSON, COLORS[0])
    make("ragdoll", rig)
    random = np.random.default_rng(5)
    people = [rig]
    for number in range(1, COUNT):
        color = COLORS[number % len(COLORS)]
        people.append(add_another(rig, skin, f"Person {number + 1:02}", color)[0])
    for number, person in enumerate(people):
        layer, place = divmod(number, 4)
        person.location = (
            1.3 * (place % 2) - 0.65 + random.uniform(-0.2, 0.2),
            1.0 * (place // 2) - 0.4 + random.uniform(-0.2, 0.2),
            1.7 + 2.1 * layer,
        )
        person.rotation_euler = Euler(random.uniform(-1.2, 1.2, 3) + (0.0, 0.0, 1.5 * number))
    select(*people)
    bpy.context.view_layer.update()
