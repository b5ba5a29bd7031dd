"""Golden scenes of everything that is made of particles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..bench.cloth_scenes import folded_towels, strip_on_end, twisted_sheet
from ..bench.collider_scenes import skirt
from ..bench.crossed_scenes import poked
from ..bench.pressed_scenes import Press, PullApart, pressed_sheet, pulled_apart
from ..bench.scenes import add_sheet, cloth_grid
from ..bench.shapes import ball, line, stem, tube_tree
from ..bench.tower_scenes import Tower, built
from ..building.builder import ModelBuilder
from ..collision.shape import Shape, Surface
from ..forces.flock import Flock
from ..forces.wobble import WobbleDamping
from ..model import FrameInputs, Model
from ..model.constraint import Constraint
from ..model.field import FALLOFFS, FIELD_KINDS, FIELD_SHAPES, Field
from ..particles.constraints.angle_limit import AngleLimits
from ..particles.constraints.hinge_bend import HingeBends
from ..particles.constraints.link import Links
from ..particles.constraints.plane import MovingPlanes, Planes
from ..particles.constraints.point_link import PointLinks
from ..particles.constraints.rod import Rods
from ..particles.constraints.shape_match import ShapeMatches
from ..particles.constraints.volume import Volumes
from ..particles.constraints.yarn import Yarns
from ..particles.stick_figures.garment import CarriedPoints
from ..presets import PRESETS
from ..recipes.cloth import add_cloth
from ..recipes.geometry import Geometry
from ..recipes.particles import add_particles
from ..recipes.plant import add_plant
from ..recipes.rope import add_rope
from ..recipes.soft_body import add_soft_body
from ..recipes.tearing import split_apart
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
from ..stages.grab import grab_particle
from .scene import SCENES, GoldenScene, scene

GUST = WindSettings(velocity=(6.0, 1.0, 0.5), gust=0.5)

_TETRAHEDRON_CORNERS = np.array(
    [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0.3)], dtype=float
)
_TETRAHEDRON_FACES = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]

_CONSTRAINTS: dict[str, Callable[[ModelBuilder, int, int], Constraint]] = {
    "thread": lambda b, o, f: Links.of(b, o, [(f, f + 1)], closing_speed=0.5),
    "leash": lambda b, o, f: Links.of(b, o, [(f, f + 1)], longest=1.01),
    "link": lambda b, o, f: Links.of(b, o, [(f, f + 1)], repair=0.5),
    "rod": lambda b, o, f: Rods.of(b, o, [(f, f + 1, f + 2)], 10.0),
    "hinge": lambda b, o, f: HingeBends.of(b, o, [(f, f + 1, f + 2, f + 3)], 1.0),
    "angle": lambda b, o, f: AngleLimits.between(b, o, [(f, f + 1, f + 2)], 89.0, 91.0),
    "plane": lambda b, o, f: Planes.of(b, o, [f], b.position[f], (1.0, 1.0, 0.0)),
    "line": lambda b, o, f: Planes.of(b, o, [f], b.position[f], (1.0, 1.0, 0.0), is_line=True),
    "moving plane": lambda b, o, f: MovingPlanes.of(b, o, [(f, f + 1, f + 2, f + 3)]),
    "point link": lambda b, o, f: PointLinks.of(
        b, o, [(f + 4, f, f + 1, f + 2, f + 3)], [(0.25,) * 4], [0.5]
    ),
    "carried": lambda b, o, f: CarriedPoints(
        o,
        np.array([(f + 4, f, f + 1, f + 2, f + 3)], dtype=np.int32),
        np.full((1, 4), 0.25),
        np.ones(1),
    ),
    "volume": lambda b, o, f: Volumes.of(
        b, o, [tuple(f + k for k in t) for t in _TETRAHEDRON_FACES], compliance=1e-6
    ),
    "shape": lambda b, o, f: ShapeMatches.of(b, o, [(f, f + 1, f + 2, f + 3)], repair=0.5),
    "yarn": lambda b, o, f: Yarns.of(b, o, [f, f + 1, f + 2], [0, 3]),
}
"""Constraints of the particles f … f + 4 of object o."""


def add_floor(builder: ModelBuilder) -> None:
    """A floor at z = 0."""
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))


@scene("cloth-pinned")
def cloth_pinned() -> GoldenScene:
    """A corner that is carried about, one that is drawn, factors that are keyed."""
    builder = ModelBuilder()
    add_sheet(builder, 10, pins=(0, 9))
    builder.pin([90], 0.5)

    def inputs(model: Model, frame: int) -> FrameInputs:
        place = model.particles.position[model.pins.particle] + (0.0, 0.0, 0.02 * frame)
        keyed = AnimatedSettings(stiffness=1.0 + 0.1 * frame, drag=2.0, wind=0.5)
        weight = np.where(model.pins.weight >= 1.0, 1.0, 0.1 * frame)
        return FrameInputs(wind=GUST, pin_position=place, pin_weight=weight, animated=(keyed,))

    return GoldenScene(builder.finalize(), inputs)


@scene("cloth-flag")
def cloth_flag() -> GoldenScene:
    """Silk that is held along a side in the wind and in eddies."""
    builder = ModelBuilder()
    silk = PRESETS["CLOTH"]["SILK"].settings
    add_sheet(builder, 12, pins=tuple(range(0, 144, 12)), settings=silk)
    eddies = Field("eddies", "TURBULENCE", strength=2.0, noise=0.1, surface=0.5)
    return GoldenScene(
        builder.finalize(), lambda model, frame: FrameInputs(wind=GUST, fields=(eddies,))
    )


@scene("cloth-folds")
def cloth_folds() -> GoldenScene:
    """Leather that is clamped along a side: its quads fold about places between their corners."""
    builder = ModelBuilder()
    leather = PRESETS["CLOTH"]["LEATHER"].settings
    add_sheet(builder, 10, pins=tuple(range(0, 100, 10)), settings=leather)
    return GoldenScene(builder.finalize(), lambda model, frame: FrameInputs(wind=GUST))


@scene("loaded-cloth")
def loaded_cloth() -> GoldenScene:
    """A trough of cloth that hangs by two borders, and three balls of 25 times its weight in it."""
    builder = ModelBuilder()
    across = [(-0.25, z) for z in (1.0, 0.8, 0.6, 0.4, 0.2)] + [(0.0, 0.2)]
    across += [(-x, z) for x, z in across[4::-1]]
    places = [(x, 0.2 * row, z) for row in range(6) for x, z in across]
    columns = len(across)
    a = (np.arange(5)[:, None] * columns + np.arange(columns - 1)).reshape(-1)
    quads = np.stack([a, a + 1, a + columns + 1, a + columns], axis=1)
    trough = Geometry.of("trough", places, (), np.arange(len(quads) + 1) * 4, quads.ravel())
    is_held = np.isin(np.arange(len(places)) % columns, (0, columns - 1))
    add_cloth(builder, trough, ClothSettings(), pin_weight=is_held.astype(float))
    for number, (y, z) in enumerate(((0.35, 0.45), (0.65, 0.45), (0.5, 0.8))):
        at = (0.01 * number, y, z)
        builder.add_body(f"{number}", "SPHERE", (0.22,), at, velocity=(0, 0, -1.0), mass=6.0)
    return GoldenScene(builder.finalize())


@scene("cloth-on-drawn-body")
def cloth_on_drawn_body() -> GoldenScene:
    """A body that is drawn as a spike, larger than the ball that stands for it, falls on cloth."""
    builder = ModelBuilder()
    add_sheet(builder, 12, pins=(0, 11), height=0.02)
    corner = np.array([(-0.2, -0.1, 0.1), (0.2, -0.1, 0.1), (0.0, 0.2, 0.1), (0.0, 0.0, -0.1)])
    faces = np.array([(0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0)], dtype=np.int32)
    builder.add_rigid_body(
        "spike",
        [Shape.of("spike", "SPHERE", (0.05,))],
        (0.05, 0.02, 0.15),
        mass=1.0,
        inertia=(0.01, 0.01, 0.01),
        velocity=(0.0, 0.0, -1.0),
        surface=Surface(corner, faces),
    )
    return GoldenScene(builder.finalize())


@scene("cloth-under-body")
def cloth_under_body() -> GoldenScene:
    """A plate falls on cloth that lies on a mesh, which rises and is pulled from under it."""
    builder = ModelBuilder()
    add_sheet(builder, 12, pins=(0, 11), height=0.02)
    corner = np.array([(-2.0, -2.0, 0.0), (2.0, -2.0, 0.0), (2.0, 2.0, 0.0), (-2.0, 2.0, 0.0)])
    surface = Surface(corner, np.array([(0, 1, 2), (0, 2, 3)], dtype=np.int32))
    table = Shape.of("table", "MESH", surface=surface)
    builder.add_collider_shapes("table", [table], (0.0, 0.0, 0.0))
    builder.add_body("plate", "CYLINDER", (0.2, 0.02), (0.05, 0.02, 0.1), mass=2.0)

    def inputs(model: Model, frame: int) -> FrameInputs:
        rise = (0.0, 0.0, 0.004 * frame)
        place = model.particles.position[model.pins.particle] + rise + (0.05 * frame, 0.0, 0.0)
        return FrameInputs(mesh_vertex=model.shapes.meshes.vertex + rise, pin_position=place)

    return GoldenScene(builder.finalize(), inputs)


@scene("loose-cloth-under-body")
def loose_cloth_under_body() -> GoldenScene:
    """A brick slides on cloth that nothing holds, and takes it along over a smooth floor."""
    builder = ModelBuilder()
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0), friction=0.02)
    add_sheet(builder, 12, pins=(), height=0.02)
    start, speed = (0.05, 0.02, 0.08), (1.0, 0.4, 0.0)
    builder.add_body("brick", "BOX", (0.2, 0.1, 0.04), start, velocity=speed, mass=5.0)
    return GoldenScene(builder.finalize())


@scene("cloth-large")
def cloth_large() -> GoldenScene:
    """So many vertices that threads share the work, between a ball and a floor."""
    builder = ModelBuilder()
    add_sheet(builder, 48, height=0.52)
    builder.add_collider("ball", "SPHERE", (0.5,), (0.0, 0.0, 0.0))
    add_floor(builder)
    return GoldenScene(builder.finalize(), frames=4)


@scene("cloth-torn")
def cloth_torn() -> GoldenScene:
    """A sheet that a gust tears, beside one that opens along a seam when its strength is keyed."""
    builder = ModelBuilder()
    for name, strength, weak in (("torn", 2.0, 1.0), ("keyed", 1e6, 0.0)):
        x, quads = cloth_grid(9, 0.5)
        offsets = np.arange(len(quads) + 1, dtype=np.int32) * 4
        split = split_apart(Geometry.of(name, x, (), offsets, quads.reshape(-1)))
        x = split.positions
        add_cloth(
            builder,
            split,
            ClothSettings(strength=strength),
            pin_weight=(x[:, 0] < x[:, 0].min() + 1e-6) * 1.0,
            paint={"strength": np.where(np.abs(x[:, 1]) < 1e-6, 1.0, weak)},
        )

    def inputs(model: Model, frame: int) -> FrameInputs:
        keyed = AnimatedSettings(strength=1.0 if frame < 4 else 0.0)
        return FrameInputs(wind=GUST, animated=(AnimatedSettings(), keyed))

    return GoldenScene(builder.finalize(), inputs)


@scene("rope-snaps")
def rope_snaps() -> GoldenScene:
    """A rope that its own weight snaps."""
    builder = ModelBuilder()
    hanging = split_apart(line("hanging", (0.0, 0.0, 1.0), (0.0, 0.0, 0.0), 12))
    pins = (hanging.positions[:, 2] > 0.999) * 1.0
    add_rope(builder, hanging, RopeSettings(strength=0.5), pin_weight=pins)
    return GoldenScene(builder.finalize())


@scene("rope")
def rope() -> GoldenScene:
    """Pinned at an end, another one that lies over a capsule."""
    builder = ModelBuilder()
    pins = np.zeros(21)
    pins[0] = 1.0
    hanging = line("hanging", (0.0, 0.0, 1.0), (1.0, 0.0, 1.0), 20)
    add_rope(builder, hanging, RopeSettings(), pin_weight=pins)
    add_rope(builder, line("lying", (-0.5, 1.0, 0.62), (0.5, 1.0, 0.62), 20), RopeSettings())
    turned = (0.7071, 0.7071, 0.0, 0.0)
    builder.add_collider("bar", "CAPSULE", (0.1, 1.0), (0.0, 1.0, 0.5), turned)
    return GoldenScene(builder.finalize(), lambda model, frame: FrameInputs(wind=GUST))


@scene("grabbed-cloth")
def grabbed_cloth() -> GoldenScene:
    """A hand that drags a sheet by a vertex over the edge of a box."""
    builder = ModelBuilder()
    add_sheet(builder, 10, height=0.52)
    builder.add_collider("box", "BOX", (0.4, 0.4, 0.5), (0.0, 0.0, 0.0))
    model = builder.finalize()
    held = grab_particle(model, model.initial_state(), 9)

    def inputs(model: Model, frame: int) -> FrameInputs:
        x, y, z = held.start
        start, end = (x + 0.1 * frame, y, z), (x + 0.1 * (frame + 1), y, z + 0.05 * frame)
        return FrameInputs(grab=replace(held, start=start, end=end) if frame < 5 else None)

    return GoldenScene(model, inputs, frames=7)


@scene("plant")
def plant() -> GoldenScene:
    """A stem, and a tree of tubes with loose leaves, in the wind."""
    builder = ModelBuilder()
    add_plant(builder, stem(8, 1.0, 0.2), PlantSettings())
    add_plant(builder, tube_tree(3.0, rings=3), PlantSettings())
    return GoldenScene(builder.finalize(), lambda model, frame: FrameInputs(wind=GUST), frames=4)


@scene("rooted-plant")
def rooted_plant() -> GoldenScene:
    """A stem whose pinned root stands deeper in the ground than its lowest branches are long."""
    builder = ModelBuilder()
    add_plant(builder, stem(8, 1.0, 0.2), PlantSettings(), pin_weight=[1.0, *[0.0] * 8])
    builder.add_collider("ground", "PLANE", (), (0.0, 0.0, 0.3))
    return GoldenScene(builder.finalize(), lambda model, frame: FrameInputs(wind=GUST), frames=4)


@scene("soft-body")
def soft_body() -> GoldenScene:
    """Each material on a floor, one with more pressure than it was made with."""
    builder = ModelBuilder()
    add_floor(builder)
    for number, preset in enumerate(PRESETS["SOFT_BODY"].values()):
        add_soft_body(builder, ball(0, 0.2, (0.6 * number, 0.0, 0.21)), preset.settings)
    count = len(builder.objects)
    keyed = (AnimatedSettings(pressure=1.5, friction=0.5),) * count
    return GoldenScene(builder.finalize(), lambda model, frame: FrameInputs(animated=keyed))


def _ways_to_behave() -> list[str]:
    return [name for name, _, _ in tunables(ParticleSettings)["behaviour"][1].choices]


@scene("particles")
def particles() -> GoldenScene:
    """A block of each behaviour: balls, flocks, smoke."""
    builder = ModelBuilder()
    add_floor(builder)
    block = np.stack(np.meshgrid(*[np.arange(3) * 0.11] * 3), axis=-1).reshape(-1, 3)
    shaken = block + np.random.default_rng(7).uniform(-0.01, 0.01, block.shape)
    for number, behaviour in enumerate(_ways_to_behave()):
        settings = ParticleSettings(behaviour=behaviour)
        at = (1.5 * number, 0.0, 0.06)
        add_particles(builder, Geometry.of(behaviour, shaken + at), settings)
    return GoldenScene(builder.finalize(), lambda model, frame: FrameInputs(wind=GUST))


@scene("heap-of-balls")
def heap_of_balls() -> GoldenScene:
    """Two piles of balls that fall asleep where they lie, one of which a ball wakes."""
    builder = ModelBuilder()
    add_floor(builder)
    pile = np.array([(0.0, 0.0, 0.1), (0.2, 0.0, 0.1), (0.1, 0.17, 0.1), (0.1, 0.06, 0.26)])
    builder.add_particles("one", pile, mass=1.0, radius=0.1, friction=0.5, self_collision=True)
    builder.add_particles(
        "other", pile + (2.0, 0.0, 0.0), mass=2.0, radius=0.1, self_collision=True
    )
    builder.add_particles("last", [(0.1, 0.05, 7.0)], mass=0.5, radius=0.05, self_collision=True)
    return GoldenScene(builder.finalize(), frames=36)


@scene("lines-on-faces")
def lines_on_faces() -> GoldenScene:
    """Dust and a rope that fall on a coarse sheet and on a soft body, some of them on both."""
    builder = ModelBuilder()
    add_floor(builder)
    rim = (0, 1, 2, 3, 4, 20, 21, 22, 23, 24)
    add_sheet(builder, 5, height=0.4, pins=rim)
    add_soft_body(builder, ball(0, 0.25, (1.5, 0.0, 0.3)), SoftBodySettings())
    dust = [(-0.3 + 0.3 * k, 0.1 - 0.05 * k, 0.7) for k in range(7)]
    add_particles(builder, Geometry.of("dust", dust), ParticleSettings())
    smoke = [(-0.29 + 0.3 * k, 0.1 - 0.05 * k, 0.76) for k in range(4)]
    add_particles(builder, Geometry.of("smoke", smoke), ParticleSettings(meets_itself=False))
    add_rope(builder, line("rope", (-0.4, 0.23, 0.6), (1.7, -0.11, 0.8), 16), RopeSettings())
    return GoldenScene(builder.finalize(), frames=30)


@scene("rope-on-itself")
def rope_on_itself() -> GoldenScene:
    """A rope that falls on its end and coils, and a net that folds over a ball."""
    builder = ModelBuilder()
    add_floor(builder)
    builder.add_collider("ball", "SPHERE", (0.2,), (2.0, 0.0, 0.3))
    settings = RopeSettings(diameter=0.03, bend=0.1)
    add_rope(builder, line("rope", (0.0, 0.0, 0.05), (0.02, 0.01, 1.5), 40), settings)
    x = np.stack(np.meshgrid(np.arange(6), np.arange(6), [0.0]), axis=-1).reshape(-1, 3)
    ends = [(6 * i + k, 6 * i + k + 1) for i in range(6) for k in range(5)]
    ends += [(6 * k + i, 6 * k + i + 6) for i in range(6) for k in range(5)]
    net = Geometry.of("net", 0.15 * x + (1.65, -0.35, 0.6), ends)
    add_rope(builder, net, settings)
    return GoldenScene(builder.finalize(), frames=36)


@scene("balls-and-limbs")
def balls_and_limbs() -> GoldenScene:
    """Crossing sticks of figures, balls that fall on them, a sheet with tethers under them."""
    builder = ModelBuilder()
    random = np.random.default_rng(3)
    for number, (first, last) in enumerate(
        (((-0.4, 0.0, 0.3), (0.4, 0.0, 0.3)), ((0.0, -0.4, 0.41), (0.0, 0.4, 0.41)))
    ):
        figure = builder.add_particles(
            f"figure {number}", [first, last], mass=1.0, velocity=(0.0, 0.0, -2.0 * number)
        )
        ends = builder.objects[figure].first_particle + np.arange(2)
        builder.add_sticks([ends])
        builder.add_limbs([ends], 0.06)
        builder.add_force(WobbleDamping(figure, ends.astype(np.int32), 1.0, dry=1.0))
    builder.add_particles(
        "balls",
        random.uniform(-0.3, 0.3, (30, 3)) * (1.0, 1.0, 0.3) + (0.0, 0.0, 0.7),
        mass=0.1,
        radius=0.05,
        restitution=0.3,
        velocity=(0.0, 0.0, -3.0),
        self_collision=True,
    )
    add_sheet(builder, 10, height=0.2, pins=(0, 9, 90, 99))
    add_floor(builder)
    return GoldenScene(builder.finalize(), frames=8)


@scene("surfaces")
def surfaces() -> GoldenScene:
    """A strip of cloth that lands on its end and folds up."""
    return GoldenScene(strip_on_end(16).model, frames=24)


@scene("wrung-faces")
def wrung_faces() -> GoldenScene:
    """A sheet that is wrung until its faces fold sharply."""
    wrung = twisted_sheet(10)
    return GoldenScene(wrung.model, lambda _, frame: wrung.inputs(4 * (frame + 1)), frames=16)


@scene("layers-come-to-rest")
def layers_come_to_rest() -> GoldenScene:
    """Two folded towels that creep on each other and are slowed down."""
    return GoldenScene(folded_towels(5, 2).model, frames=36)


@scene("crossed-cloth")
def crossed_cloth() -> GoldenScene:
    """A corner of a sheet that begins through another one, and comes out of it."""
    return GoldenScene(poked(10), frames=6)


@scene("cloth-between-bodies")
def cloth_between_bodies() -> GoldenScene:
    """Two crates with two sheets between them, on a floor."""
    return GoldenScene(built(Tower((0.15, 0.12), (8.0, 4.0), layers=2))[0], frames=12)


@scene("pressed-by-mesh")
def pressed_by_mesh() -> GoldenScene:
    """A mesh that presses two held sheets farther than they reach."""
    pressed = pressed_sheet(Press(kind="MESH", seconds=0.2, vertices=10, layers=2))
    return GoldenScene(pressed.model, lambda _, frame: pressed.inputs(frame + 1), frames=16)


@scene("pressed-by-body")
def pressed_by_body() -> GoldenScene:
    """A driven body that presses a sheet which hangs by its corners."""
    pressed = pressed_sheet(Press(held="corners", kind="BODY", seconds=0.2, vertices=12))
    return GoldenScene(pressed.model, lambda _, frame: pressed.inputs(frame + 1), frames=16)


@scene("rope-pulled-apart")
def rope_pulled_apart() -> GoldenScene:
    """A rope whose ends are driven apart."""
    pulled = pulled_apart(PullApart(held="rope", seconds=0.3, vertices=20))
    return GoldenScene(pulled.model, lambda _, frame: pulled.inputs(frame + 1), frames=12)


@scene("surfaces-on-meshes")
def surfaces_on_meshes() -> GoldenScene:
    """A skirt that begins partly inside hips which walk."""
    walker = skirt(12, tight=0.8)
    return GoldenScene(walker.model, lambda _, frame: walker.inputs(frame + 1))


def _constrained(make: Callable[[ModelBuilder, int, int], Constraint]) -> GoldenScene:
    """A lump of five particles that flies apart, and one constraint that minds it."""
    builder = ModelBuilder()
    velocity = np.random.default_rng(5).normal(size=(5, 3))
    mass = [1.0, 2.0, 0.5, 1.0, 1.5]
    lump = builder.add_particles("lump", _TETRAHEDRON_CORNERS, mass=mass, velocity=velocity)
    builder.add_constraint(make(builder, lump, 0))
    return GoldenScene(builder.finalize())


for _name, _make in _CONSTRAINTS.items():
    SCENES[f"constraint-{_name.replace(' ', '-')}"] = partial(_constrained, _make)


def _cloud_of_sixty_four(builder: ModelBuilder) -> None:
    """Loose particles all round the origin, some of which flock."""
    random = np.random.default_rng(1)
    place = random.uniform(-1.0, 1.0, (64, 3))
    cloud = builder.add_particles("cloud", place, mass=0.1, velocity=random.normal(size=(64, 3)))
    builder.add_force(Flock(cloud, np.arange(16, dtype=np.int32)))
    builder.add_wires([(20, 21), (22, 23)], 0.02)


def _fields(falloff: str) -> GoldenScene:
    """A field of every kind and shape with one falloff, that only a few of the cloud are near."""
    builder = ModelBuilder()
    _cloud_of_sixty_four(builder)
    given = tuple(
        Field(
            f"{kind} {shape}",
            kind,
            position=(0.3 * k - 1.0, 0.2 * n, 0.1),
            orientation=(1.0, 0.3 * n, 0.2, 0.1),
            strength=0.5,
            flow=0.2,
            shape=shape,
            falloff=falloff,
            power=1.0,
            radial_power=0.5,
            noise=0.3,
            side=("BOTH", "POSITIVE", "NEGATIVE")[n],
            time=0.1,
        )
        for k, kind in enumerate(FIELD_KINDS)
        for n, shape in enumerate(FIELD_SHAPES)
    )
    keyed = (AnimatedSettings(fields=0.7),)
    return GoldenScene(
        builder.finalize(), lambda model, frame: FrameInputs(fields=given, animated=keyed)
    )


for _falloff in FALLOFFS:
    SCENES[f"fields-{_falloff.lower()}"] = partial(_fields, _falloff)


def _net(settings: SolverSettings) -> GoldenScene:
    """A net of sticks, springs and dampers that hangs from two corners into a floor."""
    builder = ModelBuilder()
    grid = np.stack(np.meshgrid(np.arange(5) * 0.2, np.arange(5) * 0.2), axis=-1).reshape(-1, 2)
    place = np.concatenate([grid, np.full((25, 1), 0.15)], axis=1)
    builder.add_particles("net", place, mass=0.1, radius=0.02, restitution=0.5)
    k = np.arange(25).reshape(5, 5)
    builder.add_sticks(np.stack([k[:, :-1].ravel(), k[:, 1:].ravel()], axis=1))
    builder.add_springs(
        np.stack([k[:-1].ravel(), k[1:].ravel()], axis=1), 50.0, damping=0.05, turn=-1
    )
    builder.pin([0, 4])
    add_floor(builder)
    return GoldenScene(
        builder.finalize(),
        lambda model, frame: FrameInputs(duration=(1 / 24, 1 / 25)[frame % 2]),
        settings,
    )


def _solver_scenes() -> dict[str, Callable[[], GoldenScene]]:
    """The net under every choice that settings of the solver have."""
    made: dict[str, Callable[[], GoldenScene]] = {}
    slow = replace(SolverSettings(), iterations=8, edge_stiffness=50.0, over_relaxation=1.2)
    for name, (_, about) in tunables(SolverSettings).items():
        for choice, _, _ in about.choices or ():
            chosen: dict[str, Any] = {name: choice}
            settings = replace(slow, **chosen)
            made[f"{name}-{choice}".lower().replace("_", "-")] = partial(_net, settings)
    made["tolerance"] = partial(_net, replace(slow, iterations=20, tolerance=1e-4))
    return made


SCENES.update(_solver_scenes())
