"""Contacts begin with the impulses of the substep before."""

from __future__ import annotations

from ...kernels.jit import lean, lean_inline
from ...vec3 import ZERO, add, along, cross, load, scale, vec
from .pair_motion import load_masses, load_motion, pushed, store_motion


@lean
def warm_contacts(contacts, owners):
    """Push with what is remembered."""
    first = 0
    while first < contacts.count[0]:
        _warm_manifold(contacts.rows, first, owners)
        first += contacts.rows[first]["points"]


@lean_inline
def _warm_manifold(rows, first, owners):
    """Push the two of a manifold once with what all its points remember."""
    head = rows[first]
    n, t, s = vec(head["axis"][0]), vec(head["axis"][1]), vec(head["axis"][2])
    push, torque_a, torque_b = ZERO, ZERO, ZERO
    for c in range(first, first + head["points"]):
        p = rows[c]["impulse"]
        mine = along(along(scale(p[0], n), p[1], t), p[2], s)
        push = add(push, mine)
        torque_a = add(torque_a, cross(load(rows[c]["arm"], 0), mine))
        torque_b = add(torque_b, cross(load(rows[c]["arm"], 1), mine))
    if push != ZERO:
        motion, masses = load_motion(head, owners), load_masses(head, owners)
        store_motion(head, owners, pushed(masses, motion, push, torque_a, torque_b))
