"""Limbs that lie in cloth are held by the pins that the cloth hangs on.

As for bodies (see `pin_hold`), sticks of cloth carry no more in one pass than what its particles
weigh; a limb a hundred times as heavy would sink through. A particle whose tether is taut, and that
the limb presses away from its pin, cannot give way: to what touches it in this step it is as heavy
as the pin, which takes what the limb gives.
"""

from __future__ import annotations

from ...coupling.pin_hold import LEAST_SHARE, is_heavy
from ...kernels.jit import kernel
from ...vec3 import between, dot, length, vec
from ..contacts.contact_point import PARTICLES

STEEP = 0.1
"""Least sine of the angle between cloth and tether: a sheet that is flat still gives way."""


@kernel
def hold_taut(contacts, count, figure, x, inverse_mass, tethers, held):
    """Write inverse masses (n,) to ``held``, 0 for what cannot give way to limbs.

    figure (n,) of each particle, −1 for none; tethers from `tethers_by_particle`.
    """
    for i in range(inverse_mass.shape[0]):
        held[i] = inverse_mass[i]
    for c in range(count):
        contact, shape = contacts.solving[c], contacts.making[c]["shape"]
        if shape[0] != PARTICLES or shape[1] != PARTICLES:
            continue
        cloth, limb = contact["place"][0], contact["place"][1]
        i, j = limb["particle"][0], limb["particle"][1]
        if figure[cloth["particle"][0]] >= 0 or figure[i] < 0:
            continue
        w = max(inverse_mass[i], inverse_mass[j])
        for k in range(3):
            i = cloth["particle"][k]
            q = tethers.of_particle[i]
            if cloth["weight"][k] < LEAST_SHARE or q < 0 or not is_heavy(w, inverse_mass[i]):
                continue
            for n in range(tethers.start[q], tethers.start[q + 1]):
                pin = tethers.anchor[n]
                if inverse_mass[pin] > 0.0:
                    continue
                d = between(x, i, pin)
                size = length(d)
                if size > tethers.length[n] and dot(d, vec(contact["normal"])) < -STEEP * size:
                    held[i] = 0.0
                    break
