"""Bodies on cloth that lies on something: what is squeezed between the two passes the push on.

A vertex of cloth weighs a hundredth of a gram. A plate on it pushes it into the table, the table
pushes it out again, and what little momentum it carries from one to the other in a pass bears next
to nothing: the plate would sink through the cloth until it stands on the table. But a vertex that a
collider backs gives way to nothing that presses it there. In such a contact it weighs as much as
the collider: the body rests on it at its true place, and is dragged by it with up to μ times its
whole weight (Coulomb). What the vertex feels of both, it feels after the passes, by its own mass.
Nor does any other contact move it along that push: where the side of the same plate lifted it, the
plate would follow the vertex and lift it farther, pass by pass, until both fly.
A contact that presses it along the collider, as the side of the plate does, is one like all others.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ...arrays import NONE
from ...collision.contact_law import joint_friction, within_cone
from ...collision.kinds import MESH
from ...collision.narrow_phase import parts_of
from ...collision.point_distance import solid_distance
from ...collision.shapes import face_count, passes_by, place_before
from ...coupling.pin_hold import LEAST_SHARE, is_heavy
from ...geometry.surface import connected_parts
from ...kernels.jit import inline, kernel, lean_inline
from ...vec3 import (
    ZERO,
    add_cross,
    along,
    divide,
    dot,
    length,
    load,
    rotate,
    scale,
    set_vec,
    shift,
    store,
    sub,
    unrotate,
    vec,
)
from .contact_point import BACKED, PARTICLES, SLIDING, UNBACKED
from .foothold import drag_piece, foothold_room, move_pieces, weigh_pieces
from .hook import ContactHook, Meeting, Surroundings
from .mesh_ground import BACKED_GAP

OPPOSITE = 0.5
"""Cosine between the push of a body and the way into what backs the vertex, from which it does."""


Grounds = namedtuple(
    "Grounds",
    [
        "shapes",
        "collider_count",  # of shapes that are colliders, first of all
        "radius",  # (n,) m that vertices keep away
        "mesh",  # what of meshes is next to vertices of cloth, see `MeshGround`
    ],
)
"""What vertices may lie on."""

Backed = namedtuple(
    "Backed",
    [
        "shape",  # (n,) that a vertex lies on, or `NONE`
        "barred",  # (n, 3) unit, along which contacts that it is not backed in leave it alone, or 0
        "moved",  # (n, 3) m, how far what it lies on has moved besides as its shape does
    ],
)
"""What is found of vertices that bodies press on."""

Rubbing = namedtuple("Rubbing", ["shapes", "backed", "friction", "footholds"])
"""What rubs against vertices: what each lies on, its friction, (n,), and `foothold`."""


class Squeeze(ContactHook):
    """Vertices that bodies press onto colliders."""

    def __init__(self, about: Surroundings) -> None:
        model = about.model
        self.grounds = Grounds(
            about.shapes,
            model.collider_shape_count,
            model.particles.radius,
            about.ground,
        )
        count = len(model.particles)
        backing = np.full(count, NONE, dtype=np.int32)
        self.backed = Backed(backing, np.zeros((count, 3)), np.zeros((count, 3)))
        self.is_any_backed = False
        self.footholds = foothold_room(0, connected_parts(count, model.sticks.pair))

    def hold(self, meeting: Meeting) -> None:
        """See which contacts press vertices onto what backs them."""
        moving = (meeting.particles, meeting.owners)
        contacts = (meeting.contacts, meeting.count)
        if len(self.footholds.row) < meeting.count:
            self.footholds = foothold_room(2 * meeting.count, self.footholds.pieces.of_particle)
        rubbing = Rubbing(self.grounds.shapes, self.backed, meeting.friction, self.footholds)
        self.is_any_backed = back_contacts(*contacts, *moving, self.grounds, rubbing)
        meeting.backing, meeting.barred = self.backed.shape, self.backed.barred
        meeting.footholds = self.footholds

    def support(self, meeting: Meeting) -> None:
        """Let both sides rub against what is squeezed."""
        if not self.is_any_backed:
            return
        contacts = (meeting.contacts.solving, meeting.count)
        rubbing = Rubbing(self.grounds.shapes, self.backed, meeting.friction, self.footholds)
        rub_squeezed(*contacts, meeting.particles, meeting.owners, rubbing, meeting.h)


@lean_inline
def _presser(making, shapes, owners):
    """The body, awake or asleep, that presses on the particles of a contact; −1 for none."""
    s = making["shape"][1]
    if making["shape"][0] != PARTICLES or s < 0 or shapes.particle_body[s] >= 0:
        return -1
    o = shapes.owner[s]
    return o if owners.driven[o] == 0 else -1


@lean_inline
def _mesh_behind(i, s, x, grounds):
    """Gap (m) to mesh s of vertex i of cloth, at both ends of the substep; way out; `Backed.moved`.

    Infinite where another is nearer, or none.
    """
    shapes, mesh, radius = grounds.shapes, grounds.mesh, grounds.radius[i]
    if i >= mesh.shape.shape[0] or mesh.shape[i] != s:
        return math.inf, 0.0, ZERO, ZERO
    out, point = load(mesh.out, i), load(mesh.point, i)
    gap = dot(sub(load(x, i), point), out) - radius
    carried = sub(point, place_before(shapes, s, point))
    return gap, mesh.distance[i] - radius, out, sub(load(mesh.way, i), carried)


@lean_inline
def _solid_behind(i, s, face, x, previous, grounds):
    """`_mesh_behind` of a shape that has an inside."""
    shapes, radius = grounds.shapes, grounds.radius[i]
    _, hulls, _ = parts_of(shapes)
    kind, size, hull, r = shapes.kind[s], shapes.size[s], shapes.hull[s], shapes.rotation[s]
    p = unrotate(r, sub(load(x, i), load(shapes.centre, s)))
    o = unrotate(shapes.rotation_before[s], sub(load(previous, i), load(shapes.centre_before, s)))
    gap, out = solid_distance(hulls, kind, size, hull, face, p, o, radius)
    if gap > BACKED_GAP * radius:
        return gap, 0.0, ZERO, ZERO
    was, _ = solid_distance(hulls, kind, size, hull, face, o, o, radius)
    return gap, was, rotate(r, out), ZERO


@lean_inline
def _look_behind(i, x, previous, grounds):
    """The collider that vertex i lies on, how far from it (m), which way is out of it, and `moved`.

    One that was in it already lies on nothing: to be laid on it would be a leap.
    """
    shapes, radius = grounds.shapes, grounds.radius[i]
    for s in range(grounds.collider_count):
        is_mesh = shapes.kind[s] == MESH
        if not is_mesh and passes_by(shapes, s, x, previous, i, (1.0 + BACKED_GAP) * radius):
            continue
        for face in range(face_count(shapes.kind[s])):
            if is_mesh:
                gap, was, out, moved = _mesh_behind(i, s, x, grounds)
            else:
                gap, was, out, moved = _solid_behind(i, s, face, x, previous, grounds)
            if gap <= BACKED_GAP * radius and was >= -BACKED_GAP * radius:
                return s, gap, out, moved
    return NONE, 0.0, ZERO, ZERO


@kernel
def back_contacts(contacts, count, particles, owners, grounds, rubbing):
    """Note which contacts press light vertices onto a collider, and lay these vertices on it.

    They have been found, but not prepared: what they join is told by their shapes. Those with a
    vertex on a collider stay as they are when contacts are gone over again.
    """
    x, previous, inverse_mass = particles
    shapes, (backing, barred, carried), friction, footholds = rubbing
    solving = contacts.solving
    feet = 0
    for c in range(count):
        for k in range(4 if contacts.making[c]["shape"][0] == PARTICLES else 0):
            i = solving[c]["place"][0]["particle"][k]
            backing[i] = NONE
            store(barred, i, ZERO)
    for c in range(count):
        contact = solving[c]
        o = _presser(contacts.making[c], shapes, owners)
        if o < 0:
            continue
        place, w = contact["place"][0], owners.inverse_mass[o]
        foot = footholds.row[feet]
        foot["friction"] = math.inf
        is_backed, most, into, way, total = True, 0.0, ZERO, ZERO, 0.0
        for k in range(4):
            i = place["particle"][k]
            if place["weight"][k] < LEAST_SHARE:
                continue
            if not is_heavy(w, inverse_mass[i]):
                is_backed = False
                continue
            s, gap, out, moved = _look_behind(i, x, previous, grounds)
            backing[i] = s
            store(carried, i, moved)
            if s != NONE:
                contact["stays"] = 1
            if s == NONE or dot(vec(contact["normal"]), out) > -OPPOSITE:
                is_backed = False
                continue
            shift(x, i, -gap, out)
            share = place["weight"][k]
            way = along(way, share, sub(load(x, i), _ground_before(i, s, x, rubbing)))
            total += share
            foot["friction"] = min(
                foot["friction"], joint_friction(friction[i], shapes.friction[s])
            )
            if share > most:
                most, into = share, scale(-1.0, out)
                foot["piece"] = footholds.pieces.of_particle[i]
        if is_backed and most > 0.0:
            contact["footing"], contact["foothold"] = BACKED, feet
            set_vec(foot["way"], divide(way, total))
            set_vec(foot["impulse"], ZERO)
            feet += 1
            set_vec(contact["normal"], into)  # what slides there lifts nothing at a round edge
            for k in range(4):
                if place["weight"][k] >= LEAST_SHARE:
                    store(barred, place["particle"][k], into)
    if feet == 0:
        return False
    weigh_pieces(footholds.pieces, inverse_mass)
    for c in range(count):
        if solving[c]["footing"] == UNBACKED and _meets_backed(
            solving[c], contacts.making[c], barred
        ):
            solving[c]["footing"] = SLIDING
    return True


@lean_inline
def _meets_backed(contact, making, barred):
    """Whether a contact has particles that another presses onto what backs them."""
    for side in range(2):
        place = contact["place"][side]
        for k in range(4 if making["shape"][side] == PARTICLES else 0):
            if place["weight"][k] != 0.0 and load(barred, place["particle"][k]) != ZERO:
                return True
    return False


@lean_inline
def _ground_before(i, s, x, rubbing):
    """Where the place of shape s that vertex i lies on was at the start of the substep, m."""
    return sub(place_before(rubbing.shapes, s, load(x, i)), load(rubbing.backed.moved, i))


@inline
def _rub(i, u, n, most, x):
    """Take from the way u of vertex i across n up to ``most`` m; returns what that moves it by."""
    taken = scale(-1.0, within_cone(along(u, -dot(u, n), n), most))
    shift(x, i, 1.0, taken)
    return taken


@kernel
def rub_squeezed(solving, count, particles, owners, rubbing, h):
    """Friction of bodies and of what backs them on squeezed vertices, in x.

    The one that holds more firmly has the last word. What a body takes a vertex along by, the rest
    of its piece of cloth loses: the body has rubbed against both.
    """
    x, previous, inverse_mass = particles
    shapes, (backing, _, _), friction, (feet, pieces) = rubbing
    move_pieces(pieces, x)
    for c in range(count):
        contact = solving[c]
        if contact["footing"] != BACKED or contact["normal_impulse"] == 0.0:
            continue
        place, o = contact["place"][0], contact["place"][1]["owner"]
        n = vec(contact["normal"])
        held = length(vec(feet[contact["foothold"]]["impulse"]))
        for k in range(4):
            i, share = place["particle"][k], place["weight"][k]
            if share < LEAST_SHARE:
                continue
            s, w = backing[i], share * inverse_mass[i]
            push = contact["normal_impulse"] * w
            by_body = contact["friction"] * push
            by_backing = joint_friction(friction[i], shapes.friction[s]) * push
            by_backing = max(0.0, by_backing - w * held)  # what the body has not rubbed against
            arm = sub(load(previous, i), load(owners.position, o))
            ride = scale(h, add_cross(load(owners.velocity, o), load(owners.spin, o), arm))
            for turn in range(2):
                if (turn == 0) == (by_body < by_backing):
                    way = sub(load(x, i), load(previous, i))
                    taken = _rub(i, sub(way, ride), n, by_body, x)
                    p = pieces.of_particle[i]
                    drag_piece(pieces, p, scale(-1.0 / inverse_mass[i], taken))
                else:
                    before = _ground_before(i, s, x, rubbing)
                    _rub(i, sub(before, load(previous, i)), n, by_backing, x)
    move_pieces(pieces, x)
