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

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats, Ints
from ...elementary import angles, atan2
from ...errors import ModelError
from ...kernels.jit import inline, kernel
from ...records import Records, records, scratch_size
from ...vec3 import (
    ZERO,
    along,
    cross,
    dot,
    length,
    load,
    move,
    scale,
    shift,
    store,
    sub,
)
from .base import Moving
from .checks import numbers, rows_of_particles

if TYPE_CHECKING:
    from ...building.builder import ModelBuilder

THINNEST_TRIANGLE = 1e-6
"""A triangle lower than this many lengths of the hinge's edge has no direction to bend in."""

MOST_ROUNDS = 200
"""Of conjugate gradients, in one pass."""

HINGE_SETTLED = 1e-4
"""Rounds end when the error is this share of what it was."""

LARGEST_CHANGE = 0.5
"""Rad a step beyond which the gradient one step ago says nothing about now."""

HINGE = np.dtype(
    [
        # rows of `HingeBends.vertex`: the edge's ends, both corners, and the second of each corner
        ("vertex", np.int32, (6,)),
        (
            "share",
            np.float64,
            (2,),
        ),  # of the second ones in their corner; 0: a corner is one vertex
        ("rest_angle", np.float64),  # rad, 0 = flat
        ("rigidity", np.float64),  # N·m
        ("edge_squared", np.float64),  # m²
        ("area", np.float64, (2,)),  # m², of the triangles with the first and the second corner
    ],
    align=True,
)

HINGE_SOLUTION = np.dtype(
    [
        ("pull", np.float64),  # λ, carried from pass to pass
        ("gradient", np.float64, (4, 3)),  # 1/m, of the angle by both ends and both corners
        ("added", np.float64),  # Δλ
        ("residual", np.float64),
        ("direction", np.float64),
        ("diagonal", np.float64),
        ("softness", np.float64),  # α̃
        ("product", np.float64),  # of matrix and direction
    ],
    align=True,
)


@dataclass(frozen=True, eq=False)
class HingeBends:
    """All hinges of one object. Made by `HingeBends.of`."""

    object: int
    vertex: Ints  # (q,) particles of all hinges
    hinge: Records  # (k,) HINGE

    @classmethod
    def of(
        cls,
        builder: ModelBuilder,
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
        vertex, local = np.unique(rows[kept], return_inverse=True)
        hinge = records(
            HINGE,
            vertex=local.reshape(-1, 6),
            share=toward[kept],
            rest_angle=rest[kept],
            rigidity=stiff[kept],
            edge_squared=squared[kept],
            area=area[kept],
        )
        return cls(object, np.ascontiguousarray(vertex, dtype=np.int32), hinge)

    @property
    def particles(self) -> Ints:
        """Every particle of a hinge."""
        return self.vertex

    @property
    def multiplier_count(self) -> int:
        """λ, gradients and the solution's vectors of each hinge, and a place for each vertex."""
        return scratch_size(HINGE_SOLUTION, len(self.hinge)) + 3 * len(self.vertex)

    def project(self, moving: Moving, multiplier: Floats) -> None:
        """Project all hinges together."""
        split = scratch_size(HINGE_SOLUTION, len(self.hinge))
        project_hinges(
            moving.particles,
            self.vertex,
            self.hinge,
            moving.per_step(self.object),
            moving.is_first_pass,
            multiplier[:split].view(HINGE_SOLUTION),
            multiplier[split:].reshape(-1, 3),
        )


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


@inline
def _mixed(x, first, second, share):
    """A share of the way from one row of x (n, 3) towards another."""
    return along(scale(1.0 - share, load(x, first)), share, load(x, second))


@inline
def _corners(x, vertex, hinge):
    """Where the ends of the edge and both corners are."""
    row, share = hinge["vertex"], hinge["share"]
    return (
        load(x, vertex[row[0]]),
        load(x, vertex[row[1]]),
        _mixed(x, vertex[row[2]], vertex[row[4]], share[0]),
        _mixed(x, vertex[row[3]], vertex[row[5]], share[1]),
    )


@inline
def _normals(corners):
    """Edge e and the two triangles' normals of the length of twice their areas."""
    p, q, a, b = corners
    e = sub(q, p)
    # (p − a) × (q − a) = (p − a) × e and (q − b) × (p − b) = e × (p − b)
    return e, cross(sub(p, a), e), cross(e, sub(p, b))


@inline
def _direction(corners):
    """Sine and cosine of θ, both times the same number; those of 0 where a triangle has no size."""
    p, _, _, b = corners
    e, u, v = _normals(corners)
    # (u × v) · e/|e| = |e| (p − b) · u, for v = e × (p − b) and u · e = 0
    sine, cosine = length(e) * dot(sub(p, b), u), dot(u, v)
    if sine == 0.0 and cosine == 0.0:
        return 0.0, 1.0
    return sine, cosine


@inline
def _angle_between(before, now):
    """From one direction to another, rad, −π to π."""
    sine, cosine = before
    return atan2(cosine * now[0] - sine * now[1], cosine * now[1] + sine * now[0])


@inline
def _wrapped(angle):
    """The same angle between −π and π."""
    return angle - 2.0 * math.pi * math.floor(angle / (2.0 * math.pi) + 0.5)


@inline
def _write_gradients(corners, gradient):
    """Write ∂θ/∂ of the four corners; False (and zeros) for a triangle without size."""
    p, _, a, b = corners
    e, u, v = _normals(corners)
    ee, uu, vv = dot(e, e), dot(u, u), dot(v, v)
    least = THINNEST_TRIANGLE * THINNEST_TRIANGLE * ee * ee
    if not (ee > 0.0 and uu > least and vv > least):
        for corner in range(4):
            store(gradient, corner, ZERO)
        return False
    size = math.sqrt(ee)
    # how far along the edge the feet of a and b lie, from p, in edge lengths
    fa = dot(sub(a, p), e) / ee
    fb = dot(sub(b, p), e) / ee
    u, v = scale(size / uu, u), scale(size / vv, v)
    store(gradient, 0, along(scale(1.0 - fa, u), 1.0 - fb, v))
    store(gradient, 1, along(scale(fa, u), fb, v))
    store(gradient, 2, scale(-1.0, u))
    store(gradient, 3, scale(-1.0, v))
    return True


@inline
def _add_pushed(hinge, solution, amount, pushed):
    """Add Gᵀ of one hinge's entry of a vector over hinges to pushed (q, 3)."""
    row, share, gradient = hinge["vertex"], hinge["share"], solution["gradient"]
    shift(pushed, row[0], amount, load(gradient, 0))
    shift(pushed, row[1], amount, load(gradient, 1))
    for side in range(2):
        g = load(gradient, 2 + side)
        if share[side] == 0.0:
            shift(pushed, row[2 + side], amount, g)
        else:
            shift(pushed, row[2 + side], (1.0 - share[side]) * amount, g)
            shift(pushed, row[4 + side], share[side] * amount, g)


@inline
def _masses(inverse_mass, vertex, hinge):
    """Inverse masses of the ends of the edge and of both corners, as a push on these moves them."""
    row, share = hinge["vertex"], hinge["share"]
    p, q = inverse_mass[vertex[row[0]]], inverse_mass[vertex[row[1]]]
    a, b = inverse_mass[vertex[row[2]]], inverse_mass[vertex[row[3]]]
    a2, b2 = inverse_mass[vertex[row[4]]], inverse_mass[vertex[row[5]]]
    s, t = share[0], share[1]
    a = (1.0 - s) * (1.0 - s) * a + s * s * a2
    b = (1.0 - t) * (1.0 - t) * b + t * t * b2
    return p, q, a, b


@inline
def _weigh(inverse_mass, vertex, pushed):
    """Multiply pushed (q, 3) by W."""
    for i in range(pushed.shape[0]):
        store(pushed, i, scale(inverse_mass[vertex[i]], load(pushed, i)))


@inline
def _set_up(particles, vertex, hinge, per_step, row):
    """Gradients, residual and diagonal of one hinge; returns its share of the square to solve."""
    x, previous, inverse_mass = particles
    was, now = _corners(previous, vertex, hinge), _corners(x, vertex, hinge)
    direction = _direction(was)
    before = atan2(direction[0], direction[1])
    change = _angle_between(direction, _direction(now))
    # through the last step's angle, so that a fold of 180° does not snap to the other side
    error = _wrapped(before - hinge["rest_angle"]) + change
    gradient = row["gradient"]
    if abs(change) > LARGEST_CHANGE or not _write_gradients(was, gradient):
        _write_gradients(now, gradient)
    mass = _masses(inverse_mass, vertex, hinge)
    free = 0.0  # area
    edge = mass[0] + mass[1]
    if edge + mass[2] > 0.0:
        free += hinge["area"][0]
    if edge + mass[3] > 0.0:
        free += hinge["area"][1]
    soft = free / (hinge["rigidity"] * hinge["edge_squared"]) * per_step
    total = 0.0
    for corner in range(4):
        g = load(gradient, corner)
        total += mass[corner] * dot(g, g)
    row["softness"] = soft
    row["added"] = 0.0
    row["diagonal"] = total + soft
    if total == 0.0:  # pinned, or without size
        row["diagonal"] = 1.0
        row["residual"] = 0.0
    else:
        row["residual"] = -(error + soft * row["pull"])
    row["direction"] = 0.0
    return row["residual"] * (row["residual"] / row["diagonal"])


@inline
def _curvature(hinges, solution, pushed):
    """Multiply the direction, whose W Gᵀ is in pushed, by the matrix; returns both's product."""
    curved = 0.0
    for t in range(hinges.shape[0]):
        row, gradient = solution[t], solution[t]["gradient"]
        at, share = hinges[t]["vertex"], hinges[t]["share"]
        product = row["softness"] * row["direction"]
        for corner in range(2):
            product += dot(load(gradient, corner), load(pushed, at[corner]))
        for side in range(2):
            there = _mixed(pushed, at[2 + side], at[4 + side], share[side])
            product += dot(load(gradient, 2 + side), there)
        row["product"] = product
        curved += row["direction"] * product
    return curved


# (G W Gᵀ + α̃) Δλ = −(C + α̃λ), Δx = W Gᵀ Δλ, C = θ − θ₀, for all hinges at once. G are the gradients
# one step ago, which keep angular momentum (see `stick.momentum`); α = (A + B)/(D |e|²) in 1/(N m).
@kernel
def project_hinges(particles, vertex, hinges, per_step, first_pass, solution, pushed):
    """Solve the bending of all hinges by conjugate gradients.

    per_step: 1/h² over the stiffness factor; pushed (q, 3): scratch.
    """
    inverse_mass = particles.inverse_mass
    count = hinges.shape[0]
    start = 0.0
    for t in range(count):
        if first_pass:
            solution[t]["pull"] = 0.0
        start += _set_up(particles, vertex, hinges[t], per_step, solution[t])
    if start == 0.0:
        return
    fit, kept = start, 0.0
    for _ in range(MOST_ROUNDS):
        pushed[:] = 0.0
        for t in range(count):
            row = solution[t]
            row["direction"] = row["residual"] / row["diagonal"] + kept * row["direction"]
            _add_pushed(hinges[t], row, row["direction"], pushed)
        _weigh(inverse_mass, vertex, pushed)
        curved = _curvature(hinges, solution, pushed)
        if not curved > 0.0:
            break
        step = fit / curved
        following = 0.0
        for t in range(count):
            row = solution[t]
            row["added"] += step * row["direction"]
            row["residual"] -= step * row["product"]
            following += row["residual"] * row["residual"] / row["diagonal"]
        if following <= HINGE_SETTLED * HINGE_SETTLED * start:
            break
        fit, kept = following, following / fit
    pushed[:] = 0.0
    for t in range(count):
        _add_pushed(hinges[t], solution[t], solution[t]["added"], pushed)
        solution[t]["pull"] += solution[t]["added"]
    _weigh(inverse_mass, vertex, pushed)
    for i in range(pushed.shape[0]):
        move(particles.x, vertex[i], load(pushed, i))
