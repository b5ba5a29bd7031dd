"""What sticks of figures may meet, and the scratch memory of their contacts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...arrays import Floats, Ints
from ...collision.tree import build_tree, tree_room, tree_scratch
from ...model import Model
from ...records import records
from ..contacts.hook import ContactHook, Meeting, Surroundings
from ..contacts.piece_search import LOOK_EVERY, slack_of
from .garment import CarriedPoints
from .limb_contact import (
    FACE,
    NEAR_FACE,
    NEAR_STICK,
    OWN_PAIR,
    Segments,
    bound_limbs,
    find_face_contacts,
    find_limb_contacts,
    find_near_faces,
    find_near_limbs,
)
from .limb_hold import stop_limbs


class StickFigures(ContactHook):
    """Sticks of a model's figures, against each other and particles, edges and triangles of all
    else. What is tied to a limb, within it maybe, meets no limb, nor do its pieces.
    """

    def __init__(self, about: Surroundings) -> None:
        model, pieces, limbs = about.model, about.piece, about.model.limbs
        garments = _garments_of_figures(model)
        self.count = len(limbs)
        self.figures = len(limbs.first) - 1
        figure_of_stick = np.repeat(np.arange(self.figures), np.diff(limbs.first)).astype(np.int32)
        self.figure = np.full(len(model.particles), -1, dtype=np.int32)  # of each particle
        self.figure[limbs.stick] = figure_of_stick[:, None]
        self.rows = model.particles.colliding[
            self.figure[model.particles.colliding] >= 0
        ]  # particles of figures
        others = np.setdiff1d(
            model.particles.colliding[self.figure[model.particles.colliding] < 0], garments
        )
        other_pieces = pieces[self.figure[pieces[:, 0]] < 0]
        other_pieces = other_pieces[~np.isin(other_pieces, garments).any(axis=1)]
        edges = _edges(other_pieces)
        ends = np.concatenate([limbs.stick, np.repeat(others[:, None], 2, axis=1), edges])
        thick = model.particles.radius[ends[self.count :]].min(axis=1)
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
        self.faces = records(FACE, corner=corner, radius=model.particles.radius[corner].min(axis=1))
        self._tree, self._scratch = tree_room(self.count), tree_scratch(self.count)
        self.near = np.zeros(self.count, NEAR_STICK)
        self.near_face = np.zeros(self.count, NEAR_FACE)
        self.near_count = self.near_face_count = 0
        self._tethers = about.tethers if len(model.tethers) else None

    @property
    def is_any(self) -> bool:
        """Always: they are only made where a model has figures."""
        return True

    @property
    def wholes(self) -> Sequence[Ints]:
        """Each figure."""
        return [np.flatnonzero(self.figure == f).astype(np.int32) for f in range(self.figures)]

    def look(self, meeting: Meeting) -> None:
        """Note every few substeps what may meet until the next look."""
        if meeting.substep % LOOK_EVERY:
            return
        x, previous, _ = meeting.particles
        segments, slack = self.segments, slack_of(meeting.fall)
        bound_limbs(segments, x, previous, slack)
        boxes = (segments.lower, segments.upper)
        build_tree(self._tree, *boxes, 0, self.count, self._scratch)
        moving = (self._tree, x, previous, slack)
        while (count := find_near_limbs(segments, self.own, *moving, self.near)) > len(self.near):
            self.near = np.zeros(count * 3 // 2, NEAR_STICK)
        self.near_count = count
        look = (self.faces, segments, *moving)
        while (count := find_near_faces(*look, self.near_face)) > len(self.near_face):
            self.near_face = np.zeros(count * 3 // 2, NEAR_FACE)
        self.near_face_count = count

    def find(self, c: int, meeting: Meeting) -> int:
        """Contacts of all that is near."""
        given = (self.segments, meeting.particles)
        if self.near_count:
            near = (self.near, self.near_count)
            c = find_limb_contacts(c, meeting.contacts, *near, *given)
        if len(self.faces):
            near_faces = (self.near_face, self.near_face_count, self.faces)
            c = find_face_contacts(c, meeting.contacts, *near_faces, *given)
        return c

    def hold(self, meeting: Meeting) -> None:
        """Stop limbs that press cloth away from its pins."""
        self._stop(meeting)

    def relax(self, meeting: Meeting) -> float:
        """Project figures out of colliders: a hand between chest and floor passes the push on."""
        meeting.push_out(self.rows)
        return self._stop(meeting)

    def _stop(self, meeting: Meeting) -> float:
        if self._tethers is None:
            return 0.0
        contacts = (meeting.contacts, meeting.count)
        farthest: float = stop_limbs(
            *contacts, self.figure, meeting.particles, self._tethers, meeting.h
        )
        return farthest


def _garments_of_figures(model: Model) -> Ints:
    """Particles that are tied to limbs of stick figures."""
    found = [c.row[:, 0] for c in model.constraints if isinstance(c, CarriedPoints)]
    return np.unique(np.concatenate([np.zeros(0, dtype=np.int32), *found]))


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
