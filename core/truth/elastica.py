"""Strips of cloth that are clamped at one end and hang as the elastica does, and keep still."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from ..arrays import Floats, Ints
from ..building.builder import ModelBuilder
from ..model import FrameInputs, Model
from ..recipes.cloth import FOLD_RIGIDITY, add_cloth
from ..recipes.geometry import Geometry
from ..settings import ClothSettings, SolverSettings
from ..settings.gravity import GRAVITY
from ..step import advance
from .case import Result, case
from .unrest import unrest

Mesh = tuple[Floats, list[Ints]]
"""Places (n, 2) in edges, where column 0 is behind the clamp and 1 in it, and faces of a kind."""

Size = tuple[int, float, float]
"""Edges along a strip, its length in m, and Γ = weight per length · length³ / rigidity."""


def _slope(load: float, s: float, turn: float, bend: float) -> Floats:
    return np.array([bend, -load * (1.0 - s) * math.cos(turn), math.cos(turn), -math.sin(turn)])


def tip(load: float, steps: int = 400) -> tuple[float, float]:
    """Where the tip of an elastica of length 1 is: θ'' = −Γ (1 − s) cos θ, θ(0) = θ'(1) = 0.

    load: Γ = weight per length · length³ / rigidity.
    """
    h, low, high = 1.0 / steps, 0.0, 0.5 * load + 1.0
    for _ in range(40):
        start = 0.5 * (low + high)
        at = np.array([0.0, start, 0.0, 0.0])
        for k in range(steps):  # Runge and Kutta's
            s = k * h
            a = _slope(load, s, *at[:2])
            b = _slope(load, s + h / 2, *(at + h / 2 * a)[:2])
            c = _slope(load, s + h / 2, *(at + h / 2 * b)[:2])
            d = _slope(load, s + h, *(at + h * c)[:2])
            at = at + h / 6.0 * (a + 2.0 * b + 2.0 * c + d)
        low, high = (low, start) if at[1] > 0.0 else (start, high)
    return float(at[2]), float(at[3])


def _quads(length: int, width: int, aspect: float) -> Mesh:
    """Rectangles, ``aspect`` times as long as wide."""
    i, j = np.meshgrid(np.arange(length + 2), np.arange(width + 1), indexing="ij")
    corner = (np.arange(length + 1)[:, None] * (width + 1) + np.arange(width)).reshape(-1)
    quads = np.stack([corner, corner + width + 1, corner + width + 2, corner + 1], axis=1)
    return np.stack([i, j / aspect], axis=-1).reshape(-1, 2), [quads.astype(np.int32)]


def _cut(length: int, width: int, aspect: float, alternately: bool) -> Mesh:
    """The same as triangles, cut one way or alternately."""
    x, (quads,) = _quads(length, width, aspect)
    number = np.arange(len(quads))
    turned = alternately & ((number // width + number % width) % 2 == 1)
    a, b, c, d = np.where(turned, np.roll(quads, -1, axis=1).T, quads.T)
    return x, [np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])]


def _aslant(length: int, width: int) -> Mesh:
    """Squares at 45°, cut into triangles along the strip, whole at its borders."""
    across = 2 * width + 1
    i, j = np.meshgrid(np.arange(2 * length + 3), np.arange(across), indexing="ij")
    x = 0.5 * np.stack([i, j], axis=-1).reshape(-1, 2)
    a, b = np.meshgrid(np.arange(0, 2 * length + 1, 2), np.arange(0, across, 2), indexing="ij")
    left = (a * across + b).reshape(-1)
    right, middle = left + 2 * across, left + across
    up, down = b.reshape(-1) < across - 1, b.reshape(-1) > 0
    found = [
        np.stack([left, right, middle + 1], 1)[up],
        np.stack([right, left, middle - 1], 1)[down],
    ]
    ends = np.arange(0, across - 2, 2)
    last = (2 * length + 2) * across
    found += [np.stack([ends, ends + across + 1, ends + 2], 1)]
    found += [np.stack([ends + last + 2, ends + last + 1 - across, ends + last], 1)]
    inner_left = left.reshape(a.shape)[1:, :-1].reshape(-1)  # between two upright neighbours
    found += [
        np.stack([inner_left, inner_left + across + 1, inner_left + 2], 1),
        np.stack([inner_left + 2, inner_left + 1 - across, inner_left], 1),
    ]
    used, rows = np.unique(np.concatenate(found), return_inverse=True)
    return x[used], [rows.reshape(-1, 3).astype(np.int32)]


def _irregular(length: int, width: int) -> Mesh:
    """Triangles, about equilateral in rows that are shifted by half, their vertices moved."""
    x, (quads,) = _quads(length, width, 1.0)
    place = np.arange(len(x))
    column, row = place // (width + 1), place % (width + 1)
    inside = (column > 1) & (column <= length)
    random = np.random.default_rng(5)
    x[:, 1] *= 0.5 * math.sqrt(3.0)
    x[inside & (row % 2 == 1), 0] += 0.5
    x[inside] += random.uniform(-0.15, 0.15, (int(inside.sum()), 2))
    odd = np.arange(len(quads)) % width % 2 == 0
    a, b, c, d = np.where(odd, np.roll(quads, -1, axis=1).T, quads.T)
    return x, [np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])]


def _strip(mesh: Callable[[], Mesh], size: Size, tethers: bool = True) -> tuple[Model, Floats]:
    """A strip and how far (n,) m its vertices are from the clamp."""
    edges, length, load = size
    x, faces = mesh()
    softest, stiffest = FOLD_RIGIDITY
    density = min(0.3, 0.99 * stiffest * load / (GRAVITY * length**3))
    rigidity = density * GRAVITY * length**3 / load
    bend = math.log(rigidity / softest) / math.log(stiffest / softest)
    places = np.column_stack([x[:, 0] - 1.0, x[:, 1], np.zeros(len(x))]) * length / edges
    sizes = np.concatenate([np.full(len(f), f.shape[1]) for f in faces])
    corners = np.concatenate([f.reshape(-1) for f in faces])
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    settings = ClothSettings(
        bend=bend, bend_model="DIHEDRAL", drag=6.0, area_density=density, tethers=tethers
    )
    builder = ModelBuilder()
    geometry = Geometry.of("strip", places, (), offsets, corners)
    add_cloth(builder, geometry, settings, pin_weight=places[:, 0] < 1e-9)
    return builder.finalize(), places[:, 0]


def _off(mesh: Callable[[], Mesh], size: Size) -> Result:
    """How far the tip of a strip is from the elastica's, in lengths."""
    _, length, load = size
    model, out = _strip(mesh, size)
    state = model.initial_state()
    for _ in range(24 * 3):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
    end = out > length * (1.0 - 1e-9)
    along, _, up = state.position[end].mean(axis=0) / length
    exact = tip(load)
    return Result(math.hypot(along - exact[0], up - exact[1]), 0.0, 0.02)


def _unrest(mesh: Callable[[], Mesh], size: Size, tethers: bool) -> Result:
    """Fastest vertex of a strip that has hung for four seconds, mm/s, over a second."""
    return unrest(_strip(mesh, size, tethers)[0])


for _name, _mesh, _edges, _length, _load in (
    ("quads", partial(_quads, 20, 4, 1.0), 20, 0.15, 1.0),
    ("quads", partial(_quads, 30, 3, 1.0), 30, 0.3, 20.0),
    ("quads", partial(_quads, 40, 6, 1.0), 40, 0.2, 100.0),
    ("quads-long", partial(_quads, 20, 6, 3.0), 20, 0.2, 50.0),
    ("quads-wide", partial(_quads, 24, 3, 0.4), 24, 0.15, 5.0),
    ("cut-one-way", partial(_cut, 20, 4, 1.0, False), 20, 0.2, 20.0),
    ("cut-one-way-wide", partial(_cut, 30, 4, 0.5, False), 30, 0.15, 8.0),
    ("cut-alternately", partial(_cut, 25, 5, 1.0, True), 25, 0.25, 50.0),
    ("aslant", partial(_aslant, 20, 4), 20, 0.15, 5.0),
    ("aslant", partial(_aslant, 20, 4), 20, 0.2, 30.0),
    ("irregular", partial(_irregular, 25, 6), 25, 0.2, 15.0),
    ("irregular", partial(_irregular, 20, 5), 20, 0.15, 60.0),
):
    case(f"elastica-{_name}-{_load:g}")(partial(_off, _mesh, (_edges, _length, _load)))

for _name, _mesh, _size, _tethers in (
    ("quads", partial(_quads, 20, 4, 1.0), (20, 0.2, 100.0), True),
    ("irregular", partial(_irregular, 20, 5), (20, 0.15, 60.0), True),
    ("cut", partial(_cut, 24, 3, 1.0, False), (24, 0.18, 80.0), True),
    ("quads-untethered", partial(_quads, 20, 4, 1.0), (20, 0.2, 50.0), False),
    ("irregular-untethered", partial(_irregular, 20, 5), (20, 0.15, 60.0), False),
):
    case(f"strip-rest-{_name}-{_size[2]:g}")(partial(_unrest, _mesh, _size, _tethers))
