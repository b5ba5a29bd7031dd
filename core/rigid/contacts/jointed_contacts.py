"""Contacts of what hangs on joints: iterations go on until joints and contacts agree.

Joints are solved all at once, contacts one by one. A foot that hits the floor first stops itself
alone; the joints then push it on with the body above it, and so on: each iteration takes away as
much of the blow as the foot weighs against the body. What one is not enough for therefore learns
how its limbs answer with all that hangs on them (`articulated_inertia`), and goes on until contacts
see what joints make of it, and until none closes much faster than it may: in a heap of ragdolls one
contact undoes what the next has done. Where something lies on a limb that is much lighter, each
iteration takes away as much of its sinking as the limb weighs against it, and what is left in each
substep would rock it for ever: they go on until it hardly sinks. Joints come last, so that they
hold.
"""

from __future__ import annotations

from ...kernels.jit import lean, lean_inline
from ..joints.joint_rows import CLOSING_TURN
from ..joints.loaded_bridges import clear_pressed
from .contact_groups import is_either_jointed, is_either_touched
from .contact_point import contact_speed
from .contact_table import CONTACT_SLOP, NORMAL
from .limb_impulses import off_by
from .softness import LEAK

LED_ASTRAY = 0.03 * CLOSING_TURN
"""Way in a substep, as a share of its size, by which joints may lead a limb elsewhere than the last
sweep over contacts saw it go: it is about as far then from where they want it."""

CLOSING_SHARE = 0.005
"""Way in a substep, as a share of the smaller shape, by which the two of a contact may close more
than they should."""

MOST_ITERATIONS = 30
"""Iterations after which it has to do."""

SINKING = 0.05
"""Share of what gravity does in a substep by which what lies on a much lighter limb may sink."""

MUCH_LIGHTER = 16.0
"""Ratio of masses from which on that is asked for; those of limbs of a ragdoll differ by less."""

MUCH_LIGHTER_IN_NET = 128.0
"""The same for what hangs on so many others that it answers alone: an iteration over a net or a
wall takes long, and loads that are not as heavy come to rest as they are."""

PATIENT_ITERATIONS = 100
"""Iterations after which it has to do for what is not of a net."""

_NO_WAY = 1e-300  # kg


@lean_inline
def _patience(contacts, owners, row):
    """Iterations in which the heavier of a row may hardly sink into the other, 0 of two alike."""
    a, b = row["owner"][0], row["owner"][1]
    wa, wb = owners.inverse_mass[a], owners.inverse_mass[b]
    if min(wa, wb) == 0.0:
        return 0
    light = a if wa > wb else b
    ratio = max(wa, wb) / min(wa, wb)
    if contacts.groups.is_jointed[light] and contacts.limbs.body[light]["component"] < 0:
        return MOST_ITERATIONS if ratio > MUCH_LIGHTER_IN_NET else 0
    return PATIENT_ITERATIONS if ratio > MUCH_LIGHTER else 0


@lean_inline
def _activate_closing(contacts, owners, h, fall, n):
    """Whether the two of any contact of what hangs on joints close too fast; their groups go on.

    What contacts have not touched in this iteration moves as it did when it was last looked at.
    """
    groups = contacts.groups
    is_any = False
    for c in range(contacts.count[0]):
        row = contacts.rows[c]
        if not is_either_touched(groups, row) or not is_either_jointed(groups, row):
            continue
        if row["softness"] > LEAK:
            continue
        left = max(row["gap"], 0.0) + h * contact_speed(row, NORMAL, owners)
        let_go = h * row["softness"] * row["impulse"][NORMAL] / max(row["mass"], _NO_WAY)
        tolerated = CLOSING_SHARE / CONTACT_SLOP * row["slop"]
        patience = _patience(contacts, owners, row)
        if patience > 0 and fall > 0.0:
            tolerated = min(tolerated, SINKING * fall * h)
        if n < max(patience, MOST_ITERATIONS) and left + let_go < -tolerated:
            is_any = True
            for side in range(2):
                o = row["owner"][side]
                if owners.inverse_mass[o] > 0.0:
                    groups.active[groups.group[o]] = 1
    return is_any


@lean_inline
def activate_unsettled(contacts, owners, h, fall, n):
    """After n iterations: what joints led elsewhere than contacts saw goes on, and what it pushed.

    fall: m/s, what gravity does in a substep. Returns whether anything that hangs on joints goes
    on.
    """
    groups, limbs = contacts.groups, contacts.limbs
    for g in range(groups.active.shape[0]):
        groups.active[g] = 0
    for c in range(limbs.component.shape[0]):
        part = limbs.component[c]
        part["last_error"] = part["error"]
        part["error"] = 0.0
    is_any = False
    for o in range(groups.group.shape[0]):
        g, limb = groups.group[o], limbs.body[o]
        if limb["touched"] == 0 or groups.touched[g] == 0 or not groups.is_jointed[o]:
            continue
        error = off_by(limbs, owners, o) / (LED_ASTRAY / h * limb["size"]) ** 2
        if n < MOST_ITERATIONS and (groups.hard[g] == 1 or error > 1.0):
            groups.active[g] = 1
            is_any = True
        c = limb["component"]
        if c >= 0:
            limbs.component[c]["error"] = max(limbs.component[c]["error"], error)
    is_any |= _activate_closing(contacts, owners, h, fall, n)
    for o in range(groups.group.shape[0]):
        g = groups.group[o]
        if not groups.is_jointed[o] and groups.touched[g] == 1:
            groups.active[g] = 1
    return is_any


@lean
def note_pressed_owners(contacts, joints):
    """Note which owners contacts press by what rows have pushed with: see `recall_pressed`."""
    clear_pressed(joints)
    for c in range(contacts.count[0]):
        row = contacts.rows[c]
        if row["impulse"][NORMAL] > 0.0:
            for side in range(2):
                joints.pull[row["owner"][side]]["is_pressed"] = 1
