"""Two scenes of SimBenchmark (Hwangbo, Kang et al. 2018) with errors published for other engines.

Rolling, mean squared error of velocity at h = 1e-3: Bullet 5.7e-9, RaiSim 4.1e-7, MuJoCo .0024,
ODE and DART 3.1 (wrong). Bouncing, mean squared error of energy: at h = .01 RaiSim 186, ODE 18,808,
Bullet 7.4e6; at h = 1e-3 .0186, 185, 75,245.
"""

from __future__ import annotations

import numpy as np

from ..building.builder import ModelBuilder
from ..model import FrameInputs
from ..model.field import Field
from ..settings import AnimatedSettings, SolverSettings
from ..settings.gravity import GRAVITY as G
from ..step import advance
from .case import Result
from .joints import Z_TO_Y
from .rates import at_rates

PLATE_PULL = 150.0  # N on the plate
PLATE_MASS, BALL_MASS = 10.0, 1.0  # kg
BALLS_OF_CRADLE = 25

ROLLING = "Bullet 5.7e-9, RaiSim 4.1e-7, MuJoCo .0024, ODE and DART 3.1 at 1000/s"
BOUNCING = {
    100.0: "RaiSim 186, ODE 18808, Bullet 7.4e6 at 100/s",
    1000.0: "RaiSim .0186, ODE 185, Bullet 75245 at 1000/s",
}


@at_rates("rigid-rolling", (480.0, 240.0, 1000.0))
def rolling(rate: float) -> Result:
    """Mean square of the errors of velocity of a plate and of the balls that roll on it, m²/s²."""
    builder = ModelBuilder()
    # friction of two surfaces is the geometric mean: plate and ground .4, balls and plate .8
    plate = builder.add_body(
        "plate", "BOX", (10, 10, 0.5), (0, 0, 0.5), mass=PLATE_MASS, friction=0.8
    )
    for k in range(BALLS_OF_CRADLE):
        place = (2.0 * (k % 5) - 4.0, 2.0 * (k // 5) - 4.0, 1.5)
        builder.add_body(f"ball {k}", "SPHERE", (0.5,), place, mass=BALL_MASS, friction=0.8)
    builder.add_collider("ground", "PLANE", (), (0, 0, 0), friction=0.2)
    model = builder.finalize()
    of_plate = (PLATE_PULL - 0.4 * (PLATE_MASS + BALLS_OF_CRADLE * BALL_MASS) * G) / (
        PLATE_MASS + BALLS_OF_CRADLE * BALL_MASS * 2.0 / 7.0
    )
    exact = np.full(BALLS_OF_CRADLE + 1, 2.0 / 7.0 * of_plate)
    exact[plate] = of_plate
    h = 1.0 / rate
    state, settings = model.initial_state(step=h), SolverSettings(substep_rate=rate)
    squares = []
    pull = Field("pull", "WIND", orientation=Z_TO_Y, strength=PLATE_PULL / PLATE_MASS)
    feels = tuple(AnimatedSettings(fields=float(k == plate)) for k in range(BALLS_OF_CRADLE + 1))
    inputs = FrameInputs(duration=20.0 * h, fields=(pull,), animated=feels)
    while state.time < 4.0 - 0.5 * h:
        state, _ = advance(model, state, inputs, settings)
        error = (state.body_position - state.body_previous) / h
        error[:, 1] -= exact * (state.time - 0.5 * h)  # in the middle of the last step
        error[:, 2] = 0.0
        squares.append((error**2).sum(axis=1).mean())
    return Result(float(np.mean(squares)), 0.0, 2e-9, ROLLING)


@at_rates("rigid-bouncing", (480.0, 100.0, 1000.0))
def bouncing(rate: float) -> Result:
    """Mean square of the error of energy of 49 balls that bounce without loss for 20 s, J²."""
    builder = ModelBuilder()
    for k in range(49):
        place = (1.0 * (k % 7), 1.0 * (k // 7), 5.1)
        builder.add_body(f"{k}", "SPHERE", (0.1,), place, mass=10.0, restitution=1.0, friction=0.0)
    builder.add_collider("ground", "PLANE", (), (0, 0, 0), friction=0.0, restitution=1.0)
    model = builder.finalize()
    h = 1.0 / rate
    state, settings = model.initial_state(step=h), SolverSettings(substep_rate=rate)
    squares = []
    while state.time < 20.0 - 0.5 * h:
        state, _ = advance(model, state, FrameInputs(duration=20.0 * h), settings)
        v = (state.body_position - state.body_previous) / h - (0.0, 0.0, 0.5 * h * G)
        energy = 10.0 * (0.5 * (v**2).sum() + G * (state.body_position[:, 2] - 0.1).sum())
        squares.append((energy - 49 * 10.0 * G * 5.0) ** 2)
    return Result(float(np.mean(squares)), 0.0, 1e-6, BOUNCING.get(rate, BOUNCING[1000.0]))
