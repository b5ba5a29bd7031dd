"""A flag that a rising storm tears to shreds: cloth with a strength, weak where it is worn."""

import bpy
import numpy as np
from scene_parts import BLUE, WHITE, add_floor, add_grid, add_post, degrees, make, new_scene

COLUMNS, ROWS = 46, 31
WORN = 0.35
"""Weight in the tear group of cloth that is not worn: it bears three times as much."""


def build() -> None:
    """Set it up."""
    new_scene(150, (1.05, -5.2, 1.7), (1.05, 0.0, 1.75))
    add_floor()
    add_post("Pole", (-0.03, 0.0), 0.03, 2.8, WHITE)
    cloth = add_grid("Flag", COLUMNS, ROWS, 1.5, 1.0, BLUE)
    cloth.location = (0.75, 0.0, 2.2)
    cloth.rotation_euler = degrees(90.0, 0.0, 0.0)
    pins = cloth.vertex_groups.new(name="Pins")
    pins.add([row * COLUMNS for row in range(ROWS)], 1.0, "REPLACE")
    _wear(cloth)
    make("cloth", cloth)
    cloth.verlet.pin_group = "Pins"
    cloth.verlet.cloth.bend = 0.3
    cloth.verlet.cloth.strength = 30.0
    cloth.verlet.tear_group = "Worn"
    bpy.ops.verlet.make_tearable()
    wind = bpy.context.scene.verlet.wind
    wind.gust = 0.6
    for frame, speed in ((1, 5.0), (40, 8.0), (85, 20.0), (110, 9.0)):
        wind.velocity = (speed, 0.1 * speed, 0.0)
        wind.keyframe_insert("velocity", frame=frame)


def _wear(cloth: bpy.types.Object) -> None:
    """Paint where the flag is worn: in streaks from its free end."""
    group = cloth.vertex_groups.new(name="Worn")
    u, v = np.meshgrid(np.linspace(0.0, 1.0, COLUMNS), np.linspace(0.0, 1.0, ROWS))
    streaks = np.cos(5.0 * np.pi * v + 2.0 * u) ** 2 * u
    weight = WORN + (1.0 - WORN) * np.clip(streaks, 0.0, 1.0)
    for vertex, one in enumerate(weight.ravel().tolist()):
        group.add([vertex], one, "REPLACE")
