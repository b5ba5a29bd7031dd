"""Pieces of cloth and rope against shapes: what lies between particles collides too.

A piece is a triangle of cloth or a stretch of rope, as thick as its particles keep away. Contacts
of single particles do where a shape is wide and flat; a piece is looked at only where they do not:
at edges and corners, at balls and capsules smaller than the mesh, at the vertices of a mesh. The
nearest point then lies between the particles, and each takes its share of the push.

Everything is found where things stand at the start of a substep, when they are still apart, and
asked for at its end: what is fast does not come out on the wrong side.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ...collision.axis_boxes import are_apart, highest, lowest, widened
from ...collision.kinds import BOX, CAPSULE, CYLINDER, HULL, MESH, SPHERE
from ...collision.narrow_phase import parts_of, slot_of
from ...collision.piece_distance import closest_of_piece
from ...collision.point_distance import is_beyond, solid_distance
from ...collision.shapes import way_by_turning
from ...collision.support import Placed, ShapeParts
from ...coupling.tied_pieces import tied_of
from ...kernels.jit import kernel, lean, lean_inline
from ...vec3 import (
    add,
    along,
    between,
    cross,
    divide,
    dot,
    dot2,
    length,
    load,
    rotate,
    scale,
    sub,
    unrotate,
)
from .contact_point import has_room, join_particles, join_shape, note_contact
from .hook import ContactHook, Meeting, Surroundings
from .piece_search import LOOK_EVERY, NEAR_PIECE, Paths, find_near_pieces, pieces_of, slack_of

AT_VERTEX = 0.999
"""Weight of a particle in the nearest point from which its own contact does."""

ROUND_ENOUGH = 4.0
"""A curved shape of radius R does not show through pieces shorter than √(this · R · thickness): it
rises between the particles by an eighth of their length² over R, half of what they keep away."""

Solids = namedtuple(
    "Solids",
    [
        "shapes",
        "edges",  # of all meshes, see `mesh_edges`
        "first_use",  # (v,) for each vertex of a mesh one triangle that has it
        "owner_inverse_mass",  # (o,) 1/kg
        "scratch",  # of the narrow phase
    ],
)
"""What pieces touch."""


class PieceContacts(ContactHook):
    """Triangles of cloth and stretches of rope against shapes."""

    def __init__(self, about: Surroundings) -> None:
        model = about.model
        self.model, self.about = model, about
        self.pieces = pieces_of(about.piece)
        self.near = np.zeros(len(about.piece), NEAR_PIECE)
        self.near_count = 0
        triangle = model.shapes.meshes.triangle
        first_use = np.zeros(len(model.shapes.meshes.vertex), dtype=np.int32)
        first_use[triangle[::-1]] = np.arange(len(triangle), dtype=np.int32)[::-1, None]
        touching = about.touching
        weights = about.owners.inverse_mass
        self.solids = Solids(about.shapes, touching.edges, first_use, weights, touching.scratch)
        self.all_tied = self.tied = tied_of(model, about.ties)

    @property
    def is_any(self) -> bool:
        """Always: they are only made where a model has pieces and shapes."""
        return True

    def begin(self, meeting: Meeting) -> None:
        """See what is tied in this frame: some may have been let go."""
        self.near_count = 0
        self.tied = self.all_tied
        loose = [tie for tie in self.about.ties if not tie.holds(meeting.animated)]
        if loose:
            row = self.all_tied.row.copy()
            for tie in loose:
                row[tie.particle] = -1
            self.tied = self.all_tied._replace(row=row)

    def look(self, meeting: Meeting) -> None:
        """Note every few substeps which pieces are near which shapes."""
        if meeting.substep % LOOK_EVERY:
            return
        x, previous, _ = meeting.particles
        near = (self.pieces, self.about.shapes, self.about.touching.mesh_tree, self.tied)
        parted = self.model.surfaces.parts_meshes
        paths = Paths(x, previous, self.model.particles.radius, slack_of(meeting.fall))
        while (count := find_near_pieces(*near, parted, paths, self.near)) > len(self.near):
            self.near = np.zeros(count * 3 // 2, NEAR_PIECE)
        self.near_count = count

    def find(self, c: int, meeting: Meeting) -> int:
        """Contacts of the pieces that are near a shape."""
        if not self.near_count:
            return c
        near = (
            self.near,
            self.near_count,
            self.about.piece,
            self.model.particles.radius,
            self.solids,
        )
        return find_piece_contacts(c, meeting.contacts, *near, meeting.particles)


@lean_inline
def _seen_from(shapes, s, places):
    """Three places in the frame of shape s, as it was before the substep."""
    r, centre = shapes.rotation_before[s], load(shapes.centre_before, s)
    a, b, c = places
    return (
        unrotate(r, sub(a, centre)),
        unrotate(r, sub(b, centre)),
        unrotate(r, sub(c, centre)),
    )


@lean_inline
def _do_vertices(shapes, s, ends, thick):
    """Whether the particles' own contacts do for the piece between three, given in its frame."""
    kind, size = shapes.kind[s], load(shapes.size, s)
    a, b, c = ends
    d, e = sub(a, b), sub(a, c)
    long = max(abs(d[0]), max(abs(d[1]), abs(d[2])))
    long = max(long, max(abs(e[0]), max(abs(e[1]), abs(e[2]))))
    is_round_enough = long * long < ROUND_ENOUGH * size[0] * thick
    if kind in (SPHERE, CAPSULE):
        return is_round_enough
    if kind == BOX:  # all over one and the same face
        ix = abs(a[0]) <= size[0] and abs(b[0]) <= size[0] and abs(c[0]) <= size[0]
        iy = abs(a[1]) <= size[1] and abs(b[1]) <= size[1] and abs(c[1]) <= size[1]
        iz = abs(a[2]) <= size[2] and abs(b[2]) <= size[2] and abs(c[2]) <= size[2]
        return (ix and iy) or (iy and iz) or (ix and iz)
    if kind == CYLINDER:
        if (
            math.sqrt(a[0] * a[0] + a[1] * a[1]) <= size[0]
            and math.sqrt(b[0] * b[0] + b[1] * b[1]) <= size[0]
            and math.sqrt(c[0] * c[0] + c[1] * c[1]) <= size[0]
        ):
            return True
        iz = abs(a[2]) <= size[1] and abs(b[2]) <= size[1] and abs(c[2]) <= size[1]
        return iz and is_round_enough
    return False


@lean_inline
def _note(contacts, c, s, piece, weights, place, normal):
    """Note the contact of Σ wᵢ xᵢ over a piece with a place on shape s, at the step's end."""
    corners, thick = piece
    if has_room(contacts, c):
        wi, wj, wk = weights
        if corners[1] == corners[2]:
            wj, wk = wj + wk, 0.0
        join_particles(contacts, c, 0, corners, (wi, wj, wk))
        join_shape(contacts, c, 1, s, place)
        note_contact(contacts, c, normal, thick)
    return c + 1


@lean_inline
def _weighted(x, corners, weights):
    """The place Σ wᵢ xᵢ over three particles."""
    p = along(scale(weights[0], load(x, corners[0])), weights[1], load(x, corners[1]))
    return along(p, weights[2], load(x, corners[2]))


@lean_inline
def _carried(shapes, s, place):
    """Where a place of shape s gets to by the end of the substep."""
    local = unrotate(shapes.rotation_before[s], sub(place, load(shapes.centre_before, s)))
    return add(rotate(shapes.rotation[s], local), load(shapes.centre, s))


@lean_inline
def _gap_of_solid(hulls, shapes, s, p):
    """How far outside of shape s a place p of its frame is, m."""
    gap, _ = solid_distance(hulls, shapes.kind[s], shapes.size[s], shapes.hull[s], 0, p, p, 0.0)
    return gap


@lean_inline
def _approach(shapes, s, piece, x, previous):
    """How far m a piece and a shape may come towards each other in this step; −1 if not near."""
    (i, j, k), thick = piece
    low = lowest(load(previous, i), lowest(load(previous, j), load(previous, k)))
    low = lowest(low, lowest(load(x, i), lowest(load(x, j), load(x, k))))
    high = highest(load(previous, i), highest(load(previous, j), load(previous, k)))
    high = highest(high, highest(load(x, i), highest(load(x, j), load(x, k))))
    low, high = widened(low, high, thick)
    if are_apart(low, high, load(shapes.lower, s), load(shapes.upper, s)):
        return -1.0
    reach = 0.0
    for d in range(3):
        way = max(abs(x[i, d] - previous[i, d]), abs(x[j, d] - previous[j, d]))
        reach += max(way, abs(x[k, d] - previous[k, d]))
        reach += abs(shapes.centre[s, d] - shapes.centre_before[s, d])
    return reach + (way_by_turning(shapes, s) + 0.02 * thick)


@lean_inline
def _corner_count(solids, s):
    """Corners of shape s, or of one triangle of a mesh, that may lie over the middle of a piece."""
    kind = solids.shapes.kind[s]
    if kind == BOX:
        return 8
    if kind == HULL:
        hull, first = solids.shapes.hull[s], solids.shapes.hull_first_vertex
        return first[hull + 1] - first[hull]
    return 3 if kind == MESH else 0


@lean_inline
def _corner_at(solids, s, triangle, corner):
    """A corner in the frame of shape s, and whether it is this triangle's to look at."""
    shapes = solids.shapes
    kind, size = shapes.kind[s], load(shapes.size, s)
    if kind == BOX:
        place = (
            size[0] if corner & 1 else -size[0],
            size[1] if corner & 2 else -size[1],
            size[2] if corner & 4 else -size[2],
        )
        return place, True
    if kind == HULL:
        first = shapes.hull_first_vertex[shapes.hull[s]]
        return load(shapes.hull_vertex, first + corner), True
    v = shapes.mesh_triangle[triangle, corner]
    return load(shapes.mesh_vertex, v), solids.first_use[v] == triangle


@lean
def _find_corners(c, contacts, solids, part, piece, previous, within):
    """Contacts of a triangle with the corners of a shape that lie over it; the row after them.

    part: the shape, and which of its triangles if it is a mesh. Those not deeper than within[0]
    and not farther than within[1], m. The middle of a solid shape says on which side of the
    triangle it belongs; a mesh stays where it is. A corner has come through a triangle only where
    that cuts the shape: what hangs beside it may lie over the corner too.
    """
    (i, j, k), thick = piece
    s, triangle = part
    shapes, (_, hulls, _) = solids.shapes, parts_of(solids.shapes)
    is_solid, centre = shapes.kind[s] != MESH, load(shapes.centre_before, s)
    first, u, w = load(previous, i), between(previous, i, j), between(previous, i, k)
    across = cross(u, w)
    size = length(across)
    if size <= 1e-12 * dot2(u, u, w, w):
        return c
    across = divide(across, size)
    uu, uw, ww = dot(u, u), dot(u, w), dot(w, w)
    area = uu * ww - uw * uw
    middle = dot(across, sub(first, centre))
    for number in range(_corner_count(solids, s)):
        local, is_its = _corner_at(solids, s, triangle, number)
        if not is_its:
            continue
        corner = add(rotate(shapes.rotation_before[s], local), centre)
        d = sub(corner, first)
        normal, height = across, -dot(across, d)
        if (middle if is_solid else height) < 0.0:
            normal, height = scale(-1.0, normal), -height
        if height - thick > within[1] or height < -within[0]:
            continue
        du, dw = dot(d, u), dot(d, w)
        wj = (ww * du - uw * dw) / area
        wk = (uu * dw - uw * du) / area
        wi = 1.0 - wj - wk
        if wi < 0.0 or wj < 0.0 or wk < 0.0:
            continue
        if height < -thick and is_solid:
            foot = sub(along(corner, height, normal), centre)
            if _gap_of_solid(hulls, shapes, s, unrotate(shapes.rotation_before[s], foot)) > thick:
                continue
        place = add(rotate(shapes.rotation[s], local), load(shapes.centre, s))
        c = _note(contacts, c, s, piece, (wi, wj, wk), place, normal)
    return c


@kernel
def find_piece_contacts(c, contacts, near, near_count, corner, radius, solids, particles):
    """Contacts of pieces with shapes, written from row c on; returns the row after them.

    near from `find_near_pieces`; corner (e, 3) of each piece; radius (n,) m of each particle. May
    return more than fit.
    """
    x, previous, inverse_mass = particles
    shapes = solids.shapes
    own = slot_of(solids.scratch, 0)
    _, hulls, meshes = parts_of(shapes)
    placed = Placed(shapes.kind, shapes.size, shapes.centre_before, shapes.rotation_before)
    before = ShapeParts(placed, hulls, meshes, solids.edges)
    for n in range(near_count):
        e, s, triangle = near[n]["piece"], near[n]["shape"], np.int64(near[n]["triangle"])
        i, j = corner[e, 0], corner[e, 1]
        is_wire = corner[e, 2] < 0
        k = j if is_wire else corner[e, 2]
        if (
            inverse_mass[i] + inverse_mass[j] + inverse_mass[k] == 0.0
            and shapes.particle_body[s] < 0
            and solids.owner_inverse_mass[shapes.owner[s]] == 0.0
        ):
            continue
        ends, thick = (i, j, k), min(radius[i], min(radius[j], radius[k]))
        piece = (ends, thick)
        reach = _approach(shapes, s, piece, x, previous)
        if reach < 0.0:
            continue
        is_mesh = shapes.kind[s] == MESH
        places = (load(previous, i), load(previous, j), load(previous, k))
        if not is_mesh:
            seen, size = _seen_from(shapes, s, places), load(shapes.size, s)
            if _do_vertices(shapes, s, seen, thick):
                continue
            if is_beyond(hulls, shapes.kind[s], size, shapes.hull[s], seen, thick + reach):
                continue
        corners = 0 if is_wire else _corner_count(solids, s)
        first = c
        if corners > 0:
            deep = min(shapes.size[s, 0], min(shapes.size[s, 1], shapes.size[s, 2]))
            within = (thick + reach if is_mesh else deep, reach)
            c = _find_corners(c, contacts, solids, (s, triangle), piece, previous, within)
        if is_mesh and not is_wire:
            continue
        gap, normal, weights = closest_of_piece(before, s, triangle, places, thick, reach, own)
        wi, wj, wk = weights
        if gap > reach or wi > AT_VERTEX or (wk if is_wire else 0.0) + wj > AT_VERTEX:
            continue
        if wk > AT_VERTEX or (c > first and min(wi, min(wj, wk)) > 1e-6):
            continue  # a particle, or a corner over the middle of the triangle: done already
        # over a level face any point of the triangle is nearest, one in its middle as well
        surface = along(_weighted(previous, ends, weights), -(gap + thick), normal)
        c = _note(contacts, c, s, piece, weights, _carried(shapes, s, surface), normal)
    return c
