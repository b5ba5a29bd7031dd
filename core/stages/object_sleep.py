"""The sleep of cloth, ropes, plants and soft bodies: who lies still, and who is woken by whom.

An object sleeps once no patch of it has got anywhere for `REST_TIME`, with all that is joined to
it and all that it lies against, if nothing else moves near by. It has no part in the steps from
then on (`model/awake_part.py`). When a frame is done it is seen whether anything that is awake has
got so near a sleeper that they may have touched: then the frame is done again with that one awake,
from the beginning. So nobody is touched asleep, and it does not matter when in the frame it was.
"""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Floats, Ints
from ..collision.swept_boxes import Boxes, FrameEnds, boxes_of_points, boxes_of_shapes, joined
from ..model import Model, State
from ..model.rest_table import find_moving
from ..rigid.sleep.stillness import LONGEST_AWAKE, REST_TIME
from .ball_sleep import BallSleep
from .bodies import Bodies
from .forces import Forces
from .frame import Frame
from .sleepers import Mask, SleeperScratch, keyed_factors, without_islands

STILL_PATCH = 0.005
"""Share of √(g r), r being half the thickness, that counts as still."""

STILL_PATCH_DRIFT = 1e-3
"""Half thicknesses a second that count as still where nothing falls."""


def acted_on(frame: Frame, forces: Forces) -> Mask:
    """Objects (o,) that a force or a hand acts on, or that something has passed through."""
    acted = np.zeros(len(frame.whole.objects), dtype=bool)
    owner = frame.scratch_of_whole(SleeperScratch).object_of
    if forces.is_any:
        acted[owner[forces.force.any(axis=1)]] = True
    if frame.inputs.grab is not None:
        acted[owner[frame.inputs.grab.particle]] = True
    if frame.work.surfaces is not None:
        acted[frame.work.surfaces.pierced_objects(len(acted))] = True
    return acted


class NearScratch:
    """What boxes are laid around, object by object, and how near is near."""

    def __init__(self, model: Model) -> None:
        count, particles = len(model.objects), len(model.particles)
        # objects of particles that are no bodies
        self.is_loose = np.array([o.body < 0 and o.particle_count > 0 for o in model.objects])
        self.margin = np.zeros(count)  # m
        owner = model.particle_object
        np.maximum.at(self.margin, owner, model.particles.radius)
        meeting = model.self_collision
        np.maximum.at(self.margin, owner[meeting.particle], meeting.radius)
        triangle, wire = model.pieces.triangle, model.pieces.wire
        lone = np.ones(particles, dtype=bool)
        lone[triangle] = lone[wire] = False
        alone = np.flatnonzero(lone)
        elements = np.concatenate(
            [triangle, np.stack([*wire.T, wire[:, 1]], axis=1), np.stack([alone] * 3, axis=1)]
        )
        of = owner[elements[:, 0]]
        order = np.argsort(of, kind="stable")
        ends = np.searchsorted(of[order], np.arange(1, count))
        self.elements: list[Ints] = np.split(elements[order], ends)


class ObjectSleep:
    """What a frame that is done says of sleep."""

    def __init__(self, frame: Frame, forces: Forces, bodies: Bodies, balls: BallSleep) -> None:
        self.frame, self.forces, self.bodies, self.balls = frame, forces, bodies, balls
        self.model = frame.whole
        self.table = frame.whole.rests
        # while it is looked who is touched
        self.scratch: NearScratch
        self.idle: Mask  # particles (n,) that sleep by themselves

    def settle(self) -> Mask | None:
        """Note who sleeps from now on; where a sleeper was touched, who (o,) has to be awake."""
        frame, rest = self.frame, self.frame.state.rest
        if not (len(self.table.patch) and frame.is_over):
            return None
        asleep = resting = frame.asleep
        if not frame.is_asleep:
            rows = frame.sleeping
            frame.x[rows] = frame.given[rows]  # weak pins draw on all
            frame.previous[rows] = frame.x[rows]
            self._count_stillness()
            resting = asleep | self._ripe()
        rest.pin_weight[:] = frame.target(frame.inputs.pin_weight, self.model.pins.weight)
        if not resting.any():
            np.minimum(rest.time, LONGEST_AWAKE, out=rest.time)
            return None
        woken = self._touched(resting)
        if (woken & asleep).any():
            return frame.roused | woken
        falls_asleep = resting & ~woken
        np.minimum(rest.time, np.where(falls_asleep, REST_TIME, LONGEST_AWAKE), out=rest.time)
        fresh = np.flatnonzero(falls_asleep & ~asleep).tolist()
        for number in fresh:
            span = self.model.objects[number].particles
            frame.previous[span] = frame.x[span]
        if frame.inputs.animated is not None or fresh:
            factors = keyed_factors(frame.inputs.animated, len(asleep))
            rest.factors = np.where(falls_asleep[:, None], factors, 1.0)
        return None

    # ------------------------------------------------------------------ who lies still

    def _count_stillness(self) -> None:
        """Add the frame to the rest of what has got nowhere since it came to rest."""
        frame, table, rest = self.frame, self.table, self.frame.state.rest
        moves = frame.roused | (rest.time >= REST_TIME)  # was woken
        moves |= table.island < 0
        moves &= ~frame.asleep
        patches = (frame.x, table.patch, table.patch_object)
        least = self._least_ways()
        find_moving(*patches, table.samples, least, frame.asleep, rest.middle, moves)
        stands = ~(moves | frame.asleep)
        if stands.any():
            moves |= acted_on(frame, self.forces) & stands
            stands &= ~moves
            begins = frame.asleep | (stands & (rest.time == 0.0))
            find_moving(*patches, table.every, least, begins, rest.middle, moves)
        rest.time[:] = np.where(moves, 0.0, rest.time + frame.inputs.duration)

    def _least_ways(self) -> Floats:
        """How far (o,) m the middle of a patch gets in `REST_TIME` in what is still."""
        radius, gravity = self.table.radius, math.hypot(*self.frame.inputs.gravity)
        still: Floats = np.maximum(
            STILL_PATCH * np.sqrt(gravity * radius), STILL_PATCH_DRIFT * radius
        )
        return REST_TIME * still

    def _ripe(self) -> Mask:
        """Objects (o,) that have lain still for long enough, with all that is joined to them."""
        is_still = self.frame.state.rest.time >= REST_TIME - 1e-9
        is_still &= (self.table.island >= 0) & ~self.frame.asleep
        if not is_still.any():
            return is_still
        return without_islands(self.model, is_still, ~is_still)

    # ------------------------------------------------------------------ who is touched

    def _touched(self, resting: Mask) -> Mask:
        """Those of resting objects (o,) that what moves may have met, and all that these touch."""
        woken = np.zeros_like(resting)
        self.scratch = self.frame.scratch_of_whole(NearScratch)
        moving = self._moving(resting)
        if not moving:
            return woken
        left = {number: self._boxes(number) for number in np.flatnonzero(resting).tolist()}
        while moving and left:
            front = joined(moving)
            met = [
                number
                for number, boxes in left.items()
                if boxes.whole().meet(front).any() and boxes.meet(front).any()
            ]
            woken[met] = True
            island = self.table.island
            joined_to = np.flatnonzero(resting & np.isin(island, island[met]))
            woken[joined_to] = True
            moving = [left.pop(number) for number in joined_to.tolist() if number in left]
        return woken

    def _moving(self, resting: Mask) -> list[Boxes]:
        """Boxes around all that moves and does not rest."""
        frame = self.frame
        moving = []
        shapes = self._moving_shapes()
        if len(shapes):
            moving.append(boxes_of_shapes(frame.work.shapes, shapes, self._ends()))
        self.idle = np.zeros(len(self.model.particles), dtype=bool)
        self.idle[self.balls.idle] = True
        moving += [
            self._boxes(number)
            for number in np.flatnonzero(self.scratch.is_loose & ~resting).tolist()
            if not self.idle[self.model.objects[number].particles].all()
        ]
        return moving

    def _boxes(self, number: int) -> Boxes:
        """Boxes around where an object gets to in this frame."""
        frame, span = self.frame, self.model.objects[number].particles
        elements = self.scratch.elements[number]
        if frame.asleep[number]:
            places = [frame.x[span]]
        else:
            start, end = frame.origin.position[span], frame.x[span]
            out = self._way(start, frame.origin.previous[span], frame.origin.step)
            back = self._way(end, frame.previous[span], frame.h)
            places = [start, end, start + out, end - back]
            elements = elements[~self.idle[elements[:, 0]]]
        margin = float(self.scratch.margin[number])
        return boxes_of_points(places).around(elements - span.start).widened(margin)

    def _way(self, x: Floats, previous: Floats, step: float) -> Floats:
        """How far (k, 3) m the velocity that x* says takes a particle in this frame."""
        way: Floats = (x - previous) * (self.frame.inputs.duration / step)
        return way

    def _ends(self) -> FrameEnds:
        """Where all owners are at both ends of the frame."""
        frame, origin = self.frame, self.frame.origin
        given = (origin.collider_position, origin.collider_orientation)
        start = self._owners(origin, *given)
        end = self._owners(frame.state, *frame.collider_end)
        return FrameEnds(*zip(start, end))

    def _owners(self, state: State, position: Floats, orientation: Floats) -> list[Floats]:
        """Places (o, 3) m, turns (o, 4) and ways (o, 3) m of owners; colliders are where given."""
        way = self._way(state.body_position, state.body_previous, state.step)
        of_particles = self._way(state.position, state.previous, state.step)
        composing = self.frame.work.composing
        poses = [one.poses(state.position) for one in composing]
        means = [of_particles[one.composed].mean(axis=1) for one in composing]
        return [
            np.concatenate([state.body_position, position, *(place for place, _ in poses)]),
            np.concatenate([state.body_orientation, orientation, *(turn for _, turn in poses)]),
            np.concatenate([way, np.zeros_like(position), *means]),
        ]

    def _moving_shapes(self) -> Ints:
        """Shapes of what is awake or goes anywhere in this frame."""
        frame, model = self.frame, self.model
        if not len(model.shapes):
            return np.zeros(0, dtype=np.int32)
        state, origin = frame.state, frame.origin
        moves = np.ones(model.owner_count, dtype=bool)
        count, colliders = len(model.bodies), len(model.colliders)
        was_awake, is_awake = (
            (one.body_rest >= 0.0) & (one.body_rest < REST_TIME) for one in (origin, state)
        )
        is_led = _differ(
            (state.body_position, state.body_orientation),
            (origin.body_position, origin.body_orientation),
        )
        moves[:count] = is_awake | (is_led & ~was_awake)  # not what lies down in this frame
        moves[count : count + colliders] = _differ(
            frame.collider_end, (origin.collider_position, origin.collider_orientation)
        )
        if self.bodies.meshes.is_moving:
            moves[self.bodies.meshes.moving_owner] = True
        return np.flatnonzero(moves[model.shapes.owner]).astype(np.int32)


def _differ(poses: tuple[Floats, Floats], others: tuple[Floats, Floats]) -> Mask:
    """Which places (k, 3) and turns (k, 4) are not the same."""
    found: Mask = (poses[0] != others[0]).any(axis=1) | (poses[1] != others[1]).any(axis=1)
    return found
