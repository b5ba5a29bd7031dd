"""What falls on cloth whose rim is held lies on it: limbs of stick figures, and soft bodies."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..bench.cloth_scenes import add_quads, sheet
from ..bench.rigid_scenes import FPS
from ..bench.shapes import cube
from ..building.builder import ModelBuilder
from ..model import FrameInputs, Model, State
from ..recipes.soft_body import add_soft_body
from ..settings import ClothSettings, SoftBodySettings, SolverSettings
from ..step import advance
from .case import Result, case
from .rates import FINE_RATES, at_rates

LANDED = 1.0  # s


def _hammock(count: int, width: float) -> ModelBuilder:
    """A level square of cloth of count × count vertices at height 0, held all around."""
    builder = ModelBuilder()
    x, quads = sheet(count, count, width, width)
    edge = np.abs(x[:, :2]).max(axis=1) > 0.5 * width - 1e-9
    add_quads(builder, x, quads, ClothSettings(), edge.astype(np.float64), "hammock")
    return builder


def _run(model: Model, rate: float, seconds: float, lift: float = 0.0) -> list[State]:
    """States at the end of each frame while pins go up at lift m/s."""
    state, settings = model.initial_state(step=1.0 / rate), SolverSettings(substep_rate=rate)
    held, states = state.pin_position.copy(), []
    for frame in range(round(FPS * seconds)):
        up = held + (0.0, 0.0, lift * (frame + 1) / FPS)
        inputs = FrameInputs(duration=1.0 / FPS, pin_position=up if lift else None)
        state, _ = advance(model, state, inputs, settings)
        states.append(state)
    return states


def _limbs(mass: float, count: int, width: float, drop: float, lift: float, rate: float) -> Result:
    """How far m from the cloth at rest a crooked rod of three joints gets once it has landed."""
    builder, first, radius = _hammock(count, width), count * count, 0.036 * width
    k = np.arange(3.0)
    x = width * np.stack([0.014 + 0.18 * (k - 1.0), 0.01 + 0.005 * k, 0.005 * k], axis=1)
    builder.add_particles("rod", x + (0.0, 0.0, radius + drop), mass=mass / 3.0, radius=radius)
    pairs = [(first, first + 1), (first + 1, first + 2)]
    builder.add_sticks(pairs)
    builder.add_limbs(pairs, radius)
    away = 0.0
    for frame, state in enumerate(_run(builder.finalize(), rate, 4.0, lift)):
        if frame >= FPS * LANDED:
            height = state.position[first:, 2].mean() - lift * (frame + 1) / FPS
            away = max(away, abs(float(height) - radius))
    return Result(away / width, 0.0, 0.06)


for _name, _mass, _count, _width, _drop, _lift in (
    ("1", 1.0, 12, 2.2, 0.2, 0.0),
    ("10", 10.0, 12, 2.2, 0.2, 0.0),
    ("70", 70.0, 12, 2.2, 0.2, 0.0),
    ("70-fine", 70.0, 24, 2.2, 0.3, 0.0),
    ("70-lifted", 70.0, 12, 2.2, 0.05, 1.5),
    ("70-lowered", 70.0, 12, 2.2, 0.05, -1.0),
    ("500-large", 500.0, 20, 10.0, 1.0, 0.0),
    ("tiny", 0.05, 12, 0.5, 0.05, 0.0),
):
    at_rates(f"limbs-on-taut-cloth-{_name}")(partial(_limbs, _mass, _count, _width, _drop, _lift))


def _thickness(model: Model, first: int) -> float:
    """How far m apart the surfaces of the cloth and of what lies on it are."""
    return float(model.particles.radius[0] + model.particles.radius[first])


def _soft(density: float, count: int, side: float, tolerance: float, rate: float) -> Result:
    """Height m of a soft cube of eight vertices over taut cloth, after four seconds."""
    builder, first = _hammock(count, 2.2), count * count
    body = cube(side, (0.05, 0.03, 0.3 + 0.5 * side))
    add_soft_body(builder, body, SoftBodySettings(density=density))
    model = builder.finalize()
    last = _run(model, rate, 4.0)[-1]
    apart = float(last.position[first:, 2].min() - last.position[:first, 2].max())
    return Result(apart, _thickness(model, first), tolerance)


for _name, _density, _count, _side, _tolerance in (
    ("light", 20.0, 12, 0.6, 0.02),
    ("fine", 20.0, 24, 0.5, 0.03),
    ("heavy", 1000.0, 12, 0.6, 0.35),
    ("small-and-heavy", 1000.0, 24, 0.3, 0.35),
):
    _at = partial(_soft, _density, _count, _side, _tolerance)
    at_rates(f"soft-on-taut-cloth-{_name}", FINE_RATES)(_at)


@case("soft-on-soft")
def on_each_other() -> Result:
    """Height m of a soft cube of eight vertices over another on the floor."""
    builder = ModelBuilder()
    add_soft_body(builder, cube(0.5, (0.0, 0.0, 0.35)), SoftBodySettings())
    add_soft_body(builder, cube(0.5, (0.1, 0.05, 1.0)), SoftBodySettings())
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    model = builder.finalize()
    x = _run(model, SolverSettings().substep_rate, 4.0)[-1].position
    return Result(float(x[8:, 2].min() - x[:8, 2].max()), _thickness(model, 8), 0.03)
