"""The couple that contacts of surfaces have given, taken back from the pieces that they are of.

Two surfaces touch a thickness apart, so friction between them is a couple. Each of the two takes
half of it back (it acts in the middle between them), and as one rigid piece, by

    Δx = ω × (x* − c*),      I* ω = −½ couple,

which leaves linear momentum as it is and turns nothing against anything within the piece: that
would shake what is folded smaller than it is thick. A piece that is pinned somewhere takes nothing
back: its pins do. Nor does one of lines, which would have to turn about itself: cloth that it meets
takes all, and of two lines nobody does. What meets itself is bent, and takes all. (See
`angular_momentum`; `couple_return` for what is met by particles.)
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ...angular_momentum import inertia_about_centre, solve_inertia, turn_back
from ...arrays import Ints
from ...geometry.surface import connected_parts
from ...kernels.jit import kernel, lean_inline
from ...vec3 import ZERO, add_to, along, cross, scale, set_vec, sub, vec
from .contact_places import weighted_place

PIECE = np.dtype(
    [
        ("first_member", np.int32),  # row of the members of all pieces
        ("is_line", np.int32),  # nothing of it has a face
        ("couple", np.float64, (3,)),  # kg·m², h times the angular momentum that it gained
    ],
    align=True,
)

ConnectedPieces = namedtuple(
    "ConnectedPieces",
    [
        "of_vertex",  # (n,) row of each vertex' piece
        "member",  # (m,) vertices of cloth, piece by piece
        "row",  # (p + 1,) PIECE, the last one as an end
    ],
)
"""The connected pieces of all cloth and threads."""


def pieces_of(triangle: Ints, line: Ints, count: int) -> ConnectedPieces:
    """Pieces of triangles (t, 3) and lines (l, 3), as triangles, among ``count`` vertices."""
    with_faces = np.unique(triangle)
    triangle = np.concatenate([triangle, line])
    edges = np.concatenate([triangle[:, [0, 1]], triangle[:, [1, 2]]])
    rows = np.unique(triangle).astype(np.int32)
    label = connected_parts(count, edges)
    _, own = np.unique(label[rows], return_inverse=True)
    of_vertex = np.zeros(count, dtype=np.int32)
    of_vertex[rows] = own.reshape(-1)
    member = rows[np.argsort(of_vertex[rows], kind="stable")]
    row = np.zeros(int(of_vertex.max(initial=-1)) + 2, PIECE)
    row["first_member"] = np.searchsorted(of_vertex[member], np.arange(len(row)))
    row["is_line"] = 1
    row["is_line"][of_vertex[with_faces]] = 0
    return ConnectedPieces(of_vertex, member, row)


@lean_inline
def forget_couples(pieces):
    """Begin a substep with none."""
    for p in range(pieces.row.shape[0]):
        set_vec(pieces.row[p]["couple"], ZERO)


@lean_inline
def note_couple(pieces, corner, couple):
    """Note what a contact of cloth with cloth, with these corners, has given, kg·m²."""
    row, p, q = pieces.row, pieces.of_vertex[corner[0]], pieces.of_vertex[corner[3]]
    if p == q:
        add_to(row[p]["couple"], couple)
        return
    one, other = row[p], row[q]
    faces = 2.0 - one["is_line"] - other["is_line"]
    if one["is_line"] == 0:
        add_to(one["couple"], scale(1.0 / faces, couple))
    if other["is_line"] == 0:
        add_to(other["couple"], scale(1.0 / faces, couple))


@lean_inline
def _take_back(pieces, x, previous, inverse_mass):
    """Turn pieces by what takes their couples back, in x (n, 3) m; previous (n, 3) m: x*."""
    row, member = pieces.row, pieces.member
    for p in range(row.shape[0] - 1):
        couple = vec(row[p]["couple"])
        if couple == ZERO:
            continue
        first, last = row[p]["first_member"], row[p + 1]["first_member"]
        mass, centre, sums = inertia_about_centre(member, first, last, previous, inverse_mass)
        if mass > 0.0:
            turn = solve_inertia(sums, scale(-1.0, couple))
            turn_back(member, first, last, x, previous, centre, turn)


@lean_inline
def _push_of(contact):
    """What a contact has pushed with so far, kg·m."""
    normal = vec(contact["normal"])
    return along(vec(contact["friction_impulse"]), contact["normal_impulse"], normal)


@lean_inline
def _apart(contact, places):
    """The way from b to a at some places (n, 3) m."""
    return weighted_place(contact["corner"], contact["weight"], places)


@kernel
def note_couples_before(contacts, count, pieces, before, previous):
    """Note by how much couples were others where x* was before (n, 3) m, up to now.

    What has moved x and x* alike since then, from before to previous, reckons with the ways that
    these pushes made. Of the first ``count`` contacts, of cloth with cloth.
    """
    for n in range(count):
        contact = contacts[n]
        if contact["normal_impulse"] != 0.0:
            moved = sub(_apart(contact, before), _apart(contact, previous))
            note_couple(pieces, contact["corner"], cross(moved, _push_of(contact)))


@kernel
def return_surface_couples(contacts, count, pieces, x, previous, inverse_mass):
    """Take back what has been noted, and couples of the first ``count`` contacts, in x (n, 3) m.

    These are of cloth with cloth. previous (n, 3) m: x*.
    """
    for n in range(count):
        contact = contacts[n]
        if contact["normal_impulse"] != 0.0:
            couple = cross(_apart(contact, previous), _push_of(contact))
            note_couple(pieces, contact["corner"], couple)
    _take_back(pieces, x, previous, inverse_mass)
