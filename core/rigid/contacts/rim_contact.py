"""Contacts of rims: coins and disks that roll, reel and wobble on the edge of their end.

The point of a circle that is met is the one farthest towards the other side. It wanders around the
rim as the disk turns, many times faster than the disk seems to: a corner that turns with the disk
for a substep makes a polygon of it, which falls from edge to edge.

So that point is found anew wherever the disk has got to. Within a substep its velocity changes from
u₀ to u₁, too, as the disk turns by itself. Rows ask for the mean of both, u₀ + ½ (u₁ − u₀), that
keeps the two in touch and at rest on each other; what is left of u₁ the contacts of the end take.
That is reversible in time and of second order (McLachlan & Perlmutter 2006, nonholonomic leapfrog).
Asking it of u₀ alone makes each substep a small blow, and an Euler's disk of some centimetres lies
flat in half a second.
"""

from __future__ import annotations

from ...collision.kinds import CYLINDER
from ...collision.manifold import LEANS
from ...kernels.jit import lean, lean_inline
from ...rotation import conjugate, free_turn, turn_of_spin
from ...vec3 import (
    ZERO,
    add,
    along,
    column,
    cross,
    divide_each,
    dot,
    length,
    load,
    rotate,
    scale,
    sub,
    times_each,
    unrotate,
    vec,
)
from ...vector import turned_by
from .contact_groups import is_either_jointed
from .contact_table import NORMAL
from .uneven_islands import island_of

ROLLS_ON = 1
"""How many shapes at most press what rolls by itself: what it rolls on."""

FLAT = 0.25
"""Height of a coin by its width, up to which its rocking moves the farthest point all about."""

ON_ITS_SIDE = 1e-2
"""Cosine between a cylinder's axis and a normal below which it rolls there."""

ON_THE_RIM = 1e-3
"""Share of its radius by which a point may be off the farthest one and still be that."""

ALONG_THE_RIM = -0.7
"""Cosine of the way around the rim that a point may go in a substep for that to be foreseen: three
eighths of a turn. What is faster, at the very end of its reeling, might as well go the other way
round; it is met as it is, and comes to lie."""

RIM_ROUNDS = 3
"""Times that it is foreseen anew after contacts have changed the spin that it hangs on. Without, a
coin that reels at .3 rad a substep would gain energy."""


@lean_inline
def rim_middle(shapes, s, outwards):
    """Middle of that end of cylinder s which lies farthest along a unit vector, m."""
    axis = column(shapes.rotation_before[s], 2)
    half = shapes.size[s, 1] if dot(axis, outwards) > 0.0 else -shapes.size[s, 1]
    return along(load(shapes.centre_before, s), half, axis)


@lean_inline
def rim_at(shapes, s, outwards, place):
    """Radius of the rim of which a place (m) is the farthest point outwards, 0 where it is none.

    Where more press a coin than what it rolls on, its points turn with it, as corners do. It
    rocks by little about its flat there, and the farthest point is now here and now across: it
    would take along to the one side what was remembered of the other, and a heap of coins boil.
    """
    if shapes.kind[s] != CYLINDER:
        return 0.0
    if shapes.pressed[s] > ROLLS_ON and shapes.size[s, 1] < FLAT * shapes.size[s, 0]:
        return 0.0
    axis = column(shapes.rotation_before[s], 2)
    height = dot(axis, outwards)
    across = along(outwards, -height, axis)
    lean = length(across)
    if lean < LEANS or abs(height) < ON_ITS_SIDE:
        return 0.0
    radius = shapes.size[s, 0]
    farthest = along(rim_middle(shapes, s, outwards), radius / lean, across)
    return radius if length(sub(farthest, place)) < ON_THE_RIM * radius else 0.0


@lean_inline
def on_rim(axis, radius, outwards):
    """From the middle of a circle square to a unit axis to its point farthest outwards, m."""
    across = along(outwards, -dot(axis, outwards), axis)
    lean = length(across)
    return scale(radius / lean, across) if lean > 0.0 else ZERO


@lean_inline
def rim_arm(origin, rim, side, rotation, outwards):
    """Arm m to the point of a row that wanders over the rim of one side."""
    middle = rotate(rotation, vec(origin["anchor"][side]))
    axis = rotate(rotation, vec(rim["axis"][side]))
    return add(middle, on_rim(axis, rim["radius"][side], outwards))


@lean_inline
def _half_change(middle, axis, radius, owners, o, gyroscopic, outwards, h):
    """Half of what the velocity of a rim's point changes by in h s as owner o turns by itself.

    middle, axis: of the rim, in the owner's frame.
    """
    spin, r = load(owners.spin, o), owners.rotation[o]
    inertia = load(owners.inertia, o)
    inside = unrotate(r, spin)
    momentum = times_each(inertia, inside)
    turn = free_turn(momentum, inertia, h) if gyroscopic == 1 else turn_of_spin(inside, h)
    now = on_rim(rotate(r, axis), radius, outwards)
    then = on_rim(rotate(r, turned_by(turn, axis)), radius, outwards)
    if dot(now, then) < ALONG_THE_RIM * radius * radius:
        return ZERO
    now = add(rotate(r, middle), now)
    then = add(rotate(r, turned_by(turn, middle)), then)
    spin_then = spin
    if gyroscopic == 1:  # L stays where it is
        later = divide_each(turned_by(conjugate(turn), momentum), inertia)
        spin_then = rotate(r, turned_by(turn, later))
    return scale(0.5, sub(cross(spin_then, then), cross(spin, now)))


@lean
def foresee_rims(contacts, owners, moves, h):
    """How points on rims will be faster, on the mean of the substep, than where it begins.

    Writes the swing of each row. Rows of limbs and of uneven islands, and
    all in Jacobi's way, are met as they are.
    """
    contacts.swings[0] = 0
    if contacts.rims[0] == 0 or contacts.buffer.is_jacobi:
        return
    contacts.swings[0] = 1
    for c in range(contacts.count[0]):
        row, rim = contacts.rows[c], contacts.rim[c]
        swing = ZERO
        is_alone = not is_either_jointed(contacts.groups, row)
        if is_alone and contacts.islands.uneven[0] > 0:
            is_alone = island_of(contacts.islands, row, owners) < 0
        for side in range(2):
            o = row["owner"][side]
            if not is_alone or rim["radius"][side] == 0.0 or owners.inverse_mass[o] == 0.0:
                continue
            sign = -1.0 if side == 0 else 1.0
            outwards = scale(sign, vec(row["axis"][NORMAL]))
            middle, axis = vec(contacts.origin[c]["anchor"][side]), vec(rim["axis"][side])
            radius, gyroscopic = rim["radius"][side], moves.gyroscopic[o]
            half = _half_change(middle, axis, radius, owners, o, gyroscopic, outwards, h)
            swing = along(swing, -sign, half)
        for k in range(3):
            rim["swing"][k] = dot(load(row["axis"], k), swing)
