"""A horse that leaps sideways off a ledge and rolls down some steps."""

import math

from characters import HORSE, add_character
from mathutils import Vector
from scene_parts import BROWN, GREEN, GREY, add_box, add_floor, make, new_scene

STEPS, HEIGHT, DEPTH = 4, 0.4, 0.75
LEAP = Vector((-0.3, -2.6, 1.4)) / 24.0  # m a frame: it starts with the speed of its keys


def build() -> None:
    """Set it up."""
    new_scene(90, (8.2, -7.2, 3.4), (-0.1, -1.5, 1.35), lens=40.0)
    floor = add_floor()
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
    rig, _ = add_character("Horse", HORSE, BROWN, ears=True, detail=0.03)
    rig.location = (-0.1, 0.75, HEIGHT * STEPS + 0.12)
    rig.rotation_euler = (math.radians(10.0), math.radians(-9.0), math.radians(75.0))
    start = rig.location.copy()
    for frame in (1, 2):
        rig.location = start + (frame - 1) * LEAP
        rig.keyframe_insert("location", frame=frame)
    make("ragdoll", rig)
    rig.pose.bones["head"].verlet.shape = "HULL"  # with its ears
