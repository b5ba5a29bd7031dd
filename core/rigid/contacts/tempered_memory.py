"""What is remembered of a heap that hangs on joints must not drive it.

Contacts and joints begin with the impulses of the substep before. In a jam, bodies that overlap
more than there is room for, they press each other with far more than any of them weighs. Where
contacts have come or gone since, what pressed from the one side is there and what held against it
is not: the warm start throws what it should hold, sweeps stop that with impulses larger still, and
those are remembered. So where a warm start brings a heap more than `MOST_GAIN` times the energy
that it had, only that share of it is taken which leaves it the least.

Without joints see `conjugate_contacts.scale_remembered`.
"""

from __future__ import annotations

from ...kernels.jit import lean, lean_inline
from ...vec3 import along, dot, load, rotate, store, sub, times_each, unrotate
from ..islands import join, root_of

MOST_GAIN = 2.0
"""Energy after a warm start by that before it, beyond which less of it is taken. What rests loses
all that it had, and what a floor carries along gains as much as it had in one substep at most."""

HEAP_BEFORE, HEAP_WORK, HEAP_GAIN, HEAP_SHARE = range(4)
"""Columns of `Groups.sums`: twice the energy before; impulses times speeds before; impulses times
the speeds that they make (all J); and the share that is taken, 1 for all."""


@lean_inline
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
def _note_energies(contacts, owners):
    """What the warm start has done to each body; whether it brings any of them too much.

    A heap that gains too much has a body that does: most substeps end here.
    """
    sums = contacts.groups.sums
    is_any = False
    for o in range(sums.shape[0]):
        before, work, gain = 0.0, 0.0, 0.0
        w = owners.inverse_mass[o]
        if w > 0.0:
            v, spin = load(contacts.before.velocity, o), load(contacts.before.spin, o)
            dv, turn = sub(load(owners.velocity, o), v), sub(load(owners.spin, o), spin)
            p = _momentum(owners, o, turn)
            before = dot(v, v) / w + dot(spin, _momentum(owners, o, spin))
            work = dot(v, dv) / w + dot(spin, p)
            gain = dot(dv, dv) / w + dot(turn, p)
        sums[o, HEAP_BEFORE], sums[o, HEAP_WORK], sums[o, HEAP_GAIN] = before, work, gain
        is_any = is_any or _is_too_much(sums[o])
    return is_any


@lean_inline
def _is_too_much(of):
    """Whether energies grow beyond `MOST_GAIN`."""
    return of[HEAP_BEFORE] + 2.0 * of[HEAP_WORK] + of[HEAP_GAIN] > MOST_GAIN * of[HEAP_BEFORE]


@lean_inline
def _share_out(contacts):
    """The share that each heap takes of its warm start; whether any takes less than all."""
    heap, sums = contacts.groups.heap, contacts.groups.sums
    for o in range(heap.shape[0]):  # a heap's first owner comes before all others of it
        if heap[o] != o:
            for k in range(HEAP_SHARE):
                sums[heap[o], k] += sums[o, k]
    is_any = False
    for o in range(heap.shape[0]):
        sums[o, HEAP_SHARE] = 1.0
        if heap[o] == o and _is_too_much(sums[o]):
            sums[o, HEAP_SHARE] = min(max(-sums[o, HEAP_WORK] / sums[o, HEAP_GAIN], 0.0), 1.0)
            is_any = True
    return is_any


@lean
def temper_memory(contacts, joints, owners):
    """After the warm start: take back what drives."""
    if not _note_energies(contacts, owners):
        return
    _label_heaps(contacts, owners)
    if not _share_out(contacts):
        return
    heap, sums, rows = contacts.groups.heap, contacts.groups.sums, contacts.rows
    for o in range(heap.shape[0]):
        share = sums[heap[o], HEAP_SHARE]
        if share == 1.0 or owners.inverse_mass[o] == 0.0:
            continue
        v, spin = load(contacts.before.velocity, o), load(contacts.before.spin, o)
        store(owners.velocity, o, along(v, share, sub(load(owners.velocity, o), v)))
        store(owners.spin, o, along(spin, share, sub(load(owners.spin, o), spin)))
    for c in range(contacts.count[0]):
        share = _share_of(owners, heap, sums, rows[c]["owner"][0], rows[c]["owner"][1])
        for d in range(3):
            rows[c]["impulse"][d] *= share
    for j in range(joints.place.shape[0]):
        joint = joints.joint[j]
        share = _share_of(owners, heap, sums, joint["body"][0], joint["body"][1])
        for r in range(joint["first_row"], joints.joint[j + 1]["first_row"]):
            joints.row[r]["impulse"] *= share


@lean_inline
def _share_of(owners, heap, sums, a, b):
    """The share that the heap of two takes, of which one moves."""
    return sums[heap[a] if owners.inverse_mass[a] > 0.0 else heap[b], HEAP_SHARE]
