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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import NONE
from ...collision.contact_law import within_cone
from ...collision.shapes import place_before
from ...coupling.pin_hold import LEAST_SHARE
from ...geometry.surface import connected_parts
from ...kernels.jit import inline, kernel, lean_inline
from ...rigid.owners import velocity_at
from ...vec3 import (
    ZERO,
    along,
    divide,
    dot,
    length,
    load,
    scale,
    set_vec,
    shift,
    store,
    sub,
    vec,
)
from .contact_point import BACKED, PARTICLES, SLIDING, UNBACKED
from .foothold import drag_piece, foothold_room, move_pieces, weigh_pieces
from .hook import ContactHook, Meeting, Surroundings
from .laid_layers import ask_behind, find_layers, layers_room
from .look_behind import OPPOSITE, backed_room, grounds_of, look_behind
from .mesh_ground import mesh_ground_room
from .pressing import is_pressed, presser
from .surface_contact import SURFACE_CONTACT

NO_CONTACTS = np.zeros(0, dtype=SURFACE_CONTACT)

Rubbing = namedtuple("Rubbing", ["shapes", "backed", "footholds"])
"""What rubs against vertices: what each lies on, and `foothold`."""


class Squeeze(ContactHook):
    """Vertices that bodies press onto colliders, or onto cloth that lies on one."""

    def __init__(self, about: Surroundings) -> None:
        model = about.model
        count = len(model.particles)
        self.surfaces = about.surfaces
        ground = mesh_ground_room(0) if about.surfaces is None else about.surfaces.ground
        self.grounds = grounds_of(model, about.shapes, ground)
        self.backed = backed_room(count)
        self.layers = layers_room(count, 0)
        self.is_any_backed = False
        footholds = foothold_room(0, connected_parts(count, model.sticks.pair))
        self.rubbing = Rubbing(about.shapes, self.backed, footholds)
        self.between = about.between

    def hold(self, meeting: Meeting) -> None:
        """See which contacts press vertices onto what backs them."""
        moving = (meeting.particles, meeting.owners)
        contacts = (meeting.contacts, meeting.count)
        footholds = self.rubbing.footholds
        if len(footholds.row) < meeting.count:
            footholds = foothold_room(2 * meeting.count, footholds.pieces.of_particle)
            self.rubbing = self.rubbing._replace(footholds=footholds)
        given = (self.grounds, meeting.friction, self.backed, self.layers)
        asked = look_behind_pressed(*contacts, *moving, *given)
        # what was between bodies last is looked through layers too, which have to be listed
        has_between = self.between is not None and self.between.is_any
        layers = self._find_layers(asked, meeting) if asked or has_between else NO_CONTACTS
        self.is_any_backed = back_contacts(*contacts, *moving, self.rubbing)
        if self.between is not None:
            about = (meeting.friction, (self.layers, layers), meeting.gravity)
            self.between.look(asked, contacts, moving, *about)
        meeting.backing, meeting.barred = self.backed.shape, self.backed.barred
        meeting.footholds = footholds

    def _find_layers(self, asked: int, meeting: Meeting) -> NDArray[Any]:
        """Look behind vertices that lie on no collider themselves; contacts of all layers."""
        room = self.surfaces
        contacts, count = (NO_CONTACTS, 0) if room is None else (room.contacts, room.layer_contacts)
        if len(self.layers.next) < len(contacts):
            self.layers = self.layers._replace(next=np.zeros(len(contacts), dtype=np.int32))
        about = (meeting.particles, meeting.friction, self.grounds, self.backed)
        find_layers(self.layers, asked, contacts, count, *about)
        return contacts

    def support(self, meeting: Meeting) -> None:
        """Let both sides rub against what is squeezed."""
        if self.between is not None:
            self.between.rub(meeting.particles, meeting.owners, meeting.h)
        if not self.is_any_backed:
            return
        contacts = (meeting.contacts.solving, meeting.count)
        rub_squeezed(*contacts, meeting.particles, meeting.owners, self.rubbing, meeting.h)


@kernel
def look_behind_pressed(contacts, count, particles, owners, grounds, friction, backed, layers):
    """Note what colliders are behind light vertices that bodies press on.

    Returns how many have none: it is asked what layers are behind them.
    """
    x, previous, inverse_mass = particles
    backed.shape[:] = NONE
    asked = 0
    for c in range(count):
        contact = contacts.solving[c]
        o = presser(contacts.making[c], grounds.shapes, owners)
        if o < 0:
            continue
        place = contact["place"][0]
        for k in range(4):
            i = place["particle"][k]
            if not is_pressed(place, k, owners.inverse_mass[o], inverse_mass):
                continue
            if look_behind(i, x, previous, friction, grounds, backed) == NONE:
                asked = ask_behind(layers, asked, i, vec(contact["normal"]))
    return asked


@kernel
def back_contacts(contacts, count, particles, owners, rubbing):
    """Note which contacts press light vertices onto what is behind, and lay these vertices on it.

    They have been found, but not prepared: what they join is told by their shapes. Those with a
    vertex that lies on something stay as they are when contacts are gone over again.
    """
    x, _, inverse_mass = particles
    shapes, backed, footholds = rubbing
    solving = contacts.solving
    feet = 0
    for c in range(count):
        for k in range(4 if contacts.making[c]["shape"][0] == PARTICLES else 0):
            store(backed.barred, solving[c]["place"][0]["particle"][k], ZERO)
    for c in range(count):
        contact = solving[c]
        o = presser(contacts.making[c], shapes, owners)
        if o < 0:
            continue
        place, w = contact["place"][0], owners.inverse_mass[o]
        foot = footholds.row[feet]
        foot["friction"] = math.inf
        is_backed, most, into, way, total = True, 0.0, ZERO, ZERO, 0.0
        for k in range(4):
            i, share = place["particle"][k], place["weight"][k]
            if share < LEAST_SHARE:
                continue
            if not is_pressed(place, k, w, inverse_mass):
                is_backed = False
                continue
            s, out = backed.shape[i], load(backed.out, i)
            if s != NONE:
                contact["stays"] = 1
            if s == NONE or dot(vec(contact["normal"]), out) > -OPPOSITE:
                is_backed = False
                continue
            shift(x, i, -backed.gap[i], out)
            backed.gap[i] = 0.0
            way = along(way, share, sub(load(x, i), _ground_before(i, x, rubbing)))
            total += share
            foot["friction"] = min(foot["friction"], backed.friction[i])
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
                    store(backed.barred, place["particle"][k], into)
    if feet == 0:
        return False
    weigh_pieces(footholds.pieces, inverse_mass)
    for c in range(count):
        if solving[c]["footing"] == UNBACKED and _meets_backed(
            solving[c], contacts.making[c], backed.barred
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
def _ground_before(i, x, rubbing):
    """Where the place that vertex i lies on was at the start of the substep, m."""
    s = rubbing.backed.shape[i]
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
    _, backed, (feet, pieces) = rubbing
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
            w = share * inverse_mass[i]
            push = contact["normal_impulse"] * w
            by_body = contact["friction"] * push
            by_backing = backed.friction[i] * push
            by_backing = max(0.0, by_backing - w * held)  # what the body has not rubbed against
            arm = sub(load(previous, i), load(owners.position, o))
            ride = scale(h, velocity_at(owners, o, arm))
            for turn in range(2):
                if (turn == 0) == (by_body < by_backing):
                    way = sub(load(x, i), load(previous, i))
                    taken = _rub(i, sub(way, ride), n, by_body, x)
                    p = pieces.of_particle[i]
                    drag_piece(pieces, p, scale(-1.0 / inverse_mass[i], taken))
                else:
                    before = _ground_before(i, x, rubbing)
                    _rub(i, sub(before, load(previous, i)), n, by_backing, x)
    move_pieces(pieces, x)
