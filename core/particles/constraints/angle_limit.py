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

from ...arrays import Floats, Ints
from ...elementary import cosines
from ...errors import ModelError
from ...kernels.jit import kernel
from ...model.constraint import Moving
from ...records import Records, records
from ...vec3 import add, along, between, dot, dot2, scale, shift
from .checks import numbers, rows_of_particles, vertices

if TYPE_CHECKING:
    from .building import Building


ANGLE_LIMIT = np.dtype(
    [
        ("triple", np.int32, (3,)),  # x₀ where the sticks meet, x₁, x₂
        ("smallest", np.float64),  # m², −∞ = no such limit
        ("largest", np.float64),  # m², ∞ = no such limit
    ],
    align=True,
)


@dataclass(frozen=True, eq=False)
class AngleLimits:
    """All angle limits of one object. Made by `AngleLimits.of` or `AngleLimits.between`."""

    object: int
    rows: Records  # (k,) ANGLE_LIMIT

    @classmethod
    def of(
        cls,
        builder: Building,
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
        rows = records(ANGLE_LIMIT, triple=triple, smallest=least, largest=most)
        return cls(object, rows)

    @classmethod
    def between(
        cls,
        builder: Building,
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
            smallest=np.where(most < 180.0, product * cosines(np.radians(most)), -np.inf),
            largest=np.where(least > 0.0, product * cosines(np.radians(least)), np.inf),
        )

    @property
    def particles(self) -> Ints:
        """Every particle that a limit names."""
        return self.rows["triple"]

    @property
    def multiplier_count(self) -> int:
        """None: limits are rigid."""
        return 0

    def project(self, moving: Moving, multiplier: Floats) -> None:
        """Project every limit once, in the order of their adding."""
        project_angle_limits(moving.particles, self.rows)


# ∂d/∂x₁ = x₂ − x₀, ∂d/∂x₂ = x₁ − x₀, ∂d/∂x₀ the negative sum; taken one step ago they keep angular
# momentum (see `stick.momentum`). Along them d is a square function of λ,
# d(λ) = d + b λ + c λ², solved exactly for d(λ) = α.
@kernel
def project_angle_limits(particles, limits):
    """Bring every dot product between its limits; where that is not possible, as near as can be."""
    x, previous, inverse_mass = particles
    for t in range(limits.shape[0]):
        limit = limits[t]
        i0, i1, i2 = limit["triple"][0], limit["triple"][1], limit["triple"][2]
        p = between(x, i0, i1)
        q = between(x, i0, i2)
        product = dot(p, q)
        if product > limit["largest"]:
            wanted = limit["largest"]
        elif product < limit["smallest"]:
            wanted = limit["smallest"]
        else:
            continue
        # gradients of x₁ and x₂: the other stick
        a = between(previous, i0, i2)
        b = between(previous, i0, i1)
        if not dot2(p, b, q, a) > 0.5 * dot2(p, p, q, q):
            a, b = q, p  # turned or stretched too far
        w0 = inverse_mass[i0]
        w1 = inverse_mass[i1]
        w2 = inverse_mass[i2]
        both = add(a, b)
        # what λ moves the two sticks by
        m = along(scale(w1, a), w0, both)
        n = along(scale(w2, b), w0, both)
        first = dot2(p, n, q, m)
        second = dot(m, n)
        if first == 0.0:
            continue
        error = product - wanted
        root = first * first - 4.0 * second * error
        if root > 0.0:  # the root of d(λ) = α nearest to 0
            step = -2.0 * error / (first + math.copysign(math.sqrt(root), first))
        else:
            step = -0.5 * first / second  # the nearest that d(λ) comes
        shift(x, i1, w1 * step, a)
        shift(x, i2, w2 * step, b)
        shift(x, i0, -(w0 * step), both)
