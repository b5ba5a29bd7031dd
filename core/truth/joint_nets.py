"""Many joints in many loops: glued walls stand, nets hang, solved as exactly as few joints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats
from ..bench.rigid_bodies import model_of
from ..bench.rigid_scenes import BRICK, joint_grid, wall
from ..building.builder import ModelBuilder
from ..model import FrameInputs, Model, State
from ..model.joint_table import OnBody
from ..settings import JointSettings, SolverSettings
from ..settings.gravity import GRAVITY
from ..step import advance
from .case import Result, case
from .joints import Z_TO_Y, joint_gaps
from .rigid_motion import angular_momentum

KNOT_SPACING = 0.2  # m, of the knots of nets


def _glued_wall(
    side: int, length: float, top_mass: float, strength: float, layers: int | None = None
) -> Model:
    """A wall of side² bricks, ``length`` m long and of 1 kg, whose last brick weighs top_mass kg.

    strength: N that a joint carries, 0 for any load. layers: of bricks, where there are not `side`.
    """
    scene = wall(side, layers)
    scale = length / (2.0 * BRICK[0])
    builder = ModelBuilder()
    builder.add_collider("floor", "BOX", (100.0, 100.0, 1.0), (0.0, 0.0, -1.0))
    bricks = []
    for b in range(scene.body_count):
        mass = top_mass if b == scene.body_count - 1 else 1.0
        place = scale * scene.position[b]
        bricks.append(OnBody(builder.add_body(f"{b}", "BOX", scale * BRICK, place, mass=mass)))
    settings = JointSettings("FIXED", breaking_force=strength)
    for pair, place in zip(scene.joint_body.tolist(), scene.joint_point, strict=True):
        first, second = bricks[pair[0]], bricks[pair[1]]
        builder.add_joint("glue", first, second, scale * place, settings=settings)
    return builder.finalize()


def hung_net(side: int, corners: int = 4, rows: int | None = None) -> Model:
    """A level net of side² balls on ball joints, held at its corners, that touches nothing.

    rows: of ``side`` balls each, where there are not so many.
    """
    scene = joint_grid(side, rows)
    last = scene.body_count - 1
    builder = ModelBuilder()
    knots = [
        OnBody(
            builder.add_body(f"{b}", "SPHERE", (0.06,), KNOT_SPACING * place, mass=0.05, layers=0)
        )
        for b, place in enumerate(scene.position)
    ]
    for pair, place in zip(scene.joint_body.tolist(), scene.joint_point, strict=True):
        if min(pair) >= 0:
            builder.add_joint("knot", knots[pair[0]], knots[pair[1]], KNOT_SPACING * place)
    for b in (0, side - 1, last + 1 - side, last)[:corners]:
        builder.add_joint("corner", None, knots[b], KNOT_SPACING * scene.position[b])
    return builder.finalize()


def _run(model: Model, seconds: float, gravity: float) -> tuple[State, float]:
    """State at the end, and the widest gap at the end of any frame (m)."""
    pull = (0.0, 0.0, -gravity)
    inputs = FrameInputs(gravity=pull)
    settings = SolverSettings()
    step = inputs.duration / settings.substep_count(inputs.duration)
    state, widest = model.initial_state(step=step, gravity=pull), 0.0
    for _ in range(round(seconds / inputs.duration)):
        state, _ = advance(model, state, inputs, settings)
        widest = max(widest, float(joint_gaps(model, state).max()))
    return state, widest


def _energies(model: Model, seconds: float) -> Floats:
    """Energy (n,) J of motion, spin and height in each substep."""
    inputs = FrameInputs(duration=1.0 / SolverSettings().substep_rate)
    state, energies = model.initial_state(step=inputs.duration), []
    mass, inertia = model.bodies.mass, model.bodies.inertia.mean(axis=1)
    for _ in range(round(seconds / inputs.duration)):
        before = state.body_position
        state, _ = advance(model, state, inputs, SolverSettings())
        speed = (state.body_position - before) / inputs.duration
        height = 0.5 * (state.body_position + before)[:, 2]
        bodies = range(len(model.bodies))
        spin = np.array([angular_momentum(model, state, b) for b in bodies])
        turning = 0.5 * ((spin**2).sum(axis=1) / inertia).sum()
        energy = mass * (0.5 * (speed**2).sum(axis=1) + GRAVITY * height)
        energies.append(float(energy.sum() + turning))
    return np.array(energies)


def _stands(model: Model, length: float, seconds: float) -> float:
    """How far a brick ends from its place, or joints gape, by its length; 1 for each lost joint."""
    start = model.bodies.position
    state, widest = _run(model, seconds, GRAVITY)
    moved = float(np.linalg.norm(state.body_position - start, axis=1).max())
    return max(widest, moved) / length + float(state.joints.broken.sum())


@case("wall-glued-36")
def _wall_36() -> Result:
    """A standing wall of fixed joints, 10 s: gap and way of a brick by its length."""
    return Result(_stands(_glued_wall(6, 0.5, 1.0, 0.0), 0.5, 10.0), 0.0, 0.01)


@case("wall-glued-63")
def _wall_63() -> Result:
    return Result(_stands(_glued_wall(9, 0.4, 3.0, 0.0, layers=7), 0.4, 10.0), 0.0, 0.01)


@case("wall-glued-144")
def _wall_144() -> Result:
    return Result(_stands(_glued_wall(12, 0.2, 1.0, 300.0), 0.2, 10.0), 0.0, 0.01)


@case("wall-glued-529")
def _wall_529() -> Result:
    """Glue that breaks at twice the load of a joint at the bottom: none does."""
    return Result(_stands(_glued_wall(23, 0.2, 1.0, 500.0), 0.2, 10.0), 0.0, 0.01)


@case("wall-glued-heavy")
def _wall_heavy() -> Result:
    """A brick a hundred times as heavy at the end of the top layer of bricks of 5 m."""
    return Result(_stands(_glued_wall(8, 5.0, 100.0, 0.0), 5.0, 5.0), 0.0, 0.01)


@case("net-gap")
def _net_gap() -> Result:
    """Widest gap of a net of 30 × 30 at twice gravity as it is jerked taut, by its spacing."""
    _, widest = _run(hung_net(30), 0.5, 2.0 * GRAVITY)
    return Result(widest / KNOT_SPACING, 0.0, 0.01)


@case("net-gap-oblong")
def _net_oblong() -> Result:
    _, widest = _run(hung_net(37, rows=23), 0.5, 2.0 * GRAVITY)
    return Result(widest / KNOT_SPACING, 0.0, 0.01)


@case("net-energy")
def _net_energy() -> Result:
    """How far the energy of a net that swings down from two corners ever rises above its least.

    As a share of what its fall sets free.
    """
    model = hung_net(8, corners=2)
    energy = _energies(model, 1.5)
    risen = float((energy - np.minimum.accumulate(energy)).max())
    fall = 0.5 * 7.0 * KNOT_SPACING
    return Result(risen / (GRAVITY * float(model.bodies.mass.sum()) * fall), 0.0, 1e-3)


@case("net-held-in-the-middle")
def _net_middle() -> Result:
    """Widest gap of a heavy net that swings down from six knots in its edge, by its spacing."""
    model = model_of(joint_grid(16))
    _, widest = _run(model, 2.0, GRAVITY)
    return Result(widest, 0.0, 0.01)


def join_row(
    builder: ModelBuilder,
    bodies: Sequence[OnBody],
    places: Iterable[ArrayLike],
    turn: ArrayLike = (1.0, 0.0, 0.0, 0.0),
    settings: JointSettings | None = None,
) -> None:
    """Join bodies in a row to each other and to the world at both ends, at one place more, m."""
    row = None, *bodies, None
    for place, (first, second) in zip(places, pairwise(row), strict=True):
        builder.add_joint("pin", first, second, place, turn, settings)


def _plank_bridge(planks: int) -> Model:
    """A straight row of wide planks of 1 kg, jointed to each other and to the world at its ends."""
    builder = ModelBuilder()
    spacing = 0.22
    bodies = [
        OnBody(
            builder.add_body(
                f"{n}", "BOX", (0.1, 0.5, 0.03), ((n + 0.5) * spacing, 0.0, 2.0), mass=1.0
            )
        )
        for n in range(planks)
    ]
    join_row(builder, bodies, [(n * spacing, 0.0, 2.0) for n in range(planks + 1)])
    return builder.finalize()


def _slack_bridge(sag: float, speed: float) -> Model:
    """Twelve planks of 1 kg on a parabola between two places, one half going up, one down, m/s."""
    builder, count = ModelBuilder(), 12
    x = np.linspace(-1.4, 1.4, count + 1)
    ends = np.stack([x, np.zeros_like(x), 2.0 + sag * (x / 1.4) ** 2], axis=1)
    bodies = []
    for n, (first, last) in enumerate(pairwise(ends)):
        way = last - first
        half_pitch = -0.5 * np.arctan2(way[2], way[0])
        builder.add_body(
            f"{n}",
            "BOX",
            (0.46 * float(np.linalg.norm(way)), 0.4, 0.025),
            0.5 * (first + last),
            (np.cos(half_pitch), 0.0, np.sin(half_pitch), 0.0),
            mass=1.0,
            velocity=(0.0, 0.0, speed * np.sin(2.0 * np.pi * (n + 0.5) / count)),
        )
        bodies.append(OnBody(n))
    join_row(builder, bodies, ends, Z_TO_Y, JointSettings("HINGE"))
    return builder.finalize()


@case("bridge-swings")
def _bridge_swings() -> Result:
    """Energy that bridges lose which swing for 4 s with nothing on them, of that of the swing."""
    most = 0.0
    for sag, speed in ((0.15, 0.3), (0.3, 0.5), (0.6, 1.0)):
        model = _slack_bridge(sag, speed)
        state, inputs, energy = model.initial_state(), FrameInputs(), []
        for _ in range(round(4.0 / inputs.duration)):
            state, found = advance(model, state, inputs, SolverSettings())
            energy.append(found.kinetic_energy + found.potential_energy)
        swing = 0.5 * float(model.bodies.mass @ (model.bodies.velocity**2).sum(axis=1))
        most = max(most, float(np.ptp(energy)) / swing)
    return Result(most, 0.0, 1e-3)


@case("bridge-taut")
def _bridge_taut() -> Result:
    """How fast a plank of a bridge without any sag still goes after 4 s, m/s.

    Its planks turn far more easily about the way that they swing than about the other two.
    """
    inputs, fastest = FrameInputs(), 0.0
    for planks in (12, 20):
        model = _plank_bridge(planks)
        state = model.initial_state()
        for frame in range(round(5.0 / inputs.duration)):
            before = state.body_position
            state, _ = advance(model, state, inputs, SolverSettings())
            if frame * inputs.duration >= 4.0:
                moved = np.linalg.norm(state.body_position - before, axis=1).max()
                fastest = max(fastest, float(moved) / inputs.duration)
    return Result(fastest, 0.0, 0.01)
