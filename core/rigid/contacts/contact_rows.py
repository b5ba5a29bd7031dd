"""Contacts of owners as rows of a solver that remembers from step to step what held.

One row a contact point: a push along the normal and a drag in the plane of contact, solved for the
velocity of the substep (`contact_solver`) from the impulses of the substep before. With g the gap
now and h the step,

    (v_a − v_b)·n ≥ −max(g, 0)/h        never to pass through each other within the step,
    |drag| ≤ μ push                      Coulomb.

Once before bodies move, and once more where they have got to, so that x* is what holds there. What
overlaps already is parted by place alone (`position_correction`). Impulses act on both at one point
of the world, halfway between the two, so linear and angular momentum of the pair are kept to
rounding.

Generalised inverse mass (Müller et al. 2020, eq. 2; Kenwright eq. 9 put right):
w = 1/m + (r×n)ᵀ I⁻¹ (r×n).
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ...collision.kinds import CAPSULE, CYLINDER, SPHERE
from ...collision.restitution import bounce
from ...kernels.jit import lean, lean_inline, lean_kernel
from ..articulation.limb_response import forget_touch
from .uneven_islands import find_uneven

SLOP = 1e-4
"""Overlap that is left alone, as a share of the smaller shape: rows need one to stay in touch."""

USUAL_RATE = 480.0
"""Steps a second that the passes are measured for."""

SOFT_SAG = 5e-4
"""Way that gravity makes in a substep, as a share of a body's radius, that one pass is enough for:
contacts give way by as much, and a stack of small bodies would lean."""

MOST_SMALL_PASSES = 8
"""Most passes that bodies take for being small."""

MOST_POINTS = 4
"""Points of a manifold."""

ON_ITS_SIDE = 1e-2
"""Cosine between a cylinder's axis and a normal below which it rolls there."""

RESTING = 4.0
"""Contacts do not bounce that approach slower than gravity makes a body in this many steps."""

Rows = namedtuple(
    "Rows",
    [
        "owner",  # (c, 2) a and b
        "key",  # (c, 4) shape a, shape b, sub-shape, feature: what it is remembered by
        "anchor",  # (c, 2, 3) m, the two points, or what they are round about, in owners' frames
        "radius",  # (c, 2) m, 0 for a point that turns with its owner, as a corner does
        "axis",  # (c, 3, 3) normal from b to a, and two directions of drag
        "friction",  # (c, 2) dynamic, static
        "restitution",  # (c,)
        "slop",  # (c,) m
        "gap",  # (c,) m, at the start of the substep
        "old",  # (c,) m, what is left of the overlap that the two met with
        "cross",  # (c, 3, 2, 3) r × axis of a and b
        "turn",  # (c, 3, 2, 3) I⁻¹ (r × axis)
        "reply",  # (c, 3, 2, 6) velocity and spin of each of a and b by a push along axis
        "answered",  # (c,) along which axes ``reply`` is known
        "mass",  # (c,) kg, effective along the normal
        "slide",  # (c, 3) 1/kg, W₁₁, W₁₂, W₂₂ of the two tangents: see `friction_cone`
        "face",  # (c,) points of the manifold that begins here, 0 for its other points
        "couple",  # (c, 4) 1/kg, speed that a push at each point of the manifold gives to this one
        "lack",  # (c,) m/s, by which points close faster than they may
        "apart",  # (c,) m/s, least speed along the normal while overlaps are parted
        "give",  # (c,) share of its push that a row lets go
        "before",  # (c,) N·s, the push before the pass
        "impulse",  # (c, 4) N·s along each axis, and one that parts an overlap
        "free",  # (c,) how many impulses conjugate directions move: see `conjugate_contacts`
        "step",  # (c, 3) N·s, what the last sweep has changed, z
        "way",  # (c, 3) N·s, what sweep and step have changed, d
        "taken",  # (c, 3) N·s, what the step has changed
        "lacked",  # (c, 3) m/s, g before the step
        "bounce",  # (c, 2) speed after the hit in m/s, 0 for none; gap in m at the end of that step
    ],
)


def row_room(count: int) -> Rows:
    """Rows with room for ``count``."""
    return Rows(
        owner=np.zeros((count, 2), dtype=np.int32),
        key=np.zeros((count, 4), dtype=np.int32),
        anchor=np.zeros((count, 2, 3)),
        radius=np.zeros((count, 2)),
        axis=np.zeros((count, 3, 3)),
        friction=np.zeros((count, 2)),
        restitution=np.zeros(count),
        slop=np.zeros(count),
        gap=np.zeros(count),
        old=np.zeros(count),
        cross=np.zeros((count, 3, 2, 3)),
        turn=np.zeros((count, 3, 2, 3)),
        reply=np.zeros((count, 3, 2, 6)),
        answered=np.zeros(count, dtype=np.int32),
        mass=np.zeros(count),
        slide=np.zeros((count, 3)),
        face=np.zeros(count, dtype=np.int32),
        couple=np.zeros((count, MOST_POINTS)),
        lack=np.zeros(count),
        apart=np.zeros(count),
        give=np.zeros(count),
        before=np.zeros(count),
        impulse=np.zeros((count, 4)),
        free=np.zeros(count, dtype=np.int32),
        step=np.zeros((count, 3)),
        way=np.zeros((count, 3)),
        taken=np.zeros((count, 3)),
        lacked=np.zeros((count, 3)),
        bounce=np.zeros((count, 2)),
    )


@lean_inline
def _write_tangents(axis):
    """Two directions square to axis[0] and to each other, in axis[1] and axis[2]."""
    nx, ny, nz = axis[0, 0], axis[0, 1], axis[0, 2]
    if abs(nx) < 0.57735:
        f = 1.0 / math.sqrt(ny * ny + nz * nz)
        tx, ty, tz = 0.0, f * nz, -f * ny
    else:
        f = 1.0 / math.sqrt(nx * nx + ny * ny)
        tx, ty, tz = f * ny, -f * nx, 0.0
    axis[1, 0], axis[1, 1], axis[1, 2] = tx, ty, tz
    axis[2, 0] = ny * tz - nz * ty
    axis[2, 1] = nz * tx - nx * tz
    axis[2, 2] = nx * ty - ny * tx


@lean_inline
def _to_owner(owners, o, x, y, z, out):
    """A place of the world in the frame of owner o."""
    r = owners.rotation[o]
    dx = x - owners.position[o, 0]
    dy = y - owners.position[o, 1]
    dz = z - owners.position[o, 2]
    for k in range(3):
        out[k] = r[0, k] * dx + r[1, k] * dy + r[2, k] * dz


@lean_inline
def _radius_at(shapes, s, nx, ny, nz):
    """Radius of a surface that its contact point wanders over as it rolls, 0 for all others."""
    kind = shapes.kind[s]
    if kind in (SPHERE, CAPSULE):
        return shapes.size[s, 0]
    if kind == CYLINDER:
        r = shapes.rotation_before[s]
        if abs(r[0, 2] * nx + r[1, 2] * ny + r[2, 2] * nz) < ON_ITS_SIDE:
            return shapes.size[s, 0]
    return 0.0


@lean_inline
def _overlap_of_pair(key, impulse, first, count, a, b):
    """Most that remembered points of two shapes, from row ``first``, have left of their overlap.

    Infinite where none is remembered: the two meet now, with whatever overlap they have.
    """
    most = -1.0
    while first < count and key[first, 0] == a and key[first, 1] == b:
        most = max(most, impulse[first, 4])
        first += 1
    return most if most >= 0.0 else math.inf


@lean_kernel
def fill_rows(
    item,
    item_count,
    manifolds,
    shapes,
    owners,
    body_count,
    old_key,
    old_impulse,
    old_count,
    rows,
    slop_of_shape,
):
    """Rows for all manifolds, with what is remembered of them; returns how many (may be too many).

    Items and old_key are sorted alike, by shapes and sub-shape, so one walk finds the old rows.
    Friction of two surfaces is the geometric mean, restitution the larger. Two shapes of which
    nothing is remembered keep the overlap that they have; new points of others keep no more of it
    than those that are remembered.
    """
    count = 0
    old = 0
    pair_a, pair_b = -1, -1
    overlap = math.inf
    for n in range(item_count):
        points = manifolds.count[n]
        if points == 0:
            continue
        a = item[n, 0]
        b = item[n, 1]
        sub = item[n, 2]
        oa = shapes.owner[a]
        ob = shapes.owner[b]
        if oa >= body_count and ob >= body_count:
            continue
        if owners.inverse_mass[oa] == 0.0 and owners.inverse_mass[ob] == 0.0:
            continue
        if count + points > rows.gap.shape[0]:
            count += points
            continue
        if a != pair_a or b != pair_b:
            pair_a, pair_b = a, b
            while old < old_count and (
                old_key[old, 0] < a or (old_key[old, 0] == a and old_key[old, 1] < b)
            ):
                old += 1
            overlap = _overlap_of_pair(old_key, old_impulse, old, old_count, a, b)
        while (
            old < old_count
            and old_key[old, 0] == a
            and old_key[old, 1] == b
            and old_key[old, 2] < sub
        ):
            old += 1
        for p in range(points):
            c = count
            count += 1
            rows.face[c] = points if p == 0 else 0
            rows.owner[c, 0] = oa
            rows.owner[c, 1] = ob
            rows.key[c, 0] = a
            rows.key[c, 1] = b
            rows.key[c, 2] = sub
            rows.key[c, 3] = manifolds.feature[n, p]
            for k in range(3):
                rows.axis[c, 0, k] = manifolds.normal[n, k]
            _write_tangents(rows.axis[c])
            pa = manifolds.on_a[n, p]
            pb = manifolds.on_b[n, p]
            x, y, z = rows.axis[c, 0, 0], rows.axis[c, 0, 1], rows.axis[c, 0, 2]
            f = _radius_at(shapes, a, x, y, z)
            g = _radius_at(shapes, b, x, y, z)
            rows.radius[c, 0] = f
            rows.radius[c, 1] = g
            _to_owner(owners, oa, pa[0] + f * x, pa[1] + f * y, pa[2] + f * z, rows.anchor[c, 0])
            _to_owner(owners, ob, pb[0] - g * x, pb[1] - g * y, pb[2] - g * z, rows.anchor[c, 1])
            mu = math.sqrt(shapes.friction[a] * shapes.friction[b])
            rows.friction[c, 0] = mu
            rows.friction[c, 1] = mu * max(shapes.static_friction[a], shapes.static_friction[b])
            rows.restitution[c] = max(shapes.restitution[a], shapes.restitution[b])
            rows.slop[c] = min(slop_of_shape[a], slop_of_shape[b])
            rows.old[c] = overlap  # `aim_rows` cuts it to what there is
            rows.bounce[c, 0] = 0.0
            for k in range(4):
                rows.impulse[c, k] = 0.0
            m = old
            while (
                m < old_count and old_key[m, 0] == a and old_key[m, 1] == b and old_key[m, 2] == sub
            ):
                if old_key[m, 3] == rows.key[c, 3]:
                    rows.impulse[c, 0] = old_impulse[m, 0]
                    for k in range(1, 3):
                        rows.impulse[c, k] = (
                            rows.axis[c, k, 0] * old_impulse[m, 1]
                            + rows.axis[c, k, 1] * old_impulse[m, 2]
                            + rows.axis[c, k, 2] * old_impulse[m, 3]
                        )
                    rows.old[c] = old_impulse[m, 4]
                    break
                m += 1
    return count


@lean_kernel
def remember_rows(rows, count, key, impulse):
    """Write what `fill_rows` wants to know of these rows: key (c, 4), impulse (c, 5)."""
    for c in range(count):
        impulse[c, 4] = rows.old[c]
        for k in range(4):
            key[c, k] = rows.key[c, k]
        if rows.bounce[c, 0] > 0.0:  # a blow is not what holds the body in the next step
            for k in range(4):
                impulse[c, k] = 0.0
            continue
        impulse[c, 0] = rows.impulse[c, 0]
        for k in range(3):
            impulse[c, 1 + k] = (
                rows.impulse[c, 1] * rows.axis[c, 1, k] + rows.impulse[c, 2] * rows.axis[c, 2, k]
            )


@lean_inline
def contact_speed(rows, c, d, owners, a, b):
    """Speed of a relative to b along axis d at the point of contact, m/s."""
    axis = rows.axis[c, d]
    ca = rows.cross[c, d, 0]
    cb = rows.cross[c, d, 1]
    va, vb = owners.velocity[a], owners.velocity[b]
    wa, wb = owners.spin[a], owners.spin[b]
    return (
        axis[0] * (va[0] - vb[0])
        + axis[1] * (va[1] - vb[1])
        + axis[2] * (va[2] - vb[2])
        + ca[0] * wa[0]
        + ca[1] * wa[1]
        + ca[2] * wa[2]
        - cb[0] * wb[0]
        - cb[1] * wb[1]
        - cb[2] * wb[2]
    )


@lean_inline
def push_contact(rows, c, d, velocity, spin, inverse_mass, a, b, p):
    """An impulse p along axis d on a, and against it on b."""
    axis = rows.axis[c, d]
    ta = rows.turn[c, d, 0]
    tb = rows.turn[c, d, 1]
    fa = p * inverse_mass[a]
    fb = p * inverse_mass[b]
    for k in range(3):
        velocity[a, k] += fa * axis[k]
        velocity[b, k] -= fb * axis[k]
        spin[a, k] += p * ta[k]
        spin[b, k] -= p * tb[k]


@lean_inline
def slide_mobility(rows, c, side):
    """W₁₁, W₁₂, W₂₂ of the tangents by the turn of one side alone, 1/kg."""
    u, v = rows.cross[c, 1, side], rows.cross[c, 2, side]
    s, t = rows.turn[c, 1, side], rows.turn[c, 2, side]
    return (
        u[0] * s[0] + u[1] * s[1] + u[2] * s[2],
        u[0] * t[0] + u[1] * t[1] + u[2] * t[2],
        v[0] * t[0] + v[1] * t[1] + v[2] * t[2],
    )


@lean
def aim_rows(rows, count, owners):
    """Arms, effective masses and gaps where the owners are now.

    The point of contact lies halfway between the two anchors; where one surface is round it is the
    point of that one, which rolls over the other.
    """
    for c in range(count):
        rows.answered[c] = 0
        a = rows.owner[c, 0]
        b = rows.owner[c, 1]
        ra = owners.rotation[a]
        rb = owners.rotation[b]
        ax = rows.anchor[c, 0]
        bx = rows.anchor[c, 1]
        px = ra[0, 0] * ax[0] + ra[0, 1] * ax[1] + ra[0, 2] * ax[2]
        py = ra[1, 0] * ax[0] + ra[1, 1] * ax[1] + ra[1, 2] * ax[2]
        pz = ra[2, 0] * ax[0] + ra[2, 1] * ax[1] + ra[2, 2] * ax[2]
        qx = rb[0, 0] * bx[0] + rb[0, 1] * bx[1] + rb[0, 2] * bx[2]
        qy = rb[1, 0] * bx[0] + rb[1, 1] * bx[1] + rb[1, 2] * bx[2]
        qz = rb[2, 0] * bx[0] + rb[2, 1] * bx[1] + rb[2, 2] * bx[2]
        normal = rows.axis[c, 0]
        f, g = rows.radius[c, 0], rows.radius[c, 1]
        px, py, pz = px - f * normal[0], py - f * normal[1], pz - f * normal[2]
        qx, qy, qz = qx + g * normal[0], qy + g * normal[1], qz + g * normal[2]
        ex = owners.position[a, 0] - owners.position[b, 0]
        ey = owners.position[a, 1] - owners.position[b, 1]
        ez = owners.position[a, 2] - owners.position[b, 2]
        gx, gy, gz = ex + px - qx, ey + py - qy, ez + pz - qz
        rows.gap[c] = gx * normal[0] + gy * normal[1] + gz * normal[2]
        rows.old[c] = min(rows.old[c], max(-rows.gap[c], 0.0))
        share = 0.5
        if f > 0.0 and g == 0.0:
            share = 0.0
        elif g > 0.0 and f == 0.0:
            share = 1.0
        px -= share * gx
        py -= share * gy
        pz -= share * gz
        qx += (1.0 - share) * gx
        qy += (1.0 - share) * gy
        qz += (1.0 - share) * gz
        ia = owners.inverse_inertia[a]
        ib = owners.inverse_inertia[b]
        w = owners.inverse_mass[a] + owners.inverse_mass[b]
        for d in range(3):
            n = rows.axis[c, d]
            u0 = py * n[2] - pz * n[1]
            u1 = pz * n[0] - px * n[2]
            u2 = px * n[1] - py * n[0]
            v0 = qy * n[2] - qz * n[1]
            v1 = qz * n[0] - qx * n[2]
            v2 = qx * n[1] - qy * n[0]
            s0 = ia[0, 0] * u0 + ia[0, 1] * u1 + ia[0, 2] * u2
            s1 = ia[1, 0] * u0 + ia[1, 1] * u1 + ia[1, 2] * u2
            s2 = ia[2, 0] * u0 + ia[2, 1] * u1 + ia[2, 2] * u2
            t0 = ib[0, 0] * v0 + ib[0, 1] * v1 + ib[0, 2] * v2
            t1 = ib[1, 0] * v0 + ib[1, 1] * v1 + ib[1, 2] * v2
            t2 = ib[2, 0] * v0 + ib[2, 1] * v1 + ib[2, 2] * v2
            cross = rows.cross[c, d]
            cross[0, 0], cross[0, 1], cross[0, 2] = u0, u1, u2
            cross[1, 0], cross[1, 1], cross[1, 2] = v0, v1, v2
            turn = rows.turn[c, d]
            turn[0, 0], turn[0, 1], turn[0, 2] = s0, s1, s2
            turn[1, 0], turn[1, 1], turn[1, 2] = t0, t1, t2
            if d == 0:
                total = w + u0 * s0 + u1 * s1 + u2 * s2 + v0 * t0 + v1 * t1 + v2 * t2
                rows.mass[c] = 1.0 / total if total > 0.0 else 0.0
        for side in range(2):
            w11, w12, w22 = slide_mobility(rows, c, side)
            rows.slide[c, 0] = w11 if side == 0 else w + rows.slide[c, 0] + w11
            rows.slide[c, 1] = w12 if side == 0 else rows.slide[c, 1] + w12
            rows.slide[c, 2] = w22 if side == 0 else w + rows.slide[c, 2] + w22
    _couple_points(rows, count, owners)


@lean
def _couple_points(rows, count, owners):
    """What pushes at the points of one manifold do to each other's speed."""
    cross, turn, couple = rows.cross, rows.turn, rows.couple
    first = 0
    while first < count:
        n = rows.face[first]
        if n > 1:
            a = rows.owner[first, 0]
            b = rows.owner[first, 1]
            w = owners.inverse_mass[a] + owners.inverse_mass[b]
            for i in range(n):
                c = first + i
                u0, u1, u2 = cross[c, 0, 0, 0], cross[c, 0, 0, 1], cross[c, 0, 0, 2]
                v0, v1, v2 = cross[c, 0, 1, 0], cross[c, 0, 1, 1], cross[c, 0, 1, 2]
                for j in range(i + 1):
                    d = first + j
                    total = (
                        w
                        + u0 * turn[d, 0, 0, 0]
                        + u1 * turn[d, 0, 0, 1]
                        + u2 * turn[d, 0, 0, 2]
                        + v0 * turn[d, 0, 1, 0]
                        + v1 * turn[d, 0, 1, 1]
                        + v2 * turn[d, 0, 1, 2]
                    )
                    couple[c, j] = total
                    couple[d, i] = total
        first += n


@lean
def warm_rows(rows, count, owners, gravity, h):
    """Find who bounces, then start from the impulses of the substep before.

    A row bounces when it will be hit within the step, faster than `RESTING` steps of gravity make
    it. Velocities are those that bodies fly on with if nothing stops them.
    """
    resting = RESTING * h * math.sqrt(gravity[0] ** 2 + gravity[1] ** 2 + gravity[2] ** 2)
    for c in range(count):
        a = rows.owner[c, 0]
        b = rows.owner[c, 1]
        normal = rows.axis[c, 0]
        if rows.bounce[c, 0] > 0.0:  # a blow is not what holds the body in the next step
            for d in range(3):
                rows.impulse[c, d] = 0.0
        rows.bounce[c, 0] = 0.0
        if rows.restitution[c] > 0.0:
            speed = contact_speed(rows, c, 0, owners, a, b)
            if rows.gap[c] + h * speed < 0.0 and speed < -resting:
                pull = 0.0
                for k in range(3):
                    falls = 1.0 if owners.inverse_mass[a] > 0.0 else 0.0
                    falls -= 1.0 if owners.inverse_mass[b] > 0.0 else 0.0
                    pull += falls * gravity[k] * normal[k]
                before = max(rows.gap[c], 0.0)
                after, travel = bounce(before, h * speed, pull, h, rows.restitution[c])
                rows.bounce[c, 0] = max(travel, 0.0) / h
                rows.bounce[c, 1] = after
    for c in range(count):
        a = rows.owner[c, 0]
        b = rows.owner[c, 1]
        for d in range(3):
            p = rows.impulse[c, d]
            if p != 0.0:
                push_contact(rows, c, d, owners.velocity, owners.spin, owners.inverse_mass, a, b, p)


@lean_kernel
def aim_contacts(rows, count, owners, islands, joined, limbs, radius):
    """`aim_rows` right after `fill_rows`, and which islands are uneven; radius (b,) m of bodies.

    Returns the least radius of bodies that touch something and hang on no joint: infinity where
    there are none.
    """
    aim_rows(rows, count, owners)
    forget_touch(limbs)
    find_uneven(islands, rows, count, owners, joined)
    least = math.inf
    for c in range(count):
        a, b = rows.owner[c, 0], rows.owner[c, 1]
        if joined.holds[a] or joined.holds[b]:
            continue
        if owners.inverse_mass[a] > 0.0:
            least = min(least, radius[a])
        if owners.inverse_mass[b] > 0.0:
            least = min(least, radius[b])
    return least


def passes_for(radius: float, gravity: float, h: float) -> int:
    """Passes over contacts of bodies of which the least is of that radius in m.

    There are more in steps longer than usual, or heaps of hundreds go on creeping, and for small
    bodies, for which gravity (m/s²) makes a long way in a step (`SOFT_SAG`). None where all that
    touches hangs on joints: that radius is infinite.
    """
    if radius == math.inf:
        return 0
    passes = math.ceil(max(1.0, USUAL_RATE * h))
    small = math.ceil(gravity * h * h / (SOFT_SAG * radius))
    return max(passes, min(small, MOST_SMALL_PASSES))
