"""A ball of three tonnes that swings through a wall of 517 bricks glued to each other.

Each brick is fixed to its neighbours, the lowest course to the floor, by joints that break at a
force.
"""

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
    select,
)

HOOK = Vector((0.0, 0.0, 7.6))
LINKS, ROPE, BALL = 8, 4.6, 0.6  # how many, m long together, m of radius
BALL_MASS = 3000.0  # kg
START = math.radians(-62.0)  # angle from the plumb line
BRICK = np.array((0.24, 0.4, 0.2))  # m: through the wall, along it, tall
COURSES, LENGTH = 23, 22  # and bricks in one course
GLUE = 9000.0  # N at which a joint breaks


def build() -> None:
    """Set it up."""
    new_scene(120, (10.5, -13.5, 5.4), (0.6, 0.0, 2.9), lens=34.0)
    floor = add_floor()
    select(floor, *_wall(0.75))
    bpy.ops.verlet.join_neighbours(kind="FIXED", breaking_force=GLUE)
    _crane()


def _wall(x: float) -> list[bpy.types.Object]:
    """In running bond: every other course is shifted by half a brick and ends with half ones."""
    whole = add_box("Brick", BRICK, RED)
    half = add_box("Half Brick", BRICK * (1.0, 0.5, 1.0), RED)
    make("rigid_body", whole, half, preset="WOOD")  # as light as foam concrete
    random = np.random.default_rng(5)
    templates, bricks = {1.0: whole, 0.5: half}, []
    for course in range(COURSES):
        widths = [1.0] * LENGTH if course % 2 == 0 else [0.5, *[1.0] * (LENGTH - 1), 0.5]
        left = -0.5 * LENGTH * BRICK[1]
        for width in widths:
            tone = random.uniform(0.7, 1.25)
            color: Color = (0.6 * tone, 0.21 * tone, 0.12 * tone, 1.0)
            brick = add_copy(templates[width], f"Brick {len(bricks) + 1:03}", color)
            brick.location = (x, left + 0.5 * width * BRICK[1], (course + 0.5) * BRICK[2])
            left += width * BRICK[1]
            bricks.append(brick)
    for template in templates.values():
        bpy.data.objects.remove(template)
    return bricks


def _crane() -> None:
    """Two masts beside the wall with a beam across, and a chain that hangs from its middle."""
    beam = add_box("Beam", (0.3, 12.0, 0.3), GOLD)
    beam.location = (0.0, 0.0, HOOK.z + 0.17)
    masts = [add_box(f"Mast {side}", (0.4, 0.4, HOOK.z), GOLD) for side in ("Left", "Right")]
    for mast, y in zip(masts, (-5.8, 5.8)):
        mast.location = (0.0, y, 0.5 * HOOK.z)
    make("collider", beam, *masts)
    down = Vector((math.sin(START), 0.0, -math.cos(START)))
    length = ROPE / LINKS
    link = add_cylinder("Link 1", 0.07, 0.8 * length, STEEL)
    make("rigid_body", link, preset="STEEL")
    link.verlet.body.shape = "CAPSULE"
    chain = [link, *(add_copy(link, f"Link {n + 1}", STEEL) for n in range(1, LINKS))]
    for number, one in enumerate(chain):
        one.location = HOOK + (number + 0.5) * length * down
        one.rotation_euler = down.to_track_quat("-Z", "Y").to_euler()
    ball = add_ball("Wrecking Ball", BALL, GREY)
    ball.location = HOOK + (ROPE + BALL) * down
    make("rigid_body", ball, preset="STEEL")
    ball.verlet.body.mass_by, ball.verlet.body.mass = "MASS", BALL_MASS
    add_joint(HOOK, "BALL", link)
    for number, (a, b) in enumerate(itertools.pairwise([*chain, ball])):
        add_joint(HOOK + (number + 1) * length * down, "BALL", b, a)
