"""Scratch memory of one model: allocated once, so that the step loop allocates nothing."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from .arrays import Ints
from .collision.shapes import place_shapes, smallest_half_extent
from .collision.touching import Touching
from .coupling.pin_hold import tethers_by_particle
from .coupling.tying import ties_of
from .entry import Layout
from .model import Model
from .particles.common_constraints import common_constraints
from .particles.contact_hooks import hooks_for
from .particles.contacts.between_bodies import BetweenBodies, may_be_between
from .particles.contacts.body_contact import contact_margins
from .particles.contacts.composing import Composing
from .particles.contacts.contact_point import contact_room
from .particles.contacts.couple_return import CoupleReturn
from .particles.contacts.hook import Surroundings
from .particles.contacts.surface_room import surface_room
from .rigid.contacts.contact_table import contact_room as body_contact_room
from .rigid.joints.joint_graph import joint_graph
from .rigid.joints.joint_rows import joint_room
from .rigid.owners import place_owners
from .thread_governor import Governor

PARALLEL_FROM = 4000
"""Constraints per pass from which on several threads can pay."""

PARALLEL_BODIES = 300
"""Bodies from which on they can."""


Scratch = TypeVar("Scratch")


class Workspace:
    """Arrays that stages write and that mean nothing between two frames.

    What several stages share stands here; what is one stage's own it gets by `scratch`. Remembered
    are what the thread governor has learnt and which state was handed out last; neither can change
    bits.
    """

    def __init__(self, model: Model) -> None:
        self._scratch: dict[object, Any] = {}
        self.layout = Layout(model)
        self.shapes = place_shapes(model)
        self.owners = place_owners(model)
        graph = joint_graph(model)
        self.joints = joint_room(model, graph)
        self.body_contacts = body_contact_room(model, graph)
        self.thickness = smallest_half_extent(model.shapes)
        self.touching = Touching(model, self.thickness)
        self.margin = contact_margins(self.shapes, self.thickness)
        self.surfaces = surface_room(model)
        self.between = (
            BetweenBodies(model, self.shapes, self.touching) if may_be_between(model) else None
        )
        self.ties = ties_of(model.constraints)
        self.tie_push = np.zeros((len(model.bodies), 3))  # N·s of ties in this substep
        self.strain_force = np.zeros((len(model.bodies), 2, 3))  # N, N·m: see `strain_hold`
        self.tethers = tethers_by_particle(model)
        self.common_constraints = common_constraints(model, self.tethers)
        is_asked = len(model.sticks) + len(model.tethers) + len(model.tethers.span) > 0
        pushed = len(model.particles) if is_asked else 0
        self.pushed = np.zeros((pushed, 3))  # m, by what does not give way: see `forced_stretch`
        self.firm = np.zeros(pushed, dtype=np.uint8)  # 1 for what is pressed beyond its reach
        pieces = _pieces(model)
        self.hooks = hooks_for(self._surroundings(model, pieces))
        self.composing = [hook for hook in self.hooks if isinstance(hook, Composing)]
        self.contacts = contact_room(max([1, *(hook.room for hook in self.hooks)]))
        rings = pieces if any(hook.turns_rings for hook in self.hooks) else pieces[:0]
        wholes = [whole for hook in self.hooks for whole in hook.wholes]
        self.return_couples = CoupleReturn(len(model.particles), wholes, rings)
        self.body_mark = np.zeros(len(model.bodies), dtype=np.int32)  # marks of bodies, for a call
        per_pass = len(model.sticks) + len(model.springs) + len(model.particles.colliding)
        self.is_large = per_pass >= PARALLEL_FROM or len(model.bodies) >= PARALLEL_BODIES
        self.governor = Governor()

    def scratch(self, kind: Callable[[Model], Scratch], model: Model) -> Scratch:
        """The scratch memory that a stage calls its own, made for the model at first use."""
        found = self._scratch.get(kind)
        if found is None:
            found = self._scratch[kind] = kind(model)
        own: Scratch = found
        return own

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
            strain_force=self.strain_force,
            tethers=self.tethers,
            surfaces=self.surfaces,
            between=self.between,
        )


def _pieces(model: Model) -> Ints:
    """Particles (e, 3) of all triangles of cloth and, ending with −1, stretches of rope."""
    wire = np.pad(model.pieces.wire, ((0, 0), (0, 1)), constant_values=-1)
    return np.ascontiguousarray(np.concatenate([model.pieces.triangle, wire]), dtype=np.int32)


_workspaces: weakref.WeakKeyDictionary[Model, Workspace] = weakref.WeakKeyDictionary()


def workspace_of(model: Model) -> Workspace:
    """The model's scratch memory, allocated at first use; it goes when the model goes."""
    work = _workspaces.get(model)
    if work is None:
        work = _workspaces[model] = Workspace(model)
    return work
