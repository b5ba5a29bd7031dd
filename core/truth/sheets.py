"""Sheets that hang swing as cloth does, alike whichever way they are turned, and come to rest."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from ..arrays import Floats
from ..building.builder import ModelBuilder
from ..model import FrameInputs, Model
from ..recipes.cloth import add_cloth
from ..recipes.geometry import Geometry
from ..settings import ClothSettings, SolverSettings
from ..settings.gravity import GRAVITY
from ..step import advance
from .case import Result, case
from .unrest import unrest

FIRST_ZERO = 2.404825557695773
"""Of the Bessel function J₀: the slowest swing of a hanging chain (D. Bernoulli 1733)."""

Place = tuple[int, float, float]
"""Vertices along the width, width and height in m."""


def _bessel(z: Floats) -> Floats:
    """J₀, as the mean of cos(z sin t) over half a turn."""
    t = (np.arange(2000) + 0.5) * np.pi / 2000
    mean: Floats = np.cos(z[:, None] * np.sin(t)).mean(axis=1)
    return mean


def _sheet(
    place: Place,
    profile: Floats,
    settings: ClothSettings,
    turn: Floats,
    corners: bool = False,
) -> Model:
    """A sheet that hangs on its upper border or its two corners.

    profile (rows, 2): y and z of its rows from the top down, m, before everything is turned.
    """
    columns, width, _ = place
    rows = len(profile)
    across = np.linspace(-width / 2, width / 2, columns)
    x = np.stack(
        [np.tile(across, rows), *np.repeat(profile, columns, axis=0).T],
        axis=1,
    )
    corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).reshape(-1)
    quads = np.stack([corner, corner + 1, corner + columns + 1, corner + columns], axis=1)
    offsets = np.arange(len(quads) + 1) * 4
    pins = np.zeros(len(x), dtype=bool)
    pins[[0, columns - 1] if corners else range(columns)] = True
    builder = ModelBuilder()
    geometry = Geometry.of("sheet", x @ turn.T, (), offsets, quads.reshape(-1))
    add_cloth(builder, geometry, settings, pin_weight=pins)
    return builder.finalize()


def _rows(place: Place) -> int:
    columns, width, height = place
    return round((columns - 1) * height / width) + 1


def _tilted(place: Place, angle: float) -> Floats:
    """The profile of a flat sheet that is tilted by an angle from the vertical, rad."""
    down = np.linspace(0.0, place[2], _rows(place))
    return np.stack([down * math.sin(angle), -down * math.cos(angle)], axis=1)


def _turn(axis: tuple[float, float, float], angle: float) -> Floats:
    """A rotation matrix (3, 3)."""
    x, y, z = np.array(axis) / np.linalg.norm(axis)
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    matrix: Floats = np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * cross @ cross
    return matrix


UPRIGHT = np.eye(3)


def _period(place: Place, rate: float) -> Result:
    """Seconds of a swing of 3 cm in the slowest mode, J₀(2.4048 √(s/L)) at s from the lower end."""
    _, _, length = place
    down = np.linspace(0.0, length, _rows(place))
    y = 0.03 * _bessel(FIRST_ZERO * np.sqrt((length - down) / length))
    steps = np.sqrt(np.diff(down) ** 2 - np.diff(y) ** 2)
    profile = np.stack([y - y[0], -np.concatenate([[0.0], np.cumsum(steps)])], axis=1)
    model = _sheet(place, profile, ClothSettings(drag=0.0, bend=0.0), UPRIGHT)
    settings, inputs = SolverSettings(substep_rate=rate), FrameInputs(duration=1.0 / 60.0)
    state = model.initial_state(step=1.0 / rate)
    exact = 4.0 * math.pi / FIRST_ZERO * math.sqrt(length / GRAVITY)
    middle = []
    for _ in range(round(60 * 1.4 * exact)):
        state, _ = advance(model, state, inputs, settings)
        middle.append(float(state.position[:, 1].mean()))
    height = np.array(middle)
    passed = np.flatnonzero(height[:-1] * height[1:] < 0.0)
    when = (passed + 1.0 + height[passed] / (height[passed] - height[passed + 1])) / 60.0
    measured = float(when[2] - when[0]) if len(when) > 2 else math.nan
    return Result(measured, exact, 0.01 * exact)


for _place, _rate in (
    ((40, 1.5, 0.8), 120.0),
    ((40, 1.5, 0.8), 960.0),
    ((80, 2.0, 1.4), 480.0),
    ((120, 3.0, 0.9), 240.0),
    ((160, 2.0, 1.0), 120.0),
):
    case(f"sheet-period-{_place[0]}-{_rate:.0f}")(partial(_period, _place, _rate))


def _after(model: Model, turn: Floats, seconds: float) -> Floats:
    """Places (n, 3) after a time under gravity that is turned alike, turned back."""
    gravity = tuple((turn @ (0.0, 0.0, -GRAVITY)).tolist())
    inputs = FrameInputs(gravity=gravity)
    state = model.initial_state(gravity=gravity)
    for _ in range(round(24 * seconds)):
        state, _ = advance(model, state, inputs, SolverSettings())
    places: Floats = state.position @ turn
    return places


def _turned(place: Place, tilt: float, corners: bool, turn: Floats) -> Result:
    """Largest distance to the same sheet, simulated turned and turned back, after .5 s, m."""
    profile, settings = _tilted(place, tilt), ClothSettings()
    one = _after(_sheet(place, profile, settings, UPRIGHT, corners), UPRIGHT, 0.5)
    other = _after(_sheet(place, profile, settings, turn, corners), turn, 0.5)
    return Result(float(np.abs(one - other).max()), 0.0, 1e-9)


for _name, _corners in (("border", False), ("corners", True)):
    for _tilt, _angle in ((0.25, 0.6), (1.1, 2.3)):
        case(f"sheet-turned-{_name}-{math.degrees(_tilt):.0f}")(
            partial(_turned, (37, 1.8, 0.9), _tilt, _corners, _turn((1.0, -2.0, 0.5), _angle))
        )


def _mirrored(place: Place) -> Result:
    """How far a sheet that has come to rest is from its mirror image, % of an edge."""
    rows = _rows(place)
    settings = ClothSettings(drag=6.0)
    x = _after(_sheet(place, _tilted(place, 0.4), settings, UPRIGHT), UPRIGHT, 8.0)
    x = x.reshape(rows, place[0], 3)
    mirrored = x[:, ::-1] * (-1.0, 1.0, 1.0)
    edge = place[1] / (place[0] - 1)
    return Result(100.0 * float(np.abs(x - mirrored).max()) / edge, 0.0, 1.0)


for _place in ((32, 1.6, 0.8), (45, 1.2, 1.0)):
    case(f"sheet-mirrored-{_place[0]}")(partial(_mirrored, _place))


def _unrest(edges: int, edge: float, bend: float, corners: bool) -> Result:
    """Fastest vertex of a sheet that has hung for four seconds, mm/s, over a second."""
    place = (edges + 1, edges * edge, edges * edge)
    settings = ClothSettings(bend=bend, bend_model="DIHEDRAL", drag=6.0)
    return unrest(_sheet(place, _tilted(place, 1.2), settings, UPRIGHT, corners))


for _edges, _edge, _bend, _corners in (
    (20, 0.005, 0.9, True),
    (23, 0.003, 0.5, True),
    (10, 0.02, 1.0, False),
):
    _name = f"sheet-rest-{1e3 * _edge:.0f}-{_bend:g}"
    case(_name)(partial(_unrest, _edges, _edge, _bend, _corners))
