"""Hinges: bending of surfaces by the angle between two triangles at their common edge.

Grinspun, Hirani, Desbrun, Schröder 2003, "Discrete Shells", §4: an edge of length |e| between
triangles of areas A and B stores a share of the bending energy,

    E = ½ D |e|²/(A + B) (θ − θ₀)²

with D the flexural rigidity in N·m (of a plate of thickness t: E t³/(12 (1 − ν²))). Their weight
3 |e|²/(A + B) takes only every third edge as bent; where a cylinder runs along the edges of a
regular mesh those edges carry all of it, and D as above gives exactly ½ D κ² per area, for any
size of triangle. A triangle that is pinned at all three corners cannot bend, so its area does not
count: that clamps a sheet where its pins begin. What a hinge sees besides the curvature across it
hangs on where its corners lie; `recipes/folds.py` chooses them so that a mesh bends alike in every
direction. A corner between two vertices moves with both, and pushes them by their shares.

θ is an arctangent and so defined all the way round; its gradients are those of Bridson, Marino,
Fedkiw 2003, "Simulation of Clothing with Folds and Wrinkles", §4.1. All hinges of an object are
solved together by conjugate gradients for the multipliers, because one pass that goes from hinge
to hinge leaves a stiff sheet limp: it needs few rounds for cloth, more the stiffer the sheet.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats, Ints
from ...elementary import angles
from ...errors import ModelError
from ...kernels.lanes import LANES
from ...model.constraint import Moving
from ...records import Records, scratch_size
from .checks import numbers, rows_of_particles
from .hinge_solve import HINGES, SOLUTION, THINNEST_TRIANGLE, Begins, project_hinges

if TYPE_CHECKING:
    from .building import Building


@dataclass(frozen=True, eq=False)
class HingeBends:
    """All hinges of one object. Made by `HingeBends.of`."""

    object: int
    vertex: Ints  # (q,) particles of all hinges
    hinges: Records  # (⌈k/4⌉,) HINGES, the last filled up with hinges of a single point

    @classmethod
    def of(
        cls,
        builder: Building,
        object: int,
        quads: ArrayLike,
        rigidity: ArrayLike,
        *,
        rest_angle: ArrayLike | None = None,
        second: ArrayLike | None = None,
        share: ArrayLike = 0.0,
    ) -> HingeBends:
        """Hinges (k, 4) of particles of the whole model, as `recipes.folds.folds_of` finds.

        A row names the two ends of the edge, then the two corners opposite. rigidity: D (k,) or
        one number, N·m, 0 or more. rest_angle (k,) or one number, rad; by default as it stands.
        A corner may lie between two particles: second (k, 2) names the other ones, and share
        (k, 2) or one number, 0 … 1, says how far towards these. Hinges whose edge or triangles
        have no size are left out.
        """
        rows = rows_of_particles(builder, object, "hinge", quads, 4)
        count = len(rows)
        other = rows[:, 2:]
        if second is not None:
            other = rows_of_particles(builder, object, "corner", second, 1).reshape(count, 2)
        toward = numbers(builder, object, "share", share, (count, 2), least=0.0, most=1.0)
        rows = np.column_stack([rows, other])
        stiff = numbers(builder, object, "bending rigidity", rigidity, (count,), least=0.0)
        x = builder.position
        p, q, a, b = _corner_places(x, rows, toward)
        edge = q - p
        squared = np.einsum("ij,ij->i", edge, edge)
        area = 0.5 * np.stack(
            [np.linalg.norm(np.cross(edge, a - p), axis=1),
             np.linalg.norm(np.cross(edge, b - p), axis=1)],
            axis=1,
        )  # fmt: skip
        if rest_angle is None:
            rest = rest_angles(x, rows, toward)
        else:
            rest = numbers(builder, object, "rest angle", rest_angle, (count,))
            if (np.abs(rest) > np.pi).any():
                raise ModelError(
                    builder.objects[object].name, "rest angles must lie between −π and π rad"
                )
        kept = (area > 0.5 * THINNEST_TRIANGLE * squared[:, None]).all(axis=1) & (squared > 0.0)
        kept &= stiff > 0.0
        vertex, inverse = np.unique(rows[kept], return_inverse=True)
        local = inverse.astype(np.int32)
        compliance = area[kept] / (stiff * squared)[kept, None]
        fours = -(-int(kept.sum()) // LANES)
        hinges = np.zeros(fours, HINGES)
        hinges["vertex"] = _in_fours(local.reshape(-1, 6), fours)
        hinges["share"] = _in_fours(toward[kept], fours)
        hinges["rest_angle"] = _in_fours(rest[kept], fours)
        hinges["compliance"] = _in_fours(compliance, fours)
        hinges["is_split"] = hinges["share"].any(axis=(1, 2))
        return cls(object, np.ascontiguousarray(vertex, dtype=np.int32), hinges)

    @property
    def particles(self) -> Ints:
        """Every particle of a hinge."""
        return self.vertex

    @property
    def multiplier_count(self) -> int:
        """The solution of each four hinges, and four numbers of each vertex, four times."""
        return scratch_size(SOLUTION, len(self.hinges)) + 4 * LANES * len(self.vertex)

    def project(self, moving: Moving, multiplier: Floats) -> None:
        """Project all hinges together."""
        split = scratch_size(SOLUTION, len(self.hinges))
        project_hinges(
            moving.particles,
            self.vertex,
            self.hinges,
            moving.per_step(self.object),
            Begins(moving.is_first_pass, moving.steps_known if moving.is_first_pass else 0),
            multiplier[:split].view(SOLUTION),
            multiplier[split:].reshape(4, -1, LANES),
        )


def _in_fours(values: Floats | Ints, fours: int) -> Floats | Ints:
    """Rows (k, …) as (fours, …, 4), with zeros after the last."""
    whole = np.zeros((fours * LANES, *values.shape[1:]), values.dtype)
    whole[: len(values)] = values
    return np.moveaxis(whole.reshape(fours, LANES, *values.shape[1:]), 1, -1)


def _corner_places(x: Floats, rows: Ints, share: Floats) -> tuple[Floats, ...]:
    """Where the ends and the corners of hinges (k, 6) are, each (k, 3)."""
    p, q, a, b, a2, b2 = (x[rows[:, k]] for k in range(6))
    return p, q, a + share[:, :1] * (a2 - a), b + share[:, 1:] * (b2 - b)


def rest_angles(x: Floats, rows: Ints, share: Floats) -> Floats:
    """Angles (k,) rad of hinges (k, 6), with shares (k, 2) of the second corners, at x (n, 3)."""
    p, q, a, b = _corner_places(x, rows, share)
    edge = q - p
    n1, n2 = np.cross(p - a, q - a), np.cross(q - b, p - b)
    sine = np.einsum("ij,ij->i", np.cross(n1, n2), edge)
    cosine = np.einsum("ij,ij->i", n1, n2) * np.linalg.norm(edge, axis=1)
    return angles(sine, cosine)
