"""A flag on a pole: cloth that is pinned along one side."""

import numpy as np

from .shapes import cylinder, surface
from .site import Site

POLE, RADIUS = 2.8, 0.025  # m tall, m
LENGTH, WIDTH = 1.5, 1.0  # m, along the wind and upright
HOIST_GAP = 0.02  # m between the pole and the hoist
COLUMNS, ROWS = 43, 29
RED, WHITE = (0.65, 0.03, 0.05), (0.75, 0.75, 0.72)


def build(site: Site) -> None:
    """The flag is a child of the pole, so that it goes where the pole is moved."""
    pole = site.add_mesh("Flag Pole", cylinder(RADIUS, POLE), WHITE, is_smooth=False)
    site.set_up(pole, "COLLIDER")
    x, z = np.meshgrid(np.linspace(0.0, LENGTH, COLUMNS), np.linspace(-WIDTH, 0.0, ROWS))
    shape = surface(np.stack([x, np.zeros_like(x), z], axis=2))
    flag = site.add_mesh("Flag", shape, RED, (RADIUS + HOIST_GAP, 0.0, POLE - 0.05), is_smooth=True)
    site.set_up(flag, "CLOTH", bend=0.3)
    site.pin(flag, [row * COLUMNS for row in range(ROWS)])
    flag.parent = pole
    flag.matrix_parent_inverse = pole.matrix_world.inverted()
    site.active = flag
