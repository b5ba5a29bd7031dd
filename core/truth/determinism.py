"""Same bits twice, on one thread and two, and after resuming from a saved frame."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from ..bench.scenes import add_sheet
from ..building.builder import ModelBuilder
from ..cache import FrameCache
from ..forces.flock import Flock
from ..model import FrameInputs, Model, State
from ..model.field import Field
from ..records import plain_columns
from ..settings import SolverSettings, WindSettings
from ..step import advance
from .case import Result, case

_WIND_AND_FIELDS = FrameInputs(
    wind=WindSettings(velocity=(3.0, 1.0, 0.0)),
    fields=(
        Field("eddies", "TURBULENCE", strength=2.0, noise=0.5, speed=0.5, surface=0.5),
        Field("bang", "EXPLOSION", strength=0.5, distance_min=0.5, time=1.23),
    ),
)


def _everything() -> Model:
    builder = ModelBuilder()
    add_sheet(builder, 48, height=1.5)
    for k in range(12):
        place = (0.6 * (k % 4) - 0.9, 0.6 * (k // 4) - 0.6, 0.4 + 0.05 * k)
        builder.add_body(f"cube {k}", "BOX", (0.2,) * 3, place, (1.0, 0.1 * k, 0.2, 0.0), mass=1.0)
    random = np.random.default_rng(1)
    boids = np.arange(20, dtype=np.int32) + np.int32(builder.particle_count)
    start = random.uniform(-1.0, 1.0, (20, 3)) + (0.0, 0.0, 4.0)
    birds = builder.add_particles("birds", start, mass=0.1, velocity=random.normal(size=(20, 3)))
    builder.add_force(Flock(birds, boids))
    builder.add_wires(boids.reshape(-1, 2), 0.01)
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    return builder.finalize()


def _run(model: Model, state: State, frames: int, threads: int) -> State:
    for _ in range(frames):
        state, _ = advance(model, state, _WIND_AND_FIELDS, SolverSettings(threads=threads))
    return state


def _difference(a: State, b: State) -> float:
    """Numbers of the two states that differ in any bit."""
    count = 0.0
    for name, value in a.columns().items():
        x, y = np.asarray(value), np.asarray(b.columns()[name])
        if x.shape != y.shape:
            return float("inf")
        for one, other in zip(plain_columns(x), plain_columns(y)):
            count += float((one != other).sum() + (np.isnan(one) | np.isnan(other)).sum())
    return count


@case("same-bits-twice")
def twice() -> Result:
    """Numbers that differ between two runs."""
    model = _everything()
    first = _run(model, model.initial_state(), 48, 1)
    return Result(_difference(first, _run(_everything(), model.initial_state(), 48, 1)), 0.0, 0.0)


@case("same-bits-threads")
def threads() -> Result:
    """Numbers that differ between one thread and two."""
    model = _everything()
    one = _run(model, model.initial_state(), 48, 1)
    return Result(_difference(one, _run(model, model.initial_state(), 48, 2)), 0.0, 0.0)


@case("same-bits-resumed")
def resumed() -> Result:
    """Numbers that differ after saving at frame 20 and going on from the file."""
    model = _everything()
    cache = FrameCache(model)
    cache.store(_run(model, model.initial_state(), 20, 0))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "frames.npz")
        cache.save(path)
        cache = FrameCache(model)
        cache.load(path)
    straight = _run(model, model.initial_state(), 48, 0)
    return Result(_difference(straight, _run(model, cache[20], 28, 0)), 0.0, 0.0)
