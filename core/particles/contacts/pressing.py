"""Who presses light vertices of cloth: bodies that move by themselves, awake or asleep."""

from __future__ import annotations

from ...coupling.pin_hold import LEAST_SHARE, is_heavy
from ...kernels.jit import lean_inline
from .contact_point import PARTICLES


@lean_inline
def presser(making, shapes, owners):
    """The body, awake or asleep, that presses on the particles of a contact; −1 for none."""
    s = making["shape"][1]
    if making["shape"][0] != PARTICLES or s < 0 or shapes.particle_body[s] >= 0:
        return -1
    o = shapes.owner[s]
    return o if owners.driven[o] == 0 else -1


@lean_inline
def is_pressed(place, k, w, inverse_mass):
    """Whether a body of inverse mass w weighs far more than the k-th vertex of a place."""
    share = place["weight"][k]
    return share >= LEAST_SHARE and is_heavy(w, inverse_mass[place["particle"][k]])
