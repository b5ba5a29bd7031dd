"""Tethers: a particle is never farther from a pin than along the material.

Long-range attachments (Kim, Chentanez, Müller 2012, "Long Range Attachments – A Method to
Simulate Inextensible Clothing in Computer Games", §3): a one-sided stick whose far end is
immovable, of the geodesic rest length. They carry a pin's pull to every particle in one pass.
"""

from __future__ import annotations

import math

from ..jit import parallel_kernel, prange


@parallel_kernel
def relax_tethers(
    x, inverse_mass, are_pins_held, tethered, tether_start, tether_anchor, tether_length
):
    """Pull each tethered particle back into the balls around its anchors.

    tethered (q,) particles; tether_start (q + 1,) rows of tether_anchor and tether_length. A pin
    that was released holds no tether; looked up only where not all ``are_pins_held`` as built.
    """
    for q in prange(tethered.shape[0]):
        i = tethered[q]
        if not are_pins_held and inverse_mass[i] == 0.0:
            continue
        for t in range(tether_start[q], tether_start[q + 1]):
            a = tether_anchor[t]
            if not are_pins_held and inverse_mass[a] > 0.0:
                continue
            dx = x[i, 0] - x[a, 0]
            dy = x[i, 1] - x[a, 1]
            dz = x[i, 2] - x[a, 2]
            length = tether_length[t]
            dd = dx * dx + dy * dy + dz * dz
            if dd > length * length:
                f = length / math.sqrt(dd)
                x[i, 0] = x[a, 0] + f * dx
                x[i, 1] = x[a, 1] + f * dy
                x[i, 2] = x[a, 2] + f * dz
