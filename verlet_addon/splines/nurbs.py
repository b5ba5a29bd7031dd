"""NURBS splines as Blender draws them: their knots, and the share of each control point.

Blender derives the knots from four switches and shows them nowhere, so they are computed here as
its `bke::curves::nurbs` does; 4.2 to 5.2 agree.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Floats

Indices = NDArray[np.intp]


@dataclass(frozen=True)
class NurbsShape:
    """What, beside the control points and their weights, makes a NURBS spline."""

    point_count: int
    order: int
    is_cyclic: bool
    use_endpoint: bool
    use_bezier: bool

    @property
    def is_drawn(self) -> bool:
        """Whether Blender draws a NURBS; if not, it draws the polygon of the control points."""
        if self.point_count < self.order:
            return False
        if not self.use_bezier:
            return True
        if not self.use_endpoint and self.point_count <= self.order:
            return False
        return not self.is_cyclic or self.point_count % (self.order - 1) == 0

    @property
    def basis_count(self) -> int:
        """Number of basis functions: on a cyclic spline the first points come again at its end."""
        return self.point_count + (self.order - 1 if self.is_cyclic else 0)


def knots_of(shape: NurbsShape) -> Floats:
    """The knots (basis_count + order,) that Blender uses."""
    order, cyclic, endpoint = shape.order, shape.is_cyclic, shape.use_endpoint
    repeat = order - 1 if shape.use_bezier else 1
    if endpoint:
        run = order - 1 if cyclic else order
    else:
        run = min(2, repeat) if shape.use_bezier else 1
    tail = 2 * order - 1 if cyclic else (order if endpoint else 0)
    knots = np.zeros(shape.basis_count + order)
    current, first = 0.0, int(endpoint and cyclic)
    current += first
    for index in range(first, len(knots) - tail):
        knots[index] = current
        run -= 1
        if run == 0:
            current += 1.0
            run = repeat
    start = len(knots) - tail
    for index in range(tail):
        knots[start + index] = current + (knots[index] - knots[0])
    return knots


def domain_of(shape: NurbsShape, knots: Floats) -> tuple[float, float]:
    """The parameters between which the spline is drawn."""
    return float(knots[shape.order - 1]), float(knots[shape.basis_count])


def middles_of(shape: NurbsShape, knots: Floats) -> Floats:
    """The parameter (point_count,) at which each control point pulls most: its Greville abscissa.

    On an open spline those outside the domain are moved to its end, on a cyclic one they are
    counted from the other end.
    """
    start, end = domain_of(shape, knots)
    count, degree = shape.point_count, shape.order - 1
    means = np.array([knots[i + 1 : i + 1 + degree].mean() for i in range(count)])
    if shape.is_cyclic:
        return start + np.mod(means - start, end - start)
    return np.clip(means, start, end)


def shares_of(
    shape: NurbsShape, knots: Floats, parameters: Floats, point_weights: Floats
) -> tuple[Indices, Floats]:
    """The control points (s, order) that matter at ``parameters`` (s,), and their shares, sum 1.

    By the recurrence of Cox and de Boor (Piegl & Tiller, The NURBS Book, A2.2).
    """
    order, (_, end) = shape.order, domain_of(shape, knots)
    last_span = np.searchsorted(knots, end, side="left") - 1
    spans = np.where(
        parameters < end, np.searchsorted(knots, parameters, side="right") - 1, last_span
    )
    basis = np.zeros((len(parameters), order))
    basis[:, 0] = 1.0
    for degree in range(1, order):
        saved = np.zeros(len(parameters))
        for r in range(degree):
            right = knots[spans + r + 1] - parameters
            left = parameters - knots[spans + 1 - degree + r]
            part = basis[:, r] / (right + left)
            basis[:, r] = saved + right * part
            saved = left * part
        basis[:, degree] = saved
    points = (spans[:, None] - order + 1 + np.arange(order)) % shape.point_count
    rational = basis * point_weights[points]
    return points, rational / rational.sum(axis=1, keepdims=True)
