"""Rigid body: a mesh as the shape or shapes that fit it, with the mass and inertia of its solid."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, Ints
from ..building.builder import ModelBuilder
from ..collision.shape import Surface
from ..errors import ModelError
from ..geometry.mass_properties import principal_axes
from ..settings import BodySettings
from ..vector import rotation_matrix
from .fit import fit_shape
from .points import checked_points
from .solid import layer_bits, placed_shapes, solid_of


def add_body(
    builder: ModelBuilder,
    name: str,
    points: ArrayLike,
    orientation: ArrayLike,
    settings: BodySettings,
    velocity: ArrayLike = (0.0, 0.0, 0.0),
    angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
    triangles: ArrayLike | None = None,
    origin: ArrayLike | None = None,
) -> int:
    """Add a mesh as a rigid body; returns its index in ``builder.objects``.

    points (n, 3) m: its vertices in world space; orientation (4,): the object's axes, along
    which shapes are fitted; triangles (t, 3): what it encloses, a mesh without is as solid as its
    shape. velocity (3,) m/s of the point origin (3,), by default the centre of mass, and
    angular_velocity (3,) rad/s, both in the world, come on top of those of the settings. The
    body's own frame is that of its centre of mass and principal axes: see `bodies.body_poses`.

    Raises `ModelError` for a mesh in one place, or one so thin or light that it has no inertia.
    """
    x = checked_points(name, points)
    own = np.array(orientation, dtype=np.float64)
    own /= np.linalg.norm(own)
    faces = None if triangles is None else np.asarray(triangles, dtype=np.int32).reshape(-1, 3)
    fit = fit_shape(name, x, own, settings.shape, faces)
    if fit.shape == "PLANE":  # a flat body is a thin box; only the ground is endless
        fit = fit_shape(name, x, own, "BOX")
    if settings.model != "QUATERNION" and settings.type != "ACTIVE":
        raise ModelError(
            name,
            "is made of particles and cannot follow its animation; set Model to Quaternion, or "
            "Type to Active",
        )
    solid = solid_of(name, x, own, faces, fit)
    mass = settings.mass if settings.mass_by == "MASS" else settings.density * solid.volume
    moments, axes = principal_axes(solid.inertia_of(mass), own)
    moving = np.array(velocity, dtype=np.float64)
    if origin is not None:
        moving += np.cross(np.asarray(angular_velocity), solid.centre - np.asarray(origin))
    return builder.add_rigid_body(
        name,
        placed_shapes(name, fit, solid.centre, axes),
        solid.centre,
        axes,
        mass=mass,
        inertia=moments,
        model=settings.model,
        velocity=moving + settings.velocity,
        angular_velocity=np.add(angular_velocity, settings.angular_velocity),
        drag=settings.drag,
        angular_drag=settings.angular_drag,
        friction=settings.friction,
        static_friction=settings.static_friction,
        restitution=settings.restitution,
        gyroscopic=settings.gyroscopic,
        sleeps=settings.sleeps,
        follows=settings.type,
        layers=layer_bits(settings.layers),
        surface=_drawn(x, faces, solid.centre, axes),
    )


def _drawn(x: Floats, faces: Ints | None, centre: Floats, axes: Floats) -> Surface | None:
    """The mesh itself in the body's frame; None without faces."""
    if faces is None or not len(faces):
        return None
    local = (x - centre) @ rotation_matrix(axes)
    return Surface(np.ascontiguousarray(local), np.ascontiguousarray(faces))
