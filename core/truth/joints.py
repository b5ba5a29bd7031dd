"""Joints: a chain that swings and comes to hang in the catenary, limits, pendulums."""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Floats
from ..bench.rigid_scenes import LINK_LENGTH, RigidScene, chain, rotation_matrices
from ..building.builder import ModelBuilder
from ..model import FrameInputs, Model, State
from ..model.joint_table import OnBody
from ..settings import JointSettings, SolverSettings
from ..settings.gravity import GRAVITY
from ..step import advance
from .case import Result, case
from .rates import at_rates

Z_TO_Y = (math.sqrt(0.5), -math.sqrt(0.5), 0.0, 0.0)  # a joint whose Z is the world's Y


def chain_model(scene: RigidScene, drag: float) -> Model:
    """A chain of the benchmarks with drag and angular drag in 1/s."""
    builder = ModelBuilder()
    links = [
        OnBody(
            builder.add_body(
                f"link {n}",
                "BOX",
                scene.half[n],
                scene.position[n],
                scene.orientation[n],
                mass=float(scene.mass[n]),
                drag=drag,
                angular_drag=drag,
                layers=0,
            )
        )
        for n in range(scene.body_count)
    ]
    for pair, place in zip(scene.joint_body, scene.joint_point, strict=True):
        ends = [None if body < 0 else links[body] for body in pair.tolist()]
        builder.add_joint("joint", ends[0], ends[1], place)
    return builder.finalize()


def joint_gaps(model: Model, state: State) -> Floats:
    """How far the two anchors of each joint are apart, (j,) m."""
    joints = model.joints
    x = np.vstack([state.body_position, state.collider_position, np.zeros((1, 3))])
    q = np.vstack(
        [state.body_orientation, state.collider_orientation, np.array([[1.0, 0.0, 0.0, 0.0]])]
    )
    turn = rotation_matrices(q)
    ends = []
    for side in range(2):
        owner = joints.owner[:, side]
        ends.append(x[owner] + np.einsum("jik,jk->ji", turn[owner], joints.anchor[:, side]))
    gaps: Floats = np.linalg.norm(ends[1] - ends[0], axis=1)
    return gaps


def _run(model: Model, seconds: float, rate: float) -> tuple[State, float]:
    """The state after some seconds, and the widest gap of a joint at any frame's end, m."""
    state, widest = model.initial_state(), 0.0
    for _ in range(round(24 * seconds)):
        state, _ = advance(model, state, FrameInputs(), SolverSettings(substep_rate=rate))
        widest = max(widest, float(joint_gaps(model, state).max()))
    return state, widest


@at_rates("chain-gap")
def _chain_gap(rate: float) -> Result:
    """Widest gap of 21 links while they swing, as a share of a link."""
    _, widest = _run(chain_model(chain(21, both=True), 0.05), 5.0, rate)
    return Result(widest / LINK_LENGTH, 0.0, 0.01)


@case("chain-heavy-gap")
def _chain_heavy_gap() -> Result:
    """The same with one end free, and the last link a hundred times as heavy."""
    scene = chain(21, both=False, end_mass=100.0)
    _, widest = _run(chain_model(scene, 0.05), 5.0, SolverSettings().substep_rate)
    return Result(widest / LINK_LENGTH, 0.0, 0.01)


def hanging_chain(count: int, span: float) -> Floats:
    """Joints (count + 1, 2) m of a chain of equal links that hangs between two level places.

    The pull along is the same in all links and that across grows by m g from link to link, so
    link n leans with tan θ = c (n − (count − 1)/2); c by bisection.
    """
    lean = np.arange(count) - 0.5 * (count - 1)
    low, high = 0.0, 100.0
    for _ in range(200):
        middle = 0.5 * (low + high)
        width = LINK_LENGTH * float((1.0 / np.hypot(1.0, middle * lean)).sum())
        low, high = (middle, high) if width > span else (low, middle)
    along = 1.0 / np.hypot(1.0, low * lean)
    steps = LINK_LENGTH * np.stack([along, along * low * lean], axis=1)
    return np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])


@at_rates("chain-catenary")
def _chain_catenary(rate: float) -> Result:
    """Where the chain comes to rest: farthest link from where it should hang, by the span."""
    scene = chain(21, both=True)
    state, _ = _run(chain_model(scene, 3.0), 10.0, rate)
    first, last = scene.joint_point[0], scene.joint_point[-1]
    span = float(np.linalg.norm(last - first))
    exact = hanging_chain(21, span)
    middles = 0.5 * (exact[1:] + exact[:-1])
    way = (last - first) / span
    place = state.body_position - first
    error = np.stack([place @ way - middles[:, 0], place[:, 2] - middles[:, 1]], axis=1)
    aside = place - np.outer(place @ way, way)
    aside[:, 2] = 0.0
    worst = np.sqrt((error**2).sum(axis=1) + (aside**2).sum(axis=1)).max()
    return Result(float(worst) / span, 0.0, 0.01)


def _driven_limit(kind: str, rate: float) -> float:
    """Degrees by which gravity holds a rod beyond its limit of 0.5 rad, at rest."""
    builder = ModelBuilder()
    size = (0.5, 0.03, 0.03)
    rod = OnBody(builder.add_body("rod", "BOX", size, (0.5, 0, 0), mass=2.0, layers=0))
    settings = JointSettings(kind, is_limited=True, lower=-0.5, upper=0.5, swing=0.5)
    axes = Z_TO_Y if kind == "HINGE" else (1.0, 0.0, 0.0, 0.0)
    builder.add_joint("joint", None, rod, (0.0, 0.0, 0.0), axes, settings)
    state, _ = _run(builder.finalize(), 3.0, rate)
    axis = rotation_matrices(state.body_orientation)[0, :, 0]
    return math.degrees(math.acos(min(1.0, float(axis[0])))) - math.degrees(0.5)


@at_rates("hinge-limit")
def _hinge_limit(rate: float) -> Result:
    return Result(_driven_limit("HINGE", rate), 0.0, 1.0)


@at_rates("cone-limit")
def _cone_limit(rate: float) -> Result:
    return Result(_driven_limit("CONE_TWIST", rate), 0.0, 1.0)


def _period(degrees: float, rate: float) -> Result:
    """Seconds that a rod on a hinge takes to swing four times, against the elliptic integral."""
    a = math.radians(degrees)
    builder = ModelBuilder()
    rod = OnBody(
        builder.add_body(
            "rod",
            "BOX",
            (0.02, 0.02, 0.5),
            (0.5 * math.sin(a), 0.0, -0.5 * math.cos(a)),
            (math.cos(a / 2), 0.0, -math.sin(a / 2), 0.0),
            mass=1.0,
            layers=0,
        )
    )
    settings = JointSettings("HINGE")
    builder.add_joint("pivot", None, rod, (0.0, 0.0, 0.0), Z_TO_Y, settings)
    model = builder.finalize()
    inertia = (1.0 + 0.04**2) / 12.0 + 0.25
    low, high = 1.0, math.cos(a / 2)
    for _ in range(20):
        low, high = 0.5 * (low + high), math.sqrt(low * high)
    period = 2.0 * math.pi * math.sqrt(inertia / (0.5 * GRAVITY)) / low
    # at three quarters of a period the rod passes straight down: how late it is there
    inputs = FrameInputs(duration=3.75 * period)
    start = model.initial_state(step=1.0 / rate)
    state, _ = advance(model, start, inputs, SolverSettings(substep_rate=rate))
    x = state.body_position[0]
    speed = float((x - state.body_previous[0])[0]) / state.step
    return Result(3.75 * period - float(x[0]) / speed, 3.75 * period, 1e-3 * period)


@at_rates("rod-pendulum-45")
def _pendulum_45(rate: float) -> Result:
    return _period(45.0, rate)


@at_rates("rod-pendulum-90")
def _pendulum_90(rate: float) -> Result:
    return _period(90.0, rate)
