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

from collections import namedtuple
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ...angular_momentum import NO_INERTIA, add_inertia, solve_inertia, turned_way
from ...arrays import Floats, Ints
from ...coincidence import direction_between
from ...coupling.strand_tie import (
    TIE,
    TIED_POINT,
    give_to_bodies,
    keep_spin_tied,
    load_ties,
)
from ...errors import ModelError
from ...kernels.jit import inline, kernel
from ...model.constraint import Moving
from ...records import Records, records, scratch_size
from ...vec3 import (
    ZERO,
    add,
    add_symmetric,
    along,
    cross,
    divide,
    dot,
    inverse_symmetric,
    length,
    load,
    set_vec,
    store,
    sub,
    symmetric,
    symmetric_times,
    vec,
)
from .checks import numbers, rows_of_particles
from .kept_length import lengthen_strands
from .strand_contact import (
    Bearing,
    Standoff,
    add_row,
    add_turning,
    bearing_room,
    begin_supports,
    collect_supports,
    eliminate_rows,
    hand_supports_inward,
    is_borne,
    resolve_supports,
    turn_supports,
)

if TYPE_CHECKING:
    from ...coupling.tying import Tying
    from .building import Building

STICK = np.dtype(
    [
        ("particle", np.int32),  # the outer end
        ("parent", np.int32),  # row of the next one toward the root, −1 at a root
        ("rest_length", np.float64),  # m
        ("compliance", np.float64),  # m/N
    ],
    align=True,
)

STRAND_SOLUTION = np.dtype(
    [
        ("multiplier", np.float64),  # λ, carried from pass to pass
        ("mobility", np.float64, (6,)),  # M, then M⁻¹
        ("push", np.float64, (3,)),  # b of all that hangs on it
        ("direction", np.float64, (3,)),  # n, from the parent
        ("stiffness", np.float64),  # S
        ("turning", np.float64, (6,)),  # S of a taut stick with what resists its turning
        ("tension", np.float64),  # λ of the last solution, where something bears the strands
        ("added", np.float64),  # t
        ("along", np.float64, (3,)),  # M⁻¹ n
        ("moved", np.float64, (3,)),  # M⁻¹ b; in the end how far the particle was moved, m
    ],
    align=True,
)

StrandScratch = namedtuple(
    "StrandScratch",
    [
        "solution",  # (q,) STRAND_SOLUTION
        "points",  # (q,) TIED_POINT
        "spin",  # (9, 7), see `keep_spin_tied`
    ],
)
"""What strands are solved in."""

NEWTON_ERROR = 1e-3
"""Error of a stick in its length above which Newton's method takes one more step."""

MOST_STEPS = 8
"""Steps of Newton's method at most."""

TAUT = 1e-6
"""Way that a pull would take a particle, as a share of its stick, from which on that is taut."""

OTHER_PULL = 0.1
"""Change of a pull, as a share of the largest, from which on it is solved anew."""

MOST_LOOKS = 16
"""Solutions at most after which it is looked anew at what bears the strands."""


@dataclass(frozen=True, eq=False)
class Strands:
    """All strands of one object. Made by `Strands.of`."""

    object: int
    rows: Records  # (q,) STICK, inner ones before outer ones
    gives_way: bool  # the keyed stiffness counts
    ties: Records = field(default_factory=lambda: np.zeros(0, TIE))  # (t,) to bodies

    @classmethod
    def of(
        cls,
        builder: Building,
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
        sticks = records(
            STICK,
            particle=rows,
            parent=above,
            rest_length=numbers(builder, object, "rest length", rest_length, rows.shape, least=0.0),
            compliance=soft,
        )
        return cls(object, sticks, gives_way)

    def tied_by(self, ties: Sequence[Tying]) -> Strands:
        """The same strands with the bodies that single particles of theirs are tied to."""
        row_of = {p: row for row, p in enumerate(self.particles.tolist())}
        held = [
            (row_of[p], body)
            for tie in ties
            if tie.particle.shape[1] == 1
            for p, body in zip(tie.particle[:, 0].tolist(), tie.body.tolist(), strict=True)
            if p in row_of
        ]
        if not held:
            return self
        one_each = list(dict(held).items())  # one body for a particle
        row, body = np.array(one_each, dtype=np.int32).T
        share = 1.0 / np.bincount(body)[body]
        return replace(self, ties=records(TIE, row=row, body=body, share=share))

    @property
    def particles(self) -> Ints:
        """Every particle of the strands."""
        return self.rows["particle"]

    @cached_property
    def stick(self) -> Ints:
        """The sticks (s, 2) of the strands, for figures about their stretch."""
        child = self.rows["parent"] >= 0
        inner = self.particles[self.rows["parent"][child]]
        return np.stack([inner, self.particles[child]], axis=1)

    @cached_property
    def stick_rest_length(self) -> Floats:
        """(s,) m."""
        length: Floats = self.rows["rest_length"][self.rows["parent"] >= 0]
        return length

    def pulls(self, multiplier: Floats) -> Floats:
        """λ of each stick (s,) in the last pass, see `Pulling`."""
        solution = multiplier[: self._solution_size].view(STRAND_SOLUTION)
        pull: Floats = solution["multiplier"][self.rows["parent"] >= 0]
        return pull

    @property
    def lies_on_ground(self) -> bool:
        """Always, see `Lying`."""
        return True

    @property
    def _solution_size(self) -> int:
        """Numbers of scratch that the solution takes, the first of all."""
        return scratch_size(STRAND_SOLUTION, len(self.rows))

    @property
    def multiplier_count(self) -> int:
        """λ and what the solution needs, for each particle."""
        return self._solution_size + scratch_size(TIED_POINT, len(self.rows))

    @cached_property
    def _row_of(self) -> Ints:
        """Row of each particle of the model up to the last one of the strands, −1 for none."""
        row = np.full(int(self.particles.max(initial=-1)) + 1, -1, dtype=np.int32)
        row[self.particles] = np.arange(len(self.rows), dtype=np.int32)
        return row

    @cached_property
    def _rooms(self) -> tuple[Bearing, Bearing]:
        """Scratch for what bears nothing, and for what may bear the strands."""
        return bearing_room(0), bearing_room(len(self.rows))

    @cached_property
    def _lengthened(self) -> Records:
        """Scratch for sticks that are forced to be longer."""
        return np.empty_like(self.rows)

    @cached_property
    def _spin(self) -> Floats:
        """Scratch for the spin of what is tied."""
        return np.zeros((9, 7))

    def _find_supports(self, moving: Moving) -> Bearing:
        """What bears the strands in this step."""
        if moving.ground is None:
            return self._rooms[0]
        bearing = self._rooms[1]
        moving.ground.find(bearing, self.rows, self._row_of, moving.particles, moving.h)
        return bearing if bearing.count[0] else self._rooms[0]

    def project(self, moving: Moving, multiplier: Floats) -> None:
        """Bring all sticks to their lengths at once."""
        stiffness = moving.animated[self.object].stiffness if self.gives_way else 1.0
        split = self._solution_size
        bearing = self._find_supports(moving)
        solution = multiplier[:split].view(STRAND_SOLUTION)
        points = multiplier[split:].view(TIED_POINT)
        if len(self.ties):
            load_ties(points, self.rows, moving.particles, moving.owners, self.ties)
        rows = self.rows
        if moving.is_forced(self.object):
            rows = self._lengthened
            lengthen_strands(moving.previous, self.rows, moving.forced, self.object, rows)
        project_strands(
            moving.particles,
            rows,
            1.0 / (moving.h**2 * max(stiffness, 1e-12)),
            moving.is_first_pass,
            StrandScratch(solution, points, self._spin),
            bearing,
            Standoff(moving.inverse_mass, 0.0) if moving.ground is None else moving.ground.reach,
        )
        if len(self.ties):
            given = (moving.particles, moving.owners, moving.h, self.ties, moving.push)
            give_to_bodies(points, solution, self.rows, *given)


def _roots(parent: Ints) -> Ints:
    """Row (q,) of the root of each row's tree."""
    top = np.where(parent >= 0, parent, np.arange(len(parent)))
    while (top != top[top]).any():
        top = top[top]
    return top.astype(np.int32)


@inline
def solve_strands(points, sticks, per_step, first_pass, s, bearing, particles, first_step):
    """One step of Newton's method: move each point to the rest length from its parent."""
    count = sticks.shape[0]
    for k in range(count):
        row, point = s[k], points[k]
        row["tension"] = 0.0
        if bearing.count[0] > 0 and not first_step:
            row["tension"] = _tension(points, sticks, k, row["multiplier"])
        if first_pass:
            row["multiplier"] = 0.0
        row["stiffness"] = row["added"] = 0.0
        set_vec(row["push"], ZERO)
        set_vec(row["direction"], ZERO)
        set_vec(row["along"], ZERO)
        set_vec(row["moved"], ZERO)
        w = point["inverse_mass"]
        for m in range(6):
            if w > 0.0:
                row["mobility"][m] = point["inertia"][m] + (1.0 / w if m < 3 else 0.0)
            else:
                row["mobility"][m] = 0.0
    for k in range(count - 1, -1, -1):
        _hand_inward(points, sticks, k, per_step, s, bearing, particles)
    for k in range(count):
        row, p = s[k], sticks[k]["parent"]
        inner = vec(s[p]["push"]) if p >= 0 else ZERO
        way = ZERO
        if is_borne(bearing, k):
            way = resolve_supports(bearing, sticks, k, vec(row["moved"]), inner, s)
        elif row["tension"] > 0.0 and row["stiffness"] > 0.0:
            way = _follow_taut(row, inner, points[k]["inverse_mass"] > 0.0)
        else:
            pull = row["added"]
            if p >= 0:
                pull -= row["stiffness"] * dot(vec(row["direction"]), inner)
            row["multiplier"] += pull
            if points[k]["inverse_mass"] > 0.0:
                way = along(vec(row["moved"]), -pull, vec(row["along"]))
        set_vec(row["push"], way)
        set_vec(points[k]["place"], add(vec(points[k]["place"]), way))


@inline
def _tension(points, sticks, k, pull):
    """A pull of the last solution, kg·m, by which a stick resists being turned; 0: next to none."""
    p = sticks[k]["parent"]
    w = points[k]["inverse_mass"]
    if p >= 0:
        w = max(w, points[p]["inverse_mass"])
    return pull if p >= 0 and pull * w > TAUT * sticks[k]["rest_length"] else 0.0


@inline
def _hand_inward(points, sticks, k, per_step, s, bearing, particles):
    """Eliminate the stick to the parent of row k: add what it and all it carries costs to that."""
    row, point, stick = s[k], points[k], sticks[k]
    p = stick["parent"]
    if point["inverse_mass"] > 0.0:
        mobility = inverse_symmetric(symmetric(row["mobility"]), 1.0)
        for m in range(6):
            row["mobility"][m] = mobility[m]
        set_vec(row["moved"], symmetric_times(mobility, vec(row["push"])))
    is_held = is_borne(bearing, k)
    if is_held:
        bearing.borne[k]["count"] = 0
    is_pinned = point["inverse_mass"] == 0.0
    if p >= 0:
        is_pinned = is_pinned and points[p]["inverse_mass"] == 0.0
    if is_pinned or (p < 0 and not is_held):
        return
    apart = 0.0
    n = ZERO
    if p >= 0:
        n = sub(vec(point["place"]), vec(points[p]["place"]))
        apart = length(n)
        n = divide(n, apart) if apart > 0.0 else direction_between(p, k)
    if apart == 0.0:
        row["tension"] = 0.0
    softness = stick["compliance"] * per_step
    error = apart - stick["rest_length"] - softness * row["multiplier"]
    if is_held:
        set_vec(row["direction"], n)
        row["stiffness"] = 1.0
        borne = bearing.borne[k]
        if p >= 0:
            add_row(borne, n, (1.0, -1.0), error, softness)
            if row["tension"] > 0.0:
                add_turning(borne, n, apart / row["tension"])
        collect_supports(bearing, points, sticks, particles, k)
        eliminate_rows(borne, symmetric(row["mobility"]), vec(row["moved"]))
        if p >= 0 and points[p]["inverse_mass"] > 0.0:
            hand_supports_inward(borne, s[p])
        return
    if row["tension"] > 0.0:
        _hand_taut_inward(row, s[p], points[p], n, (error, softness, apart / row["tension"]))
        return
    way = symmetric_times(symmetric(row["mobility"]), n)
    stiff = 1.0 / (softness + n[0] * way[0] + n[1] * way[1] + n[2] * way[2])
    moved = row["moved"]
    pull = stiff * (error + n[0] * moved[0] + n[1] * moved[1] + n[2] * moved[2])
    set_vec(row["direction"], n)
    row["stiffness"] = stiff
    row["added"] = pull
    set_vec(row["along"], way)
    if points[p]["inverse_mass"] > 0.0:
        inner = s[p]["mobility"]
        inner[0] += stiff * n[0] * n[0]
        inner[1] += stiff * n[1] * n[1]
        inner[2] += stiff * n[2] * n[2]
        inner[3] += stiff * n[0] * n[1]
        inner[4] += stiff * n[0] * n[2]
        inner[5] += stiff * n[1] * n[2]
        set_vec(s[p]["push"], along(vec(s[p]["push"]), pull, n))


@inline
def _hand_taut_inward(row, inner, end, n, stick):
    """Eliminate a taut stick, which also resists being turned: the pull goes with its direction.

    stick: its error m, its softness, and that against turning, l/λ (Tournier 2015, §3): without it
    a solution throws light particles across a stick that is pulled hard, by more than its length.
    """
    error, softness, turning = stick
    nn = (n[0] * n[0], n[1] * n[1], n[2] * n[2], n[0] * n[1], n[0] * n[2], n[1] * n[2])
    f = softness - turning
    x, y, z = turning + f * nn[0], turning + f * nn[1], turning + f * nn[2]
    soft = (x, y, z, f * nn[3], f * nn[4], f * nn[5])
    stiff = inverse_symmetric(add_symmetric(symmetric(row["mobility"]), soft), 1.0)
    pull = symmetric_times(stiff, along(vec(row["moved"]), error, n))
    set_vec(row["direction"], n)
    row["stiffness"] = 1.0
    set_vec(row["along"], pull)
    for m in range(6):
        row["turning"][m] = stiff[m]
    if end["inverse_mass"] > 0.0:
        for m in range(6):
            inner["mobility"][m] += stiff[m]
        set_vec(inner["push"], add(vec(inner["push"]), pull))


@inline
def _follow_taut(row, inner, is_free):
    """The way of the outer end of a taut stick, whose inner end goes ``inner``."""
    pull = sub(vec(row["along"]), symmetric_times(symmetric(row["turning"]), inner))
    row["multiplier"] += dot(pull, vec(row["direction"]))
    if not is_free:
        return ZERO
    return sub(vec(row["moved"]), symmetric_times(symmetric(row["mobility"]), pull))


@inline
def _is_tension_new(bearing, s):
    """Whether the largest pulls are others than those that the solution was made with."""
    if bearing.count[0] == 0:
        return False
    most = change = 0.0
    for k in range(s.shape[0]):
        most = max(most, s[k]["multiplier"])
        change = max(change, abs(max(s[k]["multiplier"], 0.0) - s[k]["tension"]))
    return change > OTHER_PULL * most


@inline
def worst_error(points, sticks, per_step, s):
    """The largest error of a stick in its length that a step of Newton's method has left."""
    worst = 0.0
    for k in range(sticks.shape[0]):
        stick = sticks[k]
        p, rest = stick["parent"], stick["rest_length"]
        if p < 0 or rest == 0.0 or s[k]["stiffness"] == 0.0:
            continue
        apart = length(sub(vec(points[k]["place"]), vec(points[p]["place"])))
        error = apart - rest - stick["compliance"] * per_step * s[k]["multiplier"]
        worst = max(worst, abs(error) / rest)
    return worst


@inline
def _keep_spin(particles, sticks, points, first, last, spin):
    """Free the corrections of the tree in rows first … last − 1 from their torque, in points.

    One that is held in two places gets its torque from there; one that is held in one place turns
    about it, any other about its centre of mass.
    """
    x, previous, inverse_mass = particles
    held = 0
    tied = 0
    mass = 0.0
    centre = ZERO
    for k in range(first, last):
        i = sticks[k]["particle"]
        tied += points[k]["inertia"][0] > 0.0
        if inverse_mass[i] == 0.0:
            held += 1
            centre, mass = load(previous, i), 1.0
        elif held == 0:
            m = 1.0 / inverse_mass[i]
            mass += m
            centre = along(centre, m, load(previous, i))
    if held > 1:
        return
    centre = divide(centre, mass)
    if tied > 0:
        keep_spin_tied(particles, sticks, points, first, last, held == 1, centre, spin)
        return
    momentum = ZERO
    inertia = NO_INERTIA
    for k in range(first, last):
        i = sticks[k]["particle"]
        if inverse_mass[i] == 0.0:
            continue
        m = 1.0 / inverse_mass[i]
        r = sub(load(previous, i), centre)
        way = sub(vec(points[k]["place"]), load(x, i))
        momentum = along(momentum, -m, cross(r, way))
        inertia = add_inertia(inertia, m, r)
    turn = solve_inertia(inertia, momentum)
    for k in range(first, last):
        i = sticks[k]["particle"]
        if inverse_mass[i] > 0.0:
            place = points[k]["place"]
            set_vec(place, add(vec(place), turned_way(turn, previous, i, centre)))


@kernel
def project_strands(particles, sticks, per_step, first_pass, scratch, bearing, ground):
    """Project all strands once.

    bearing: what the strands lie on; ground: how far m each particle (n,) keeps away from that, and
    the way m of gravity in a step.
    """
    x = particles.x
    solution, points, spin = scratch
    count = sticks.shape[0]
    looks = MOST_LOOKS if first_pass and bearing.count[0] > 0 else 0
    step = 0
    is_anew = is_first = True
    while step < MOST_STEPS:
        if is_anew:
            step = 0
            for k in range(count):
                i = sticks[k]["particle"]
                set_vec(points[k]["place"], load(x, i))
                points[k]["inverse_mass"] = particles.inverse_mass[i]
            begin_supports(bearing)
        first = first_pass and is_anew
        solve_strands(points, sticks, per_step, first, solution, bearing, particles, is_first)
        is_first = False
        step += 1
        looks -= 1
        is_anew = False
        if looks > 0:
            is_anew = turn_supports(bearing, points, sticks, particles, ground)
            is_anew |= first and _is_tension_new(bearing, solution)
        if not is_anew and worst_error(points, sticks, per_step, solution) < NEWTON_ERROR:
            break
    begin = 0
    is_free = True
    for k in range(1, count + 1):
        is_free = is_free and not is_borne(bearing, k - 1)
        if k == count or sticks[k]["parent"] < 0:
            if is_free:  # the ground takes the torque of the others
                _keep_spin(particles, sticks, points, begin, k, spin)
            begin = k
            is_free = True
    for k in range(count):
        i = sticks[k]["particle"]
        place = vec(points[k]["place"])
        set_vec(solution[k]["moved"], sub(place, load(x, i)))
        store(x, i, place)
