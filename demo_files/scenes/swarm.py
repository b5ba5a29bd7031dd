"""Particles: a flock that follows an animated force field, dust in eddies, balls in a box."""

import bpy
import numpy as np
from scene_parts import (
    GOLD,
    GREY,
    RED,
    STEEL,
    WHITE,
    Color,
    add_box,
    add_field,
    add_floor,
    add_icosphere,
    add_mesh,
    linked,
    make,
    new_scene,
    show_at_vertices,
)

BLACK: Color = (0.03, 0.03, 0.05, 1.0)


def build() -> None:
    """Set it up."""
    new_scene(150, (0.0, -8.8, 2.5), (0.0, 0.0, 1.85), lens=40.0)
    add_floor()
    random = np.random.default_rng(3)
    _flock(random)
    _dust(random)
    _balls(random)


def _cloud(name: str, places: np.ndarray, shape: bpy.types.Object) -> bpy.types.Object:
    """A mesh of loose vertices that shows a shape at each of them."""
    cloud = add_mesh(name, places, (), WHITE)
    show_at_vertices(cloud, shape)
    return cloud


def _bird() -> bpy.types.Object:
    """Two raised wings on a slim body; looks alike from in front and from behind."""
    vertices = 0.11 * np.array(
        [(0, 0.35, 0), (0, -0.35, 0), (1.0, -0.1, 0.45), (-1.0, -0.1, 0.45), (0, 0.0, -0.12)]
    )
    faces = [(0, 1, 2), (1, 0, 3), (0, 4, 1)]
    bird = add_mesh("Bird", vertices, faces, BLACK)
    bird.display.show_shadows = False  # open surfaces throw streaks
    return bird


def _flock(random: np.random.Generator) -> None:
    """Two hundred birds are drawn along by a force field that flies past."""
    places = random.uniform(-1.0, 1.0, (200, 3)) * (1.5, 1.0, 0.7)
    flock = _cloud("Flock", places + (-3.6, 1.0, 3.2), _bird())
    make("particles", flock, preset="FLOCK")
    flock.verlet.particles.size = 2.5
    flock.verlet.particles.speed = 2.5
    flock.verlet.particles.separation = 3.0
    way = linked(bpy.data.objects.new("Way", None))
    add_field("FORCE", -3.0).parent = way
    for frame, place in (
        (1, (-2.5, 1.0, 3.1)),
        (40, (0.0, 1.5, 2.9)),
        (75, (1.2, 2.5, 2.9)),
        (110, (-0.8, 3.0, 3.1)),
        (150, (-1.5, 1.5, 2.9)),
    ):
        way.location = place
        way.keyframe_insert("location", frame=frame)


def _dust(random: np.random.Generator) -> None:
    """Carried by a stream of eddies."""
    places = random.normal(0.0, 0.33, (800, 3)) + (-2.0, 0.0, 1.3)
    grain = add_icosphere("Grain", 0.018, 1, GOLD)
    grain.display.show_shadows = False  # too small to be seen, and slow
    dust = _cloud("Dust", places, grain)
    make("particles", dust, preset="FLOW")
    dust.verlet.particles.speed = 0.8
    dust.verlet.particles.size = 1.5
    dust.verlet.animated.fields = 0.0  # the force field is for the birds


def _balls(random: np.random.Generator) -> None:
    """Fall into an open box and pile up."""
    for name, size, place in (
        ("Bottom", (1.3, 1.3, 0.06), (0.0, 0.0, 0.03)),
        ("Left", (0.06, 1.3, 0.5), (-0.62, 0.0, 0.25)),
        ("Right", (0.06, 1.3, 0.5), (0.62, 0.0, 0.25)),
        ("Back", (1.3, 0.06, 0.5), (0.0, 0.62, 0.25)),
        ("Front", (1.3, 0.06, 0.25), (0.0, -0.62, 0.125)),
    ):
        wall = add_box(f"Box {name}", size, STEEL if name == "Front" else GREY)
        wall.location = np.array(place) + (1.7, 0.0, 0.0)
        make("collider", wall)
    x, y, z = np.meshgrid(np.arange(5), np.arange(5), np.arange(7), indexing="ij")
    places = 0.17 * np.stack([x - 2.0, y - 2.0, z + 5.0], axis=-1).reshape(-1, 3)
    places += random.normal(0.0, 0.012, places.shape) + (1.7, 0.0, 0.0)
    balls = _cloud("Balls", places, add_icosphere("Ball", 0.07, 2, RED))
    make("particles", balls, preset="BALLS")
    balls.verlet.particles.radius = 0.07
    balls.verlet.animated.fields = 0.0
