"""A walker follows its keys with muscles: a heavy ball knocks it down, and it gets up again."""

import bpy
from characters import PERSON, add_character
from gait import walk
from scene_parts import GOLD, TEAL, add_ball, add_floor, make, new_scene

FRAMES = 124
STRENGTH = 0.4
BALLS = ((28, 1.3, 9.0, 30.0), (72, 1.2, -9.0, 8.0))  # frame, height m, speed m/s along X, kg


def build() -> None:
    """Set it up."""
    new_scene(FRAMES, (8.4, -4.6, 2.2), (0.0, -2.9, 1.15), lens=37.0)
    add_floor()
    rig, _ = add_character("Walker", PERSON, TEAL)
    rig.location = (0.0, 0.6, 0.02)
    walk(rig, FRAMES)
    make("ragdoll", rig)
    for bone in rig.pose.bones:
        bone.verlet_limp = 1.0 - STRENGTH
    speed = 1.3 / 26.0
    for number, (frame, height, fast, mass) in enumerate(BALLS, 1):
        ball = add_ball(f"Ball {number}", 0.2, GOLD)
        seconds = (frame - 1) / bpy.context.scene.render.fps
        ball.location = (-fast * seconds, 0.6 - speed * frame, height)
        make("rigid_body", ball, preset="RUBBER")
        ball.verlet.body.mass_by, ball.verlet.body.mass = "MASS", mass
        ball.verlet.body.velocity = (fast, 0.0, 0.5 * 9.81 * seconds)
        ball.verlet.body.drag = 0.0  # else it falls short of the walker
