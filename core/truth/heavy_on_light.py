"""Heavy bodies land on light ones and lie on them: at Bounciness 0 nothing is thrown back."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np

from ..arrays import Floats
from ..bench.rigid_bodies import model_of
from ..bench.rigid_scenes import RigidScene, pyramid, stack
from ..building.builder import ModelBuilder
from ..model import FrameInputs, Model
from ..settings import SolverSettings
from ..step import advance
from .case import Result
from .rates import at_rates


def _heights(model: Model, seconds: float, rate: float) -> Floats:
    """Places of all bodies at the end of each frame, (f, b, 3) m."""
    state = model.initial_state(step=1.0 / rate)
    settings, inputs = SolverSettings(substep_rate=rate), FrameInputs(duration=1.0 / 60.0)
    places = []
    for _ in range(round(60 * seconds)):
        state, _ = advance(model, state, inputs, settings)
        places.append(state.body_position)
    return np.array(places)


def _rebound(height: Floats, rest: float) -> float:
    """How far above where it rests a body gets after it has landed there, m; NaN if it never did.

    It has to lie there at the end as well, within 2 mm.
    """
    landed = np.flatnonzero(height < rest + 0.01)
    if not len(landed) or abs(height[-1] - rest) > 2e-3:
        return math.nan
    return max(float(height[landed[0] :].max()) - rest - 0.01, 0.0)


def _cubes(ratio: float, sides: tuple[float, float], height: float, rate: float) -> Result:
    """A cube falls on one of 1 kg: its rebound, m."""
    low, high = sides
    builder = ModelBuilder()
    builder.add_body("light", "BOX", (low / 2,) * 3, (0, 0, low / 2), mass=1.0, sleeps=False)
    place = (0.0, 0.0, low + height + high / 2)
    builder.add_body("heavy", "BOX", (high / 2,) * 3, place, mass=ratio, sleeps=False)
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    places = _heights(builder.finalize(), 2.0, rate)
    return Result(_rebound(places[:, 1, 2], low + high / 2), 0.0, 1e-3)


for _ratio, _sides, _height, _from in (
    (7.0, (0.6, 0.6), 1.5, ""),
    (30.0, (0.5, 0.5), 2.0, ""),
    (60.0, (0.4, 0.8), 2.5, ""),
    (700.0, (1.2, 1.2), 1.2, ""),
    (3000.0, (0.5, 0.7), 3.0, ""),
    (9000.0, (1.0, 2.0), 2.0, ""),
    (10000.0, (0.5, 0.5), 2.0, ""),
    (10000.0, (0.5, 0.5), 1.4, "-lower"),
    (10000.0, (0.5, 0.5), 3.0, "-higher"),
):
    _name = f"rigid-heavy-cube-{_ratio:.0f}{_from}"
    at_rates(_name)(partial(_cubes, _ratio, _sides, _height))


def _plate(mass: float, rate: float) -> Result:
    """A plate falls .7 m on four cubes of 2 kg: its rebound, m."""
    builder = ModelBuilder()
    for x in (-0.7, 0.7):
        for y in (-0.9, 0.9):
            name = f"cube {x} {y}"
            builder.add_body(name, "BOX", (0.2,) * 3, (x, y, 0.2), mass=2.0, sleeps=False)
    builder.add_body("plate", "BOX", (1.1, 1.3, 0.08), (0, 0, 1.18), mass=mass, sleeps=False)
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    places = _heights(builder.finalize(), 2.0, rate)
    return Result(_rebound(places[:, 4, 2], 0.48), 0.0, 1e-3)


for _mass in (400.0, 5000.0):
    at_rates(f"rigid-heavy-plate-{_mass:.0f}", (480.0, 240.0))(partial(_plate, _mass))


def _drift(scene: RigidScene, rate: float) -> Result:
    """How far anything of a pile moves in 10 s, m."""
    model = model_of(scene, sleeps=False)
    moved = _heights(model, 10.0, rate)[-1] - model.bodies.position
    return Result(float(np.linalg.norm(moved, axis=1).max()), 0.0, 1e-3)


def _topped(scene: RigidScene, mass: float) -> RigidScene:
    """The same with a last body, on top, of so many kg."""
    return replace(scene, mass=np.append(scene.mass[:-1], mass))


for _base, _mass, _rates in (
    (10, 100.0, (480.0,)),
    (10, 150.0, (480.0,)),
    (10, 250.0, (480.0, 240.0)),
    (10, 300.0, (480.0,)),
    (7, 400.0, (480.0,)),
    (10, 1000.0, (480.0, 960.0)),
):
    _name = f"rigid-heavy-top-{_mass:.0f}"
    at_rates(_name, _rates)(partial(_drift, _topped(pyramid(_base), _mass)))
for _count, _mass in ((12, 2000.0), (20, 10000.0)):
    _name = f"rigid-heavy-stack-{_mass:.0f}"
    at_rates(_name, (480.0, 240.0))(partial(_drift, stack(_count, _mass)))
