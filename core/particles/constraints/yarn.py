"""Yarns: the sticks that go straight on from a pin, solved together, so that a pull reaches it.

A pass from stick to stick carries a force one edge far: the weight of a sheet stretches it until
each edge, by its error alone, pulls hard enough. And a tether, which holds a particle as if it hung
by a string of its own, lets the rows of a sheet swing as separate pendulums. Along a yarn (a warp
or weft thread that hangs on pins) the pulls λ of all sticks are found at once,

    (J W Jᵀ) λ = C,   C_s = |d_s| − r_s,   J W Jᵀ tridiagonal:
    w_a + w_b on the diagonal, −w_b (n_s · n_s₊₁) beside it

(Deul, Kugelstadt, Weiler, Bender 2018, "Direct Position-Based Solver for Stiff Rods", §4, for a
chain), and laid down as force densities q = λ/r (Schek 1974, "The force density method for form
finding", §2), which is linear in the places:

    m (x' − x̃) = Σ q (θ (x'_j − x'_i) + (1 − θ)(x*_j − x*_i))

with x̃ the places before. Where the yarn runs straight this gives the lengths exactly: the force of
a stick is λ whichever way it lies. Across it the pull acts along the mean of where the stick will
lie and where it lay a step before the last, so that waves of a taut, fine yarn are stable at any
step, where a force along the present direction alone makes waves grow whose ω h exceeds 2. θ = ½
loses none of the motion; θ a little above lets what no step can follow die and takes a share of
(2 θ − 1)(ω h)²/2 a step of the rest.

A pull below zero, that of sticks that were pushed together, acts along x* alone, and no further
than to move a knot sideways by half a stick: a straight yarn that is pushed together buckles, and
how hard it would have to be pushed to keep its length has no bound.
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
from ...model.constraint import Moving
from ...records import Records, records, scratch_size
from ...vec3 import ZERO, add, along, between, divide, dot, length, move, scale, set_vec, sub, vec
from .checks import numbers, rows_of_particles
from .stick import TINY

if TYPE_CHECKING:
    from .building import Building

AHEAD = 0.6
"""θ: the share of the pull that acts along the stick as it will lie."""

SOFTNESS = 1e-9
"""What is added to w_a + w_b, as a share of it, so that a straight yarn between two pins, which no
pull can shorten, has a solution."""

MOST_SIDEWAYS = 0.5
"""Furthest that pushes move a knot sideways, in lengths of the stick behind it."""

FORCED_LENGTH = 1.001
"""Rest lengths up to which a yarn is solved in cloth that is forced to be longer."""

KNOT = np.dtype(
    [
        ("particle", np.int32),
        ("rest_length", np.float64),  # m, of the stick to the next knot; the last has none
    ],
    align=True,
)

YARN_SOLUTION = np.dtype(
    [
        ("multiplier", np.float64),  # kg·m, λ of the stick to the next knot
        ("ahead", np.float64),  # kg, θ q
        ("factor", np.float64),  # by which the next unknown counts, in either way of solving
        ("moved", np.float64, (3,)),  # m
    ],
    align=True,
)


@dataclass(frozen=True, eq=False)
class Yarns:
    """All yarns of one object. Made by `Yarns.of`."""

    object: int
    knots: Records  # (q,) KNOT, yarn by yarn
    start: Ints  # (yarns + 1,) first knot of each

    @classmethod
    def of(cls, builder: Building, object: int, particle: ArrayLike, start: ArrayLike) -> Yarns:
        """Yarns through particles (q,) of the model, one after the other, from their places now.

        start (yarns + 1,): the first of each, and q. A yarn has two particles or more; particles
        may lie in several. Raises `ModelError` for bounds that are not that.
        """
        rows = rows_of_particles(builder, object, "yarn", particle, 1).reshape(-1)
        name = builder.objects[object].name
        bounds = np.ascontiguousarray(start, dtype=np.int32)
        if bounds.ndim != 1 or bounds[0] != 0 or bounds[-1] != len(rows):
            raise ModelError(name, f"yarns begin at 0 and end at {len(rows)}, not at {start!r}")
        if (np.diff(bounds) < 2).any():
            raise ModelError(name, "a yarn needs two vertices")
        x = builder.position[rows]
        rest = np.zeros(len(rows))
        rest[:-1] = np.linalg.norm(np.diff(x, axis=0), axis=1)
        rest[bounds[1:] - 1] = 0.0
        numbers(builder, object, "length of yarn", rest, rest.shape, least=0.0)
        return cls(object, records(KNOT, particle=rows, rest_length=rest), bounds)

    @property
    def precedes(self) -> bool:
        """Always, see `Preceding`."""
        return True

    @property
    def particles(self) -> Ints:
        """Every particle of a yarn."""
        return self.knots["particle"]

    @property
    def multiplier_count(self) -> int:
        """The solution of each knot."""
        return scratch_size(YARN_SOLUTION, len(self.knots))

    def project(self, moving: Moving, multiplier: Floats) -> None:
        """Bring all sticks of each yarn that hangs on a pin to their lengths."""
        most = FORCED_LENGTH if moving.is_forced(self.object) else math.inf
        solution = multiplier.view(YARN_SOLUTION)
        project_yarns(moving.particles, self.knots, self.start, most, solution)


@inline
def _find_pulls(particles, knots, first, last, s):
    """Forward elimination and back substitution of the tridiagonal system of one yarn.

    Leaves λ in ``multiplier``. False where nothing holds the yarn.
    """
    x, _, inverse_mass = particles
    is_held = False
    before = ZERO
    pivot = 1.0
    beside = right = 0.0
    for k in range(first, last - 1):
        a, b = knots[k]["particle"], knots[k + 1]["particle"]
        wa, wb = inverse_mass[a], inverse_mass[b]
        is_held = is_held or wa == 0.0 or wb == 0.0
        d = between(x, a, b)
        apart = length(d)
        n = divide(d, apart + TINY)
        beside = -wa * dot(before, n) if k > first else 0.0
        factor = beside / pivot
        pivot = (wa + wb) * (1.0 + SOFTNESS) - factor * beside
        right = apart - knots[k]["rest_length"] - factor * right
        if k > first:
            s[k - 1]["factor"] = factor
        if not pivot > 0.0:  # both ends are pinned, or all behind it is too stiff to tell
            pivot = 1.0
            right = 0.0
        s[k]["multiplier"] = right / pivot
        before = n
    for k in range(last - 3, first - 1, -1):
        s[k]["multiplier"] -= s[k]["factor"] * s[k + 1]["multiplier"]
    return is_held


@inline
def _bend(previous, knots, k):
    """Angle in rad between the sticks before and behind knot k, where they lay before."""
    a, b, c = knots[k - 1]["particle"], knots[k]["particle"], knots[k + 1]["particle"]
    before = divide(between(previous, a, b), knots[k - 1]["rest_length"] + TINY)
    behind = divide(between(previous, b, c), knots[k]["rest_length"] + TINY)
    return length(sub(behind, before))


@inline
def _bound_pushes(particles, knots, first, last, s):
    """Let no stick push so hard that it could move a knot of the yarn too far sideways.

    One bound for all of them: a straight yarn would fly apart where one is bound and the next not.
    """
    _, previous, inverse_mass = particles
    least = 0.0
    for k in range(first, last - 1):
        least = min(least, s[k]["multiplier"])
    if least == 0.0:
        return
    most = math.inf
    for k in range(first + 1, last - 1):
        sideways = inverse_mass[knots[k]["particle"]] * _bend(previous, knots, k)
        most = min(most, MOST_SIDEWAYS * knots[k]["rest_length"] / (sideways + TINY))
    for k in range(first, last - 1):
        s[k]["multiplier"] = max(s[k]["multiplier"], -most)


@inline
def _pull_on(particles, knots, k, row):
    """Force of the stick behind knot k on it, over 1/h² and kg; θ q goes into ``ahead``."""
    x, previous, _ = particles
    a, b = knots[k]["particle"], knots[k + 1]["particle"]
    rest = knots[k]["rest_length"]
    density = row["multiplier"] / (rest + TINY)
    if density < 0.0:
        row["ahead"] = 0.0
        return scale(density, between(previous, a, b))
    row["ahead"] = AHEAD * density
    then = scale((1.0 - AHEAD) * density, between(previous, a, b))
    return along(then, row["ahead"], between(x, a, b))


# (1 + w (q₋ + q₊)) u_i − w q₋ u_i₋₁ − w q₊ u_i₊₁ = w (f₊ − f₋), with q = θ λ/r, u = x' − x̃ and f
# what the sticks before and behind a knot pull with if nothing moves. w = 0 makes a pin of it.
@inline
def _move_knots(particles, knots, first, last, s):
    """Solve for how far each knot of a yarn moves, and move it."""
    x, _, inverse_mass = particles
    factor = ahead_before = 0.0
    force_before = ZERO
    u = ZERO
    for k in range(first, last):
        row = s[k]
        w = inverse_mass[knots[k]["particle"]]
        force = ZERO
        row["ahead"] = 0.0
        if k + 1 < last:
            force = _pull_on(particles, knots, k, row)
        q = row["ahead"]
        pivot = 1.0 + w * (ahead_before * (1.0 - factor) + q)
        right = sub(force, force_before)
        u = divide(scale(w, along(right, ahead_before, u)), pivot)
        set_vec(row["moved"], u)
        factor = w * q / pivot
        row["factor"] = factor
        ahead_before = q
        force_before = force
    u = ZERO
    for k in range(last - 1, first - 1, -1):
        row = s[k]
        u = add(vec(row["moved"]), scale(row["factor"], u))
        move(x, knots[k]["particle"], u)


@inline
def _is_longer(previous, knots, first, last, most):
    """Whether a yarn was longer than so many rest lengths."""
    whole = rest = 0.0
    for k in range(first, last - 1):
        whole += length(between(previous, knots[k]["particle"], knots[k + 1]["particle"]))
        rest += knots[k]["rest_length"]
    return whole > most * rest


@kernel
def project_yarns(particles, knots, start, most, solution):
    """Project all yarns, one after the other; those that hang on nothing are left to the sticks.

    So are those that a step ago were longer than so many rest lengths.
    """
    for yarn in range(start.shape[0] - 1):
        first, last = start[yarn], start[yarn + 1]
        if most < math.inf and _is_longer(particles.previous, knots, first, last, most):
            continue
        if _find_pulls(particles, knots, first, last, solution):
            _bound_pushes(particles, knots, first, last, solution)
            _move_knots(particles, knots, first, last, solution)
