"""Rigid bodies and colliders."""

from __future__ import annotations

from dataclasses import dataclass

from .tunable import Checked, drag_tunable, friction_tunable, restitution_tunable, tunable

BODY_SHAPES = (
    ("AUTO", "Automatic", "The shape that fits the mesh best"),
    ("BOX", "Box", "The mesh's bounding box"),
    ("SPHERE", "Sphere", "A ball of the mesh's mean radius"),
)


COLLIDER_SHAPES = (
    ("AUTO", "Automatic", "The shape that fits the mesh best"),
    ("PLANE", "Plane", "An endless floor: all below the object's local XY plane is solid"),
    ("BOX", "Box", "The mesh's bounding box, solid"),
    ("ROOM", "Room", "The mesh's bounding box, hollow: keeps things inside"),
    ("SPHERE", "Sphere", "A solid ball"),
    ("CAPSULE", "Capsule", "A solid cylinder with round ends, along the longest side"),
)


@dataclass(frozen=True)
class BodySettings(Checked):
    """One rigid body."""

    shape: str = tunable("AUTO", "Shape", "What collides in place of the mesh", choices=BODY_SHAPES)
    mass: float = tunable(
        1.0,
        "Mass",
        "Mass of the body",
        unit="kg",
        minimum=1e-6,
        maximum=1e9,
        soft_minimum=0.01,
        soft_maximum=1000.0,
    )
    friction: float = friction_tunable()
    restitution: float = restitution_tunable()
    drag: float = drag_tunable(0.05)


@dataclass(frozen=True)
class ColliderSettings(Checked):
    """One thing that others bump into and that nothing moves but its own animation."""

    shape: str = tunable(
        "AUTO", "Shape", "What collides in place of the mesh", choices=COLLIDER_SHAPES
    )
    friction: float = friction_tunable()
    restitution: float = restitution_tunable()
