"""Builders of the benchmark scenes: metres, kilograms, 24 frames a second, Z up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ..arrays import Floats, Ints
from ..building.builder import ModelBuilder
from ..model import FrameInputs, Model
from ..presets import PRESETS
from ..recipes.cloth import add_cloth
from ..recipes.geometry import Geometry
from ..recipes.particles import add_particles
from ..recipes.plant import add_plant
from ..recipes.rope import add_rope
from ..recipes.soft_body import add_soft_body
from ..settings import ClothSettings, PlantSettings, RopeSettings, WindSettings
from .rigid_scenes import CUBE_HALF, CUBE_SPACING
from .shapes import ball, tube_tree

CLOTH_SIZE = 2.0  # m
SPHERE_RADIUS = 0.5  # m
SPHERE_DROP = 0.7  # m above the top of the sphere


GOES_THROUGH_ITSELF = ClothSettings(meets_itself=False)
"""Cloth that goes through itself, as it does in the engines that `hang` and `flag` compare with."""


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
    add_sheet(builder, n, pins=(n * (n - 1), n * n - 1), settings=GOES_THROUGH_ITSELF)
    return Scene("hang", builder.finalize(), 120)


def flag(n: int) -> Scene:
    """The same sheet held along one side in a wind of 8 m/s."""
    builder = ModelBuilder()
    add_sheet(builder, n, pins=tuple(range(0, n * n, n)), settings=GOES_THROUGH_ITSELF)
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


def rope(n: int) -> Scene:
    """A rope of n segments, 2 m long, held by its ends 1.67 m apart; it falls into its catenary."""
    t = np.linspace(0.0, 1.0, n + 1)
    apart = 2.0 / 1.2
    deep = np.sqrt(4.0 - apart**2) / 2.0
    points = np.stack([(t - 0.5) * apart, 0 * t, deep * abs(2.0 * t - 1.0)], axis=1)
    pins = np.zeros(n + 1)
    pins[[0, -1]] = 1.0
    builder = ModelBuilder()
    edges = np.stack([np.arange(n), np.arange(1, n + 1)], axis=1)
    add_rope(builder, Geometry.of("rope", points, edges), RopeSettings(), pin_weight=pins)
    return Scene("rope", builder.finalize(), 120)


def plant(n: int) -> Scene:
    """A tree of 5 m with a trunk of n rings, branches and loose leaves in a wind of 8 m/s."""
    builder = ModelBuilder()
    add_plant(builder, tube_tree(5.0, rings=n), PlantSettings())
    wind = WindSettings(velocity=(8.0, 0.0, 0.0))
    return Scene("plant", builder.finalize(), 120, FrameInputs(wind=wind))


def soft(n: int) -> Scene:
    """A ball of jelly with about 4·n edges around it (a power of two) that falls on a floor."""
    builder = ModelBuilder()
    fineness = max(0, round(np.log2(n)) - 1)
    jelly = ball(fineness, 0.5, (0.0, 0.0, 1.0))
    add_soft_body(builder, jelly, PRESETS["SOFT_BODY"]["JELLY"].settings)
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    return Scene("soft", builder.finalize(), 120)


def particles(n: int) -> Scene:
    """N balls that fall in a heap."""
    side = int(np.ceil(n ** (1.0 / 3.0)))
    grid = np.stack(np.meshgrid(*[np.arange(side) * 0.13] * 3), axis=-1).reshape(-1, 3)[:n]
    shaken = grid + np.random.default_rng(7).uniform(-0.004, 0.004, grid.shape)
    builder = ModelBuilder()
    add_particles(
        builder,
        Geometry.of("balls", shaken + (0.0, 0.0, 0.3)),
        PRESETS["PARTICLES"]["BALLS"].settings,
    )
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    return Scene("particles", builder.finalize(), 120)


SCENES: dict[str, tuple[Callable[[int], Scene], int]] = {
    "hang": (hang, 100),
    "flag": (flag, 64),
    "drop": (drop, 64),
    "boxes": (boxes, 50),
    "rope": (rope, 200),
    "plant": (plant, 16),
    "soft": (soft, 16),
    "particles": (particles, 500),
}
"""Scene builders and their default n."""
