"""Compile everything ahead: run the smallest scene that reaches every kernel."""

from __future__ import annotations

import time

import numpy as np

from . import jit
from .bodies import body_poses
from .builder import ModelBuilder
from .constraints.angle_limit import AngleLimits
from .constraints.hinge_bend import HingeBends
from .constraints.link import Links
from .constraints.plane import MovingPlanes, Planes
from .constraints.point_link import PointLinks
from .constraints.rod import Rods
from .constraints.shape_match import ShapeMatches
from .constraints.volume import Volumes
from .forces.field import Field
from .forces.flock import Flock
from .model import FrameInputs, Model
from .recipes.cloth import add_cloth
from .recipes.geometry import Geometry
from .recipes.particles import add_particles
from .recipes.plant import add_plant
from .recipes.rope import add_rope
from .rigid.islands import REST_TIME
from .rigid.joint_table import OnBody
from .settings import (
    ClothSettings,
    ParticleSettings,
    PlantSettings,
    RopeSettings,
    SolverSettings,
    WindSettings,
)
from .step import advance


def warm_up() -> float:
    """Compile every kernel into the cache folder (or load it from there); returns seconds.

    Should this processor's code for one thread and for several not agree bit for bit, several
    threads are switched off: the same result on every run counts for more.
    """
    start = time.perf_counter()
    model = _smallest_of_everything()
    inputs = FrameInputs(
        duration=1 / 12,
        wind=WindSettings(velocity=(1.0, 0.0, 0.0)),
        fields=(
            Field("eddies", "TURBULENCE", strength=0.1, noise=0.1, surface=0.5),
            Field("bang", "EXPLOSION", strength=0.01, time=0.1),
        ),
    )
    ends = []
    for threads in (1, jit.thread_limit()):
        state = model.initial_state()
        for _ in range(4):
            state, _ = advance(model, state, inputs, SolverSettings(threads=threads))
        rare = SolverSettings(
            threads=threads, relaxation="JACOBI", acceleration="CHEBYSHEV", iterations=2
        )
        state, _ = advance(model, state, inputs, rare)
        state.body_rest[:] = REST_TIME  # asleep while particles move: they look for each other
        state, _ = advance(model, state, inputs, rare)
        ends.append(state.position.tobytes() + state.body_position.tobytes())
    body_poses(model, state)
    _warm_up_bodies()
    _warm_up_springs()
    jit.mark_warm(twins_agree=ends[0] == ends[1])
    return time.perf_counter() - start


def _warm_up_bodies() -> None:
    """Reach what only bodies without particles use, and what wakes sleepers."""
    builder = ModelBuilder()
    first = builder.add_body("box", "BOX", (0.5,) * 3, (0.0, 0.0, 0.5), mass=1.0)
    second = builder.add_body("ball", "SPHERE", (0.5,), (0.0, 0.0, 1.5), mass=1.0)
    builder.add_body("lid", "CYLINDER", (0.5, 0.1), (0.0, 9.0, 0.1), mass=1.0)
    builder.add_joint("joint", OnBody(first), OnBody(second), (0.0, 0.0, 1.0))
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    for threads in (1, jit.thread_limit()):
        model = builder.finalize()  # anew: pairs that are known are not looked for again
        settings = SolverSettings(threads=threads)
        state, _ = advance(model, model.initial_state(), FrameInputs(), settings)
        state.body_rest[2] = REST_TIME
        advance(model, state, FrameInputs(), settings)


def _warm_up_springs() -> None:
    """Reach what only springs with dampers, as constraints and as forces, and their solver use."""
    builder = ModelBuilder()
    builder.add_particles("spring", [(0, 0, 0), (0, 0, 1)], mass=1.0)
    builder.pin([0])
    builder.add_springs([[0, 1]], 100.0, damping=1.0)
    model = builder.finalize()
    for integrator in ("POSITION_VERLET", "LEAPFROG", "IMPLICIT_EULER"):
        advance(model, model.initial_state(), FrameInputs(), SolverSettings(integrator=integrator))


def _smallest_of_everything() -> Model:
    """A sheet pinned at a corner, bodies of both kinds that touch it and each other, a floor."""
    n = 16
    u = np.linspace(0.0, 1.0, n)
    positions = np.stack([*np.meshgrid(u, u), np.ones((n, n))], axis=-1).reshape(-1, 3)
    a = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).reshape(-1)
    quads = np.stack([a, a + 1, a + n + 1, a + n], axis=1)
    builder = ModelBuilder()
    add_cloth(
        builder,
        Geometry.of("sheet", positions, (), np.arange(len(quads) + 1) * 4, quads.reshape(-1)),
        ClothSettings(),
        pin_weight=np.where(np.arange(n * n) == 1, 0.5, np.arange(n * n) == 0),
    )
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
    builder.add_body("box", "BOX", (0.5,) * 3, (0.5, 0.5, 0.5), mass=1.0, restitution=0.1)
    ball = builder.add_body("ball", "SPHERE", (0.5,), (1.5, 0.5, 0.5), mass=1.0)
    soft = builder.add_body(
        "soft", "BOX", (0.5,) * 3, (0.5, 1.5, 0.5), mass=1.0, model="TETRAHEDRON"
    )
    builder.add_joint("pin", None, OnBody(soft), (0.5, 1.5, 0.5))
    builder.add_particles(
        "dust", [(3, 0, 1), (3, 0, 1.1)], mass=1.0, radius=0.1, restitution=0.5, crowd=True
    )
    dust = builder.particle_count - 2
    builder.add_attachment(OnBody(ball), [dust])
    builder.add_wires([(dust, dust + 1)], 0.01)
    builder.add_force(Flock(len(builder.objects) - 1, np.array([dust, dust + 1])))
    builder.add_particles("bone", [(2.8, 0.05, 1.05), (3.2, 0.05, 1.05)], mass=1.0)
    for stick in ((dust, dust + 1), (dust + 2, dust + 3)):
        builder.add_limbs([stick], 0.1)
    _add_constraints(builder)
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    return builder.finalize()


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
        Volumes.of(builder, owner, faces, compliance=1e-6),
        ShapeMatches.of(builder, owner, [(a, b, c, d)], repair=0.5),
    ):
        builder.add_constraint(constraint)
