"""What sticks of figures may meet, and the scratch memory of their contacts."""

from __future__ import annotations

import numpy as np

from ...arrays import Floats, Ints
from ...collision.tree import build_tree, tree_room, tree_scratch
from ...coupling.pin_hold import Tethers
from ...model import Model
from ...records import Particles, records
from ..contacts.contact_point import Contacts
from .limb_contact import (
    FACE,
    OWN_PAIR,
    Segments,
    bound_limbs,
    find_face_contacts,
    find_limb_contacts,
    find_near_faces,
    find_near_limbs,
)
from .limb_hold import hold_taut
from .limb_turn import FIGURE, return_limb_couples


class LimbSearch:
    """Sticks of a model's figures, and the particles, edges and triangles of all else.

    pieces (e, 3): triangles of cloth and, ending with −1, stretches of rope and sticks. worn (w,):
    particles that are tied to a limb, within it maybe: they and their pieces meet no limb.
    """

    def __init__(self, model: Model, pieces: Ints, worn: Ints) -> None:
        limbs = model.limbs
        self.count = len(limbs)
        figures = len(limbs.first) - 1
        figure_of_stick = np.repeat(np.arange(figures), np.diff(limbs.first)).astype(np.int32)
        self.figure = np.full(model.particle_count, -1, dtype=np.int32)  # of each particle
        self.figure[limbs.stick] = figure_of_stick[:, None]
        self.member = np.argsort(self.figure, kind="stable").astype(np.int32)
        self.member = self.member[self.figure[self.member] >= 0]
        first = np.searchsorted(self.figure[self.member], np.arange(figures + 1))
        self._figures = np.zeros(figures, FIGURE)
        self._figures["first_member"], self._figures["last_member"] = first[:-1], first[1:]
        self.rows = model.colliding[self.figure[model.colliding] >= 0]  # particles of figures
        others = np.setdiff1d(model.colliding[self.figure[model.colliding] < 0], worn)
        other_pieces = pieces[self.figure[pieces[:, 0]] < 0]
        other_pieces = other_pieces[~np.isin(other_pieces, worn).any(axis=1)]
        if not self.count:
            others, other_pieces = others[:0], other_pieces[:0]
        edges = _edges(other_pieces)
        ends = np.concatenate([limbs.stick, np.repeat(others[:, None], 2, axis=1), edges])
        thick = model.radius[ends[self.count :]].min(axis=1)
        self.segments = Segments(
            ends=np.ascontiguousarray(ends, dtype=np.int32),
            radius=np.concatenate([limbs.radius, thick]),
            figure=figure_of_stick,
            ball=_balls(limbs.stick, limbs.radius),
            lower=np.zeros((self.count, 3)),
            upper=np.zeros((self.count, 3)),
        )
        self.own = records(OWN_PAIR, stick=limbs.own, reach=limbs.own_reach)
        corner = other_pieces[other_pieces[:, 2] >= 0]
        self.faces = records(FACE, corner=corner, radius=model.radius[corner].min(axis=1))
        self._tree, self._scratch = tree_room(self.count), tree_scratch(self.count)
        self.near = np.zeros((self.count, 2), dtype=np.int32)
        self.reach = np.zeros(self.count)  # m
        self.near_face = np.zeros((self.count, 3), dtype=np.int32)
        self.near_count = self.near_face_count = 0
        self._held = np.zeros(model.particle_count)

    def look(self, x: Floats, previous: Floats, fall: float) -> None:
        """Note what may meet in the next `LOOK_EVERY` substeps; fall m, by gravity in one."""
        segments = self.segments
        bound_limbs(segments, x, previous, fall)
        boxes = (segments.lower, segments.upper)
        build_tree(self._tree, *boxes, 0, self.count, self._scratch)
        moving = (self._tree, x, previous, fall)
        while True:
            room = (self.near, self.reach)
            self.near_count = find_near_limbs(segments, self.own, *moving, *room)
            if self.near_count <= len(self.reach):
                break
            self.near = np.zeros((self.near_count * 3 // 2, 2), dtype=np.int32)
            self.reach = np.zeros(self.near_count * 3 // 2)
        look = (self.faces, segments, *moving)
        while (count := find_near_faces(*look, self.near_face)) > len(self.near_face):
            self.near_face = np.zeros((count * 3 // 2, 3), dtype=np.int32)
        self.near_face_count = count

    def find(
        self, found: int, contacts: Contacts, x: Floats, previous: Floats, inverse_mass: Floats
    ) -> int:
        """Write contacts from row ``found`` on; returns the row after them, maybe beyond all."""
        particles = Particles(x, previous, inverse_mass)
        if self.near_count:
            near = (self.near, self.reach, self.near_count)
            found = find_limb_contacts(found, contacts, *near, self.segments, particles)
        if len(self.faces):
            near_faces = (self.near_face, self.near_face_count, self.faces)
            found = find_face_contacts(found, contacts, *near_faces, self.segments, particles)
        return found

    def hold(
        self, contacts: Contacts, count: int, x: Floats, inverse_mass: Floats, tethers: Tethers
    ) -> Floats:
        """Inverse masses (n,) with those particles held that limbs press against their pins."""
        hold_taut(contacts, count, self.figure, x, inverse_mass, tethers, self._held)
        return self._held

    def return_couples(self, contacts: Contacts, count: int, particles: Particles) -> None:
        """Take back what contacts with sticks gained in angular momentum, in x."""
        return_limb_couples(contacts, count, particles, self.figure, self._figures, self.member)


def _edges(pieces: Ints) -> Ints:
    """Edges (m, 2) of triangles and stretches of rope, each once."""
    pairs = np.concatenate([pieces[:, [0, 1]], pieces[:, [1, 2]], pieces[:, [2, 0]]])
    pairs = np.sort(pairs[(pairs >= 0).all(axis=1)], axis=1)
    edges: Ints = np.unique(pairs, axis=0)
    return edges


def _balls(stick: Ints, radius: Floats) -> Floats:
    """Radius (e, 2) m of each stick's ends; 0 where a thicker one, or an earlier, has that end."""
    ball = np.zeros((len(stick), 2))
    ends = stick.reshape(-1)
    thick = np.repeat(radius, 2)
    order = np.lexsort((np.arange(len(ends)), -thick, ends))
    _, first = np.unique(ends[order], return_index=True)
    kept = order[first]
    ball.reshape(-1)[kept] = thick[kept]
    return ball
