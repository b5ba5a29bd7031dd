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

from ...angular_momentum import NO_INERTIA, add_inertia, solve_inertia
from ...arrays import Floats, Ints
from ...errors import ModelError
from ...kernels.jit import kernel
from ...model.constraint import Moving
from ...records import Records, records
from ...rotation_fit import fitted_turn
from ...vec3 import (
    ZERO,
    add,
    add_cross,
    along,
    between,
    cross,
    divide,
    load,
    rotate,
    scale,
    shift,
    sub,
    vec,
)
from ...vector import write_rotation
from .checks import numbers, rows_of_particles, vertices
from .repair import repair_rate, share_per_pass

if TYPE_CHECKING:
    from .building import Building

PINNED_MASS = 1e4
"""A pinned particle counts as this many times the mass of all free ones of its cluster."""


CLUSTER_MEMBER = np.dtype(
    [
        ("particle", np.int32),
        ("rest_place", np.float64, (3,)),  # m, in any frame: centred with the masses of the moment
    ],
    align=True,
)


@dataclass(frozen=True, eq=False)
class ShapeMatches:
    """All clusters of one object, which may overlap. Made by `ShapeMatches.of`."""

    object: int
    member: Records  # (m,) CLUSTER_MEMBER, cluster by cluster
    cluster_start: Ints  # (k + 1,) first member of each
    repair: Floats  # (k,) share of the deformation repaired per pass at 480 steps a second

    @classmethod
    def of(
        cls,
        builder: Building,
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
            records(CLUSTER_MEMBER, particle=joined, rest_place=place),
            start,
            numbers(builder, object, "repair", repair, (len(members),), least=0.0, most=1.0),
        )

    @property
    def particles(self) -> Ints:
        """Every particle of a cluster."""
        return self.member["particle"]

    @property
    def multiplier_count(self) -> int:
        """No multipliers, but room for two 4×4 matrices."""
        return 32

    def project(self, moving: Moving, multiplier: Floats) -> None:
        """Project cluster after cluster."""
        project_shapes(
            moving.particles,
            self.member,
            self.cluster_start,
            self.repair,
            repair_rate(moving.h, moving.animated[self.object].stiffness),
            multiplier.reshape(2, 4, 4),
        )


# Δx = s (c + R q − x) + ω × (x* − c*). The first term has no torque about the present places, but
# what Verlet keeps is Σ m x* × x/h; the small turn ω takes out what is left over there (see
# `angular`), so that both momenta are kept to rounding.
@kernel
def project_shapes(particles, members, cluster_start, repair, rate, scratch):
    """Draw every cluster to its shape.

    rate: see `repair.repair_rate`; scratch (2, 4, 4).
    """
    x, previous, inverse_mass = particles
    turn = scratch[0]
    for cluster in range(cluster_start.shape[0] - 1):
        first = cluster_start[cluster]
        last = cluster_start[cluster + 1]
        share = share_per_pass(repair[cluster], rate)
        total = 0.0
        for i in range(first, last):
            w = inverse_mass[members[i]["particle"]]
            if w > 0.0:
                total += 1.0 / w
        if total == 0.0 or share == 0.0:
            continue
        heavy = PINNED_MASS * total

        origin = members[first]["particle"]  # measured from here: far places cost no digits
        centre, before, rest = ZERO, ZERO, ZERO  # centres of mass
        total = 0.0
        for i in range(first, last):
            j = members[i]["particle"]
            m = 1.0 / inverse_mass[j] if inverse_mass[j] > 0.0 else heavy
            total += m
            centre = along(centre, m, between(x, origin, j))
            before = along(before, m, between(previous, origin, j))
            rest = along(rest, m, vec(members[i]["rest_place"]))
        centre = add(load(x, origin), divide(centre, total))
        before = add(load(previous, origin), divide(before, total))
        rest = divide(rest, total)

        s0, s1, s2 = ZERO, ZERO, ZERO  # rows of Σ m q rᵀ
        for i in range(first, last):
            j = members[i]["particle"]
            m = 1.0 / inverse_mass[j] if inverse_mass[j] > 0.0 else heavy
            r = scale(m, sub(load(x, j), centre))
            q = sub(vec(members[i]["rest_place"]), rest)
            s0, s1, s2 = along(s0, q[0], r), along(s1, q[1], r), along(s2, q[2], r)
        write_rotation(turn, fitted_turn(s0, s1, s2, scratch))

        momentum = ZERO
        inertia = NO_INERTIA
        for i in range(first, last):
            j = members[i]["particle"]
            m = 1.0 / inverse_mass[j] if inverse_mass[j] > 0.0 else heavy
            goal = rotate(turn, sub(vec(members[i]["rest_place"]), rest))
            way = sub(goal, sub(load(x, j), centre))
            r = sub(load(previous, j), before)
            momentum = along(momentum, -m, cross(r, way))
            inertia = add_inertia(inertia, m, r)
        spin = solve_inertia(inertia, momentum)
        for i in range(first, last):
            j = members[i]["particle"]
            if inverse_mass[j] == 0.0:
                continue
            goal = rotate(turn, sub(vec(members[i]["rest_place"]), rest))
            way = sub(goal, sub(load(x, j), centre))
            shift(x, j, share, add_cross(way, spin, sub(load(previous, j), before)))
