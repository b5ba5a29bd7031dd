"""Collider: a mesh as the plane, room, shape or triangles that others bump into."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, Ints
from ..building.builder import ModelBuilder
from ..collision.shape import Shape, Surface
from ..errors import ModelError
from ..geometry.closest_shape import Fit
from ..geometry.solid import solid_parts
from ..settings import ColliderSettings
from ..vector import rotation_matrix
from .fit import OPEN_SHARE, fit_shape
from .points import checked_points
from .solid import layer_bits, placed_shapes

SMALLEST_GROUND = 1.0
"""m; a flat collider that is narrower is a tile or a table top, not the ground."""

FACES_DOWN = -1e-6
"""Height of the normal of a flat collider that faces down; a wall, but for rounding, does not."""


def add_collider(
    builder: ModelBuilder,
    name: str,
    points: ArrayLike,
    orientation: ArrayLike,
    settings: ColliderSettings,
    triangles: ArrayLike | None = None,
) -> int:
    """Add a mesh as a collider; returns its index among the model's colliders.

    points (n, 3) m: its vertices in world space; orientation (4,): the object's axes; triangles
    (t, 3). Where the fitted shape stands: `Model.colliders.position` and
    `Model.colliders.orientation`.

    AUTO is as of bodies, but concave meshes, sheets and open vessels are taken as they are: MESH.
    Only a flat mesh at least `SMALLEST_GROUND` wide is the endless ground; smaller ones have edges,
    and so has one that faces down: all that stands on it would be inside the ground.
    Raises `ModelError` for a mesh in one place, and for MESH without faces.
    """
    x = checked_points(name, points)
    own = np.array(orientation, dtype=np.float64)
    own /= np.linalg.norm(own)
    faces = None if triangles is None else np.asarray(triangles, dtype=np.int32).reshape(-1, 3)
    fit = fit_shape(name, x, own, _chosen(name, x, own, settings.shape, faces), faces)
    if fit.shape == "MESH":
        shapes = [_mesh(name, x, faces, fit, settings.two_sided)]
    else:
        shapes = placed_shapes(name, fit, fit.centre, fit.orientation)
    return builder.add_collider_shapes(
        name,
        shapes,
        fit.centre,
        fit.orientation,
        friction=settings.friction,
        restitution=settings.restitution,
        layers=layer_bits(settings.layers),
    )


def _chosen(name: str, x: Floats, own: Floats, shape: str, faces: Ints | None) -> str:
    """The named shape, and for AUTO what suits something that need not be convex."""
    if shape != "AUTO" or faces is None or not len(faces):
        return shape
    fit = fit_shape(name, x, own, "AUTO", faces)
    if fit.shape == "PLANE":
        axes = rotation_matrix(own)
        width = np.sort(np.ptp(x @ axes, axis=0))[1]
        is_ground = width >= SMALLEST_GROUND and axes[2, 2] >= FACES_DOWN
        return "PLANE" if is_ground else "MESH"
    parts = solid_parts(x, faces, OPEN_SHARE)
    is_solid = len(parts) > 0 and all(part.volume > 0.0 for part in parts)
    return "AUTO" if is_solid and fit.shape != "COMPOUND" else "MESH"


def _mesh(name: str, x: Floats, faces: Ints | None, fit: Fit, two_sided: bool) -> Shape:
    if faces is None or not len(faces):
        raise ModelError(
            name, "has no faces, so shape Mesh leaves nothing to bump into; choose Convex Hull"
        )
    local = (x - fit.centre) @ rotation_matrix(fit.orientation)
    return Shape.of(name, "MESH", surface=Surface(np.ascontiguousarray(local), faces, two_sided))
