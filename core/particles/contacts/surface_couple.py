"""The couple that contacts of surfaces have given, taken back from the pieces that they are of.

Two surfaces touch a thickness apart, so friction between them is a couple. Each of the two takes
half of it back (it acts in the middle between them), and as one rigid piece, by

    Δx = ω × (x* − c*),      I* ω = −½ couple,

which leaves linear momentum as it is and turns nothing against anything within the piece: that
would shake what is folded smaller than it is thick. A piece that is pinned somewhere takes nothing
back: its pins do. Nor does one of lines, which would have to turn about itself: what it meets takes
all. (See `angular_momentum`; `couple_return` for what is met by particles.)
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ...angular_momentum import inertia_about_centre, solve_inertia, turn_back
from ...arrays import Ints
from ...geometry.surface import connected_parts
from ...kernels.jit import kernel, lean_inline
from ...vec3 import ZERO, add_to, along, cross, load, scale, set_vec, vec

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
def _relieve(pieces, p, x, previous, inverse_mass):
    """Turn piece p by what takes its couple back."""
    member, piece = pieces.member, pieces.row[p]
    first, last = piece["first_member"], pieces.row[p + 1]["first_member"]
    mass, centre, sums = inertia_about_centre(member, first, last, previous, inverse_mass)
    if mass == 0.0:
        return
    turn = solve_inertia(sums, scale(-1.0, vec(piece["couple"])))
    turn_back(member, first, last, x, previous, centre, turn)


@kernel
def return_surface_couples(contacts, count, pieces, x, previous, inverse_mass):
    """Take the couples of the first ``count`` contacts, of cloth with cloth, back in x (n, 3) m.

    previous (n, 3) m: x*.
    """
    row = pieces.row
    for p in range(row.shape[0]):
        set_vec(row[p]["couple"], ZERO)
    for n in range(count):
        contact = contacts[n]
        if contact["normal_impulse"] == 0.0:
            continue
        corner, weight = contact["corner"], contact["weight"]
        apart = ZERO
        for c in range(4):
            apart = along(apart, weight[c], load(previous, corner[c]))
        push = along(
            vec(contact["friction_impulse"]), contact["normal_impulse"], vec(contact["normal"])
        )
        couple = cross(apart, push)
        one, other = row[pieces.of_vertex[corner[0]]], row[pieces.of_vertex[corner[3]]]
        share = 0.5 + 0.5 * (other["is_line"] - one["is_line"])
        add_to(one["couple"], scale(share, couple))
        add_to(other["couple"], scale(1.0 - share, couple))
    for p in range(row.shape[0] - 1):
        if vec(row[p]["couple"]) != ZERO:
            _relieve(pieces, p, x, previous, inverse_mass)
