"""Balls fall into a sack that hangs by its rim, which then is let go."""

import bpy
import numpy as np
from scene_parts import (
    BLUE,
    BROWN,
    GOLD,
    RED,
    TEAL,
    Color,
    add_ball,
    add_copy,
    add_floor,
    add_mesh,
    key,
    make,
    new_scene,
    paint,
)

RADIUS, DEEP = 0.32, 0.75  # m, of the sack
AROUND, DOWN = 40, 22  # vertices
BALL, MASS, COUNT = 0.07, 0.25, 44  # m, kg
RIM = 1.15  # m above the floor
RELEASE = 70  # frame in which the rim is let go
COLORS: tuple[Color, ...] = (RED, GOLD, TEAL, BLUE)


def build() -> None:
    """Set it up."""
    new_scene(160, (1.1, -2.3, 2.1), (0.04, 0.05, 0.5), lens=36.0)
    add_floor()
    _add_sack()
    _add_balls()


def _add_sack() -> None:
    """A wall that narrows to a bottom of rings; the rim is pinned until it is let go."""
    wall = np.linspace(0.0, 1.0, DOWN)
    bottom = np.linspace(1.0, 0.0, 8)[1:-1]
    radius = np.concatenate([np.full(DOWN, RADIUS), RADIUS * bottom])
    height = RIM - np.concatenate([DEEP * wall, np.full(len(bottom), DEEP + 0.02)])
    turn = np.arange(AROUND) * 2.0 * np.pi / AROUND
    rings = len(radius)
    x, y = radius[:, None] * np.cos(turn), radius[:, None] * np.sin(turn)
    places = np.stack([x, y, np.broadcast_to(height[:, None], x.shape)], axis=-1).reshape(-1, 3)
    places = np.concatenate([places, [(0.0, 0.0, height[-1] - 0.01)]])
    row = np.arange(rings - 1)[:, None] * AROUND
    one, other = np.arange(AROUND), (np.arange(AROUND) + 1) % AROUND
    quads = np.stack([row + one, row + AROUND + one, row + AROUND + other, row + other], axis=-1)
    last, middle = (rings - 1) * AROUND, len(places) - 1
    faces = [*quads.reshape(-1, 4), *([last + a, middle, last + b] for a, b in zip(one, other))]
    sack = add_mesh("Sack", places, faces, BROWN, smooth=True)
    paint(sack, "Rim", (np.arange(len(places)) < AROUND).astype(float))
    make("cloth", sack, preset="DENIM")
    sack.verlet.pin_group = "Rim"
    key(sack.verlet.animated, "pin", {1: 1.0, RELEASE: 1.0, RELEASE + 1: 0.0})


def _add_balls() -> None:
    """Balls in layers over the sack."""
    ball = add_ball("Ball 01", BALL, RED, segments=24)  # cloth is kept out of all that is drawn
    make("rigid_body", ball)
    ball.verlet.body.mass_by, ball.verlet.body.mass = "MASS", MASS
    ball.verlet.body.friction = 0.4
    for number in range(COUNT):
        layer, slot = divmod(number, 4)
        angle = 0.5 * np.pi * slot + 0.6 * layer
        thing = ball
        if number:
            thing = add_copy(ball, f"Ball {number + 1:02}", COLORS[number % 4])
        place = 0.13 * np.array((np.cos(angle), np.sin(angle)))
        thing.location = (*place, RIM + 0.15 + 0.19 * layer)
    bpy.context.view_layer.update()
