"""Collider: a mesh as the plane, room, shape or triangles that others bump into."""

from __future__ import annotations

from itertools import pairwise

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
from .fit import OPEN_VESSEL_SHARE, fit_shape
from .points import checked_points
from .solid import layer_bits, placed_shapes

SMALLEST_GROUND = 1.0
"""m; a flat collider that is narrower is a tile or a table top, not the ground."""

LEVEL_GROUND = 1e-4
"""Slope up to which a flat collider is level: .1 mm a metre, which is more than rounding."""

WHOLE_FLOOR = 0.999
"""Share of what its outline spans that a floor without holes and notches has faces on."""

WIDE_ROUND = 4.0
"""Edges of cloth from which radius on a ball does not show through its faces: layers of towels hung
through one of 2.6, not of 3.4. Such a ball costs two thirds of what a mesh of it does."""


def add_collider(
    builder: ModelBuilder,
    name: str,
    points: ArrayLike,
    orientation: ArrayLike,
    settings: ColliderSettings,
    triangles: ArrayLike | None = None,
    may_be_ground: bool = True,
    cloth_edge: float = 0.0,
    held: ArrayLike = (),
) -> int:
    """Add a mesh as a collider; returns its index among the model's colliders.

    points (n, 3) m: its vertices in world space; orientation (4,): the object's axes; triangles
    (t, 3). Where the fitted shape stands: `Model.colliders.position` and
    `Model.colliders.orientation`.

    AUTO is as of bodies, but concave meshes, sheets and open vessels are taken as they are: MESH.
    Only a flat mesh that is level, faces up, has no holes and notches and is at least
    `SMALLEST_GROUND` wide is the endless ground. Any other one collides where its faces are:
    behind a wall, beside a ramp and over a pit nothing is solid. ``may_be_ground`` is False for
    what will not stay level, and for what has something below it.

    Where there is cloth all else is taken as it is drawn, too: layers that lie on each other press
    the lowest one past edges, corners and rods of simple shapes, and out of them on the far side.
    Only balls and capsules that are wide beside its faces stay what they are, and what cloth is
    held in, as a flag in its pole: see `building.rooted`. cloth_edge m: mean length of the edges of
    the coarsest cloth, 0 for none; held (p, 3) m: its vertices that are pinned or tied.

    Raises `ModelError` for a mesh in one place, and for MESH without faces.
    """
    x = checked_points(name, points)
    own = np.array(orientation, dtype=np.float64)
    own /= np.linalg.norm(own)
    faces = None if triangles is None else np.asarray(triangles, dtype=np.int32).reshape(-1, 3)
    fit = fit_shape(name, x, own, settings.shape, faces)
    if settings.shape == "AUTO" and faces is not None and len(faces):
        is_simple = _is_simple(fit, x, own, faces, may_be_ground)
        if is_simple and fit.shape != "PLANE" and cloth_edge > 0.0:
            is_simple = _is_wide_and_round(fit, cloth_edge) or holds_any(x, own, held)
        if not is_simple:
            fit = fit_shape(name, x, own, "MESH", faces)
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


def _is_simple(fit: Fit, x: Floats, own: Floats, faces: Ints, may_be_ground: bool) -> bool:
    """Whether the shape that fits a mesh best suits one that need not be convex."""
    if fit.shape == "PLANE":
        return may_be_ground and is_level_ground(x, own, faces)
    parts = solid_parts(x, faces, OPEN_VESSEL_SHARE)
    is_solid = len(parts) > 0 and all(part.volume > 0.0 for part in parts)
    return is_solid and fit.shape != "COMPOUND"


def holds_any(x: Floats, own: Floats, held: ArrayLike) -> bool:
    """Whether any of the places held (p, 3) m lies in the box of points x along the axes own."""
    axes = rotation_matrix(own)
    local, places = x @ axes, np.asarray(held, dtype=np.float64).reshape(-1, 3) @ axes
    low, high = local.min(axis=0), local.max(axis=0)
    return bool(((places > low) & (places < high)).all(axis=1).any())


def _is_wide_and_round(fit: Fit, cloth_edge: float) -> bool:
    return fit.shape in ("SPHERE", "CAPSULE") and fit.size[0] >= WIDE_ROUND * cloth_edge


def is_level_ground(x: Floats, own: Floats, faces: Ints) -> bool:
    """Whether a flat mesh, x (n, 3) m and faces (t, 3), can stand for an endless floor.

    own (4,): its axes, the third of which is its normal.
    """
    axes = rotation_matrix(own)
    local = x @ axes
    is_wide = np.sort(np.ptp(local, axis=0))[1] >= SMALLEST_GROUND
    is_level = np.hypot(axes[0, 2], axes[1, 2]) <= LEVEL_GROUND and axes[2, 2] > 0.0
    return bool(is_wide and is_level and _is_whole(local[:, :2], faces))


def _is_whole(flat: Floats, faces: Ints) -> bool:
    """Whether faces (t, 3) leave nothing out of the convex outline of corners, flat (n, 2) m."""
    a, b, c = (flat[faces[:, k]] for k in range(3))
    area = 0.5 * np.abs(_turn(a, b, c)).sum()
    return bool(area >= WHOLE_FLOOR * _outline_area(flat[np.unique(faces)]))


def _turn(a: Floats, b: Floats, c: Floats) -> Floats:
    """Twice the signed area of triangles a, b, c, each (..., 2)."""
    u, v = b - a, c - a
    return np.asarray(u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0])


def _outline_area(flat: Floats) -> float:
    """Area in m² of the convex hull of points (n, 2) m: Andrew's monotone chain (1979)."""
    order = np.lexsort((flat[:, 1], flat[:, 0]))
    area = 0.0
    for points in (flat[order], flat[order[::-1]]):
        chain: list[tuple[float, float]] = []
        for x, y in points.tolist():
            while len(chain) > 1:
                (ax, ay), (bx, by) = chain[-2], chain[-1]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0.0:
                    break
                chain.pop()
            chain.append((x, y))
        area += 0.5 * sum(ax * by - ay * bx for (ax, ay), (bx, by) in pairwise(chain))
    return area


def _mesh(name: str, x: Floats, faces: Ints | None, fit: Fit, two_sided: bool) -> Shape:
    if faces is None or not len(faces):
        raise ModelError(
            name, "has no faces, so shape Mesh leaves nothing to bump into; choose Convex Hull"
        )
    local = (x - fit.centre) @ rotation_matrix(fit.orientation)
    return Shape.of(name, "MESH", surface=Surface(np.ascontiguousarray(local), faces, two_sided))
