"""Shape matching: clusters of particles that return to their shape, turned and moved as it fits.

Müller, Heidelberger, Teschner, Gross 2005, "Meshless Deformations Based on Shape Matching", §3.3:
each particle is drawn to its goal c + R q, with c the cluster's centre of mass, q the particle's
rest place about it, and R the rotation that brings all q closest to where they are (see
`rotation_fit`; what flat and straight clusters leave open does not matter for the goals).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ModelError
from ..jit import kernel
from ..model import Floats, Ints
from ..rotation_fit import fitted_turn
from ..vector import cross, rotate, write_rotation
from .angular import NO_INERTIA, add_inertia, solve_inertia
from .base import Moving
from .checks import numbers, rows_of_particles, vertices
from .repair import repair_rate, share_per_pass

if TYPE_CHECKING:
    from ..builder import ModelBuilder

HEAVY = 1e4
"""A pinned particle counts as this many times the mass of all free ones of its cluster."""


@dataclass(frozen=True, eq=False)
class ShapeMatches:
    """All clusters of one object, which may overlap. Made by `ShapeMatches.of`."""

    object: int
    member: Ints  # (m,) particles, cluster by cluster
    cluster_start: Ints  # (k + 1,) first member of each
    rest_place: Floats  # (m, 3) m, in any frame: centred with the masses of the moment
    repair: Floats  # (k,) share of the deformation repaired per pass at 480 steps a second

    @classmethod
    def of(
        cls,
        builder: ModelBuilder,
        object: int,
        clusters: Sequence[ArrayLike],
        *,
        repair: ArrayLike = 1.0,
        rest_position: ArrayLike | None = None,
    ) -> ShapeMatches:
        """One cluster for each list of particles of the whole model.

        repair: share of the deformation repaired per pass, (k,) or one number, 0 … 1, see
        `repair`. rest_position (n, 3) m of all particles of the model, by default as they stand.

        Raises `ModelError` for empty clusters and for particles that come twice in one.
        """
        name = builder.objects[object].name
        members = [rows_of_particles(builder, object, "cluster", c, 1)[:, 0] for c in clusters]
        for c, member in enumerate(members):
            if len(member) == 0:
                raise ModelError(name, f"cluster {c} has no vertices; leave it out")
            chosen, times = np.unique(member, return_counts=True)
            if (times > 1).any():
                twice = vertices(builder, object, chosen[int(np.argmax(times))])
                raise ModelError(name, f"cluster {c} names vertex {twice} more than once")
        start = np.cumsum([0] + [len(m) for m in members]).astype(np.int32)
        x = builder.position
        if rest_position is not None:
            x = numbers(builder, object, "rest position", rest_position, x.shape)
        joined: Ints = np.concatenate([np.zeros(0, dtype=np.int32), *members])
        place = x[joined]
        for c in range(len(members)):  # near the origin, so that the kernel loses no digits
            rows = slice(int(start[c]), int(start[c + 1]))
            place[rows] -= place[rows].mean(axis=0)
        return cls(
            object,
            joined,
            start,
            np.ascontiguousarray(place),
            numbers(builder, object, "repair", repair, (len(members),), least=0.0, most=1.0),
        )

    @property
    def particles(self) -> Ints:
        """Every particle of a cluster."""
        return self.member

    @property
    def multiplier_count(self) -> int:
        """No multipliers, but room for two 4×4 matrices."""
        return 32

    def project(self, moving: Moving, multiplier: Floats) -> None:
        """Project cluster after cluster."""
        project_shapes(
            moving.x,
            moving.previous,
            moving.inverse_mass,
            self.member,
            self.cluster_start,
            self.rest_place,
            self.repair,
            repair_rate(moving.h, moving.animated[self.object].stiffness),
            multiplier.reshape(2, 4, 4),
        )


# Δx = s (c + R q − x) + ω × (x* − c*). The first term has no torque about the present places, but
# what Verlet keeps is Σ m x* × x/h; the small turn ω takes out what is left over there (see
# `angular`), so that both momenta are kept to rounding.
@kernel
def project_shapes(
    x, previous, inverse_mass, member, cluster_start, rest_place, repair, rate, scratch
):
    """Draw every cluster to its shape.

    rate: see `repair.repair_rate`; scratch (2, 4, 4).
    """
    turn = scratch[0]
    for cluster in range(cluster_start.shape[0] - 1):
        first = cluster_start[cluster]
        last = cluster_start[cluster + 1]
        share = share_per_pass(repair[cluster], rate)
        total = 0.0
        for i in range(first, last):
            w = inverse_mass[member[i]]
            if w > 0.0:
                total += 1.0 / w
        if total == 0.0 or share == 0.0:
            continue
        heavy = HEAVY * total

        origin = member[first]  # everything is measured from here: far places cost no digits
        cx = cy = cz = 0.0
        bx = by = bz = 0.0
        qx = qy = qz = 0.0
        total = 0.0
        for i in range(first, last):
            j = member[i]
            m = 1.0 / inverse_mass[j] if inverse_mass[j] > 0.0 else heavy
            total += m
            cx += m * (x[j, 0] - x[origin, 0])
            cy += m * (x[j, 1] - x[origin, 1])
            cz += m * (x[j, 2] - x[origin, 2])
            bx += m * (previous[j, 0] - previous[origin, 0])
            by += m * (previous[j, 1] - previous[origin, 1])
            bz += m * (previous[j, 2] - previous[origin, 2])
            qx += m * rest_place[i, 0]
            qy += m * rest_place[i, 1]
            qz += m * rest_place[i, 2]
        cx = x[origin, 0] + cx / total
        cy = x[origin, 1] + cy / total
        cz = x[origin, 2] + cz / total
        bx = previous[origin, 0] + bx / total
        by = previous[origin, 1] + by / total
        bz = previous[origin, 2] + bz / total
        qx /= total
        qy /= total
        qz /= total

        s00 = s01 = s02 = s10 = s11 = s12 = s20 = s21 = s22 = 0.0  # Σ m q rᵀ
        for i in range(first, last):
            j = member[i]
            m = 1.0 / inverse_mass[j] if inverse_mass[j] > 0.0 else heavy
            rx = m * (x[j, 0] - cx)
            ry = m * (x[j, 1] - cy)
            rz = m * (x[j, 2] - cz)
            px = rest_place[i, 0] - qx
            py = rest_place[i, 1] - qy
            pz = rest_place[i, 2] - qz
            s00 += px * rx
            s01 += px * ry
            s02 += px * rz
            s10 += py * rx
            s11 += py * ry
            s12 += py * rz
            s20 += pz * rx
            s21 += pz * ry
            s22 += pz * rz
        w, ux, uy, uz = fitted_turn(s00, s01, s02, s10, s11, s12, s20, s21, s22, scratch)
        write_rotation(turn, w, ux, uy, uz)

        lx = ly = lz = 0.0
        inertia = NO_INERTIA
        for i in range(first, last):
            j = member[i]
            m = 1.0 / inverse_mass[j] if inverse_mass[j] > 0.0 else heavy
            gx, gy, gz = rotate(
                turn, rest_place[i, 0] - qx, rest_place[i, 1] - qy, rest_place[i, 2] - qz
            )
            gx -= x[j, 0] - cx
            gy -= x[j, 1] - cy
            gz -= x[j, 2] - cz
            rx = previous[j, 0] - bx
            ry = previous[j, 1] - by
            rz = previous[j, 2] - bz
            tx, ty, tz = cross(rx, ry, rz, gx, gy, gz)
            lx -= m * tx
            ly -= m * ty
            lz -= m * tz
            inertia = add_inertia(inertia, m, rx, ry, rz)
        ox, oy, oz = solve_inertia(inertia, lx, ly, lz)
        for i in range(first, last):
            j = member[i]
            if inverse_mass[j] == 0.0:
                continue
            gx, gy, gz = rotate(
                turn, rest_place[i, 0] - qx, rest_place[i, 1] - qy, rest_place[i, 2] - qz
            )
            rx = previous[j, 0] - bx
            ry = previous[j, 1] - by
            rz = previous[j, 2] - bz
            x[j, 0] += share * (gx - (x[j, 0] - cx) + oy * rz - oz * ry)
            x[j, 1] += share * (gy - (x[j, 1] - cy) + oz * rx - ox * rz)
            x[j, 2] += share * (gz - (x[j, 2] - cz) + ox * ry - oy * rx)
