"""A net of 256 knots, a ball joint between each two, slung between two beams, that catches crates.

A knot is a cross of two bars whose ends meet those of its neighbours.
"""

import bpy
import numpy as np
from mathutils import Euler
from scene_parts import (
    BROWN,
    GOLD,
    TEAL,
    WOOD,
    Color,
    add_box,
    add_copy,
    add_floor,
    add_joint,
    add_post,
    make,
    new_scene,
    select,
)

KNOTS, SPACING, HEIGHT = 16, 0.25, 3.0  # a side, m from one to the next, m above the floor
SPAN = 3.2  # m from beam to beam
BAR, KNOT_MASS = 0.05, 0.25  # m thick, kg
CRATES, CRATE, CRATE_MASS = 6, 0.45, 20.0  # how many, m, kg


def build() -> None:
    """Set it up."""
    new_scene(130, (2.6, -9.6, 4.5), (0.1, 0.0, 1.6), lens=36.0)
    add_floor()
    knots = _knots()
    select(*knots)
    bpy.ops.verlet.join_neighbours(kind="BALL", gap=0.03)
    _beams(knots)
    _crates()


def _knots() -> list[bpy.types.Object]:
    """Crosses in rows, each of one mesh of two boxes, whose ends are a hair apart."""
    long = SPACING - 0.01
    cross = add_box("Knot", (long, BAR, BAR), GOLD)
    bar = add_box("Bar", (BAR, long, BAR), GOLD)
    select(bar, cross)
    bpy.ops.object.join()
    make("rigid_body", cross)
    body = cross.verlet.body
    body.shape, body.mass_by, body.mass = "COMPOUND", "MASS", KNOT_MASS
    knots = []
    for column, (x, z, slope) in enumerate(_sling()):
        for row in range(KNOTS):
            shade = 0.75 if (row + column) % 2 else 1.0
            color: Color = (GOLD[0] * shade, GOLD[1] * shade, GOLD[2] * shade, 1.0)
            knot = add_copy(cross, f"Knot {len(knots) + 1:03}", color)
            knot.location = (x, (row - 0.5 * (KNOTS - 1)) * SPACING, z)
            knot.rotation_euler.y = -slope
            knots.append(knot)
    bpy.data.objects.remove(cross)
    return knots


def _sling() -> list[tuple[float, float, float]]:
    """Where the columns of knots hang, and how steep: along a circle's arc between the beams."""
    places = 2.0 * (np.arange(KNOTS) + 0.5) / KNOTS - 1.0
    angles = np.linspace(0.0, np.pi, 20001)  # half of the angle that the net turns through
    across = SPACING * np.cos(angles[:, None] * places).sum(axis=1)
    half = float(angles[np.argmin(np.abs(across - SPAN))])
    slopes = half * places
    steps = SPACING * np.stack([np.cos(slopes), np.sin(slopes)], axis=1)
    middles = np.cumsum(steps, axis=0) - 0.5 * steps + (-0.5 * SPAN, HEIGHT)
    return [(x, z, slope) for (x, z), slope in zip(middles.tolist(), slopes.tolist())]


def _beams(knots: list[bpy.types.Object]) -> None:
    """Two beams on posts; each knot of the first and the last column hangs in the world there."""
    frame = []
    for side, column in ((-1.0, knots[:KNOTS]), (1.0, knots[-KNOTS:])):
        x = side * (0.5 * SPAN + 0.08)
        beam = add_box("Beam", (0.12, (KNOTS + 1) * SPACING, 0.12), BROWN)
        beam.location = (x, 0.0, HEIGHT + 0.05)
        ends = [(x, y * 0.5 * (KNOTS + 1) * SPACING) for y in (-1.0, 1.0)]
        frame += [beam, *(add_post("Post", end, 0.07, HEIGHT + 0.1, BROWN) for end in ends)]
        for knot in column:
            add_joint((side * 0.5 * SPAN, knot.location.y, HEIGHT), "BALL", knot)
    make("collider", *frame)


def _crates() -> None:
    """One after the other, turned any way."""
    random = np.random.default_rng(3)
    crate = add_box("Crate 1", (CRATE, CRATE, CRATE), WOOD)
    make("rigid_body", crate, preset="WOOD")
    body = crate.verlet.body
    body.mass_by, body.mass = "MASS", CRATE_MASS
    colors = [TEAL if number % 2 else WOOD for number in range(CRATES)]
    copies = [add_copy(crate, f"Crate {n + 1}", colors[n]) for n in range(1, CRATES)]
    for number, one in enumerate([crate, *copies]):
        x, y = random.uniform(-0.4, 0.4), random.uniform(-0.2, 0.2)
        one.location = (x, y, 3.6 + 0.85 * number)
        one.rotation_euler = Euler(random.uniform(-0.6, 0.6, 3))
