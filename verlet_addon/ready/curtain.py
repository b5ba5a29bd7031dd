"""A curtain that hangs in folds from a rail: cloth that is pinned where its rings are."""

import math

import numpy as np
from mathutils import Matrix

from .shapes import cylinder, surface
from .site import Site

WIDTH, HEIGHT = 1.5, 2.0  # m
FOLDS, DEPTH = 8, 0.07  # waves from end to end, m from the middle to a crest
PER_FOLD, ROWS = 8, 33  # columns and rows of vertices
RADIUS, OVERHANG, DROP = 0.02, 0.12, 0.04  # m: the rail, and how far the cloth hangs below it
BLUE, BRASS = (0.05, 0.13, 0.35), (0.6, 0.42, 0.16)


def build(site: Site) -> None:
    """The rail carries the curtain and can be moved or keyed."""
    top = HEIGHT + DROP + 0.02
    rail = site.add_mesh(
        "Curtain Rail",
        cylinder(RADIUS, WIDTH + 2.0 * OVERHANG).moved((0.0, 0.0, -0.5 * WIDTH - OVERHANG)),
        BRASS,
        (0.0, 0.0, top),
        Matrix.Rotation(0.5 * math.pi, 3, "Y"),
    )
    columns = FOLDS * PER_FOLD + 1
    x, z = np.meshgrid(
        np.linspace(-0.5 * WIDTH, 0.5 * WIDTH, columns), np.linspace(-HEIGHT, 0.0, ROWS)
    )
    y = DEPTH * np.cos(x * (math.tau * FOLDS / WIDTH))
    curtain = site.add_mesh(
        "Curtain",
        surface(np.stack([x, y, z], axis=2)),
        BLUE,
        (0.0, 0.0, top - DROP),
        is_smooth=True,
    )
    site.set_up(curtain, "CLOTH")
    first = (ROWS - 1) * columns  # of the upper edge
    site.pin(curtain, range(first, first + columns, PER_FOLD // 2))
    curtain.parent = rail
    curtain.matrix_parent_inverse = rail.matrix_world.inverted()
    site.active = curtain
