"""A cloth that falls over a ball: contact and friction."""

from scene_parts import GOLD, TEAL, add_ball, add_floor, add_grid, degrees, make, new_scene


def build() -> None:
    """Set it up."""
    new_scene(120, (2.6, -3.4, 2.3), (0.0, 0.0, 0.72))
    add_floor()
    ball = add_ball("Ball", 0.5, GOLD)
    ball.location = (0.0, 0.0, 0.6)
    make("collider", ball)
    cloth = add_grid("Cloth", 65, 65, 1.9, 1.9, TEAL)
    cloth.location = (0.0, 0.0, 1.35)
    cloth.rotation_euler = degrees(0.0, 0.0, 20.0)
    make("cloth", cloth)
