"""Heavy bodies on light ones that hang on joints lie still, whoever sleeps and whoever wakes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np

from ..bench.rigid_scenes import FPS
from ..building.builder import ModelBuilder
from ..model import FrameInputs, Model
from ..model.joint_table import OnBody
from ..rigid.sleep.stillness import REST_TIME
from ..settings import JointSettings, SolverSettings
from ..step import advance
from .case import Result, case
from .joint_nets import join_row
from .joints import Z_TO_Y
from .rates import FINE_RATES, RATES, at_rates

SETTLES = 6.0  # s
STANDS = 1e-3  # m/s
RISE = 2e-6
"""m for each time that the load is as heavy: sweeps do not settle it as well while planks move."""


def _load(builder: ModelBuilder, ratio: float, side: float, bottom: float) -> None:
    """A cube of ``ratio`` kg, off the middle and turned a little, on what ends at ``bottom`` m."""
    place = (0.05 * side, 0.025 * side, bottom + 0.5 * side)
    turn = (1.0, 0.0, 0.0, 0.05)
    builder.add_body("load", "BOX", (0.5 * side,) * 3, place, turn, mass=ratio)
    builder.add_collider("floor", "BOX", (5.0, 5.0, 0.5), (0.0, 0.0, -0.5))


def _planks(ratio: float, side: float, count: int, kind: str) -> Model:
    """Planks of 1 kg side by side, joined along their edges, and a load on them."""
    builder, half = ModelBuilder(), 0.5 * side
    places = [(2 * k - count + 1) * 1.02 * half for k in range(count)]
    size = (0.98 * half, half, 0.5 * half)
    planks = [
        builder.add_body(f"plank {k}", "BOX", size, (x, 0.0, 0.5 * half), mass=1.0)
        for k, x in enumerate(places)
    ]
    for k in range(count - 1):
        place = (places[k] + 1.02 * half, 0.0, 0.5 * half)
        pair = OnBody(planks[k]), OnBody(planks[k + 1])
        builder.add_joint(f"joint {k}", *pair, place, settings=JointSettings(kind=kind))
    _load(builder, ratio, side, half)
    return builder.finalize()


def _wall(ratio: float, columns: int, rows: int) -> Model:
    """A wall of cubes of 1 kg and 20 cm, each glued to its neighbours, and a load on it."""
    builder, half = ModelBuilder(), 0.1
    cube = {
        (i, k): builder.add_body(
            f"cube {i} {k}",
            "BOX",
            (0.99 * half,) * 3,
            ((2 * i - columns + 1) * half, 0.0, (2 * k + 1) * half),
            mass=1.0,
        )
        for i in range(columns)
        for k in range(rows)
    }
    for (i, k), body in cube.items():
        for di, dk in ((1, 0), (0, 1)):
            other = cube.get((i + di, k + dk))
            if other is None:
                continue
            place = ((2 * i + di - columns + 1) * half, 0.0, (2 * k + dk + 1) * half)
            pair = OnBody(body), OnBody(other)
            builder.add_joint(f"glue {i} {k}", *pair, place, settings=JointSettings(kind="FIXED"))
    _load(builder, ratio, 0.4, 2 * half * rows)
    return builder.finalize()


def _taut_bridge(ratio: float, planks: int, turn: float, drop: float) -> Model:
    """Planks of 1 kg, hinged in a straight row between two places, and a cube off their middle."""
    builder, width = ModelBuilder(), 0.25
    ends = [(k - 0.5 * planks) * width for k in range(planks + 1)]
    bodies = [
        OnBody(
            builder.add_body(
                f"plank {k}",
                "BOX",
                (0.46 * width, 0.4, 0.025),
                (x + 0.5 * width, 0.0, 1.0),
                mass=1.0,
            )
        )
        for k, x in enumerate(ends[:-1])
    ]
    places = [(x, 0.0, 1.0) for x in ends]
    join_row(builder, bodies, places, Z_TO_Y, JointSettings(kind="HINGE"))
    place = (0.1, 0.03, 1.275 + drop)
    turned = (np.cos(0.5 * turn), 0.0, 0.0, np.sin(0.5 * turn))
    builder.add_body("load", "BOX", (0.25,) * 3, place, turned, mass=ratio)
    return builder.finalize()


def _unrest(make: Callable[[], Model], rate: float) -> Result:
    """Fastest that anything moves from frame to frame in the last second, m/s."""
    model = make()
    state, settings = model.initial_state(step=1.0 / rate), SolverSettings(substep_rate=rate)
    fastest = 0.0
    for frame in range(round(FPS * SETTLES)):
        before = state.body_position
        state, _ = advance(model, state, FrameInputs(duration=1.0 / FPS), settings)
        if frame >= FPS * (SETTLES - 1.0):
            way = np.linalg.norm(state.body_position - before, axis=1)
            fastest = max(fastest, float(way.max()) * FPS)
    return Result(fastest, 0.0, STANDS)


# at 240 substeps a second small limbs tremble at 15 mm/s under loads of 40 times their mass
for _ratio, _side, _count, _kind in (
    (30.0, 0.3, 2, "HINGE"),
    (100.0, 0.05, 2, "FIXED"),
    (300.0, 0.2, 2, "BALL"),
    (500.0, 0.2, 6, "HINGE"),
    (700.0, 0.5, 3, "FIXED"),
    (3000.0, 0.2, 2, "HINGE"),
):
    _name = f"load-on-planks-{_ratio:.0f}"
    at_rates(_name, FINE_RATES)(partial(_unrest, partial(_planks, _ratio, _side, _count, _kind)))
for _ratio, _columns, _rows in ((200.0, 5, 5), (200.0, 9, 6), (500.0, 12, 8)):
    _name = f"load-on-wall-{_ratio:.0f}-{_columns}-{_rows}"
    case(_name)(partial(_unrest, partial(_wall, _ratio, _columns, _rows), RATES[0]))

for _ratio, _count, _turn, _drop in (
    (3.0, 12, 0.1, 0.0),
    (10.0, 20, 0.3, 0.0),
    (15.0, 16, 0.0, 1.0),
    (20.0, 9, 0.6, 0.5),
    (30.0, 8, 0.4, 0.0),
    (60.0, 10, 0.4, 1.0),
    (100.0, 12, 0.1, 0.0),
    (300.0, 6, 0.3, 0.0),
):
    _name = f"load-on-taut-bridge-{_ratio:.0f}-{_count}"
    at_rates(_name)(partial(_unrest, partial(_taut_bridge, _ratio, _count, _turn, _drop)))


def _loaded_net(side: int, crates: int, mass: float) -> Model:
    """Plates of 0.25 kg on ball joints, hung level by two borders, and crates of ``mass`` kg."""
    builder, spacing = ModelBuilder(), 0.25
    half, middle = (0.44 * spacing, 0.44 * spacing, 0.025), 0.5 * (side - 1) * spacing
    plates = [
        [
            OnBody(
                builder.add_body(
                    f"{i} {j}", "BOX", half, (i * spacing, j * spacing, 2.0), mass=0.25
                )
            )
            for i in range(side)
        ]
        for j in range(side)
    ]
    ends = (np.arange(side + 1) - 0.5) * spacing
    for j, row in enumerate(plates):
        join_row(builder, row, [(x, j * spacing, 2.0) for x in ends])
    for j, (row, beside) in enumerate(pairwise(plates)):
        for i, (one, other) in enumerate(zip(row, beside, strict=True)):
            builder.add_joint("knot", one, other, (i * spacing, (j + 0.5) * spacing, 2.0))
    for n in range(crates):
        x, y = middle + 0.3 * np.cos(2.4 * n), middle + 0.3 * np.sin(2.4 * n)
        turned = (np.cos(0.4 * n), 0.0, 0.0, np.sin(0.4 * n))
        builder.add_body(f"crate {n}", "BOX", (0.2,) * 3, (x, y, 2.4 + 0.6 * n), turned, mass=mass)
    return builder.finalize()


for _count, _crates, _mass in ((7, 2, 40.0), (10, 5, 20.0), (13, 4, 8.0)):
    at_rates(f"load-on-net-{_count}", FINE_RATES)(
        partial(_unrest, partial(_loaded_net, _count, _crates, _mass))
    )


def _rise(ratio: float, side: float, rate: float) -> Result:
    """How far a load moves in three frames in which the planks under it fall asleep, m."""
    model = _planks(ratio, side, 2, "HINGE")
    state, settings = model.initial_state(step=1.0 / rate), SolverSettings(substep_rate=rate)
    inputs = FrameInputs(duration=1.0 / FPS)
    for _ in range(3 * FPS):
        state, _ = advance(model, state, inputs, settings)
        state.body_rest[:] = np.minimum(state.body_rest, 0.3)  # s: nobody sleeps yet
    before = state.body_position[-1]
    state.body_rest[:-1] = REST_TIME
    way = 0.0
    for _ in range(3):
        state, _ = advance(model, state, inputs, settings)
        way = max(way, float(np.linalg.norm(state.body_position[-1] - before)))
    return Result(way, 0.0, RISE * ratio)


for _ratio, _side in ((3.0, 0.4), (10.0, 0.2), (100.0, 0.2)):
    at_rates(f"load-on-sleepers-{_ratio:.0f}", FINE_RATES)(partial(_rise, _ratio, _side))
