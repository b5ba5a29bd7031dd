"""Bodies on cloth that lies on a collider: they rest on top, and are dragged as Coulomb has it."""

from __future__ import annotations

import math
from functools import cache, partial
from typing import Any

import numpy as np

from ..arrays import Floats
from ..bench.cloth_scenes import sheet
from ..building.builder import ModelBuilder
from ..collision.shape import Shape, Surface
from ..model import FrameInputs, Model
from ..recipes.cloth import add_cloth
from ..recipes.geometry import Geometry
from ..settings import ClothSettings, SolverSettings
from ..settings.gravity import GRAVITY
from ..step import advance
from .case import Result
from .rates import at_rates

LONG, WIDE = 1.4, 0.6  # m, of the cloth
AT = (0.25, 0.01)  # m, where the body stands on it
CLOTH_FRICTION, BODY_FRICTION = 0.1, 0.3
SETTLING, PULLING = 16, 6  # frames
FPS = 24

_LYING = {"plate": ("CYLINDER", (0.12, 0.01)), "brick": ("BOX", (0.07, 0.05, 0.02))}


def _top_of_triangles() -> Shape:
    """A level mesh of 288 triangles, along none of whose edges anything is pulled."""
    places, quads = sheet(13, 13, 6.0, 6.0)
    c, s = math.cos(0.9), math.sin(0.9)
    places[:, :2] = places[:, :2] @ np.array([[c, s], [-s, c]])
    triangle = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    return Shape.of("table", "MESH", surface=Surface(places, triangle))


def _laid(shape: str, mass: float, edge: float, yaw: float, ground: str) -> tuple[Model, Floats]:
    """A body on a cloth whose far border is pinned, and which way that is pulled."""
    kind, size = _LYING[shape]
    turn = np.array([[math.cos(yaw), -math.sin(yaw), 0.0], [math.sin(yaw), math.cos(yaw), 0.0]])
    columns, rows = round(LONG / edge) + 1, round(WIDE / edge) + 1
    u, v = np.linspace(-LONG / 2, LONG / 2, columns), np.linspace(-WIDE / 2, WIDE / 2, rows)
    flat = np.stack([a.ravel() for a in np.meshgrid(u, v)], axis=1)
    places = np.hstack([flat @ turn[:, :2].T, np.full((len(flat), 1), 0.01)])
    corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).reshape(-1)
    faces = np.stack([corner, corner + 1, corner + columns + 1, corner + columns], axis=1)
    offsets = np.arange(0, faces.size + 1, 4)
    builder = ModelBuilder()
    if ground == "PLANE":
        builder.add_collider("table", "PLANE", (), (0.0, 0.0, 0.0))
    elif ground == "MESH":
        builder.add_collider_shapes("table", [_top_of_triangles()], (0.0, 0.0, 0.0))
    else:
        builder.add_collider("table", "BOX", (3.0, 3.0, 0.5), (0.0, 0.0, -0.5))
    add_cloth(
        builder,
        Geometry.of("cloth", places, (), offsets, faces.ravel()),
        ClothSettings(friction=CLOTH_FRICTION),
        pin_weight=(np.arange(len(flat)) % columns == columns - 1).astype(float),
    )
    place = (*(turn[:, :2] @ AT), 0.02 + edge + size[-1])
    builder.add_body(shape, kind, size, place, mass=mass, friction=BODY_FRICTION)
    return builder.finalize(), np.array([math.cos(yaw), math.sin(yaw), 0.0])


@cache
def _pulled(
    shape: str, mass: float, edge: float, yaw: float, ground: str, speed: float, rate: float
) -> tuple[float, float, float]:
    """How high the body stands at rest over how high it should, m; way over Coulomb's; hop, m."""
    model, along = _laid(shape, mass, edge, yaw, ground)
    state, settings = model.initial_state(), SolverSettings(substep_rate=rate)
    pins = model.particles.position[model.pins.particle]
    pins[:, 2] = model.particles.radius[model.pins.particle]
    for _ in range(SETTLING):
        state, _ = advance(model, state, FrameInputs(pin_position=pins.copy()), settings)
    start = state.body_position[0].copy()
    highest = start[2]
    for _ in range(PULLING):
        pins = pins + speed / FPS * along
        state, _ = advance(model, state, FrameInputs(pin_position=pins.copy()), settings)
        highest = max(highest, state.body_position[0, 2])
    friction = math.sqrt(CLOTH_FRICTION * BODY_FRICTION)
    way = 0.5 * friction * GRAVITY * (PULLING / FPS) ** 2
    thickness = 2.0 * float(model.particles.radius[0])
    off = float(start[2]) - thickness - _LYING[shape][1][-1]
    return off, float((state.body_position[0] - start) @ along) / way, float(highest - start[2])


_SETUPS = {
    "plate": ("plate", 0.5, 0.025, 0.4, "BOX", 3.0),
    "brick": ("brick", 50.0, 0.05, 1.1, "PLANE", 2.0),
    "plate-on-mesh": ("plate", 0.5, 0.025, 0.4, "MESH", 3.0),
    "brick-on-mesh": ("brick", 50.0, 0.05, 1.1, "MESH", 2.0),
}
"""Shape, kg, m of an edge of the cloth, rad of yaw, what it lies on, m/s of the pull."""


def _check(
    number: int, expected: float, tolerance: float, setup: tuple[Any, ...], rate: float
) -> Result:
    return Result(_pulled(*setup, rate)[number], expected, tolerance)


for _name, _setup in _SETUPS.items():
    for _number, _what, _expected, _tolerance in (
        (0, "height", 0.0, 1e-5),
        (1, "drag", 1.0, 0.08),
        (2, "hop", 0.0, 1e-4),
    ):
        _run = partial(_check, _number, _expected, _tolerance, _setup)
        at_rates(f"cloth-under-{_name}-{_what}")(_run)
