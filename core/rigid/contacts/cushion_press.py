"""How hard bodies press on the cloth that keeps them apart."""

from __future__ import annotations

from ...arrays import NONE
from ...kernels.jit import kernel, lean_inline
from ...kernels.lanes import LANES
from ...pairs import find_pair
from .contact_table import NORMAL
from .packet_table import KEPT


@lean_inline
def _add_press(contacts, c, impulse):
    key = contacts.origin[c]["shape"]
    m = find_pair(contacts.cushions.key, key[0], key[1])
    if m != NONE:
        contacts.cushions.press[m] += impulse


@kernel
def press_cushions(contacts):
    """Sum up what contacts push with through each cushion in this substep."""
    contacts.cushions.press[:] = 0.0
    packets = contacts.packets
    for n in range(packets.count[0]):
        packet = packets.packet[n]
        for k in range(LANES):
            for p in range(packet["points"] if packet["row"][k] != NONE else 0):
                _add_press(contacts, packet["row"][k], packet["impulse"][KEPT, p, k])
    for c in range(contacts.count[0] if packets.count[0] == 0 else 0):
        _add_press(contacts, c, contacts.rows[c]["impulse"][NORMAL])
