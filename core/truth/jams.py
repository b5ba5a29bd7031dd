"""Bodies that begin wedged into each other come apart or stay, but speed up nothing.

Ten bodies of three boxes each, from ten grams to a hundred kilograms, overlap in a cube of two
centimetres, without gravity: nothing can bring energy in but the springs between some, which begin
without tension. Blows, friction and dampers take some away.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ..building.builder import ModelBuilder
from ..collision.shape import Shape
from ..model import FrameInputs, Model, State
from ..model.joint_table import OnBody
from ..rigid.inertia import inertia_of
from ..settings import JointSettings, SolverSettings
from ..step import advance
from .case import Result, case

JAM_SIZE = 0.01
"""Half of the cube that they begin in, m."""

BODIES = 10
FRAMES_OF_JAM = 4


def jam(seed: int, is_joined: bool) -> Model:
    """Draw a jam; is_joined: every other body hangs on a spring with the next one."""
    random = np.random.default_rng(seed)
    builder = ModelBuilder()
    for number in range(BODIES):
        name = f"body {number}"
        mass = 10.0 ** random.uniform(-2, 2)
        shapes, moments = [], []
        for _ in range(3):
            half = tuple(JAM_SIZE * random.uniform(0.1, 0.6, 3))
            place = tuple(0.3 * JAM_SIZE * random.normal(size=3))
            shapes.append(Shape.of(name, "BOX", half, place, random.normal(size=4)))
            moments.append(inertia_of(name, shapes[-1], mass))
        builder.add_rigid_body(
            name,
            shapes,
            JAM_SIZE * random.uniform(-1, 1, 3),
            random.normal(size=4),
            mass=mass,
            inertia=np.max(moments, axis=0) + mass * (0.3 * JAM_SIZE) ** 2,
            restitution=0.5,
            friction=0.5,
            velocity=random.normal(size=3),
        )
    spring = JointSettings(kind="SPRING", stiffness=1e3, damping=100.0, angular_damping=0.1)
    for number in range(0, BODIES - 1, 2) if is_joined else ():
        at = JAM_SIZE * random.uniform(-1, 1, 3)
        builder.add_joint("spring", OnBody(number), OnBody(number + 1), at, settings=spring)
    return builder.finalize()


def _energy(model: Model, state: State) -> float:
    """J, of the motion of all centres."""
    velocity = (state.body_position - state.body_previous) / state.step
    return float(0.5 * (model.bodies.mass[:, None] * velocity**2).sum())


def energy_gained(seed: int, is_joined: bool) -> float:
    """Most energy of a jam at the end of a frame, more than at the start, by that; 0 for none."""
    model = jam(seed, is_joined)
    state = model.initial_state()
    start = _energy(model, state)
    inputs = FrameInputs(gravity=(0.0, 0.0, 0.0))
    settings = SolverSettings(substep_rate=960.0, contact_iterations=15)
    most = start
    for _ in range(FRAMES_OF_JAM):
        state, _ = advance(model, state, inputs, settings)
        most = max(most, _energy(model, state))
    return most / start - 1.0


def _jam(seed: int, is_joined: bool) -> Result:
    return Result(energy_gained(seed, is_joined), 0.0, 0.0)


for _name, _seed, _is_joined in (
    ("loose", 11, False),
    ("with-springs", 15, True),
    ("light-with-springs", 21, True),
):
    case(f"jam-{_name}")(partial(_jam, _seed, _is_joined))
