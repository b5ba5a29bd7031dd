"""What overlaps is parted by place alone: x and x* move alike, and no speed is made of it.

Before bodies move, pushes of their own drive the points of contact apart by a share of how deep
they are, on top of the velocities that contacts and joints have settled. After the move the very
same pushes are taken back, where the points are then: both at one point of the world, so that
linear and angular momentum are kept to rounding. A bias in the rows themselves would be remembered,
wander up and down a stack that one pass does not settle, and throw what lies on it (Bullet's "split
impulse").
"""

from __future__ import annotations

from ...kernels.jit import lean_inline
from .contact_rows import contact_speed, push_contact
from .contact_solver import begin_pass, parting_speed, push_face

SHARE = 0.2
"""Share of an overlap that is taken away in one substep."""

PASSES = 4
"""Times as many passes as contacts take: what parts an overlap remembers nothing from step to step,
and what lies deep in a heap has to lift all that lies on it."""

UNEVEN_PASSES = 4
"""Times as many again where heavy bodies lie on light ones."""

PARTS = 3  # place of these pushes in `Rows.impulse`


@lean_inline
def part_overlaps(rows, count, owners, islands, seen, joined, limbs, passes, h):
    """Velocities that part what overlaps, for the move that comes.

    All else only must not close faster for it than it did: what the velocities themselves still
    lack is for the next pass over them. Were it made up for by place, bodies would not go where
    their speed leads, and a pyramid would begin to rock.
    """
    is_any = False
    for c in range(count):
        rows.impulse[c, PARTS] = 0.0
        rows.give[c] = 0.0
        rows.apart[c] = parting_speed(rows, c, SHARE / h)
        if rows.apart[c] > 0.0 and not is_any:
            is_any = not (joined.holds[rows.owner[c, 0]] or joined.holds[rows.owner[c, 1]])
    if not is_any:
        return
    for g in range(joined.stirred.shape[0]):
        joined.stirred[g] = 0
    for c in range(count):
        if rows.apart[c] == 0.0:
            speed = contact_speed(rows, c, 0, seen, rows.owner[c, 0], rows.owner[c, 1])
            rows.apart[c] = min(speed, -max(rows.gap[c], 0.0) / h)
    many = UNEVEN_PASSES if islands.count[0] > 0 else 1
    for _ in range(PASSES * many * passes):
        begin_pass(rows, count, owners, seen, h)
        first = 0
        while first < count:
            start = first
            n = rows.face[start]
            first += n
            a = rows.owner[start, 0]
            b = rows.owner[start, 1]
            if joined.holds[a] or joined.holds[b]:
                continue
            i, j = joined.group[a], joined.group[b]
            is_driven = joined.stirred[i] == 1 or joined.stirred[j] == 1
            for c in range(start, first):
                is_driven |= rows.apart[c] > 0.0
            if not is_driven:
                continue
            for c in range(start, first):
                rows.lack[c] = contact_speed(rows, c, 0, seen, a, b) - rows.apart[c]
            if push_face(rows, start, n, PARTS, owners, seen, limbs, False, a, b):
                joined.stirred[i] = 1 if owners.inverse_mass[a] > 0.0 else 0
                joined.stirred[j] = 1 if owners.inverse_mass[b] > 0.0 else 0


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
