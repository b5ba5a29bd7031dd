"""Whatever a user builds: no NaN, no crash, the same bits twice.

A scene is drawn from a seed: objects of every recipe with settings from the whole range of their
sliders, bodies, colliders, joints, constraints of every kind between random particles, force
fields, keyed factors, every integrator and solver mode, from a centimetre to thirty metres in size.
Explicit integrators, and position Verlet with springs as forces, get springs that they can carry at
their step. Nothing keeps the constraints from contradicting each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from multiprocessing import get_context
from typing import Any

import numpy as np

from ..arrays import Floats
from ..building.builder import ModelBuilder
from ..collision.shape import Shape, Surface
from ..errors import ModelError, SimulationDiverged
from ..geometry.hull import convex_hull
from ..model import FrameInputs, Model
from ..model.field import FALLOFFS, FIELD_KINDS, FIELD_SHAPES, Field
from ..model.joint_table import OnBody, OnCollider
from ..particles.constraints.angle_limit import AngleLimits
from ..particles.constraints.hinge_bend import HingeBends
from ..particles.constraints.link import Links
from ..particles.constraints.plane import MovingPlanes, Planes
from ..particles.constraints.rod import Rods
from ..particles.constraints.shape_match import ShapeMatches
from ..particles.integrators.carries import CARRIES
from ..particles.integrators.stability import least_rate
from ..recipes.all import RECIPES
from ..recipes.geometry import Geometry
from ..records import plain_columns
from ..rigid.inertia import inertia_of
from ..settings import (
    AnimatedSettings,
    ClothSettings,
    ParticleSettings,
    PlantSettings,
    RopeSettings,
    SoftBodySettings,
    SolverSettings,
    WindSettings,
    tunables,
)
from ..step import advance
from .case import Result, case
from .random_joints import JointEnds, joint_inputs, random_joints
from .random_settings import Random, random_settings

SETTINGS: dict[str, type] = {
    "CLOTH": ClothSettings,
    "ROPE": RopeSettings,
    "PLANT": PlantSettings,
    "SOFT_BODY": SoftBodySettings,
    "PARTICLES": ParticleSettings,
}


FRAMES_OF_RANDOM = 3

UNTEARABLE = {"CLOTH": {"strength": 0.0}, "ROPE": {"strength": 0.0}}
"""Nothing here is split, so nothing may tear; tests of tearing have scenes of their own."""

TRIED = 200
"""Scenes in the truth cases."""

STIFFEST_KEY = 2.0
"""A keyed factor makes springs at most so many times as stiff."""


@dataclass(frozen=True)
class RandomScene:
    """A model, what drives it in each frame, and how it is stepped."""

    model: Model
    inputs: Callable[[int], FrameInputs]
    settings: SolverSettings


def random_scene(seed: int) -> RandomScene:
    """Draw a scene; the same seed always gives the same one."""
    random = np.random.default_rng(seed)
    integrator = str(random.choice([name for name, _, _ in _choices("integrator")]))
    if random.random() < 0.6:
        integrator = "POSITION_VERLET"
    if "sticks" not in CARRIES[integrator]:
        return _springs(random, integrator)
    return _anything(random, integrator)


def _choices(name: str) -> tuple[tuple[str, str, str], ...]:
    return tunables(SolverSettings)[name][1].choices


def _springs(random: Random, integrator: str) -> RandomScene:
    """A net of springs and dampers that the integrator can carry at its step, over a floor."""
    rate = float(random.choice([240.0, 480.0, 960.0]))
    n = int(random.integers(2, 30))
    mass = 10.0 ** random.uniform(-2, 2, n)
    pairs = random.integers(0, n, (3 * n, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    builder = ModelBuilder()
    builder.add_particles(
        "net",
        random.uniform(-1, 1, (n, 3)) + (0.0, 0.0, 1.0),
        mass=mass,
        velocity=random.normal(size=(n, 3)),
        drag=random.uniform(0, 2),
        radius=0.02,
        friction=random.random(),
        restitution=random.random(),
    )
    # explicit methods carry ω h ≪ 1; the springs at one particle add up
    stiffest = 1e6 if integrator == "IMPLICIT_EULER" else 1e-4 * rate**2 * mass.min()
    stiffness = stiffest * 10.0 ** random.uniform(-3, 0, len(pairs))
    damping = 0.05 * stiffness / rate if integrator != "EXPLICIT_EULER" else 0.2 * stiffness / rate
    builder.add_springs(pairs, stiffness, damping=damping * random.random())
    builder.pin(np.flatnonzero(random.random(n) < 0.1))
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    model = builder.finalize()
    given = _fields(random, 1.0)
    return RandomScene(
        model,
        lambda frame: FrameInputs(fields=given, wind=_wind(np.random.default_rng(frame))),
        SolverSettings(integrator=integrator, substep_rate=rate),
    )


def _anything(random: Random, integrator: str) -> RandomScene:
    scale = 10.0 ** random.uniform(-2, 1.5)
    builder = ModelBuilder()
    for number in range(random.integers(1, 4)):
        kind = str(random.choice(list(RECIPES)))
        geometry = _geometry(random, f"{kind} {number}", kind, scale)
        paint = {
            name: random.random(geometry.count)
            for name, (_, about) in tunables(SETTINGS[kind]).items()
            if about.paintable and random.random() < 0.2
        }
        pins = np.where(random.random(geometry.count) < 0.2, random.random(geometry.count), 0.0)
        pins = np.where(random.random(geometry.count) < 0.5, np.ceil(pins), pins)
        try:
            RECIPES[kind](
                builder,
                geometry,
                random_settings(random, SETTINGS[kind], **UNTEARABLE.get(kind, {})),
                pin_weight=pins,
                velocity=random.normal(size=3) * scale,
                paint=paint,
            )
        except ModelError:  # named and refused: nothing was added
            continue
        _constraints(random, builder, len(builder.objects) - 1, scale)
    of_particles = bool(random.random() < 0.3)
    is_joined = not of_particles and random.random() < 0.6
    bodies: JointEnds = []
    for number in range(random.integers(1, 12) if is_joined else random.integers(0, 6)):
        place = random.uniform(-1, 1, 3) * scale
        bodies.append((OnBody(len(builder.objects)), place))
        _body(random, builder, number, place, scale, of_particles)
    others: JointEnds = [(None, random.uniform(-1, 1, 3) * scale)]
    for shape in ("PLANE", "BOX", "ROOM", "SPHERE", "CAPSULE"):
        if random.random() < 0.3:
            size = random.uniform(0.1, 1, 3) * scale * (3 if shape == "ROOM" else 1)
            place = random.uniform(-1, 1, 3) * scale
            number = builder.add_collider(shape, shape, size, place, random.normal(size=4))
            others.append((OnCollider(number), place))
    if random.random() < 0.2:
        _ground(random, builder, scale)
    if is_joined:
        random_joints(random, builder, bodies, others, scale)
    if not builder.objects:
        builder.add_particles("dust", random.normal(size=(3, 3)), mass=1.0)
    model = builder.finalize()
    settings = random_settings(
        random,
        SolverSettings,
        integrator=integrator,
        iterations=int(random.integers(1, 5)),
        body_iterations=4,
        substep_rate=float(random.choice([120.0, 240.0, 480.0, 960.0], p=[0.2, 0.4, 0.3, 0.1])),
        threads=1,
        speed_limit=5000.0,
        time_budget=0.0,
    )
    if settings.spring_form == "FORCE":
        needed = least_rate(model, settings)
        # keyed factors make springs stiffer by up to two
        is_carried = needed is not None and needed * STIFFEST_KEY**0.5 <= settings.substep_rate
        if len(model.springs) and not is_carried:
            settings = replace(settings, spring_form="COMPLIANT")
    return RandomScene(model, _inputs(random, model, scale), settings)


def _shape(random: Random, name: str, scale: float, offset: Floats) -> tuple[Shape, Floats]:
    """A shape of any kind and the moments (3,) m² of a kilogram of it, or of a ball as large."""
    kind = str(random.choice(["BOX", "SPHERE", "CAPSULE", "CYLINDER", "HULL"]))
    size = random.uniform(0.05, 0.6, 3) * scale
    if kind == "HULL":
        corners = random.normal(size=(int(random.integers(4, 20)), 3)) * size
        hull = convex_hull(corners)
        assert hull is not None
        shape = Shape.of(name, kind, (), offset, hull=hull)
        return shape, np.full(3, 0.4 * float(size @ size) / 3.0)
    shape = Shape.of(name, kind, tuple(size), offset, random.normal(size=4))
    return shape, inertia_of(name, shape, 1.0)


def _body(
    random: Random,
    builder: ModelBuilder,
    number: int,
    place: Floats,
    scale: float,
    of_particles: bool,
) -> None:
    """A rigid body of one shape or three, or one of four particles."""
    name = f"body {number}"
    mass = 10.0 ** random.uniform(-2, 2)
    details: dict[str, Any] = {
        "restitution": random.random(),
        "friction": random.random(),
        "velocity": random.normal(size=3),
        "angular_velocity": random.normal(size=3),
    }
    if of_particles:
        kind = "BOX" if random.random() < 0.7 else "SPHERE"
        size = tuple(random.uniform(0.05, 0.6, 3) * scale)
        turn = random.normal(size=4)
        form = "AXES" if number % 2 else "TETRAHEDRON"
        builder.add_body(name, kind, size, place, turn, mass=mass, model=form, **details)
        return
    count = 3 if random.random() < 0.3 else 1
    spread = 0.3 * scale if count > 1 else 0.0
    parts = [_shape(random, name, scale, random.normal(0.0, 1.0, 3) * spread) for _ in range(count)]
    moments = mass * np.max([moment for _, moment in parts], axis=0)
    builder.add_rigid_body(
        name,
        [shape for shape, _ in parts],
        place,
        random.normal(size=4),
        mass=mass,
        inertia=moments + mass * spread**2,
        drag=random.random(),
        angular_drag=random.random(),
        static_friction=1.0 + random.random(),
        gyroscopic=bool(random.random() < 0.8),
        sleeps=bool(random.random() < 0.8),
        follows=str(random.choice(["ACTIVE", "ANIMATED", "PASSIVE"], p=[0.8, 0.1, 0.1])),
        **details,
    )


def _ground(random: Random, builder: ModelBuilder, scale: float) -> None:
    """A collider of rough triangles."""
    side = 4
    u = np.linspace(-1.5, 1.5, side) * scale
    x = np.stack([*np.meshgrid(u, u), random.normal(0.0, 0.2, (side, side)) * scale], axis=-1)
    a = (np.arange(side - 1)[:, None] * side + np.arange(side - 1)).reshape(-1)
    triangle = np.concatenate(
        [np.stack([a, a + 1, a + side], 1), np.stack([a + 1, a + side + 1, a + side], 1)]
    )
    surface = Surface(x.reshape(-1, 3), triangle.astype(np.int32), bool(random.random() < 0.5))
    place = (0.0, 0.0, -0.5 * scale)
    shape = Shape.of("ground", "MESH", surface=surface)
    builder.add_collider_shapes("ground", [shape], place, random.normal(0.0, 0.1, 4) + (1, 0, 0, 0))


def _geometry(random: Random, name: str, kind: str, scale: float) -> Geometry:
    """A torn tangle of triangles, a sheet, a closed block or a branching wire."""
    shape = random.choice(["tangle", "sheet", "block", "wire"])
    at = random.uniform(-1, 1, 3) * scale
    if kind == "SOFT_BODY" and random.random() < 0.7:
        shape = "block"
    if shape == "tangle":
        n = int(random.integers(3, 12))
        x = random.uniform(-1, 1, (n, 3)) * scale
        if random.random() < 0.3:
            x[1] = x[0]
        faces = np.stack([random.permutation(n)[:3] for _ in range(n)])
        edges = random.integers(0, n, (2 * n, 2))
        edges = edges[edges[:, 0] != edges[:, 1]]
        return Geometry.of(name, x + at, edges, np.arange(n + 1) * 3, faces.ravel())
    if shape == "wire":
        n = int(random.integers(2, 20))
        x = np.cumsum(random.normal(0.0, 0.1, (n, 3)), axis=0) * scale
        child = np.arange(1, n)
        parent = child - 1 - (random.random(n - 1) < 0.2) * random.integers(0, n, n - 1)
        return Geometry.of(name, x + at, np.stack([np.maximum(parent, 0), child], axis=1))
    if shape == "sheet":
        n = int(random.integers(2, 8))
        u = np.linspace(-0.5, 0.5, n)
        x = np.stack([*np.meshgrid(u, u), np.zeros((n, n))], axis=-1).reshape(-1, 3)
        a = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).reshape(-1)
        quads = np.stack([a, a + 1, a + n + 1, a + n], axis=1)
        turned = x @ np.linalg.qr(random.normal(size=(3, 3)))[0] * scale
        return Geometry.of(name, turned + at, (), np.arange(len(quads) + 1) * 4, quads.ravel())
    corner = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    faces = np.array(
        [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    )
    flat = random.choice([1.0, 1e-3], p=[0.9, 0.1])
    sides = random.uniform(0.2, 1, 3) * (1.0, 1.0, flat)
    return Geometry.of(
        name, (corner - 0.5) * sides * scale + at, (), np.arange(7) * 4, faces.ravel()
    )


def _constraints(random: Random, builder: ModelBuilder, owner: int, scale: float) -> None:
    """A few constraints of every kind between random particles of one object."""
    span = builder.objects[owner]

    def some(width: int) -> Any:
        count = int(random.integers(1, 4))
        rows = [random.permutation(span.particle_count)[:width] for _ in range(count)]
        return np.array(rows) + span.first_particle

    def near(rows: Any) -> Floats:
        """Places a good part of the object's size away from particles (k, 1)."""
        place: Floats = builder.position[rows[:, 0]]
        return place + random.normal(0.0, 0.2, place.shape) * scale

    for width, add in (
        (2, lambda p: Links.of(builder, owner, p, longest=random.uniform(0.1, 2) * scale)),
        (2, lambda p: Links.of(builder, owner, p, closing_speed=random.uniform(0, 2) * scale)),
        (2, lambda p: Links.of(builder, owner, p, repair=random.random())),
        (3, lambda p: Rods.of(builder, owner, p, 10.0 ** random.uniform(-6, 2))),
        (3, lambda p: AngleLimits.between(builder, owner, p, 30.0, 150.0)),
        (4, lambda p: HingeBends.of(builder, owner, p, 10.0 ** random.uniform(-6, 1))),
        (1, lambda p: Planes.of(builder, owner, p, near(p), random.normal(size=3))),
        (4, lambda p: ShapeMatches.of(builder, owner, list(p), repair=random.random())),
        (4, lambda p: MovingPlanes.of(builder, owner, p)),
        (1, lambda p: Planes.of(builder, owner, p, near(p), random.normal(size=3), is_line=True)),
    ):
        if span.particle_count < width or random.random() < 0.8:
            continue
        try:
            builder.add_constraint(add(some(width)))
        except ModelError:  # named and refused
            continue


def _fields(random: Random, scale: float) -> tuple[Field, ...]:
    return tuple(
        Field(
            name=f"field {number}",
            kind=str(random.choice(list(FIELD_KINDS))),
            position=tuple(random.uniform(-1, 1, 3) * scale),
            orientation=tuple(random.normal(size=4)),
            strength=float(random.normal() * 5),
            flow=float(random.random()),
            shape=str(random.choice(list(FIELD_SHAPES))),
            falloff=str(random.choice(list(FALLOFFS))),
            power=float(random.uniform(0, 3)),
            noise=float(random.random()),
            size=float(random.uniform(0.1, 3) * scale),
            linear_drag=float(random.uniform(0, 5)),
            quadratic_drag=float(random.uniform(0, 5)),
            time=float(random.uniform(0, 0.2)),
        )
        for number in range(random.integers(0, 3))
    )


def _wind(random: Random) -> WindSettings:
    return random_settings(random, WindSettings)


def _inputs(random: Random, model: Model, scale: float) -> Callable[[int], FrameInputs]:
    """Inputs of each frame: pins and colliders that move, factors that change, fields."""
    given = _fields(random, scale)
    wind = _wind(random) if random.random() < 0.5 else WindSettings()
    keyed = random.random() < 0.3
    travel: Floats = random.normal(0.0, 0.05, 3) * scale
    is_moving = random.random() < 0.5
    turns_joints = random.random() < 0.5
    seed = int(random.integers(2**32))

    def inputs(frame: int) -> FrameInputs:
        made = FrameInputs(wind=wind, fields=given)
        if is_moving:
            pins = model.particles.position[model.pins.particle] + frame * travel
            made = replace(
                made, pin_position=pins, collider_position=model.colliders.position + frame * travel
            )
            bodies = model.bodies.position + frame * travel
            made = replace(made, body_position=bodies)
        if turns_joints:
            made = replace(made, **joint_inputs(np.random.default_rng(seed + frame), model))
        if keyed:
            draw = np.random.default_rng(seed + frame)
            factors = tuple(
                random_settings(draw, AnimatedSettings, strength=1.0) for _ in model.objects
            )
            made = replace(made, animated=factors)
        return made

    return inputs


@dataclass(frozen=True)
class Outcome:
    """What became of a scene; an empty text is good news."""

    problem: str = ""  # a NaN, an exception, or two runs that differ
    stopped: str = ""  # the engine's own message that the scene blew up


def run_twice(seed: int, frames: int = FRAMES_OF_RANDOM) -> Outcome:
    """Simulate a random scene two times and compare every bit."""
    try:
        first, second = _run(seed, frames), _run(seed, frames)
    except Exception as crash:  # a survey goes on with the next scene
        return Outcome(problem=f"seed {seed}: {type(crash).__name__}: {crash}")
    if first != second:
        return Outcome(problem=f"seed {seed}: two runs differ")
    if isinstance(first, bytes):
        return Outcome()
    return first


def _run(seed: int, frames: int) -> bytes | Outcome:
    """The bits at the end, or why there are none."""
    scene = random_scene(seed)
    state = scene.model.initial_state()
    try:
        for frame in range(frames):
            state, _ = advance(scene.model, state, scene.inputs(frame + 1), scene.settings)
            for name, column in state.columns().items():
                if not all(np.isfinite(one).all() for one in plain_columns(np.asarray(column))):
                    return Outcome(problem=f"seed {seed}: {name} is not finite")
    except SimulationDiverged as stopped:
        return Outcome(stopped=f"seed {seed}, {scene.settings.integrator}: {stopped}")
    return b"".join(np.asarray(column).tobytes() for column in state.columns().values())


def survey(count: int, first: int = 0) -> Iterator[Outcome]:
    """Outcomes of ``count`` scenes from seed ``first`` on, on all processors, in order.

    A process that crashes ends the survey with an exception.
    """
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        yield from pool.map(run_twice, range(first, first + count), chunksize=25)


@cache
def _outcomes() -> tuple[Outcome, ...]:
    return tuple(run_twice(seed) for seed in range(TRIED))


@case("random-scenes")
def random_scenes() -> Result:
    """Random scenes with a NaN, an exception or other bits the second time."""
    return Result(float(sum(bool(one.problem) for one in _outcomes())), 0.0, 0.0)


@case("random-scenes-stopped")
def stopped() -> Result:
    """Random scenes that blew up, at settings that their integrator should carry."""
    return Result(float(sum(bool(one.stopped) for one in _outcomes())), 0.0, 0.0)
