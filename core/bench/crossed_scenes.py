"""Cloth that begins through itself or through other cloth, as files do that somebody modelled."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats
from ..building.builder import ModelBuilder
from ..model import Model
from ..recipes.cloth import add_cloth
from ..recipes.geometry import Geometry
from .cloth_scenes import MEETS_ITSELF, add_quads, sheet
from .collider_scenes import round_mesh

OVER_FLOOR = 0.5
"""m, of level sheets over the floor."""


def turned(axis: ArrayLike, degrees: float, p: Floats) -> Floats:
    """Places p (n, 3) m turned about an axis through the origin (Rodrigues)."""
    unit = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    angle = np.radians(degrees)
    across = np.cross(unit, p)
    found: Floats = p + np.sin(angle) * across + (1.0 - np.cos(angle)) * np.cross(unit, across)
    return found


def border(p: Floats) -> Floats:
    """Pins (n,) at the border of a level sheet of a square metre."""
    held: Floats = (np.abs(p[:, :2]).max(axis=1) > 0.4999).astype(float)
    return held


def _with_floor(builder: ModelBuilder) -> Model:
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    return builder.finalize()


def poked(n: int, finer: float = 1.0, deep: float = 0.15) -> Model:
    """A sheet that is held at its border; a corner of another one has come through it, deep m."""
    builder = ModelBuilder()
    p, quads = sheet(n, n, 1.0, 1.0)
    add_quads(builder, p + (0.0, 0.0, OVER_FLOOR), quads, MEETS_ITSELF, border(p), name="level")
    m = round(0.6 * finer * n)
    r, others = sheet(m, m, 0.6, 0.6)
    r = turned((0, 1, 0), 12.0, turned((1, 0, 0), 90.0, turned((0, 0, 1), 45.0, r)))
    r += (0.01, 0.02, OVER_FLOOR + 0.3 * 2**0.5 - deep)
    add_quads(builder, r, others, MEETS_ITSELF, name="upright")
    return _with_floor(builder)


def let_in(n: int, finer: float = 1.0, deep: float = 0.2) -> Model:
    """A level sheet, held at its border; the whole lower border of another has come through it."""
    builder = ModelBuilder()
    p, quads = sheet(n, n, 1.0, 1.0)
    add_quads(builder, p + (0.0, 0.0, OVER_FLOOR), quads, MEETS_ITSELF, border(p), name="level")
    m = round(0.7 * finer * n)
    r, others = sheet(m, m, 0.7, 0.7)
    r = turned((1, 0, 0), 90.0, turned((0, 0, 1), 9.0, r)) + (0.0, 0.013, OVER_FLOOR + 0.35 - deep)
    add_quads(builder, r, others, MEETS_ITSELF, name="upright")
    return _with_floor(builder)


def halved(n: int, degrees: float, along: float = 0.2) -> Model:
    """Two sheets through each other, at an angle, from border to border; they fall on a floor."""
    builder = ModelBuilder()
    p, quads = sheet(n, n, 1.0, 1.0)
    add_quads(builder, p + (0.0, 0.0, OVER_FLOOR), quads, MEETS_ITSELF, name="level")
    r = turned((0, 1, 0), degrees, p) + (along, 0.013, OVER_FLOOR + 0.0071)
    add_quads(builder, r, quads, MEETS_ITSELF, name="tilted")
    return _with_floor(builder)


def copied(n: int, degrees: float = 90.0) -> Model:
    """A sheet and its copy, turned where it is: edges pass exactly through edges."""
    builder = ModelBuilder()
    p, quads = sheet(n, n, 1.0, 1.0)
    add_quads(builder, p + (0.0, 0.0, OVER_FLOOR), quads, MEETS_ITSELF, name="level")
    r = turned((0, 1, 0), degrees, p) + (0.0, 0.0, OVER_FLOOR)
    add_quads(builder, r, quads, MEETS_ITSELF, name="copy")
    return _with_floor(builder)


def slotted(n: int, by: float = 0.6) -> Model:
    """Two sheets let into each other by slits, as cardboard is: neither is parted."""
    builder = ModelBuilder()
    p, quads = sheet(n, n, 1.0, 1.0)
    add_quads(builder, p + (0.0, 0.0, OVER_FLOOR + 0.1), quads, MEETS_ITSELF, name="level")
    r = turned((1, 0, 0), 80.0, p) + (by, 0.017, OVER_FLOOR + 0.11)
    add_quads(builder, r, quads, MEETS_ITSELF, name="upright")
    return _with_floor(builder)


def blistered(n: int, finer: float = 1.0, high: float = 0.06) -> Model:
    """A jacket 2 cm above a shirt, both held at their borders; a bulge of it is in the shirt."""
    builder = ModelBuilder()
    p, quads = sheet(n, n, 1.0, 1.0)
    add_quads(builder, p + (0.0, 0.0, OVER_FLOOR), quads, MEETS_ITSELF, border(p), name="shirt")
    m = round(finer * n)
    r, others = sheet(m, m, 1.0, 1.0)
    away = (r[:, 0] - 0.1) ** 2 + (r[:, 1] + 0.07) ** 2
    jacket = r.copy()
    jacket[:, 2] += OVER_FLOOR + 0.02 - high * np.exp(-away / 0.02)
    add_quads(builder, jacket, others, MEETS_ITSELF, border(r), name="jacket")
    return _with_floor(builder)


def two_balls(n: int, finer: float = 1.0, apart: float = 0.3) -> Model:
    """Two balls of cloth of .2 m, on a floor, that overlap."""
    builder = ModelBuilder()
    for name, around, x, y in (("one", n, 0.0, 0.0), ("other", round(finer * n), apart, 0.02)):
        p, triangle = round_mesh(around, max(4, around // 2), 0.2)
        offsets = np.arange(len(triangle) + 1, dtype=np.int32) * 3
        mesh = Geometry.of(name, p + (x, y, 0.2 + 0.5 * y), (), offsets, triangle.reshape(-1))
        add_cloth(builder, mesh, MEETS_ITSELF)
    return _with_floor(builder)


def flapped(n: int, degrees: float = 235.0) -> Model:
    """A sheet, a corner of which is folded over and on, back through the sheet."""
    builder = ModelBuilder()
    p, quads = sheet(n, n, 1.0, 1.0)
    radius, turn = 0.08, np.radians(degrees)
    over = np.maximum((p[:, 0] + p[:, 1]) / 2**0.5 - 0.1, 0.0)
    arc = np.minimum(over, radius * turn)
    rest = over - arc
    along = radius * np.sin(arc / radius) + rest * np.cos(turn) - over
    up = radius * (1.0 - np.cos(arc / radius)) + rest * np.sin(turn)
    folded = p + np.stack([along / 2**0.5, along / 2**0.5, up + OVER_FLOOR], axis=1)
    add_quads(builder, folded, quads, MEETS_ITSELF, name="flap")
    return _with_floor(builder)


def bundled(n: int, sheets: int = 6) -> Model:
    """Sheets through each other at all angles, as if thrown on a heap without any solver."""
    builder = ModelBuilder()
    p, quads = sheet(n, n, 1.0, 1.0)
    for k in range(sheets):
        r = turned((np.cos(k), np.sin(k), 0.3), 17.0 + 9.0 * k, p)
        r += (0.03 * k, 0.02 * k, OVER_FLOOR + 0.1 + 0.02 * k)
        add_quads(builder, r, quads, MEETS_ITSELF, name=f"sheet {k}")
    return _with_floor(builder)


def jammed(n: int) -> Model:
    """Two sheets through each other that are held all round: they cannot come apart."""
    builder = ModelBuilder()
    p, quads = sheet(n, n, 1.0, 1.0)
    add_quads(builder, p + (0.0, 0.0, OVER_FLOOR + 0.1), quads, MEETS_ITSELF, border(p), name="one")
    r = turned((0, 1, 0), 60.0, p) + (0.02, 0.013, OVER_FLOOR + 0.11)
    add_quads(builder, r, quads, MEETS_ITSELF, border(p), name="other")
    return builder.finalize()


CROSSED_SCENES: dict[str, Callable[[], Model]] = {
    "corner": lambda: poked(20),
    "corner-of-fine": lambda: poked(12, 3.0),
    "corner-of-coarse": lambda: poked(30, 0.4),
    "border": lambda: let_in(20),
    "border-of-fine": lambda: let_in(12, 4.0),
    "right-angle": lambda: halved(20, 90.0),
    "sharp-angle": lambda: halved(20, 20.0),
    "copy": lambda: copied(21),
    "slits": lambda: slotted(20),
    "blister": lambda: blistered(24),
    "blister-of-fine": lambda: blistered(15, 2.7),
    "balls": lambda: two_balls(28),
    "balls-unlike": lambda: two_balls(20, 2.0, 0.33),
    "flap": lambda: flapped(24),
    "bundle": lambda: bundled(14),
}
"""What comes apart, by name."""
