"""What overlaps is parted by place alone: x and x* move alike, and no speed is made of it.

Before bodies move, impulses of their own drive the points of contact apart by a share of how deep
they are, on top of the velocities that contacts and joints have settled. After the move the very
same impulses are taken back, both at one point of the world, so that linear and angular momentum
are kept to rounding. The two have moved by each other meanwhile, and what wedges a light body
between heavy ones pushes it from both sides with impulses as large as these: taken back at another
lever than they were given, they would leave it a spin that nothing asked for. So the point lies at
nearly the same lever as before from the one that is easier to turn, and at the very same from a
body on what nothing moves. A bias in the rows themselves would be remembered, wander up and down a
stack that one sweep does not settle, and throw what lies on it (Bullet's "split impulse").
"""

from __future__ import annotations

from ...kernels.jit import kernel, lean_inline
from ...kernels.lanes import select
from ...vec3 import add, along, load, sub, trace, vec
from .blows import undo_delays
from .contact_groups import clear_touched, is_either_jointed, is_either_touched
from .contact_point import contact_speed
from .contact_sweep import begin_sweep, push_manifold
from .contact_table import NORMAL, PARTS
from .manifold_solver import push_points
from .pair_motion import (
    load_arms,
    load_masses,
    load_motion,
    point_speed,
    pushed_along,
    speeds_along,
    store_motion,
)
from .softness import parting_speed

CORRECTION_SHARE = 0.2
"""Share of an overlap that is taken away in one substep, at `softness.parting_speed`."""

ITERATIONS = 4
"""Times as many as contacts take: what parts an overlap remembers nothing from step to step, and
what lies deep in a heap has to lift all that lies on it."""

UNEVEN_ITERATIONS = 4
"""Times as many again where heavy bodies lie on light ones."""


@lean_inline
def begin_parting(row, h):
    """How fast the sides of a row are to part."""
    row["impulse"][PARTS] = 0.0
    row["softness"] = 0.0
    rate = CORRECTION_SHARE / h
    row["parting_speed"] = parting_speed(row["gap"], row["slop"], row["old_overlap"], rate)


@lean_inline
def keep_apart(row, speed, h):
    """What does not overlap only must not close faster than it does, at a speed in m/s."""
    row["parting_speed"] = min(speed, -max(row["gap"], 0.0) / h)


@lean_inline
def _begin_parting(contacts, h):
    """How fast the sides of each row are to part; whether any are that hang on no joints."""
    is_any = False
    for c in range(contacts.count[0]):
        row = contacts.rows[c]
        begin_parting(row, h)
        if row["parting_speed"] > 0.0 and not is_any:
            is_any = not is_either_jointed(contacts.groups, row)
    return is_any


@lean_inline
def part_overlaps(contacts, owners, iterations, h):
    """Velocities that part what overlaps, for the move that comes.

    All else only must not close faster for it than it did: what the velocities themselves still
    lack is for the next iteration over them. Were it made up for by place, bodies would not go
    where their speed leads, and a pyramid would begin to rock.
    """
    if not _begin_parting(contacts, h):
        return
    clear_touched(contacts.groups)
    for c in range(contacts.count[0]):
        row = contacts.rows[c]
        if row["parting_speed"] == 0.0:
            keep_apart(row, contact_speed(row, NORMAL, contacts.buffer), h)
        elif contacts.swings[0] == 1:
            row["parting_speed"] -= contacts.rim[c]["swing"][NORMAL]
    many = UNEVEN_ITERATIONS if contacts.islands.uneven[0] > 0 else 1
    for _ in range(ITERATIONS * many * iterations):
        begin_sweep(contacts, owners, h)
        first = 0
        while first < contacts.count[0]:
            start = first
            first += contacts.rows[start]["points"]
            _part_manifold(contacts, owners, start)


@lean_inline
def _part_manifold(contacts, owners, first):
    """Part one manifold, if anything drives it."""
    groups, rows = contacts.groups, contacts.rows
    head = rows[first]
    if is_either_jointed(groups, head) or not _is_driven_apart(groups, rows, first):
        return
    if _push_apart(contacts, first, owners):
        touch_both(groups, head, owners)


@lean_inline
def _is_driven_apart(groups, rows, first):
    """Whether the points of a manifold are to part, or others have pushed one of its two."""
    is_driven = is_either_touched(groups, rows[first])
    for c in range(first, first + rows[first]["points"]):
        is_driven |= rows[c]["parting_speed"] > 0.0
    return is_driven


@lean_inline
def touch_both(groups, row, owners):
    """The two of a row have been pushed."""
    for side in range(2):
        o = row["owner"][side]
        if owners.inverse_mass[o] > 0.0:
            groups.touched[groups.group[o]] = 1


@lean_inline
def _push_apart(contacts, first, owners):
    """Push the two of a manifold apart as fast as its points are to part; whether that did any."""
    rows, buffer = contacts.rows, contacts.buffer
    head = rows[first]
    if buffer.is_jacobi:
        for c in range(first, first + head["points"]):
            speed = contact_speed(rows[c], NORMAL, buffer)
            rows[c]["velocity_error"] = speed - rows[c]["parting_speed"]
        return push_manifold(contacts, first, PARTS, owners, False)
    return _push_pair_apart(rows, first, owners, buffer.relaxation)


@lean_inline
def _push_pair_apart(rows, first, owners, relaxation):
    """`_push_apart` of two bodies alone."""
    head = rows[first]
    motion, masses = load_motion(head, owners), load_masses(head, owners)
    speeds = speeds_along(vec(head["axis"][NORMAL]), motion)
    is_needed = False
    for c in range(first, first + head["points"]):
        error = point_speed(load_arms(rows[c]), speeds) - rows[c]["parting_speed"]
        rows[c]["velocity_error"] = error
        is_needed = is_needed or error < 0.0 or rows[c]["impulse"][PARTS] > 0.0
    if not is_needed:
        return False
    motion, is_changed = push_points(rows, first, PARTS, relaxation, masses, motion)
    store_motion(head, owners, motion)
    return is_changed


@lean_inline
def take_back_parting(contacts, owners):
    """Take these velocities back, before or after the move; rows are aimed where bodies were."""
    for c in range(contacts.count[0]):
        _take_back(contacts.rows[c], owners)


@lean_inline
def common_arms(arms, apart, masses):
    """Arms (m) of a and b to the point at which an impulse is taken back.

    arms: those that it was given at, from where the two are now to points that lie ``apart`` (m, of
    a from b). The same for all points of the two, so that only what they have pushed each other in
    all counts. masses: see `load_masses`. Floats or lanes.
    """
    of_a, of_b = trace(masses[1]), trace(masses[3])
    both = of_a + of_b
    share = of_a / select(both > 0.0, both, 1.0)
    return along(arms[0], share - 1.0, apart), along(arms[1], share, apart)


@lean_inline
def _take_back(row, owners):
    """Take back what parted the two of a row."""
    impulse = row["impulse"][PARTS]
    if impulse == 0.0:
        return
    row["impulse"][PARTS] = 0.0
    a, b = row["owner"][0], row["owner"][1]
    arms, masses = load_arms(row), load_masses(row, owners)
    of_a = add(load(owners.position, a), arms[0])
    of_b = add(load(owners.position, b), arms[1])
    normal = vec(row["axis"][NORMAL])
    arms = common_arms(arms, sub(of_a, of_b), masses)
    motion = load_motion(row, owners)
    store_motion(row, owners, pushed_along(normal, arms, masses, motion, -impulse))


@kernel
def withdraw_places(contacts, owners):
    """Take back all that is for the move alone, before other rows take the place of these."""
    undo_delays(contacts, owners)
    take_back_parting(contacts, owners)
    contacts.struck[0] = 0
