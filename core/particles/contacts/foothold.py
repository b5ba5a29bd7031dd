"""What a body rubs against through cloth that it presses onto a collider: two things behind one.

A vertex of cloth between two weighs next to nothing, so what drags the body must be borne by what
is behind the vertex: the collider, by up to its own friction with the cloth, or the rest of the
cloth, which the vertex is a part of. With the force T of that rest on the vertex, the push P of the
body and the hold G of the collider, all across the normal and for a vertex without mass,

    T + G = P,    |P| ≤ μ N,    |G| ≤ μ' N    (Coulomb),

the body is dragged by the collider as far as G goes, by the cloth beyond that, and what it gets of
the cloth its whole piece gives: the piece weighs what all of its vertices weigh, and nothing moves
it where one of them is pinned. Were a vertex as heavy as the collider across the normal too, cloth
that balls pull to one side would drag them there, and a sack of balls would set off by itself.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ...arrays import Ints
from ...collision.contact_law import within_cone
from ...kernels.jit import lean, lean_inline
from ...vec3 import (
    add,
    along,
    divide,
    dot,
    length,
    load,
    set_vec,
    shift,
    sub,
    vec,
)
from .contact_places import displacement, mobility_along, owner_motion, push_apart

FOOTHOLD = np.dtype(
    [
        ("piece", np.int32),  # of cloth, that its vertices are a part of
        ("friction", np.float64),  # μ' of its vertices on what backs them, the smallest
        ("way", np.float64, (3,)),  # m, of what backs them in the substep
        ("impulse", np.float64, (3,)),  # kg·m, G times h, so far in this substep
    ],
    align=True,
)
"""What is behind the vertices of a contact that presses them onto a collider."""

ClothPieces = namedtuple(
    "ClothPieces",
    [
        "of_particle",  # (n,)
        "inverse_mass",  # (p,) 1/kg, 0 where a vertex is pinned
        "way",  # (p, 3) m, that bodies have dragged each as a whole in this substep
    ],
)
"""Particles that sticks join."""

Footholds = namedtuple("Footholds", ["row", "pieces"])
"""Of all contacts, (f,) FOOTHOLD, and the `ClothPieces`."""


def foothold_room(count: int, piece: Ints) -> Footholds:
    """Room for so many, on the pieces that each particle is a part of."""
    pieces = int(piece.max(initial=-1)) + 1
    cloth = ClothPieces(piece, np.zeros(pieces), np.zeros((pieces, 3)))
    return Footholds(np.zeros(count, dtype=FOOTHOLD), cloth)


@lean
def weigh_pieces(pieces, inverse_mass):
    """Weigh each piece anew, which has gone nowhere yet."""
    of_particle, total, way = pieces
    total[:] = 0.0
    way[:] = 0.0
    for i in range(of_particle.shape[0]):
        p = of_particle[i]
        if inverse_mass[i] == 0.0:
            total[p] = -1.0
        elif total[p] >= 0.0:
            total[p] += 1.0 / inverse_mass[i]
    for p in range(total.shape[0]):
        total[p] = 1.0 / total[p] if total[p] > 0.0 else 0.0


@lean_inline
def drag_piece(pieces, p, impulse):
    """Give piece p an impulse in kg·m."""
    shift(pieces.way, p, pieces.inverse_mass[p], impulse)


@lean
def move_pieces(pieces, x):
    """Move all of each piece by its way, which is done then."""
    of_particle, inverse_mass, way = pieces
    for i in range(of_particle.shape[0]):
        p = of_particle[i]
        if inverse_mass[p] > 0.0:
            shift(x, i, 1.0, load(way, p))
    way[:] = 0.0


@lean_inline
def held_against(contact, movable, n, u, impulse, give):
    """The sum of impulses (kg·m) that would hold against the way u m of a relative to b, across n.

    give: 1/kg, that something behind a gives way by, besides both places.
    """
    u = along(u, -dot(u, n), n)
    size = length(u)
    if size > 0.0:
        mobility = mobility_along(contact, movable, divide(u, size)) + give
        if mobility > 0.0:
            return along(impulse, -1.0 / mobility, u)
    return impulse


@lean_inline
def rub_backed(contact, movable, n):
    """Hold against sliding on what is behind the vertices of a contact, first on the collider."""
    pieces = movable.footholds.pieces
    foot = movable.footholds.row[contact["foothold"]]
    piece, size = foot["piece"], contact["normal_impulse"]
    give = pieces.inverse_mass[piece]
    before = vec(contact["friction_impulse"])
    if give > 0.0:  # else its piece is pinned, which holds whatever the collider does not
        held = vec(foot["impulse"])
        u = sub(vec(foot["way"]), owner_motion(contact["place"][1], movable.owners, movable.h))
        now = held_against(contact, movable, n, u, held, 0.0)
        now = within_cone(now, min(foot["friction"], contact["friction"]) * size)
        set_vec(foot["impulse"], now)
        more = sub(now, held)
        push_apart(contact, movable, more)
        before = add(before, more)
    u = displacement(contact, movable.particles, movable.owners, movable.h)
    u = add(u, load(pieces.way, piece))
    now = held_against(contact, movable, n, u, before, give)
    now = within_cone(now, contact["friction"] * size)
    set_vec(contact["friction_impulse"], now)
    more = sub(now, before)
    push_apart(contact, movable, more)
    drag_piece(pieces, piece, more)
