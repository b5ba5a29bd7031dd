"""When contacts are to be looked for anew before their time: where points have gone astray.

Between two looks a point stays where it is on both surfaces, with the normal that it had. A body
that rolls over an edge or slips on a facet meets the other elsewhere by then, and the next look
finds it as deep inside as it has turned. So limbs of what hangs on joints, which are thrown about
by those joints as no free body is, are looked at in the next substep where they push and have
turned or slipped by more than `DRIFT_SHARE`. What is round goes astray by nothing: its point
wanders (`contact_aim`).
"""

from __future__ import annotations

import math

from ...kernels.jit import lean_inline
from ...vec3 import along, dot, length, load, sub, vec
from .contact_groups import is_either_jointed
from .contact_point import contact_speed
from .contact_table import CONTACT_SLOP, NORMAL

DRIFT_SHARE = 0.01
"""Share of the smaller shape by which points may go astray."""

SLIP = 0.5
"""How much of a slip counts: a facet's neighbours lean, but do not stand upright on it."""


@lean_inline
def _drift_speed(contacts, c, owners):
    """Speed in m/s at which the two of a row may come elsewhere than its point is."""
    row, limbs = contacts.rows[c], contacts.limbs
    a, b = row["owner"][0], row["owner"][1]
    axis = vec(row["axis"][NORMAL])
    spin = sub(load(owners.spin, a), load(owners.spin, b))
    rolling = length(along(spin, -dot(spin, axis), axis))
    size = math.inf
    for side in range(2):
        o = row["owner"][side]
        if owners.inverse_mass[o] > 0.0:
            size = min(size, limbs.body[o]["size"])
    u, v = contact_speed(row, 1, owners), contact_speed(row, 2, owners)
    return rolling * size + SLIP * math.sqrt(u * u + v * v)


@lean_inline
def have_drifted(contacts, owners, h):
    """After a substep: whether any point that pushes has gone too far astray."""
    is_any = False
    for c in range(contacts.count[0]):
        row, origin = contacts.rows[c], contacts.origin[c]
        is_round = origin["radius"][0] > 0.0 or origin["radius"][1] > 0.0
        if is_round or not is_either_jointed(contacts.groups, row):
            continue
        origin["drift"] += h * _drift_speed(contacts, c, owners)
        if (
            row["impulse"][NORMAL] > 0.0
            and origin["drift"] > DRIFT_SHARE / CONTACT_SLOP * row["slop"]
        ):
            is_any = True
    return is_any
