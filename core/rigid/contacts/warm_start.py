"""Contacts begin with the impulses of the substep before, and those that are hit are to bounce."""

from __future__ import annotations

from ...collision.restitution import bounce
from ...kernels.jit import lean, lean_inline
from ...vec3 import length, vec
from .contact_point import contact_speed, push_contact
from .contact_table import NORMAL

RESTING = 4.0
"""Contacts do not bounce that approach slower than gravity makes a body in this many steps."""


@lean_inline
def _note_bounce(row, restitution, owners, gravity, h, resting):
    """Where row ``row`` gets to and how fast, if it is hit within the step."""
    speed = contact_speed(row, NORMAL, owners)
    if not (row["gap"] + h * speed < 0.0 and speed < -resting):
        return
    a, b = row["owner"][0], row["owner"][1]
    pull = 0.0
    for k in range(3):
        falls = 1.0 if owners.inverse_mass[a] > 0.0 else 0.0
        falls -= 1.0 if owners.inverse_mass[b] > 0.0 else 0.0
        pull += falls * gravity[k] * row["axis"][NORMAL, k]
    after, travel = bounce(max(row["gap"], 0.0), h * speed, pull, h, restitution)
    row["rebound"] = max(travel, 0.0) / h
    row["rebound_gap"] = after


@lean
def warm_contacts(contacts, owners, gravity, h):
    """Find who bounces, then start from the impulses of the substep before.

    A row bounces when it will be hit within the step, faster than `RESTING` steps of gravity make
    it. Velocities are those that bodies fly on with if nothing stops them.
    """
    resting = RESTING * h * length(vec(gravity))
    for c in range(contacts.count[0]):
        row = contacts.rows[c]
        if row["rebound"] > 0.0:  # a blow is not what holds the body in the next step
            for d in range(3):
                row["impulse"][d] = 0.0
        row["rebound"] = 0.0
        restitution = contacts.origin[c]["restitution"]
        if restitution > 0.0:
            _note_bounce(row, restitution, owners, gravity, h, resting)
    for c in range(contacts.count[0]):
        row = contacts.rows[c]
        for d in range(3):
            p = row["impulse"][d]
            if p != 0.0:
                push_contact(row, d, owners, p)
