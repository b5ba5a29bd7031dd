"""Soft bodies: jellies, a cushion under a weight, a balloon that is blown up, a ball on stairs."""

import bpy
from scene_parts import (
    BLUE,
    BROWN,
    GOLD,
    GREEN,
    PINK,
    RED,
    STEEL,
    WOOD,
    add_box,
    add_floor,
    add_icosphere,
    add_rounded_box,
    degrees,
    key,
    make,
    new_scene,
)


def build() -> None:
    """Set it up."""
    new_scene(144, (0.3, -6.4, 2.1), (0.3, 0.0, 0.72), lens=40.0)
    add_floor()
    _jellies()
    _cushion()
    _balloon()
    _ball_on_stairs()


def _jellies() -> None:
    """Two that fall on each other."""
    cube = add_rounded_box("Jelly Cube", (0.62, 0.62, 0.62), 7, RED)
    cube.location = (-2.0, 0.0, 0.62)
    cube.rotation_euler = degrees(18.0, 12.0, 20.0)
    drop = add_icosphere("Jelly Drop", 0.27, 4, GREEN)
    drop.location = (-1.9, -0.06, 1.55)  # so that it rolls off to the front
    make("soft_body", cube, drop, preset="JELLY")


def _cushion() -> None:
    """A rigid weight falls on it."""
    cushion = add_rounded_box("Cushion", (0.85, 0.85, 0.34), 9, BLUE, roundness=4.0)
    cushion.location = (-0.75, 0.0, 0.2)
    make("soft_body", cushion, preset="CUSHION")
    weight = add_box("Weight", (0.26, 0.26, 0.2), STEEL)
    weight.location = (-0.75, 0.0, 1.2)
    weight.rotation_euler = degrees(0.0, 0.0, 25.0)
    make("rigid_body", weight)
    weight.verlet.body.mass = 4.0


def _balloon() -> None:
    """Small at first; its keyed pressure blows it up."""
    balloon = add_icosphere("Balloon", 0.24, 4, PINK)
    balloon.location = (0.4, 0.0, 0.26)
    make("soft_body", balloon, preset="BALLOON")
    key(balloon.verlet.animated, "pressure", {1: 0.8, 24: 0.8, 96: 3.0})


def _ball_on_stairs() -> None:
    """Pushed off by a hit, it bounces down four steps to a wall."""
    steps = 4
    for number in range(steps):
        height = 0.22 * (number + 1)
        step = add_box(f"Step {number + 1}", (0.32, 1.0, height), BROWN)
        step.location = (1.3 + 0.32 * (steps - 1 - number), 0.0, 0.5 * height)
        make("collider", step)
    stop = add_box("Stop", (0.06, 1.0, 0.4), WOOD)
    stop.location = (3.0, 0.0, 0.2)
    make("collider", stop)
    ball = add_icosphere("Rubber Ball", 0.15, 3, GOLD)
    ball.location = (1.3, 0.0, 0.22 * steps + 0.45)
    make("soft_body", ball, preset="RUBBER")
    bpy.context.scene.cursor.location = ball.location
    bpy.ops.verlet.add_hit()
    hit = bpy.context.object
    hit.rotation_euler = degrees(0.0, 90.0, 0.0)
    hit.verlet.impulse.strength, hit.verlet.impulse.radius = 0.8, 0.5
