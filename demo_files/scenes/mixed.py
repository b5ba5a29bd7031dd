"""Cloth, ropes and rigid bodies that hold, carry and lift each other."""

import bpy
import numpy as np
from scene_parts import (
    BLUE,
    BROWN,
    GOLD,
    RED,
    STEEL,
    TEAL,
    WHITE,
    WOOD,
    add_ball,
    add_box,
    add_curve,
    add_cylinder,
    add_floor,
    add_grid,
    add_post,
    degrees,
    join,
    make,
    new_scene,
    paint,
)


def build() -> None:
    """Set it up."""
    new_scene(160, (0.0, -7.6, 2.6), (0.0, 0.0, 1.22), lens=38.0)
    add_floor()
    _crate_on_a_rope()
    _lift()
    _sail()


def _crate_on_a_rope() -> None:
    """A drawn curve whose upper end is pinned and whose lower end is joined to a crate."""
    beam = add_box("Beam", (0.12, 1.0, 0.12), WOOD)
    beam.location = (-1.85, 0.0, 2.7)
    post = add_post("Beam Post", (-1.85, 0.45), 0.06, 2.7, WOOD)
    make("collider", beam, post)
    angle = np.radians(40.0)
    down = np.array((-np.sin(angle), 0.0, -np.cos(angle)))
    t = np.linspace(0.0, 1.0, 21)
    points = np.array((-1.85, 0.0, 2.62)) + 1.4 * t[:, None] * down
    crate = add_box("Crate", (0.5, 0.5, 0.4), BROWN)
    crate.rotation_euler = (0.0, angle, 0.0)
    crate.location = points[-1] + 0.2 * down
    make("rigid_body", crate)
    crate.verlet.body.mass = 20.0
    rope = add_curve("Rope", points, 0.025, GOLD)
    make("rope", rope)
    rope.verlet.rope.diameter = 0.05
    bpy.ops.verlet.pin_ends()
    join(rope, crate)


def _lift() -> None:
    """A table that rises, three boxes on it, and a cloth over them."""
    table = add_box("Table", (1.5, 1.3, 0.12), STEEL)
    table.location = (0.25, 0.0, 0.3)
    make("rigid_body", table)
    table.verlet.body.type = "ANIMATED"
    piston = add_cylinder("Piston", 0.12, 1.2, STEEL)
    piston.parent = table
    piston.location.z = -0.66
    boxes = []
    for number, (x, y, size) in enumerate(
        ((-0.35, -0.1, 0.4), (0.15, 0.25, 0.32), (0.4, -0.25, 0.26))
    ):
        box = add_box(f"Box {number + 1}", (size, size, size), (WOOD, RED, TEAL)[number])
        box.location = (0.25 + x, y, 0.36 + 0.5 * size)
        boxes.append(box)
    make("rigid_body", *boxes, preset="WOOD")
    cloth = add_grid("Sheet", 49, 49, 1.9, 1.7, BLUE)
    cloth.location = (0.25, 0.0, 0.95)
    make("cloth", cloth, preset="COTTON")
    for frame, z in ((40, 0.3), (80, 1.1), (110, 1.1), (150, 0.5)):
        table.location.z = z
        table.keyframe_insert("location", frame=frame)
    table.location.z = 0.3


def _sail() -> None:
    """A cloth that hangs by two corners and holds a ball by a third one."""
    post = add_post("Mast", (1.45, 0.3), 0.06, 2.7, WOOD)
    yard = add_box("Yard", (1.9, 0.08, 0.08), WOOD)
    yard.location = (2.3, 0.3, 2.66)
    make("collider", post, yard)
    count, size = 41, 1.4
    sail = add_grid("Sail", count, count, size, size, WHITE)
    sail.location = (2.35, 0.2, 2.62 - 0.5 * size)
    sail.rotation_euler = degrees(90.0, 0.0, 0.0)
    upper_corners = np.zeros(count * count)
    upper_corners[[count * (count - 1), count * count - 1]] = 1.0
    paint(sail, "Pin", upper_corners)
    make("cloth", sail, preset="COTTON")
    sail.verlet.pin_group = "Pin"
    ball = add_ball("Ball", 0.12, RED)
    corner = np.array((sail.location.x + 0.5 * size, 0.2, sail.location.z - 0.5 * size))
    ball.location = corner + np.array((0.085, 0.0, -0.085))
    make("rigid_body", ball)
    ball.verlet.body.mass = 0.3
    join(sail, ball).verlet.joint.tie_radius = 0.08
