"""Towers of crates with sheets of cloth between them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from ..building.builder import ModelBuilder
from ..model import Model
from ..recipes.body import add_body
from ..settings import BodySettings
from .cloth_scenes import MEETS_ITSELF, add_quads, sheet

VERTICES = 16
"""Along a side of each sheet."""

EDGE = 0.05  # m

LAID_APART = 0.014
"""m from layer to layer at the start."""

CUBE = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
_SIDES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
BOX_FACES = np.array([t for a, b, c, d in _SIDES for t in ((a, b, c), (a, c, d))], dtype=np.int32)


@dataclass(frozen=True)
class Tower:
    """Crates one upon the other, with cloth between each two."""

    half: tuple[float, ...]  # m, of each crate, from below
    mass: tuple[float, ...]  # kg
    layers: int = 1
    aside: float = 0.02  # m, of each crate from the one below
    turn: float = 0.2  # rad, likewise
    friction: float = 0.5
    vertices: int = VERTICES  # along a side of each sheet


def built(tower: Tower) -> tuple[Model, Floats]:
    """The model, and how high (b,) m crates stand."""
    builder = ModelBuilder()
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    random = np.random.default_rng(7)
    side = EDGE * (tower.vertices - 1)
    p, quads = sheet(tower.vertices, tower.vertices, side, side)
    top, heights = 0.0, []
    for number, (half, mass) in enumerate(zip(tower.half, tower.mass)):
        angle, away = tower.turn * number, tower.aside * number
        c, s = math.cos(angle), math.sin(angle)
        turn = np.array([(c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)])
        x = (CUBE * half) @ turn.T + (away, -0.6 * away, top + half)
        settings = BodySettings(mass=mass, friction=tower.friction)
        name = f"crate {number}"
        add_body(builder, name, x, (1.0, 0.0, 0.0, 0.0), settings, triangles=BOX_FACES)
        heights.append(sum(2.0 * one for one in tower.half[:number]) + half)
        top += 2.0 * half
        for layer in range(tower.layers if number + 1 < len(tower.half) else 0):
            up = (away, 0.0, top + LAID_APART * (layer + 0.6))
            aside = 0.01 * random.normal(size=3) * (1.0, 1.0, 0.0)
            add_quads(builder, p + aside + up, quads, MEETS_ITSELF, name=f"sheet {number} {layer}")
        top += LAID_APART * (tower.layers + 0.2)
    model = builder.finalize()
    thick = 2.0 * float(model.particles.radius.min()) * tower.layers
    return model, np.array(heights) + thick * np.arange(len(heights))
