"""What a row asks for: how fast its sides may close, how fast what overlaps is to part, how softly.

A row with a gap g lets its sides close it within the step of h and no more,

    (v_a − v_b)·n ≥ −max(g, 0)/h.

What hangs on joints and overlaps is driven apart by a bias, and gives way a little: joints have to
agree with it. All else is parted by place alone (`position_correction`).
"""

from __future__ import annotations

from ...collision.contact_law import parting
from ...kernels.jit import lean_inline
from ...kernels.lanes import larger, select
from ...vec3 import unrotate
from ..owners import AWAKE
from .contact_point import contact_speed, lever
from .contact_table import CONTACT_SLOP, NORMAL

BIAS = 0.1
"""Share of an overlap that contacts of what hangs on joints drive apart in one substep. What
such a contact carries leaves it as deep as leak · step² / bias."""

AT_RATE = 480.0
"""Substeps a second for which `BIAS` is; in longer ones the share grows with them."""

MOST_BIAS = 0.5
"""Largest share that is driven apart in one substep, however long."""

LEAK = 0.05
"""Share of its impulse that such a contact lets go in the first half of a substep: it is a stiff
spring, not a rock, and does not fight with joints that are (Catto 2024, "soft step")."""

BACK_SPEED = 2.0
"""Fastest way back of what was pressed into each other, m/s."""

APART_SPEED = 0.5
"""Fastest parting of what overlapped already when the two met, at the start as a rule, m/s."""

FIRM_OVERLAP = 0.05
"""Overlap, as a share of the smaller shape, beyond which less of that leak is left, and hardly any
at twice as much. A light limb under a heap carries a hundred times its weight, and more where that
lands: of so much, the share that it let go would have it inside what it lies on."""

LEAST_LEAK = 0.1
"""Share of `LEAK` that is left however deep: what no impulse can part must not gather any."""

LEAST_PARTING = 0.01
"""Share of the slop that an overlap must exceed it by to be parted: rest is rest."""

WEDGED = 0.05
"""Overlap that two bodies met with, as a share of the smaller shape, beyond which the contact is
soft: what hangs on joints may be wedged, so that no impulse parts it, and what rocks press in vain
grows without end until it all flies apart. Pressed deeper by as much again it is a rock. Floors and
walls are none of this: a limb that a blow has thrown into one would lie in it for good."""

TOUCHING = 1e-6
"""Overlap by the slop up to which two that met at the very end of a step only touch: rounding alone
says whether they overlap. What bounces is struck in the next step."""

WEDGED_LEAK = 0.5
"""Share of its impulse that such a contact lets go in an iteration."""


@lean_inline
def tolerated_overlap(old, slop):
    """Overlap in m that a row leaves alone at first: what they met with, and more where wedged."""
    wedged = WEDGED / CONTACT_SLOP * slop
    return select(old > wedged, old + wedged, old)


@lean_inline
def bias_of(h):
    """Share of an overlap under joints that is driven apart in a substep of h s."""
    return min(BIAS * max(1.0, AT_RATE * h), MOST_BIAS)


@lean_inline
def parting_speed(gap, slop, old, rate):
    """Speed in m/s at which two are to part that overlap by −gap, old of it since they met.

    rate: 1/s, of what they overlap by. Lengths in m, floats or lanes.
    """
    deep = -gap - slop
    back = parting(larger(deep - tolerated_overlap(old, slop), 0.0), rate, BACK_SPEED)
    speed = larger(back, parting(deep, rate, APART_SPEED))
    return select(deep <= LEAST_PARTING * slop, 0.0, speed)


@lean_inline
def is_deep(row, h):
    """Whether the two of a row are driven apart as fast as can be."""
    fastest = APART_SPEED if row["old_overlap"] > row["slop"] else BACK_SPEED
    return row["gap"] < -fastest * h / bias_of(h)


@lean_inline
def _leak(row):
    """Share of its impulse that a contact of what hangs on joints lets go, by how deep it is."""
    depth = (-row["gap"] - row["old_overlap"]) * CONTACT_SLOP / (FIRM_OVERLAP * row["slop"])
    return LEAK * min(max(2.0 - depth, LEAST_LEAK), 1.0)


@lean_inline
def _sleeping_mobility(row, owners):
    """What sides that sleep would give way along the normal if they were awake, 1/kg."""
    total = 0.0
    for side in range(2):
        o = row["owner"][side]
        if owners.asleep[o] == AWAKE:
            continue
        torque = unrotate(owners.rotation[o], lever(row, NORMAL, side))
        total += 1.0 / owners.mass[o]
        for k in range(3):
            total += torque[k] * torque[k] / owners.inertia[o, k]
    return total


@lean_inline
def _jointed_softness(row, owners):
    """`_leak`, and more where a side sleeps: the spring is as stiff as if it were awake.

    Its stiffness goes by the mass that impulses meet. Were it that of what lies on the sleeper
    alone, many times as large, that would rise on a stiffer spring when one falls asleep under it,
    sink again when it wakes, and wake it by that.
    """
    softness = _leak(row)
    mobility = _sleeping_mobility(row, owners)
    if mobility > 0.0:
        given = softness * (1.0 + mobility * row["mass"])
        softness = given / (1.0 - softness + given)
    return softness


@lean_inline
def is_wedged(gap, slop, old, are_free):
    """Whether two of which neither is fixed overlap as deep as they met, and may be wedged."""
    tolerated = tolerated_overlap(old, slop)
    return are_free & (gap <= 0.0) & (tolerated > old) & (-gap - slop <= tolerated)


@lean_inline
def aim_alone(speed, gap, impulse, slop, old, are_free, h, is_ahead):
    """Velocity error and softness of a point of two that hang on no joints: see `aim_row`.

    impulse N·s along the normal; are_free: neither is fixed. Floats or lanes.
    """
    if is_ahead:
        softness = select(is_wedged(gap, slop, old, are_free), WEDGED_LEAK, 0.0)
    else:
        is_next = (gap > -TOUCHING * slop) & (impulse == 0.0)
        softness = select(is_next, 1.0, 0.0)  # the next step's matter
    return select(gap > 0.0, speed + gap / h, speed), softness


@lean_inline
def aim_velocity(row, owners, buffer, h, is_ahead, is_jointed):
    """`aim_row` at the speed that the row has now."""
    aim_row(row, contact_speed(row, NORMAL, buffer), owners, h, is_ahead, is_jointed)


@lean_inline
def aim_row(row, speed, owners, h, is_ahead, is_jointed):
    """Write the velocity error and the softness of a row whose two part with a speed in m/s.

    is_ahead: bodies have still to move; is_jointed: one of the two hangs on joints.
    """
    a, b = row["owner"][0], row["owner"][1]
    are_free = owners.inverse_mass[a] > 0.0 and owners.inverse_mass[b] > 0.0
    gap, slop, old = row["gap"], row["slop"], row["old_overlap"]
    impulse = row["impulse"][NORMAL]
    error, softness = aim_alone(speed, gap, impulse, slop, old, are_free, h, is_ahead)
    if is_jointed and is_ahead and gap <= 0.0:
        if softness == 0.0:
            softness = _jointed_softness(row, owners)
        error -= parting_speed(gap, slop, old, bias_of(h) / h)
    row["velocity_error"] = error
    row["softness"] = softness
