"""A tablecloth is pulled from under plates, cups and a jug."""

import bpy
import numpy as np
from scene_parts import (
    BLUE,
    GOLD,
    RED,
    TEAL,
    WHITE,
    WOOD,
    add_box,
    add_cylinder,
    add_floor,
    add_grid,
    add_post,
    linked,
    make,
    new_scene,
    paint,
    select,
)

TOP, HEIGHT, THICK = (1.5, 0.9), 0.75, 0.05  # m
CLOTH, COLUMNS, ROWS = (1.6, 0.86), 65, 36  # m, vertices
PULL = 50  # frame in which the hand begins to pull
SUBSTEPS = (
    960  # a second: at 10 m/s the cloth goes 2 cm in one of the usual 480, as far as its mesh
)


def build() -> None:
    """Set it up."""
    new_scene(110, (2.5, -3.0, 1.8), (0.15, 0.0, 0.62), lens=38.0)
    bpy.context.scene.verlet.solver.substep_rate = SUBSTEPS
    add_floor()
    _add_table()
    _add_cloth()
    _lay_the_table()


def _add_table() -> None:
    """A top on four legs; only the top is in the cloth's way."""
    top = add_box("Table", (*TOP, THICK), WOOD)
    top.location.z = HEIGHT - 0.5 * THICK
    make("collider", top)
    top.verlet.collider.friction = 0.4
    for x in (-1.0, 1.0):
        for y in (-1.0, 1.0):
            place = (x * (0.5 * TOP[0] - 0.08), y * (0.5 * TOP[1] - 0.08))
            add_post("Leg", place, 0.03, HEIGHT - THICK, WOOD)


def _add_cloth() -> None:
    """Silk that hangs over the right end of the table, where a hand holds it: it pulls at once."""
    cloth = add_grid("Tablecloth", COLUMNS, ROWS, *CLOTH, RED)
    cloth.location = (0.5 * (CLOTH[0] - TOP[0]) + 0.05, 0.0, HEIGHT + 0.012)
    hand = linked(bpy.data.objects.new("Hand", None))
    hand.empty_display_size = 0.1
    hand.location = (0.5 * CLOTH[0] + cloth.location.x, 0.0, cloth.location.z)
    make("cloth", cloth, preset="SILK")
    cloth.verlet.cloth.friction = 0.1
    border = np.arange(COLUMNS * ROWS) % COLUMNS == COLUMNS - 1
    paint(cloth, "Held", border.astype(float))
    cloth.verlet.pin_group = "Held"
    cloth.verlet.pin_target = hand
    x, z = hand.location.x, hand.location.z
    for frame, place in (
        (1, (x, 0.0, z)),
        (22, (x - 0.06, 0.0, z - 0.1)),
        (PULL, (x - 0.06, 0.0, z - 0.1)),
        *((PULL + n, (x + 0.4 * n, 0.0, z - 0.1)) for n in range(1, 9)),  # at once, for no drag
    ):
        hand.location = place
        hand.keyframe_insert("location", frame=frame)


def _lay_the_table() -> None:
    """Plates with a cup each, and a jug in the middle, a hair above the cloth."""
    above = HEIGHT + 0.022
    things = []
    for n, (x, y) in enumerate(((-0.5, -0.22), (0.25, -0.22), (-0.5, 0.22), (0.25, 0.22))):
        plate = add_cylinder(f"Plate {n + 1}", 0.12, 0.02, WHITE)
        plate.location = (x, y, above + 0.01)
        cup = add_cylinder(f"Cup {n + 1}", 0.035, 0.09, (BLUE, TEAL, GOLD, RED)[n])
        cup.location = (x + 0.17, y + 0.03, above + 0.045)
        things += [(plate, 0.5), (cup, 0.25)]
    jug = add_cylinder("Jug", 0.06, 0.22, TEAL)
    jug.location = (-0.05, 0.0, above + 0.11)
    things.append((jug, 1.2))
    make("rigid_body", *(thing for thing, _ in things))
    for thing, mass in things:
        body = thing.verlet.body
        body.mass_by, body.mass, body.friction = "MASS", mass, 0.3
    select(things[-1][0])
