"""Folded towels fall into a low crate, one after the other, and come to lie in a heap."""

import bpy
import numpy as np
from scene_parts import (
    BLUE,
    GOLD,
    PINK,
    TEAL,
    WHITE,
    WOOD,
    Color,
    add_box,
    add_floor,
    add_mesh,
    degrees,
    key,
    linked,
    make,
    material_of,
    new_scene,
    paint,
    show_materials,
)

LENGTH, WIDTH = 0.72, 0.42  # m, of a towel
COLUMNS, ROWS = 21, 13  # vertices along and across
GAP = 0.024  # m, between its halves
THICK = 0.0042  # m, as it is drawn
STRIPES = (1, 3)  # rows of faces from either end that are white
INSIDE, HEIGHT, BOARD = (0.5, 0.4), 0.1, 0.024  # m, of the crate
FIRST, EVERY = 4, 11  # frame in which the first is let go, and frames from one to the next
LOW, APART = 0.42, 0.15  # m, where it hangs in frame 1, and from one to the next
COLORS: tuple[Color, ...] = (TEAL, GOLD, BLUE, WHITE, PINK)
STARTS = (
    (-4.0, 6.0, 8.0),
    (7.0, -3.0, 64.0),
    (-5.0, -8.0, 151.0),
    (3.0, 9.0, 20.0),
    (8.0, 5.0, 98.0),
)


def build() -> None:
    """Set it up."""
    new_scene(150, (0.75, -1.2, 0.95), (0.0, 0.0, 0.17), lens=45.0)
    add_floor()
    _add_crate()
    hand = _add_hand()
    for number, (color, turn) in enumerate(zip(COLORS, STARTS)):
        towel = _add_towel(f"Towel {number + 1}", color)
        towel.rotation_euler = degrees(*turn)
        side = 0.05 * (-1.0) ** number
        towel.location = (side, -0.7 * side, LOW + APART * number)
        towel.verlet.pin_target = hand
        release = FIRST + EVERY * number
        key(towel.verlet.animated, "pin", {1: 1.0, release: 1.0, release + 1: 0.0})
    show_materials()


def _add_hand() -> bpy.types.Object:
    """What holds all towels, and comes down so that each is let go at the same height."""
    hand = linked(bpy.data.objects.new("Hand", None))
    hand.empty_display_size = 0.1
    for number in range(len(COLORS)):
        frame = FIRST + EVERY * number
        hand.location.z = -APART * number
        hand.keyframe_insert("location", frame=frame)
    return hand


def _add_crate() -> None:
    """A floor and four sides of boards."""
    wide, deep = INSIDE
    bottom = add_box("Bottom", (wide, deep, BOARD), WOOD)
    bottom.location.z = 0.5 * BOARD
    sides = []
    for side in (-1.0, 1.0):
        left = add_box("Side", (BOARD, deep, HEIGHT), WOOD)
        left.location = (0.5 * side * (wide + BOARD), 0.0, 0.5 * HEIGHT)
        front = add_box("Side", (wide + 2.0 * BOARD, BOARD, HEIGHT), WOOD)
        front.location = (0.0, 0.5 * side * (deep + BOARD), 0.5 * HEIGHT)
        sides += [left, front]
    make("collider", bottom, *sides)


def _folded() -> tuple[np.ndarray, np.ndarray]:
    """Places (n, 3) of a sheet that is laid over itself, and its faces."""
    along, across = np.meshgrid(
        np.linspace(-0.5 * LENGTH, 0.5 * LENGTH, COLUMNS),
        np.linspace(-0.5 * WIDTH, 0.5 * WIDTH, ROWS),
    )
    fold = 0.25 * np.pi * GAP  # m, half of the length that is bent
    turn = np.minimum(abs(along), fold) / (0.5 * GAP)
    x = 0.5 * GAP * np.cos(turn) - np.maximum(abs(along) - fold, 0.0) + 0.25 * LENGTH
    z = 0.5 * GAP * np.sign(along) * np.sin(turn)
    a = (np.arange(ROWS - 1)[:, None] * COLUMNS + np.arange(COLUMNS - 1)).reshape(-1)
    faces = np.stack([a, a + 1, a + COLUMNS + 1, a + COLUMNS], axis=1)
    return np.stack([x, across, z], axis=-1).reshape(-1, 3), faces


def _add_towel(name: str, color: Color) -> bpy.types.Object:
    """Terry, with two stripes at either end, drawn finer and thicker than it is simulated."""
    towel = add_mesh(name, *_folded(), color, smooth=True)
    stripe = TEAL if color == WHITE else WHITE
    for one in (color, stripe):
        towel.data.materials.append(material_of(one))
    column = np.arange(len(towel.data.polygons)) % (COLUMNS - 1)
    from_end = np.minimum(column, COLUMNS - 2 - column)
    towel.data.polygons.foreach_set("material_index", np.isin(from_end, STRIPES).astype(np.int32))
    make("cloth", towel, preset="DENIM")
    cloth = towel.verlet.cloth
    cloth.meets_itself, cloth.damping, cloth.thickness = True, 0.5, 0.06
    paint(towel, "Held", np.ones(COLUMNS * ROWS))
    towel.verlet.pin_group = "Held"
    finer = towel.modifiers.new("Subdivision", "SUBSURF")
    finer.levels = finer.render_levels = 2
    thicker = towel.modifiers.new("Solidify", "SOLIDIFY")
    thicker.thickness, thicker.offset = THICK, 0.0
    return towel
