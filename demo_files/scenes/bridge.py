"""A bridge of planks on hinges that sags under those who walk across it.

A walker stands upright by a slider to a guide, which is animated and not rendered: it goes along
with the guide, and up and down as the bridge has it, with its whole weight on the planks.
"""

import itertools

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
    Color,
    add_ball,
    add_box,
    add_floor,
    add_joint,
    add_post,
    degrees,
    make,
    new_scene,
    select,
)

SPAN, SAG, HEIGHT = 6.0, 0.45, 1.3  # m
PLANKS, GAP = 24, 0.015
WALKER = 0.7  # m tall
FRICTION = 10.0  # N·m, of a hinge: without any the planks tremble under the walkers
GUIDES = 7  # layer of what collides with nothing


def build() -> None:
    """Set it up."""
    new_scene(150, (1.4, -9.4, 3.2), (0.0, 0.0, 0.95), lens=33.0)
    add_floor()
    banks = []
    for side in (-1.0, 1.0):
        bank = add_box("Bank", (2.4, 2.0, HEIGHT), BROWN)
        bank.location = (side * (0.5 * SPAN + 1.2), 0.0, 0.5 * HEIGHT)
        banks.append(bank)
    make("collider", *banks)
    planks = _planks()
    make("rigid_body", *planks, preset="WOOD")
    select(*banks, *planks)
    bpy.ops.verlet.join_neighbours(kind="HINGE", gap=3.0 * GAP)
    for ob in bpy.context.scene.objects:
        if ob.verlet.is_joint:
            ob.verlet.joint.friction = FRICTION
    for number, (color, mass) in enumerate(((RED, 60.0), (GOLD, 40.0), (BLUE, 50.0), (TEAL, 45.0))):
        _walker(number, color, mass)


def _planks() -> list[bpy.types.Object]:
    """Along a parabola, each as long as the way between two hinges, less the gap."""
    x = np.linspace(-0.5 * SPAN, 0.5 * SPAN, 2001)
    z = HEIGHT - SAG * (1.0 - (2.0 * x / SPAN) ** 2) - 0.065
    along = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(z)))])
    ends = np.linspace(0.0, along[-1], PLANKS + 1)
    hinge = np.stack([np.interp(ends, along, x), np.interp(ends, along, z)], axis=1)
    planks = []
    for number, (a, b) in enumerate(itertools.pairwise(hinge)):
        length = float(np.linalg.norm(b - a))
        plank = add_box(f"Plank {number + 1:02}", (length - GAP, 1.3, 0.13), WOOD)
        plank.location = (0.5 * (a[0] + b[0]), 0.0, 0.5 * (a[1] + b[1]))
        plank.rotation_euler.y = -float(np.arctan2(*(b - a)[::-1]))
        planks.append(plank)
    return planks


def _walker(number: int, color: Color, mass: float) -> None:
    """A pawn that starts on the left bank, one after the other."""
    x = -0.5 * SPAN - 0.35 - 0.55 * number
    y = 0.25 * (-1.0) ** number
    pawn = _pawn(f"Walker {number + 1}", color)
    pawn.location = (x, y, HEIGHT + 0.5 * WALKER)
    make("rigid_body", pawn)
    body = pawn.verlet.body
    body.mass, body.shape, body.friction = mass, "CAPSULE", 0.2
    guide = add_box(f"Guide {number + 1}", (0.1, 0.1, 0.1), STEEL)
    guide.location = (x, y, HEIGHT + WALKER + 0.3)
    guide.hide_render = True
    guide.display_type = "WIRE"
    make("collider", guide)
    guide.verlet.collider.layers = [layer == GUIDES for layer in range(8)]
    start = 1
    guide.keyframe_insert("location", frame=start)
    guide.location.x += 8.8
    guide.keyframe_insert("location", frame=start + 175)
    guide.location.x = x
    joint = add_joint((x, y, HEIGHT + 0.5 * WALKER), "SLIDER", pawn, guide)
    joint.rotation_euler = degrees(0.0, -90.0, 0.0)  # its X up


def _pawn(name: str, color: Color) -> bpy.types.Object:
    """A body with a head, as tall as a walker, its middle at the origin."""
    head = add_ball(name, 0.12, color)
    head.location.z = 0.5 * WALKER - 0.12
    body = add_post("Body", (0.0, 0.0), 0.13, WALKER - 0.26, color)
    body.location.z = -0.13
    select(body, head)
    bpy.ops.object.join()
    bpy.ops.object.origin_set(type="ORIGIN_GEOMETRY", center="BOUNDS")
    return head
