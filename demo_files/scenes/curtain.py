"""A curtain on rings that slide along a rod: the first is led, the cloth takes the rest along."""

import bpy
import numpy as np
from scene_parts import (
    GOLD,
    RED,
    STEEL,
    WOOD,
    add_cylinder,
    add_floor,
    add_mesh,
    add_post,
    degrees,
    join,
    make,
    new_scene,
)

RINGS, HEIGHT, SPAN = 9, 2.0, 2.4  # how many, m from the floor to the rod, m of rod
ROD, RING, WIRE = 0.02, 0.045, 0.009  # m, radii
GATHERED = 0.12  # m, from ring to ring at first
WIDE = 0.26  # m, of cloth between two rings
COLUMNS, ROWS = 8, 40  # vertices between two rings, and down
DROP = 1.75  # m


def build() -> None:
    """Set it up."""
    new_scene(140, (0.35, -4.3, 1.5), (0.0, 0.0, 1.12), lens=38.0)
    add_floor()
    rod = add_cylinder("Rod", ROD, SPAN, STEEL)
    rod.location.z = HEIGHT
    rod.rotation_euler = degrees(0.0, 90.0, 0.0)
    make("collider", rod)
    rod.verlet.collider.friction = 0.1
    for x in (-0.5, 0.5):
        add_post("Post", (x * (SPAN + 0.08), 0.0), 0.04, HEIGHT + 0.1, WOOD)
    rings = _add_rings()
    curtain = _add_curtain(rings)
    for ring in rings:
        join(curtain, ring)


def _add_rings() -> list[bpy.types.Object]:
    """Rings that hang on the rod; the first is led to the other end."""
    left = -0.5 * SPAN + 0.12
    rings = []
    for number in range(RINGS):
        bpy.ops.mesh.primitive_torus_add(
            major_radius=RING, minor_radius=WIRE, major_segments=16, minor_segments=6
        )
        ring = bpy.context.object
        ring.name, ring.color = f"Ring {number + 1}", GOLD
        ring.location = (left + GATHERED * number, 0.0, HEIGHT - (RING - WIRE - ROD))
        ring.rotation_euler = degrees(0.0, 90.0, 0.0)
        rings.append(ring)
    make("rigid_body", *rings)
    for ring in rings:
        body = ring.verlet.body
        body.shape, body.mass_by, body.mass, body.friction = "COMPOUND", "MASS", 0.05, 0.1
    led = rings[-1]
    led.verlet.body.type = "ANIMATED"
    for frame, x in ((1, led.location.x), (20, led.location.x), (100, 0.5 * SPAN - 0.12)):
        led.location.x = x
        led.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(1)
    return rings


def _add_curtain(rings: list[bpy.types.Object]) -> bpy.types.Object:
    """Cloth in folds between the rings, below which it begins."""
    columns = (RINGS - 1) * COLUMNS + 1
    t = np.arange(columns) / COLUMNS
    x = rings[0].location.x + GATHERED * t
    deep = 0.5 * np.sqrt(max(WIDE**2 - GATHERED**2, 0.0))
    y = deep * np.abs(np.sin(np.pi * t)) * np.where(np.floor(t) % 2 == 0, 1.0, -1.0)
    top = HEIGHT - (RING - WIRE - ROD) - RING - 0.01
    z = top - np.linspace(0.0, DROP, ROWS)
    places = np.stack(np.broadcast_arrays(x, y, z[:, None]), axis=-1).reshape(-1, 3)
    corner = (np.arange(ROWS - 1)[:, None] * columns + np.arange(columns - 1)).reshape(-1)
    faces = np.stack([corner, corner + columns, corner + columns + 1, corner + 1], axis=1)
    curtain = add_mesh("Curtain", places, faces, RED, smooth=True)
    make("cloth", curtain, preset="COTTON")
    curtain.verlet.cloth.damping = 0.3
    return curtain
