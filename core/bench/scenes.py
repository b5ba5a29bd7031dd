"""Builders of the benchmark scenes: metres, kilograms, 24 frames a second, Z up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ..builder import ModelBuilder
from ..model import Floats, FrameInputs, Ints, Model
from ..recipes.cloth import add_cloth
from ..recipes.geometry import Geometry
from ..settings import ClothSettings, WindSettings

CLOTH_SIZE = 2.0  # m
SPHERE_RADIUS = 0.5  # m
SPHERE_DROP = 0.7  # m above the top of the sphere
CUBE_HALF = 0.25  # m
CUBE_SPACING = 0.95  # m


@dataclass(frozen=True)
class Scene:
    """A model with what drives it and how long it runs."""

    name: str
    model: Model
    frames: int
    inputs: FrameInputs = field(default_factory=FrameInputs)


def cloth_grid(n: int, height: float = 0.0) -> tuple[Floats, Ints]:
    """A square sheet: positions (n·n, 3) m row by row, and quads ((n − 1)², 4)."""
    u = np.linspace(-CLOTH_SIZE / 2, CLOTH_SIZE / 2, n)
    x, y = np.meshgrid(u, u)
    positions = np.stack([x.ravel(), y.ravel(), np.full(n * n, height)], axis=1)
    a = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).reshape(-1)
    return positions, np.stack([a, a + 1, a + n + 1, a + n], axis=1).astype(np.int32)


def add_sheet(
    builder: ModelBuilder,
    n: int,
    *,
    height: float = 0.0,
    pins: tuple[int, ...] = (),
    settings: ClothSettings | None = None,
) -> int:
    """Add a `cloth_grid` with default settings; returns its index in ``builder.objects``."""
    positions, quads = cloth_grid(n, height)
    pinned = np.zeros(n * n, dtype=bool)
    pinned[list(pins)] = True
    offsets = np.arange(len(quads) + 1, dtype=np.int32) * 4
    return add_cloth(
        builder,
        Geometry.of("sheet", positions, (), offsets, quads.reshape(-1)),
        settings or ClothSettings(),
        pin_weight=pinned,
    )


def hang(n: int) -> Scene:
    """A sheet of n × n vertices held by two corners; it starts level and swings down."""
    builder = ModelBuilder()
    add_sheet(builder, n, pins=(n * (n - 1), n * n - 1))
    return Scene("hang", builder.finalize(), 120)


def flag(n: int) -> Scene:
    """The same sheet held along one side in a wind of 8 m/s."""
    builder = ModelBuilder()
    add_sheet(builder, n, pins=tuple(range(0, n * n, n)))
    wind = WindSettings(velocity=(8.0, 0.0, 0.0))
    return Scene("flag", builder.finalize(), 120, FrameInputs(wind=wind))


def drop(n: int) -> Scene:
    """A sheet that falls on a ball."""
    builder = ModelBuilder()
    add_sheet(builder, n, height=SPHERE_RADIUS + SPHERE_DROP)
    builder.add_collider("ball", "SPHERE", (SPHERE_RADIUS,), (0.0, 0.0, 0.0))
    return Scene("drop", builder.finalize(), 120)


def boxes(n: int) -> Scene:
    """N cubes of 0.5 m and 1 kg, randomly turned, dropped in layers of sixteen on a floor."""
    random = np.random.default_rng(7)
    builder = ModelBuilder()
    for k in range(n):
        layer, place = divmod(k, 16)
        row, column = divmod(place, 4)
        turn = random.normal(size=4)
        builder.add_body(
            f"cube {k}",
            "BOX",
            (CUBE_HALF,) * 3,
            (
                (column - 1.5) * CUBE_SPACING,
                (row - 1.5) * CUBE_SPACING,
                0.6 + layer * CUBE_SPACING,
            ),
            turn,
            mass=1.0,
        )
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    return Scene("boxes", builder.finalize(), 192)


SCENES: dict[str, tuple[Callable[[int], Scene], int]] = {
    "hang": (hang, 100),
    "flag": (flag, 64),
    "drop": (drop, 64),
    "boxes": (boxes, 50),
}
"""Scene builders and their default n."""
