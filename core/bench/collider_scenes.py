"""Cloth on meshes that rest, change their form and walk: balls, and hips with two legs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..arrays import Floats, Ints
from ..building.builder import ModelBuilder
from ..model import FrameInputs, Model
from ..recipes.cloth import add_cloth
from ..recipes.collider import add_collider
from ..recipes.geometry import Geometry
from ..settings import ClothSettings, ColliderSettings
from .cloth_scenes import sheet

FRAME = 1.0 / 24.0  # s
VERTICES_AROUND = 32
"""Vertices around the hips, and around each leg."""

WAIST, CROTCH, HEEL = 1.05, 0.78, 0.06  # m
LEG = 0.095  # m, half of the way from leg to leg
STRIDE = 0.5  # rad, that a leg swings to either side
STEP_TIME = 1.0  # s, of two steps


@dataclass(frozen=True)
class ColliderScene:
    """A model with one mesh collider, its triangles, and what drives each frame from 1 on."""

    model: Model
    frames: int
    triangle: Ints  # (t, 3) of the collider
    place: Callable[[int], Floats]  # (v, 3) m, the collider's vertices in the world at a frame
    pins: Callable[[int], Floats] | None = None  # (p, 3) m

    def inputs(self, frame: int) -> FrameInputs:
        """What drives the frame that ends as number ``frame``."""
        local = self.place(frame) - self.model.colliders.position[0]
        pins = None if self.pins is None else self.pins(frame)
        return FrameInputs(duration=FRAME, mesh_vertex=local, pin_position=pins)


def round_mesh(around: int, rings: int, radius: float) -> tuple[Floats, Ints]:
    """A closed ball of 2 · around · (rings − 1) triangles."""
    polar = np.linspace(0.0, np.pi, rings + 1)[1:-1]
    turn = np.arange(around) * 2.0 * np.pi / around
    circle = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    middle = np.concatenate(
        [
            np.concatenate([np.sin(p) * circle, np.full((around, 1), np.cos(p))], axis=1)
            for p in polar
        ]
    )
    x = radius * np.concatenate([middle, [(0.0, 0.0, 1.0), (0.0, 0.0, -1.0)]])
    i = np.arange(around)
    k = (i + 1) % around
    faces = []
    for ring in range(rings - 2):
        a, b = ring * around, (ring + 1) * around
        faces += [np.stack([a + i, b + i, b + k], 1), np.stack([a + i, b + k, a + k], 1)]
    last = (rings - 2) * around
    top, bottom = len(x) - 2, len(x) - 1
    faces += [np.stack([np.full(around, top), i, k], 1)]
    faces += [np.stack([last + i, np.full(around, bottom), last + k], 1)]
    return x, np.concatenate(faces).astype(np.int32)


def _finish(
    builder: ModelBuilder, x: Floats, triangle: Ints, frames: int, **given: Callable[[int], Floats]
) -> ColliderScene:
    settings = ColliderSettings(shape="MESH")
    add_collider(builder, "body", x, (1.0, 0.0, 0.0, 0.0), settings, triangle)
    return ColliderScene(builder.finalize(), frames, triangle, **given)


def ball_drop(
    n: int, around: int = 32, deep: float = 0.0, settings: ClothSettings | None = None
) -> ColliderScene:
    """A sheet of 2 × 2 m falls on a ball of .5 m, of around² − 2 · around triangles.

    deep m: how far bulges rise and sink on it, twice a second.
    """
    builder = ModelBuilder()
    p, quads = sheet(n, n, 2.0, 2.0)
    offsets = np.arange(len(quads) + 1, dtype=np.int32) * 4
    mesh = Geometry.of("sheet", p + (0.0, 0.0, 0.75), (), offsets, quads.reshape(-1))
    add_cloth(builder, mesh, settings or ClothSettings())
    x, triangle = round_mesh(around, around // 2, 0.5)
    bulge = np.sin(8.0 * x[:, 0]) * np.cos(7.0 * x[:, 1]) * np.cos(5.0 * x[:, 2])

    def place(frame: int) -> Floats:
        share = deep * np.sin(2.0 * np.pi * 2.0 * frame * FRAME)
        return np.asarray(x * (1.0 + share / 0.5 * bulge[:, None]))

    return _finish(builder, x, triangle, 72, place=place)


def hips_and_legs(fine: int = 1) -> tuple[Floats, Ints]:
    """Hips that part in two legs, one closed mesh: places (v, 3) m, triangles (t, 3)."""
    sides = VERTICES_AROUND * fine
    turn = np.arange(sides) * 2.0 * np.pi / sides
    rows: list[Floats] = []
    for z in np.linspace(WAIST, CROTCH + 0.02, 8 * fine):
        t = (WAIST - z) / (WAIST - CROTCH)
        wide, deep = 0.15 + 0.04 * np.sin(0.5 * np.pi * t), 0.11 + 0.03 * np.sin(0.8 * np.pi * t)
        ring = np.stack([wide * np.cos(turn), deep * np.sin(turn), np.full(sides, z)], axis=1)
        rows.append(ring)
    hip = np.concatenate(rows)
    last = (len(rows) - 1) * sides
    front, back = last + sides // 4, last + 3 * sides // 4
    half = sides // 2
    between = np.linspace(0.0, 1.0, half + 1)[1:-1, None]
    crotch = hip[front] * (1.0 - between) + hip[back] * between
    crotch[:, 2] = CROTCH
    first = len(hip)
    inner = list(range(first, first + half - 1))
    around = lambda k: last + k % sides  # noqa: E731
    right = [around(sides // 4 - k) for k in range(half + 1)] + inner[::-1]
    left = [around(3 * sides // 4 - k) for k in range(half + 1)] + inner
    x = np.concatenate([hip, crotch])
    faces = [_band(_span(k * sides, sides), sides) for k in range(len(rows) - 1)]
    x, cap = _capped(x, _span(0, sides), 0.02)
    faces.append(cap)
    for loop, side in ((right, 1.0), (left, -1.0)):
        x, leg = _leg(x, np.array(loop, dtype=np.int32), side * LEG, 16 * fine)
        faces += leg
    return x, np.concatenate(faces).astype(np.int32)


def _leg(x: Floats, loop: Ints, aside: float, rings: int) -> tuple[Floats, list[Ints]]:
    """The places with those of a leg below a ring of vertices, and the leg's triangles."""
    centre = np.array((aside, 0.0))
    arm = x[loop, :2] - centre
    arm /= np.linalg.norm(arm, axis=1, keepdims=True)
    faces = []
    k = np.roll(np.arange(len(loop)), -1)
    for z in np.linspace(CROTCH - 0.05, HEEL, rings):
        t = (CROTCH - z) / (CROTCH - HEEL)
        radius = 0.088 * (1.0 - t) + 0.05 * t
        spot = np.concatenate([centre + radius * arm, np.full((len(loop), 1), z)], axis=1)
        row = _span(len(x), len(loop))
        x = np.concatenate([x, spot])
        faces += [np.stack([loop, loop[k], row[k]], 1), np.stack([loop, row[k], row], 1)]
        loop = row
    x, cap = _capped(x, loop, -0.02)
    return x, [*faces, cap]


def _span(first: int, count: int) -> Ints:
    """So many vertices one after the other."""
    return np.arange(first, first + count, dtype=np.int32)


def _band(row: Ints, sides: int) -> Ints:
    """Triangles between a ring and the one after it."""
    k = np.roll(row, -1)
    return np.concatenate(
        [np.stack([row, row + sides, k + sides], 1), np.stack([row, k + sides, k], 1)]
    )


def _capped(x: Floats, ring: Ints, rise: float) -> tuple[Floats, Ints]:
    """The places with a middle over a ring, and its fan."""
    middle = x[ring].mean(axis=0) + (0.0, 0.0, rise)
    k = np.roll(ring, -1)
    return np.concatenate([x, middle[None]]), np.stack([np.full(len(ring), len(x)), ring, k], 1)


def _pose(x: Floats, frame: int) -> tuple[Floats, Floats]:
    """The walking body's vertices (v, 3) m at a frame, by linear blend skinning; and the way of
    the hips (3,) m. Swings set in over the first half second.
    """
    seconds = frame * FRAME
    phase = 2.0 * np.pi * seconds / STEP_TIME
    share = min(1.0, 2.0 * seconds)
    way = np.array((0.0, 0.6 * seconds * share, 0.02 * share * np.cos(2.0 * phase)))
    lower = np.clip((CROTCH + 0.10 - x[:, 2]) / 0.14, 0.0, 1.0)
    right = lower * np.clip(0.5 + x[:, 0] / 0.04, 0.0, 1.0)
    weights = np.stack([1.0 - lower, right, lower - right], axis=1)
    out = weights[:, :1] * x
    for bone, sign in ((1, 1.0), (2, -1.0)):
        angle = STRIDE * share * sign * np.sin(phase)
        joint = np.array((sign * LEG, 0.0, CROTCH + 0.06))
        d = x - joint
        cos, sin = np.cos(angle), np.sin(angle)
        turned = np.stack(
            [d[:, 0], cos * d[:, 1] - sin * d[:, 2], sin * d[:, 1] + cos * d[:, 2]], axis=1
        )
        out += weights[:, bone : bone + 1] * (joint + turned)
    return out + way, way


def skirt(
    n: int = 32,
    tight: float = 1.25,
    fine: int = 1,
    length: float = 0.55,
    settings: ClothSettings | None = None,
) -> ColliderScene:
    """A skirt of n × n/2 vertices held at the waist of a body that walks.

    tight: its width below the waist over that of the hips; below 1 it starts partly inside. fine:
    the body has fine² times as many triangles.
    """
    rows = max(4, n // 2)
    turn = np.arange(n) * 2.0 * np.pi / n
    places = []
    for z in np.linspace(0.0, length, rows):
        share = min(1.0, z / 0.12)
        wide = (1.0 - share) * 0.165 + share * tight * 0.19 + 0.15 * z
        deep = (1.0 - share) * 0.125 + share * tight * 0.14 + 0.15 * z
        ring = [wide * np.cos(turn), deep * np.sin(turn), np.full(n, WAIST - 0.02 - z)]
        places.append(np.stack(ring, axis=1))
    p = np.concatenate(places)
    i, j = np.meshgrid(np.arange(rows - 1) * n, np.arange(n), indexing="ij")
    k = (j + 1) % n
    quads = np.stack([i + j, i + n + j, i + n + k, i + k], axis=-1).reshape(-1, 4)
    offsets = np.arange(len(quads) + 1, dtype=np.int32) * 4
    mesh = Geometry.of("skirt", p, (), offsets, quads.reshape(-1))
    held = np.zeros(len(p))
    held[:n] = 1.0
    builder = ModelBuilder()
    add_cloth(builder, mesh, settings or ClothSettings(), pin_weight=held)
    x, triangle = hips_and_legs(fine)
    return _finish(
        builder,
        x,
        triangle,
        96,
        place=lambda frame: _pose(x, frame)[0],
        pins=lambda frame: p[:n] + _pose(x, frame)[1],
    )


COLLIDER_SCENES: dict[str, Callable[[int], ColliderScene]] = {
    "ball-coarse": ball_drop,
    "ball-fine": partial(ball_drop, around=128),
    "bulging-coarse": partial(ball_drop, deep=0.08),
    "bulging-fine": partial(ball_drop, around=128, deep=0.08),
    "skirt": skirt,
    "skirt-fine": partial(skirt, fine=2),
    "tight-skirt": partial(skirt, tight=0.8),
}
