"""Hinges: bending of surfaces by the angle between two triangles at their common edge.

Grinspun, Hirani, Desbrun, Schröder 2003, "Discrete Shells", §4: an edge of length |e| between
triangles of areas A and B stores a share of the bending energy,

    E = ½ D |e|²/(A + B) (θ − θ₀)²

with D the flexural rigidity in N·m (of a plate of thickness t: E t³/(12 (1 − ν²))). Their weight
3 |e|²/(A + B) takes only every third edge as bent; where a cylinder runs along the edges of a
regular mesh those edges carry all of it, and D as above gives exactly ½ D κ² per area, for any
size of triangle. A triangle that is pinned at all three corners cannot bend, so its area does not
count: that clamps a sheet where its pins begin. Such a lattice is a plate with a Poisson's ratio
of about a third (Seung, Nelson 1988, §III): a narrow strip, free to curl across, is about a fifth
softer than one that is bent as a cylinder.

θ is an arctangent and so defined all the way round; its gradients are those of Bridson, Marino,
Fedkiw 2003, "Simulation of Clothing with Folds and Wrinkles", §4.1. All hinges of an object are
solved together by conjugate gradients for the multipliers, because one pass that goes from hinge
to hinge leaves a stiff sheet limp: it needs few rounds for cloth, more the stiffer the sheet.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats, Ints
from ...errors import ModelError
from ...kernels.jit import inline, kernel
from .base import Moving
from .checks import numbers, rows_of_particles

if TYPE_CHECKING:
    from ...building.builder import ModelBuilder

THINNEST = 1e-6
"""A triangle lower than this many lengths of the hinge's edge has no direction to bend in."""

MOST_ROUNDS = 200
"""Of conjugate gradients, in one pass."""

ENOUGH = 1e-4
"""Rounds end when the error is this share of what it was."""

LARGEST_CHANGE = 0.5
"""Rad a step beyond which the gradient one step ago says nothing about now."""

COLUMNS = 19
"""Numbers of scratch for each hinge: λ, four gradients (12), and six of the solution."""


@dataclass(frozen=True, eq=False)
class HingeBends:
    """All hinges of one object. Made by `HingeBends.of`."""

    object: int
    vertex: Ints  # (q,) particles of all hinges
    hinge: Ints  # (k, 4) rows of vertex: the edge's ends, the corners opposite
    rest_angle: Floats  # (k,) rad, 0 = flat
    rigidity: Floats  # (k,) N·m
    edge_squared: Floats  # (k,) m²
    area: Floats  # (k, 2) m² of the triangles with the first and the second opposite corner

    @classmethod
    def of(
        cls,
        builder: ModelBuilder,
        object: int,
        quads: ArrayLike,
        rigidity: ArrayLike,
        *,
        rest_angle: ArrayLike | None = None,
    ) -> HingeBends:
        """Hinges (k, 4) of particles of the whole model, as `recipes.topology.hinges_of` finds.

        A row names the two ends of the edge, then the two corners opposite. rigidity: D (k,) or
        one number, N·m, 0 or more. rest_angle (k,) or one number, rad; by default as it stands.
        Hinges whose edge or triangles have no size are left out.
        """
        rows = rows_of_particles(builder, object, "hinge", quads, 4)
        count = len(rows)
        stiff = numbers(builder, object, "bending rigidity", rigidity, (count,), least=0.0)
        x = builder.position
        p, q, a, b = (x[rows[:, k]] for k in range(4))
        edge = q - p
        squared = np.einsum("ij,ij->i", edge, edge)
        area = 0.5 * np.stack(
            [np.linalg.norm(np.cross(edge, a - p), axis=1),
             np.linalg.norm(np.cross(edge, b - p), axis=1)],
            axis=1,
        )  # fmt: skip
        if rest_angle is None:
            rest = rest_angles(x, rows)
        else:
            rest = numbers(builder, object, "rest angle", rest_angle, (count,))
            if (np.abs(rest) > np.pi).any():
                raise ModelError(
                    builder.objects[object].name, "rest angles must lie between −π and π rad"
                )
        kept = (area > 0.5 * THINNEST * squared[:, None]).all(axis=1) & (squared > 0.0)
        kept &= stiff > 0.0
        vertex, local = np.unique(rows[kept], return_inverse=True)
        return cls(
            object,
            np.ascontiguousarray(vertex, dtype=np.int32),
            np.ascontiguousarray(local.reshape(-1, 4), dtype=np.int32),
            rest[kept],
            stiff[kept],
            squared[kept],
            np.ascontiguousarray(area[kept]),
        )

    @property
    def particles(self) -> Ints:
        """Every particle of a hinge."""
        return self.vertex

    @property
    def multiplier_count(self) -> int:
        """λ, gradients and the solution's vectors of each hinge, and a place for each vertex."""
        return COLUMNS * len(self.hinge) + 3 * len(self.vertex)

    def project(self, moving: Moving, multiplier: Floats) -> None:
        """Project all hinges together."""
        split = COLUMNS * len(self.hinge)
        project_hinges(
            moving.x,
            moving.previous,
            moving.inverse_mass,
            self.vertex,
            self.hinge,
            self.rest_angle,
            self.rigidity,
            self.edge_squared,
            self.area,
            1.0 / (moving.h**2 * max(moving.animated[self.object].stiffness, 1e-12)),
            moving.is_first_pass,
            multiplier[:split].reshape(-1, COLUMNS),
            multiplier[split:].reshape(-1, 3),
        )


def rest_angles(x: Floats, quads: Ints) -> Floats:
    """Angles (k,) rad of hinges (k, 4) at places x (n, 3)."""
    p, q, a, b = (x[quads[:, k]] for k in range(4))
    edge = q - p
    n1, n2 = np.cross(p - a, q - a), np.cross(q - b, p - b)
    sine = np.einsum("ij,ij->i", np.cross(n1, n2), edge)
    cosine = np.einsum("ij,ij->i", n1, n2) * np.linalg.norm(edge, axis=1)
    angle: Floats = np.arctan2(sine, cosine)
    return angle


@inline
def _normals(x, p, q, a, b):
    """Edge e and the two triangles' normals of the length of twice their areas."""
    ex = x[q, 0] - x[p, 0]
    ey = x[q, 1] - x[p, 1]
    ez = x[q, 2] - x[p, 2]
    ax = x[p, 0] - x[a, 0]
    ay = x[p, 1] - x[a, 1]
    az = x[p, 2] - x[a, 2]
    bx = x[p, 0] - x[b, 0]
    by = x[p, 1] - x[b, 1]
    bz = x[p, 2] - x[b, 2]
    return (
        ex,
        ey,
        ez,
        ay * ez - az * ey,  # (p − a) × (q − a) = (p − a) × e
        az * ex - ax * ez,
        ax * ey - ay * ex,
        ey * bz - ez * by,  # (q − b) × (p − b) = e × (p − b)
        ez * bx - ex * bz,
        ex * by - ey * bx,
    )


@inline
def _angle(x, p, q, a, b):
    """θ in rad, 0 where a triangle has no size."""
    ex, ey, ez, ux, uy, uz, vx, vy, vz = _normals(x, p, q, a, b)
    sine = (uy * vz - uz * vy) * ex + (uz * vx - ux * vz) * ey + (ux * vy - uy * vx) * ez
    cosine = (ux * vx + uy * vy + uz * vz) * math.sqrt(ex * ex + ey * ey + ez * ez)
    return math.atan2(sine, cosine)


@inline
def _wrapped(angle):
    """The same angle between −π and π."""
    return angle - 2.0 * math.pi * math.floor(angle / (2.0 * math.pi) + 0.5)


@inline
def _write_gradients(x, p, q, a, b, row):
    """Write ∂θ/∂ of p, q, a, b into row[1:13]; False (and zeros) for a triangle without size."""
    ex, ey, ez, ux, uy, uz, vx, vy, vz = _normals(x, p, q, a, b)
    ee = ex * ex + ey * ey + ez * ez
    uu = ux * ux + uy * uy + uz * uz
    vv = vx * vx + vy * vy + vz * vz
    least = THINNEST * THINNEST * ee * ee
    if not (ee > 0.0 and uu > least and vv > least):
        for k in range(1, 13):
            row[k] = 0.0
        return False
    length = math.sqrt(ee)
    # how far along the edge the feet of a and b lie, from p, in edge lengths
    fa = ((x[a, 0] - x[p, 0]) * ex + (x[a, 1] - x[p, 1]) * ey + (x[a, 2] - x[p, 2]) * ez) / ee
    fb = ((x[b, 0] - x[p, 0]) * ex + (x[b, 1] - x[p, 1]) * ey + (x[b, 2] - x[p, 2]) * ez) / ee
    for k in range(3):
        u = (ux if k == 0 else (uy if k == 1 else uz)) * length / uu
        v = (vx if k == 0 else (vy if k == 1 else vz)) * length / vv
        row[1 + k] = (1.0 - fa) * u + (1.0 - fb) * v
        row[4 + k] = fa * u + fb * v
        row[7 + k] = -u
        row[10 + k] = -v
    return True


@inline
def _gather(hinge, scratch, column, inverse_mass, vertex, pushed):
    """Into pushed (q, 3): W Gᵀ of a vector over hinges, which stands in a column of scratch."""
    for i in range(pushed.shape[0]):
        pushed[i, 0] = pushed[i, 1] = pushed[i, 2] = 0.0
    for t in range(hinge.shape[0]):
        for corner in range(4):
            i = hinge[t, corner]
            amount = scratch[t, column]
            for k in range(3):
                pushed[i, k] += amount * scratch[t, 1 + 3 * corner + k]
    for i in range(pushed.shape[0]):
        w = inverse_mass[vertex[i]]
        for k in range(3):
            pushed[i, k] *= w


# (G W Gᵀ + α̃) Δλ = −(C + α̃λ), Δx = W Gᵀ Δλ, C = θ − θ₀, for all hinges at once. G are the gradients
# one step ago, which keep angular momentum (see `stick.momentum`); α = (A + B)/(D |e|²) in 1/(N m).
@kernel
def project_hinges(
    x,
    previous,
    inverse_mass,
    vertex,
    hinge,
    rest_angle,
    rigidity,
    edge_squared,
    area,
    per_step,
    first_pass,
    scratch,
    pushed,
):
    """Solve the bending of all hinges.

    per_step: 1/h² over the stiffness factor; scratch (k, 19): λ, gradients (12), solution,
    residual, direction, diagonal, α̃, product; pushed (q, 3).
    """
    solution, residual, direction, diagonal, soft, pressed = 13, 14, 15, 16, 17, 18
    start = 0.0
    for t in range(hinge.shape[0]):
        p = vertex[hinge[t, 0]]
        q = vertex[hinge[t, 1]]
        a = vertex[hinge[t, 2]]
        b = vertex[hinge[t, 3]]
        row = scratch[t]
        if first_pass:
            row[0] = 0.0
        before = _angle(previous, p, q, a, b)
        change = _wrapped(_angle(x, p, q, a, b) - before)
        # through the last step's angle, so that a fold of 180° does not snap to the other side
        error = _wrapped(before - rest_angle[t]) + change
        if abs(change) > LARGEST_CHANGE or not _write_gradients(previous, p, q, a, b, row):
            _write_gradients(x, p, q, a, b, row)
        free = 0.0  # area
        edge = inverse_mass[p] + inverse_mass[q]
        if edge + inverse_mass[a] > 0.0:
            free += area[t, 0]
        if edge + inverse_mass[b] > 0.0:
            free += area[t, 1]
        row[soft] = free / (rigidity[t] * edge_squared[t]) * per_step
        total = 0.0
        for corner in range(4):
            gg = 0.0
            for k in range(1 + 3 * corner, 4 + 3 * corner):
                gg += row[k] * row[k]
            total += inverse_mass[vertex[hinge[t, corner]]] * gg
        row[solution] = 0.0
        row[diagonal] = total + row[soft]
        if total == 0.0:  # pinned, or without size
            row[diagonal] = 1.0
            row[residual] = 0.0
        else:
            row[residual] = -(error + row[soft] * row[0])
        row[direction] = row[residual] / row[diagonal]
        start += row[residual] * row[direction]
    if start == 0.0:
        return
    fit = start
    for _ in range(MOST_ROUNDS):
        _gather(hinge, scratch, direction, inverse_mass, vertex, pushed)
        curved = 0.0
        for t in range(hinge.shape[0]):
            row = scratch[t]
            row[pressed] = row[soft] * row[direction]
            for corner in range(4):
                i = hinge[t, corner]
                for k in range(3):
                    row[pressed] += row[1 + 3 * corner + k] * pushed[i, k]
            curved += row[direction] * row[pressed]
        if not curved > 0.0:
            break
        step = fit / curved
        following = 0.0
        for t in range(hinge.shape[0]):
            row = scratch[t]
            row[solution] += step * row[direction]
            row[residual] -= step * row[pressed]
            following += row[residual] * row[residual] / row[diagonal]
        if following <= ENOUGH * ENOUGH * start:
            break
        for t in range(hinge.shape[0]):
            row = scratch[t]
            row[direction] = row[residual] / row[diagonal] + following / fit * row[direction]
        fit = following
    _gather(hinge, scratch, solution, inverse_mass, vertex, pushed)
    for i in range(pushed.shape[0]):
        for k in range(3):
            x[vertex[i], k] += pushed[i, k]
    for t in range(hinge.shape[0]):
        scratch[t, 0] += scratch[t, solution]
