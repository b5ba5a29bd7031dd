"""Ropes meet themselves: coils pile up as high as they are thick, and knots hold.

Told by plain NumPy: the distance of any two stretches that are farther apart along the rope than it
may bend back within its own thickness.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from ..arrays import Floats
from ..bench.shapes import line
from ..building.builder import ModelBuilder
from ..model import FrameInputs, Model, State
from ..recipes.geometry import Geometry
from ..recipes.rope import add_rope
from ..settings import RopeSettings, SolverSettings
from ..step import advance
from .case import Result, case
from .rates import FINE_RATES, at_rates

COIL_FRAMES = 192
PULL_FRAMES = 144
BENDS_WITHIN = 2.5
"""Thicknesses along the rope within which it may come nearer to itself, for it bends there."""

COIL_SUNK = 0.06
"""Share of its thickness by which it may lie nearer to itself at rest."""

LEAST_KEPT = 0.1
"""The same that it keeps at least while it is thrown or pulled: it has not passed through."""

MOST_TIGHT = 0.25
"""Share of its thickness by which a knot that is pulled tight may be off itself."""

COIL_CREEP = 1e-3  # m/s
TAIL = 16  # stretches of 5 cm, that knots cannot slip over
NO_PULL = FrameInputs(gravity=(0.0, 0.0, 0.0))


def least_distance(x: Floats, diameter: float) -> float:
    """Least distance of two stretches of a rope x (n, 3) m that bending cannot bring together."""
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(x, axis=0), axis=1))])
    i, j = np.triu_indices(len(x) - 1, 2)
    apart = along[j] - along[i + 1] >= BENDS_WITHIN * diameter
    i, j = i[apart], j[apart]
    a, u, b, v = x[i], x[i + 1] - x[i], x[j], x[j + 1] - x[j]
    uu, vv, uv = (u * u).sum(1), (v * v).sum(1), (u * v).sum(1)
    au, av = ((a - b) * u).sum(1), ((a - b) * v).sum(1)
    across = uu * vv - uv * uv
    is_across = across > 1e-9 * uu * vv
    s = np.clip(
        np.where(is_across, uv * av - au * vv, 0.0) / np.where(is_across, across, 1.0), 0, 1
    )
    t = np.clip((uv * s + av) / vv, 0.0, 1.0)
    s = np.clip((uv * t - au) / uu, 0.0, 1.0)
    gap = a + s[:, None] * u - b - t[:, None] * v
    return float(np.linalg.norm(gap, axis=1).min())


@dataclass(frozen=True)
class Coil:
    """A rope that falls on a floor, on its end."""

    diameter: float  # m
    length: float  # m
    count: int  # of stretches
    lean: tuple[float, float]  # m, of its upper end
    bend: float

    def model(self) -> Model:
        """The rope above the floor."""
        builder = ModelBuilder()
        builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
        ends = (0.0, 0.0, 2.0 * self.diameter), (*self.lean, self.length)
        settings = RopeSettings(diameter=self.diameter, bend=self.bend)
        add_rope(builder, line("rope", *ends, self.count), settings)
        return builder.finalize()


COILS = {
    "thin": Coil(0.02, 3.0, 120, (0.01, 0.02), 0.0),
    "thick": Coil(0.04, 3.0, 60, (0.02, 0.007), 0.1),
    "leans": Coil(0.03, 2.0, 50, (0.2, -0.1), 0.2),
}


@cache
def _coiled(coil: Coil, rate: float) -> tuple[State, float, float]:
    """A coil at rest, the least distance that it had with itself on the way, and its speed, m/s."""
    model = coil.model()
    state, settings = model.initial_state(), SolverSettings(substep_rate=rate)
    least = np.inf
    for _ in range(COIL_FRAMES):
        before = state.position
        state, _ = advance(model, state, FrameInputs(), settings)
        least = min(least, least_distance(state.position, coil.diameter))
    way = np.linalg.norm(state.position - before, axis=1).max()
    return state, least, float(way / FrameInputs().duration)


def _enter_coil(name: str, coil: Coil) -> None:
    @at_rates(f"rope-coil-{name}-distance")
    def at_rest(rate: float) -> Result:
        """How far it lies from itself, as a share of its thickness."""
        state, _, _ = _coiled(coil, rate)
        share = least_distance(state.position, coil.diameter) / coil.diameter
        return Result(min(share, 1.0), 1.0, COIL_SUNK)

    @at_rates(f"rope-coil-{name}-passes", FINE_RATES)
    def on_the_way(rate: float) -> Result:
        """By how much less than it keeps at least it has come near itself: it passes through."""
        _, least, _ = _coiled(coil, rate)
        return Result(max(LEAST_KEPT - least / coil.diameter, 0.0), 0.0, 1e-9)

    @at_rates(f"rope-coil-{name}-rest")
    def at_the_end(rate: float) -> Result:
        """Speed at the end, m/s."""
        return Result(_coiled(coil, rate)[2], 0.0, COIL_CREEP)


for _name, _coil in COILS.items():
    _enter_coil(_name, _coil)


def trefoil(count: int, size: float, turn: float) -> Geometry:
    """A trefoil knot that is open where it is outermost, with tails, turned about two axes."""
    t = np.linspace(0.16, 2.0 * np.pi, count + 1) + np.pi / 3.0
    x, y = np.sin(t) + 2.0 * np.sin(2.0 * t), np.cos(t) - 2.0 * np.cos(2.0 * t)
    place = size * np.stack([x, y, -np.sin(3.0 * t)], axis=1)
    out = (place[0] - place[-1]) / np.linalg.norm(place[0] - place[-1])
    tail = 0.05 * np.arange(1, TAIL + 1)[:, None] * out
    place = np.concatenate([(place[0] + tail)[::-1], place, place[-1] - tail])
    c, s = np.cos(turn), np.sin(turn)
    place = place @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    place = place @ np.array([[1.0, 0.0, 0.0], [0.0, c, s], [0.0, -s, c]])
    return Geometry.of("knot", place, [(k, k + 1) for k in range(len(place) - 1)])


def _pulled_knot(turn: float, diameter: float, rate: float) -> Result:
    """Its ends are pulled apart: how near it is to itself then, in thicknesses.

    Once undone it would be straight; on the way, what came too near has passed through.
    """
    builder = ModelBuilder()
    knot = trefoil(120, 0.2, turn)
    held = np.zeros(knot.count)
    held[[0, -1]] = 1.0
    settings = RopeSettings(diameter=diameter, bend=0.1)
    add_rope(builder, knot, settings, pin_weight=held)
    model = builder.finalize()
    state, solver = model.initial_state(), SolverSettings(substep_rate=rate)
    ends = state.pin_position.copy()
    way = (ends[0] - ends[1]) / np.linalg.norm(ends[0] - ends[1])
    length = float(knot.edge_lengths.sum()) - 40.0 * diameter  # a knot takes 16 at least
    far = 0.5 * (length - np.linalg.norm(ends[0] - ends[1]))
    least = np.inf
    for frame in range(PULL_FRAMES):
        pull = way * far * min(frame / (0.75 * PULL_FRAMES), 1.0)
        inputs = FrameInputs(pin_position=ends + np.stack([pull, -pull]))
        state, _ = advance(model, state, inputs, solver)
        least = min(least, least_distance(state.position, diameter))
    near = least_distance(state.position, diameter) if least > LEAST_KEPT * diameter else 0.0
    return Result(near / diameter, 1.0, MOST_TIGHT)


for _turn, _diameter in ((0.0, 0.02), (0.7, 0.03)):
    at_rates(f"rope-knot-holds-{1000 * _diameter:.0f}")(partial(_pulled_knot, _turn, _diameter))


@case("rope-on-itself-angular-momentum")
def _closing_hairpin() -> Result:
    """The legs of a bent rope fly at each other, out of its plane: angular momentum, relative."""
    t = np.linspace(-1.0, 1.0, 41)
    place = np.stack([0.6 * (1.0 - t * t), 0.08 * np.sign(t) * np.abs(t) ** 0.3, 0.2 * t], axis=1)
    builder = ModelBuilder()
    speed = np.stack([np.zeros(41), -1.5 * t, 0.7 * t * t], axis=1)
    geometry = Geometry.of("hairpin", place, [(k, k + 1) for k in range(40)])
    settings = RopeSettings(diameter=0.03, drag=0.0)
    add_rope(builder, geometry, settings, velocity=speed)
    model = builder.finalize()
    state = model.initial_state(gravity=NO_PULL.gravity)
    mass = model.particles.mass[:, None]

    def momentum(state: State) -> Floats:
        v = (state.position - state.previous) / state.step
        found: Floats = (mass * np.cross(state.previous, v)).sum(axis=0)
        return found

    start, most = momentum(state), 0.0
    for _ in range(24):
        state, _ = advance(model, state, NO_PULL, SolverSettings())
        most = max(most, float(np.abs(momentum(state) - start).max()))
    return Result(most / float(np.linalg.norm(start)), 0.0, 1e-9)
