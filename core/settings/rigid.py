"""Rigid bodies and colliders."""

from __future__ import annotations

from dataclasses import dataclass

from .tunable import (
    Checked,
    angular_drag_tunable,
    density_tunable,
    drag_tunable,
    friction_tunable,
    layers_tunable,
    mass_by_tunable,
    mass_tunable,
    restitution_tunable,
    sleeps_tunable,
    static_friction_tunable,
    tunable,
)

BODY_TYPES = (
    ("ACTIVE", "Active", "Falls, tumbles and is pushed by all others"),
    (
        "ANIMATED",
        "Animated",
        "Follows its own animation and pushes others. Key Follow Animation to 0, and from that "
        "frame on it moves freely, with the speed that its animation had",
    ),
    ("PASSIVE", "Passive", "Others bump into it; only its own animation moves it"),
)


BODY_MODELS = (
    ("QUATERNION", "Quaternion", "Place and rotation: exact spin, stacks that stand, sleep"),
    (
        "TETRAHEDRON",
        "Four Particles",
        "Four particles and six sticks (Jakobsen): a little soft, never sleeps; ties and joint "
        "motors need Quaternion",
    ),
    (
        "AXES",
        "Axis Frame",
        "Four particles held as an origin and three axes at right angles (Jakobsen): as exact as "
        "Quaternion in the air, also for thin bodies",
    ),
)


BODY_SHAPES = (
    ("AUTO", "Automatic", "The shape that fits the mesh best"),
    ("BOX", "Box", "The mesh's bounding box"),
    ("SPHERE", "Sphere", "A ball of the mesh's mean radius"),
    ("CAPSULE", "Capsule", "A cylinder with round ends, along the longest side"),
    ("CYLINDER", "Cylinder", "A cylinder along the axis that fits best"),
    ("HULL", "Convex Hull", "The mesh wrapped tightly, without its hollows"),
    ("COMPOUND", "Compound", "Several convex parts: keeps hollows, holes and loose parts"),
)


COLLIDER_SHAPES = (
    (
        "AUTO",
        "Automatic",
        "The shape that fits the mesh best; a Plane for a level floor, a metre wide or more, that "
        "stays level, has no holes and nothing below it; where there is cloth, Mesh for what has "
        "edges",
    ),
    ("PLANE", "Plane", "An endless floor: all below the object's local XY plane is solid"),
    ("BOX", "Box", "The mesh's bounding box, solid"),
    ("ROOM", "Room", "The mesh's bounding box, hollow: keeps things inside"),
    ("SPHERE", "Sphere", "A solid ball"),
    ("CAPSULE", "Capsule", "A solid cylinder with round ends, along the longest side"),
    ("CYLINDER", "Cylinder", "A solid cylinder along the axis that fits best"),
    ("HULL", "Convex Hull", "The mesh wrapped tightly, without its hollows"),
    ("COMPOUND", "Compound", "Several convex parts: keeps hollows, holes and loose parts"),
    ("MESH", "Mesh", "Every triangle, deforming with its modifiers: for ground and characters"),
)


@dataclass(frozen=True)
class BodySettings(Checked):
    """One rigid body."""

    type: str = tunable("ACTIVE", "Type", "What moves the body", choices=BODY_TYPES)
    shape: str = tunable("AUTO", "Shape", "What collides in place of the mesh", choices=BODY_SHAPES)
    mass_by: str = mass_by_tunable()
    mass: float = mass_tunable(1.0, "Mass of the body")
    density: float = density_tunable("wood 600, water 1000, stone 2600, steel 7800")
    friction: float = friction_tunable()
    restitution: float = restitution_tunable()
    drag: float = drag_tunable(0.05)
    angular_drag: float = angular_drag_tunable(0.1)
    velocity: tuple[float, float, float] = tunable(
        (0.0, 0.0, 0.0),
        "Velocity",
        "Velocity at the start, along the axes of the world, beside that of the animation",
        unit="m/s",
    )
    angular_velocity: tuple[float, float, float] = tunable(
        (0.0, 0.0, 0.0),
        "Spin",
        "Angular velocity at the start, about the axes of the world",
        unit="rad/s",
    )
    static_friction: float = static_friction_tunable()
    model: str = tunable(
        "QUATERNION", "Model", "What the body is made of", choices=BODY_MODELS, advanced=True
    )
    gyroscopic: bool = tunable(
        True,
        "Gyroscopic",
        "Spin about an axis that is not a principal one tumbles, as in nature; off, the axis stays",
        advanced=True,
    )
    sleeps: bool = sleeps_tunable()
    layers: tuple[bool, ...] = layers_tunable()


@dataclass(frozen=True)
class ColliderSettings(Checked):
    """One thing that others bump into and that nothing moves but its own animation."""

    shape: str = tunable(
        "AUTO", "Shape", "What collides in place of the mesh", choices=COLLIDER_SHAPES
    )
    friction: float = friction_tunable()
    restitution: float = restitution_tunable()
    two_sided: bool = tunable(
        True,
        "Two-Sided",
        "Of shape Mesh: collide with both sides of each triangle; off for closed meshes, which "
        "then push out what got inside",
        advanced=True,
    )
    layers: tuple[bool, ...] = layers_tunable()
