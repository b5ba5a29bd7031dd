"""Constraints of objects: momenta, cantilevers, strips, pistons and hanging ropes."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial

import numpy as np

from ..arrays import Floats, Ints
from ..building.builder import ModelBuilder
from ..model import FrameInputs, Model, State
from ..particles.constraints.angle_limit import AngleLimits
from ..particles.constraints.hinge_bend import HingeBends
from ..particles.constraints.link import Links
from ..particles.constraints.plane import MovingPlanes, Planes
from ..particles.constraints.rod import Rods
from ..particles.constraints.shape_match import ShapeMatches
from ..particles.constraints.volume import Volumes
from ..recipes.topology import hinges_of, unique_pairs
from ..settings import SolverSettings
from ..settings.gravity import GRAVITY as G
from ..step import advance
from .case import Result, case
from .particles import momenta

NO_GRAVITY = (0.0, 0.0, 0.0)


def edges_of(triangles: Ints) -> Ints:
    """Each edge (e, 2) of triangles (f, 3) once."""
    return unique_pairs(
        np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    )


def sheet(columns: int, rows: int, side: float, other_side: float) -> tuple[Floats, Ints]:
    """Places (n, 3) m of a flat sheet, column by column along x, and its triangles (f, 3)."""
    i, j = np.meshgrid(np.arange(columns + 1), np.arange(rows + 1), indexing="ij")
    x = np.stack([i * side, j * other_side, 0.0 * i], axis=-1).reshape(-1, 3)
    a = (np.arange(columns)[:, None] * (rows + 1) + np.arange(rows)).reshape(-1)
    b, c, d = a + 1, a + rows + 1, a + rows + 2
    return x, np.concatenate([np.stack([a, c, d], 1), np.stack([a, d, b], 1)]).astype(np.int32)


def icosahedron(radius: float) -> tuple[Floats, Ints]:
    """Places (12, 3) m and triangles (20, 3), wound outward."""
    t = (1.0 + math.sqrt(5.0)) / 2.0
    corners = np.array([(0.0, s, u * t) for s in (-1, 1) for u in (-1, 1)])
    x = np.concatenate([np.roll(corners, k, axis=1) for k in range(3)])
    x *= radius / math.hypot(1.0, t)
    near = np.linalg.norm(x[:, None] - x[None], axis=2) < 1.1 * radius
    faces = [
        (i, j, k)
        for i in range(12)
        for j in range(i + 1, 12)
        for k in range(j + 1, 12)
        if near[i, j] and near[j, k] and near[k, i]
    ]
    triangles = np.array(faces, dtype=np.int32)
    inward = np.linalg.det(x[triangles]) < 0.0
    triangles[inward] = triangles[inward, ::-1]
    return x, triangles


# ---------------------------------------------------------------------------- momentum


def _thrown(builder: ModelBuilder, x: Floats) -> int:
    """Particles of unlike masses that fly, spin and jostle each other."""
    random = np.random.default_rng(3)
    return builder.add_particles(
        "free",
        x,
        mass=random.uniform(0.05, 0.2, len(x)),
        velocity=np.cross((0.7, 2.0, 3.0), x) + (0.3, -0.2, 0.5) + random.normal(0.0, 0.2, x.shape),
    )


def _links(builder: ModelBuilder) -> None:
    x = np.random.default_rng(4).uniform(-0.5, 0.5, (12, 3))
    thrown = _thrown(builder, x)
    i, j = np.triu_indices(12, 1)
    pairs = np.stack([i, j], axis=1)
    length = np.linalg.norm(x[i] - x[j], axis=1)
    for part, limits in (
        (slice(0, 20), {"shortest": 0.95 * length[:20], "longest": 1.05 * length[:20]}),
        (slice(20, 40), {"longest": 1.02 * length[20:40], "repair": 0.4}),
        (slice(40, 55), {"compliance": 1e-3}),
        (slice(55, 66), {"closing_speed": 0.05}),
    ):
        builder.add_constraint(Links.of(builder, thrown, pairs[part], **limits))


def _rods(builder: ModelBuilder) -> None:
    n = 16
    s = np.linspace(0.0, 1.0, n)
    straight = np.stack([s, 0.0 * s, 0.0 * s], axis=1)
    bent = np.stack([s, 0.3 * np.sin(4.0 * s), 0.3 * np.cos(4.0 * s)], axis=1)
    for k, x in enumerate((straight, bent)):
        thrown = _thrown(builder, x)
        first = k * n
        i = first + np.arange(n)
        builder.add_sticks(np.stack([i[:-1], i[1:]], axis=1))
        triples = np.stack([i[:-2], i[1:-1], i[2:]], axis=1)
        builder.add_constraint(Rods.of(builder, thrown, triples, 0.02))


def _hinges(builder: ModelBuilder) -> None:
    x, triangles = sheet(5, 5, 0.15, 0.15)
    thrown = _thrown(builder, x)
    builder.add_springs(edges_of(triangles), 300.0)
    builder.add_constraint(HingeBends.of(builder, thrown, hinges_of(triangles), 0.05))


def _angles(builder: ModelBuilder) -> None:
    n = 12
    i = np.arange(n)
    thrown = _thrown(builder, np.stack([0.1 * i, 0.1 * (i % 2), 0.02 * (i // 2 % 2)], axis=1))
    builder.add_sticks(np.stack([i[:-1], i[1:]], axis=1))
    triples = np.stack([i[1:-1], i[:-2], i[2:]], axis=1)
    builder.add_constraint(AngleLimits.between(builder, thrown, triples, 70.0, 110.0))


def _planes(builder: ModelBuilder) -> None:
    x = np.random.default_rng(5).uniform(-0.5, 0.5, (9, 3))
    quads = np.array([(0, 1, 2, 3), (4, 1, 2, 3), (5, 6, 7, 8), (1, 6, 2, 8)])
    weights = np.array([(0.3, 0.3, 0.4), (-0.6, 1.0, 0.6), (0.2, 0.2, 0.6), (0.5, 0.2, 0.3)])
    for quad, weight in zip(quads[::-1], weights[::-1], strict=True):
        x[quad[0]] = weight @ x[quad[1:]]
    thrown = _thrown(builder, x)
    i, j = np.triu_indices(9, 1)
    builder.add_springs(np.stack([i, j], axis=1), 5.0)
    builder.add_constraint(MovingPlanes.of(builder, thrown, quads))


def _volumes(builder: ModelBuilder) -> None:
    x, triangles = icosahedron(0.5)
    thrown = _thrown(builder, x)
    builder.add_springs(edges_of(triangles), 300.0)
    builder.add_constraint(Volumes.of(builder, thrown, triangles, pressure=1.1, compliance=1e-6))


def _shapes(builder: ModelBuilder) -> None:
    x = np.random.default_rng(6).uniform(-0.5, 0.5, (30, 3))
    x[24:, 2] = 0.0  # the last cluster is flat
    thrown = _thrown(builder, x)
    clusters = [np.arange(15), np.arange(10, 26), np.arange(24, 30)]
    builder.add_constraint(ShapeMatches.of(builder, thrown, clusters, repair=(0.2, 0.5, 1.0)))


MAKER_OF_KIND: dict[str, Callable[[ModelBuilder], None]] = {
    "links": _links,
    "rods": _rods,
    "hinges": _hinges,
    "angles": _angles,
    "planes": _planes,
    "volumes": _volumes,
    "shapes": _shapes,
}
"""Free systems, each held together by one kind of constraint."""


@cache
def _momentum_errors(kind: str) -> tuple[float, float]:
    """Largest error of linear momentum, kg m/s, and of the angular one, relative: 1000 steps."""
    builder = ModelBuilder()
    MAKER_OF_KIND[kind](builder)
    model = builder.finalize()
    inputs = FrameInputs(duration=1 / 480, gravity=NO_GRAVITY)
    state = model.initial_state(gravity=NO_GRAVITY)
    linear, angular = momenta(model, state)
    worst = [0.0, 0.0]
    for _ in range(1000):
        state, _ = advance(model, state, inputs, SolverSettings())
        now = momenta(model, state)
        worst[0] = max(worst[0], float(np.linalg.norm(now[0] - linear)))
        turned = float(np.linalg.norm(now[1] - angular) / np.linalg.norm(angular))
        worst[1] = max(worst[1], turned)
    return worst[0], worst[1]


def _linear(kind: str) -> Result:
    return Result(_momentum_errors(kind)[0], 0.0, 1e-10)


def _angular(kind: str) -> Result:
    return Result(_momentum_errors(kind)[1], 0.0, 1e-6)


for _kind in MAKER_OF_KIND:
    case(f"momentum-linear-{_kind}")(partial(_linear, _kind))
    case(f"momentum-angular-{_kind}")(partial(_angular, _kind))


# ---------------------------------------------------------------------------- bending


def settled(model: Model, seconds: float, settings: SolverSettings | None = None) -> State:
    """The state after so many seconds at 24 frames a second under earth's gravity."""
    settings = settings or SolverSettings()
    state = model.initial_state(step=1.0 / settings.substep_rate)
    for _ in range(round(24 * seconds)):
        state, _ = advance(model, state, FrameInputs(), settings)
    return state


def _cantilever(segments: int) -> Result:
    """A clamped rod of 1 m with a weight at its end: sag over F L³/(3 EI), about 3 % of L."""
    rigidity, load = 2.0, 2.0 * 0.03 * 3.0 / G  # N·m², kg
    i = np.arange(segments + 2)  # the clamp is one segment more
    mass = np.full(len(i), 1e-5 / segments)
    mass[-1] = load
    builder = ModelBuilder()
    x = np.stack([(i - 1.0) / segments, 0.0 * i, 0.0 * i], axis=1)
    rod = builder.add_particles("rod", x, mass=mass, drag=8.0)
    builder.pin([0, 1])
    builder.add_sticks(np.stack([i[:-1], i[1:]], axis=1))
    triples = np.stack([i[:-2], i[1:-1], i[2:]], axis=1)
    builder.add_constraint(Rods.of(builder, rod, triples, rigidity))
    state = settled(builder.finalize(), 3.0)
    return Result(-state.position[-1, 2] / (load * G / (3.0 * rigidity)), 1.0, 0.02)


for _segments in (10, 20, 40):
    case(f"cantilever-{_segments}")(partial(_cantilever, _segments))


def _strip(columns: int) -> Result:
    """A clamped strip of 0.2 m under its own weight q: droop over q L⁴/(8 D), about 5 % of L.

    Its diagonals mirror each other across the middle, so that it does not twist as it bends.
    """
    length, density = 0.2, 0.3  # m, kg/m²
    rigidity = density * G * length**3 / (8.0 * 0.05)  # N·m
    side = length / columns
    x, triangles = sheet(columns + 1, 1, side, side)
    x[:, 0] -= side
    half = len(x)
    mirrored = np.arange(half) + half * (np.arange(half) % 2)  # the row y = 0 is common to both
    x = np.concatenate([x, x * (1.0, -1.0, 1.0)])
    both = np.concatenate([triangles, mirrored[triangles[:, ::-1]]])
    used, rows = np.unique(both, return_inverse=True)
    x, triangles = x[used], rows.reshape(-1, 3).astype(np.int32)
    mass = np.bincount(triangles.reshape(-1)) * density * side * side / 6.0
    builder = ModelBuilder()
    strip = builder.add_particles("strip", x, mass=mass, drag=8.0)
    builder.pin(np.flatnonzero(x[:, 0] < 0.5 * side))
    builder.add_sticks(edges_of(triangles))
    builder.add_constraint(HingeBends.of(builder, strip, hinges_of(triangles), rigidity))
    tip = x[:, 0] > length - 0.5 * side
    droop = -float(settled(builder.finalize(), 3.0).position[tip, 2].mean())
    return Result(droop / (0.05 * length), 1.0, 0.05)


for _columns in (8, 16):
    case(f"strip-{_columns}")(partial(_strip, _columns))


# ---------------------------------------------------------------------------- volume


@case("piston")
def piston() -> Result:
    """Sag of a lid of 3 kg on a compressible prism, m: α m g/A² with α in m³/Pa."""
    radius, height, load, compliance = 0.1, 0.1, 3.0, 2e-8
    turn = np.arange(3) * 2.0 * np.pi / 3.0
    ring = radius * np.stack([np.cos(turn), np.sin(turn), 0.0 * turn], axis=1)
    corners = np.concatenate([ring, ring + (0.0, 0.0, height)])
    triangles = [(0, 2, 1), (3, 4, 5)]
    for i in range(3):
        j = (i + 1) % 3
        triangles += [(i, j, 3 + j), (i, 3 + j, 3 + i)]
    builder = ModelBuilder()
    box = builder.add_particles("prism", corners, mass=load / 3.0, drag=20.0)
    builder.pin(np.arange(3))
    lid = np.arange(3, 6)
    builder.add_constraint(Volumes.of(builder, box, triangles, compliance=compliance))
    upright = Planes.of(builder, box, lid, corners[lid], (0.0, 0.0, 1.0), is_line=True)
    builder.add_constraint(upright)
    # passes enough to settle between the pressure on the sides and the lines that bear it
    state = settled(builder.finalize(), 3.0, SolverSettings(iterations=8))
    sag = height - float(state.position[3:, 2].mean())
    area = 0.75 * math.sqrt(3.0) * radius**2
    exact = compliance * load * G / area**2
    return Result(sag, exact, 1e-3 * exact)


# ---------------------------------------------------------------------------- catenary


@cache
def _catenary(length: float) -> tuple[float, float]:
    """Sag and end angle (°) of a rope of plain sticks between pins 1 m apart."""
    n = 30
    s = np.linspace(0.0, 1.0, n + 1)
    depth = math.sqrt(0.25 * length**2 - 0.25)
    x = np.stack([s, 0.0 * s, -depth * (1.0 - np.abs(2.0 * s - 1.0))], axis=1)
    builder = ModelBuilder()
    builder.add_particles("rope", x, mass=0.1 * length / n, drag=3.0)
    builder.pin([0, n])
    i = np.arange(n)
    builder.add_sticks(np.stack([i, i + 1], axis=1), length / n)
    # enough passes and steps that the weight of the rope does not stretch it
    state = settled(builder.finalize(), 8.0, SolverSettings(substep_rate=960, iterations=8))
    side = np.diff(state.position[:3], axis=0)
    angle = np.degrees(np.arctan2(-side[:, 2], side[:, 0]))
    # the angle of a segment is that at its middle: go on by half a segment to the pin
    return -float(state.position[:, 2].min()), float(1.5 * angle[0] - 0.5 * angle[1])


def _sag(length: float, exact: float) -> Result:
    return Result(_catenary(length)[0], exact, 0.005 * exact)


def _end_angle(length: float, exact: float) -> Result:
    return Result(_catenary(length)[1], exact, 0.5)


for _length, _depth, _degrees in ((1.2, 0.292344, 51.954), (2.0, 0.796388, 77.067)):
    case(f"catenary-sag-{_length}")(partial(_sag, _length, _depth))
    case(f"catenary-angle-{_length}")(partial(_end_angle, _length, _degrees))
