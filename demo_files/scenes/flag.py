"""A flag on a pole in a gusty wind: cloth, pinned along one side."""

import bpy
from scene_parts import RED, WHITE, add_floor, add_grid, add_post, degrees, make, new_scene


def build() -> None:
    """Set it up."""
    new_scene(150, (0.72, -4.3, 1.75), (0.72, 0.0, 1.75))
    add_floor()
    add_post("Pole", (-0.03, 0.0), 0.03, 2.7, WHITE)
    columns, rows = 55, 37
    cloth = add_grid("Flag", columns, rows, 1.5, 1.0, RED)
    cloth.location = (0.75, 0.0, 2.15)
    cloth.rotation_euler = degrees(90.0, 0.0, 0.0)
    pins = cloth.vertex_groups.new(name="Pins")
    pins.add([row * columns for row in range(rows)], 1.0, "REPLACE")
    make("cloth", cloth)
    cloth.verlet.pin_group = "Pins"
    cloth.verlet.cloth.bend = 0.3
    wind = bpy.context.scene.verlet.wind
    wind.velocity = (5.0, 0.8, 0.0)
    wind.gust = 0.5
