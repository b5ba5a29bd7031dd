"""Ropes: a drawn curve, one that winds round a bar, a cable, a chain, a release, a coil."""

import bpy
import numpy as np
from scene_parts import (
    BLUE,
    BROWN,
    GOLD,
    RED,
    STEEL,
    TEAL,
    WOOD,
    add_box,
    add_curve,
    add_cylinder,
    add_floor,
    add_mesh,
    add_post,
    degrees,
    key,
    make,
    new_scene,
    paint,
    show_edges,
)

RELEASE = 80  # frame


def build() -> None:
    """Set it up."""
    new_scene(160, (0.25, -7.0, 2.2), (0.25, 0.0, 1.22), lens=41.0)
    add_floor()
    for x in (-2.5, -0.9):
        make("collider", add_post("Post", (x, 0.0), 0.06, 2.3, WOOD))
        bpy.context.object.verlet.collider.shape = "CAPSULE"
    _drawn_curve()
    _released()
    _swinging()
    pillar = add_box("Pillar", (0.25, 0.7, 2.4), BROWN)
    pillar.location = (1.45, 0.2, 1.2)
    make("collider", pillar)
    _cable()
    _chain()
    _coil()


def _drawn_curve() -> None:
    """Four Bezier points, longer than the way between the posts; both ends pinned."""
    points = [(-2.44, 0, 2.15), (-2.05, 0.0, 2.5), (-1.35, 0.0, 2.5), (-0.96, 0, 2.15)]
    rope = add_curve("Drawn Rope", np.array(points), 0.035, GOLD, kind="BEZIER")
    make("rope", rope)
    rope.verlet.rope.diameter = 0.07
    bpy.ops.verlet.pin_ends()


def _released() -> None:
    """Hangs between the posts until its keyed pins let go."""
    t = np.linspace(0.0, 1.0, 41)
    points = np.stack([-2.44 + 1.48 * t, 0.0 * t, 1.35 - 1.5 * t * (1.0 - t)], axis=1)
    rope = add_curve("Released Rope", points, 0.035, RED)
    make("rope", rope)
    rope.verlet.rope.diameter = 0.07
    bpy.ops.verlet.pin_ends()
    key(rope.verlet.animated, "pin", {1: 1.0, RELEASE - 1: 1.0, RELEASE: 0.0})


def _swinging() -> None:
    """A mesh of edges that swings down, aslant, and winds itself round a bar, turn beside turn."""
    gallows = add_box("Beam", (0.12, 0.7, 0.12), WOOD)
    gallows.location = (-0.1, 0.3, 2.5)
    add_post("Beam Post", (-0.1, 0.6), 0.05, 2.5, WOOD)
    bar = add_cylinder("Bar", 0.07, 1.0, STEEL)
    bar.location = (-0.14, 0.15, 1.6)
    bar.rotation_euler = degrees(90.0, 0.0, 0.0)
    make("collider", bar)
    bar.verlet.collider.shape = "CAPSULE"
    count = 61
    t = np.linspace(0.0, 1.0, count)
    angle = np.radians(65.0)
    points = np.stack(
        [-0.1 + 1.5 * np.sin(angle) * t, 0.3 * t, 2.42 - 1.5 * np.cos(angle) * t], axis=1
    )
    edges = np.stack([np.arange(count - 1), np.arange(1, count)], axis=1)
    rope = add_mesh("Swinging Rope", points, (), TEAL, edges=edges)
    paint(rope, "Hook", (np.arange(count) == 0).astype(float))
    make("rope", rope)
    rope.verlet.pin_group = "Hook"
    rope.verlet.rope.diameter = 0.06
    show_edges(rope, 0.03)


def _cable() -> None:
    """Clamped at one end by pinned points: stiff enough to stand out from the pillar."""
    t = np.linspace(0.0, 1.0, 21)
    points = np.stack([1.5 + 1.45 * t, 0.0 * t, 2.2 + 0.0 * t], axis=1)
    cable = add_curve("Cable", points, 0.025, BLUE)
    make("rope", cable, preset="CABLE")
    cable.verlet.rope.diameter = 0.05
    cable.verlet.rope.bend = 1.0
    bpy.ops.object.mode_set(mode="EDIT")
    for number, point in enumerate(cable.data.splines[0].points):
        point.select = number < 3
    bpy.ops.verlet.pin_selected()
    bpy.ops.object.mode_set(mode="OBJECT")


def _coil() -> None:
    """A limp rope that falls on its end, from out of sight, and coils up on itself."""
    t = np.linspace(0.0, 1.0, 97)
    points = np.stack([0.5 + 0.02 * t, -0.8 + 0.02 * t, 0.1 + 3.6 * t], axis=1)
    rope = add_curve("Falling Rope", points, 0.03, GOLD)
    make("rope", rope)
    rope.verlet.rope.diameter = 0.06
    rope.verlet.rope.friction = 1.0


def _chain() -> None:
    """A limp rope that carries links by an Array and a Curve modifier, all native."""
    make("collider", add_post("Chain Post", (3.0, 0.0), 0.06, 1.7, WOOD))
    bpy.context.object.verlet.collider.shape = "CAPSULE"
    t = np.linspace(0.0, 1.0, 37)
    start, end = np.array((1.6, 0.0, 1.3)), np.array((2.92, 0.0, 1.5))
    bulge = 4.0 * t * (1.0 - t)
    points = start + (end - start) * t[:, None]
    points += np.stack([0.0 * t, -0.2 * bulge, -0.45 * bulge], axis=1)
    chain = add_curve("Chain", points, 0.0, STEEL)
    make("rope", chain, preset="CHAIN")
    bpy.ops.verlet.pin_ends()
    links = _pair_of_links()
    array = links.modifiers.new("Links", "ARRAY")
    array.fit_type, array.curve = "FIT_CURVE", chain
    array.use_relative_offset, array.use_constant_offset = False, True
    array.constant_offset_displace = (0.14, 0.0, 0.0)
    along = links.modifiers.new("Along", "CURVE")
    along.object = chain


def _pair_of_links() -> bpy.types.Object:
    """Two links along X, the second turned by 90°, 0.14 m in all."""
    around, across = 16, 8
    u = np.linspace(0.0, 2.0 * np.pi, around, endpoint=False)
    v = np.linspace(0.0, 2.0 * np.pi, across, endpoint=False)
    u, v = np.meshgrid(u, v, indexing="ij")
    wide = 0.026 + 0.011 * np.cos(v)
    ring = np.stack(
        [wide * np.cos(u) + 0.02 * np.sign(np.cos(u)), wide * np.sin(u), 0.011 * np.sin(v)], axis=2
    ).reshape(-1, 3)
    turned = ring[:, [0, 2, 1]] + (0.07, 0.0, 0.0)
    a, b = np.meshgrid(np.arange(around), np.arange(across), indexing="ij")
    faces = np.stack(
        [
            a * across + b,
            (a + 1) % around * across + b,
            (a + 1) % around * across + (b + 1) % across,
            a * across + (b + 1) % across,
        ],
        axis=2,
    ).reshape(-1, 4)
    vertices = np.concatenate([ring, turned]) + (0.035, 0.0, 0.0)
    return add_mesh(
        "Chain Links",
        vertices,
        np.concatenate([faces, faces[:, ::-1] + len(ring)]),
        STEEL,
        smooth=True,
    )
