"""Particles and bodies together: what one gains the other loses."""

from __future__ import annotations

import numpy as np

from ..bench.scenes import add_sheet
from ..builder import ModelBuilder
from ..model import Floats, FrameInputs, Model, State
from ..recipes.geometry import Geometry
from ..recipes.rope import add_rope
from ..settings import ClothSettings, RopeSettings, SolverSettings
from ..step import advance
from .case import Result, case

STILL = FrameInputs(gravity=(0.0, 0.0, 0.0))


def _closed_scene() -> Model:
    """Free cloth, a ball, a box, a body of particles and a rope on their way into each other."""
    builder = ModelBuilder()
    add_sheet(builder, 12, settings=ClothSettings(drag=0.0))
    builder.add_body("ball", "SPHERE", (0.2,), (0.1, 0.05, 0.5), mass=1.0, velocity=(0, 0, -2))
    builder.add_body(
        "box",
        "BOX",
        (0.2, 0.15, 0.1),
        (-0.2, 0.1, -0.4),
        (0.9, 0.3, 0.1, 0.2),
        mass=1.5,
        velocity=(0.2, 0.0, 1.5),
        angular_velocity=(1.0, 2.0, 0.0),
    )
    builder.add_body(
        "tetrahedron",
        "BOX",
        (0.1, 0.1, 0.1),
        (0.3, -0.3, 0.4),
        mass=0.7,
        velocity=(0.0, 0.0, -1.5),
        model="TETRAHEDRON",
    )
    line = np.stack([np.linspace(-0.6, 0.6, 13), np.full(13, -0.1), np.full(13, 0.9)], axis=1)
    rope = Geometry.of("rope", line, [(k, k + 1) for k in range(12)])
    add_rope(builder, rope, RopeSettings(drag=0.0), velocity=(0.0, 0.0, -3.0))
    return builder.finalize()


def _momenta(model: Model, state: State) -> Floats:
    """Momenta (n + b, 3) kg·m/s of all particles and bodies."""
    particles = model.mass[:, None] * (state.position - state.previous)
    bodies = model.bodies.mass[:, None] * (state.body_position - state.body_previous)
    return np.concatenate([particles, bodies]) / state.step


@case("mixed-momentum")
def mixed_momentum() -> Result:
    """Change of momentum of a closed mixed scene in 1000 substeps, as a share of all there is."""
    model = _closed_scene()
    state = model.initial_state(gravity=STILL.gravity)
    before = _momenta(model, state)
    for _ in range(50):
        state, _ = advance(model, state, STILL, SolverSettings())
    after = _momenta(model, state)
    change = np.abs(after.sum(axis=0) - before.sum(axis=0)).max()
    return Result(float(change / np.abs(before).sum()), 0.0, 1e-10)


@case("mixed-lift")
def mixed_lift() -> Result:
    """A box flies into free cloth and lifts it: the speed of their common centre, m/s."""
    builder = ModelBuilder()
    add_sheet(builder, 12, settings=ClothSettings(drag=0.0))
    builder.add_body("box", "BOX", (0.3, 0.3, 0.1), (0, 0, -0.2), mass=1.0, velocity=(0, 0, 1))
    model = builder.finalize()
    state = model.initial_state(gravity=STILL.gravity)
    for _ in range(24):
        state, _ = advance(model, state, STILL, SolverSettings())
    total = float(_momenta(model, state)[:, 2].sum())
    mass = 1.0 + float(model.mass.sum())
    return Result(total / mass, 1.0 / mass, 1e-10)
