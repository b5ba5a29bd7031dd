"""Robots of separate pieces, set up by one press of Ragdoll, that come down a chute."""

import math

import bpy
from mathutils import Matrix
from scene_parts import (
    BLUE,
    GOLD,
    GREY,
    RED,
    STEEL,
    Color,
    add_ball,
    add_box,
    add_cylinder,
    add_floor,
    add_post,
    make,
    new_scene,
    select,
)

LAMPS: Color = (0.95, 0.85, 0.25, 1.0)


def build() -> None:
    """Set it up."""
    new_scene(84, (6.0, -6.8, 3.1), (0.0, -0.75, 1.3), lens=36.0)
    add_floor()
    chute = add_box("Chute", (2.2, 3.2, 0.12), GREY)
    chute.location, chute.rotation_euler = (0.0, 0.9, 1.5), (math.radians(36.0), 0.0, 0.0)
    walls = []
    for x in (-1.0, 1.0):
        for y, height in ((-0.2, 0.62), (2.0, 2.2)):
            walls.append(add_post("Post", (x, y), 0.06, height, STEEL))
    for x in (-1.1, 1.1):
        wall = add_box("Rail", (0.1, 3.2, 0.4), STEEL)
        wall.matrix_world = chute.matrix_basis @ Matrix.Translation((x, 0.0, 0.2))
        walls.append(wall)
    bpy.context.view_layer.update()
    make("collider", chute, *walls)
    chute.verlet.collider.friction = 0.1
    for number, (color, place, turn) in enumerate(
        (
            (RED, (-0.1, 0.5, 2.1), (-0.5, 0.1, 0.3)),
            (BLUE, (0.2, 1.5, 3.3), (0.4, -0.3, 1.9)),
            (GOLD, (-0.1, 1.6, 4.6), (-0.7, 0.5, -0.8)),
        )
    ):
        pieces = _robot(f"Robot {number + 1}", color)
        matrix = Matrix.Translation(place)
        for angle, axis in zip(turn, "XYZ"):
            matrix = matrix @ Matrix.Rotation(angle, 4, axis)
        middle = Matrix.Translation((0.0, 0.0, -0.8))
        for piece in pieces:
            piece.matrix_world = matrix @ middle @ piece.matrix_world
        bpy.context.view_layer.update()
        select(*pieces)
        bpy.ops.verlet.ragdoll()


def _robot(name: str, color: Color) -> list[bpy.types.Object]:
    """Fourteen boxes, cylinders and balls beside each other."""

    def box(
        part: str,
        size: tuple[float, float, float],
        place: tuple[float, float, float],
        shade: Color = color,
    ) -> bpy.types.Object:
        ob = add_box(f"{name} {part}", size, shade)
        ob.location = place
        return ob

    def round_limb(part: str, radius: float, length: float, place, along: str) -> bpy.types.Object:
        ob = add_cylinder(f"{name} {part}", radius, length, STEEL)
        turn = {"X": Matrix.Rotation(math.pi / 2, 4, "Y"), "Z": Matrix.Identity(4)}[along]
        ob.matrix_world = Matrix.Translation(place) @ turn
        return ob

    head = add_ball(f"{name} Head", 0.14, LAMPS)
    head.location = (0.0, 0.0, 1.53)
    found = [
        head,
        box("Chest", (0.46, 0.26, 0.36), (0.0, 0.0, 1.2)),
        box("Hips", (0.36, 0.22, 0.16), (0.0, 0.0, 0.92), STEEL),
    ]
    for side, x in (("L", 1.0), ("R", -1.0)):
        found += [
            round_limb(f"Upper Arm.{side}", 0.055, 0.26, (0.38 * x, 0.0, 1.3), "X"),
            round_limb(f"Forearm.{side}", 0.05, 0.26, (0.66 * x, 0.0, 1.3), "X"),
            box(f"Hand.{side}", (0.14, 0.1, 0.14), (0.875 * x, 0.0, 1.3)),
            round_limb(f"Thigh.{side}", 0.065, 0.34, (0.11 * x, 0.0, 0.66), "Z"),
            round_limb(f"Shin.{side}", 0.055, 0.34, (0.11 * x, 0.0, 0.3), "Z"),
            box(f"Foot.{side}", (0.13, 0.28, 0.1), (0.11 * x, -0.06, 0.07)),
        ]
    bpy.context.view_layer.update()
    return found
