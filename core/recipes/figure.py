"""What a stick figure is: particles at the joints of a skeleton and sticks between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ..arrays import Floats, Ints
    from .ragdoll_plan import Plan


@dataclass(frozen=True, eq=False)
class Limb:
    """The particles of one part."""

    particles: Ints  # (m,) rows of the figure, its joint first
    parent: int  # row of the limb that it hangs on, −1 for none
    end: int  # row of the particle farthest from its joint
    has_frame: bool  # its particles tell how it is turned; else only where it points to
    bend: int  # row of the limb whose bending tells how this one is twisted, −1 for none
    bend_axis: Floats  # (3,) that one bends about, in the world at rest
    bends_both_ways: bool


@dataclass(frozen=True, eq=False)
class Figure:
    """A whole figure of n particles, in the world in the rest pose."""

    plan: Plan
    limbs: tuple[Limb, ...]  # one for each part of the plan
    order: tuple[int, ...]  # of the limbs, parents first
    place: Floats  # (n, 3) m
    owner: Ints  # (n,) the limb that a particle goes with
    mass: Floats  # (n,) kg
    radius: Floats  # (n,) m
    stick: Ints  # (s, 2) particles
    stick_radius: Floats  # (s,) m
    apart: Ints  # (k, 2) sticks that may meet
    apart_reach: Floats  # (k,) m that these keep between their middles
    link: Ints  # (l, 2) particles
    shortest: Floats  # (l,) m
    longest: Floats  # (l,) m
    cone: Ints  # (m, 5) a particle, and four that carry the middle of its cone
    cone_weight: Floats  # (m, 4)
    cone_longest: Floats  # (m,) m that it gets from there
    plane: Ints  # (q, 7) a particle, and others whose plane it keeps to one side of
    plane_weight: Floats  # (q, 4) of the last four, see `MovingPlanes`
    plane_least: Floats  # (q,) m³

    def places(self, turn: Floats, move: Floats) -> Floats:
        """Where the particles (n, 3) m are with bones carried by turn (b, 3, 3), move (b, 3) m."""
        bone = np.array([part.bone for part in self.plan.parts])[self.owner]
        moved: Floats = np.einsum("nij,nj->ni", turn[bone], self.place) + move[bone]
        return moved

    def heights(self, x: Floats) -> Floats:
        """How far (q,) m³ knees, elbows and feet are on their side of their planes."""
        i, a, b = (x[column] for column in self.plane.T[:3])
        c = np.einsum("qk,qki->qi", self.plane_weight, x[self.plane[:, 3:]])
        height: Floats = ((i - a) * np.cross(b - a, c - a)).sum(axis=1)
        return height

    def weights(self, limp: Floats) -> Floats:
        """How firmly (n,) 0 … 1 particles are held to the keys, by how limp (b,) each bone is."""
        held = np.zeros(len(self.place))
        for part, limb in zip(self.plan.parts, self.limbs):
            held[limb.particles] = np.maximum(held[limb.particles], 1.0 - limp[part.bone])
        return np.clip(held, 0.0, 1.0)
