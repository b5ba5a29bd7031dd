"""Cloth that lies on cloth lies on what the lowest lies on.

Who presses the topmost of some layers presses all of them onto what they lie on, and it holds at
the height that they take up. So it is looked for under each vertex, layer by layer, until vertices
of the collider's own are found; then it is known from the lowest up what is behind each.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ...arrays import NONE
from ...collision.shapes import place_before
from ...coupling.pin_hold import LEAST_SHARE
from ...kernels.jit import kernel, lean_inline
from ...vec3 import ZERO, along, dot, load, store, sub, vec
from .look_behind import OPPOSITE, look_behind
from .mesh_ground import BACKED_GAP

Layers = namedtuple(
    "Layers",
    [
        "asked",  # (n,) vertices of which it is asked what is behind them
        "is_asked",  # (n,) 1 for these
        "toward",  # (n, 3) unit, in which way it is looked for
        "under",  # (n,) contact with the layer that each lies on, or `NONE`
        "first",  # (n,) contact of each vertex with a triangle, or `NONE`
        "next",  # (c,) the next one of the same vertex
    ],
)
"""What is found of vertices that lie on layers."""


def layers_room(count: int, contacts: int) -> Layers:
    """Room for so many vertices, and contacts of their surfaces."""
    asked, is_asked, under, first = (np.zeros(count, dtype=np.int32) for _ in range(4))
    return Layers(
        asked, is_asked, np.zeros((count, 3)), under, first, np.zeros(contacts, dtype=np.int32)
    )


@lean_inline
def ask_behind(layers, count, i, toward):
    """Have it asked what layers are behind vertex i; how many are asked of."""
    if layers.is_asked[i] == 1:
        return count
    layers.is_asked[i] = 1
    layers.asked[count] = i
    store(layers.toward, i, toward)
    return count + 1


@lean_inline
def _list_contacts(layers, contacts, count):
    """List the contacts of each vertex with triangles."""
    for i in range(layers.first.shape[0]):
        layers.first[i] = NONE
    for n in range(count):
        if contacts[n]["is_edges"] == 0 and contacts[n]["mobility"] > 0.0:
            i = contacts[n]["corner"][0]
            layers.next[n] = layers.first[i]
            layers.first[i] = n


@lean_inline
def nearest_under(layers, contacts, i, toward):
    """The contact of vertex i with the nearest triangle that a push presses it onto, or `NONE`."""
    nearest = NONE
    n = layers.first[i]
    while n != NONE:
        if dot(vec(contacts[n]["normal"]), toward) <= -OPPOSITE and (
            nearest == NONE or contacts[n]["distance"] < contacts[nearest]["distance"]
        ):
            nearest = n
        n = layers.next[n]
    return nearest


@lean_inline
def _lie_on_layer(i, contact, particles, friction, grounds, backed):
    """Lay vertex i on a layer, if all that bears it lies on something; whether it does.

    It is held along the way out of what the lowest lies on, which alone bears the push: were it
    held across a layer that leans, the layer would have to lean on something.
    """
    x, previous, _ = particles
    lowest, most, rub = NONE, 0.0, contact["friction"]
    point, before = ZERO, ZERO
    for c in range(1, 4):
        j, share = contact["corner"][c], -contact["weight"][c]
        point = along(point, share, load(x, j))
        before = along(before, share, load(previous, j))
        if share < LEAST_SHARE:
            continue
        if backed.shape[j] == NONE:
            return False
        rub = min(rub, backed.friction[j])
        if share > most:
            lowest, most = j, share
    if lowest == NONE:
        return False
    reach, normal, out = contact["reach"], vec(contact["normal"]), load(backed.out, lowest)
    gap, upright = dot(sub(load(x, i), point), normal) - reach, dot(normal, out)
    is_near = gap <= BACKED_GAP * reach and contact["distance"] >= (1.0 - BACKED_GAP) * reach
    if not is_near or upright < OPPOSITE:
        return False
    s = backed.shape[lowest]
    backed.shape[i], backed.gap[i], backed.friction[i] = s, gap / upright, rub
    store(backed.out, i, out)
    carried = sub(point, place_before(grounds.shapes, s, point))
    store(backed.moved, i, sub(sub(point, before), carried))
    return True


@kernel
def find_layers(layers, count, contacts, contact_count, particles, friction, grounds, backed):
    """Write to ``backed`` what is behind the first ``count`` vertices asked of, across layers.

    contacts: `SURFACE_CONTACT` of cloth with cloth, as the substep began.
    """
    x, previous, _ = particles
    _list_contacts(layers, contacts, contact_count)
    p = 0
    while p < count:
        i = layers.asked[p]
        n = layers.under[i] = nearest_under(layers, contacts, i, load(layers.toward, i))
        for c in range(1, 4 if n != NONE else 1):
            j = contacts[n]["corner"][c]
            is_known = layers.is_asked[j] == 1 or backed.shape[j] != NONE
            if is_known or -contacts[n]["weight"][c] < LEAST_SHARE:
                continue
            toward = load(layers.toward, i)
            s = look_behind(j, x, previous, friction, grounds, backed)
            if s != NONE and dot(load(backed.out, j), toward) > -OPPOSITE:
                backed.shape[j] = NONE
            count = ask_behind(layers, count, j, toward)
        p += 1
    is_any = True
    while is_any:
        is_any = False
        for p in range(count - 1, -1, -1):  # from the lowest up
            i = layers.asked[p]
            n = layers.under[i]
            if backed.shape[i] == NONE and n != NONE:
                given = (particles, friction, grounds, backed)
                is_any = _lie_on_layer(i, contacts[n], *given) or is_any
    for p in range(count):
        layers.is_asked[layers.asked[p]] = 0
