"""New rows made ready: which islands are uneven, and who solves them."""

from __future__ import annotations

import math

from ...kernels.jit import kernel, lean_inline
from ..articulation.articulated_inertia import forget_touch
from .contact_aim import aim_contacts
from .contact_groups import is_either_jointed
from .packet_dealing import deal_packets
from .uneven_islands import find_uneven


@lean_inline
def _can_share(contacts):
    """Whether threads may share these rows, four manifolds at a time.

    Bounces, rims, heavy on light, Jacobi's way and what hangs on joints have ways of their own.
    """
    is_special = contacts.bouncy[0] > 0 or contacts.rims[0] > 0 or contacts.islands.uneven[0] > 0
    return contacts.order.phases[0] > 0 and not (is_special or contacts.buffer.is_jacobi)


@lean_inline
def _least_radius(contacts, owners, radius):
    """Least radius of bodies that touch something and hang on no joint, infinity of none."""
    least = math.inf
    first = 0
    while first < contacts.count[0]:
        row = contacts.rows[first]
        first += row["points"]
        if is_either_jointed(contacts.groups, row):
            continue
        for side in range(2):
            o = row["owner"][side]
            if owners.inverse_mass[o] > 0.0:
                least = min(least, radius[o])
    return least


@kernel
def prepare_contacts(contacts, owners, radius):
    """Deal new rows to packets, or aim them; radius (b,) m of bodies.

    Packets are to be given room, and aimed. Returns `_least_radius`.
    """
    forget_touch(contacts.limbs)
    find_uneven(contacts, owners)
    contacts.packets.count[0] = deal_packets(contacts, owners) if _can_share(contacts) else 0
    if contacts.packets.count[0] == 0:
        aim_contacts(contacts, owners)
    return _least_radius(contacts, owners, radius)
