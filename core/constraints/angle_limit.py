"""Angle limits: how far two sticks that share a particle may open and close (Jakobsen §6).

    α_min ≤ d ≤ α,   d = (x₂ − x₀) · (x₁ − x₀)

with x₀ where they meet; each limit acts only when it is passed. For sticks of lengths p and q,
d = p q cos θ. The limits cost no square root and no arccosine; where the three particles lie on
one line d changes to first order by the lengths alone, so limits hold best between 10° and 170°.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ModelError
from ..jit import kernel
from ..model import Floats, Ints
from .base import Moving
from .checks import numbers, rows_of_particles, vertices

if TYPE_CHECKING:
    from ..builder import ModelBuilder


@dataclass(frozen=True, eq=False)
class AngleLimits:
    """All angle limits of one object. Made by `AngleLimits.of` or `AngleLimits.between`."""

    object: int
    triple: Ints  # (k, 3): x₀ where the sticks meet, x₁, x₂
    smallest: Floats  # (k,) m², −∞ = no such limit
    largest: Floats  # (k,) m², ∞ = no such limit

    @classmethod
    def of(
        cls,
        builder: ModelBuilder,
        object: int,
        triples: ArrayLike,
        *,
        smallest: ArrayLike = -np.inf,
        largest: ArrayLike = np.inf,
    ) -> AngleLimits:
        """Limits on the dot product at the first of triples (k, 3) of particles of the model.

        smallest, largest: (k,) or one number, m²; an infinite one is no limit.

        Raises `ModelError` for limits that contradict each other, naming the vertices.
        """
        triple = rows_of_particles(builder, object, "angle limit", triples, 3)
        count = (len(triple),)
        least = -numbers(
            builder, object, "smallest dot product", -np.asarray(smallest), count, endless=True
        )
        most = numbers(builder, object, "largest dot product", largest, count, endless=True)
        wrong = least > most
        if wrong.any():
            t = int(np.argmax(wrong))
            raise ModelError(
                builder.objects[object].name,
                f"the angle at vertices {vertices(builder, object, triple[t])} may have a dot "
                f"product neither below {least[t]:g} nor above {most[t]:g} m²: exchange the limits",
            )
        return cls(object, triple, least, most)

    @classmethod
    def between(
        cls,
        builder: ModelBuilder,
        object: int,
        triples: ArrayLike,
        least_degrees: ArrayLike = 0.0,
        most_degrees: ArrayLike = 180.0,
    ) -> AngleLimits:
        """Limits on the angle between the two sticks, 0 … 180°, for their lengths as they stand.

        Raises `ModelError` for limits that contradict each other and for sticks without length.
        """
        triple = rows_of_particles(builder, object, "angle limit", triples, 3)
        count = (len(triple),)
        least = numbers(builder, object, "least angle", least_degrees, count, least=0.0, most=180.0)
        most = numbers(builder, object, "most angle", most_degrees, count, least=0.0, most=180.0)
        name = builder.objects[object].name
        wrong = least > most
        if wrong.any():
            t = int(np.argmax(wrong))
            raise ModelError(
                name,
                f"the angle at vertices {vertices(builder, object, triple[t])} may be neither "
                f"below {least[t]:g}° nor above {most[t]:g}°: exchange the limits",
            )
        x = builder.position
        sides = np.linalg.norm(x[triple[:, 1:]] - x[triple[:, :1]], axis=2)
        if (sides == 0.0).any():
            t, k = np.argwhere(sides == 0.0)[0]
            ends = vertices(builder, object, triple[t, [0, 1 + k]])
            raise ModelError(name, f"vertices {ends} lie in one place, so there is no angle there")
        product = sides.prod(axis=1)
        return cls.of(
            builder,
            object,
            triple,
            smallest=np.where(most < 180.0, product * np.cos(np.radians(most)), -np.inf),
            largest=np.where(least > 0.0, product * np.cos(np.radians(least)), np.inf),
        )

    @property
    def particles(self) -> Ints:
        """Every particle that a limit names."""
        return self.triple

    @property
    def multiplier_count(self) -> int:
        """None: limits are rigid."""
        return 0

    def project(self, moving: Moving, multiplier: Floats) -> None:
        """Project every limit once, in the order of their adding."""
        project_angle_limits(
            moving.x,
            moving.previous,
            moving.inverse_mass,
            self.triple,
            self.smallest,
            self.largest,
        )


# ∂d/∂x₁ = x₂ − x₀, ∂d/∂x₂ = x₁ − x₀, ∂d/∂x₀ the negative sum; taken one step ago they keep angular
# momentum (see `stick.momentum`). Along them d is a square function of λ,
# d(λ) = d + b λ + c λ², solved exactly for d(λ) = α.
@kernel
def project_angle_limits(x, previous, inverse_mass, triple, smallest, largest):
    """Bring every dot product between its limits; where that is not possible, as near as can be."""
    for t in range(triple.shape[0]):
        i0 = triple[t, 0]
        i1 = triple[t, 1]
        i2 = triple[t, 2]
        px = x[i1, 0] - x[i0, 0]
        py = x[i1, 1] - x[i0, 1]
        pz = x[i1, 2] - x[i0, 2]
        qx = x[i2, 0] - x[i0, 0]
        qy = x[i2, 1] - x[i0, 1]
        qz = x[i2, 2] - x[i0, 2]
        dot = px * qx + py * qy + pz * qz
        if dot > largest[t]:
            wanted = largest[t]
        elif dot < smallest[t]:
            wanted = smallest[t]
        else:
            continue
        # gradients of x₁ and x₂: the other stick
        ax = previous[i2, 0] - previous[i0, 0]
        ay = previous[i2, 1] - previous[i0, 1]
        az = previous[i2, 2] - previous[i0, 2]
        bx = previous[i1, 0] - previous[i0, 0]
        by = previous[i1, 1] - previous[i0, 1]
        bz = previous[i1, 2] - previous[i0, 2]
        now = px * px + py * py + pz * pz + qx * qx + qy * qy + qz * qz
        if not px * bx + py * by + pz * bz + qx * ax + qy * ay + qz * az > 0.5 * now:
            ax, ay, az, bx, by, bz = qx, qy, qz, px, py, pz  # turned or stretched too far
        w0 = inverse_mass[i0]
        w1 = inverse_mass[i1]
        w2 = inverse_mass[i2]
        # what λ moves the two sticks by
        mx = w1 * ax + w0 * (ax + bx)
        my = w1 * ay + w0 * (ay + by)
        mz = w1 * az + w0 * (az + bz)
        nx = w2 * bx + w0 * (ax + bx)
        ny = w2 * by + w0 * (ay + by)
        nz = w2 * bz + w0 * (az + bz)
        first = px * nx + py * ny + pz * nz + qx * mx + qy * my + qz * mz
        second = mx * nx + my * ny + mz * nz
        if first == 0.0:
            continue
        error = dot - wanted
        root = first * first - 4.0 * second * error
        if root > 0.0:  # the root of d(λ) = α nearest to 0
            step = -2.0 * error / (first + math.copysign(math.sqrt(root), first))
        else:
            step = -0.5 * first / second  # the nearest that d(λ) comes
        for k in range(3):
            a = ax if k == 0 else (ay if k == 1 else az)
            b = bx if k == 0 else (by if k == 1 else bz)
            x[i1, k] += w1 * step * a
            x[i2, k] += w2 * step * b
            x[i0, k] -= w0 * step * (a + b)
