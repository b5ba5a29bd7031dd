"""Rigid body: a mesh as the box or the ball that fits it."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ..builder import ModelBuilder
from ..settings import BodySettings
from .fit import fit_shape


def add_body(
    builder: ModelBuilder,
    name: str,
    points: ArrayLike,
    orientation: ArrayLike,
    settings: BodySettings,
    velocity: ArrayLike = (0.0, 0.0, 0.0),
    angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
) -> int:
    """Add a mesh as a rigid body; returns its index in ``builder.objects``.

    points (n, 3) m: its vertices in world space; orientation (4,): the object's axes, along
    which a box is fitted. The body's own frame is the fitted shape's: see `bodies.body_poses`.
    """
    fit = fit_shape(name, points, orientation, settings.shape)
    if fit.shape == "PLANE":  # a flat body is a thin box; only the ground is endless
        fit = fit_shape(name, points, orientation, "BOX")
    return builder.add_body(
        name,
        fit.shape,
        fit.size,
        fit.centre,
        fit.orientation,
        mass=settings.mass,
        velocity=velocity,
        angular_velocity=angular_velocity,
        drag=settings.drag,
        friction=settings.friction,
        restitution=settings.restitution,
    )
