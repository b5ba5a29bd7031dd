"""Five presets of cloth, each thrown over an equal ball: silk, cotton, denim, leather, rubber."""

import bpy
from scene_parts import (
    BLUE,
    BROWN,
    GOLD,
    STEEL,
    TEAL,
    WHITE,
    add_ball,
    add_floor,
    add_grid,
    add_label,
    add_post,
    degrees,
    make,
    new_scene,
)

MATERIALS = (
    ("SILK", (0.78, 0.10, 0.30, 1.0)),
    ("COTTON", WHITE),
    ("DENIM", BLUE),
    ("LEATHER", BROWN),
    ("RUBBER", TEAL),
)
DISTANCE = 0.42  # m between two balls
RADIUS, TOP = 0.07, 0.37  # m, of a ball and above the floor: what lies on less sways for longer


def build() -> None:
    """Set it up."""
    new_scene(132, (0.0, -2.75, 0.8), (0.0, 0.0, 0.24), lens=45.0)
    bpy.context.scene.render.resolution_y = 480
    add_floor()
    for number, (preset, color) in enumerate(MATERIALS):
        x = DISTANCE * (number - 2)
        ball = add_ball(f"Ball {number + 1}", RADIUS, GOLD)
        ball.location = (x, 0.0, TOP - RADIUS)
        stand = add_post(f"Stand {number + 1}", (x, 0.0), 0.012, TOP - 1.5 * RADIUS, STEEL)
        make("collider", ball, stand)
        cloth = add_grid(preset.title(), 35, 35, 0.36, 0.36, color)
        cloth.location = (x, 0.0, 0.42)
        cloth.rotation_euler = degrees(0.0, 0.0, 20.0)
        make("cloth", cloth, preset=preset)
        cloth.verlet.cloth.bend_model = "DIHEDRAL"
        add_label(preset.title(), (x, -0.25, 0.015), 0.07)
