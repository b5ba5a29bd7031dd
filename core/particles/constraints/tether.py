"""Tethers: a particle is never farther from a pin than along the material.

Long-range attachments (Kim, Chentanez, Müller 2012, "Long Range Attachments – A Method to
Simulate Inextensible Clothing in Computer Games", §3): a one-sided stick whose far end is
immovable, of the geodesic rest length. They carry a pin's pull to every particle in one pass.
"""

from __future__ import annotations

import math

import numpy as np

from ...kernels.jit import inline, parallel_kernel, prange
from ...vec3 import along, divide, dot, load, store, sub


@inline
def _excess(p, x, anchor, length):
    """How far p lies beyond a tether, 0 within it, and the direction from its anchor."""
    d = sub(p, load(x, anchor))
    dd = dot(d, d)
    if dd <= length * length:
        return 0.0, d
    apart = math.sqrt(dd)
    return apart - length, divide(d, apart)


@inline
def _is_void(inverse_mass, are_pins_held, anchor):
    return not are_pins_held and inverse_mass[anchor] > 0.0


@inline
def _share_of_all(p, x, inverse_mass, are_pins_held, anchors, lengths):
    """Where all tethers leave p, whatever their order: those k with excess e and direction n give

        p − Σ n_k e_k/Σ_j max(n_k · n_j, 0) min(1, e_j/e_k)

    which is exact for two of equal excess and for those square to each other, hardly overshoots,
    and does not jump where one more becomes taut.
    """
    moved = p
    for t in range(anchors.shape[0]):
        if _is_void(inverse_mass, are_pins_held, anchors[t]):
            continue
        excess, n = _excess(p, x, anchors[t], lengths[t])
        if excess == 0.0:
            continue
        together = 0.0
        for u in range(anchors.shape[0]):
            if not _is_void(inverse_mass, are_pins_held, anchors[u]):
                other, m = _excess(p, x, anchors[u], lengths[u])
                if other > 0.0:
                    together += max(dot(n, m), 0.0) * min(1.0, other / excess)
        moved = along(moved, -excess / together, n)
    return moved


@parallel_kernel
def relax_tethers(
    x, inverse_mass, are_pins_held, tethered, tether_start, tether_anchor, tether_length
):
    """Pull each tethered particle back into the balls around its anchors.

    tethered (q,) particles; tether_start (q + 1,) rows of tether_anchor and tether_length. A pin
    that was released holds no tether; looked up only where not all ``are_pins_held`` as built.
    """
    for q in prange(tethered.shape[0]):
        i = np.uint32(tethered[q])
        if not are_pins_held and inverse_mass[i] == 0.0:
            continue
        p = load(x, i)
        first = tether_start[q]
        last = tether_start[q + 1]
        taut = 0
        moved = p
        excess, n = 0.0, p
        for t in range(np.uint32(first), np.uint32(last)):
            a = np.uint32(tether_anchor[t])
            if _is_void(inverse_mass, are_pins_held, a):
                continue
            other, m = _excess(p, x, a, tether_length[t])
            if other > 0.0:
                taut += 1
                if taut == 1:
                    excess, n = other, m
                    moved = along(p, -excess, n)
                elif taut == 2:
                    together = max(dot(n, m), 0.0)
                    moved = along(p, -excess / (1.0 + together * min(1.0, other / excess)), n)
                    moved = along(moved, -other / (1.0 + together * min(1.0, excess / other)), m)
        if taut > 2:
            anchors, lengths = tether_anchor[first:last], tether_length[first:last]
            moved = _share_of_all(p, x, inverse_mass, are_pins_held, anchors, lengths)
        if taut > 0:
            store(x, i, moved)
