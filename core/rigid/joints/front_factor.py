"""L D Lᵀ of the joints of a large component by fronts (multifrontal: Duff & Reid 1983; Liu 1992).

`joint_fronts` says what lies where. Each front gathers what its pivots couple and what its children
hand on, eliminates its pivots, all of it densely, and hands on the update of its border.
"""

from __future__ import annotations

from ...kernels.jit import lean, lean_inline
from ...vec3 import load


@lean
def factor_fronts(joints, owners, c):
    """The factor of component c for the rows that are met now, in place."""
    fronts = joints.fronts
    for f in range(joints.component[c]["first_front"], joints.component[c + 1]["first_front"]):
        front, after = fronts.front[f], fronts.front[f + 1]
        pivots = after["first_pivot"] - front["first_pivot"]
        edges = after["border_at"] - front["border_at"]
        front["is_active"] = _is_active(joints, owners, f)
        if front["is_active"] == 0:
            continue
        _gather(joints, owners, f, pivots, edges)
        _eliminate(fronts, front, pivots, edges)
        made, down = front["made_at"], front["update_at"]
        if down < made:
            for n in range(edges * edges):
                fronts.update[down + n] = fronts.update[made + n]


@lean_inline
def _is_active(joints, owners, f):
    """1 where anything in a front acts on anything else: not where all sleep or have come loose."""
    fronts = joints.fronts
    for n in range(fronts.front[f]["coupling_at"], fronts.front[f + 1]["coupling_at"]):
        if _is_coupled(joints, owners, fronts.coupling[n]):
            return 1
    child = fronts.front[f]["first_child"]
    while child >= 0:
        if fronts.front[child]["is_active"] == 1:
            return 1
        child = fronts.front[child]["next_child"]
    return 0


@lean_inline
def _is_coupled(joints, owners, coupling):
    """Whether a joint moves a body of its."""
    joint = joints.joint[coupling["joint"]]
    return joint["met_count"] > 0 and owners.inverse_mass[joint["body"][coupling["side"]]] > 0.0


@lean_inline
def _gather(joints, owners, f, pivots, edges):
    """Sum up a front: what its pivots couple, and what its children hand on."""
    fronts = joints.fronts
    local, border = fronts.local, fronts.border
    front, after = fronts.front[f], fronts.front[f + 1]
    at, made, width = front["value_at"], front["made_at"], pivots + edges
    for n in range(at, at + pivots * width):
        fronts.value[n] = 0.0
    for n in range(made, made + edges * edges):
        fronts.update[n] = 0.0
    first = front["first_pivot"]
    for k in range(pivots):
        local[first + k] = k
    for k in range(edges):
        local[border[front["border_at"] + k]] = pivots + k
    for n in range(front["first_variable"], after["first_variable"]):
        name, row = fronts.variable[n]["name"], fronts.variable[n]["row"]
        d = at + (row - first) * (width + 1)
        if name >= 0:
            _write_body(joints, owners, name, row, d, width)
        else:
            _write_joint(joints, -1 - name, row, d, width)
    for n in range(front["coupling_at"], after["coupling_at"]):
        if _is_coupled(joints, owners, fronts.coupling[n]):
            _write_coupling(joints, fronts.coupling[n], at, width)
    child = front["first_child"]
    while child >= 0:
        if fronts.front[child]["is_active"] == 1:
            _extend_add(fronts, child, at, made, pivots, edges)
        child = fronts.front[child]["next_child"]


@lean_inline
def _write_body(joints, owners, o, row, d, width):
    """Mass and inertia of a body, of which it is known what turns it: I = (I⁻¹)⁻¹."""
    value, least = joints.fronts.value, joints.fronts.least
    w = owners.inverse_mass[o]
    mass = 1.0 / w if w > 0.0 else 1.0
    for k in range(3):
        value[d + k * (width + 1)] = mass
        least[row + k] = mass
    d += 3 * (width + 1)
    if w == 0.0:
        for k in range(3):
            value[d + k * (width + 1)] = 1.0
            least[row + 3 + k] = 1.0
        return
    extra = owners.extra_inertia[o]
    x, y, z = load(owners.inertia, o)
    x, y, z = x + extra, y + extra, z + extra
    r = owners.rotation[o]
    for i in range(3):
        for k in range(i, 3):
            total = r[i, 0] * x * r[k, 0] + r[i, 1] * y * r[k, 1] + r[i, 2] * z * r[k, 2]
            value[d + i * width + k] = total
        least[row + 3 + i] = min(min(x, y), z)


@lean_inline
def _write_joint(joints, j, at, d, width):
    """−C of the rows that are met; −1 of others, which touch nothing."""
    first = joints.joint[j]["first_row"]
    for k in range(joints.joint[j + 1]["first_row"] - first):
        row = joints.row[first + k]
        soft = row["softness"] + row["shift"] if row["is_active"] == 1 else 1.0
        joints.fronts.value[d + k * (width + 1)] = -soft
        joints.fronts.least[at + k] = -soft


@lean_inline
def _write_coupling(joints, coupling, at, width):
    """J of a joint's rows that are met, on one of its bodies."""
    fronts = joints.fronts
    a, b = fronts.local[coupling["joint_row"]], fronts.local[coupling["body_row"]]
    down, across = (width, 1) if a < b else (1, width)
    corner = at + a * down + b * across
    sign = 1.0 if coupling["side"] == 1 else -1.0
    joint = joints.joint[coupling["joint"]]
    first = joint["first_row"]
    for k in range(first, first + joint["met_count"]):
        axis = joints.axis[joints.met[k]]
        line = corner + (joints.met[k] - first) * down
        for m in range(3):
            fronts.value[line + m * across] = sign * axis["line"][m]
            turn = axis["torque"][coupling["side"], m]
            fronts.value[line + (3 + m) * across] = sign * turn


@lean_inline
def _extend_add(fronts, child, at, made, pivots, edges):
    """Add what a child hands on: its border are pivots or border here, in the same order."""
    local, border = fronts.local, fronts.border
    first = fronts.front[child]["border_at"]
    count = fronts.front[child + 1]["border_at"] - first
    source = fronts.front[child]["update_at"]
    for n in range(count):
        i = local[border[first + n]]
        line = source + n * count
        if i < pivots:
            base = at + i * (pivots + edges)
            for m in range(n, count):
                fronts.value[base + local[border[first + m]]] += fronts.update[line + m]
        else:
            base = made + (i - pivots) * edges - pivots
            for m in range(n, count):
                fronts.update[base + local[border[first + m]]] += fronts.update[line + m]


@lean
def _eliminate(fronts, front, pivots, edges):
    """D Lᵀ of the pivots (rows from ``at`` on), and what is left of the border (from ``made`` on).

    Six, three or one at a time: numbers then stay in registers, and bodies and joints have so many
    rows.
    """
    value, update, least = fronts.value, fronts.update, fronts.least
    at, made, first = front["value_at"], front["made_at"], front["first_pivot"]
    width = pivots + edges
    k = 0
    while k < pivots:
        group = 6 if pivots - k >= 6 else 3 if pivots - k >= 3 else 1
        d = at + k * (width + 1)
        for u in range(group):
            own = d + u * (width + 1)
            floor = least[first + k + u]
            left = max(value[own], floor) if floor > 0.0 else min(value[own], floor)
            value[own] = 1.0 / left
            for i in range(1, group - u):
                n = width - k - u - i
                _subtract_one(value, own + i * (width + 1), value, own + i, own, n)
        for i in range(k + group, pivots):
            n, target, source = width - i, at + i * (width + 1), d + i - k
            _subtract_rows(value, target, value, source, d, width, n, group)
        for i in range(edges):
            n, target, source = edges - i, made + i * (edges + 1), d + pivots + i - k
            _subtract_rows(update, target, value, source, d, width, n, group)
        k += group


@lean_inline
def _subtract_rows(target, t, value, s, d, width, n, group):
    """Target row −= Lᵢₖ D Lᵀₖ for ``group`` pivots k from d on, n values; s: the first of those."""
    if group == 6:
        subtract_six(target, t, value, s, d, width, n)
    elif group == 3:
        _subtract_three(target, t, value, s, d, width, n)
    else:
        _subtract_one(target, t, value, s, d, n)


@lean
def _subtract_one(target, t, value, s, d, n):
    f = value[s] * value[d]
    row, a = target[t : t + n], value[s : s + n]
    for k in range(n):
        row[k] -= f * a[k]


@lean
def _subtract_three(target, t, value, s, d, width, n):
    u, v = s + width, s + 2 * width
    f = value[s] * value[d]
    g = value[u] * value[d + width + 1]
    h = value[v] * value[d + 2 * width + 2]
    row, a, b, c = target[t : t + n], value[s : s + n], value[u : u + n], value[v : v + n]
    for k in range(n):
        row[k] -= f * a[k] + g * b[k] + h * c[k]


@lean
def subtract_six(target, t, value, s, d, width, n):
    """Target row from t on −= Lᵢ D Lᵀ for the six pivots from d on of ``value``, n numbers wide.

    width: of a row of value; s: the first of its numbers that count.
    """
    s1, s2, s3 = s + width, s + 2 * width, s + 3 * width
    s4, s5 = s + 4 * width, s + 5 * width
    f0, f1 = value[s] * value[d], value[s1] * value[d + width + 1]
    f2, f3 = value[s2] * value[d + 2 * width + 2], value[s3] * value[d + 3 * width + 3]
    f4, f5 = value[s4] * value[d + 4 * width + 4], value[s5] * value[d + 5 * width + 5]
    row = target[t : t + n]
    a0, a1, a2 = value[s : s + n], value[s1 : s1 + n], value[s2 : s2 + n]
    a3, a4, a5 = value[s3 : s3 + n], value[s4 : s4 + n], value[s5 : s5 + n]
    for k in range(n):
        row[k] -= f0 * a0[k] + f1 * a1[k] + f2 * a2[k] + f3 * a3[k] + f4 * a4[k] + f5 * a5[k]


@lean_inline
def clear_solution(joints, c):
    """Zeros for a right side of component c."""
    front = joints.fronts.front
    first, last = joints.component[c]["first_front"], joints.component[c + 1]["first_front"]
    for n in range(front[first]["first_pivot"], front[last]["first_pivot"]):
        joints.fronts.solution[n] = 0.0


@lean
def solve_fronts(joints, c):
    """L D Lᵀ x = solution of component c, in place."""
    fronts = joints.fronts
    first, last = joints.component[c]["first_front"], joints.component[c + 1]["first_front"]
    for f in range(first, last):
        if fronts.front[f]["is_active"] == 1:
            _solve_forward(fronts, fronts.front[f], fronts.front[f + 1])
    for f in range(last - 1, first - 1, -1):
        if fronts.front[f]["is_active"] == 1:
            _solve_back(fronts, fronts.front[f], fronts.front[f + 1])


@lean_inline
def _solve_forward(fronts, front, after):
    """Pivots of a front in L, and what they do to its border; then D."""
    value, x, border = fronts.value, fronts.solution, fronts.border
    first, edge, at = front["first_pivot"], front["border_at"], front["value_at"]
    pivots, edges = after["first_pivot"] - first, after["border_at"] - edge
    width = pivots + edges
    row = fronts.gathered
    for k in range(pivots):
        row[k] = x[first + k]
    for k in range(pivots, width):
        row[k] = 0.0
    for k in range(pivots):
        d = at + k * (width + 1)
        t = row[k] * value[d]
        x[first + k] = t
        n = width - k - 1
        rest, line = row[k + 1 : width], value[d + 1 : d + 1 + n]
        for m in range(n):
            rest[m] -= t * line[m]
    for k in range(edges):
        x[border[edge + k]] += row[pivots + k]


@lean_inline
def _solve_back(fronts, front, after):
    """Pivots of a front in Lᵀ."""
    value, x, border = fronts.value, fronts.solution, fronts.border
    first, edge, at = front["first_pivot"], front["border_at"], front["value_at"]
    pivots, edges = after["first_pivot"] - first, after["border_at"] - edge
    width = pivots + edges
    row = fronts.gathered
    for k in range(edges):
        row[pivots + k] = x[border[edge + k]]
    for k in range(pivots - 1, -1, -1):
        d = at + k * (width + 1)
        n = width - k - 1
        rest, line = row[k + 1 : width], value[d + 1 : d + 1 + n]
        a, b, e, g = 0.0, 0.0, 0.0, 0.0
        for m in range(n // 4):
            a += rest[4 * m] * line[4 * m]
            b += rest[4 * m + 1] * line[4 * m + 1]
            e += rest[4 * m + 2] * line[4 * m + 2]
            g += rest[4 * m + 3] * line[4 * m + 3]
        for m in range(4 * (n // 4), n):
            a += rest[m] * line[m]
        row[k] = x[first + k] - value[d] * ((a + b) + (e + g))
        x[first + k] = row[k]
