"""Contacts of bodies made of manifolds, with what is remembered of them, and remembered again."""

from __future__ import annotations

import math
from collections import namedtuple

from ...arrays import NONE
from ...collision.contact_law import joint_friction, joint_restitution
from ...collision.kinds import CAPSULE, CYLINDER, SPHERE
from ...kernels.jit import kernel, lean, lean_inline, parallel_kernel, prange
from ...pairs import find_pair
from ...vec3 import add, column, cross, dot, load, scale, set_vec, sub, unrotate, vec
from ..owners import AWAKE
from .contact_table import DYNAMIC, NORMAL, STATIC
from .rim_contact import ON_ITS_SIDE, rim_at, rim_middle

ITEMS_AT_A_TIME = 256
"""Items that a thread fills in rows for at a time."""

_BOUNCY, _ON_RIM = 1, 2

_ContactParts = namedtuple(
    "_ContactParts",
    [
        "row", "rank",  # of its order
        "rows", "origin", "rim", "rebound", "slop",  # of `BodyContacts`
        "key", "thickness", "grown", "friction",  # of its cushions
    ],
)  # fmt: skip
"""Parts of `BodyContacts`: parallel loops take no tuples of tuples."""


@lean_inline
def _write_axes(axis, normal):
    """The normal and two directions square to it and to each other, in axis (3, 3)."""
    nx, ny, nz = normal
    if abs(nx) < 0.57735:
        f = 1.0 / math.sqrt(ny * ny + nz * nz)
        tangent = 0.0, f * nz, -f * ny
    else:
        f = 1.0 / math.sqrt(nx * nx + ny * ny)
        tangent = f * ny, -f * nx, 0.0
    set_vec(axis[0], normal)
    set_vec(axis[1], tangent)
    set_vec(axis[2], cross(normal, tangent))


@lean_inline
def _in_frame(owners, o, place):
    """A place of the world in the frame of owner o."""
    return unrotate(owners.rotation[o], sub(place, load(owners.position, o)))


@lean_inline
def _radius_at(shapes, s, normal):
    """Radius of a surface that its contact point wanders over as it rolls, 0 for all others."""
    kind = shapes.kind[s]
    if kind in (SPHERE, CAPSULE):
        return shapes.size[s, 0]
    if kind == CYLINDER and abs(dot(column(shapes.rotation_before[s], 2), normal)) < ON_ITS_SIDE:
        return shapes.size[s, 0]
    return 0.0


@lean_inline
def _overlap_of_pair(memory, first, a, b):
    """Most that remembered points of two shapes, from row ``first``, have left of their overlap.

    Infinite where none is remembered: the two meet now, with whatever overlap they have.
    """
    most = -1.0
    while _is_of(memory, first, a, b):
        most = max(most, memory[first]["overlap"])
        first += 1
    return most if most >= 0.0 else math.inf


@lean_inline
def _is_before(memory, m, a, b):
    """Whether what is remembered in row m comes before all of shapes a and b."""
    if m >= memory.shape[0]:
        return False
    shape = memory[m]["shape"]
    return shape[0] < a or (shape[0] == a and shape[1] < b)


@lean_inline
def _is_of(memory, m, a, b):
    """Whether what is remembered in row m is of shapes a and b."""
    return m < memory.shape[0] and memory[m]["shape"][0] == a and memory[m]["shape"][1] == b


@lean_inline
def _is_of_manifold(memory, m, origin):
    """Whether what is remembered in row m is of the same shapes and sub-shape as a contact."""
    shape = origin["shape"]
    return _is_of(memory, m, shape[0], shape[1]) and memory[m]["sub_shape"] == origin["sub_shape"]


@lean_inline
def _place_point(row, origin, rim, shapes, owners, on_a, on_b):
    """Anchors of a point that lies at on_a and on_b (m) of the two surfaces, in owners' frames."""
    normal = vec(row["axis"][NORMAL])
    f = _radius_at(shapes, origin["shape"][0], normal)
    g = _radius_at(shapes, origin["shape"][1], normal)
    origin["radius"][0] = f
    origin["radius"][1] = g
    anchor = origin["anchor"]
    set_vec(anchor[0], _in_frame(owners, row["owner"][0], add(on_a, scale(f, normal))))
    set_vec(anchor[1], _in_frame(owners, row["owner"][1], sub(on_b, scale(g, normal))))
    for side in range(2):
        outwards = scale(-1.0 if side == 0 else 1.0, normal)
        place = on_a if side == 0 else on_b
        rim["radius"][side] = rim_at(shapes, origin["shape"][side], outwards, place)
    if rim["radius"][0] > 0.0 and rim["radius"][1] > 0.0:  # nothing rolls on a rim
        rim["radius"][:] = 0.0
    for side in range(2):
        s, o = origin["shape"][side], row["owner"][side]
        outwards = scale(-1.0 if side == 0 else 1.0, normal)
        if rim["radius"][side] > 0.0:
            axis = column(shapes.rotation_before[s], 2)
            set_vec(anchor[side], _in_frame(owners, o, rim_middle(shapes, s, outwards)))
            set_vec(rim["axis"][side], unrotate(owners.rotation[o], axis))


@lean_inline
def _write_surface(row, origin, shapes, table, m):
    """What two surfaces make of their friction and restitution, with cloth m between them."""
    a, b = origin["shape"][0], origin["shape"][1]
    mu = joint_friction(shapes.friction[a], shapes.friction[b])
    row["friction"][DYNAMIC] = mu
    row["friction"][STATIC] = mu * max(shapes.static_friction[a], shapes.static_friction[b])
    origin["restitution"] = joint_restitution(shapes.restitution[a], shapes.restitution[b])
    row["slop"] = min(table.slop[a], table.slop[b])
    origin["skin"] = 0.0
    if m != NONE:
        row["friction"][DYNAMIC] = row["friction"][STATIC] = table.friction[m]
        origin["skin"] = table.thickness[m]


@lean_inline
def _recall(row, origin, memory, first):
    """Begin with what is remembered of a point, from row ``first`` on; whether anything is."""
    for k in range(4):
        row["impulse"][k] = 0.0
    m = first
    while _is_of_manifold(memory, m, origin):
        if memory[m]["feature"] == origin["feature"]:
            _add_remembered(row, memory[m], 1.0)
            row["old_overlap"] = memory[m]["overlap"]
            return True
        m += 1
    return False


@lean_inline
def _add_remembered(row, remembered, share):
    """Add a share of what is remembered."""
    row["impulse"][0] += share * remembered["normal_impulse"]
    friction = scale(share, vec(remembered["friction_impulse"]))
    for k in range(1, 3):
        row["impulse"][k] += dot(vec(row["axis"][k]), friction)


@lean_inline
def _is_there(origins, c, points, feature):
    """Whether one of the points of a manifold is of a feature."""
    p = 0
    while p < points and origins[c + p]["feature"] != feature:
        p += 1
    return p < points


@lean_inline
def _hand_on(table, c, points, are_new, memory, first):
    """Share out what is remembered of points that are gone among those that are new, or else all.

    Two round ends, or two faces that slide over each other, are cut elsewhere in each step: what
    one carries of the other is the same. are_new: a bit for each of the points.
    """
    takers = are_new if are_new > 0 else (1 << points) - 1
    count = 0
    for p in range(points):
        count += (takers >> p) & 1
    m = first
    while _is_of_manifold(memory, m, table.origin[c]):
        old = memory[m]
        if old["normal_impulse"] > 0.0 and not _is_there(table.origin, c, points, old["feature"]):
            for p in range(points):
                if (takers >> p) & 1:
                    _add_remembered(table.rows[c + p], old, 1.0 / count)
        m += 1


@lean_inline
def _first_remembered(memory, a, b):
    """The first row of what is remembered that does not come before all of shapes a and b."""
    low, high = 0, memory.shape[0]
    while low < high:
        middle = (low + high) // 2
        if _is_before(memory, middle, a, b):
            low = middle + 1
        else:
            high = middle
    return low


@lean
def _fill_items(first, last, item, manifolds, shapes, owners, memory, table):
    """Rows for the manifolds of items first … last − 1; whether any is `_BOUNCY` or `_ON_RIM`.

    Items and `memory` are sorted alike, by shapes and sub-shape, so one walk finds the old rows.
    """
    old = 0
    pair_a, pair_b = -1, -1
    overlap = math.inf
    m, grown = NONE, 0.0
    kinds = 0
    for n in range(first, last):
        c = table.row[n]
        if c == NONE:
            continue
        a, b = item[n]["shape"][0], item[n]["shape"][1]
        sub_shape = item[n]["sub_shape"]
        if a != pair_a or b != pair_b:
            old = old if pair_a >= 0 else _first_remembered(memory, a, b)
            pair_a, pair_b = a, b
            while _is_before(memory, old, a, b):
                old += 1
            overlap = _overlap_of_pair(memory, old, a, b)
            m = find_pair(table.key, a, b)
            grown = table.grown[m] if m != NONE else 0.0
        while _is_of(memory, old, a, b) and memory[old]["sub_shape"] < sub_shape:
            old += 1
        points = manifolds.count[n]
        are_new = 0
        for p in range(points):
            row, origin, rim = table.rows[c + p], table.origin[c + p], table.rim[c + p]
            row["points"] = points if p == 0 else 0
            row["owner"][0], row["owner"][1] = shapes.owner[a], shapes.owner[b]
            origin["shape"][0], origin["shape"][1] = a, b
            origin["sub_shape"] = sub_shape
            origin["feature"] = manifolds.feature[n, p]
            origin["rank"] = table.rank[n] + p
            _write_axes(row["axis"], load(manifolds.normal, n))
            on_a, on_b = vec(manifolds.on_a[n, p]), vec(manifolds.on_b[n, p])
            _place_point(row, origin, rim, shapes, owners, on_a, on_b)
            _write_surface(row, origin, shapes, table, m)
            row["old_overlap"] = overlap  # `aim_contacts` cuts it to what there is
            origin["drift"] = 0.0
            table.rebound[c + p]["delay"] = 0.0
            if not _recall(row, origin, memory, old):
                are_new |= 1 << p
            row["old_overlap"] = max(row["old_overlap"] + grown, 0.0)
            if origin["restitution"] > 0.0:
                kinds |= _BOUNCY
            if rim["radius"][0] > 0.0 or rim["radius"][1] > 0.0:
                kinds |= _ON_RIM
        if points > 0:
            _hand_on(table, c, points, are_new, memory, old)
    return kinds


@parallel_kernel
def fill_contacts(item, item_count, row_count, manifolds, shapes, owners, memory, contacts):
    """Rows for all manifolds, where `order_rows` wants them, with what is remembered of them.

    Two shapes of which nothing is remembered keep the overlap that they have; new points of others
    keep no more of it than those that are remembered.
    """
    order, cushions = contacts.order, contacts.cushions
    table = _ContactParts(
        order.row,
        order.rank,
        contacts.rows,
        contacts.origin,
        contacts.rim,
        contacts.rebound,
        contacts.slop,
        cushions.key,
        cushions.thickness,
        cushions.grown,
        cushions.friction,
    )
    found = order.found
    blocks = (item_count + ITEMS_AT_A_TIME - 1) // ITEMS_AT_A_TIME
    for k in prange(blocks):
        last = min((k + 1) * ITEMS_AT_A_TIME, item_count)
        found[k] = _fill_items(
            k * ITEMS_AT_A_TIME, last, item, manifolds, shapes, owners, memory, table
        )
    kinds = 0
    for k in range(blocks):
        kinds |= found[k]
    contacts.count[0] = row_count
    contacts.bouncy[0] = 1 if kinds & _BOUNCY else 0
    contacts.rims[0] = 1 if kinds & _ON_RIM else 0
    contacts.drifted[0] = 0
    contacts.swings[0] = 0


@kernel
def remember_contacts(contacts, memory):
    """Write what `fill_contacts` wants to know of these rows."""
    for c in range(contacts.count[0]):
        row, origin = contacts.rows[c], contacts.origin[c]
        known = memory[origin["rank"]]
        known["shape"][0], known["shape"][1] = origin["shape"][0], origin["shape"][1]
        known["sub_shape"] = origin["sub_shape"]
        known["feature"] = origin["feature"]
        known["normal_impulse"] = row["impulse"][0]
        known["overlap"] = row["old_overlap"]
        for k in range(3):
            known["friction_impulse"][k] = (
                row["impulse"][1] * row["axis"][1, k] + row["impulse"][2] * row["axis"][2, k]
            )


@kernel
def note_pressed(memory, pressed):
    """Count by how many other shapes each one (k,) is pressed, as far as is remembered."""
    pressed[:] = 0
    m = 0
    while m < memory.shape[0]:
        a, b = memory[m]["shape"][0], memory[m]["shape"][1]
        is_pressing = False
        while _is_of(memory, m, a, b):
            is_pressing |= memory[m]["normal_impulse"] > 0.0
            m += 1
        if is_pressing:
            pressed[a] += 1
            pressed[b] += 1


@lean_inline
def _is_after(one, other):
    """Whether what is remembered comes after something else: by shapes, then by sub-shape."""
    for k in range(2):
        if one["shape"][k] != other["shape"][k]:
            return one["shape"][k] > other["shape"][k]
    return one["sub_shape"] > other["sub_shape"]


@kernel
def part_remembered(remembered, shape_owner, owners, moving, asleep):
    """Which contacts (c,) are of what moves, and which of sleepers alone; how many of either.

    Writes their numbers to moving and asleep (c,).
    """
    m, n = 0, 0
    for c in range(remembered.shape[0]):
        a, b = shape_owner[remembered[c]["shape"][0]], shape_owner[remembered[c]["shape"][1]]
        if owners.inverse_mass[a] > 0.0 or owners.inverse_mass[b] > 0.0:
            moving[m] = c
            m += 1
        elif owners.asleep[a] != AWAKE or owners.asleep[b] != AWAKE:
            asleep[n] = c
            n += 1
    return m, n


@kernel
def merge_remembered(one, other, both):
    """Write what two sorted lists remember to ``both``, sorted as they are, that of one first."""
    m, n = 0, 0
    for c in range(both.shape[0]):
        is_of_other = m == one.shape[0]
        if not is_of_other and n < other.shape[0]:
            is_of_other = _is_after(one[m], other[n])
        if is_of_other:
            both[c] = other[n]
            n += 1
        else:
            both[c] = one[m]
            m += 1
