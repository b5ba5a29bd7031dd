"""Forces: curl noise neither gathers nor thins out, boids flock by alignment alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..builder import ModelBuilder
from ..forces.curl_noise import curl_noise, curl_of_noise
from ..forces.flock import Flock
from ..model import Floats, FrameInputs
from ..settings import FlockSettings, SolverSettings
from ..step import advance
from .case import Result, case


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
                    *(Dual(p, float(k == axis)) for k, p in enumerate(point)), 7, 2, 0.6, 0.8
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
                ends.append(np.array(curl_noise(p[0], p[1], p[2], 7, 4.0, 3, 2.6)))
            slopes[axis] = (ends[0] - ends[1]) / (2.0 * step)
        worst = max(worst, float(abs(np.trace(slopes))))
        largest = max(largest, float(np.abs(slopes).max()))
    return Result(worst / largest, 0.0, 1e-5)


def _flow(x: Floats, time: float) -> Floats:
    """Velocity (n, 3) m/s of eddies of 1 m that change once in two seconds."""
    return np.array([curl_noise(p[0], p[1], p[2], 5, 1.0, 2, 0.5 * time) for p in x])


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
