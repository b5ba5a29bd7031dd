"""One step of a tree of branches, solved exactly: what `branch` asks to be smallest.

A sweep from the tips to the root hands each inner branch what moving (A, B, f) and turning (C, g)
all that it carries costs; one sweep back gives the turns (Featherstone's articulated bodies with
springs in their joints).
"""

from __future__ import annotations

import math

from ..jit import inline

COLUMNS = 62
"""Numbers of scratch for each node: place (3), place before (3), place at the start (3), 1/mass,
frame (4), r (3), r* (3), torque (3), A (6), B (9), C (6) and then H⁻¹, f (3) and then u, g (3) and
then θ, d (3), a (3), S, w (3), unused, mass; symmetric matrices as xx yy zz xy xz yz."""

TWIST = 1e3
"""Resistance of a branch to twisting, which the frames rule out, in that to bending."""

LIMP = 1e-9
"""Least stiffness of a joint in what turning its branch costs: a keyed stiffness may be zero."""


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
def bend(s, parent, reach, stiffness, damping_time, factor, h, first_pass):
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
