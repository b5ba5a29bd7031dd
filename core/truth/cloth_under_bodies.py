"""Bodies on cloth that lies on a collider: they rest on top, and are dragged as Coulomb has it.

Cloth that is pinned pulls them along; loose cloth has no more to give than its own momentum, and
what the ground takes, it takes from both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np

from ..arrays import Floats
from ..bench.cloth_scenes import sheet
from ..bench.rigid_scenes import FPS
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
SETTLING, PULLING, THROWN = 16, 6, 24  # frames

_LYING_SHAPES = {"plate": ("CYLINDER", (0.12, 0.01)), "brick": ("BOX", (0.07, 0.05, 0.02))}


def _top_of_triangles() -> Shape:
    """A level mesh of 288 triangles, along none of whose edges anything is pulled."""
    places, quads = sheet(13, 13, 6.0, 6.0)
    c, s = math.cos(0.9), math.sin(0.9)
    places[:, :2] = places[:, :2] @ np.array([[c, s], [-s, c]])
    triangle = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    return Shape.of("table", "MESH", surface=Surface(places, triangle))


@dataclass(frozen=True)
class Laid:
    """A body that is laid on a cloth, and that on the ground."""

    shape: str
    mass: float  # kg
    edge: float  # m, of the cloth
    yaw: float  # rad
    ground: str
    is_pinned: bool = True  # its far border
    cloth_friction: float = CLOTH_FRICTION
    body_friction: float = BODY_FRICTION
    ground_friction: float = 0.5
    drag: float = ClothSettings().drag  # 1/s

    @property
    def friction(self) -> float:
        """Of the body on the cloth."""
        return math.sqrt(self.cloth_friction * self.body_friction)


def _laid(laid: Laid) -> tuple[Model, Floats]:
    """The model, and which way along the cloth is to its far border."""
    kind, size = _LYING_SHAPES[laid.shape]
    edge, yaw, rub = laid.edge, laid.yaw, laid.ground_friction
    turn = np.array([[math.cos(yaw), -math.sin(yaw), 0.0], [math.sin(yaw), math.cos(yaw), 0.0]])
    columns, rows = round(LONG / edge) + 1, round(WIDE / edge) + 1
    u, v = np.linspace(-LONG / 2, LONG / 2, columns), np.linspace(-WIDE / 2, WIDE / 2, rows)
    flat = np.stack([a.ravel() for a in np.meshgrid(u, v)], axis=1)
    places = np.hstack([flat @ turn[:, :2].T, np.full((len(flat), 1), 0.01)])
    corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).reshape(-1)
    faces = np.stack([corner, corner + 1, corner + columns + 1, corner + columns], axis=1)
    offsets = np.arange(0, faces.size + 1, 4)
    builder = ModelBuilder()
    if laid.ground == "PLANE":
        builder.add_collider("table", "PLANE", (), (0.0, 0.0, 0.0), friction=rub)
    elif laid.ground == "MESH":
        top = [_top_of_triangles()]
        builder.add_collider_shapes("table", top, (0.0, 0.0, 0.0), friction=rub)
    else:
        builder.add_collider("table", "BOX", (3.0, 3.0, 0.5), (0.0, 0.0, -0.5), friction=rub)
    is_held = (np.arange(len(flat)) % columns == columns - 1) & laid.is_pinned
    add_cloth(
        builder,
        Geometry.of("cloth", places, (), offsets, faces.ravel()),
        ClothSettings(friction=laid.cloth_friction, drag=laid.drag),
        pin_weight=is_held.astype(float),
    )
    place = (*(turn[:, :2] @ AT), 0.02 + edge + size[-1])
    friction = laid.body_friction
    builder.add_body(laid.shape, kind, size, place, mass=laid.mass, friction=friction)
    return builder.finalize(), np.array([math.cos(yaw), math.sin(yaw), 0.0])


@cache
def _pulled(laid: Laid, speed: float, rate: float) -> tuple[float, float, float]:
    """How high the body stands at rest over how high it should, m; way over Coulomb's; hop, m."""
    model, along = _laid(laid)
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
    way = 0.5 * laid.friction * GRAVITY * (PULLING / FPS) ** 2
    thickness = 2.0 * float(model.particles.radius[0])
    off = float(start[2]) - thickness - _LYING_SHAPES[laid.shape][1][-1]
    return off, float((state.body_position[0] - start) @ along) / way, float(highest - start[2])


_SETUPS = {
    "plate": (Laid("plate", 0.5, 0.025, 0.4, "BOX"), 3.0),
    "brick": (Laid("brick", 50.0, 0.05, 1.1, "PLANE"), 2.0),
    "plate-on-mesh": (Laid("plate", 0.5, 0.025, 0.4, "MESH"), 3.0),
    "brick-on-mesh": (Laid("brick", 50.0, 0.05, 1.1, "MESH"), 2.0),
}
"""And m/s of the pull."""


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


@cache
def _thrown(laid: Laid, speed: float, rate: float) -> tuple[float, float]:
    """What a body and loose cloth keep of their momentum; way of the body, m."""
    model, along = _laid(laid)
    state, settings = model.initial_state(), SolverSettings(substep_rate=rate)
    for _ in range(SETTLING):
        state, _ = advance(model, state, FrameInputs(), settings)
    state.body_previous[0] -= speed * state.step * along
    state.body_rest[:] = 0.0
    mass, start = model.particles.mass, state.body_position[0].copy()
    momentum = 0.0
    for _ in range(THROWN):
        before = state
        state, _ = advance(model, state, FrameInputs(), settings)
        of_cloth = mass @ (state.position - before.position)
        of_body = laid.mass * (state.body_position[0] - before.body_position[0])
        momentum = float((of_cloth + of_body) @ along) * FPS
    way = float((state.body_position[0] - start) @ along)
    return momentum / (laid.mass * speed), way


def _loose(laid: Laid, cloth: float, body: float, ground: float) -> Laid:
    """With those frictions, on cloth that nothing pins and no air slows."""
    return replace(
        laid,
        is_pinned=False,
        cloth_friction=cloth,
        body_friction=body,
        ground_friction=ground,
        drag=0.0,
    )


def _stopped(laid: Laid, speed: float, rate: float) -> Result:
    """Where the body and what it takes along stop, by the smaller of the two frictions."""
    below = math.sqrt(laid.cloth_friction * laid.ground_friction)
    way = 0.5 * speed**2 / (min(laid.friction, below) * GRAVITY)
    return Result(_thrown(laid, speed, rate)[1], way, 0.03 * way)


def _kept(laid: Laid, speed: float, rate: float) -> Result:
    """How much of the momentum is left where the ground takes none."""
    return Result(_thrown(laid, speed, rate)[0], 1.0, 1e-9)


_ON_ICE = {
    "brick": (_loose(Laid("brick", 50.0, 0.05, 1.1, "PLANE"), 0.5, 0.5, 0.0), 1.0),
    "plate": (_loose(Laid("plate", 0.5, 0.025, 0.4, "BOX"), 0.3, 0.6, 0.0), 0.8),
    "dish": (_loose(Laid("plate", 0.05, 0.025, 2.0, "MESH"), 0.5, 0.5, 0.0), 0.7),
}
_STOPPED = {
    "with-cloth": (_loose(Laid("brick", 50.0, 0.05, 1.1, "PLANE"), 0.5, 0.5, 0.05), 1.0),
    "with-cloth-on-mesh": (_loose(Laid("brick", 90.0, 0.05, 2.3, "MESH"), 0.4, 0.9, 0.1), 1.2),
    "over-cloth": (_loose(Laid("brick", 5.0, 0.05, 1.1, "PLANE"), 0.5, 0.2, 0.9), 0.8),
    "over-cloth-on-box": (_loose(Laid("plate", 2.0, 0.025, 0.7, "BOX"), 0.3, 0.3, 0.8), 0.9),
}
"""Loose cloth under a body that begins to slide at so many m/s."""

for _name, _thrown_so in _ON_ICE.items():
    at_rates(f"cloth-under-thrown-{_name}-momentum")(partial(_kept, *_thrown_so))
for _name, _thrown_so in _STOPPED.items():
    at_rates(f"cloth-under-stops-{_name}")(partial(_stopped, *_thrown_so))
