"""Scratch memory of one model: allocated once, so that the step loop allocates nothing."""

from __future__ import annotations

import weakref

import numpy as np

from .arrays import Ints
from .collision.reach import body_radius
from .collision.shapes import place_shapes, smallest_half_extent
from .collision.touching import Touching
from .coupling.attachment import Attachments
from .coupling.tied_pieces import wearers
from .entry import Layout
from .forces.body_probe import probe_room
from .forces.settling import Settling
from .model import Model
from .particles.constraints.following import Following
from .particles.constraints.jacobi import Adjacency
from .particles.contact_hooks import hooks_for
from .particles.contacts.body_contact import MARGIN
from .particles.contacts.contact_point import contact_room
from .particles.contacts.couple_return import CoupleReturn
from .particles.contacts.hook import Surroundings
from .rigid.articulation.limb_response import limb_room
from .rigid.contacts.contact_rows import SLOP, row_room
from .rigid.contacts.jointed_contacts import joined_room
from .rigid.contacts.uneven_islands import island_room
from .rigid.joints.joint_graph import joint_graph
from .rigid.joints.joint_rows import joint_room
from .rigid.owners import Ahead, body_moves, place_owners
from .settings import AnimatedSettings

PARALLEL_FROM = 4000
"""Constraints per pass from which on several threads can pay."""


class Workspace:
    """Arrays that stages write and that mean nothing between two frames.

    Remembered are what the thread governor has learnt and which state was handed out last; neither
    can change bits.
    """

    def __init__(self, model: Model) -> None:
        count = model.particle_count
        self.layout = Layout(model)
        self.keep = np.empty(count)  # 1 − β of each particle
        self.keep_step = 0.0  # s that it is for, 0 when it is for a keyed drag
        self.gravity = np.zeros(3)  # m/s², of this frame
        self.neutral = (AnimatedSettings(),) * len(model.objects)  # where nothing is keyed
        self.body_ones = np.ones(model.body_count)  # likewise, of each body
        self.force = np.zeros((count, 3))  # N
        self.air = np.zeros((len(model.triangle), 3))  # m/s, wind at each triangle
        self.wire_air = np.zeros((len(model.wire), 3))  # m/s, wind at each wire
        self.normal_of_particle = np.zeros((count, 3))  # of the surface, for force fields
        self.multipliers = [np.zeros(c.multiplier_count) for c in model.constraints]
        self.damped = np.flatnonzero(model.spring_damping).astype(np.int32)
        self.spring_pull = np.zeros(len(model.spring))  # multipliers of springs
        self.task_strained = np.zeros(len(model.task_stick) - 1, dtype=np.int32)
        self.adjacency: Adjacency | None = None  # for Jacobi passes
        self.old_position = np.empty((count, 3))  # m, likewise
        self.old_spring_pull = np.empty(len(model.spring))
        self.shapes = place_shapes(model)
        self.owners = place_owners(model)
        self.ahead = Ahead(
            np.zeros((model.owner_count, 3)), np.tile(np.eye(3), (model.owner_count, 1, 1))
        )
        self.no_body = np.zeros(model.body_count, dtype=bool)
        self.all_hold = np.ones(len(model.joints), dtype=bool)
        self.moves = body_moves(model, self.gravity)
        self.moves_step = 0.0  # s that the drags in it are for, 0 where they are keyed
        self.is_pushed = False  # whether forces in it may be others than zero
        self.body_load = np.zeros((model.body_count, 3))  # m/s², gravity and what those forces do
        self.probes = probe_room(model)  # where force fields act on bodies
        self.body_radius = body_radius(model)
        self.stirs = np.zeros(model.owner_count + 1)  # 1: free to move, or driven somewhere
        self.island = np.zeros(model.body_count, dtype=np.int32)  # scratch of union–find
        self.ring = np.zeros(model.body_count, dtype=np.int32)  # marks of bodies, scratch
        self.felt = np.zeros(model.body_count)  # N·s, blows on bodies, by which sleepers wake
        self.thickness = smallest_half_extent(model.shapes)
        self.slop = SLOP * self.thickness  # m, overlap that is left alone
        self.reach = np.zeros(len(model.shapes))
        self.rows = row_room(16 * model.body_count)
        graph = joint_graph(model)
        self.joints = joint_room(model, graph)
        self.islands = island_room(model.owner_count + 1)
        self.joined = joined_room(model, graph.body_group)
        self.limb_response = limb_room(model, graph)
        self.touching = Touching(model, self.thickness)
        smallest = self.thickness
        bodies = self.shapes.particle_body >= 0
        self.margin = np.where(bodies, MARGIN * smallest, 0.0)  # m
        self.contacts = contact_room(max(1, 32 * model.particle_body_count, 4 * len(model.crowd)))
        self.acting = [f for f in model.forces if not isinstance(f, Settling)]
        self.settling = [f for f in model.forces if isinstance(f, Settling)]
        self.following = [c for c in model.constraints if isinstance(c, Following)]
        self.ties = [c for c in model.constraints if isinstance(c, Attachments)]
        self.worn, self.wearer = wearers(model, self.ties)
        self.wearing = np.flatnonzero(self.wearer >= 0).astype(np.int32)
        self.tie_push = np.zeros((model.body_count, 3))  # N·s of ties in this substep
        pieces = _pieces(model)
        self.hooks = hooks_for(self._surroundings(model, pieces))
        rings = pieces if any(hook.turns_rings for hook in self.hooks) else pieces[:0]
        self.return_couples = CoupleReturn(count, [w for h in self.hooks for w in h.wholes], rings)
        per_pass = len(model.stick) + len(model.spring) + len(model.colliding)
        self.is_large = per_pass >= PARALLEL_FROM
        self.governor = Governor()

    def _surroundings(self, model: Model, pieces: Ints) -> Surroundings:
        """What contact hooks are made for."""
        return Surroundings(
            model=model,
            shapes=self.shapes,
            owners=self.owners,
            touching=self.touching,
            thickness=self.thickness,
            margin=self.margin,
            piece=pieces,
            ties=self.ties,
            tie_push=self.tie_push,
        )


def _pieces(model: Model) -> Ints:
    """Particles (e, 3) of all triangles of cloth and, ending with −1, stretches of rope."""
    wire = np.pad(model.wire, ((0, 0), (0, 1)), constant_values=-1)
    return np.ascontiguousarray(np.concatenate([model.triangle, wire]), dtype=np.int32)


_workspaces: weakref.WeakKeyDictionary[Model, Workspace] = weakref.WeakKeyDictionary()


def workspace_of(model: Model) -> Workspace:
    """The model's scratch memory, allocated at first use; it goes when the model goes."""
    work = _workspaces.get(model)
    if work is None:
        work = _workspaces[model] = Workspace(model)
    return work


class Governor:
    """Chooses between one thread and several by what the last frames took.

    On a busy machine every barrier can cost milliseconds and one thread is faster. The result
    has the same bits either way, so the choice is free: the faster way is taken, and every
    ``PROBE`` frames the other one is tried for one frame.
    """

    PROBE = 24

    def __init__(self) -> None:
        self.frames = 0
        self.tries = {True: 0, False: 0}  # by "several threads"
        self.seconds = {True: 0.0, False: 0.0}  # a frame takes, running mean

    def choose(self, limit: int) -> int:
        """Threads for the next frame, at most ``limit``."""
        if limit <= 1:
            return 1
        self.frames += 1
        for several in (True, False):
            if self.tries[several] < 2:
                return limit if several else 1
        several = self.seconds[True] < self.seconds[False]
        if self.frames % self.PROBE == 0:
            several = not several
        return limit if several else 1

    def learn(self, threads: int, seconds: float) -> None:
        """Remember how long a frame took; the first of each kind does not count (it compiles)."""
        several = threads > 1
        self.tries[several] += 1
        if self.tries[several] == 2:
            self.seconds[several] = seconds
        elif self.tries[several] > 2:
            self.seconds[several] = 0.5 * (self.seconds[several] + seconds)
