"""Ropes that carry heavy things over a bar do not grow or come through, and friction holds them."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..arrays import Floats
from ..building.builder import ModelBuilder
from ..model import FrameInputs
from ..model.joint_table import OnBody
from ..recipes.geometry import Geometry
from ..recipes.rope import add_rope
from ..settings import RopeSettings, SolverSettings
from ..step import advance
from .case import Result, case
from .rates import at_rates

Bar = tuple[str, float]
"""Kind of shape and radius or half the width in m."""

CRATE = 0.05  # m, half the edge of what hangs on the ends


def _line(edges: int, length: float, around: float) -> Floats:
    """Vertices of a rope laid over a bar, half a turn of a circle and two ends that hang, m."""
    around /= math.cos(min(1.0, 0.5 * length / edges / around))  # its edges clear the bar
    along = np.linspace(-length / 2, length / 2, edges + 1)
    quarter = 0.5 * math.pi * around
    bent = np.abs(along) <= quarter
    x = np.where(bent, around * np.sin(along / around), np.sign(along) * around)
    z = np.where(bent, around * np.cos(along / around), quarter - np.abs(along))
    return np.stack([x, 0.0 * x, z], axis=1)


def _run(
    edges: int,
    masses: tuple[float, float],
    bar: Bar,
    seconds: float,
    rate: float,
    settings: RopeSettings,
    length: float = 2.0,
) -> tuple[Floats, Floats, Floats]:
    """Length of the rope (f,) as a share of that at rest, and z (f, 2) m of crates; x at the end.

    One crate hangs on each end.
    """
    kind, half = bar
    radius = 0.5 * settings.diameter
    line = _line(edges, length, (half + radius) * (1.5 if kind == "BOX" else 1.0) + 2e-4)
    builder = ModelBuilder()
    rope = Geometry.of("rope", line, [(k, k + 1) for k in range(edges)])
    index = add_rope(builder, rope, settings)
    first = builder.objects[index].first_particle
    size = (half, 1.0, half) if kind == "BOX" else (half, 1.0)
    turn = (1.0, 0.0, 0.0, 0.0) if kind == "BOX" else (1.0, 1.0, 0.0, 0.0)
    surface: dict[str, Any] = {"friction": settings.friction}
    builder.add_collider("bar", kind, size, (0.0, 0.0, 0.0), turn, **surface)
    for mass, k in zip(masses, (0, edges), strict=True):
        place = line[k] - (0.0, 0.0, CRATE)
        crate = builder.add_body(f"crate {k}", "BOX", (CRATE,) * 3, place, mass=mass)
        builder.add_attachment(OnBody(crate), [first + k])
    model = builder.finalize()
    state, inputs = model.initial_state(step=1.0 / rate), FrameInputs(duration=1.0 / 60.0)
    at_rest = float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum())
    lengths, heights = [], []
    for _ in range(round(60 * seconds)):
        state, _ = advance(model, state, inputs, SolverSettings(substep_rate=rate))
        places = state.position[first : first + edges + 1]
        lengths.append(float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum()) / at_rest)
        heights.append(state.body_position[:, 2])
    return np.array(lengths), np.array(heights), places


def growth(edges: int, masses: tuple[float, float], bar: Bar, rate: float) -> Result:
    """Most that the rope is longer than at rest after the first half second, %; it stays up."""
    settings = RopeSettings(diameter=0.01)
    lengths, _, places = _run(edges, masses, bar, 3.0, rate, settings)
    is_up = places[:, 2].max() > bar[1]
    return Result(100.0 * float(lengths[30:].max() - 1.0) if is_up else math.nan, 0.0, 2.0)


for _edges, _masses, _bar in (
    (44, (1.5, 1.5), ("CAPSULE", 0.05)),
    (70, (9.0, 9.0), ("CAPSULE", 0.012)),
    (130, (6.0, 15.0), ("CAPSULE", 0.06)),
    (100, (10.0, 12.0), ("CYLINDER", 0.03)),
    (190, (20.0, 20.0), ("CYLINDER", 0.08)),
    (90, (8.0, 8.0), ("BOX", 0.04)),
    (110, (5.0, 9.0), ("BOX", 0.04)),
):
    at_rates(f"rope-over-bar-{_edges}")(partial(growth, _edges, _masses, _bar))


def _slides(edges: int, masses: tuple[float, float], friction: float) -> Callable[[], Result]:
    """Acceleration of what slides over a bar, m/s²; μ holds e^(μπ) times as much (Eytelwein).

    A rope swings as a spring between its loads. With k = e^(μπ) the pulls drop out of
    d/dt (m₂ v₂ + k m₁ v₁) = (m₂ − k m₁) g, whatever they are at the moment.
    """

    def run() -> Result:
        settings = RopeSettings(
            diameter=0.01, line_density=0.005, friction=friction, drag=0.0, bend=0.0
        )
        _, heights, _ = _run(edges, masses, ("CAPSULE", 0.05), 0.35, 480.0, settings)
        time = (np.arange(len(heights)) + 1.0) / 60.0
        light, heavy = masses[0] * math.exp(math.pi * friction), masses[1]
        way = (light * heights[:, 0] - heavy * heights[:, 1]) / (light + heavy)
        measured = 2.0 * float(np.polyfit(time[3:], way[3:], 2)[0])
        exact = 9.81 * max(heavy - light, 0.0) / (heavy + light)
        return Result(measured, exact, 0.015 * 9.81)

    return run


for _masses, _friction in (
    ((1.0, 2.0), 0.0),
    ((1.0, 3.0), 0.2),
    ((1.5, 4.0), 0.1),
    ((1.0, 4.0), 0.3),
):
    case(f"rope-slides-{_friction}")(_slides(120, _masses, _friction))


@case("rope-holds")
def holds() -> Result:
    """How far a crate slips in 3 s that another of 2.5 times its weight holds by friction, m."""
    settings = RopeSettings(diameter=0.01)
    _, heights, _ = _run(84, (2.0, 5.0), ("CAPSULE", 0.05), 3.0, 480.0, settings)
    return Result(float(np.abs(heights[-1] - heights[0]).max()), 0.0, 0.02)
