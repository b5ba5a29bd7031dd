"""Limbs that lie in cloth are held by the pins that the cloth hangs on.

As for bodies (see `pin_hold`), sticks of cloth carry no more in one pass than what its particles
weigh; a limb a hundred times as heavy would sink through. Where it presses on a particle with the
normal n it takes it along n, which lengthens a tether to a pin in the direction t by s = −t·n of
the way: so it goes no farther into the cloth than

    u ≤ (l − |x − a|)/s

as seen from the pin, which takes what it gives. It is stopped and not thrown back: what a tether
was too long by before is taken back slowly. Were particles held where their tethers are taut, what
these had drawn into a limb in one step would throw it out in the same, the faster the shorter it
is.
"""

from __future__ import annotations

import math

from ...coupling.pin_hold import (
    LEAST_LENGTHENING,
    LEAST_SHARE,
    REPAIR,
    TETHER_SHARE,
    is_heavy,
)
from ...kernels.jit import kernel, lean_inline
from ...vec3 import between, dot, length, load, shift, sub, vec
from ..contacts.contact_point import PARTICLES


@kernel
def stop_limbs(contacts, count, figure, particles, tethers, h):
    """Stop limbs, x alone, that would take cloth farther from its pins than tethers reach.

    figure (n,) of each particle, −1 for none; tethers from `tethers_by_particle`. Returns the
    farthest m that one was stopped.
    """
    farthest = 0.0
    for c in range(count):
        contact, shape = contacts.solving[c], contacts.making[c]["shape"]
        if shape[0] != PARTICLES or shape[1] != PARTICLES:
            continue
        cloth, limb = contact["place"][0], contact["place"][1]
        if figure[cloth["particle"][0]] >= 0 or figure[limb["particle"][0]] < 0:
            continue
        n = vec(contact["normal"])
        way, mobility = _way_and_mobility(particles, limb, n)
        if mobility == 0.0:
            continue
        most = way
        for k in range(3):
            if cloth["weight"][k] >= LEAST_SHARE:
                most = min(
                    most, _farthest_way(particles, tethers, cloth["particle"][k], limb, n, h)
                )
        if most < way:
            farthest = max(farthest, way - most)
            for k in range(4):
                i, f = limb["particle"][k], limb["weight"][k]
                if f != 0.0:
                    shift(
                        particles.x, i, (most - way) / mobility * f * particles.inverse_mass[i], n
                    )
    return farthest


@lean_inline
def _way_and_mobility(particles, limb, n):
    """How far m a place on a limb goes along n in this step, and how easily it is moved, 1/kg."""
    x, previous, inverse_mass = particles
    way, mobility = 0.0, 0.0
    for k in range(4):
        i, f = limb["particle"][k], limb["weight"][k]
        if f != 0.0:
            way += f * dot(sub(load(x, i), load(previous, i)), n)
            mobility += f * f * inverse_mass[i]
    return way, mobility


@lean_inline
def _farthest_way(particles, tethers, i, limb, n, h):
    """How far m particle i may be taken along n in this step by a limb that is heavy to it."""
    x, previous, inverse_mass = particles
    most = math.inf
    q = tethers.of_particle[i]
    w = max(inverse_mass[limb["particle"][0]], inverse_mass[limb["particle"][1]])
    if q < 0 or not is_heavy(w, inverse_mass[i]):
        return most
    for t in range(tethers.start[q], tethers.start[q + 1]):
        pin = tethers.anchor[t]
        d = between(previous, i, pin)
        size = length(d)
        if inverse_mass[pin] > 0.0 or -dot(d, n) <= LEAST_LENGTHENING * size:
            continue
        left = (tethers.length[t] - size) / (-dot(d, n) / size)
        with_pin = dot(sub(load(x, pin), load(previous, pin)), n)
        most = min(most, with_pin + max(left, max(TETHER_SHARE * left, -REPAIR * h)))
    return most
