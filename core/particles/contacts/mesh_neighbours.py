"""Contacts of cloth with triangles of a mesh that it is beside of, and over a neighbour.

A vertex over a level floor of triangles has a contact with the one below it, and with each of those
around: seen from these it is beside an edge. What slides towards that edge would be lifted over it
as over a step. So these push nobody. And what is to keep features from passing through each other
may go by the plane of the nearest contact of one of their vertices, where it parts them too: as it
does on all that is level or falls away.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ...arrays import NONE
from ...kernels.jit import kernel, lean, lean_inline
from ...vec3 import ZERO, dot, scale, set_vec, vec
from .surface_planes import gap_over
from .surface_watch import distance_needed, note_spare

LEAST_PARTED = 0.2
"""Share of what they keep, or of their distance, by which a plane has to part two features."""

LEVEL = 0.999
"""Squared cosine between two normals from which they are one, and share of a distance."""

Neighbours = namedtuple(
    "Neighbours",
    [
        "latest",  # (n,) contact of each vertex with a triangle, of those that were found last
        "earlier",  # (m,) the one of the same vertex before each
    ],
)
"""Scratch: the contacts of each vertex."""


def neighbours_room(vertices: int, contacts: int) -> Neighbours:
    """Room for so many vertices and contacts."""
    return Neighbours(np.zeros(vertices, dtype=np.int32), np.zeros(contacts, dtype=np.int32))


@lean_inline
def _is_nearest_within(contact, other):
    """Whether the place of a triangle that is nearest to a vertex belongs to the other one too."""
    for c in range(1, 4):
        if contact["weight"][c] == 0.0:
            continue
        k = contact["corner"][c]
        if k != other["corner"][1] and k != other["corner"][2] and k != other["corner"][3]:
            return False
    return True


@lean_inline
def _is_beside(contacts, n, neighbours):
    """Whether a contact of the same vertex is nearer, with a triangle beside that of contact n."""
    contact = contacts[n]
    weight = contact["weight"]
    if weight[1] * weight[2] * weight[3] != 0.0:
        return False  # the vertex is over the triangle
    other = neighbours.latest[contact["corner"][0]]
    while other != NONE:
        near = contacts[other]["distance"] < contact["distance"]
        if near and _is_nearest_within(contact, contacts[other]):
            return True
        other = neighbours.earlier[other]
    return False


@lean_inline
def _is_level(contacts, n, nearest, led):
    """Whether all corners of an edge or triangle of cloth are over one plane of a mesh.

    What keeps the corners up keeps the rest up, so long as nothing of the mesh stands out.
    """
    contact = contacts[n]
    between = 0.0
    for c in range(4):
        if contact["corner"][c] >= led:
            continue
        other = nearest[contact["corner"][c]]
        if other == NONE:
            return False
        if dot(vec(contacts[other]["normal"]), vec(contact["normal"])) ** 2 < LEVEL:
            return False
        between += abs(contact["weight"][c]) * contacts[other]["distance"]
    return contact["distance"] > LEVEL * between


@lean_inline
def _is_spared(contacts, n, led, neighbours, nearest):
    """Whether other contacts do what contact n would, and better."""
    contact = contacts[n]
    is_triangle = contact["is_edges"] == 0
    if is_triangle and _is_beside(contacts, n, neighbours):
        return True
    is_vertex_of_cloth = is_triangle and contact["corner"][0] < led
    return not is_vertex_of_cloth and _is_level(contacts, n, nearest, led)


@kernel
def spare_neighbours(contacts, first, count, led, neighbours, nearest):
    """Let contacts from row ``first`` on that are beside a nearer one push nobody; see above.

    Nor do edges and triangles where corners do that alike. led: first of the vertices of meshes.
    nearest (n,): the nearest contact of each vertex with a triangle, which is noted, or `NONE`.
    """
    latest, earlier = neighbours
    for i in range(nearest.shape[0]):
        latest[i] = nearest[i] = NONE
    for n in range(first, count):
        if contacts[n]["is_edges"] == 1:
            continue
        i = contacts[n]["corner"][0]
        earlier[n] = latest[i]
        latest[i] = n
        if nearest[i] == NONE or contacts[n]["distance"] < contacts[nearest[i]]["distance"]:
            nearest[i] = n
    for n in range(first, count):
        if contacts[n]["mobility"] != 0.0 and _is_spared(contacts, n, led, neighbours, nearest):
            contacts[n]["mobility"] = 0.0


@lean
def goes_by_neighbour(contacts, n, watch, x, start):
    """Whether the plane of another contact keeps the features of contact n apart; it takes it then.

    x and start (n, 3) m at the end and the start of the substep.
    """
    contact = contacts[n]
    least = LEAST_PARTED * min(contact["distance"], contact["reach"])
    for c in range(4):
        other = watch.nearest[contact["corner"][c]]
        if other == NONE:
            continue
        for sign in (1.0, -1.0):  # the features may be named the other way round
            normal = scale(sign, vec(contacts[other]["normal"]))
            parted = gap_over(contact, normal, start, ZERO, start)
            if parted < least:
                continue
            before = contact["distance"]
            contact["distance"] = parted
            gap = gap_over(contact, normal, x, ZERO, start)
            if gap >= distance_needed(contact):
                set_vec(contact["normal"], normal)
                note_spare(watch, n, contact)
                return True
            contact["distance"] = before
    return False
