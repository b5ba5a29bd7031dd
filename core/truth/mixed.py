"""Particles and bodies together: what one gains the other loses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from ..arrays import Floats
from ..bench.scenes import add_sheet
from ..bench.shapes import ball
from ..building.builder import ModelBuilder
from ..model import FrameInputs, Model, State
from ..model.joint_table import OnBody
from ..presets import PRESETS
from ..recipes.geometry import Geometry
from ..recipes.rope import add_rope
from ..recipes.soft_body import add_soft_body
from ..settings import ClothSettings, RopeSettings, SolverSettings
from ..step import advance
from .case import Result, case
from .rigid_motion import angular_momentum

IN_SPACE = FrameInputs(gravity=(0.0, 0.0, 0.0))


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


def _tied_scene() -> Model:
    """Cloth, rope and jelly that hang on bodies, bodies that hang on each other, all turning."""
    builder = ModelBuilder()
    add_sheet(builder, 12, height=0.3, settings=ClothSettings(drag=0.0))
    spin = (0.5, 1.0, 2.0)
    boxes = [
        OnBody(
            builder.add_body(
                f"box {n}",
                "BOX",
                (0.2, 0.15, 0.1),
                place,
                mass=mass,
                velocity=speed,
                angular_velocity=spin,
            )
        )
        for n, (place, mass, speed) in enumerate(
            [
                ((1.1, 1.1, 0.3), 0.5, (0.0, -1.0, 0.0)),
                ((0.0, 0.0, -0.3), 1.0, (0.0, 0.0, 1.0)),
                ((0.5, 0.0, -0.3), 2.0, (0.0, 0.5, 0.5)),
            ]
        )
    ]
    builder.add_attachment(boxes[0], [143])
    builder.add_joint("hinge", boxes[1], boxes[2], (0.25, 0.0, -0.3))
    line = np.stack([np.full(13, 0.7), np.zeros(13), np.linspace(-0.3, -1.5, 13)], axis=1)
    rope = Geometry.of("rope", line, [(k, k + 1) for k in range(12)])
    object = add_rope(builder, rope, RopeSettings(drag=0.0))
    builder.add_attachment(boxes[2], [builder.objects[object].first_particle])
    jelly = replace(PRESETS["SOFT_BODY"]["JELLY"].settings, drag=0.0)
    add_soft_body(builder, ball(0, 0.2, (-0.4, 0.1, 0.9)), jelly, velocity=(0.2, 0.0, -2.0))
    return builder.finalize()


def momenta_of_all(model: Model, state: State) -> Floats:
    """Momenta (n + b, 3) kg·m/s of all particles and bodies."""
    particles = model.particles.mass[:, None] * (state.position - state.previous)
    bodies = model.bodies.mass[:, None] * (state.body_position - state.body_previous)
    return np.concatenate([particles, bodies]) / state.step


def angular_momenta_of_all(model: Model, state: State) -> Floats:
    """Angular momenta (n + 2b, 3) kg·m²/s about the origin: of all places, and bodies' own."""
    place = np.concatenate([state.previous, state.body_previous])
    orbits = np.cross(place, momenta_of_all(model, state))
    own = [angular_momentum(model, state, b) for b in range(len(model.bodies))]
    return np.concatenate([orbits, np.reshape(own, (-1, 3))])


def _change(scene: Callable[[], Model], momenta: Callable[[Model, State], Floats]) -> float:
    """Largest change of the sum in 1000 substeps, as a share of all there is."""
    model = scene()
    state = model.initial_state(gravity=IN_SPACE.gravity)
    before = momenta(model, state)
    touched = 0
    for _ in range(50):
        state, figures = advance(model, state, IN_SPACE, SolverSettings())
        touched += figures.contact_count
    change = np.abs(momenta(model, state).sum(axis=0) - before.sum(axis=0)).max()
    return float(change / np.abs(before).sum()) if touched else float("nan")


@case("mixed-momentum")
def mixed_momentum() -> Result:
    """Momentum of a closed scene of cloth, rope and bodies of both kinds that run together."""
    return Result(_change(_closed_scene, momenta_of_all), 0.0, 1e-10)


@case("mixed-angular-momentum")
def mixed_angular_momentum() -> Result:
    """Its angular momentum."""
    return Result(_change(_closed_scene, angular_momenta_of_all), 0.0, 1e-8)


@case("mixed-tied-momentum")
def tied_momentum() -> Result:
    """Momentum of a closed scene of cloth, rope, jelly, bodies, a joint and ties."""
    return Result(_change(_tied_scene, momenta_of_all), 0.0, 1e-10)


@case("mixed-tied-angular-momentum")
def tied_angular_momentum() -> Result:
    """Its angular momentum."""
    return Result(_change(_tied_scene, angular_momenta_of_all), 0.0, 1e-9)


def _lying(size: tuple[float, float, float], mass: float) -> Model:
    """A box that comes to lie in free cloth."""
    builder = ModelBuilder()
    add_sheet(builder, 12, settings=ClothSettings(drag=0.0))
    builder.add_body(
        "box",
        "BOX",
        size,
        (0.5, 0.45, 0.35),
        (0.9, 0.3, 0.1, 0.2),
        mass=mass,
        velocity=(0.2, 0.0, -2.0),
        angular_velocity=(1.0, 2.0, 0.5),
    )
    return builder.finalize()


def _lying_angular_momentum(size: tuple[float, float, float], mass: float) -> Result:
    return Result(_change(partial(_lying, size, mass), angular_momenta_of_all), 0.0, 1e-9)


for _name, _size, _mass in (("box", (0.2, 0.15, 0.1), 1.5), ("die", (0.1, 0.1, 0.1), 0.3)):
    case(f"mixed-{_name}-in-cloth")(partial(_lying_angular_momentum, _size, _mass))


def _in_jelly(fineness: int, size: tuple[float, float, float], mass: float) -> Model:
    """A box that spins and a ball of jelly on their way into each other, off their middles."""
    builder = ModelBuilder()
    jelly = replace(PRESETS["SOFT_BODY"]["JELLY"].settings, drag=0.0)
    shape = ball(fineness, 0.2, (0.0, 0.0, 0.2 + 1.5 * size[2]))
    add_soft_body(builder, shape, jelly, velocity=(0.2, 0.0, -2.0))
    builder.add_body(
        "box",
        "BOX",
        size,
        (0.0, 0.25 * size[1], 0.0),
        mass=mass,
        velocity=(0.0, 0.0, 0.5),
        angular_velocity=(0.5, 1.0, 2.0),
    )
    return builder.finalize()


def _meeting_jelly(fineness: int, size: tuple[float, float, float], mass: float) -> Result:
    return Result(
        _change(partial(_in_jelly, fineness, size, mass), angular_momenta_of_all), 0.0, 1e-9
    )


for _name, _fineness, _size, _mass in (
    ("box", 1, (0.2, 0.15, 0.1), 1.0),
    ("plank", 0, (0.4, 0.08, 0.03), 4.0),
    ("brick", 2, (0.1, 0.2, 0.06), 30.0),
):
    case(f"mixed-{_name}-in-jelly")(partial(_meeting_jelly, _fineness, _size, _mass))


@case("mixed-heavy-crate")
def heavy_crate() -> Result:
    """Stretch of a rope of twenty edges by a crate 200 times as heavy that hangs on it."""
    builder = ModelBuilder()
    line = np.stack([np.zeros(21), np.zeros(21), np.linspace(0.0, -1.0, 21)], axis=1)
    rope = Geometry.of("rope", line, [(k, k + 1) for k in range(20)])
    settings = RopeSettings()
    add_rope(builder, rope, settings, pin_weight=np.arange(21) == 0)
    mass = 200.0 * settings.line_density
    crate = OnBody(builder.add_body("crate", "BOX", (0.2,) * 3, (0.0, 0.0, -1.2), mass=mass))
    builder.add_attachment(crate, [20])
    model = builder.finalize()
    state = model.initial_state()
    worst = 0.0
    for _ in range(72):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
        length = np.linalg.norm(np.diff(state.position, axis=0), axis=1).sum()
        worst = max(worst, float(length) - 1.0)
    return Result(worst, 0.0, 0.02)


def _heavy_load(ratio: float, pins: tuple[int, ...]) -> Result:
    """Deepest fall in m of a box of so many times the mass of the sheet that it falls into."""
    builder = ModelBuilder()
    add_sheet(builder, 32, pins=pins)
    mass = ratio * 4.0 * ClothSettings().area_density
    builder.add_body("box", "BOX", (0.25,) * 3, (0.03, 0.02, 0.45), mass=mass)
    model = builder.finalize()
    state = model.initial_state()
    deepest = 0.25
    for _ in range(72):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
        deepest = min(deepest, float(state.body_position[0, 2]))
    return Result(0.25 - deepest, 0.0, 0.05)


CORNER_VERTICES = (0, 31, 32 * 31, 32 * 32 - 1)
EDGES = tuple(32 * row + column for row in range(32) for column in (0, 31))
for _ratio in (1.0, 10.0, 100.0):
    case(f"mixed-load-corners-{_ratio:g}")(partial(_heavy_load, _ratio, CORNER_VERTICES))
    case(f"mixed-load-edges-{_ratio:g}")(partial(_heavy_load, _ratio, EDGES))


@case("mixed-lift")
def mixed_lift() -> Result:
    """A box flies into free cloth and lifts it: the speed of their common centre, m/s."""
    builder = ModelBuilder()
    add_sheet(builder, 12, settings=ClothSettings(drag=0.0))
    builder.add_body("box", "BOX", (0.3, 0.3, 0.1), (0, 0, -0.2), mass=1.0, velocity=(0, 0, 1))
    model = builder.finalize()
    state = model.initial_state(gravity=IN_SPACE.gravity)
    for _ in range(24):
        state, _ = advance(model, state, IN_SPACE, SolverSettings())
    total = float(momenta_of_all(model, state)[:, 2].sum())
    mass = 1.0 + float(model.particles.mass.sum())
    return Result(total / mass, 1.0 / mass, 1e-10)
