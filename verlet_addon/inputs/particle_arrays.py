"""What is simulated of one mesh or curve, as it was read."""

from __future__ import annotations

from dataclasses import dataclass

from ...core.arrays import Floats, Ints
from ..splines.spline_fit import SplineFit


@dataclass(frozen=True)
class CurveArrays:
    """The splines of a curve object as chains of particles, in its local space at rest."""

    points: Floats  # (n, 3) m
    edges: Ints  # (m, 2), along each spline and back to its start where it is cyclic
    coordinates: Floats  # (c, 3) m, see blender.control_points for the order
    control_particles: Ints  # (p,) the particle at each control point, spline by spline
    fit: SplineFit


@dataclass(frozen=True)
class ParticleArrays:
    """What is simulated of an object, in its local space."""

    points: Floats  # (n, 3) m
    edges: Ints  # (m, 2)
    face_offsets: Ints  # (f + 1,)
    face_vertices: Ints
    curve: CurveArrays | None = None
    weld: Ints | None = None  # (n,) of a mesh that may tear: the first copy of each vertex

    @property
    def shown_count(self) -> int:
        """Number of rows that the preview and the bake write."""
        return len(self.points if self.curve is None else self.curve.coordinates)

    def shown(self, points: Floats) -> Floats:
        """Rows to write when the particles are at ``points`` (n, 3), local.

        Of a curve they are points and handles. Points lie exactly on their particle, where the
        spline passes through its points; the rest is the best fit. Tilt and radius are not among
        them and stay as they are.
        """
        return points if self.curve is None else self.curve.fit.coordinates(points)
