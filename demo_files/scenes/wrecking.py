"""A wrecking ball on a chain of joints that swings through a brick wall."""

import itertools
import math

import bpy
import numpy as np
from mathutils import Vector
from scene_parts import (
    GOLD,
    GREY,
    RED,
    STEEL,
    Color,
    add_ball,
    add_box,
    add_copy,
    add_cylinder,
    add_floor,
    add_joint,
    make,
    new_scene,
)

HOOK = Vector((0.0, 0.0, 4.4))
LINKS, LINK, BALL = 10, 0.31, 0.42  # how many, m long, m of radius
BALL_MASS = 250.0  # kg: it is hollow
START = math.radians(-68.0)  # angle from the plumb line
BRICK = np.array((0.24, 0.4, 0.2))  # m: through the wall, along it, tall
COURSES, LENGTH = 11, 7  # and bricks in one course


def build() -> None:
    """Set it up."""
    new_scene(120, (6.6, -10.4, 4.2), (0.2, 0.0, 2.05), lens=38.0)
    add_floor()
    _wall(0.55)
    _crane()


def _wall(x: float) -> None:
    """In running bond: every other course is shifted by half a brick and ends with half ones."""
    whole = add_box("Brick", BRICK, RED)
    half = add_box("Half Brick", BRICK * (1.0, 0.5, 1.0), RED)
    make("rigid_body", whole, half, preset="WOOD")  # as light as foam concrete
    random = np.random.default_rng(2)
    templates, bricks = {1.0: whole, 0.5: half}, itertools.count(1)
    for course in range(COURSES):
        widths = [1.0] * LENGTH if course % 2 == 0 else [0.5, *[1.0] * (LENGTH - 1), 0.5]
        left = -0.5 * LENGTH * BRICK[1]
        for width in widths:
            tone = random.uniform(0.75, 1.2)
            color: Color = (0.6 * tone, 0.21 * tone, 0.12 * tone, 1.0)
            brick = add_copy(templates[width], f"Brick {next(bricks):03}", color)
            brick.location = (x, left + 0.5 * width * BRICK[1], (course + 0.5) * BRICK[2])
            left += width * BRICK[1]
    for template in templates.values():
        bpy.data.objects.remove(template)


def _crane() -> None:
    """A mast with a jib, and the chain that hangs from its end, drawn aside."""
    mast = add_box("Mast", (0.3, 0.3, 4.8), GOLD)
    mast.location = (0.0, 2.6, 2.4)
    jib = add_box("Jib", (0.2, 3.0, 0.2), GOLD)
    jib.location = (0.0, 1.2, 4.52)
    make("collider", mast, jib)
    down = Vector((math.sin(START), 0.0, -math.cos(START)))
    turn = down.to_track_quat("-Z", "Y").to_euler()
    link = add_cylinder("Link 01", 0.05, 0.8 * LINK, STEEL)
    make("rigid_body", link, preset="STEEL")
    link.verlet.body.shape = "CAPSULE"
    chain = [link, *(add_copy(link, f"Link {n + 1:02}", STEEL) for n in range(1, LINKS))]
    for number, one in enumerate(chain):
        one.location = HOOK + (number + 0.5) * LINK * down
        one.rotation_euler = turn
    ball = add_ball("Wrecking Ball", BALL, GREY)
    ball.location = HOOK + (LINKS * LINK + BALL) * down
    make("rigid_body", ball, preset="STEEL")
    ball.verlet.body.mass_by, ball.verlet.body.mass = "MASS", BALL_MASS
    add_joint(HOOK, "BALL", link)
    for number, (a, b) in enumerate(itertools.pairwise([*chain, ball])):
        add_joint(HOOK + (number + 1) * LINK * down, "BALL", b, a)
