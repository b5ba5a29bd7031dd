"""A hundred dominoes in a spiral: a ball rolls down a ramp and starts them."""

import numpy as np
from scene_parts import (
    BLUE,
    GOLD,
    RED,
    TEAL,
    WHITE,
    WOOD,
    add_ball,
    add_box,
    add_copy,
    add_floor,
    degrees,
    make,
    new_scene,
)

SIZE = (0.06, 0.2, 0.4)  # m: along the row, across it, tall
SPACING = 0.18  # m
COUNT = 100


def build() -> None:
    """Set it up."""
    new_scene(240, (0.6, -5.9, 4.6), (0.15, -0.1, 0.0), lens=40.0)
    add_floor()
    place, heading = _spiral()
    first = add_box("Domino 001", SIZE, RED)
    make("rigid_body", first, preset="WOOD")
    first.verlet.body.friction = 0.4
    colors = (RED, GOLD, WHITE, TEAL, BLUE)
    for number in range(COUNT):
        color = colors[number * len(colors) // COUNT]
        domino = first if number == 0 else add_copy(first, f"Domino {number + 1:03}", color)
        domino.location = (*place[number], 0.5 * SIZE[2])
        domino.rotation_euler.z = heading[number]
    _start(place[0], float(heading[0]))


def _spiral() -> tuple[np.ndarray, np.ndarray]:
    """Places (n, 2) m of the dominoes and the directions (n,) in which they fall."""
    angle = np.linspace(0.0, 5.0 * np.pi, 4001)
    radius = 2.55 - 0.43 * angle / np.pi
    x, y = radius * np.cos(angle - 0.5 * np.pi), 0.8 * radius * np.sin(angle - 0.5 * np.pi)
    along = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))])
    wanted = SPACING * np.arange(COUNT)
    heading = np.unwrap(np.arctan2(np.gradient(y), np.gradient(x)))
    place = np.stack([np.interp(wanted, along, x), np.interp(wanted, along, y)], axis=1)
    return place, np.interp(wanted, along, heading)


def _start(place: np.ndarray, heading: float) -> None:
    """A ball on a ramp behind the first domino; the row begins along X."""
    ramp = add_box("Ramp", (1.3, 0.36, 0.05), WOOD)
    ramp.rotation_euler = degrees(0.0, 22.0, 0.0)
    ramp.location = (place[0] - 0.95, place[1], 0.27)
    make("collider", ramp)
    ball = add_ball("Ball", 0.13, GOLD)
    ball.location = (place[0] - 1.38, place[1], 0.64)
    make("rigid_body", ball, preset="STONE")
