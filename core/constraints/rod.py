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

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..coincidence import direction_between
from ..errors import ModelError
from ..jit import inline, kernel
from ..model import Floats, Ints
from ..vector import cross
from .angular import NO_INERTIA, add_inertia, solve_inertia
from .base import Moving
from .checks import numbers, rows_of_particles, vertices

if TYPE_CHECKING:
    from ..builder import ModelBuilder

COLUMNS = 9
"""Numbers of scratch for each triple: λ (3), right-hand side (3), band (3)."""

LARGEST_TURN = 0.1
"""Rad a step by which a chain as a whole makes up for a torque; beyond, it is let go.

Only the trembling of an almost straight stiff rod about its own axis asks for more.
"""


@dataclass(frozen=True, eq=False)
class Rods:
    """The bending of all rods of one object. Made by `Rods.of`."""

    object: int
    triple: Ints  # (k, 3), chain by chain; of neighbours in a chain two particles are the same
    chain_start: Ints  # (chains + 1,) first triple of each
    segment: Floats  # (k, 2) m, lengths p and q
    compliance: Floats  # (k,) m/N, of the whole length (p + q)/2
    rest_bend: Floats  # (k,) m, |v₀|

    @classmethod
    def of(
        cls,
        builder: ModelBuilder,
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
        return cls(
            object,
            np.ascontiguousarray(
                np.where(flipped[:, None], triple[order][:, ::-1], triple[order]), dtype=np.int32
            ),
            start,
            np.ascontiguousarray(lengths),
            ((p * q) ** 2 / (2.0 * stiff * (p + q)))[order],
            np.zeros(count) if straight else bend[order],
        )

    @property
    def particles(self) -> Ints:
        """Every particle that a rod names."""
        return self.triple

    @property
    def multiplier_count(self) -> int:
        """λ and what a chain's solution needs, for each triple."""
        return COLUMNS * len(self.triple)

    def project(self, moving: Moving, multiplier: Floats) -> None:
        """Project chain after chain."""
        stiffness = max(moving.animated[self.object].stiffness, 1e-12)
        project_rods(
            moving.x,
            moving.previous,
            moving.inverse_mass,
            self.triple,
            self.chain_start,
            self.segment,
            self.compliance,
            self.rest_bend,
            1.0 / (moving.h**2 * stiffness),
            moving.is_first_pass,
            multiplier.reshape(-1, COLUMNS),
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
def _bend(x, a, b, c, p, q):
    """The vector v of a triple."""
    wa = q / (p + q)
    wc = p / (p + q)
    return (
        wa * x[a, 0] + wc * x[c, 0] - x[b, 0],
        wa * x[a, 1] + wc * x[c, 1] - x[b, 1],
        wa * x[a, 2] + wc * x[c, 2] - x[b, 2],
    )


@inline
def _give_back(x, previous, inverse_mass, triple, first, last, tx, ty, tz):
    """Turn a free chain as a whole so that a torque impulse on it is undone, see `angular`."""
    total = 0.0
    cx = cy = cz = 0.0
    origin = triple[first, 0]
    for k in range(last - first + 2):
        i = triple[first, k] if k < 2 else triple[first + k - 2, 2]
        if inverse_mass[i] == 0.0:
            return
        m = 1.0 / inverse_mass[i]
        total += m
        cx += m * (previous[i, 0] - previous[origin, 0])
        cy += m * (previous[i, 1] - previous[origin, 1])
        cz += m * (previous[i, 2] - previous[origin, 2])
    cx = previous[origin, 0] + cx / total
    cy = previous[origin, 1] + cy / total
    cz = previous[origin, 2] + cz / total
    inertia = NO_INERTIA
    for k in range(last - first + 2):
        i = triple[first, k] if k < 2 else triple[first + k - 2, 2]
        m = 1.0 / inverse_mass[i]
        rx, ry, rz = previous[i, 0] - cx, previous[i, 1] - cy, previous[i, 2] - cz
        inertia = add_inertia(inertia, m, rx, ry, rz)
    ox, oy, oz = solve_inertia(inertia, -tx, -ty, -tz)
    if ox * ox + oy * oy + oz * oz > LARGEST_TURN * LARGEST_TURN:
        return
    for k in range(last - first + 2):
        i = triple[first, k] if k < 2 else triple[first + k - 2, 2]
        rx, ry, rz = previous[i, 0] - cx, previous[i, 1] - cy, previous[i, 2] - cz
        ux, uy, uz = cross(ox, oy, oz, rx, ry, rz)
        x[i, 0] += ux
        x[i, 1] += uy
        x[i, 2] += uz


# (G W Gᵀ + α̃) Δλ = −(v − v₀ + α̃λ) for all triples of a chain and each coordinate, Δx = W Gᵀ Δλ,
# with the weights G of v, the same for all coordinates. v₀ has the length of the rest bend and the
# direction that v has now.
@kernel
def project_rods(
    x,
    previous,
    inverse_mass,
    triple,
    chain_start,
    segment,
    compliance,
    rest_bend,
    per_step,
    first_pass,
    scratch,
):
    """Solve the bending of every chain.

    per_step: 1/h² over the stiffness factor; scratch (k, 9): λ (3), right-hand side (3), the
    band's diagonal and its two neighbours.
    """
    for chain in range(chain_start.shape[0] - 1):
        first = chain_start[chain]
        last = chain_start[chain + 1]
        for t in range(first, last):
            a = triple[t, 0]
            b = triple[t, 1]
            c = triple[t, 2]
            p = segment[t, 0]
            q = segment[t, 1]
            wa = inverse_mass[a]
            wb = inverse_mass[b]
            wc = inverse_mass[c]
            if first_pass:
                scratch[t, 0] = scratch[t, 1] = scratch[t, 2] = 0.0
            vx, vy, vz = _bend(x, a, b, c, p, q)
            rest = rest_bend[t]
            if rest > 0.0:
                length = math.sqrt(vx * vx + vy * vy + vz * vz)
                if length > 0.0:
                    vx -= rest * vx / length
                    vy -= rest * vy / length
                    vz -= rest * vz / length
                else:
                    vx, vy, vz = direction_between(a, c)
                    vx *= -rest
                    vy *= -rest
                    vz *= -rest
            free = (p if wa + wb > 0.0 else 0.0) + (q if wb + wc > 0.0 else 0.0)
            weight = (q * q * wa + p * p * wc) / ((p + q) * (p + q)) + wb
            if free == 0.0:  # all three pinned
                scratch[t, 3] = scratch[t, 4] = scratch[t, 5] = 0.0
                scratch[t, 6] = 1.0
            else:
                softness = compliance[t] * per_step * free / (p + q)
                scratch[t, 3] = -vx - softness * scratch[t, 0]
                scratch[t, 4] = -vy - softness * scratch[t, 1]
                scratch[t, 5] = -vz - softness * scratch[t, 2]
                scratch[t, 6] = weight + softness
            # how it disturbs the next triple of the chain and the next but one
            scratch[t, 7] = scratch[t, 8] = 0.0
            if t + 1 < last:
                ahead = segment[t + 1, 1] / (segment[t + 1, 0] + segment[t + 1, 1])
                scratch[t, 7] = -(ahead * wb + p / (p + q) * wc)
            if t + 2 < last:
                ahead = segment[t + 2, 1] / (segment[t + 2, 0] + segment[t + 2, 1])
                scratch[t, 8] = p / (p + q) * ahead * wc
        # L D Lᵀ of the band, downward
        for t in range(first, last):
            near = scratch[t, 7] / scratch[t, 6]
            far = scratch[t, 8] / scratch[t, 6]
            if t + 1 < last:
                scratch[t + 1, 6] -= near * scratch[t, 7]
                scratch[t + 1, 7] -= near * scratch[t, 8]
                for k in range(3, 6):
                    scratch[t + 1, k] -= near * scratch[t, k]
            if t + 2 < last:
                scratch[t + 2, 6] -= far * scratch[t, 8]
                for k in range(3, 6):
                    scratch[t + 2, k] -= far * scratch[t, k]
        for t in range(last - 1, first - 1, -1):  # and back
            for k in range(3, 6):
                solved = scratch[t, k]
                if t + 1 < last:
                    solved -= scratch[t, 7] * scratch[t + 1, k]
                if t + 2 < last:
                    solved -= scratch[t, 8] * scratch[t + 2, k]
                scratch[t, k] = solved / scratch[t, 6]
        tx = ty = tz = 0.0
        for t in range(first, last):
            a = triple[t, 0]
            b = triple[t, 1]
            c = triple[t, 2]
            p = segment[t, 0]
            q = segment[t, 1]
            on_a = q / (p + q) * inverse_mass[a]
            on_b = -inverse_mass[b]
            on_c = p / (p + q) * inverse_mass[c]
            for k in range(3):
                added = scratch[t, 3 + k]
                scratch[t, k] += added
                x[a, k] += on_a * added
                x[b, k] += on_b * added
                x[c, k] += on_c * added
            ux, uy, uz = _bend(previous, a, b, c, p, q)
            mx, my, mz = cross(ux, uy, uz, scratch[t, 3], scratch[t, 4], scratch[t, 5])
            tx += mx
            ty += my
            tz += mz
        _give_back(x, previous, inverse_mass, triple, first, last, tx, ty, tz)
