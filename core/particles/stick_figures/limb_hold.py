"""Limbs that lie in cloth are held by the pins that the cloth hangs on.

As for bodies (see `pin_hold`), sticks of cloth carry no more in one pass than what its particles
weigh; a limb a hundred times as heavy would sink through. A particle whose tether is taut, and that
the limb presses away from its pin, cannot give way: to what touches it in this step it is as heavy
as the pin, which takes what the limb gives.
"""

from __future__ import annotations

import math

from ...coupling.pin_hold import HEAVY
from ...kernels.jit import kernel
from ..contacts.contact_table import PIECE_PARTNER

STEEP = 0.1
"""Least sine of the angle between cloth and tether: a sheet that is flat still gives way."""


@kernel
def hold_taut(contacts, count, figure, x, inverse_mass, tethers, held):
    """Write inverse masses (n,) to ``held``, 0 for what cannot give way to limbs.

    figure (n,) of each particle, −1 for none; tethers from `hold.tethers_of`.
    """
    held[:] = inverse_mass
    for c in range(count):
        if contacts.shape[c, 0] != PIECE_PARTNER or contacts.shape[c, 1] != PIECE_PARTNER:
            continue
        limb = contacts.particle[c, 4]
        if figure[contacts.particle[c, 0]] >= 0 or figure[limb] < 0:
            continue
        w = max(inverse_mass[limb], inverse_mass[contacts.particle[c, 5]])
        for k in range(3):
            i = contacts.particle[c, k]
            q = tethers.of_particle[i]
            if contacts.weight[c, k] < 0.1 or q < 0 or HEAVY * w > inverse_mass[i]:
                continue
            for n in range(tethers.start[q], tethers.start[q + 1]):
                pin = tethers.anchor[n]
                if inverse_mass[pin] > 0.0:
                    continue
                size = 0.0
                along = 0.0
                for axis in range(3):
                    d = x[pin, axis] - x[i, axis]
                    size += d * d
                    along += d * contacts.normal[c, axis]
                size = math.sqrt(size)
                if size > tethers.length[n] and along < -STEEP * size:
                    held[i] = 0.0
                    break
