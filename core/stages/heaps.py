"""Heaps: balls that meet each other, colliders and bodies, solved together in each substep."""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Floats, Ints
from ..collision.contact_law import OVERLAP_SPEED, RESTING_FALLS
from ..collision.kinds import MESH
from ..model import Model
from ..particles.heaps.ball_pairs import (
    cut_cells,
    farthest_since,
    find_near,
    give_motion,
    lay_out,
    recall_impulses,
    sort_balls,
    take_motion,
)
from ..particles.heaps.ball_sweep import (
    Limits,
    deepest_balls,
    find_rows,
    remember_impulses,
    solve_balls,
)
from ..particles.heaps.ball_table import Heap, Spheres, heap_room
from ..particles.heaps.ball_walls import choose_close, find_close, find_walls
from .ball_sleep import BallSleep
from .contacts import Contacts
from .frame import Frame
from .surfaces import SurfaceContacts

PAIR_MARGIN = (0.1, 1.0)
"""Largest radii by which balls may be apart and still are pairs: the least and the most."""

PAIR_HORIZON = 8.0
"""Substeps for which pairs are meant to hold."""

BLOWS = 16
"""Rounds of blows in one substep, at most: what approaches still is stopped, not reflected."""

SWEEPS = (2, 60)
"""Sweeps in one substep: the fewest and the most."""

ENOUGH_FALLS = 0.25
"""Falls (g h²) that the last sweep may still push something, where there may be more of them."""


class HeapScratch:
    """What is known of balls while a frame runs."""

    def __init__(self, model: Model) -> None:
        self.rows = model.self_collision.balls
        self.particles: Ints = model.self_collision.particle[self.rows]
        self.radius: Floats = model.self_collision.radius[self.rows]
        self.count = len(self.rows)
        self.heap: Heap = heap_room(self.count)
        self.origin = np.zeros((self.count, 3))  # m, where balls were when pairs were looked for
        self.seen_at = np.zeros((self.count, 3))  # m, where they were when shapes were looked for
        self.still_close = np.zeros(self.count, np.int8)
        self.chosen = np.zeros(self.count, np.int32)
        self.span = _span_of(self.particles)
        self.others: Ints = np.setdiff1d(model.particles.colliding, self.particles)


def _span_of(particles: Ints) -> slice | Ints:
    """The same particles as a slice where they follow each other, which copies nothing."""
    first, count = int(particles[0]) if len(particles) else 0, len(particles)
    return slice(first, first + count) if (np.diff(particles) == 1).all() else particles


class Heaps:
    """Balls of one frame."""

    def __init__(
        self, frame: Frame, contacts: Contacts, surfaces: SurfaceContacts, sleep: BallSleep
    ) -> None:
        self.frame = frame
        self.sleep = sleep
        self.contacts, self.surfaces = contacts, surfaces
        self.scratch = frame.scratch(HeapScratch)
        self.is_any = self.scratch.count > 0
        if not self.is_any:
            return
        contacts.keep_start()
        self.margin = 0.0  # m
        self.reach = 2.0 * float(self.scratch.radius.max())  # m, of the two largest
        state = frame.state
        self.known = (state.balls.contact, frame.h * state.balls.impulse)
        self.is_roused = False
        self.kept = self._kept()
        self.speed = 0.0  # m in this substep, of the fastest ball
        self.close_margin = -1.0  # m, not looked yet
        self.is_still = self._still_shapes()
        self.is_new = True  # pairs are to be looked for before anything else
        self.sweeps = 0
        self.is_bouncy = bool(frame.model.particles.restitution.any())
        largest = math.sqrt(0.5 * self.reach * math.hypot(*frame.inputs.gravity))  # m/s
        self.part_speed = max(OVERLAP_SPEED, largest)
        self._recall_walls()

    # ------------------------------------------------------------------ what is remembered

    def _kept(self) -> tuple[Ints, Floats]:
        """What pairs know of which both sleep."""
        key, impulse = self.known
        is_pair = key[:, 1] >= 0
        key, impulse = key[is_pair], impulse[is_pair]
        is_kept = self.sleep.asleep[key].all(axis=1)
        return key[is_kept], impulse[is_kept]

    def _recall_walls(self) -> None:
        """What balls lean on, as the state remembers it."""
        leant = self.scratch.heap.leant
        leant["shape"] = -1
        key, impulse = self.known
        walls = key[:, 1] < 0
        ball, shape = key[walls, 0], -1 - key[walls, 1]
        place = np.arange(len(ball)) - np.searchsorted(ball, ball)
        leant["shape"][ball, place] = shape
        leant["impulse"][ball, place] = impulse[walls]

    def _all_touching(self) -> tuple[Ints, Floats]:
        """The same of pairs that sleep too, which keep what they knew."""
        pair, impulse = self._touching()
        kept_pair, kept = self.kept
        is_kept = self.sleep.asleep[kept_pair].all(axis=1) | self.is_roused
        if not is_kept.any():
            return pair, impulse
        pair = np.concatenate([kept_pair[is_kept], pair])
        impulse = np.concatenate([kept[is_kept], impulse])
        order = np.lexsort((pair[:, 1], pair[:, 0]))
        return pair[order], impulse[order]

    def _rouse(self) -> None:
        """Some have woken: look for the pairs among them, with what they knew."""
        self.contacts.weigh()
        self.is_roused = True
        self.known = self._all_touching()
        self.is_roused = False
        still = self.sleep.asleep[self.kept[0]].all(axis=1)
        self.kept = (self.kept[0][still], self.kept[1][still])
        self.is_new = True

    def _touching(self) -> tuple[Ints, Floats]:
        """Pairs (c, 2) of balls that push each other, sorted, and what the first one got (c, 3)."""
        heap = self.scratch.heap
        if self.is_new:  # nobody was awake
            return np.zeros((0, 2), np.int32), np.zeros((0, 3))
        is_any = heap.near["impulse"].any(axis=1)
        pair = heap.place["ball"][heap.near["pair"][is_any]]
        impulse = heap.near["impulse"][is_any]
        turned = pair[:, 0] > pair[:, 1]
        pair[turned] = pair[turned, ::-1]
        impulse[turned] *= -1.0
        order = np.lexsort((pair[:, 1], pair[:, 0]))
        return pair[order], impulse[order]

    # ------------------------------------------------------------------ pairs

    def _look(self) -> None:
        """Look for pairs, unless those that are known still hold."""
        frame, scratch = self.frame, self.scratch
        start = self.contacts.start
        if not self.is_new:
            way, _ = farthest_since(scratch.particles, frame.x, scratch.origin)
            if 2.0 * way <= self.margin:
                return
            self.known = self._all_touching()
        rows = scratch.particles
        self._search(start, farthest_since(rows, frame.x, start[scratch.span])[0])

    # ------------------------------------------------------------------ colliders and bodies

    def look_around(self) -> None:
        """See which balls are near shapes; the others need not be looked at in this substep."""
        frame, scratch = self.frame, self.scratch
        if not self.is_any:
            return
        sleep, meeting = self.sleep, self.contacts.meeting
        if sleep.has_sleepers and sleep.feel_surroundings(meeting, self.surfaces.met()):
            self._rouse()
        if not len(frame.model.shapes):
            return
        if self.sleep.asleep.all():
            self.contacts.colliding = scratch.others
            return
        rows, shapes = scratch.particles, frame.work.shapes
        balls = Spheres(rows, scratch.radius)
        before = frame.previous[scratch.span]
        _, speed = farthest_since(rows, frame.x, before)
        self.speed = speed
        _, way = farthest_since(rows, frame.x, scratch.seen_at)
        if self.close_margin < 0.0 or way + speed > self.close_margin:
            self.close_margin = max(0.25 * self.reach, PAIR_HORIZON * speed)
            scratch.seen_at[:] = before
            find_close(
                scratch.still_close,
                balls,
                shapes,
                self.is_still,
                frame.previous,
                shapes.mesh_vertex,
                frame.work.touching.mesh_tree,
                self.close_margin,
            )
        given = (scratch.still_close, scratch.heap.close, balls, shapes, self.is_still)
        count = choose_close(scratch.chosen, *given, frame.x, frame.previous)
        close = scratch.chosen[:count]
        if len(scratch.others):
            close = np.concatenate([scratch.others, close])
        self.contacts.colliding = close

    def _still_shapes(self) -> Ints:
        """1 for each shape (k,) that stands still in this frame."""
        frame = self.frame
        model, state = frame.model, frame.state
        now = (state.collider_position, state.collider_orientation)
        ends = zip(now, frame.collider_end, strict=True)
        moves = np.zeros(len(model.colliders), dtype=bool)
        for one, end in ends:
            moves |= (one != end).any(axis=1)
        owner = model.shapes.owner - len(model.bodies)
        is_collider = (owner >= 0) & (owner < len(model.colliders))
        still = is_collider & ~np.append(moves, True)[np.where(is_collider, owner, -1)]
        if frame.mesh_end is not state.mesh_vertex:
            still &= model.shapes.kind != MESH
        return still.astype(np.int32)

    def _search(self, start: Floats, speed: float) -> None:
        frame, scratch = self.frame, self.scratch
        largest = 0.5 * self.reach
        ahead = 2.0 * PAIR_HORIZON * (speed + frame.fall)
        self.margin = min(max(ahead, PAIR_MARGIN[0] * largest), PAIR_MARGIN[1] * largest)
        self.margin = max(self.margin, 2.5 * speed)
        place = start[scratch.span]
        scratch.origin[:] = place
        with np.errstate(invalid="ignore"):
            order, key, strides = sort_balls(np.nan_to_num(place), self.reach + self.margin)
        count = len(order)
        cell_key, cell_first = np.empty(count, np.int64), np.empty(count + 1, np.int32)
        slab, slab_cell = np.empty(count + 1, np.int32), np.empty(count + 1, np.int32)
        _, slabs = cut_cells(key, strides, cell_key, cell_first, slab, slab_cell)
        heap = scratch.heap._replace(
            slab=slab[: slabs + 1].copy(),
            walls=np.zeros(slabs, np.int32),
            first=np.zeros(2 * slabs, np.int32),
            count=np.zeros(2 * slabs, np.int32),
            filled=np.zeros(2 * slabs, np.int32),
        )
        model = frame.model
        lay_out(
            heap,
            order,
            scratch.particles,
            scratch.radius,
            frame.friction,
            model.particles.restitution,
        )
        take_motion.on(frame.threads)(heap, frame.particles, start)
        cells = (cell_key, cell_first, slab_cell[: slabs + 1], strides, self.margin)
        find = find_near.on(frame.threads)
        find(heap, *cells, False)
        ends = np.cumsum(heap.count)
        heap.first[1:] = ends[:-1]
        total = int(ends[-1])
        near, row = heap.near, heap.row
        if total > len(scratch.heap.near):
            near = np.zeros(total, heap.near.dtype)
            row = np.zeros(total, heap.row.dtype)
        heap = heap._replace(near=near[:total], row=row)
        find(heap, *cells, True)
        scratch.heap = heap
        self._recall_pairs()
        self.is_new = False

    def _recall_pairs(self) -> None:
        scratch = self.scratch
        key, impulse = self.known
        pairs = key[:, 1] >= 0
        known, given = np.ascontiguousarray(key[pairs]), np.ascontiguousarray(impulse[pairs])
        first = np.searchsorted(known[:, 0], np.arange(scratch.count + 1)).astype(np.int32)
        recall_impulses(scratch.heap, first, known, given)

    # ------------------------------------------------------------------ the substep

    def solve(self) -> None:
        """Let balls bounce off each other, bear each other and slide."""
        if not self.is_any:
            return
        frame, threads = self.frame, self.frame.threads
        if self.sleep.asleep.all():
            return
        while True:
            self._look()
            heap = self.scratch.heap
            take_motion.on(threads)(heap, frame.particles, self.contacts.start)
            find_rows.on(threads)(heap, frame.fall)
            if not (self.sleep.has_sleepers and self.sleep.feel_balls(heap)):
                break
            self._rouse()
        if len(frame.model.shapes):
            work, contacts = frame.work, self.contacts
            find_walls(
                heap,
                work.shapes,
                work.owners,
                frame.x,
                contacts.mesh_before,
                contacts.mesh_motion,
                work.touching.mesh_tree,
                4.0 * frame.fall + (self.speed if self.is_bouncy else 0.0),
            )
        limits = Limits(
            resting=RESTING_FALLS * frame.fall,
            enough=ENOUGH_FALLS * frame.fall,
            part=self.part_speed * frame.h,
            blows=BLOWS,
            fewest=SWEEPS[0],
            most=SWEEPS[1],
        )
        self.sweeps += solve_balls.on(threads)(
            heap,
            frame.work.owners,
            limits,
            frame.h,
            self.is_bouncy,
            len(frame.model.bodies) > 0,
            np.zeros(len(heap.first)),
        )
        remember_impulses.on(threads)(heap)
        give_motion.on(threads)(heap, frame.particles)

    # ------------------------------------------------------------------ the end of the frame

    def finish(self) -> None:
        """Put what is known of contacts into the state."""
        if not self.is_any:
            return
        frame, heap = self.frame, self.scratch.heap
        if self.sleep.asleep.all():
            return
        pair, impulse = self._all_touching()
        self.sleep.finish(heap, pair)
        ball, place = np.nonzero(heap.leant["shape"] >= 0)
        shape = heap.leant["shape"][ball, place]
        on_wall = np.stack([ball, -1 - shape], axis=1).astype(np.int32)
        key = np.concatenate([on_wall, pair])
        given = np.concatenate([heap.leant["impulse"][ball, place], impulse])
        frame.state.balls.contact = np.ascontiguousarray(key)
        frame.state.balls.impulse = given / frame.h
        frame.other_depth, frame.other_contact_count = deepest_balls(heap)
