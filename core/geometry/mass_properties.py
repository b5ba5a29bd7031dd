"""Volume, centre and inertia of solids: closed meshes, simple shapes, hulls and their sums.

All of them for a density of 1 kg/m³, so that volume is mass; `MassProperties.inertia_of` scales
to a mass. A closed mesh is a sum of tetrahedra with signs, from one point to each of its
triangles, which is the divergence theorem (Mirtich 1996, "Fast and Accurate Computation of
Polyhedral Mass Properties"; covariance of a tetrahedron: Blow & Binstock 2004).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import permutations, product
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ModelError
from ..vector import rotation_matrix, rotation_quaternion
from .hull import Hull, convex_hull
from .solid import closed_surface

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..arrays import Floats, Ints

ALIKE_MOMENTS = 1e-6
"""Share of the largest moment by which two moments may differ and still count as equal."""

MOST_HULL_VERTICES = 256
"""Vertices of the hull that stands in for a mesh that encloses nothing."""


@dataclass(frozen=True, eq=False)
class MassProperties:
    """A solid of density 1: volume m³, centre (3,) m, inertia (3, 3) m⁵ about the centre.

    The inertia's axes are those in which the points were given.
    """

    volume: float
    centre: Floats
    inertia: Floats

    def inertia_of(self, mass: float) -> Floats:
        """Inertia tensor (3, 3) in kg·m² about the centre of the solid with this mass in kg."""
        return self.inertia * (mass / self.volume)

    def moved(self, position: ArrayLike, axes: ArrayLike) -> MassProperties:
        """The solid carried along: x becomes position (3,) m + axes (3, 3) · x."""
        p, r = np.asarray(position, dtype=np.float64), np.asarray(axes, dtype=np.float64)
        return MassProperties(self.volume, p + r @ self.centre, r @ self.inertia @ r.T)


def mesh_mass_properties(name: str, points: ArrayLike, triangles: ArrayLike) -> MassProperties:
    """The solid that triangles (t, 3) over points (n, 3) m enclose.

    It may be inside out, consist of several parts and have cavities; small holes are closed: see
    `solid.closed_surface`. What encloses nothing counts as its convex hull, and what is flat as
    a plate as thick as a thousandth of its length (`hull.PLATE`). Raises `ModelError` for points on
    one line or in one place.
    """
    x = np.asarray(points, dtype=np.float64).reshape(-1, 3)
    surface = closed_surface(x, triangles)
    if surface is not None:
        return surface_mass_properties(x, surface)
    hull = convex_hull(x, MOST_HULL_VERTICES)
    if hull is None:
        if len(x) == 0 or not np.ptp(x, axis=0).max() > 0.0:
            raise ModelError(name, "has all its vertices in one place; scale it up")
        raise ModelError(
            name,
            "has all its vertices on one line, so it has no volume; extrude it or give it a Bevel",
        )
    return hull_mass_properties(hull)


def surface_mass_properties(points: Floats, triangles: Ints) -> MassProperties:
    """The solid inside closed triangles (t, 3), wound counter-clockwise seen from outside."""
    origin = points[triangles].mean(axis=(0, 1))
    a, b, c = (points[triangles[:, k]] - origin for k in range(3))
    six = np.einsum("ij,ij->i", a, np.cross(b, c))  # six times the volume of each tetrahedron
    s = a + b + c
    volume = float(six.sum()) / 6.0
    centre = six @ s / (24.0 * volume)
    # ∫ x xᵀ over a tetrahedron at the origin = 6V/120 (a aᵀ + b bᵀ + c cᵀ + s sᵀ)
    second = sum((six[:, None] * v).T @ v for v in (a, b, c, s)) / 120.0
    second -= volume * np.outer(centre, centre)
    second = 0.5 * (second + second.T)
    return MassProperties(volume, origin + centre, np.trace(second) * np.eye(3) - second)


def hull_mass_properties(hull: Hull) -> MassProperties:
    """A solid convex hull."""
    return surface_mass_properties(hull.vertex, hull.triangles)


def sphere_mass_properties(radius: float) -> MassProperties:
    """A ball about the origin."""
    volume = 4.0 / 3.0 * math.pi * radius**3
    return _about_origin(volume, [0.4 * volume * radius**2] * 3)


def box_mass_properties(half: Sequence[float]) -> MassProperties:
    """A box of half extents (3,) m about the origin."""
    x, y, z = (h * h for h in half)
    volume = 8.0 * half[0] * half[1] * half[2]
    return _about_origin(volume, [volume * s / 3.0 for s in (y + z, x + z, x + y)])


def cylinder_mass_properties(radius: float, half_height: float) -> MassProperties:
    """A cylinder along z about the origin."""
    volume = 2.0 * math.pi * radius**2 * half_height
    across = volume * (radius**2 / 4.0 + half_height**2 / 3.0)
    return _about_origin(volume, [across, across, 0.5 * volume * radius**2])


def capsule_mass_properties(radius: float, half_length: float) -> MassProperties:
    """A capsule along z about the origin: a cylinder of half_length with a half ball at each end.

    The centre of a half ball lies 3r/8 from its flat side, 2r²/5 − (3r/8)² is its second moment.
    """
    tube = math.pi * radius**2 * 2.0 * half_length
    balls = 4.0 / 3.0 * math.pi * radius**3
    along = 0.5 * tube * radius**2 + 0.4 * balls * radius**2
    across = tube * (radius**2 / 4.0 + half_length**2 / 3.0) + balls * (
        0.4 * radius**2 + half_length**2 + 0.75 * half_length * radius
    )
    return _about_origin(tube + balls, [across, across, along])


def sum_mass_properties(parts: Sequence[MassProperties]) -> MassProperties:
    """Several solids as one body (parallel axes, Huygens–Steiner); overlaps count twice."""
    volume = sum(part.volume for part in parts)
    centre = sum((part.volume * part.centre for part in parts), np.zeros(3)) / volume
    inertia = np.zeros((3, 3))
    for part in parts:
        arm = part.centre - centre
        inertia += part.inertia + part.volume * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return MassProperties(volume, centre, inertia)


def _about_origin(volume: float, moments: Sequence[float]) -> MassProperties:
    return MassProperties(volume, np.zeros(3), np.diag(moments))


def principal_axes(inertia: ArrayLike, orientation: ArrayLike) -> tuple[Floats, Floats]:
    """Principal moments (3,) and axes, a unit quaternion (4,), of an inertia tensor (3, 3).

    orientation (4,): the object's axes. Of all choices (order and sign of the axes, and turns
    about an axis of symmetry) this is the one that turns the object's axes least, so a cube keeps
    its own and two scenes that differ by rounding agree. The i-th moment belongs to the i-th axis.
    """
    tensor = np.asarray(inertia, dtype=np.float64)
    q = np.asarray(orientation, dtype=np.float64)
    own = rotation_matrix(q / np.linalg.norm(q))
    local = own.T @ tensor @ own
    moments, vectors = np.linalg.eigh(local)
    near = ALIKE_MOMENTS * moments[2]
    off_diagonal = np.abs(local - np.diag(np.diag(local))).max()
    if off_diagonal <= 0.1 * near:  # the object's own axes are principal ones
        moments, turn = np.diag(local).copy(), np.eye(3)
    elif moments[1] - moments[0] <= near or moments[2] - moments[1] <= near:
        alone = 2 if moments[1] - moments[0] <= near else 0
        turn = _least_turn(vectors[:, alone])
        moments = np.einsum("ij,ik,kj->j", turn, local, turn)
    else:
        best, turn = -np.inf, np.eye(3)
        for order in permutations(range(3)):
            for x, y, z in product((1.0, -1.0), repeat=3):
                axes = vectors[:, order] * (x, y, z)
                # A mirrored choice never wins: its trace is 1 at most, the best rotation's 1.9.
                if np.trace(axes) > best + 1e-9:
                    best, turn = float(np.trace(axes)), axes
        moments = np.einsum("ij,ik,kj->j", turn, local, turn)
    return moments, rotation_quaternion(own @ turn)


def _least_turn(axis: Floats) -> Floats:
    """The rotation (3, 3) by the least angle that lays one of x, y, z along ±axis (3,)."""
    k = int(np.argmax(np.abs(axis) > np.abs(axis).max() - 1e-9))
    u = axis * (1.0 if axis[k] > 0.0 else -1.0)
    start = np.eye(3)[k]
    v = np.cross(start, u)
    cross = np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
    return np.asarray(np.eye(3) + cross + cross @ cross / (1.0 + start @ u))
