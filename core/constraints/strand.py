"""Strands: sticks along chains and trees of particles, all solved together.

A pass of single sticks carries a pull from one to the next, so that a rope of 200 hangs through
by a fifth of its length. Here the sticks of a whole rope meet their lengths in one go, however
many there are and however heavy its end is: the direct solver of Deul, Kugelstadt, Weiler, Bender
2018 ("Direct Position-Based Solver for Stiff Rods", §4) for sticks that give way by a compliance α,

    (J W Jᵀ + α̃) Δλ = −(C + α̃λ),   C = |δ| − r,   α̃ = α/h²

in the recursive form of Featherstone's articulated bodies. From the tips to the root every
particle gets the inertia M (3, 3) and the impulse b that its outer sticks hand on to it, and from
the root to the tips every stick gets its pull:

    S = 1/(α̃ + n·M⁻¹n),   t = S (C + n·M⁻¹b),   M' += S n nᵀ,   b' += t n
    Δλ = t − S n·u',        u = M⁻¹(b − n Δλ)

with ' at the inner end and n the stick's present direction. (The direction of one step ago, which
`stick.momentum` takes, keeps all motion of a fine chain: waves that no step can follow then grow
without bound. The present one lets motion of angular speed ω go at a rate of (ωh)² a step.) What
that takes of the angular momentum of a whole strand, free or hung up in one place, is given back.

Particles tied to rigid bodies bring the bodies' inertia along (`strand_tie`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..coincidence import direction_between
from ..errors import ModelError
from ..jit import inline, kernel
from ..model import Floats, Ints
from ..vector import cross, inverse_symmetric
from .angular import NO_INERTIA, add_inertia, solve_inertia
from .base import Moving
from .checks import numbers, rows_of_particles
from .strand_tie import give_to_bodies, keep_spin_tied, load_ties

if TYPE_CHECKING:
    from ..builder import ModelBuilder
    from .attachment import Attachments

COLUMNS = 21
"""Numbers of scratch for each particle, see `solve_strands`."""

POINT = 10
"""Place, inverse mass and inertia of what is tied to it, for each particle."""

MOVED = 18
"""First of the columns that say in the end how far each particle was moved, m."""

TOLERANCE = 1e-3
"""Error of a stick in its length above which Newton's method takes one more step."""

MOST_STEPS = 8
"""Steps of Newton's method at most."""


@dataclass(frozen=True, eq=False)
class Strands:
    """All strands of one object. Made by `Strands.of`."""

    object: int
    particle: Ints  # (q,) inner ones before outer ones
    parent: Ints  # (q,) row of the next one toward the root, −1 at a root
    rest_length: Floats  # (q,) m of the stick to the parent
    compliance: Floats  # (q,) m/N of the stick to the parent
    gives_way: bool  # the keyed stiffness counts
    tied_row: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int32))  # (t,)
    tied_body: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int32))  # (t,)
    tied_share: Floats = field(default_factory=lambda: np.zeros(0))  # (t,) of the body's inertia

    @classmethod
    def of(
        cls,
        builder: ModelBuilder,
        object: int,
        particle: ArrayLike,
        parent: ArrayLike,
        compliance: ArrayLike,
        *,
        rest_length: ArrayLike | None = None,
        gives_way: bool = False,
    ) -> Strands:
        """Trees of sticks between particles (q,) of the model and their parents (q,).

        A parent is a row of ``particle`` further up, −1 for none; compliance (q,) m/N above 0;
        rest_length (q,) m, by default as they stand. gives_way: `AnimatedSettings.stiffness`
        scales it. Raises `ModelError` for parents that come after their children.
        """
        rows = rows_of_particles(builder, object, "strand", particle, 1).reshape(-1)
        above = np.ascontiguousarray(parent, dtype=np.int32)
        name = builder.objects[object].name
        if above.shape != rows.shape or (above >= np.arange(len(rows))).any() or (above < -1).any():
            raise ModelError(name, "the particles of a strand must follow their parents")
        if (np.diff(_roots(above)) < 0).any():
            raise ModelError(name, "the particles of a strand must follow each other")
        if len(np.unique(rows)) < len(rows):
            raise ModelError(name, "a particle comes twice in a strand")
        if rest_length is None:
            x = builder.position[rows]
            rest_length = np.where(above >= 0, np.linalg.norm(x - x[above], axis=1), 0.0)
        soft = numbers(builder, object, "compliance", compliance, rows.shape, least=0.0)
        if (soft[above >= 0] <= 0.0).any():
            raise ModelError(name, "the compliance of a strand must be above 0 m/N")
        return cls(
            object,
            rows,
            above,
            numbers(builder, object, "rest length", rest_length, rows.shape, least=0.0),
            soft,
            gives_way,
        )

    def tied_by(self, attachments: Sequence[Attachments]) -> Strands:
        """The same strands with the bodies that single particles of theirs are tied to."""
        row_of = {p: row for row, p in enumerate(self.particle.tolist())}
        ties = [
            (row_of[p], body)
            for tie in attachments
            if tie.particle.shape[1] == 1
            for p, body in zip(tie.particle[:, 0].tolist(), tie.body.tolist(), strict=True)
            if p in row_of
        ]
        ties = list(dict(ties).items())  # one body for a particle
        if not ties:
            return self
        row, body = np.array(ties, dtype=np.int32).T.copy()
        return replace(self, tied_row=row, tied_body=body, tied_share=1.0 / np.bincount(body)[body])

    @property
    def particles(self) -> Ints:
        """Every particle of the strands."""
        return self.particle

    @cached_property
    def stick(self) -> Ints:
        """The sticks (s, 2) of the strands, for figures about their stretch."""
        child = self.parent >= 0
        pairs = np.stack([self.particle[self.parent[child]], self.particle[child]], axis=1)
        return np.ascontiguousarray(pairs)

    @cached_property
    def stick_rest_length(self) -> Floats:
        """(s,) m."""
        return self.rest_length[self.parent >= 0]

    @property
    def multiplier_count(self) -> int:
        """λ and what the solution needs, for each particle."""
        return (COLUMNS + POINT) * len(self.particle)

    def project(self, moving: Moving, multiplier: Floats) -> None:
        """Bring all sticks to their lengths at once."""
        stiffness = moving.animated[self.object].stiffness if self.gives_way else 1.0
        split = COLUMNS * len(self.particle)
        scratch, point = multiplier[:split].reshape(-1, COLUMNS), multiplier[split:]
        point = point.reshape(-1, POINT)
        tied = (self.tied_row, self.tied_body)
        if len(self.tied_row):
            load_ties(
                point,
                self.particle,
                moving.previous,
                moving.inverse_mass,
                moving.owners,
                *tied,
                self.tied_share,
            )
        project_strands(
            moving.x,
            moving.previous,
            moving.inverse_mass,
            self.particle,
            self.parent,
            self.rest_length,
            self.compliance,
            1.0 / (moving.h**2 * max(stiffness, 1e-12)),
            moving.is_first_pass,
            scratch,
            point,
        )
        if len(self.tied_row):
            moved = scratch[:, MOVED : MOVED + 3]
            moves = (moving.previous, moving.owners, moving.h)
            give_to_bodies(point, moved, self.particle, *moves, *tied, moving.push)


def _roots(parent: Ints) -> Ints:
    """Row (q,) of the root of each row's tree."""
    top = np.where(parent >= 0, parent, np.arange(len(parent)))
    while (top != top[top]).any():
        top = top[top]
    return top.astype(np.int32)


@inline
def solve_strands(point, parent, rest_length, compliance, per_step, first_pass, s):
    """One step of Newton's method: move each point (q, 10) to rest_length from its parent.

    point: place (3), inverse mass, added inertia as xx yy zz xy xz yz. Scratch s (q, 21): λ, M
    likewise and then M⁻¹, b (3) and then u, n (3), S, t, M⁻¹n (3), M⁻¹b (3).
    """
    count = parent.shape[0]
    for k in range(count):
        if first_pass:
            s[k, 0] = 0.0
        for m in range(1, 21):
            s[k, m] = 0.0
        if point[k, 3] > 0.0:
            for m in range(6):
                s[k, 1 + m] = point[k, 4 + m] + (1.0 / point[k, 3] if m < 3 else 0.0)
    for k in range(count - 1, -1, -1):
        p = parent[k]
        if point[k, 3] > 0.0:
            s[k, 1], s[k, 2], s[k, 3], s[k, 4], s[k, 5], s[k, 6] = inverse_symmetric(
                s[k, 1], s[k, 2], s[k, 3], s[k, 4], s[k, 5], s[k, 6], 1.0
            )
            bx, by, bz = s[k, 7], s[k, 8], s[k, 9]
            s[k, 18] = s[k, 1] * bx + s[k, 4] * by + s[k, 5] * bz
            s[k, 19] = s[k, 4] * bx + s[k, 2] * by + s[k, 6] * bz
            s[k, 20] = s[k, 5] * bx + s[k, 6] * by + s[k, 3] * bz
        if p < 0 or (point[k, 3] == 0.0 and point[p, 3] == 0.0):
            continue
        nx = point[k, 0] - point[p, 0]
        ny = point[k, 1] - point[p, 1]
        nz = point[k, 2] - point[p, 2]
        length = math.sqrt(nx * nx + ny * ny + nz * nz)
        if length > 0.0:
            nx, ny, nz = nx / length, ny / length, nz / length
        else:
            nx, ny, nz = direction_between(p, k)
        mx = s[k, 1] * nx + s[k, 4] * ny + s[k, 5] * nz
        my = s[k, 4] * nx + s[k, 2] * ny + s[k, 6] * nz
        mz = s[k, 5] * nx + s[k, 6] * ny + s[k, 3] * nz
        softness = compliance[k] * per_step
        stiff = 1.0 / (softness + nx * mx + ny * my + nz * mz)
        error = length - rest_length[k] - softness * s[k, 0]
        pull = stiff * (error + nx * s[k, 18] + ny * s[k, 19] + nz * s[k, 20])
        s[k, 10], s[k, 11], s[k, 12] = nx, ny, nz
        s[k, 13] = stiff
        s[k, 14] = pull
        s[k, 15], s[k, 16], s[k, 17] = mx, my, mz
        if point[p, 3] > 0.0:
            s[p, 1] += stiff * nx * nx
            s[p, 2] += stiff * ny * ny
            s[p, 3] += stiff * nz * nz
            s[p, 4] += stiff * nx * ny
            s[p, 5] += stiff * nx * nz
            s[p, 6] += stiff * ny * nz
            s[p, 7] += pull * nx
            s[p, 8] += pull * ny
            s[p, 9] += pull * nz
    for k in range(count):
        p = parent[k]
        pull = s[k, 14]
        if p >= 0:
            pull -= s[k, 13] * (s[k, 10] * s[p, 7] + s[k, 11] * s[p, 8] + s[k, 12] * s[p, 9])
        s[k, 0] += pull
        for a in range(3):
            s[k, 7 + a] = s[k, 18 + a] - pull * s[k, 15 + a] if point[k, 3] > 0.0 else 0.0
            point[k, a] += s[k, 7 + a]


@inline
def worst_error(point, parent, rest_length, compliance, per_step, s):
    """The largest error of a stick in its length that a step of Newton's method has left."""
    worst = 0.0
    for k in range(parent.shape[0]):
        p = parent[k]
        if p < 0 or rest_length[k] == 0.0 or s[k, 13] == 0.0:
            continue
        dx = point[k, 0] - point[p, 0]
        dy = point[k, 1] - point[p, 1]
        dz = point[k, 2] - point[p, 2]
        length = math.sqrt(dx * dx + dy * dy + dz * dz)
        error = length - rest_length[k] - compliance[k] * per_step * s[k, 0]
        worst = max(worst, abs(error) / rest_length[k])
    return worst


@inline
def _keep_spin(x, previous, inverse_mass, particle, point, first, last):
    """Free the corrections of the tree in rows first … last − 1 from their torque, in point.

    One that is held in two places gets its torque from there; one that is held in one place turns
    about it, any other about its centre of mass.
    """
    held = 0
    tied = 0
    mass = 0.0
    cx = cy = cz = 0.0
    for k in range(first, last):
        i = particle[k]
        tied += point[k, 4] > 0.0
        if inverse_mass[i] == 0.0:
            held += 1
            cx, cy, cz, mass = previous[i, 0], previous[i, 1], previous[i, 2], 1.0
        elif held == 0:
            m = 1.0 / inverse_mass[i]
            mass += m
            cx += m * previous[i, 0]
            cy += m * previous[i, 1]
            cz += m * previous[i, 2]
    if held > 1:
        return
    cx, cy, cz = cx / mass, cy / mass, cz / mass
    if tied > 0:
        is_held = held == 1
        keep_spin_tied(x, previous, inverse_mass, particle, point, first, last, is_held, cx, cy, cz)
        return
    lx = ly = lz = 0.0
    inertia = NO_INERTIA
    for k in range(first, last):
        i = particle[k]
        if inverse_mass[i] == 0.0:
            continue
        m = 1.0 / inverse_mass[i]
        rx, ry, rz = previous[i, 0] - cx, previous[i, 1] - cy, previous[i, 2] - cz
        ux, uy, uz = point[k, 0] - x[i, 0], point[k, 1] - x[i, 1], point[k, 2] - x[i, 2]
        tx, ty, tz = cross(rx, ry, rz, ux, uy, uz)
        lx -= m * tx
        ly -= m * ty
        lz -= m * tz
        inertia = add_inertia(inertia, m, rx, ry, rz)
    ox, oy, oz = solve_inertia(inertia, lx, ly, lz)
    for k in range(first, last):
        i = particle[k]
        if inverse_mass[i] > 0.0:
            rx, ry, rz = previous[i, 0] - cx, previous[i, 1] - cy, previous[i, 2] - cz
            tx, ty, tz = cross(ox, oy, oz, rx, ry, rz)
            point[k, 0] += tx
            point[k, 1] += ty
            point[k, 2] += tz


@kernel
def project_strands(
    x,
    previous,
    inverse_mass,
    particle,
    parent,
    rest_length,
    compliance,
    per_step,
    first_pass,
    scratch,
    point,
):
    """Project all strands once; scratch (q, 21) and point (q, 10), see `solve_strands`."""
    count = particle.shape[0]
    for k in range(count):
        i = particle[k]
        for a in range(3):
            point[k, a] = x[i, a]
        point[k, 3] = inverse_mass[i]
    for repeat in range(MOST_STEPS):
        first = first_pass and repeat == 0
        solve_strands(point, parent, rest_length, compliance, per_step, first, scratch)
        if worst_error(point, parent, rest_length, compliance, per_step, scratch) < TOLERANCE:
            break
    begin = 0
    for k in range(1, count + 1):
        if k == count or parent[k] < 0:
            _keep_spin(x, previous, inverse_mass, particle, point, begin, k)
            begin = k
    for k in range(count):
        i = particle[k]
        for a in range(3):
            scratch[k, MOVED + a] = point[k, a] - x[i, a]
            x[i, a] = point[k, a]
