"""Branches: plants that bend from their roots and come back to the pose they were modelled in.

A plant is a tree of nodes, each one vertex or a few that move together (a ring of a stem, a leaf).
Branch i of length l leads to node i from its parent p, and turns only. Its joint at p has

    r = the least turn from R_p tᵢ to where the branch points,   energy ½ k |r|²,   k = EI/l

with tᵢ its rest direction and R_p the frame of the branch to p, which the same least turns carry
from branch to branch, from the root on (a rotation-minimizing frame: Bergou et al. 2008, "Discrete
Elastic Rods", §4.2.1, without twist). A root that does not turn clamps its branches.

A step is taken implicitly, with a damping in which joint i forgets its motion in the time β: of
all small turns θ of the branches it takes those that make

    Σ ½ m |u|² + Σ ½ (h² + h β) k |r + θᵢ − θ_p|² − Σ h β k r*·(θᵢ − θ_p),   uᵢ = u_p + θᵢ × dᵢ + aᵢ

smallest, with u the movement of the nodes, a what brings a branch to its length, and r* the bend
one step ago (Baraff & Witkin 1998, "Large Steps in Cloth Simulation", §3). Each branch is coupled
with its parent only, so one sweep from the tips to the root, which hands each inner branch what
moving (A, B, f) and turning (C, g) all that it carries costs, and one sweep back solve it exactly:
Featherstone's articulated bodies with springs in their joints. However fine or stiff a plant is,
it needs no more than that, and its branches keep their lengths. Last the vertices of each node
are drawn to their places in its frame.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ModelError
from ..jit import inline, kernel
from ..model import Floats, Ints
from ..rotation_fit import fitted_turn
from ..vector import turned_by
from .base import Moving
from .branch_solve import COLUMNS, bend
from .checks import numbers, rows_of_particles

if TYPE_CHECKING:
    from ..builder import ModelBuilder

SKIN_FREQUENCY = 60.0
"""Hz at which a vertex swings about its place in its node."""

SKIN_DAMPING = 0.5
"""Share of the critical damping of that."""

STILL = 1e-9
"""Movement of pins, in the extent of all, below which they have not turned."""


@dataclass(frozen=True, eq=False)
class Branches:
    """All plants of one object. Made by `Branches.of`."""

    object: int
    member: Ints  # (m,) particles, node by node
    node_start: Ints  # (q + 1,) first member of each node
    parent: Ints  # (q,) node toward the root, −1 at a root
    rest: Floats  # (q, 3) m from the parent
    reach: Floats  # (q,) m, length of that
    stiffness: Floats  # (q,) k, N·m
    damping_time: Floats  # (q,) β, s
    near: Floats  # (m, 3) m, rest place of each member about its node
    other: Ints  # (m,) node that it is drawn to as well, −1 for none
    far: Floats  # (m, 3) m, rest place about that
    share: Floats  # (m,) of that in its place
    root: Ints  # (r,) particles that say how the roots are turned
    root_place: Floats  # (r, 3) m

    @classmethod
    def of(
        cls,
        builder: ModelBuilder,
        object: int,
        nodes: list[Ints],
        parent: ArrayLike,
        rigidity: ArrayLike,
        *,
        damping_time: ArrayLike = 0.0,
        other: ArrayLike | None = None,
        share: ArrayLike = 0.0,
        root: ArrayLike = (),
    ) -> Branches:
        """Trees of nodes, each a list of particles of the model, and their parents (q,).

        A parent stands further up in ``nodes``, −1 for none. rigidity: EI (q,) N·m² of the branch
        to the parent; damping_time: β (q,) s.
        other (m,), share (m,): a second node that draws each member, in the order of ``nodes``,
        and by how much. root: particles whose turn is that of all roots.

        Raises `ModelError` for nodes without particles and parents that come after children.
        """
        name = builder.objects[object].name
        if any(len(node) == 0 for node in nodes):
            raise ModelError(name, "a node of a plant has no vertices")
        member = rows_of_particles(builder, object, "branch", np.concatenate(nodes), 1)[:, 0]
        count = len(nodes)
        above = np.ascontiguousarray(parent, dtype=np.int32)
        if above.shape != (count,) or (above >= np.arange(count)).any() or (above < -1).any():
            raise ModelError(name, "the nodes of a plant must follow their parents")
        start = np.cumsum([0] + [len(node) for node in nodes]).astype(np.int32)
        node_of = np.repeat(np.arange(count), np.diff(start))
        x, mass = builder.position[member], builder.mass[member]
        total = np.bincount(node_of, mass, count)
        centre = np.stack(
            [np.bincount(node_of, mass * x[:, k], count) / total for k in range(3)], axis=1
        )
        child = above >= 0
        rest = np.where(child[:, None], centre - centre[above], 0.0)
        reach = np.linalg.norm(rest, axis=1)
        extent = float(np.linalg.norm(x.max(axis=0) - x.min(axis=0)))
        # nodes that stand within each other have no length to bend over
        length = np.maximum(reach, 1e-3 * extent if extent > 0.0 else 1.0)
        stiff = numbers(builder, object, "rigidity", rigidity, (count,), least=0.0) / length
        second = np.full(len(member), -1) if other is None else np.asarray(other)
        second = np.ascontiguousarray(second, dtype=np.int32)
        return cls(
            object,
            member,
            start,
            above,
            rest,
            reach,
            np.where(child, stiff, 0.0),
            numbers(builder, object, "damping time", damping_time, (count,), least=0.0),
            x - centre[node_of],
            second,
            np.where((second >= 0)[:, None], x - centre[second], 0.0),
            numbers(builder, object, "share", share, (len(member),), least=0.0, most=1.0),
            np.ascontiguousarray(root, dtype=np.int32),
            builder.position[np.asarray(root, dtype=np.int32)],
        )

    @property
    def particles(self) -> Ints:
        """Every particle of the plants."""
        return np.concatenate([self.member, self.root])

    @property
    def multiplier_count(self) -> int:
        """What the solution needs for each node, and two 4×4 matrices."""
        return COLUMNS * len(self.parent) + 32

    def project(self, moving: Moving, multiplier: Floats) -> None:
        """Bend all branches at once, then draw the vertices to their nodes."""
        split = COLUMNS * len(self.parent)
        project_branches(
            moving.x,
            moving.previous,
            moving.inverse_mass,
            self.member,
            self.node_start,
            self.parent,
            self.rest,
            self.reach,
            self.stiffness,
            self.damping_time,
            self.near,
            self.other,
            self.far,
            self.share,
            self.root,
            self.root_place,
            moving.animated[self.object].stiffness,
            moving.h,
            moving.is_first_pass,
            multiplier[:split].reshape(-1, COLUMNS),
            multiplier[split:].reshape(2, 4, 4),
        )


@inline
def _root_turn(x, root, place, matrices):
    """Unit quaternion of how the root particles are turned from their rest."""
    count = root.shape[0]
    if count < 3:
        return 1.0, 0.0, 0.0, 0.0
    i = root[0]
    size = 0.0
    moved = 0.0
    for r in range(1, count):
        for k in range(3):
            was = place[r, k] - place[0, k]
            size = max(size, abs(was))
            moved = max(moved, abs(x[root[r], k] - x[i, k] - was))
    if moved <= STILL * size:
        return 1.0, 0.0, 0.0, 0.0
    s00 = s01 = s02 = s10 = s11 = s12 = s20 = s21 = s22 = 0.0  # Σ q rᵀ about the first particle
    for r in range(count):
        j = root[r]
        ax, ay, az = place[r, 0] - place[0, 0], place[r, 1] - place[0, 1], place[r, 2] - place[0, 2]
        bx, by, bz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
        s00 += ax * bx
        s01 += ax * by
        s02 += ax * bz
        s10 += ay * bx
        s11 += ay * by
        s12 += ay * bz
        s20 += az * bx
        s21 += az * by
        s22 += az * bz
    return fitted_turn(s00, s01, s02, s10, s11, s12, s20, s21, s22, matrices)


@inline
def _measure(s, at, parent, rest, out, turn):
    """Carry frames from the roots and write the bend r of every joint to columns ``out`` of s.

    The places are in columns at … at + 2; turn: unit quaternion of the roots.
    """
    for k in range(parent.shape[0]):
        p = parent[k]
        for a in range(3):
            s[k, out + a] = 0.0
        if p < 0:
            s[k, 10], s[k, 11], s[k, 12], s[k, 13] = turn
            continue
        qw, qx, qy, qz = s[p, 10], s[p, 11], s[p, 12], s[p, 13]
        tx, ty, tz = turned_by(qw, qx, qy, qz, rest[k, 0], rest[k, 1], rest[k, 2])
        dx = s[k, at] - s[p, at]
        dy = s[k, at + 1] - s[p, at + 1]
        dz = s[k, at + 2] - s[p, at + 2]
        product = math.sqrt((tx * tx + ty * ty + tz * tz) * (dx * dx + dy * dy + dz * dz))
        s[k, 10], s[k, 11], s[k, 12], s[k, 13] = qw, qx, qy, qz
        if product == 0.0:  # without length
            continue
        cosine = (tx * dx + ty * dy + tz * dz) / product
        ux = (ty * dz - tz * dy) / product
        uy = (tz * dx - tx * dz) / product
        uz = (tx * dy - ty * dx) / product
        sine = math.sqrt(ux * ux + uy * uy + uz * uz)
        bend = math.atan2(sine, cosine) / sine if sine > 1e-9 else 1.0
        s[k, out], s[k, out + 1], s[k, out + 2] = bend * ux, bend * uy, bend * uz
        w = 1.0 + cosine
        if w > 1e-3:  # not turned right round
            f = 1.0 / math.sqrt(w * w + sine * sine)
            w, ux, uy, uz = f * w, f * ux, f * uy, f * uz
            s[k, 10] = w * qw - ux * qx - uy * qy - uz * qz
            s[k, 11] = w * qx + ux * qw + uy * qz - uz * qy
            s[k, 12] = w * qy - ux * qz + uy * qw + uz * qx
            s[k, 13] = w * qz + ux * qy - uy * qx + uz * qw


@inline
def _goal(s, k, m, near, other, far, share):
    """Where member m of node k belongs: in the frame of the node, and a share of another."""
    gx, gy, gz = turned_by(
        s[k, 10], s[k, 11], s[k, 12], s[k, 13], near[m, 0], near[m, 1], near[m, 2]
    )
    gx, gy, gz = s[k, 0] + gx, s[k, 1] + gy, s[k, 2] + gz
    o = other[m]
    if o >= 0:
        ox, oy, oz = turned_by(
            s[o, 10], s[o, 11], s[o, 12], s[o, 13], far[m, 0], far[m, 1], far[m, 2]
        )
        gx += share[m] * (s[o, 0] + ox - gx)
        gy += share[m] * (s[o, 1] + oy - gy)
        gz += share[m] * (s[o, 2] + oz - gz)
    return gx, gy, gz


@kernel
def project_branches(
    x,
    previous,
    inverse_mass,
    member,
    node_start,
    parent,
    rest,
    reach,
    stiffness,
    damping_time,
    near,
    other,
    far,
    share,
    root,
    root_place,
    factor,
    h,
    first_pass,
    s,
    matrices,
):
    """Project all branches once; scratch: s (q, 62), matrices (2, 4, 4)."""
    count = parent.shape[0]
    for k in range(count):
        total = 0.0
        held = False
        for a in range(9):
            s[k, a] = 0.0
        for m in range(node_start[k], node_start[k + 1]):
            w = inverse_mass[member[m]]
            held = held or w == 0.0
            total += 1.0 / w if w > 0.0 else 0.0
        # a node is where its mass is; one that is held anywhere, where it is held
        weight = 0.0
        for m in range(node_start[k], node_start[k + 1]):
            i = member[m]
            w = inverse_mass[i]
            share_of = (1.0 if w == 0.0 else 0.0) if held else 1.0 / w
            weight += share_of
            for a in range(3):
                s[k, a] += share_of * x[i, a]
                s[k, 3 + a] += share_of * previous[i, a]
                if held:
                    s[k, 6 + a] += share_of * near[m, a]
        for a in range(3):
            s[k, a] /= weight
            s[k, 3 + a] /= weight
            if held:
                s[k, a] -= s[k, 6 + a] / weight
                s[k, 3 + a] -= s[k, 6 + a] / weight
            s[k, 6 + a] = s[k, a]
        s[k, 9] = 0.0 if held else 1.0 / total
        s[k, 61] = total
    before = _root_turn(previous, root, root_place, matrices)
    turn = _root_turn(x, root, root_place, matrices)
    _measure(s, 3, parent, rest, 17, before)
    _measure(s, 0, parent, rest, 14, turn)
    bend(s, parent, reach, stiffness, damping_time, factor, h, first_pass)
    for k in range(count):
        for m in range(node_start[k], node_start[k + 1]):
            i = member[m]
            if inverse_mass[i] > 0.0:
                for a in range(3):
                    x[i, a] += s[k, a] - s[k, 6 + a]
    if not first_pass or member.shape[0] == count:
        return
    _measure(s, 0, parent, rest, 14, turn)
    t = 2.0 * math.pi * SKIN_FREQUENCY * h
    slow = 2.0 * SKIN_DAMPING * t
    for k in range(count):
        if node_start[k + 1] == node_start[k] + 1 or s[k, 9] == 0.0:
            continue
        # the vertices of a node are drawn to their goals about where the node is: it stays there
        aside = matrices[0, 0]
        aside[:] = 0.0
        for m in range(node_start[k], node_start[k + 1]):
            goal = _goal(s, k, m, near, other, far, share)
            for a in range(3):
                aside[a] += (goal[a] - s[k, a]) * s[k, 9] / inverse_mass[member[m]]
        for m in range(node_start[k], node_start[k + 1]):
            i = member[m]
            goal = _goal(s, k, m, near, other, far, share)
            for a in range(3):
                moved = x[i, a] - previous[i, a]
                moved += t * t * (goal[a] - aside[a] - previous[i, a])
                moved += slow * (s[k, a] - s[k, 3 + a])
                x[i, a] = previous[i, a] + moved / (1.0 + slow + t * t)
