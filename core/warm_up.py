"""Compile everything ahead: run the smallest scenes that reach every kernel."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from .building.builder import ModelBuilder
from .collision.shape import Shape, Surface
from .forces.flock import Flock
from .forces.wobble import WobbleDamping
from .kernels import jit
from .model import FrameInputs, Model
from .model.field import Field
from .model.joint_table import OnBody
from .particles.constraints.angle_limit import AngleLimits
from .particles.constraints.hinge_bend import HingeBends
from .particles.constraints.link import Links
from .particles.constraints.plane import MovingPlanes, Planes
from .particles.constraints.point_link import PointLinks
from .particles.constraints.rod import Rods
from .particles.constraints.shape_match import ShapeMatches
from .particles.constraints.volume import Volumes
from .particles.constraints.yarn import Yarns
from .particles.particle_bodies.four_particles import body_poses
from .particles.stick_figures.garment import CarriedPoints
from .recipes.cloth import add_cloth
from .recipes.collider import add_collider
from .recipes.geometry import Geometry
from .recipes.particles import add_particles
from .recipes.plant import add_plant
from .recipes.rope import add_rope
from .rigid.sleep.stillness import REST_TIME
from .settings import (
    ClothSettings,
    ColliderSettings,
    ParticleSettings,
    PlantSettings,
    RopeSettings,
    SolverSettings,
    WindSettings,
)
from .stages.grab import grab_body
from .step import advance

INPUTS = FrameInputs(
    duration=1 / 12,
    wind=WindSettings(velocity=(1.0, 0.0, 0.0)),
    fields=(
        Field("eddies", "TURBULENCE", strength=0.1, noise=0.1, surface=0.5),
        Field("bang", "EXPLOSION", strength=0.01, time=0.1),
    ),
)
RARE = SolverSettings(relaxation="JACOBI", acceleration="CHEBYSHEV", iterations=2)
SHEET = 16
"""Vertices along the edge of a sheet: enough that threads share it."""


def warm_up(first: int = 0) -> float:
    """Compile every kernel into the cache folder (or load it from there); returns seconds.

    Begins with one of several scenes: processes that begin apart compile different kernels.
    """
    start = time.perf_counter()
    for scene in (*SCENES[first:], *SCENES[:first]):
        scene()
    jit.mark_warm()
    return time.perf_counter() - start


def _thread_counts() -> list[int]:
    return sorted({1, jit.thread_limit()})


def _run(model: Model, inputs: FrameInputs = INPUTS, frames: int = 4) -> None:
    """Run a few frames on one thread and on several."""
    for threads in _thread_counts():
        state = model.initial_state()
        for _ in range(frames):
            state, _ = advance(model, state, inputs, SolverSettings(threads=threads))
    body_poses(model, state)


def _fly() -> None:
    """Reach the loop over bodies, the longest kernel of all, with a hand, and nothing else."""
    builder = ModelBuilder()
    first = builder.add_body("box", "BOX", (0.5,) * 3, (0.0, 0.0, 5.5), mass=1.0, layers=0)
    second = builder.add_body("ball", "SPHERE", (0.5,), (0.0, 0.0, 6.5), mass=1.0, layers=0)
    builder.add_joint("joint", OnBody(first), OnBody(second), (0.0, 0.0, 6.0))
    model = builder.finalize()
    grab = grab_body(model, model.initial_state(), first, (0.0, 0.5, 5.5))
    _run(model, replace(INPUTS, grab=grab), frames=1)


def _touch() -> None:
    """Reach contacts of bodies without particles, and what wakes sleepers."""
    builder = ModelBuilder()
    first = builder.add_body("box", "BOX", (0.5,) * 3, (0.0, 0.0, 0.5), mass=1.0)
    second = builder.add_body("ball", "SPHERE", (0.5,), (0.0, 0.0, 1.5), mass=1.0)
    builder.add_body("lid", "CYLINDER", (0.5, 0.1), (0.0, 9.0, 0.1), mass=1.0)
    builder.add_joint("joint", OnBody(first), OnBody(second), (0.0, 0.0, 1.0))
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    for threads in _thread_counts():
        model = builder.finalize()  # anew: pairs that are known are not looked for again
        settings = SolverSettings(threads=threads)
        state, _ = advance(model, model.initial_state(), FrameInputs(), settings)
        state.body_rest[2] = REST_TIME
        advance(model, state, FrameInputs(), settings)


def _drape() -> None:
    """Reach what cloth and loose particles use without bodies; a nail holds a corner."""
    builder = ModelBuilder()
    _add_sheet(builder)
    _add_sheet(builder, 1.01)
    _add_dust(builder)
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    builder.add_collider("nail", "SPHERE", (0.02,), (0.0, 0.0, 1.0))
    _run(builder.finalize(), frames=1)


def _grow() -> None:
    """Reach ropes, plants and constraints, without contacts."""
    builder = ModelBuilder()
    _add_lines(builder)
    _add_constraints(builder)
    _run(builder.finalize(), frames=1)


def _meet() -> None:
    """Reach what is left: all kinds in one scene, and the rarer ways to solve."""
    model = _smallest_of_everything()
    _run(model)
    for threads in _thread_counts():
        settings = replace(RARE, threads=threads)
        state = model.initial_state()
        state.body_hold[:] = 1.0
        state.stretch.share[:] = state.stretch.excess[:] = 0.1
        state, _ = advance(model, state, INPUTS, settings)
        state.body_rest[:] = REST_TIME  # asleep while particles move: they look for each other
        state.body_previous[:] = state.body_position
        state.body_previous_orientation[:] = state.body_orientation
        advance(model, state, INPUTS, settings)


def _pile() -> None:
    """Reach heaps of balls, awake, asleep and woken, on a floor, on a mesh and against a body."""
    builder = ModelBuilder()
    places = [(0.0, 0.0, 0.1), (0.0, 0.05, 0.29), (1.0, 0.0, 0.1), (1.0, 0.05, 0.29), (3, 0, 0.1)]
    builder.add_particles(
        "balls", places, mass=1.0, radius=0.1, restitution=0.1, self_collision=True
    )
    builder.add_body("box", "BOX", (0.2,) * 3, (0.0, 0.29, 0.2), mass=1.0)
    corner = np.array([(2.5, -0.5, 0.0), (3.5, -0.5, 0.0), (3.0, 0.5, 0.0)])
    faces = np.array([(0, 1, 2)], dtype=np.int32)
    mesh = ColliderSettings(shape="MESH")
    add_collider(builder, "mesh", corner, (1.0, 0.0, 0.0, 0.0), mesh, faces)
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    model = builder.finalize()
    for threads in _thread_counts():
        state, settings = model.initial_state(), SolverSettings(threads=threads)
        for _ in range(2):
            state, _ = advance(model, state, FrameInputs(), settings)
            state.balls.rest[1:] = REST_TIME  # one that moves beside one that sleeps
        state, _ = advance(model, state, FrameInputs(), settings)


def _swing() -> None:
    """Reach what only springs with dampers, as constraints and as forces, and their solver use."""
    builder = ModelBuilder()
    builder.add_particles("spring", [(0, 0, 0), (0, 0, 1), (0, 0, 2)], mass=1.0)
    builder.pin([0])
    builder.add_springs([[0, 1]], 100.0, damping=1.0)
    builder.add_springs([[1, 2]], 100.0, together=True)
    model = builder.finalize()
    for integrator in ("LEAPFROG", "IMPLICIT_EULER"):
        advance(model, model.initial_state(), FrameInputs(), SolverSettings(integrator=integrator))
    for threads in _thread_counts():
        advance(model, model.initial_state(), FrameInputs(), SolverSettings(threads=threads))


def _rest() -> None:
    """Reach what may wake a sleeper that lies on a floor: a rope, hail, and what does, a stone."""
    builder = ModelBuilder()
    body = builder.add_body("box", "BOX", (0.5,) * 3, (0.0, 0.0, 0.5), mass=1.0)
    line = np.stack([np.linspace(0.0, 2.0, 5), np.zeros(5), np.full(5, 1.01)], axis=1)
    edges = [(0, 1), (1, 2), (2, 3), (3, 4)]
    add_rope(builder, Geometry.of("rope", line, edges), RopeSettings(), pin_weight=[0, 0, 0, 0, 1])
    builder.add_attachment(OnBody(body), [0])
    builder.add_particles("hail", [(0.2, 0.2, 1.05)], mass=1e-3, radius=0.1)
    builder.add_particles("stone", [(-0.2, 0.2, 1.15)], mass=1.0, radius=0.1, velocity=(0, 0, -9))
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    model = builder.finalize()
    for threads in _thread_counts():
        state = model.initial_state()
        state.body_rest[:] = REST_TIME
        state.body_previous[:] = state.body_position
        for _ in range(2):
            state, _ = advance(model, state, FrameInputs(), SolverSettings(threads=threads))


def _wrap() -> None:
    """Reach cloth between what is drawn of a body and a mesh that moves, and that it begins in."""
    builder = ModelBuilder()
    _add_sheet(builder)
    faces = np.array([(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)], dtype=np.int32)
    builder.add_rigid_body(
        "box",
        [Shape.of("box", "BOX", (0.1,) * 3)],
        (0.5, 0.4, 1.15),
        mass=1.0,
        inertia=(0.01, 0.01, 0.01),
        surface=Surface(
            np.array([(-0.1, 0.0, 0.1), (0.1, 0.0, 0.1), (0.0, 0.1, -0.14)]), faces[:1]
        ),
    )
    corner = np.array([(0.2, 0.2, 0.9), (0.8, 0.2, 0.9), (0.5, 0.8, 0.9), (0.5, 0.4, 1.2)])
    add_collider(
        builder, "mesh", corner, (1.0, 0.0, 0.0, 0.0), ColliderSettings(shape="MESH"), faces
    )
    model = builder.finalize()
    _run(model, FrameInputs(mesh_vertex=1.1 * model.shapes.meshes.vertex), frames=2)


def _press() -> None:
    """Reach cloth between two bodies that move by themselves."""
    builder = ModelBuilder()
    for name, height in (("box", 0.5), ("lid", 1.52)):
        builder.add_body(name, "BOX", (0.5, 0.5, 0.5), (0.5, 0.5, height), mass=1.0)
    _add_sheet(builder, 1.01)
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    _run(builder.finalize(), FrameInputs(), frames=2)


def _cross() -> None:
    """Reach cloth that begins through other cloth."""
    builder = ModelBuilder()
    _add_sheet(builder)
    _add_sheet(builder, 1.0, 0.3)
    _run(builder.finalize(), FrameInputs(), frames=1)


def _jerk() -> None:
    """Reach what was flat and folds within a substep: springs pull back what is out of place."""
    builder = ModelBuilder()
    _add_sheet(builder)
    model = builder.finalize()
    for threads in _thread_counts():
        state = model.initial_state()
        for places in (state.position, state.previous):
            places[2 * SHEET + 2, 2] += 0.8 / (SHEET - 1)
        advance(model, state, FrameInputs(), SolverSettings(threads=threads))


def _smallest_of_everything() -> Model:
    """A sheet pinned at a corner, bodies of both kinds that touch it and each other, a floor."""
    builder = ModelBuilder()
    _add_sheet(builder)
    _add_lines(builder)
    builder.add_body("box", "BOX", (0.5,) * 3, (0.5, 0.5, 0.5), mass=1.0, restitution=0.1)
    ball = builder.add_body("ball", "SPHERE", (0.5,), (1.5, 0.5, 0.5), mass=1.0)
    soft = builder.add_body(
        "soft", "BOX", (0.5,) * 3, (0.5, 1.5, 0.5), mass=1.0, model="TETRAHEDRON"
    )
    builder.add_joint("pin", None, OnBody(soft), (0.5, 1.5, 0.5))
    rope_end = next(one for one in builder.objects if one.name == "rope").first_particle + 4
    builder.add_attachment(OnBody(ball), [_add_dust(builder), rope_end])
    _add_constraints(builder)
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    return builder.finalize()


def _add_sheet(builder: ModelBuilder, height: float = 1.0, slope: float = 0.0) -> None:
    n = SHEET
    u = np.linspace(0.0, 1.0, n)
    x, y = np.meshgrid(u, u)
    positions = np.stack([x, y, height + slope * (x - 0.53)], axis=-1).reshape(-1, 3)
    a = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).reshape(-1)
    quads = np.stack([a, a + 1, a + n + 1, a + n], axis=1)
    add_cloth(
        builder,
        Geometry.of("sheet", positions, (), np.arange(len(quads) + 1) * 4, quads.reshape(-1)),
        ClothSettings(meets_itself=True),
        pin_weight=np.where(np.arange(n * n) == 1, 0.5, np.arange(n * n) == 0),
    )


def _add_lines(builder: ModelBuilder) -> None:
    """A rope, a plant and smoke."""
    line = np.stack([np.linspace(-3.0, -2.0, 5), np.zeros(5), np.ones(5)], axis=1)
    add_rope(
        builder,
        Geometry.of("rope", line, [(0, 1), (1, 2), (2, 3), (3, 4)]),
        RopeSettings(),
        pin_weight=[1, 0, 0, 0, 0],
    )
    stem_and_leaf = [(9, 0, 0), (9, 0, 1), (9, 0, 2), (9, 0.1, 2), (9, 1, 2), (9, 1, 3)]
    add_plant(
        builder,
        Geometry.of("plant", stem_and_leaf, [(0, 1), (1, 2)], (0, 3), (3, 4, 5)),
        PlantSettings(),
    )
    add_particles(builder, Geometry.of("smoke", [(9, 9, 9)]), ParticleSettings(behaviour="FLOW"))


def _add_dust(builder: ModelBuilder) -> int:
    """Two particles that flock, and limbs; returns the first particle."""
    builder.add_particles(
        "dust", [(3, 0, 1), (3, 0, 1.1)], mass=1.0, radius=0.1, restitution=0.5, self_collision=True
    )
    dust = builder.particle_count - 2
    builder.add_wires([(dust, dust + 1)], 0.01)
    builder.add_force(Flock(len(builder.objects) - 1, np.array([dust, dust + 1])))
    builder.add_particles("bone", [(2.8, 0.05, 1.05), (3.2, 0.05, 1.05)], mass=1.0)
    for stick in ((dust, dust + 1), (dust + 2, dust + 3)):
        builder.add_limbs([stick], 0.1)
    return dust


def _add_constraints(builder: ModelBuilder) -> None:
    """A tetrahedron in the air with one constraint of every kind."""
    corners = [(6, 0, 9), (7, 0, 9), (6, 1, 9), (6, 0, 10), (7, 1, 9)]
    owner = builder.add_particles("jelly", corners, mass=1.0)
    a, b, c, d, e = (builder.objects[owner].first_particle + k for k in range(5))
    faces = [(a, c, b), (a, b, d), (b, c, d), (c, a, d)]
    for constraint in (
        Links.of(builder, owner, [(a, b)], closing_speed=0.1),
        Rods.of(builder, owner, [(a, b, c)], 0.01),
        HingeBends.of(builder, owner, [(a, b, c, d)], 0.01),
        AngleLimits.between(builder, owner, [(a, b, c)], 89.0, 91.0),
        Planes.of(builder, owner, [a], corners[0], (1.0, 1.0, 0.0)),
        MovingPlanes.of(builder, owner, [(a, b, c, d)]),
        PointLinks.of(builder, owner, [(e, a, b, c, d)], [(0.25,) * 4], [0.5]),
        CarriedPoints(
            owner, np.array([(e, a, b, c, d)], dtype=np.int32), np.full((1, 4), 0.25), np.ones(1)
        ),
        Volumes.of(builder, owner, faces, compliance=1e-6),
        ShapeMatches.of(builder, owner, [(a, b, c, d)], repair=0.5),
        Yarns.of(builder, owner, [a, b, c], [0, 3]),
    ):
        builder.add_constraint(constraint)
    builder.add_force(WobbleDamping(owner, np.array([a, b, c, d], dtype=np.int32), 1.0, dry=1.0))


def _share() -> None:
    """Reach contacts of so many bodies that threads share them."""
    builder = ModelBuilder()
    for n in range(100):
        place = (0.1 * (n % 10), 0.1 * (n // 10), 0.05)
        builder.add_body(f"box {n}", "BOX", (0.05,) * 3, place, mass=1.0)
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    _run(builder.finalize(), FrameInputs(duration=1 / 480), frames=1)


SCENES = (
    _fly, _touch, _drape, _press, _cross, _jerk, _wrap, _grow, _meet, _pile, _swing, _rest, _share
)  # fmt: skip
"""Scenes that reach every kernel."""
