"""Golden scenes of rigid bodies: every pair of shapes, every joint, sleep, bodies of particles."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..bench.shapes import ball
from ..building.builder import ModelBuilder
from ..collision.shape import Shape, Surface
from ..geometry.hull import convex_hull
from ..model import FrameInputs, Model
from ..model.field import Field
from ..model.joint_table import OnBody, OnCollider
from ..model.pull import Pull
from ..recipes.body import add_body
from ..recipes.collider import add_collider
from ..recipes.geometry import Geometry
from ..recipes.rope import add_rope
from ..settings import BodySettings, ColliderSettings, JointSettings, RopeSettings, SolverSettings
from ..settings.joint import JOINT_KINDS, MOTORS
from ..stages.grab import grab_body
from .particle_scenes import add_floor
from .scene import SCENES, GoldenScene, scene

SPREAD_OF_THINGS = 3.0
"""m between what is not to touch."""

TILT = (1.0, 0.1, 0.2, 0.05)

_RANDOM_HULL = convex_hull(np.random.default_rng(2).normal(size=(14, 3)) * 0.2)
_BUMPY = np.array([(x, y, 0.05 * ((x + 2 * y) % 3)) for y in range(-2, 3) for x in range(-2, 3)])
_CELLS = np.array([5 * y + x for y in range(4) for x in range(4)], dtype=np.int32)
_BUMPY_TRIANGLES = np.concatenate(
    [
        np.stack([_CELLS, _CELLS + 1, _CELLS + 6], axis=1),
        np.stack([_CELLS, _CELLS + 6, _CELLS + 5], axis=1),
    ]
)

SIZES: dict[str, tuple[float, ...]] = {
    "PLANE": (),
    "BOX": (0.25, 0.2, 0.15),
    "ROOM": (1.0, 1.0, 1.0),
    "SPHERE": (0.2,),
    "CAPSULE": (0.12, 0.2),
    "CYLINDER": (0.2, 0.15),
    "HULL": (),
    "MESH": (),
}
"""Size of the one shape of each kind that meets all others."""

TOPS = {"PLANE": 0.0, "ROOM": -1.0, "MESH": 0.1}
"""m, where what is to lie on it has to be; the half height of all else stands in `SIZES`."""

SOLID = ("BOX", "SPHERE", "CAPSULE", "CYLINDER", "HULL")
"""Kinds that a body may have."""


def shape(kind: str) -> Shape:
    """The shape of a kind."""
    if kind == "HULL":
        return Shape.of(kind, kind, hull=_RANDOM_HULL)
    if kind == "MESH":
        return Shape.of(kind, kind, surface=Surface(_BUMPY, _BUMPY_TRIANGLES))
    return Shape.of(kind, kind, SIZES[kind])


def _put(builder: ModelBuilder, kind: str, place: tuple[float, ...], **details: Any) -> int:
    """A body of a kind of shape; its inertia is that of a ball, whatever it is."""
    return builder.add_rigid_body(
        kind, [shape(kind)], place, TILT, mass=1.0, inertia=(0.02, 0.03, 0.025), **details
    )


def _on_everything(kind: str) -> GoldenScene:
    """Bodies of one kind, each on another thing: colliders of every kind and bodies too."""
    builder = ModelBuilder()
    for lane, other in enumerate(SIZES):
        builder.add_collider_shapes(other, [shape(other)], (SPREAD_OF_THINGS * lane, 0.0, 0.0))
        _put(
            builder,
            kind,
            (SPREAD_OF_THINGS * lane, 0.03, TOPS.get(other, 0.3) + 0.2),
            restitution=0.4,
            velocity=(0.5, 0.0, -2.0),
            angular_velocity=(1.0, 2.0, 3.0),
        )
    for lane, other in enumerate(SOLID):
        for under, height in ((other, 3.0), (kind, 3.5)):
            _put(
                builder,
                under,
                (SPREAD_OF_THINGS * lane, 0.02, height),
                velocity=(0.0, 0.0, 2.0 if height == 3.0 else -2.0),
            )
    return GoldenScene(builder.finalize(), frames=8)


for _kind in SOLID:
    SCENES[f"shapes-{_kind.lower()}"] = partial(_on_everything, _kind)


@scene("shapes-particles")
def shapes_particles() -> GoldenScene:
    """Particles that fall on colliders of every kind, slowly and fast, and on nothing."""
    builder = ModelBuilder()
    drops = np.array([(0.02, 0.03, 0.0), (0.05, -0.04, 0.1), (-0.06, 0.02, 0.2)])
    for lane, other in enumerate(SIZES):
        builder.add_collider_shapes(
            other,
            [shape(other)],
            (SPREAD_OF_THINGS * lane, 0.0, 0.0),
            friction=0.7,
            restitution=0.2,
        )
        above = (SPREAD_OF_THINGS * lane, 0.0, TOPS.get(other, 0.25) + 0.05)
        builder.add_particles(
            f"on {other}",
            drops + above,
            mass=0.1,
            radius=0.02,
            restitution=0.5,
            velocity=(0.3, 0.0, -2.0),
        )
    _put(builder, "BOX", (0.0, 9.0, 1.0))
    builder.add_particles("on a body", drops + (0.0, 9.0, 1.3), mass=0.1, velocity=(0, 0, -2.0))
    return GoldenScene(builder.finalize())


@scene("shapes-particle-bodies")
def shapes_particle_bodies() -> GoldenScene:
    """Bodies of particles of both forms on colliders of every kind, on a body and on each other."""
    builder = ModelBuilder()
    for lane, other in enumerate(SIZES):
        place = (SPREAD_OF_THINGS * lane, 0.0, 0.0)
        builder.add_collider_shapes(other, [shape(other)], place)
        form = ("TETRAHEDRON", "AXES")[lane % 2]
        above = (SPREAD_OF_THINGS * lane, 0.03, TOPS.get(other, 0.3) + 0.25)
        velocity = (0.4, 0.0, -2.0)
        builder.add_body(
            form, "BOX", (0.2, 0.15, 0.1), above, TILT, mass=1.0, model=form, velocity=velocity
        )
    _put(builder, "BOX", (0.0, 3.0, 1.0))
    for k, form in enumerate(("TETRAHEDRON", "AXES")):
        builder.add_body(
            form,
            "SPHERE",
            (0.2,),
            (0.02, 3.0, 1.4 + 0.45 * k),
            mass=1.0,
            model=form,
            velocity=(0.0, 0.0, -2.0),
        )
    builder.add_particles("dust", [(0.0, 3.0, 2.3)], mass=0.1, velocity=(0.0, 0.0, -4.0))
    return GoldenScene(builder.finalize(), settings=SolverSettings(body_iterations=3))


def _joint_settings(kind: str, motor: str) -> JointSettings:
    return JointSettings(
        kind=kind,
        motor=motor,
        is_limited=motor == "POSE",
        lower=-0.2,
        upper=0.2,
        swing=0.3,
        friction=0.5 if motor == "NONE" else 0.0,
        limits_linear=(True, motor == "NONE", True),
        angular_lower=(-0.1, 0.0, -0.1),
        angular_upper=(0.1, 0.0, 0.3),
        motor_speed=3.0,
        motor_target=0.1,
    )


def _joined(kind: str) -> GoldenScene:
    """Joints of a kind with each motor between world, collider and two bodies; one that breaks."""
    builder = ModelBuilder()
    for lane, (motor, _, _) in enumerate(MOTORS):
        x = SPREAD_OF_THINGS * lane
        post = OnCollider(builder.add_handle("post", (x - 0.5, 0.0, 1.0), TILT))
        first, second, third = (
            OnBody(_put(builder, "BOX", (x + 0.6 * k, 0.0, 1.0), layers=0)) for k in range(3)
        )
        settings = _joint_settings(kind, motor)
        ends = ((post, first, -0.3), (first, second, 0.3), (second, third, 0.9))
        for one, other, at in ends:
            builder.add_joint(kind, one, other, (x + at, 0.0, 1.0), TILT, settings)
        firm = replace(settings, breaking_force=5.0)
        builder.add_joint("breaks", None, third, (x + 1.5, 0.0, 1.0), TILT, firm)

    def inputs(model: Model, frame: int) -> FrameInputs:
        count = len(model.joints)
        return FrameInputs(
            joint_target=np.full(count, 0.05 * frame),
            joint_speed=np.full(count, 3.0 - frame),
            joint_strength=np.where(np.arange(count) % 2 == 0, 1.0, 0.5),
            joint_hold=np.where(np.arange(count) == frame, 0.0, 1.0),
        )

    return GoldenScene(builder.finalize(), inputs)


for _kind, _, _ in JOINT_KINDS:
    SCENES[f"joints-{_kind.lower().replace('_', '-')}"] = partial(_joined, _kind)


@scene("joints-of-particle-bodies")
def joints_of_particle_bodies() -> GoldenScene:
    """Every joint that bodies of particles have, to the world, to each other and to a body."""
    builder = ModelBuilder()
    for lane, kind in enumerate(("BALL", "HINGE", "FIXED", "DISTANCE")):
        x = SPREAD_OF_THINGS * lane
        first, second = (
            OnBody(
                builder.add_body(
                    form, "BOX", (0.2, 0.15, 0.1), (x + 0.5 * k, 0, 1), mass=1.0, model=form
                )
            )
            for k, form in enumerate(("TETRAHEDRON", "AXES"))
        )
        third = OnBody(_put(builder, "BOX", (x + 1.0, 0.0, 1.0)))
        for one, other, at in ((None, first, -0.25), (first, second, 0.25), (second, third, 0.75)):
            builder.add_joint(kind, one, other, (x + at, 0, 1.0), TILT, JointSettings(kind=kind))
    return GoldenScene(builder.finalize())


@scene("sleep")
def sleep() -> GoldenScene:
    """A stack that has fallen asleep, a ball that wakes it, and a pile that is far away."""
    builder = ModelBuilder()
    for x, k in itertools.product((0.0, 5.0), range(3)):
        place = (x, 0.0, 0.25 + 0.5 * k)
        builder.add_body("cube", "BOX", (0.25,) * 3, place, mass=1.0, friction=0.8)
    builder.add_body(
        "ball", "SPHERE", (0.2,), (-6.0, 0.0, 1.0), mass=2.0, velocity=(8.0, 0.0, 2.0), drag=0.1
    )
    add_floor(builder)
    return GoldenScene(builder.finalize(), frames=24)


@scene("sleep-on-what-moves")
def sleep_on_what_moves() -> GoldenScene:
    """Cubes asleep on a wagon, which stops, and on a slow turntable, where a ball hits them."""
    builder = ModelBuilder()
    velocity = (2.0, 0.0, 1.0)
    for x, speed in ((0.0, velocity), (20.0, (0.0, 0.0, 0.0))):
        for k in range(2):
            about: dict[str, Any] = {"mass": 1.0, "friction": 0.8, "velocity": speed}
            builder.add_body("cube", "BOX", (0.25,) * 3, (x, 0.0, 0.25 + 0.5 * k), **about)
        builder.add_collider("floor", "BOX", (2.0, 2.0, 0.5), (x, 0.0, -0.5))
    builder.add_body("ball", "SPHERE", (0.2,), (10.0, 0.0, 3.0), mass=2.0, velocity=(12.0, 0, 2.0))

    def inputs(model: Model, frame: int) -> FrameInputs:
        place, turn = model.colliders.position.copy(), model.colliders.orientation.copy()
        place[0] += np.array(velocity) * (min(frame, 24) + 1) / 24
        half = 0.005 * (frame + 1)
        turn[1] = (np.cos(half), 0.0, 0.0, np.sin(half))
        return FrameInputs(collider_position=place, collider_orientation=turn)

    return GoldenScene(builder.finalize(), inputs, frames=30)


@scene("sleep-among-particles")
def sleep_among_particles() -> GoldenScene:
    """Boxes that have fallen asleep under what is tied to them, and dust that then hits them."""
    builder = ModelBuilder()
    boxes = [
        OnBody(builder.add_body("box", "BOX", (0.25,) * 3, (x, 0.0, 0.25), mass=1.0))
        for x in (0.0, 2.0)
    ]
    flag = np.linspace((0.0, 0.0, 0.5), (0.0, 0.2, 0.5), 5)
    ends = [(k, k + 1) for k in range(4)]
    rope = add_rope(builder, Geometry.of("ribbon", flag, ends), RopeSettings())
    first = builder.objects[rope].first_particle
    builder.add_attachment(boxes[0], first + np.arange(5))
    builder.add_particles("dust", [(2.0, 0.1, 3.4), (2.1, 0.0, 3.5)], mass=0.5)
    add_floor(builder)
    return GoldenScene(builder.finalize(), frames=24)


@scene("driven-bodies")
def driven_bodies() -> GoldenScene:
    """Colliders that move, a body that follows its keys, one that is drawn to them, meshes that
    bend, a field over all; bodies and colliders that recipes have made of meshes.
    """
    builder = ModelBuilder()
    lump = ball(0, 0.3)
    triangles = lump.triangles
    upright = (1.0, 0.0, 0.0, 0.0)
    floor = np.array([(x, y, 0.0) for x in (-9.0, 9.0) for y in (-9.0, 9.0)])
    sheet = _BUMPY + (0.0, 6.0, 0.0)
    add_collider(builder, "floor", floor, upright, ColliderSettings(shape="PLANE"))
    add_collider(builder, "sheet", sheet, upright, ColliderSettings(shape="MESH"), _BUMPY_TRIANGLES)
    for k, follows in enumerate(("ACTIVE", "ANIMATED", "PASSIVE", "ACTIVE")):
        points = lump.positions + (1.0 * k, 0.0, 0.4)
        settings = BodySettings(type=follows, density=500.0, mass_by="DENSITY")
        add_body(builder, follows, points, upright, settings, triangles=triangles)
    points = lump.positions + (0.0, 6.0, 0.5)
    add_body(builder, "on sheet", points, upright, BodySettings(), triangles=triangles)
    field = Field("wind", "WIND", orientation=(1.0, 1.0, 0.0, 0.0), strength=3.0, flow=0.5)
    bang = Field("bang", "EXPLOSION", position=(0.0, -1.0, 0.0), strength=2.0, time=0.1)

    def inputs(model: Model, frame: int) -> FrameInputs:
        count = len(model.bodies)
        moved = model.bodies.position + (0.0, 0.02 * frame, 0.0)
        raised = model.colliders.position + np.array([(0.0, 0.0, 0.01 * frame)])
        drawn = np.where(np.arange(count) == 3, 2.0, 0.0)
        return FrameInputs(
            fields=(field, bang),
            body_position=moved,
            body_orientation=model.bodies.orientation,
            collider_position=raised,
            collider_orientation=model.colliders.orientation,
            mesh_vertex=model.shapes.meshes.vertex * (1.0, 1.0, 1.0 + 0.02 * frame),
            pull=Pull(moved, moved + (0.0, 0.02, 0.0), drawn, np.full(count, 30.0)),
        )

    return GoldenScene(builder.finalize(), inputs, frames=8)


@scene("grabbed-limbs")
def grabbed_limbs() -> GoldenScene:
    """A hand that shakes a chain on a floor by its light end, lets go and takes hold again."""
    builder = ModelBuilder()
    for k in range(6):
        mass = 0.01 if k == 5 else 1.0
        builder.add_body(f"link {k}", "CAPSULE", (0.05, 0.1), (0.0, 0.0, 0.3 * k + 0.3), mass=mass)
    for k in range(5):
        builder.add_joint(f"joint {k}", OnBody(k), OnBody(k + 1), (0.0, 0.0, 0.3 * k + 0.45))
    add_floor(builder)
    model = builder.finalize()
    held = grab_body(model, model.initial_state(), 5, (0.0, 0.02, 1.9))

    def inputs(model: Model, frame: int) -> FrameInputs:
        if frame % 6 == 5:
            return FrameInputs()
        start, end = (0.2 * (frame % 3), 0.1 * frame, 1.9), (0.2 * ((frame + 1) % 3), 0.1, 1.9)
        return FrameInputs(grab=replace(held, start=start, end=end))

    return GoldenScene(model, inputs, frames=10)


def _heap(settings: SolverSettings) -> GoldenScene:
    """Cubes of unlike mass that fall on each other in a room, some of them joined."""
    builder = ModelBuilder()
    random = np.random.default_rng(11)
    for k in range(12):
        place = (0.5 * (k % 2), 0.45 * (k // 2 % 2), 0.3 + 0.45 * (k // 4))
        turn = random.normal(size=4) * 0.2 + (1.0, 0.0, 0.0, 0.0)
        mass = 100.0 if k == 11 else 1.0
        builder.add_body(f"cube {k}", "BOX", (0.2,) * 3, place, turn, mass=mass)
    hinge = JointSettings(kind="HINGE", is_limited=True, lower=-0.3, upper=0.3, friction=0.2)
    for k in range(0, 8, 2):
        at = (0.25, 0.45 * (k // 2 % 2), 0.3 + 0.45 * (k // 4))
        builder.add_joint(f"hinge {k}", OnBody(k), OnBody(k + 1), at, settings=hinge)
    builder.add_collider("room", "ROOM", (1.0, 1.0, 3.0), (0.25, 0.25, 3.0))
    return GoldenScene(builder.finalize(), settings=settings, frames=12)


def _pyramid() -> GoldenScene:
    """Bricks enough that several threads share their contacts, and a ball that drops on them."""
    builder = ModelBuilder()
    for row in range(18):
        for k in range(18 - row):
            place = (0.205 * (k + 0.5 * row), 0.0, 0.05 + 0.0995 * row)
            builder.add_body(f"brick {row} {k}", "BOX", (0.1, 0.05, 0.05), place, mass=1.0)
    builder.add_body("ball", "SPHERE", (0.1,), (1.7, 0.0, 2.0), mass=2.0)
    add_floor(builder)
    return GoldenScene(builder.finalize(), frames=4)


def _heavy_top() -> GoldenScene:
    """A pile near rest under a top that is much heavier: solved at once."""
    builder = ModelBuilder()
    for row in range(4):
        for k in range(4 - row):
            place = (0.21 * (k + 0.5 * row), 0.0, 0.1 + 0.2 * row)
            mass = 500.0 if row == 3 else 1.0
            builder.add_body(f"cube {row} {k}", "BOX", (0.1,) * 3, place, mass=mass)
    add_floor(builder)
    return GoldenScene(builder.finalize(), frames=4)


SCENES["heavy-top"] = _heavy_top
SCENES["pyramid"] = _pyramid
SCENES["heap"] = partial(_heap, SolverSettings())
SCENES["heap-jacobi"] = partial(
    _heap, SolverSettings(relaxation="JACOBI", contact_iterations=4, contact_relaxation=0.7)
)
