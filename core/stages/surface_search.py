"""When pairs of features are looked for anew: those of all surfaces, or of what strayed alone.

They are looked for some substeps ahead, along a straight flight with some slack. Where nothing can
come near anything until the end of the frame, all is quiet: nothing else is done before it ends.
"""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Floats, Ints
from ..particles.contacts.surface_contact import (
    check_strays,
    farthest_stray,
    foresee_strays,
    renew_flight,
)
from ..particles.contacts.surface_room import SurfaceRoom
from .followed_meshes import FollowedMeshes
from .frame import Frame

SEARCH_HORIZON = 10
"""Substeps for which pairs are looked for ahead, at most."""

LONGER = 2
"""Substeps for which they are looked for beyond those that the last ones were good for."""

STRAY_SLACK = (0.15, 0.3)
"""Mean edge lengths that vertices may stray from a straight flight before pairs are looked for
again: where nothing is known, and at most."""

FLIGHT_ROUNDING = 1e-6
"""Mean edge lengths that meshes may leave their flight by for no reason but rounding."""

QUIET_SLACK = 0.2
"""The same where nothing is near: so flat patches stay flat however vertices stray."""

LEFT_ALONE = 0.7
"""Share of their slack that vertices near nothing may stray before they are looked after again."""

FEW = 0.2
"""Share of all vertices up to which those that have strayed are looked at again alone, until all
are: what strays has the more pairs the longer it is ago that these were looked for."""

DENSE = 6
"""Pairs of a vertex from which on it is better to look for those within half the slack."""

UNFORESEEN = (0.01, 0.2)
"""Mean edge lengths that contacts and sticks may move a vertex at the end of a substep, beyond what
was foreseen at its beginning: the least that is reckoned with, and the most."""


class SurfaceSearch:
    """How long the pairs in a room hold; what it remembers does not outlive the frame."""

    def __init__(self, frame: Frame, room: SurfaceRoom, meshes: FollowedMeshes) -> None:
        self.frame, self.room, self.meshes = frame, room, meshes
        self.count = 0  # searches of all or of some, in the frame
        self.searched = -1  # substep in which pairs were looked for, of the frame
        self.again = 0.0  # share of vertices that strayed and were looked at again since
        # substeps for which pairs are looked for next; those with meshes are never dense
        self.ahead = SEARCH_HORIZON // 2 if room.partners[0].is_self else SEARCH_HORIZON
        self.is_dense = False  # those found last in the frame were more than `DENSE`
        self.horizon = 0.0  # substeps for which pairs were looked for
        self.slack = 0.0  # m, that vertices may stray then, at least
        self.is_quiet = False  # nothing is near anything until the end of the frame
        self.is_sure = False  # vertices have kept to their slack since flat patches were found
        self.strayed = 0.0  # the largest share of it that any has strayed by
        self.may_be_alone = True  # nothing has been near anything in the frame
        self.starts = 0  # of substeps that follow each other up to this one, that are known
        self.is_end = False  # of the substep
        room.strays.surprise[:] = 0.0
        room.strays.bound[:] = 0.0

    @property
    def since(self) -> int:
        """Substeps since pairs were looked for."""
        return self.frame.substep - self.searched

    def begin(self) -> None:
        """Take up where cloth is at the start of a substep, and keep where it was before."""
        room = self.room
        room.forget_turned()
        if self.is_quiet:  # where nothing is near, nobody asks how far it has gone
            self.starts = 1
        else:
            room.older[:] = room.before[: room.led]
            room.before[:] = room.start
            self.starts += 1
        room.start[: room.led] = self.frame.previous

    def begin_anew(self) -> None:
        """Forget that pairs are known: there is more to look for them with."""
        self.is_quiet, self.horizon = False, 0.0

    def stays_quiet(self) -> bool:
        """Whether nothing is near anything in this substep, as far as is known at its beginning.

        Then nobody asks before its end how far vertices have gone.
        """
        room = self.room
        if self.is_quiet and self.since < self.horizon:
            rows = (room.mesh_rows, room.body_rows)
            if not any(self._leave_flight(led) for led in rows):
                return True
        if self.is_quiet:
            self.begin_anew()
        return False

    def _leave_flight(self, rows: Ints) -> bool:
        """Whether vertices of meshes go elsewhere than pairs allow for."""
        if not (len(rows) and self.meshes.do_move):
            return False
        room, strays = self.room, self.room.strays
        strays.now[rows] = strays.foreseen[rows]
        way = (room.start, room.x, room.course(self.since + 1))
        return foresee_strays(strays, rows, room.stale, *way, 0.0, 0.0) > 0

    def look(self, may_be_alone: bool) -> None:
        """See to it that the pairs hold for this substep: for all, or for those that strayed.

        may_be_alone: nothing is inside anything.
        """
        self.is_end = False
        if self.searched >= 0 and self.since < self.horizon:
            if self._leave_flight(self.room.mesh_rows):  # it is laid for all of them alone
                self._look_for_all()
            elif self._foresee() > 0:
                self.look_again()
            return
        if self.searched >= 0:
            self._learn()
        if not (may_be_alone and self.may_be_alone and self._is_alone()):
            self._search_ahead()

    def look_again(self) -> None:
        """Look for the pairs of what is stale, or for all if much has become so."""
        room = self.room
        for rows in (room.rows, room.body_rows):
            self.again += np.count_nonzero(room.stale[rows]) / max(len(rows), 1)
        if self.again <= FEW:
            self._search(max(self.horizon - self.since, 1.0))
        else:
            self._look_for_all()

    def _look_for_all(self) -> None:
        """Look for all pairs anew before their time is over."""
        self._learn()
        self._search_ahead()

    def _search_ahead(self) -> None:
        """Look for all pairs anew, as far ahead as `_learn` has found worth while."""
        slack = STRAY_SLACK[0] * self.room.edge
        self.search(float(self.ahead), 0.5 * slack if self.is_dense else slack)

    def _is_alone(self) -> bool:
        """Whether nothing can come near anything until the end of the frame: then all is quiet.

        Asked until something has been near.
        """
        room, frame = self.room, self.frame
        horizon = float(frame.substeps - frame.substep)
        self._begin_search(horizon, QUIET_SLACK * room.edge)
        moving = room.gather(horizon, frame.threads, self.meshes.do_move)
        while True:  # bounds for longer are good for less
            if all(partners.near.are_few(horizon) for partners in room.partners):
                room.find_gathered(moving, horizon, frame.threads)
                self.is_quiet = not any(partners.count for partners in room.partners)
            if self.is_quiet or horizon <= SEARCH_HORIZON:
                break
            horizon = float(max(int(0.5 * horizon), SEARCH_HORIZON))
        self.horizon = horizon
        self.may_be_alone = self.is_quiet
        return self.is_quiet

    def _foresee(self) -> int:
        """Mark vertices that pairs do not allow for until the end of the substep; how many."""
        room, edge = self.room, self.room.edge
        way = (room.start, room.now, room.course(self.since + 1))
        unknown = (UNFORESEEN[0] * edge, UNFORESEEN[1] * edge)
        stale: int = foresee_strays(room.strays, room.flying, room.stale, *way, *unknown)
        return stale

    def _learn(self) -> None:
        """How far to look ahead next time: a little longer than the last pairs were good for."""
        cloth = self.room.partners[0]
        self.is_dense = cloth.is_self and cloth.count > DENSE * len(self.room.rows)
        self.ahead = min(self.since + LONGER, SEARCH_HORIZON)

    def search(self, horizon: float, slack: float) -> None:
        """Look for all pairs anew, as things stand at the start of the substep."""
        self._begin_search(horizon, slack)
        self._find(horizon)

    def _begin_search(self, horizon: float, slack: float) -> None:
        """Have all pairs looked for anew, for so many substeps ahead."""
        room = self.room
        self.searched, self.horizon, self.slack = self.frame.substep, horizon, slack
        self.again = 0.0
        room.strays.step["gone"] = 0.0  # what is found is measured anew
        room.expect_all()
        if room.meshes is not None:
            self._expect_meshes()
        self._renew_flight()
        self.is_quiet, self.is_sure = False, True

    def _expect_meshes(self) -> None:
        """Lay the flight of meshes anew, and allow for their turning."""
        room, strays, frame = self.room, self.room.strays, self.frame
        led = slice(room.led, room.by_itself)
        assert room.meshes is not None
        np.subtract(room.now[led], room.start[led], out=room.speed[led])
        room.origin[led] = room.start[led]
        for known in (strays.now, strays.foreseen, strays.bound):
            known[led] = 0.0
        strays.step[led] = 0.0
        strays.slack[led] = 0.0
        strays.step["way"][led] = np.linalg.norm(room.speed[led], axis=1)
        if self.meshes.do_move:
            shapes, step = frame.work.shapes, 1.0 / frame.substeps
            room.meshes.allow_turning(strays.slack, room.led, shapes, self.horizon, step)
            strays.slack[led] += FLIGHT_ROUNDING * room.edge

    def _search(self, horizon: float) -> None:
        """Look for the pairs of what is stale, for so many substeps more."""
        self._renew_flight()
        self._find(horizon)
        self.is_sure = False

    def _renew_flight(self) -> None:
        """Lay the flight of what is stale anew."""
        room, edge = self.room, self.room.edge
        bounds = (self.slack, STRAY_SLACK[1] * edge, UNFORESEEN[0] * edge, UNFORESEEN[1] * edge)
        way = (room.start, room.now, self._likely(), room.course(self.since))
        renew_flight(room.strays, room.flying, room.stale, *way, bounds)

    def _likely(self) -> Floats:
        """The way (n, 3) m of cloth in one of the coming substeps, by that of the last two.

        For what trembles comes back in the second one. (0, 3) where they are not known; what is
        drawn of bodies does not tremble.
        """
        room = self.room
        if self.starts + self.is_end <= 2:
            return room.older[:0]
        first, last = (room.before, room.now) if self.is_end else (room.older, room.start)
        return 0.5 * (last[: room.led] - first[: room.led])

    def _find(self, horizon: float) -> None:
        """Find the pairs of what is stale, for so many substeps ahead."""
        self.room.find(horizon, self.frame.threads, self.meshes.do_move)
        self.count += 1

    def have_strayed(self, x: Floats) -> bool:
        """Mark vertices that came farther to x (n, 3) m than was reckoned with; whether any has."""
        self.is_end = True
        room = self.room
        moved = (room.start, x, room.course(self.since + 1))
        given = (room.strays, room.surface.thickness, room.flying, room.stale)
        missed, strayed = check_strays(*given, *moved)
        self._note_stray(strayed)
        return bool(missed)

    def was_quiet(self, x: Floats) -> bool:
        """Whether what was near nothing still is, at x (n, 3) m, the end of the substep.

        If vertices are about to leave their slack, pairs are looked for at the beginning of the
        next substep.
        """
        self.is_end = True
        room = self.room
        strayed = farthest_stray(room.strays.slack, room.flying, x, room.course(self.since + 1))
        self._note_stray(strayed)
        if not self.is_sure or self.have_turned(x):
            self.is_quiet = False
            return False
        self.is_quiet = strayed <= LEFT_ALONE
        if not self.is_quiet:
            self.horizon = 0.0
        return True

    def _note_stray(self, strayed: float) -> None:
        """Note that share of its slack, at most, has a vertex strayed from its flight."""
        self.is_sure &= strayed <= 1.0
        self.strayed = strayed

    def have_turned(self, x: Floats) -> bool:
        """Whether a patch that nobody looked into may be flat no longer at x (n, 3) m."""
        return self.room.has_turned(x, self.strayed if self.is_sure else math.inf)
