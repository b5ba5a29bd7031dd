"""A horse that slips off a ledge and rolls down some steps."""

import math

from characters import HORSE, add_character
from scene_parts import BROWN, GREEN, GREY, add_box, add_floor, make, new_scene

STEPS, HEIGHT, DEPTH = 4, 0.35, 0.9


def build() -> None:
    """Set it up."""
    new_scene(90, (4.6, -7.4, 3.6), (0.0, -0.5, 1.45), lens=39.0)
    floor = add_floor(30.0)
    floor.color = GREEN
    for step in range(STEPS):
        top = HEIGHT * (STEPS - step)
        deep = DEPTH if step else 3.5
        block = add_box(f"Step {step + 1}", (4.0, deep, top), GREY)
        block.location = (
            0.0,
            -DEPTH * step + (0.5 * (3.5 - DEPTH) if not step else 0.0),
            0.5 * top,
        )
        make("collider", block)
    rig, _ = add_character("Horse", HORSE, BROWN, ears=True, detail=0.035)
    rig.location = (0.0, -0.05, HEIGHT * STEPS + 0.12)
    rig.rotation_euler = (math.radians(7.0), math.radians(-9.0), math.radians(58.0))
    make("ragdoll", rig)
    rig.verlet.ragdoll.mass = 450.0
