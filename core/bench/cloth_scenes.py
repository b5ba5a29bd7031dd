"""Sheets that meet themselves and each other: strips, folds, twists, heaps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, Ints
from ..building.builder import ModelBuilder
from ..model import FrameInputs, Model
from ..recipes.cloth import add_cloth
from ..recipes.geometry import Geometry
from ..settings import ClothSettings

MEETS_ITSELF = ClothSettings(meets_itself=True)

TOWELLING = ClothSettings(
    bend=0.4, area_density=0.45, thickness=0.12, meets_itself=True, bend_model="DIHEDRAL"
)


@dataclass(frozen=True)
class DrivenScene:
    """A model, how many frames it runs, and what drives each of them (counted from 1)."""

    model: Model
    frames: int
    inputs: Callable[[int], FrameInputs] = lambda _: FrameInputs()


def sheet(columns: int, rows: int, width: float, depth: float) -> tuple[Floats, Ints]:
    """A level sheet around the origin: positions (columns · rows, 3) m row by row, and quads."""
    x, y = np.meshgrid(
        np.linspace(-width / 2, width / 2, columns), np.linspace(-depth / 2, depth / 2, rows)
    )
    positions = np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=1)
    a = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).reshape(-1)
    return positions, np.stack([a, a + 1, a + columns + 1, a + columns], axis=1).astype(np.int32)


def add_quads(
    builder: ModelBuilder,
    positions: Floats,
    quads: Ints,
    settings: ClothSettings,
    pins: ArrayLike = 0.0,
    name: str = "sheet",
) -> None:
    """Add a sheet of quads (q, 4) at positions (n, 3) m, with pins (n,) of weights 0 to 1."""
    offsets = np.arange(len(quads) + 1, dtype=np.int32) * 4
    mesh = Geometry.of(name, positions, (), offsets, quads.reshape(-1))
    add_cloth(builder, mesh, settings, pin_weight=pins)


def strip_on_end(n: int, settings: ClothSettings = MEETS_ITSELF) -> DrivenScene:
    """A strip a metre long, n vertices, that falls upright on a floor and folds up."""
    builder = ModelBuilder()
    columns = max(4, n // 6)
    p, quads = sheet(columns, n, columns / n, 1.0)
    positions = np.stack([p[:, 0], 0.005 * np.sin(7.0 * p[:, 1]), p[:, 1] + 0.6], axis=1)
    add_quads(builder, positions, quads, settings)
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    return DrivenScene(builder.finalize(), 60)


def folded_sheet(n: int, settings: ClothSettings = MEETS_ITSELF) -> DrivenScene:
    """A sheet of a square metre on a floor; two corners are laid over to the other side."""
    builder = ModelBuilder()
    p, quads = sheet(n, n, 1.0, 1.0)
    held = np.array([0, n - 1])
    pins = np.zeros(len(p))
    pins[held] = 1.0
    add_quads(builder, p + (0.0, 0.0, 0.02), quads, settings, pins)
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))

    def inputs(frame: int) -> FrameInputs:
        share = min(1.0, frame / 40.0)
        target = p[held] + (0.0, 0.0, 0.02 + 0.03 * share)
        target[:, 1] = -0.5 * np.cos(np.pi * share)
        target[:, 2] += 0.5 * np.sin(np.pi * share)
        return FrameInputs(pin_position=target)

    return DrivenScene(builder.finalize(), 60, inputs)


def _turned(p: Floats, angle: float, shorter: float) -> Floats:
    """Ends of a sheet turned about X by half an angle each way, and brought nearer together."""
    turn = 0.5 * angle * np.sign(p[:, 0])
    cos, sin = np.cos(turn), np.sin(turn)
    y, z = p[:, 1], p[:, 2]
    return np.stack([p[:, 0] * shorter, y * cos - z * sin, y * sin + z * cos], axis=1)


def twisted_sheet(
    n: int, turns: float = 4.0, settings: ClothSettings = MEETS_ITSELF, width: float = 1.0
) -> DrivenScene:
    """A sheet a metre long, twisted by its two sides within four seconds, and back.

    One as wide as long would have to stretch to half again its length at the first half turn, and
    its layers lie thicker than there is room: what is asked for cannot be.
    """
    builder = ModelBuilder()
    p, quads = sheet(n, max(2, round(n * width)), 1.0, width)
    pins = abs(p[:, 0]) > 0.4999
    add_quads(builder, p, quads, settings, pins)

    def inputs(frame: int) -> FrameInputs:
        share = 1.0 - abs(1.0 - frame / 96.0)
        angle = 2.0 * np.pi * turns * share
        return FrameInputs(pin_position=_turned(p[pins], angle, 1.0 - 0.35 * share))

    return DrivenScene(builder.finalize(), 192, inputs)


def twisted_tube(n: int, turns: float = 2.0, settings: ClothSettings = MEETS_ITSELF) -> DrivenScene:
    """A tube, a metre long and .4 m wide, that is wrung within five seconds."""
    builder = ModelBuilder()
    turn = np.linspace(0.0, 2.0 * np.pi, n, endpoint=False)
    along, around = np.meshgrid(np.linspace(-0.5, 0.5, n), turn, indexing="ij")
    p = np.stack([along, 0.2 * np.cos(around), 0.2 * np.sin(around)], axis=-1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(n - 1) * n, np.arange(n), indexing="ij")
    k = (j + 1) % n
    quads = np.stack([i + j, i + k, i + n + k, i + n + j], axis=-1).reshape(-1, 4)
    pins = abs(p[:, 0]) > 0.4999
    add_quads(builder, p, quads.astype(np.int32), settings, pins)

    def inputs(frame: int) -> FrameInputs:
        share = min(1.0, frame / 120.0)
        angle = 2.0 * np.pi * turns * share
        return FrameInputs(pin_position=_turned(p[pins], angle, 1.0 - 0.3 * share))

    return DrivenScene(builder.finalize(), 130, inputs)


def crossed_sheets(n: int, sheets: int = 5, settings: ClothSettings = MEETS_ITSELF) -> DrivenScene:
    """Sheets that fall crosswise on a ball, one on the other, and on to a floor."""
    builder = ModelBuilder()
    p, quads = sheet(n, n, 1.2, 1.2)
    for number in range(sheets):
        cos, sin = np.cos(0.7 * number), np.sin(0.7 * number)
        x, y = p[:, 0] * cos - p[:, 1] * sin, p[:, 0] * sin + p[:, 1] * cos
        positions = np.stack([x, y, np.full(len(p), 0.4 + 0.06 * number)], axis=1)
        add_quads(builder, positions, quads, settings, name=f"sheet {number}")
    builder.add_collider("ball", "SPHERE", (0.35,), (0.0, 0.0, 0.0))
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, -0.6))
    return DrivenScene(builder.finalize(), 72)


def folded(length: float, width: float, n: int, gap: float) -> tuple[Floats, Ints]:
    """A sheet laid over itself, ``gap`` m between its halves: places (… , 3) m, and quads.

    n vertices across; the fold is a half circle.
    """
    p, quads = sheet(round(n * length / width), n, length, width)
    half = 0.25 * np.pi * gap  # of the fold's length
    along = np.abs(p[:, 0])
    angle = np.minimum(along, half) / (0.5 * gap)
    x = 0.5 * gap * np.cos(angle) - np.maximum(along - half, 0.0)
    z = np.sign(p[:, 0]) * 0.5 * gap * np.sin(angle)
    return np.stack([x + 0.25 * length, p[:, 1], z], axis=1), quads


def folded_towels(n: int, towels: int = 4, settings: ClothSettings = TOWELLING) -> DrivenScene:
    """Towels of .7 × .4 m, folded once, n vertices across, that fall on each other."""
    builder = ModelBuilder()
    p, quads = folded(0.7, 0.4, n, 0.02)
    for number in range(towels):
        cos, sin = np.cos(0.9 * number), np.sin(0.9 * number)
        x, y = p[:, 0] * cos - p[:, 1] * sin, p[:, 0] * sin + p[:, 1] * cos
        positions = np.stack([x, y, p[:, 2] + 0.05 * (number + 1)], axis=1)
        add_quads(builder, positions, quads, settings, name=f"towel {number}")
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    return DrivenScene(builder.finalize(), 72)


CLOTH_SCENES: dict[str, Callable[[int], DrivenScene]] = {
    "strip-on-end": strip_on_end,
    "folded-sheet": folded_sheet,
    "twisted-sheet": twisted_sheet,
    "twisted-towel": partial(twisted_sheet, width=0.3),
    "twisted-tube": twisted_tube,
    "crossed-sheets": crossed_sheets,
    "folded-towels": folded_towels,
}
