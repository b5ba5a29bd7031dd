"""Layers of cloth on and under rigid bodies that move by themselves: none goes through another."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import numpy as np

from ..arrays import Floats
from ..bench.cloth_scenes import MEETS_ITSELF, add_quads, sheet
from ..bench.tower_scenes import BOX_FACES, CUBE, EDGE, VERTICES
from ..building.builder import ModelBuilder
from ..collision.shape import Shape, Surface
from ..model import FrameInputs, Model, State
from ..recipes.body import add_body
from ..settings import BodySettings, ClothSettings, SolverSettings
from ..step import advance
from ..vector import rotation_matrix
from .case import CASES, Result, case
from .crossings import count_crossings
from .layers_on_colliders import SHEET_GAP
from .mixed import angular_momenta_of_all, momenta_of_all
from .surfaces import EVERY

FRAMES_LAID = 60

MOST_SUNK = 0.001
"""m, of what layers of a centimetre give way by."""


def _laid(half: tuple[float, float, float], mass: float, layers: int, aside: float) -> Model:
    """Sheets over a box on a floor."""
    builder = ModelBuilder()
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    x = CUBE * half + (0.0, 0.0, half[2] + 1e-4)
    settings = BodySettings(mass=mass)
    add_body(builder, "box", x, (1.0, 0.0, 0.0, 0.0), settings, triangles=BOX_FACES)
    p, quads = sheet(VERTICES, VERTICES, EDGE * (VERTICES - 1), EDGE * (VERTICES - 1))
    random = np.random.default_rng(4)
    for number in range(layers):
        away = (aside, 0.0, 2.0 * half[2] + 0.05 + SHEET_GAP * number)
        p_n = p + away + 0.01 * random.normal(size=3) * (1.0, 1.0, 0.0)
        add_quads(builder, p_n, quads, MEETS_ITSELF, name=f"sheet {number}")
    return builder.finalize()


def drawn_places(model: Model, state: State) -> Floats:
    """Where what is drawn of bodies is (v, 3) m, by the poses of the bodies alone."""
    hold = model.body_surfaces.hold
    turn = np.array([rotation_matrix(q) for q in state.body_orientation])
    body = hold["body"]
    carried = np.einsum("hij,hj->hi", turn[body], hold["place"]) + state.body_position[body]
    weighted = hold["weight"][:, None] * carried
    placed: Floats = np.add.reduceat(weighted, model.body_surfaces.first_hold[:-1], axis=0)
    return placed


def pairs_with_bodies(model: Model, state: State) -> int:
    """Pairs of triangles of cloth and of what is drawn of bodies that intersect."""
    table, x, placed = model.body_surfaces, state.position, drawn_places(model, state)
    drawn, faces = [x, placed], [model.surfaces.triangle, table.meshes.triangle + len(x)]
    both = count_crossings(np.concatenate(drawn), np.concatenate(faces))
    bodies = count_crossings(np.concatenate(drawn[1:]), np.concatenate(faces[1:]) - len(x))
    return both - count_crossings(x, model.surfaces.triangle) - bodies


def _played(model: Model) -> tuple[State, int]:
    """The last state, and the most such pairs of any frame."""
    state, most = model.initial_state(), 0
    for frame in range(1, FRAMES_LAID + 1):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
        if frame % EVERY == 0:
            most = max(most, pairs_with_bodies(model, state))
    return state, most


def _through(half: tuple[float, float, float], mass: float, layers: int, aside: float) -> Result:
    """Most pairs of triangles of cloth and of what is drawn that intersect."""
    return Result(float(_played(_laid(half, mass, layers, aside))[1]), 0.0, 0.0)


for _name, _half, _mass, _layers, _aside in (
    ("crate", (0.17, 0.14, 0.2), 9.0, 6, 0.06),
    ("heavy-crate", (0.14, 0.14, 0.14), 120.0, 4, 0.05),
    ("plank-on-edge", (0.02, 0.7, 0.25), 6.0, 6, 0.01),
    ("post", (0.02, 0.02, 0.3), 20.0, 5, 0.03),
):
    CASES[f"layers-on-dynamic-{_name}"] = partial(_through, _half, _mass, _layers, _aside)


def _fallen(layers: int, mass: float, tilt: float, turn: float) -> tuple[Model, float]:
    """A crate that falls on layers that lie on a floor; how high they hold it, m."""
    builder, half = ModelBuilder(), 0.13
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    p, quads = sheet(VERTICES, VERTICES, EDGE * (VERTICES - 1), EDGE * (VERTICES - 1))
    random = np.random.default_rng(5)
    for number in range(layers):
        aside = 0.01 * random.normal(size=3) * (1.0, 1.0, 0.0)
        up = (0.0, 0.0, 0.02 + SHEET_GAP * number)
        add_quads(builder, p + aside + up, quads, MEETS_ITSELF, name=f"sheet {number}")
    c, s, d, t = np.cos(tilt), np.sin(tilt), np.cos(turn), np.sin(turn)
    lean = np.array([(1.0, 0.0, 0.0), (0.0, c, -s), (0.0, s, c)])
    yaw = np.array([(d, -t, 0.0), (t, d, 0.0), (0.0, 0.0, 1.0)])
    x = (CUBE * half) @ (yaw @ lean).T + (0.03, -0.02, 0.25 + SHEET_GAP * layers + 1.5 * half)
    settings = BodySettings(mass=mass)
    add_body(builder, "box", x, (1.0, 0.0, 0.0, 0.0), settings, triangles=BOX_FACES)
    model = builder.finalize()
    return model, half + 2.0 * layers * float(model.particles.radius.min())


@cache
def _fall(layers: int, mass: float, tilt: float, turn: float) -> tuple[int, float]:
    """Most pairs that ever intersect, and how much lower than it should the crate lies, m."""
    model, high = _fallen(layers, mass, tilt, turn)
    state, most = _played(model)
    return most, high - float(state.body_position[0, 2])


def _pierced(*scene: float) -> Result:
    """Most pairs of triangles of cloth and of the crate that intersect."""
    return Result(float(_fall(*scene)[0]), 0.0, 0.0)


def _sunk(*scene: float) -> Result:
    """How far the crate has sunk into the layers, m."""
    return Result(_fall(*scene)[1], 0.0, MOST_SUNK)


for _name, _layers, _mass, _tilt, _turn in (
    ("three", 3, 5.0, 0.5, 0.4),
    ("heavy-on-two", 2, 300.0, 0.9, 1.1),
    ("flat-on-six", 6, 20.0, 0.0, 0.7),
):
    _scene = (_layers, _mass, _tilt, _turn)
    CASES[f"crate-fallen-on-{_name}-apart"] = partial(_pierced, *_scene)
    CASES[f"crate-fallen-on-{_name}-height"] = partial(_sunk, *_scene)


@case("cloth-in-a-body-is-told")
def _is_told() -> Result:
    """Pairs that a sheet half in a box is told with, less those counted independently."""
    model = _laid((0.17, 0.14, 0.2), 9.0, 1, 0.06)
    state = model.initial_state()
    state.position[:, 2] -= 0.2
    state.previous[:] = state.position
    state, figures = advance(model, state, FrameInputs(), SolverSettings())
    counted = pairs_with_bodies(model, state)
    told = sum(c.pairs for c in figures.crossings if c.other == "box")
    return Result(float(told - counted) if counted else np.nan, 0.0, 0.0)


def _spike_meets_sheet() -> Model:
    """A spike flies and turns into a sheet; the ball that stands for it is too small to touch."""
    builder = ModelBuilder()
    p, quads = sheet(VERTICES, VERTICES, 0.75, 0.75)
    add_quads(builder, p, quads, ClothSettings(drag=0.0, meets_itself=False))
    corner = np.array([(-0.2, -0.15, 0.1), (0.2, -0.1, 0.1), (0.0, 0.2, 0.1), (0.02, 0.01, -0.15)])
    faces = np.array([(0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0)], dtype=np.int32)
    builder.add_rigid_body(
        "spike",
        [Shape.of("spike", "SPHERE", (0.02,))],
        (0.1, 0.05, 0.2),
        mass=0.8,
        inertia=(0.01, 0.012, 0.015),
        velocity=(0.0, 0.1, -0.6),
        angular_velocity=(1.0, 2.0, 0.5),
        surface=Surface(corner, faces),
    )
    return builder.finalize()


def _gained(momenta: Callable[[Model, State], Floats]) -> Result:
    """What all have gained together when they have met, as a share of what there was."""
    model, still = _spike_meets_sheet(), FrameInputs(gravity=(0.0, 0.0, 0.0))
    state = model.initial_state(gravity=still.gravity)
    before, most = momenta(model, state), 0.0
    for _ in range(12):
        state, _ = advance(model, state, still, SolverSettings())
        gained = momenta(model, state).sum(axis=0) - before.sum(axis=0)
        most = max(most, float(np.abs(gained).max() / np.abs(before).sum()))
    has_met = state.body_position[0, 2] - state.body_previous[0, 2] > -0.55 * state.step
    return Result(most if has_met else np.nan, 0.0, 1e-10)


@case("drawn-body-keeps-momentum")
def _momentum() -> Result:
    """Momentum, where cloth is kept out of what is drawn."""
    return _gained(momenta_of_all)


@case("drawn-body-keeps-angular-momentum")
def _angular_momentum() -> Result:
    """Angular momentum, likewise."""
    return _gained(angular_momenta_of_all)
