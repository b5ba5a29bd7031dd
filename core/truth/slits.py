"""Cloth with slits, in ribbons, with a gap: its sides meet, and do not pass through each other.

All its normals agree while the sides meet, so nothing about them tells that they do.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from ..arrays import Floats, Ints
from ..building.builder import ModelBuilder
from ..model import FrameInputs
from ..recipes.cloth import add_cloth
from ..recipes.geometry import Geometry
from ..settings import ClothSettings, SolverSettings, WindSettings
from ..step import advance
from .case import Result, case
from .crossings import count_crossings

COLUMNS = ROWS = 16
"""Faces of the sheet before it is cut."""

SHEET_SIZE = 0.8  # m, of the sheet
UNCUT_ROWS = 3  # rows at the top that are not cut
FRAMES_OF_CUT = 60


@dataclass(frozen=True)
class Cut:
    """A sheet that hangs by its top, cut into ribbons, and what happens to it."""

    ribbon: int  # faces across
    left_out: tuple[int, ...] = ()  # ribbons
    speed: float = 0.0  # rad/s, at which ribbons swing at each other in their plane
    wind: tuple[float, float, float] = (0.0, 0.0, 0.0)  # m/s


_CUTS = {
    "slit": Cut(8, speed=8.0),
    "ribbons": Cut(2, speed=4.0),
    "threads": Cut(1, speed=3.0),
    "gap": Cut(5, left_out=(1,), speed=4.0),
    "ribbons-in-wind": Cut(2, wind=(4.0, 1.0, 0.0)),
    "threads-in-wind": Cut(1, wind=(-3.0, 2.0, 0.0)),
}


def _cut_sheet(cut: Cut) -> tuple[Floats, Ints, Ints]:
    """Places (n, 3) m of a sheet in the plane y = 0, quads (q, 4), the ribbon (n,) of each vertex.

    Both sides of a slit lie on each other; −1 for vertices of what is whole.
    """
    column, row = (a.ravel() for a in np.meshgrid(np.arange(COLUMNS), np.arange(ROWS)))
    of = np.where(row < UNCUT_ROWS, -1, column // cut.ribbon)
    stays = ~np.isin(of, cut.left_out)
    corner = np.array([(0, 0), (1, 0), (1, 1), (0, 1)])
    spot = np.stack([column, row], axis=1)[stays, None] + corner
    ribbon = np.where(spot[..., 1] <= UNCUT_ROWS, -1, of[stays, None])
    keys = np.concatenate([spot, ribbon[..., None]], axis=2).reshape(-1, 3)
    vertex, of_corner = np.unique(keys, axis=0, return_inverse=True)
    places = (
        np.stack([vertex[:, 0], 0.0 * vertex[:, 0], -vertex[:, 1]], axis=1) * SHEET_SIZE / COLUMNS
    )
    return places, of_corner.reshape(-1, 4).astype(np.int32), vertex[:, 2].astype(np.int32)


def _crossings(cut: Cut) -> Result:
    """Pairs of triangles that intersect, most in any frame; or more that is told of them."""
    places, quads, ribbon = _cut_sheet(cut)
    velocity = np.zeros_like(places)
    turns = np.where(ribbon % 2 == 0, 1.0, -1.0) * (ribbon >= 0) * cut.speed
    velocity[:, 0] = turns * (-places[:, 2] - UNCUT_ROWS * SHEET_SIZE / ROWS)
    mesh = Geometry.of("sheet", places, (), np.arange(len(quads) + 1) * 4, quads.reshape(-1))
    builder = ModelBuilder()
    pins = (places[:, 2] == 0.0).astype(float)
    add_cloth(builder, mesh, ClothSettings(meets_itself=True), pin_weight=pins, velocity=velocity)
    model = builder.finalize()
    state, most = model.initial_state(), 0
    inputs = FrameInputs(wind=WindSettings(velocity=cut.wind))
    for _ in range(FRAMES_OF_CUT):
        state, figures = advance(model, state, inputs, SolverSettings())
        told = sum(crossing.pairs for crossing in figures.crossings)
        most = max(most, told, count_crossings(state.position, model.pieces.triangle))
    return Result(float(most), 0.0, 0.0)


for _name, _cut in _CUTS.items():
    case(f"crossings-{_name}")(partial(_crossings, _cut))
