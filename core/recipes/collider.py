"""Collider: a mesh as the plane, box, room, ball or capsule that fits it."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ..builder import ModelBuilder
from ..settings import ColliderSettings
from .fit import fit_shape


def add_collider(
    builder: ModelBuilder,
    name: str,
    points: ArrayLike,
    orientation: ArrayLike,
    settings: ColliderSettings,
) -> int:
    """Add a mesh as a collider; returns its index among the model's colliders.

    points (n, 3) m: its vertices in world space; orientation (4,): the object's axes. Where the
    fitted shape stands: `Model.collider_position` and `Model.collider_orientation`.
    """
    fit = fit_shape(name, points, orientation, settings.shape)
    return builder.add_collider(
        name,
        fit.shape,
        fit.size,
        fit.centre,
        fit.orientation,
        friction=settings.friction,
        restitution=settings.restitution,
    )
