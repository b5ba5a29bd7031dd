"""Forces: curl noise neither gathers nor thins out, boids flock by alignment alone; and a start.

What acts from the start is exact from the start.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..arrays import Floats
from ..building.builder import ModelBuilder
from ..forces.curl_noise import curl_noise, curl_of_noise
from ..forces.flock import Flock
from ..forces.weight import Weight
from ..model import EARTH_GRAVITY, FrameInputs, Model
from ..model.field import Field
from ..settings import FlockSettings, SolverSettings
from ..step import advance
from .case import Result, case
from .rates import at_rates


@dataclass(frozen=True)
class Dual:
    """A number and its derivative: run through a formula it gives the exact derivative."""

    value: float
    slope: float

    def _with(self, other: Any) -> tuple[float, float]:
        return (other.value, other.slope) if isinstance(other, Dual) else (float(other), 0.0)

    def __add__(self, other: Any) -> Dual:
        """Sum."""
        value, slope = self._with(other)
        return Dual(self.value + value, self.slope + slope)

    def __mul__(self, other: Any) -> Dual:
        """Product rule."""
        value, slope = self._with(other)
        return Dual(self.value * value, self.value * slope + self.slope * value)

    def __neg__(self) -> Dual:
        """Both change sign."""
        return Dual(-self.value, -self.slope)

    def __sub__(self, other: Any) -> Dual:
        """Difference."""
        return self + (-1.0) * (other if isinstance(other, Dual) else Dual(float(other), 0.0))

    def __rsub__(self, other: Any) -> Dual:
        """Difference."""
        return -self + other

    def __floor__(self) -> int:
        """The cell it lies in."""
        return math.floor(self.value)

    __radd__ = __add__
    __rmul__ = __mul__


def _points() -> Floats:
    return np.random.default_rng(4).uniform(-20.0, 20.0, (100, 3))


@case("curl-noise-divergence")
def divergence() -> Result:
    """∇·u of the very code, differentiated exactly, over the largest ∂u; rounding is allowed."""
    worst, largest = 0.0, 0.0
    for point in _points():
        slopes = [
            [
                component.slope
                for component in curl_of_noise(
                    tuple(Dual(p, float(k == axis)) for k, p in enumerate(point)), 7, 2, 0.6, 0.8
                )
            ]
            for axis in range(3)
        ]
        worst = max(worst, float(abs(np.trace(slopes))))
        largest = max(largest, float(np.abs(slopes).max()))
    return Result(float(worst) / largest, 0.0, 1e-14)


@case("curl-noise-finite-divergence")
def finite_divergence() -> Result:
    """∇·u of three octaves over the largest ∂u, by central differences of 1 mm.

    It is as small as those differences are exact.
    """
    step, worst, largest = 1e-3, 0.0, 0.0
    for point in _points():
        slopes = np.empty((3, 3))
        for axis in range(3):
            ends = []
            for side in (1.0, -1.0):
                p = point.copy()
                p[axis] += side * step
                ends.append(np.array(curl_noise(tuple(p), 7, 4.0, 3, 2.6)))
            slopes[axis] = (ends[0] - ends[1]) / (2.0 * step)
        worst = max(worst, float(abs(np.trace(slopes))))
        largest = max(largest, float(np.abs(slopes).max()))
    return Result(worst / largest, 0.0, 1e-5)


def _flow(x: Floats, time: float) -> Floats:
    """Velocity (n, 3) m/s of eddies of 1 m that change once in two seconds."""
    return np.array([curl_noise(tuple(p), 5, 1.0, 2, 0.5 * time) for p in x])


@case("curl-noise-volume")
def volume() -> Result:
    """Volume of blobs of tracers after 2 s over that at the start: the one that changed most.

    That is about four turns of the largest eddies. Stream lines that converged would shrink it;
    the longest of the 20 blobs has grown to 80 times its length.
    """
    centre = np.random.default_rng(9).uniform(-20.0, 20.0, (20, 1, 1, 3))
    size = 1e-7
    sides = np.array([1.0, -1.0])[:, None, None] * size * np.eye(3)
    x = (centre + sides).reshape(-1, 3)
    h = 0.02
    for k in range(100):  # classic Runge-Kutta
        t = k * h
        a = _flow(x, t)
        b = _flow(x + 0.5 * h * a, t + 0.5 * h)
        c = _flow(x + 0.5 * h * b, t + 0.5 * h)
        d = _flow(x + h * c, t + h)
        x = x + h / 6.0 * (a + 2.0 * b + 2.0 * c + d)
    ends = x.reshape(20, 2, 3, 3)
    ratio = np.linalg.det((ends[:, 0] - ends[:, 1]) / (2.0 * size))
    return Result(float(ratio[np.argmax(np.abs(ratio - 1.0))]), 1.0, 1e-4)


def order_of_flock(seed: int, alignment: float, seconds: float = 15.0) -> float:
    """Σv̂/N of 200 boids that started with random headings in a cube of 10 m."""
    random = np.random.default_rng(seed)
    heading = random.normal(size=(200, 3))
    heading /= np.linalg.norm(heading, axis=1)[:, None]
    settings = FlockSettings(alignment=alignment)
    builder = ModelBuilder()
    builder.add_particles(
        "flock",
        random.uniform(-5.0, 5.0, (200, 3)),
        mass=0.1,
        velocity=settings.cruise_speed * heading,
    )
    builder.add_force(Flock(0, np.arange(200, dtype=np.int32), settings))
    model = builder.finalize()
    state = model.initial_state()
    for _ in range(round(24 * seconds)):
        state, _ = advance(model, state, FrameInputs(), SolverSettings(substep_rate=120.0))
    heading = state.position - state.previous
    heading /= np.linalg.norm(heading, axis=1)[:, None]
    return float(np.linalg.norm(heading.sum(axis=0))) / 200.0


def _aligned(seed: int) -> Result:
    return Result(order_of_flock(seed, FlockSettings().alignment), 1.0, 0.1)


def _not_aligned(seed: int) -> Result:
    return Result(order_of_flock(seed, 0.0), 0.0, 0.3)


for _seed in (1, 2, 3):
    case(f"flock-aligned-{_seed}")(partial(_aligned, _seed))
    case(f"flock-not-aligned-{_seed}")(partial(_not_aligned, _seed))


START, VELOCITY = np.array([1.0, -2.0, 3.0]), np.array([0.4, -1.0, 2.0])


def _flight_error(model: Model, settings: SolverSettings, blows: float, falls: float) -> float:
    """Largest distance in m from exact flight in 1 s, of all particles or the one body.

    blows m/s²: strength of a field along x that acts from the start; falls: share of gravity.
    """
    half = math.sqrt(0.5)
    inputs = FrameInputs(fields=(Field("wind", "WIND", (0, 0, 0), (half, 0, half, 0), blows),))
    acceleration = np.array([blows, 0.0, 0.0]) + falls * np.array(EARTH_GRAVITY)
    state, worst = model.initial_state(), 0.0
    for _ in range(24):
        state, _ = advance(model, state, inputs, settings)
        t = state.time
        exact = START + VELOCITY * t + 0.5 * acceleration * t * t
        place = state.position if len(state.position) else state.body_position
        worst = max(worst, float(np.abs(place - exact).max()))
    return worst


def _particle(share: float = 1.0) -> Model:
    builder = ModelBuilder()
    builder.add_particles("ball", START[None], mass=2.0, velocity=VELOCITY)
    if share != 1.0:
        builder.add_force(Weight(0, np.zeros(1, dtype=np.int32), share))
    return builder.finalize()


@at_rates("field-from-the-start")
def field_on_particle(rate: float) -> Result:
    """Wind of 3 m/s² on a particle, error in m; a start half a step late loses a·h/2 of speed."""
    error = _flight_error(_particle(), SolverSettings(substep_rate=rate), 3.0, 1.0)
    return Result(error, 0.0, 1e-9)


@at_rates("field-from-the-start-body")
def field_on_body(rate: float) -> Result:
    """Wind of 40 m/s² on a box."""
    builder = ModelBuilder()
    builder.add_body("box", "BOX", (0.1, 0.2, 0.3), tuple(START), mass=5.0, velocity=VELOCITY)
    settings = SolverSettings(substep_rate=rate)
    return Result(_flight_error(builder.finalize(), settings, 40.0, 1.0), 0.0, 1e-9)


@at_rates("field-from-the-start-weight")
def field_and_weight(rate: float) -> Result:
    """Wind of -7 m/s² on a particle that feels a quarter of gravity."""
    error = _flight_error(_particle(0.25), SolverSettings(substep_rate=rate), -7.0, 0.25)
    return Result(error, 0.0, 1e-9)


@case("field-from-the-start-leapfrog")
def field_on_leapfrog() -> Result:
    """As on a particle, by an integrator that takes springs as forces."""
    settings = SolverSettings(integrator="LEAPFROG")
    return Result(_flight_error(_particle(), settings, 3.0, 1.0), 0.0, 1e-9)
