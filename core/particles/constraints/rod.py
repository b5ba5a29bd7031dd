"""Rods: bending of ropes, hair and branches, by triples of particles along them.

The curvature at b of the rod through a, b, c with segments of lengths p and q is κ = 2|v|/(p q),

    v = (q a + p c)/(p + q) − b,

the vector from b to where it would lie on a straight rod (for p = q the "triangle bending" of
Kelager, Niebe, Erleben 2010, §3). A bending rigidity EI stores ½ EI κ² per length, and b stands
for the length (p + q)/2, so that C = |v| − |v₀| has the compliance

    α = (p q)²/(2 EI (p + q))        m/N, independent of how finely the rod is divided.

Only the amount of a bent rest shape is kept; its direction is free to turn about the rod. A
segment whose two ends are pinned cannot bend: its half of the length does not count, which
clamps the rod exactly where the pins begin.

All triples of a chain are solved together (Deul, Kugelstadt, Weiler, Bender 2018, "Direct
Position-Based Solver for Stiff Rods"): v is linear in the particles, so the system that XPBD
relaxes is a symmetric band of five, the same for each coordinate, and takes one sweep up and one
down. Chains that branch off take turns, as everything else does.

The forces of a chain have no torque about its present places, but a little about those of one
step ago, which is what Verlet's angular momentum asks for (see `angular`). A free chain gives
that back by turning as a whole; a pinned one stands on its pins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ...angular_momentum import NO_INERTIA, add_inertia, solve_inertia, turned_way
from ...arrays import Floats, Ints
from ...coincidence import direction_between
from ...errors import ModelError
from ...kernels.jit import inline, kernel
from ...model.constraint import Moving
from ...records import Records, records, scratch_size
from ...vec3 import (
    ZERO,
    add,
    along,
    between,
    cross,
    divide,
    dot,
    length,
    load,
    move,
    scale,
    set_vec,
    shift,
    sub,
    vec,
)
from .checks import numbers, rows_of_particles, vertices

if TYPE_CHECKING:
    from .building import Building

ROD = np.dtype(
    [
        ("triple", np.int32, (3,)),  # a, b, c
        ("segment", np.float64, (2,)),  # m, lengths p and q
        ("compliance", np.float64),  # m/N, of the whole length (p + q)/2
        ("rest_bend", np.float64),  # m, |v₀|
    ],
    align=True,
)

ROD_SOLUTION = np.dtype(
    [
        ("multiplier", np.float64, (3,)),  # λ, carried from pass to pass
        ("added", np.float64, (3,)),  # the right-hand side, then Δλ
        ("diagonal", np.float64),  # of the band
        ("next", np.float64),  # how a triple disturbs the next one of its chain
        ("next_but_one", np.float64),
    ],
    align=True,
)
LARGEST_TORQUE_TURN = 0.1
"""Rad a step by which a chain as a whole makes up for a torque; beyond, it is let go.

Only the trembling of an almost straight stiff rod about its own axis asks for more.
"""


@dataclass(frozen=True, eq=False)
class Rods:
    """The bending of all rods of one object. Made by `Rods.of`."""

    object: int
    rows: Records  # (k,) ROD, chain by chain; neighbours in a chain share two particles
    chain_start: Ints  # (chains + 1,) first triple of each

    @classmethod
    def of(
        cls,
        builder: Building,
        object: int,
        triples: ArrayLike,
        rigidity: ArrayLike,
        *,
        straight: bool = False,
        segment: ArrayLike | None = None,
    ) -> Rods:
        """Bending at the middle b of triples (k, 3) (a, b, c) of particles of the whole model.

        rigidity: EI (k,) or one number, N·m², above 0; a round rod of radius r and Young's
        modulus E has EI = E π r⁴/4. straight: the rest shape is straight; by default it is as
        the particles stand. segment (k, 2) m: lengths of a–b and b–c, by default as they stand.

        Raises `ModelError` for segments without length.
        """
        triple = rows_of_particles(builder, object, "rod", triples, 3)
        count = len(triple)
        stiff = numbers(builder, object, "bending rigidity", rigidity, (count,), least=0.0)
        name = builder.objects[object].name
        if (stiff <= 0.0).any():
            raise ModelError(name, "bending rigidity must be above 0 N·m²; leave out slack rods")
        x = builder.position
        a, b, c = x[triple[:, 0]], x[triple[:, 1]], x[triple[:, 2]]
        if segment is None:
            segment = np.stack(
                [np.linalg.norm(b - a, axis=1), np.linalg.norm(c - b, axis=1)], axis=1
            )
        lengths = numbers(builder, object, "segment length", segment, (count, 2), least=0.0)
        if (lengths <= 0.0).any():
            row, side = np.argwhere(lengths <= 0.0)[0]
            ends = triple[row, side : side + 2]
            raise ModelError(
                name,
                f"the segment between vertices {vertices(builder, object, ends)} has no length; "
                "merge them by distance",
            )
        p, q = lengths[:, 0], lengths[:, 1]
        v = (q[:, None] * a + p[:, None] * c) / (p + q)[:, None] - b
        bend = np.linalg.norm(v, axis=1)
        bend[bend < 1e-9 * (p + q)] = 0.0  # rounding is no bend
        order, flipped, start = _chains(triple)
        lengths = np.where(flipped[:, None], lengths[order][:, ::-1], lengths[order])
        rows = records(
            ROD,
            triple=np.where(flipped[:, None], triple[order][:, ::-1], triple[order]),
            segment=lengths,
            compliance=((p * q) ** 2 / (2.0 * stiff * (p + q)))[order],
            rest_bend=np.zeros(count) if straight else bend[order],
        )
        return cls(object, rows, start)

    @property
    def particles(self) -> Ints:
        """Every particle that a rod names."""
        return self.rows["triple"]

    @property
    def multiplier_count(self) -> int:
        """λ and what a chain's solution needs, for each triple."""
        return scratch_size(ROD_SOLUTION, len(self.rows))

    def project(self, moving: Moving, multiplier: Floats) -> None:
        """Project chain after chain."""
        project_rods(
            moving.particles,
            self.rows,
            self.chain_start,
            moving.per_step(self.object),
            moving.is_first_pass,
            multiplier.view(ROD_SOLUTION),
        )


def _chains(triple: Ints) -> tuple[Ints, Ints, Ints]:
    """Cut triples into chains in which no particle comes twice.

    Returns (order (k,), flipped (k,) bool, start (chains + 1,)): triple order[j], read backward
    where flipped, is the j-th.
    """
    by_segment: dict[tuple[int, int], list[tuple[int, bool]]] = {}
    rows = triple.tolist()
    for t, (a, b, c) in enumerate(rows):
        by_segment.setdefault((a, b), []).append((t, False))
        by_segment.setdefault((c, b), []).append((t, True))
    used = [False] * len(rows)

    def extend(chain: list[tuple[int, bool]], members: set[int]) -> None:
        while True:
            t, back = chain[-1]
            _, b, c = rows[t][::-1] if back else rows[t]
            for other, turned in by_segment.get((b, c), ()):
                last = rows[other][0] if turned else rows[other][2]
                if not used[other] and last not in members:
                    used[other] = True
                    members.add(last)
                    chain.append((other, turned))
                    break
            else:
                return

    order: list[tuple[int, bool]] = []
    start = [0]
    for t in range(len(rows)):
        if used[t]:
            continue
        used[t] = True
        members = set(rows[t])
        chain = [(t, False)]
        extend(chain, members)
        chain = [(other, not turned) for other, turned in reversed(chain)]
        extend(chain, members)
        order += chain
        start.append(len(order))
    return (
        np.array([t for t, _ in order], dtype=np.int32),
        np.array([turned for _, turned in order], dtype=bool),
        np.array(start, dtype=np.int32),
    )


@inline
def _bend(x, rod):
    """The vector v of a triple."""
    a, b, c = rod["triple"][0], rod["triple"][1], rod["triple"][2]
    p, q = rod["segment"][0], rod["segment"][1]
    middle = along(scale(q / (p + q), load(x, a)), p / (p + q), load(x, c))
    return sub(middle, load(x, b))


@inline
def _particle(rods, first, k):
    """The k-th particle of the chain that begins with a triple."""
    return rods[first]["triple"][k] if k < 2 else rods[first + k - 2]["triple"][2]


@inline
def _give_back(particles, rods, first, last, torque):
    """Turn a free chain as a whole so that a torque impulse on it is undone, see `angular`."""
    x, previous, inverse_mass = particles
    count = last - first + 2
    total = 0.0
    centre = ZERO
    origin = rods[first]["triple"][0]
    for k in range(count):
        i = _particle(rods, first, k)
        if inverse_mass[i] == 0.0:
            return
        m = 1.0 / inverse_mass[i]
        total += m
        centre = along(centre, m, between(previous, origin, i))
    centre = add(load(previous, origin), divide(centre, total))
    inertia = NO_INERTIA
    for k in range(count):
        i = _particle(rods, first, k)
        inertia = add_inertia(inertia, 1.0 / inverse_mass[i], sub(load(previous, i), centre))
    turn = solve_inertia(inertia, scale(-1.0, torque))
    if dot(turn, turn) > LARGEST_TORQUE_TURN * LARGEST_TORQUE_TURN:
        return
    for k in range(count):
        i = _particle(rods, first, k)
        move(x, i, turned_way(turn, previous, i, centre))


@inline
def _share_ahead(rod):
    """The weight of a in v."""
    return rod["segment"][1] / (rod["segment"][0] + rod["segment"][1])


@inline
def _set_up(particles, rods, t, last, per_step, s):
    """Right-hand side and band of triple t, whose chain ends before ``last``; s: its solution."""
    x, _, inverse_mass = particles
    rod = rods[t]
    a, b, c = rod["triple"][0], rod["triple"][1], rod["triple"][2]
    p, q = rod["segment"][0], rod["segment"][1]
    wa, wb, wc = inverse_mass[a], inverse_mass[b], inverse_mass[c]
    v = _bend(x, rod)
    rest = rod["rest_bend"]
    if rest > 0.0:
        size = length(v)
        if size > 0.0:
            v = sub(v, divide(scale(rest, v), size))
        else:
            v = scale(-rest, direction_between(a, c))
    free = (p if wa + wb > 0.0 else 0.0) + (q if wb + wc > 0.0 else 0.0)
    weight = (q * q * wa + p * p * wc) / ((p + q) * (p + q)) + wb
    if free == 0.0:  # all three pinned
        set_vec(s["added"], ZERO)
        s["diagonal"] = 1.0
    else:
        softness = rod["compliance"] * per_step * free / (p + q)
        set_vec(s["added"], along(scale(-1.0, v), -softness, vec(s["multiplier"])))
        s["diagonal"] = weight + softness
    s["next"] = s["next_but_one"] = 0.0
    if t + 1 < last:
        s["next"] = -(_share_ahead(rods[t + 1]) * wb + p / (p + q) * wc)
    if t + 2 < last:
        s["next_but_one"] = p / (p + q) * _share_ahead(rods[t + 2]) * wc


@inline
def _solve_band(s, first, last):
    """Solve for rows first … last − 1 of a chain by L D Lᵀ of the band."""
    for t in range(first, last):
        near = s[t]["next"] / s[t]["diagonal"]
        far = s[t]["next_but_one"] / s[t]["diagonal"]
        added = vec(s[t]["added"])
        if t + 1 < last:
            s[t + 1]["diagonal"] -= near * s[t]["next"]
            s[t + 1]["next"] -= near * s[t]["next_but_one"]
            set_vec(s[t + 1]["added"], along(vec(s[t + 1]["added"]), -near, added))
        if t + 2 < last:
            s[t + 2]["diagonal"] -= far * s[t]["next_but_one"]
            set_vec(s[t + 2]["added"], along(vec(s[t + 2]["added"]), -far, added))
    for t in range(last - 1, first - 1, -1):  # and back
        solved = vec(s[t]["added"])
        if t + 1 < last:
            solved = along(solved, -s[t]["next"], vec(s[t + 1]["added"]))
        if t + 2 < last:
            solved = along(solved, -s[t]["next_but_one"], vec(s[t + 2]["added"]))
        set_vec(s[t]["added"], divide(solved, s[t]["diagonal"]))


@inline
def _apply(particles, rod, s):
    """Move a triple by its Δλ; returns the torque of that about the places one step ago."""
    x, previous, inverse_mass = particles
    a, b, c = rod["triple"][0], rod["triple"][1], rod["triple"][2]
    p, q = rod["segment"][0], rod["segment"][1]
    added = vec(s["added"])
    set_vec(s["multiplier"], add(vec(s["multiplier"]), added))
    shift(x, a, q / (p + q) * inverse_mass[a], added)
    shift(x, b, -inverse_mass[b], added)
    shift(x, c, p / (p + q) * inverse_mass[c], added)
    return cross(_bend(previous, rod), added)


# (G W Gᵀ + α̃) Δλ = −(v − v₀ + α̃λ) for all triples of a chain and each coordinate, Δx = W Gᵀ Δλ,
# with the weights G of v, the same for all coordinates. v₀ has the length of the rest bend and the
# direction that v has now.
@kernel
def project_rods(particles, rods, chain_start, per_step, first_pass, solution):
    """Solve the bending of every chain; per_step: 1/h² over the stiffness factor."""
    for chain in range(chain_start.shape[0] - 1):
        first = chain_start[chain]
        last = chain_start[chain + 1]
        for t in range(first, last):
            if first_pass:
                set_vec(solution[t]["multiplier"], ZERO)
            _set_up(particles, rods, t, last, per_step, solution[t])
        _solve_band(solution, first, last)
        torque = ZERO
        for t in range(first, last):
            torque = add(torque, _apply(particles, rods[t], solution[t]))
        _give_back(particles, rods, first, last, torque)
