"""Integrators: order of accuracy, energy, stiff springs, steps of changing length, dampers."""

from __future__ import annotations

import math
from functools import cache, partial
from itertools import pairwise

import numpy as np

from ..building.builder import ModelBuilder
from ..errors import SimulationDiverged
from ..model import EARTH_GRAVITY, FrameInputs, Model
from ..settings import INTEGRATORS, SolverSettings
from ..step import advance
from .case import Result, case

OMEGA = 2.0 * math.pi  # 1/s: a period of one second
AMPLITUDE = 0.1  # m
PHASE = 0.7
PERIODS = 10
WEIGHTLESS = (0.0, 0.0, 0.0)

FIRST_ORDER = ("EXPLICIT_EULER", "SYMPLECTIC_EULER", "IMPLICIT_EULER")
INTEGRATOR_NAMES = tuple(identifier for identifier, _, _ in INTEGRATORS)


def _settings(integrator: str, rate: float) -> SolverSettings:
    return SolverSettings(integrator=integrator, substep_rate=rate, spring_form="FORCE")


def _oscillator(stiffness: float, damping: float = 0.0) -> Model:
    """1 kg on a spring of 1 m whose other end is held, let go on an orbit of frequency OMEGA."""
    builder = ModelBuilder()
    place = 1.0 + AMPLITUDE * math.cos(PHASE)
    speed = -AMPLITUDE * OMEGA * math.sin(PHASE)
    builder.add_particles(
        "oscillator",
        [(0.0, 0.0, 0.0), (place, 0.0, 0.0)],
        mass=1.0,
        velocity=[(0.0, 0.0, 0.0), (speed, 0.0, 0.0)],
    )
    builder.pin([0])
    builder.add_springs([[0, 1]], stiffness, 1.0, damping=damping)
    return builder.finalize()


def _off_by(integrator: str, rate: float, damping: float = 0.0) -> float:
    """How far from the exact place after ten periods and a quarter, m.

    The quarter matters: symplectic Euler is right at whole periods by accident.
    """
    model = _oscillator(OMEGA**2, damping)
    state = model.initial_state(gravity=WEIGHTLESS)
    inputs = FrameInputs(duration=0.25, gravity=WEIGHTLESS)
    for _ in range(4 * PERIODS + 1):
        state, _ = advance(model, state, inputs, _settings(integrator, rate))
    decay = 0.5 * damping  # 1/s, per 2 kg
    turn = math.sqrt(OMEGA**2 - decay**2)
    x0, v0 = AMPLITUDE * math.cos(PHASE), -AMPLITUDE * OMEGA * math.sin(PHASE)
    t = state.time
    swing = x0 * math.cos(turn * t) + (v0 + decay * x0) / turn * math.sin(turn * t)
    return abs(float(state.position[1, 0]) - 1.0 - math.exp(-decay * t) * swing)


def _order(integrator: str, damping: float) -> Result:
    """Order of accuracy: log₂ of the error's ratio at the last of four halvings of h."""
    first = integrator in ("EXPLICIT_EULER", "IMPLICIT_EULER")
    rates = [(200.0 if first else 60.0) * 2**k for k in range(5)]
    errors = [_off_by(integrator, rate, damping) for rate in rates]
    if not all(coarse > fine for coarse, fine in pairwise(errors)):
        return Result(float("nan"), 1.0, 0.1)
    exact = 1.0 if integrator in FIRST_ORDER else 2.0
    return Result(math.log2(errors[-2] / errors[-1]), exact, 0.1)


def _name(integrator: str) -> str:
    return integrator.lower().replace("_", "-")


for _kind in INTEGRATOR_NAMES:
    case(f"order-{_name(_kind)}")(partial(_order, _kind, 0.0))
for _kind in ("POSITION_VERLET", "LEAPFROG", "VELOCITY_VERLET", "MIDPOINT", "TRAPEZOID"):
    case(f"damper-order-{_name(_kind)}")(partial(_order, _kind, 0.5))


ENERGY_RATE = 480.0


@cache
def _energies(integrator: str) -> tuple[float, ...]:
    """Kinetic and elastic energy of the oscillator at 24 moments of each of ten periods, J."""
    model = _oscillator(OMEGA**2)
    state = model.initial_state(gravity=WEIGHTLESS)
    energies = []
    for _ in range(24 * PERIODS):
        state, figures = advance(
            model, state, FrameInputs(gravity=WEIGHTLESS), _settings(integrator, ENERGY_RATE)
        )
        energies.append(figures.kinetic_energy + figures.elastic_energy)
    return tuple(energies)


def _energy(integrator: str) -> Result:
    """Energy of the tenth period over that of the first.

    Exact for a linear spring: a step of explicit Euler multiplies it by 1 + (ωh)², one of implicit
    Euler divides it by that, midpoint and trapezoid multiply it by 1 + (ωh)⁴/4, the Verlet family
    keeps its mean.
    """
    energies = _energies(integrator)
    ratio = float(np.mean(energies[-24:]) / np.mean(energies[:24]))
    gain = (OMEGA / ENERGY_RATE) ** 2
    growth = {
        "EXPLICIT_EULER": 1.0 + gain,
        "IMPLICIT_EULER": 1.0 / (1.0 + gain),
        "MIDPOINT": 1.0 + 0.25 * gain**2,
        "TRAPEZOID": 1.0 + 0.25 * gain**2,
    }.get(integrator, 1.0)
    exact = growth ** (ENERGY_RATE * (PERIODS - 1))
    return Result(ratio, exact, 1e-6 * exact)


for _kind in INTEGRATOR_NAMES:
    case(f"energy-{_name(_kind)}")(partial(_energy, _kind))


def _stiff(integrator: str) -> float:
    """Farthest from rest in m at the end of each of 600 frames of h = 1/60 s; it starts at 0.1 m.

    Raises `SimulationDiverged`.
    """
    builder = ModelBuilder()
    builder.add_particles("stiff", [(0.0, 0.0, 0.0), (1.1, 0.0, 0.0)], mass=1.0)
    builder.pin([0])
    builder.add_springs([[0, 1]], 1e6, 1.0)
    model = builder.finalize()
    state = model.initial_state(step=1 / 60)
    farthest = 0.0
    for _ in range(600):
        state, _ = advance(model, state, FrameInputs(duration=1 / 60), _settings(integrator, 60.0))
        farthest = max(farthest, abs(float(np.linalg.norm(state.position[1])) - 1.0))
    return farthest


@case("stiff-spring-implicit")
def stiff_implicit() -> Result:
    """Bounded for 10 s at k = 1e6 N/m, m = 1 kg, under gravity: never farther out than at first."""
    return Result(_stiff("IMPLICIT_EULER"), 0.0, 0.1)


@case("stiff-spring-explicit")
def stiff_explicit() -> Result:
    """1 when explicit Euler stops, says its name and names a way out."""
    try:
        _stiff("EXPLICIT_EULER")
    except SimulationDiverged as stop:
        return Result(
            float("Explicit Euler blew up" in str(stop) and "Implicit Euler" in str(stop)), 1.0, 0.0
        )
    return Result(0.0, 1.0, 0.0)


_STEPS = (1 / 30, 1 / 120)  # s, in turns
_FLIGHT = (4.0, -5.0, 12.0)  # m/s


def _changing_step(integrator: str) -> float:
    """Farthest from the parabola in m in 5 s of free flight with a step that changes each time."""
    builder = ModelBuilder()
    builder.add_particles("ball", [(0.0, 0.0, 0.0)], mass=1.0, velocity=_FLIGHT)
    model = builder.finalize()
    state = model.initial_state(step=_STEPS[0])
    settings = SolverSettings(integrator=integrator, substep_rate=24.0)
    worst = 0.0
    for k in range(240):
        state, _ = advance(model, state, FrameInputs(duration=_STEPS[k % 2]), settings)
        t = state.time
        exact = np.array(_FLIGHT) * t + 0.5 * np.array(EARTH_GRAVITY) * t * t
        worst = max(worst, float(np.abs(state.position[0] - exact).max()))
    return worst


case("changing-step-corrected")(lambda: Result(_changing_step("TIME_CORRECTED"), 0.0, 1e-3))


@case("changing-step-plain")
def changing_step_plain() -> Result:
    """Plain Verlet leaves the parabola as far as its formula x' = 2x − x* + a h² says, m."""
    before = np.multiply(_FLIGHT, -_STEPS[0]) + 0.5 * np.array(EARTH_GRAVITY) * _STEPS[0] ** 2
    now, t, worst = np.zeros(3), 0.0, 0.0
    for k in range(240):
        h = _STEPS[k % 2]
        t += h
        before, now = now, 2.0 * now - before + np.array(EARTH_GRAVITY) * h * h
        exact = np.array(_FLIGHT) * t + 0.5 * np.array(EARTH_GRAVITY) * t * t
        worst = max(worst, float(np.abs(now - exact).max()))
    return Result(_changing_step("POSITION_VERLET"), worst, 1e-6)


def damped_net() -> Model:
    """Twelve unlike masses in space, thrown, each joined to four others by a damped spring."""
    random = np.random.default_rng(11)
    builder = ModelBuilder()
    count = 12
    builder.add_particles(
        "net",
        random.normal(0.0, 1.0, (count, 3)),
        mass=random.uniform(0.5, 3.0, count),
        velocity=random.normal(0.0, 1.0, (count, 3)),
    )
    pairs = [(i, (i + k) % count) for i in range(count) for k in (1, 3)]
    builder.add_springs(
        pairs,
        random.uniform(20.0, 200.0, len(pairs)),
        random.uniform(0.5, 1.5, len(pairs)),
        damping=random.uniform(0.0, 2.0, len(pairs)),
    )
    return builder.finalize()


def _lost_momentum(integrator: str, form: str) -> float:
    """Change of the linear momentum of a net of springs and dampers over 1000 steps, kg m/s."""
    model = damped_net()
    state = model.initial_state(gravity=WEIGHTLESS)
    settings = SolverSettings(integrator=integrator, spring_form=form)
    inputs = FrameInputs(duration=1 / 48, gravity=WEIGHTLESS)
    start = (model.particles.mass[:, None] * model.particles.velocity).sum(axis=0)
    worst = 0.0
    for _ in range(100):
        state, _ = advance(model, state, inputs, settings)
        velocity = (state.position - state.previous) / state.step
        momentum = (model.particles.mass[:, None] * velocity).sum(axis=0)
        worst = max(worst, float(np.abs(momentum - start).max()))
    return worst


@case("damper-momentum-compliant")
def momentum_compliant() -> Result:
    """Momentum that compliant springs and their dampers lose, kg m/s."""
    return Result(_lost_momentum("POSITION_VERLET", "COMPLIANT"), 0.0, 1e-10)


@case("damper-momentum-forces")
def momentum_forces() -> Result:
    """Momentum that springs and dampers as forces lose under the worst integrator, kg m/s."""
    return Result(max(_lost_momentum(kind, "FORCE") for kind in INTEGRATOR_NAMES), 0.0, 1e-10)


@case("damper-decay-compliant")
def decay_compliant() -> Result:
    """Rate in 1/s at which a compliant spring with a damper dies away: b/2m, h to 0.

    The compliant form itself damps by ω² h/2, which is taken off.
    """
    damping, rate = 0.5, 4800.0
    model = _oscillator(OMEGA**2, damping)
    state = model.initial_state(gravity=WEIGHTLESS)
    settings = SolverSettings(substep_rate=rate)
    turn = math.sqrt(OMEGA**2 - 0.25 * damping**2)
    period = FrameInputs(duration=2.0 * math.pi / turn, gravity=WEIGHTLESS)
    places = [float(state.position[1, 0]) - 1.0]
    for _ in range(8):
        state, _ = advance(model, state, period, settings)
        places.append(float(state.position[1, 0]) - 1.0)
    measured = math.log(places[0] / places[-1]) / state.time
    return Result(measured - 0.5 * OMEGA**2 / rate, 0.5 * damping, 0.01 * 0.5 * damping)
