"""What overlaps is parted by place alone: x and x* move alike, and no speed is made of it.

Before bodies move, pushes of their own drive the points of contact apart by a share of how deep
they are, on top of the velocities that contacts and joints have settled. After the move the very
same pushes are taken back, where the points are then: both at one point of the world, so that
linear and angular momentum are kept to rounding. A bias in the rows themselves would be remembered,
wander up and down a stack that one pass does not settle, and throw what lies on it (Bullet's "split
impulse").
"""

from __future__ import annotations

from ..jit import lean_inline
from .contact_rows import contact_speed, push_contact
from .contact_solver import begin_pass, parting_speed, push_face

SHARE = 0.2
"""Share of an overlap that is taken away in one substep."""

PASSES = 4
"""Times as many passes as contacts take: what parts an overlap remembers nothing from step to step,
and what lies deep in a heap has to lift all that lies on it."""

PARTS = 3  # place of these pushes in `Rows.impulse`


@lean_inline
def part_overlaps(rows, count, owners, seen, joined, passes, h):
    """Velocities that part what overlaps, for the move that comes."""
    is_any = False
    for c in range(count):
        rows.impulse[c, PARTS] = 0.0
        rows.give[c] = 0.0
        a = rows.owner[c, 0]
        b = rows.owner[c, 1]
        if not (is_any or joined.holds[a] or joined.holds[b]):
            is_any = parting_speed(rows, c, SHARE / h) > 0.0
    if not is_any:
        return
    for _ in range(PASSES * passes):
        begin_pass(rows, count, owners, seen, h)
        first = 0
        while first < count:
            n = rows.face[first]
            a = rows.owner[first, 0]
            b = rows.owner[first, 1]
            if joined.holds[a] or joined.holds[b]:
                first += n
                continue
            for c in range(first, first + n):
                speed = contact_speed(rows, c, 0, seen, a, b)
                rows.lack[c] = speed + max(rows.gap[c], 0.0) / h - parting_speed(rows, c, SHARE / h)
            push_face(rows, first, n, PARTS, owners, seen, a, b)
            first += n


@lean_inline
def take_back_parting(rows, count, owners):
    """Take these velocities back after the move; rows are aimed where bodies are now."""
    for c in range(count):
        push = rows.impulse[c, PARTS]
        if push == 0.0:
            continue
        rows.impulse[c, PARTS] = 0.0
        a = rows.owner[c, 0]
        b = rows.owner[c, 1]
        push_contact(rows, c, 0, owners.velocity, owners.spin, owners.inverse_mass, a, b, -push)
