"""J M⁻¹ Jᵀ of all joints of a component by blocks, and its factor L Lᵀ.

`joint_graph` says which blocks there are. The matrix depends on where bodies are and is summed up
once for that; the factor also on which rows are met and how soft they are, and is made again when
that changes. So the end of a substep and the beginning of the next one share both. Large components
have fronts in place of blocks (`front_factor`).

Loops can make rows depend on each other, and limits can ask for what cannot be. `DIAGONAL_SHIFT` of
the diagonal is therefore added to it: each row gives way by that share of its impulse.
"""

from __future__ import annotations

import math

from ...kernels.jit import lean, lean_inline
from ...model.joint_table import POINT
from ...vec3 import cross, dot, dot2, load, scale, vec
from .block_factor import (
    divide,
    factorise_block,
    pass_back,
    pass_on,
    substitute_back,
    substitute_forward,
    subtract,
)
from .front_factor import clear_solution, factor_fronts, solve_fronts
from .joint_rows import DRIVEN, HELD, mobility

DIAGONAL_SHIFT = 1e-5
"""Share of the diagonal by which rows give way."""

STALE, SUMMED, FACTORED = range(3)
"""How much of a component's matrix is known."""

INACTIVE = -1.0
"""In place of the softness of a row that is not met."""


@lean
def forget_matrices(joints):
    """Bodies have moved, or joints have broken: all matrices are to be made again."""
    for c in range(joints.component.shape[0] - 1):
        joints.component[c]["state"] = STALE


@lean_inline
def has_fronts(joints, c):
    """Whether a component is solved by fronts."""
    return joints.component[c]["first_front"] < joints.component[c + 1]["first_front"]


@lean_inline
def ready_factor(joints, owners, c):
    """Have the factor of a component for the rows that are met now."""
    component = joints.component[c]
    if component["state"] == FACTORED and _is_factor_of_now(joints, c):
        return
    if has_fronts(joints, c):
        _meet_by_fronts(joints, owners, c)
        factor_fronts(joints, owners, c)
    else:
        if component["lets_go"] == 0:
            _sum_up(joints, owners, c, joints.factor)
            _meet_all(joints, c)
        else:
            if component["state"] == STALE:
                _sum_up(joints, owners, c, joints.matrix)
                component["state"] = SUMMED
            _meet(joints, c)
            _soften(joints, c)
        _factorise(joints, c)
    component["state"] = FACTORED


@lean_inline
def factor_certain(joints, owners, c, is_careful):
    """Have the factor of a component for what holds for certain: not motors, nor friction.

    Of limits those that hold now, or none where that is_careful.
    """
    component = joints.component[c]
    if component["lets_go"] == 1:
        for n in range(component["first_joint"], joints.component[c + 1]["first_joint"]):
            j = joints.order[n]["joint"]
            for r in range(joints.joint[j]["first_row"], joints.joint[j + 1]["first_row"]):
                row = joints.row[r]
                if row["mode"] != HELD and (is_careful or row["mode"] == DRIVEN):
                    row["is_active"] = 0
    ready_factor(joints, owners, c)


@lean_inline
def _is_factor_of_now(joints, c):
    component = joints.component[c]
    if component["lets_go"] == 0:
        return True
    for n in range(component["first_joint"], joints.component[c + 1]["first_joint"]):
        j = joints.order[n]["joint"]
        for r in range(joints.joint[j]["first_row"], joints.joint[j + 1]["first_row"]):
            row = joints.row[r]
            softness = row["softness"] if row["is_active"] == 1 else INACTIVE
            if row["factor_softness"] != softness:
                return False
    return True


@lean_inline
def _sum_up(joints, owners, c, matrix):
    """J M⁻¹ Jᵀ of all rows of live joints; of diagonal blocks the lower half counts."""
    component, after = joints.component[c], joints.component[c + 1]
    first = joints.order[component["first_joint"]]["first_block"]
    last = joints.order[after["first_joint"]]["first_block"]
    for n in range(joints.block[first]["matrix_at"], joints.block[last]["matrix_at"]):
        matrix[n] = 0.0
    for n in range(component["first_term"], after["first_term"]):
        term = joints.term[n]
        row_joint, column_joint = joints.joint[term["joint"][0]], joints.joint[term["joint"][1]]
        w = owners.inverse_mass[term["body"]]
        if w == 0.0 or row_joint["is_live"] == 0 or column_joint["is_live"] == 0:
            continue
        if row_joint["place_form"] == POINT and column_joint["place_form"] == POINT:
            _add_term_of_points(joints, matrix, term, w)
        else:
            _add_term(joints, matrix, term, w)


@lean_inline
def _add_term(joints, matrix, term, w):
    """What one joint does to rows of another one through a body of inverse mass w."""
    side_i, side_j = term["side"][0], term["side"][1]
    sign = 1.0 if side_i == side_j else -1.0
    i, width = term["joint"][0], term["width"]
    first_i, first_j = term["row"][0], term["row"][1]
    for k in range(width):
        axis = joints.axis[first_j + k]
        line, turn = scale(w * sign, vec(axis["line"])), scale(sign, load(axis["turn"], side_j))
        is_same = i == term["joint"][1]
        for m in range(k if is_same else 0, joints.joint[i + 1]["first_row"] - first_i):
            other = joints.axis[first_i + m]
            torque = load(other["torque"], side_i)
            matrix[term["at"] + m * width + k] += dot2(line, vec(other["line"]), turn, torque)


@lean_inline
def _add_term_of_points(joints, matrix, term, w):
    """The same of two joints that hold points: three rows along the axes of the world, then turns.

    The torque of row k about the arm r is r × e_k, whose product with t is (t × r)_k.
    """
    side_i, side_j = term["side"][0], term["side"][1]
    sign = 1.0 if side_i == side_j else -1.0
    i, at, width = term["joint"][0], term["at"], term["width"]
    first_i, first_j = term["row"][0], term["row"][1]
    arm = scale(sign, load(joints.place[i]["arm"], side_i))
    height = joints.joint[i + 1]["first_row"] - first_i
    for k in range(3):
        matrix[at + k * width + k] += w * sign
    for k in range(width):
        turn = load(joints.axis[first_j + k]["turn"], side_j)
        lever = cross(turn, arm)
        matrix[at + k] += lever[0]
        matrix[at + width + k] += lever[1]
        matrix[at + 2 * width + k] += lever[2]
        for m in range(3, height):
            torque = load(joints.axis[first_i + m]["torque"], side_i)
            matrix[at + m * width + k] += sign * dot(turn, torque)


@lean_inline
def _meet_by_fronts(joints, owners, c):
    """List the rows that are met of a component that has fronts."""
    component = joints.component[c]
    for n in range(component["first_joint"], joints.component[c + 1]["first_joint"]):
        j = joints.order[n]["joint"]
        joint = joints.joint[j]
        first = joint["first_row"]
        count = 0
        for r in range(first, joints.joint[j + 1]["first_row"]):
            row = joints.row[r]
            if component["state"] == STALE:
                p, q = joint["body"][0], joint["body"][1]
                row["diagonal"] = mobility(joints, r, owners, p, q)
            if component["lets_go"] == 0:
                row["is_active"] = joint["is_live"]
            count += _meet_row(joints, r, first + count)
        joint["met_count"] = count


@lean_inline
def _meet_row(joints, r, place):
    """Put a row at a place of the list, or leave it where nothing can push it; 1 if it is met."""
    row = joints.row[r]
    if row["is_active"] == 1 and row["diagonal"] > 0.0:
        row["factor_softness"] = row["softness"]
        row["shift"] = DIAGONAL_SHIFT * row["diagonal"]
        joints.met[place] = r
        return 1
    row["is_active"] = 0
    row["factor_softness"] = INACTIVE
    return 0


@lean_inline
def _meet_all(joints, c):
    """The same as `_meet` and `_soften` where nothing lets go: whole joints are met, or none."""
    factor = joints.factor
    first, last = joints.component[c]["first_joint"], joints.component[c + 1]["first_joint"]
    for n in range(first, last):
        j = joints.order[n]["joint"]
        joint = joints.joint[j]
        r = joint["first_row"]
        size = joints.joint[j + 1]["first_row"] - r
        joint["met_count"] = size if joint["is_live"] == 1 else 0
        d = joints.block[joints.order[n]["first_block"]]["matrix_at"]
        for k in range(joint["met_count"]):
            own = factor[d + k * size + k]
            joints.met[r + k] = r + k
            joints.row[r + k]["shift"] = DIAGONAL_SHIFT * own
            # what nothing can push is left: 1/√∞
            factor[d + k * size + k] = own + DIAGONAL_SHIFT * own if own > 0.0 else math.inf
    for n in range(first, last):
        width = joints.joint[joints.order[n]["joint"]]["met_count"]
        for b in range(joints.order[n]["first_block"], joints.order[n + 1]["first_block"]):
            block = joints.block[b]
            block["factor_at"] = block["matrix_at"]
            block["factor_end"] = (
                block["matrix_at"] + joints.joint[block["joint"]]["met_count"] * width
            )


@lean_inline
def _meet(joints, c):
    """List the rows that are met, joint by joint, and lay their blocks of the factor out."""
    first, last = joints.component[c]["first_joint"], joints.component[c + 1]["first_joint"]
    for n in range(first, last):
        j = joints.order[n]["joint"]
        r = joints.joint[j]["first_row"]
        size = joints.joint[j + 1]["first_row"] - r
        d = joints.block[joints.order[n]["first_block"]]["matrix_at"]
        count = 0
        for k in range(size):
            row = joints.row[r + k]
            row["diagonal"] = joints.matrix[d + k * size + k]
            count += _meet_row(joints, r + k, r + count)
        joints.joint[j]["met_count"] = count
    at = joints.block[joints.order[first]["first_block"]]["matrix_at"]
    for n in range(first, last):
        width = joints.joint[joints.order[n]["joint"]]["met_count"]
        for b in range(joints.order[n]["first_block"], joints.order[n + 1]["first_block"]):
            block = joints.block[b]
            block["factor_at"] = at
            at += joints.joint[block["joint"]]["met_count"] * width
            block["factor_end"] = at


@lean_inline
def _soften(joints, c):
    """The matrix of the rows that are met, with their softness, where the factor will be."""
    met, matrix, factor = joints.met, joints.matrix, joints.factor
    for n in range(joints.component[c]["first_joint"], joints.component[c + 1]["first_joint"]):
        j = joints.order[n]["joint"]
        column, width = joints.joint[j]["first_row"], joints.joint[j]["met_count"]
        size = joints.joint[j + 1]["first_row"] - column
        for b in range(joints.order[n]["first_block"], joints.order[n + 1]["first_block"]):
            block = joints.block[b]
            i = block["joint"]
            first, height = joints.joint[i]["first_row"], joints.joint[i]["met_count"]
            start, at = block["matrix_at"], block["factor_at"]
            if width == size and height == joints.joint[i + 1]["first_row"] - first:
                for k in range(block["factor_end"] - at):
                    factor[at + k] = matrix[start + k]
                continue
            for m in range(height):
                line = start + (met[first + m] - first) * size - column
                for k in range(width):
                    factor[at] = matrix[line + met[column + k]]
                    at += 1
        d = joints.block[joints.order[n]["first_block"]]["factor_at"]
        for k in range(width):
            row = joints.row[met[column + k]]
            factor[d + k * width + k] += row["softness"] + row["shift"]


@lean_inline
def _factorise(joints, c):
    """L Lᵀ in place; on its diagonal 1/L."""
    factor = joints.factor
    for n in range(joints.component[c]["first_joint"], joints.component[c + 1]["first_joint"]):
        place, after = joints.order[n], joints.order[n + 1]
        size = joints.joint[place["joint"]]["met_count"]
        d = joints.block[place["first_block"]]["factor_at"]
        factorise_block(factor, d, size)
        first, last = place["first_block"] + 1, after["first_block"]
        if first < last:
            begin, end = joints.block[first]["factor_at"], joints.block[last - 1]["factor_end"]
            divide(factor, begin, end, d, size)
        for u in range(place["first_update"], after["first_update"]):
            update = joints.update[u]
            left, right = joints.block[update["left"]], joints.block[update["right"]]
            subtract(
                factor,
                joints.block[update["target"]]["factor_at"],
                left["factor_at"],
                left["factor_end"],
                right["factor_at"],
                right["factor_end"],
                size,
            )


@lean_inline
def substitute(joints, c):
    """Solve J M⁻¹ Jᵀ x = change for the component's rows that are met, in place."""
    if has_fronts(joints, c):
        _substitute_by_fronts(joints, c)
        return
    factor, change = joints.factor, joints.change
    first, last = joints.component[c]["first_joint"], joints.component[c + 1]["first_joint"]
    for n in range(first, last):
        place, after = joints.order[n], joints.order[n + 1]
        at = joints.joint[place["joint"]]["first_row"]
        size = joints.joint[place["joint"]]["met_count"]
        d = joints.block[place["first_block"]]["factor_at"]
        substitute_forward(factor, d, change, at, size)
        for b in range(place["first_block"] + 1, after["first_block"]):
            block = joints.block[b]
            other = joints.joint[block["joint"]]
            start, height = other["first_row"], other["met_count"]
            pass_on(factor, block["factor_at"], change, at, size, start, height)
    for back in range(last - first):
        place, after = joints.order[last - 1 - back], joints.order[last - back]
        at = joints.joint[place["joint"]]["first_row"]
        size = joints.joint[place["joint"]]["met_count"]
        for b in range(place["first_block"] + 1, after["first_block"]):
            block = joints.block[b]
            other = joints.joint[block["joint"]]
            start, height = other["first_row"], other["met_count"]
            pass_back(factor, block["factor_at"], change, at, size, start, height)
        d = joints.block[place["first_block"]]["factor_at"]
        substitute_back(factor, d, change, at, size)


@lean_inline
def _substitute_by_fronts(joints, c):
    """The same by fronts, whose solution is (Δv, −Δλ)."""
    solution, joint_at, met = joints.fronts.solution, joints.fronts.joint_at, joints.met
    first, last = joints.component[c]["first_joint"], joints.component[c + 1]["first_joint"]
    clear_solution(joints, c)
    for n in range(first, last):
        j = joints.order[n]["joint"]
        row = joints.joint[j]["first_row"]
        for k in range(row, row + joints.joint[j]["met_count"]):
            solution[joint_at[j] + met[k] - row] = joints.change[k]
    solve_fronts(joints, c)
    for n in range(first, last):
        j = joints.order[n]["joint"]
        row = joints.joint[j]["first_row"]
        for k in range(row, row + joints.joint[j]["met_count"]):
            joints.change[k] = -solution[joint_at[j] + met[k] - row]
