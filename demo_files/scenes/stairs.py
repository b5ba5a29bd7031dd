"""A figure that walks over the top of a stair, and falls down it as a ragdoll."""

import bpy
from characters import PERSON, add_character
from gait import walk
from scene_parts import GREY, TEAL, add_box, add_floor, make, new_scene, select

STEPS, RISE, RUN = 9, 0.19, 0.3
EDGE = 16  # frame in which it treads into the void


def build() -> None:
    """Set it up."""
    new_scene(120, (7.8, -7.8, 3.5), (0.1, -1.3, 1.2), lens=40.0)
    add_floor()
    height = add_stairs()
    rig, _ = add_character("Walker", PERSON, TEAL)
    fall_down(rig, height)


def add_stairs() -> float:
    """A stair down from a landing, on which nobody walks without falling; how high that is, m."""
    height = STEPS * RISE
    landing = add_box("Landing", (2.4, 3.0, height), GREY)
    landing.location = (0.0, 1.5, 0.5 * height)
    stairs = [landing]
    for number in range(1, STEPS):
        top = height - number * RISE
        stair = add_box(f"Step {number}", (2.4, RUN, top), GREY)
        stair.location = (0.0, -(number - 0.5) * RUN, 0.5 * top)
        stairs.append(stair)
    make("collider", *stairs)
    return height


def fall_down(rig: bpy.types.Object, height: float, ramp: int = 0) -> None:
    """Have a figure walk over the edge of the landing, and fall as a ragdoll from there on.

    ramp: frames in which it comes from the rest pose into its walk.
    """
    rig.location = (0.0, 0.55, height + 0.01)
    edge = EDGE + ramp // 2
    walk(rig, edge + 2 + ramp, ramp=ramp)
    make("ragdoll", rig)
    select(rig)
    bpy.ops.verlet.ragdoll_between(first=edge, comes_back=False)
