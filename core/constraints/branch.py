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
from .checks import numbers, rows_of_particles

if TYPE_CHECKING:
    from ..builder import ModelBuilder

COLUMNS = 62
"""Numbers of scratch for each node: place (3), place before (3), place at the start (3), 1/mass,
frame (4), r (3), r* (3), torque (3), A (6), B (9), C (6) and then H⁻¹, f (3) and then u, g (3) and
then θ, d (3), a (3), S, w (3), unused, mass; symmetric matrices as xx yy zz xy xz yz."""

TWIST = 1e3
"""Resistance of a branch to twisting, which the frames rule out, in that to bending."""

SKIN_FREQUENCY = 60.0
"""Hz at which a vertex swings about its place in its node."""

SKIN_DAMPING = 0.5
"""Share of the critical damping of that."""

LIMP = 1e-9
"""Least stiffness of a joint in what turning its branch costs: a keyed stiffness may be zero."""

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
def _times(s, k, at, x, y, z):
    """The symmetric matrix in columns at … at + 5 times a vector."""
    return (
        s[k, at] * x + s[k, at + 3] * y + s[k, at + 4] * z,
        s[k, at + 3] * x + s[k, at + 1] * y + s[k, at + 5] * z,
        s[k, at + 4] * x + s[k, at + 5] * y + s[k, at + 2] * z,
    )


@inline
def _invert(s, k, at):
    """Replace a symmetric positive matrix in columns at … at + 5 by its inverse."""
    xx, yy, zz = s[k, at], s[k, at + 1], s[k, at + 2]
    xy, xz, yz = s[k, at + 3], s[k, at + 4], s[k, at + 5]
    cx = yy * zz - yz * yz
    cy = xz * yz - xy * zz
    cz = xy * yz - xz * yy
    determinant = xx * cx + xy * cy + xz * cz
    f = 1.0 / determinant if determinant > 0.0 else 0.0  # nothing there that could be turned
    s[k, at] = f * cx
    s[k, at + 1] = f * (xx * zz - xz * xz)
    s[k, at + 2] = f * (xx * yy - xy * xy)
    s[k, at + 3] = f * cy
    s[k, at + 4] = f * cz
    s[k, at + 5] = f * (xy * xz - xx * yz)


@inline
def _joint_times(stiff, tx, ty, tz, x, y, z):
    """S v = s (v + (T − 1) t (t·v)) with t the branch's direction: bending soft, twisting hard."""
    along = (TWIST - 1.0) * (tx * x + ty * y + tz * z)
    return stiff * (x + along * tx), stiff * (y + along * ty), stiff * (z + along * tz)


# columns of the scratch
_A, _B, _C, _F, _G, _D, _E, _S = 23, 29, 38, 44, 47, 50, 53, 56


@inline
def _add_half_turned_row(s, k, row, dx, dy, dz):
    """Add half of a row of A X, which is d × that row of A, to B."""
    unit = (1.0 if row == 0 else 0.0, 1.0 if row == 1 else 0.0, 1.0 if row == 2 else 0.0)
    mx, my, mz = _times(s, k, _A, unit[0], unit[1], unit[2])
    s[k, _B + 3 * row] += 0.5 * (dy * mz - dz * my)
    s[k, _B + 3 * row + 1] += 0.5 * (dz * mx - dx * mz)
    s[k, _B + 3 * row + 2] += 0.5 * (dx * my - dy * mx)


@inline
def _hand_inward(s, k, p):
    """Eliminate the turn of branch k: add what it and all it carries cost to its parent p."""
    dx, dy, dz = s[k, _D], s[k, _D + 1], s[k, _D + 2]
    # f' = f − A a
    ax, ay, az = _times(s, k, _A, s[k, _E], s[k, _E + 1], s[k, _E + 2])
    fx, fy, fz = s[k, _F] - ax, s[k, _F + 1] - ay, s[k, _F + 2] - az
    # g' = g + d × f' − Bᵀ a
    e = (s[k, _E], s[k, _E + 1], s[k, _E + 2])
    zx = s[k, _G] + dy * fz - dz * fy
    zy = s[k, _G + 1] + dz * fx - dx * fz
    zz = s[k, _G + 2] + dx * fy - dy * fx
    for row in range(3):
        zx -= s[k, _B + 3 * row] * e[row]
        zy -= s[k, _B + 3 * row + 1] * e[row]
        zz -= s[k, _B + 3 * row + 2] * e[row]
    # C' = C + Xᵀ B + Bᵀ X + Xᵀ A X and B' = B + A X, X θ = θ × d; with Y = B + A X/2 that is
    # C' = C + Xᵀ Y + Yᵀ X. Row i of A X is d × (row i of A), column j of Xᵀ Y is d × (column j).
    for row in range(3):
        _add_half_turned_row(s, k, row, dx, dy, dz)
    for column in range(3):
        yx, yy, yz = s[k, _B + column], s[k, _B + 3 + column], s[k, _B + 6 + column]
        cx, cy, cz = dy * yz - dz * yy, dz * yx - dx * yz, dx * yy - dy * yx
        if column == 0:
            s[k, _C] += 2.0 * cx
            s[k, _C + 3] += cy
            s[k, _C + 4] += cz
        elif column == 1:
            s[k, _C + 3] += cx
            s[k, _C + 1] += 2.0 * cy
            s[k, _C + 5] += cz
        else:
            s[k, _C + 4] += cx
            s[k, _C + 5] += cy
            s[k, _C + 2] += 2.0 * cz
    for row in range(3):
        _add_half_turned_row(s, k, row, dx, dy, dz)
    # H = C' + S
    size = math.sqrt(dx * dx + dy * dy + dz * dz)
    s[k, _S] = max(s[k, _S], LIMP * size * size * (s[k, _A] + s[k, _A + 1] + s[k, _A + 2]))
    stiff = s[k, _S]
    tx, ty, tz = (dx / size, dy / size, dz / size) if size > 0.0 else (0.0, 0.0, 0.0)
    extra = stiff * (TWIST - 1.0)
    s[k, _C] += stiff + extra * tx * tx
    s[k, _C + 1] += stiff + extra * ty * ty
    s[k, _C + 2] += stiff + extra * tz * tz
    s[k, _C + 3] += extra * tx * ty
    s[k, _C + 4] += extra * tx * tz
    s[k, _C + 5] += extra * ty * tz
    _invert(s, k, _C)
    # z = g' − w, kept in the place of g for the way back
    wx, wy, wz = s[k, _S + 1], s[k, _S + 2], s[k, _S + 3]
    zx, zy, zz = zx - wx, zy - wy, zz - wz
    s[k, _G], s[k, _G + 1], s[k, _G + 2] = zx, zy, zz
    hx, hy, hz = _times(s, k, _C, zx, zy, zz)
    # A' −= B' H⁻¹ B'ᵀ, B_p += B' H⁻¹ S, f_p += f' − B' H⁻¹ z
    f = (fx, fy, fz)
    for row in range(3):
        bx, by, bz = s[k, _B + 3 * row], s[k, _B + 3 * row + 1], s[k, _B + 3 * row + 2]
        s[p, _F + row] += f[row] - bx * hx - by * hy - bz * hz
        qx, qy, qz = _times(s, k, _C, bx, by, bz)
        for column in range(row, 3):
            loss = (
                qx * s[k, _B + 3 * column]
                + qy * s[k, _B + 3 * column + 1]
                + qz * s[k, _B + 3 * column + 2]
            )
            place = _A + (row if row == column else row + column + 2)
            s[p, place] += s[k, place] - loss
        qx, qy, qz = _joint_times(stiff, tx, ty, tz, qx, qy, qz)
        s[p, _B + 3 * row] += qx
        s[p, _B + 3 * row + 1] += qy
        s[p, _B + 3 * row + 2] += qz
    # g_p += w + S H⁻¹ z, C_p += S − S H⁻¹ S
    hx, hy, hz = _joint_times(stiff, tx, ty, tz, hx, hy, hz)
    s[p, _G] += wx + hx
    s[p, _G + 1] += wy + hy
    s[p, _G + 2] += wz + hz
    t = (tx, ty, tz)
    for row in range(3):
        unit = (1.0 if row == 0 else 0.0, 1.0 if row == 1 else 0.0, 1.0 if row == 2 else 0.0)
        qx, qy, qz = _joint_times(stiff, tx, ty, tz, unit[0], unit[1], unit[2])
        qx, qy, qz = _times(s, k, _C, qx, qy, qz)
        qx, qy, qz = _joint_times(stiff, tx, ty, tz, qx, qy, qz)
        q = (qx, qy, qz)
        for column in range(row, 3):
            whole = stiff * unit[column] + extra * t[row] * t[column]
            place = _C + (row if row == column else row + column + 2)
            s[p, place] += whole - q[column]


@inline
def _bend(s, parent, reach, stiffness, damping_time, factor, h, first_pass):
    """Solve for the turns of all branches and move the nodes by them."""
    count = parent.shape[0]
    for k in range(count):
        mass = s[k, 61]
        for m in range(_A, _S + 4):
            s[k, m] = 0.0
        for a in range(3):
            s[k, _A + a] = mass
        p = parent[k]
        if p < 0:
            continue
        loss = h * damping_time[k] * stiffness[k] * factor
        stiff = h * h * stiffness[k] * factor + loss
        s[k, _S] = stiff
        length = 0.0
        for a in range(3):
            s[k, _D + a] = s[k, a] - s[p, a]
            length += s[k, _D + a] * s[k, _D + a]
            torque = stiff * s[k, 14 + a] - loss * s[k, 17 + a]
            s[k, _S + 1 + a] = torque - (0.0 if first_pass else s[k, 20 + a])
            s[k, 20 + a] = torque
        length = math.sqrt(length)
        grow = reach[k] / length if length > 0.0 else 1.0
        for a in range(3):
            s[k, _E + a] = (grow - 1.0) * s[k, _D + a]
            s[k, _D + a] *= grow
    for k in range(count - 1, -1, -1):
        if parent[k] >= 0:
            _hand_inward(s, k, parent[k])
    for k in range(count):
        p = parent[k]
        if p < 0:
            _move_root(s, k)
            continue
        # θ = H⁻¹ (z + S θ_p − B'ᵀ u_p)
        size = math.sqrt(s[k, _D] ** 2 + s[k, _D + 1] ** 2 + s[k, _D + 2] ** 2)
        f = 1.0 / size if size > 0.0 else 0.0
        tx, ty, tz = f * s[k, _D], f * s[k, _D + 1], f * s[k, _D + 2]
        stiff = s[k, _S]
        vx, vy, vz = _joint_times(stiff, tx, ty, tz, s[p, _G], s[p, _G + 1], s[p, _G + 2])
        vx, vy, vz = vx + s[k, _G], vy + s[k, _G + 1], vz + s[k, _G + 2]
        for row in range(3):
            vx -= s[k, _B + 3 * row] * s[p, _F + row]
            vy -= s[k, _B + 3 * row + 1] * s[p, _F + row]
            vz -= s[k, _B + 3 * row + 2] * s[p, _F + row]
        vx, vy, vz = _times(s, k, _C, vx, vy, vz)
        s[k, _G], s[k, _G + 1], s[k, _G + 2] = vx, vy, vz
        s[k, 20] += stiff * (vx - s[p, _G])
        s[k, 21] += stiff * (vy - s[p, _G + 1])
        s[k, 22] += stiff * (vz - s[p, _G + 2])
        # the branch as it was, turned and of its length
        dx, dy, dz = s[k, _D], s[k, _D + 1], s[k, _D + 2]
        nx = dx + vy * dz - vz * dy
        ny = dy + vz * dx - vx * dz
        nz = dz + vx * dy - vy * dx
        size = math.sqrt(nx * nx + ny * ny + nz * nz)
        f = reach[k] / size if size > 0.0 else 0.0
        s[k, _F] = s[p, _F] + s[k, _E] + nx - dx
        s[k, _F + 1] = s[p, _F + 1] + s[k, _E + 1] + ny - dy
        s[k, _F + 2] = s[p, _F + 2] + s[k, _E + 2] + nz - dz
        s[k, 0] = s[p, 0] + f * nx
        s[k, 1] = s[p, 1] + f * ny
        s[k, 2] = s[p, 2] + f * nz


@inline
def _move_root(s, k):
    """Move a root by u with A u = f, unless it is held. Roots turn with their pins only."""
    if s[k, 9] == 0.0:
        for a in range(3):
            s[k, _F + a] = s[k, _G + a] = 0.0
        return
    _invert(s, k, _A)
    ux, uy, uz = _times(s, k, _A, s[k, _F], s[k, _F + 1], s[k, _F + 2])
    u = (ux, uy, uz)
    for a in range(3):
        s[k, _F + a] = u[a]
        s[k, _G + a] = 0.0
        s[k, a] += u[a]


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
    _bend(s, parent, reach, stiffness, damping_time, factor, h, first_pass)
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
