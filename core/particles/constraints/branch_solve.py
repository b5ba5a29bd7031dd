"""One step of a tree of branches, solved exactly: what `branch` asks to be smallest.

A sweep from the tips to the root hands each inner branch what moving (A, B, f) and turning (C, g)
all that it carries costs; one sweep back gives the turns (Featherstone's articulated bodies with
springs in their joints).
"""

from __future__ import annotations

import numpy as np

from ...kernels.jit import inline
from ...vec3 import (
    ZERO,
    add,
    add_cross,
    add_to,
    along,
    cross,
    divide,
    dot,
    inverse_symmetric,
    length,
    load,
    move,
    scale,
    set_vec,
    store,
    sub,
    symmetric,
    symmetric_times,
    vec,
)

NODE = np.dtype(
    [
        ("first_member", np.int32),
        ("last_member", np.int32),  # the one after it
        ("parent", np.int32),  # node toward the root, −1 at a root
        ("rest", np.float64, (3,)),  # m from the parent
        ("reach", np.float64),  # m, length of that
        ("stiffness", np.float64),  # k, N·m
        ("damping_time", np.float64),  # β, s
    ],
    align=True,
)

BRANCH_SOLUTION = np.dtype(
    [
        ("place", np.float64, (3,)),  # m
        ("before", np.float64, (3,)),  # m, one step ago
        ("start", np.float64, (3,)),  # m, before the branches bend
        ("inverse_mass", np.float64),  # 1/kg, 0 for what is held
        ("mass", np.float64),  # kg
        ("frame", np.float64, (4,)),  # unit quaternion
        ("bend", np.float64, (3,)),  # r
        ("bend_before", np.float64, (3,)),  # r*
        ("torque", np.float64, (3,)),  # carried from pass to pass
        # of what it carries, with the letters of `branch`; from A to w they start from 0
        ("A", np.float64, (6,)),
        ("B", np.float64, (3, 3)),
        ("C", np.float64, (6,)),  # then H⁻¹
        ("f", np.float64, (3,)),  # then u
        ("g", np.float64, (3,)),  # then θ
        ("d", np.float64, (3,)),  # m
        ("a", np.float64, (3,)),  # m
        ("S", np.float64),
        ("w", np.float64, (3,)),
    ],
    align=True,
)
"""A node while it is solved. Symmetric matrices: see `vec3`."""

TWIST = 1e3
"""Resistance of a branch to twisting, which the frames rule out, in that to bending."""

LIMP = 1e-9
"""Least stiffness of a joint in what turning its branch costs: a keyed stiffness may be zero."""


ZERO_MATRIX = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@inline
def _inverse(m):
    """The inverse of a symmetric positive matrix; 0 where there is nothing that could be turned."""
    xx, yy, zz, xy, xz, yz = m
    determinant = xx * (yy * zz - yz * yz) + xy * (xz * yz - xy * zz) + xz * (xy * yz - xz * yy)
    return inverse_symmetric(m, 1.0) if determinant > 0.0 else ZERO_MATRIX


@inline
def _joint_times(stiff, t, v):
    """S v = s (v + (T − 1) t (t·v)) with t the branch's direction: bending soft, twisting hard."""
    return scale(stiff, along(v, (TWIST - 1.0) * dot(t, v), t))


@inline
def _place(row, column):
    """Where a symmetric matrix has an entry of its upper half."""
    return row if row == column else row + column + 2


@inline
def _unit(axis):
    """The vector along an axis."""
    return (1.0 if axis == 0 else 0.0, 1.0 if axis == 1 else 0.0, 1.0 if axis == 2 else 0.0)


@inline
def _add_half_turned(d, a, b):
    """Add half of A X to B: its rows are d × the rows of A."""
    for row in range(3):
        move(b, row, scale(0.5, cross(d, symmetric_times(a, _unit(row)))))


@inline
def _add_turning(d, b, c):
    """C + Xᵀ B + Bᵀ X: column j of Xᵀ B is d × (column j of B)."""
    for column in range(3):
        x, y, z = cross(d, (b[0, column], b[1, column], b[2, column]))
        if column == 0:
            c[0] += 2.0 * x
            c[3] += y
            c[4] += z
        elif column == 1:
            c[3] += x
            c[1] += 2.0 * y
            c[5] += z
        else:
            c[4] += x
            c[5] += y
            c[2] += 2.0 * z


@inline
def _hand_inward(row, outer):
    """Eliminate the turn of a branch: add what it and all it carries cost to its parent's."""
    d, stretch = vec(row["d"]), vec(row["a"])
    a, b, c = symmetric(row["A"]), row["B"], row["C"]
    # f' = f − A a, g' = g + d × f' − Bᵀ a
    f = sub(vec(row["f"]), symmetric_times(a, stretch))
    z = add_cross(vec(row["g"]), d, f)
    for k in range(3):
        z = along(z, -stretch[k], load(b, k))
    # C' = C + Xᵀ B + Bᵀ X + Xᵀ A X and B' = B + A X, X θ = θ × d; with Y = B + A X/2 that is
    # C' = C + Xᵀ Y + Yᵀ X
    _add_half_turned(d, a, b)
    _add_turning(d, b, c)
    _add_half_turned(d, a, b)
    # H = C' + S
    size = length(d)
    stiff = max(row["S"], LIMP * size * size * (a[0] + a[1] + a[2]))
    row["S"] = stiff
    t = divide(d, size) if size > 0.0 else ZERO
    extra = stiff * (TWIST - 1.0)
    c[0] += stiff + extra * t[0] * t[0]
    c[1] += stiff + extra * t[1] * t[1]
    c[2] += stiff + extra * t[2] * t[2]
    c[3] += extra * t[0] * t[1]
    c[4] += extra * t[0] * t[2]
    c[5] += extra * t[1] * t[2]
    inverse = _inverse(symmetric(c))
    for k in range(6):
        c[k] = inverse[k]
    # z = g' − w, kept in the place of g for the way back
    w = vec(row["w"])
    z = sub(z, w)
    set_vec(row["g"], z)
    h = symmetric_times(inverse, z)
    # A' −= B' H⁻¹ B'ᵀ, B_p += B' H⁻¹ S, f_p += f' − B' H⁻¹ z
    for k in range(3):
        outer["f"][k] += f[k] - b[k, 0] * h[0] - b[k, 1] * h[1] - b[k, 2] * h[2]
        q = symmetric_times(inverse, load(b, k))
        for column in range(k, 3):
            place = _place(k, column)
            outer["A"][place] += a[place] - dot(q, load(b, column))
        move(outer["B"], k, _joint_times(stiff, t, q))
    # g_p += w + S H⁻¹ z, C_p += S − S H⁻¹ S
    add_to(outer["g"], add(w, _joint_times(stiff, t, h)))
    for k in range(3):
        unit = _unit(k)
        q = symmetric_times(inverse, _joint_times(stiff, t, unit))
        q = _joint_times(stiff, t, q)
        for column in range(k, 3):
            whole = stiff * unit[column] + extra * t[k] * t[column]
            outer["C"][_place(k, column)] += whole - q[column]


@inline
def toward_root(nodes, k):
    """The parent of node k, any node at a root."""
    return max(nodes[k]["parent"], 0)


@inline
def from_parent(s, nodes, k):
    """From its parent to node k, m; anything at a root."""
    return sub(vec(s[k]["place"]), vec(s[toward_root(nodes, k)]["place"]))


@inline
def _set_up(s, nodes, k, factor, h, first_pass):
    """What a branch costs without what it carries."""
    row, node = s[k], nodes[k]
    for i in range(6):
        row["A"][i] = row["mass"] if i < 3 else 0.0
        row["C"][i] = 0.0
    for i in range(3):
        store(row["B"], i, ZERO)
    set_vec(row["f"], ZERO)
    set_vec(row["g"], ZERO)
    set_vec(row["d"], ZERO)
    set_vec(row["a"], ZERO)
    set_vec(row["w"], ZERO)
    row["S"] = 0.0
    if node["parent"] < 0:
        return
    loss = h * node["damping_time"] * node["stiffness"] * factor
    stiff = h * h * node["stiffness"] * factor + loss
    row["S"] = stiff
    torque = sub(scale(stiff, vec(row["bend"])), scale(loss, vec(row["bend_before"])))
    set_vec(row["w"], sub(torque, ZERO if first_pass else vec(row["torque"])))
    set_vec(row["torque"], torque)
    d = from_parent(s, nodes, k)
    size = length(d)
    grow = node["reach"] / size if size > 0.0 else 1.0
    set_vec(row["a"], scale(grow - 1.0, d))
    set_vec(row["d"], scale(grow, d))


@inline
def _hand_outward(row, outer, reach):
    """Turn a branch as its parent's turn asks, and move its node."""
    # θ = H⁻¹ (z + S θ_p − B'ᵀ u_p)
    d = vec(row["d"])
    size = length(d)
    t = scale(1.0 / size if size > 0.0 else 0.0, d)
    v = add(_joint_times(row["S"], t, vec(outer["g"])), vec(row["g"]))
    for k in range(3):
        v = along(v, -outer["f"][k], load(row["B"], k))
    v = symmetric_times(symmetric(row["C"]), v)
    set_vec(row["g"], v)
    add_to(row["torque"], scale(row["S"], sub(v, vec(outer["g"]))))
    n = add_cross(d, v, d)  # the branch as it was, turned and of its length
    size = length(n)
    f = reach / size if size > 0.0 else 0.0
    set_vec(row["f"], sub(add(add(vec(outer["f"]), vec(row["a"])), n), d))
    set_vec(row["place"], along(vec(outer["place"]), f, n))


@inline
def bend(s, nodes, factor, h, first_pass):
    """Solve for the turns of all branches and move the nodes by them."""
    count = nodes.shape[0]
    for k in range(count):
        _set_up(s, nodes, k, factor, h, first_pass)
    for k in range(count - 1, -1, -1):
        if nodes[k]["parent"] >= 0:
            _hand_inward(s[k], s[nodes[k]["parent"]])
    for k in range(count):
        if nodes[k]["parent"] < 0:
            _move_root(s[k])
        else:
            _hand_outward(s[k], s[nodes[k]["parent"]], nodes[k]["reach"])


@inline
def _move_root(row):
    """Move a root by u with A u = f, unless it is held. Roots turn with their pins only."""
    u = ZERO
    if row["inverse_mass"] > 0.0:
        u = symmetric_times(_inverse(symmetric(row["A"])), vec(row["f"]))
        add_to(row["place"], u)
    set_vec(row["f"], u)
    set_vec(row["g"], ZERO)
