"""What is remembered of a heap must not drive it.

Contacts and joints begin with the impulses of the substep before. In a jam, bodies that overlap
more than there is room for, they press each other with far more than any of them weighs: no
impulse parts all of them, and what is remembered grows for as long as it lasts. Where
contacts have come or gone since, what pressed from the one side is there and what held against it
is not: the warm start throws what it should hold, sweeps stop that with impulses larger still, and
those are remembered. So where a warm start brings a heap more than `MOST_GAIN` times the energy
that it had, only that share of it is taken which leaves it the least.

Islands of uneven masses have more done to them: `conjugate_contacts.scale_remembered`.
"""

from __future__ import annotations

from ...islands import join, root_of
from ...kernels.jit import lean, lean_inline
from ...vec3 import (
    add_to,
    along,
    divide,
    dot,
    load,
    rotate,
    scale,
    set_vec,
    store,
    sub,
    times_each,
    unrotate,
    vec,
)
from ..owners import velocity_of

MOST_GAIN = 2.0
"""Energy after a warm start by that before it, beyond which less of it is taken: what rests loses
all that it had. Energies are of speeds as seen from what does not give way, where a heap touches
any, else from its middle: so a heap on a floor that moves is treated as one at rest."""

AT_REST = 20.0
"""Change of speed by a warm start, in those by gravity in a substep, up to which it drives nothing:
what rocks on its corners may gain a little by it."""


@lean
def note_motion(contacts, owners):
    """Note velocities before the warm start."""
    for o in range(owners.velocity.shape[0]):
        store(contacts.before.velocity, o, load(owners.velocity, o))
        store(contacts.before.spin, o, load(owners.spin, o))


@lean_inline
def _label_heaps(contacts, owners):
    """Label what touches and what hangs together by the first owner of all of it."""
    groups, rows = contacts.groups, contacts.rows
    heap, first_of = groups.heap, groups.first_of
    for g in range(first_of.shape[0]):
        first_of[g] = -1
    for o in range(heap.shape[0]):
        heap[o] = o
    for o in range(heap.shape[0]):
        if owners.inverse_mass[o] == 0.0:
            continue
        g = groups.group[o]
        if first_of[g] < 0:
            first_of[g] = o
        else:
            join(heap, o, first_of[g])
    c = 0
    while c < contacts.count[0]:
        a, b = rows[c]["owner"][0], rows[c]["owner"][1]
        c += rows[c]["points"]
        if owners.inverse_mass[a] > 0.0 and owners.inverse_mass[b] > 0.0:
            join(heap, a, b)
    for o in range(heap.shape[0]):
        heap[o] = root_of(heap, o)


@lean_inline
def _momentum(owners, o, spin):
    """Angular momentum of a spin, extra inertia and all."""
    r, j, extra = owners.rotation[o], owners.inertia[o], owners.extra_inertia[o]
    moments = j[0] + extra, j[1] + extra, j[2] + extra
    return rotate(r, times_each(moments, unrotate(r, spin)))


@lean_inline
def _is_any_driven(contacts, owners, calm):
    """Whether a warm start has changed the speed of any body by more than it does at rest, m/s."""
    for o in range(owners.velocity.shape[0]):
        w = owners.inverse_mass[o]
        if w > 0.0:
            dv = sub(load(owners.velocity, o), load(contacts.before.velocity, o))
            turn = sub(load(owners.spin, o), load(contacts.before.spin, o))
            if dot(dv, dv) + w * dot(turn, _momentum(owners, o, turn)) > calm * calm:
                return True
    return False


@lean_inline
def _find_views(contacts, owners):
    """The velocity from which each heap's energy is seen: of what it lies on, or of its middle."""
    groups = contacts.groups
    heap, sums = groups.heap, groups.sums
    for o in range(heap.shape[0]):
        sums[o]["seen_from"][:] = 0.0
        sums[o]["weight"] = 0.0
        sums[o]["is_held"] = 0
    for c in range(contacts.count[0]):
        row = contacts.rows[c]
        for side in range(2):
            o, other = row["owner"][side], row["owner"][1 - side]
            if owners.inverse_mass[o] == 0.0 and owners.inverse_mass[other] > 0.0:
                of = sums[heap[other]]
                of["is_held"] = 1
                add_to(of["seen_from"], velocity_of(owners, o, load(owners.position, other)))
                of["weight"] += 1.0
    for o in range(heap.shape[0]):
        w, of = owners.inverse_mass[o], sums[heap[o]]
        if w > 0.0 and of["is_held"] == 0:
            add_to(of["seen_from"], scale(1.0 / w, load(contacts.before.velocity, o)))
            of["weight"] += 1.0 / w
    for o in range(heap.shape[0]):
        if sums[o]["weight"] > 0.0:
            set_vec(sums[o]["seen_from"], divide(vec(sums[o]["seen_from"]), sums[o]["weight"]))


@lean_inline
def _sum_energies(contacts, owners, calm):
    """What the warm start has done to each heap."""
    heap, sums = contacts.groups.heap, contacts.groups.sums
    for o in range(heap.shape[0]):
        sums[o]["before"] = sums[o]["work"] = sums[o]["gain"] = sums[o]["calm"] = 0.0
    for o in range(heap.shape[0]):
        w, of = owners.inverse_mass[o], sums[heap[o]]
        if w == 0.0:
            continue
        spin = load(contacts.before.spin, o)
        v = sub(load(contacts.before.velocity, o), vec(of["seen_from"]))
        dv = sub(load(owners.velocity, o), load(contacts.before.velocity, o))
        turn = sub(load(owners.spin, o), spin)
        p = _momentum(owners, o, turn)
        of["before"] += dot(v, v) / w + dot(spin, _momentum(owners, o, spin))
        of["work"] += dot(v, dv) / w + dot(spin, p)
        of["gain"] += dot(dv, dv) / w + dot(turn, p)
        of["calm"] += calm * calm / w


@lean_inline
def _share_out(contacts):
    """The share that each heap takes of its warm start; whether any takes less than all."""
    is_any = False
    for o in range(contacts.groups.heap.shape[0]):
        of = contacts.groups.sums[o]
        of["share"] = 1.0
        after = of["before"] + 2.0 * of["work"] + of["gain"]
        if after > MOST_GAIN * of["before"] + of["calm"]:
            of["share"] = min(max(-of["work"] / of["gain"], 0.0), 1.0)
            is_any = True
    return is_any


@lean
def temper_motion(contacts, owners, fall):
    """After the warm start: take back what drives; whether any of it has been taken back.

    fall: m/s, the speed that gravity gives in the substep. What is remembered has to be scaled as
    well: see `temper_contacts`, `temper_joints` and `packet_solver.temper_packet`.
    """
    calm = AT_REST * fall
    if not _is_any_driven(contacts, owners, calm):
        return False
    _label_heaps(contacts, owners)
    _find_views(contacts, owners)
    _sum_energies(contacts, owners, calm)
    if not _share_out(contacts):
        return False
    for o in range(contacts.groups.heap.shape[0]):
        share = share_of(contacts.groups, owners, o, o)
        if share < 1.0 and owners.inverse_mass[o] > 0.0:
            v, spin = load(contacts.before.velocity, o), load(contacts.before.spin, o)
            store(owners.velocity, o, along(v, share, sub(load(owners.velocity, o), v)))
            store(owners.spin, o, along(spin, share, sub(load(owners.spin, o), spin)))
    return True


@lean_inline
def share_of(groups, owners, a, b):
    """The share that the heap of two takes, of which one moves."""
    return groups.sums[groups.heap[a if owners.inverse_mass[a] > 0.0 else b]]["share"]


@lean_inline
def temper_contacts(contacts, owners):
    """Scale what contacts remember."""
    for c in range(contacts.count[0]):
        row = contacts.rows[c]
        share = share_of(contacts.groups, owners, row["owner"][0], row["owner"][1])
        for d in range(3):
            row["impulse"][d] *= share


@lean_inline
def temper_joints(joints, groups, owners):
    """Scale what joints remember."""
    for j in range(joints.place.shape[0]):
        joint = joints.joint[j]
        share = share_of(groups, owners, joint["body"][0], joint["body"][1])
        for r in range(joint["first_row"], joints.joint[j + 1]["first_row"]):
            joints.row[r]["impulse"] *= share
