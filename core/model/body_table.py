"""The constant arrays of quaternion bodies and of collision shapes, parts of a `Model`."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..kernels.jit import kernel
from ..rotation import conjugate, product, quaternion, set_quaternion, turn_to_previous
from ..vec3 import ZERO, load
from ..vector import turned_by

if TYPE_CHECKING:
    from ..arrays import Floats, Ints

ACTIVE, ANIMATED, PASSIVE = range(3)
FOLLOWS = {"ACTIVE": ACTIVE, "ANIMATED": ANIMATED, "PASSIVE": PASSIVE}


@dataclass(frozen=True, eq=False)
class BodyTable:
    """b rigid bodies with their centre of mass as place and principal axes as rotation."""

    object: Ints  # (b,) index into Model.objects
    position: Floats  # (b, 3) m, centre of mass at the start
    orientation: Floats  # (b, 4), of the principal axes
    velocity: Floats  # (b, 3) m/s
    angular_velocity: Floats  # (b, 3) rad/s, along the axes of the world
    mass: Floats  # (b,) kg
    inertia: Floats  # (b, 3) kg·m², principal moments
    drag: Floats  # (b,) 1/s
    angular_drag: Floats  # (b,) 1/s
    gyroscopic: Ints  # (b,) 0: ω×Iω is left out (Kenwright's simplification)
    sleeps: Ints  # (b,) 0: never
    follows: Ints  # (b,) ACTIVE, ANIMATED or PASSIVE
    apart: Ints  # (e, 2) rows of those that never collide with each other

    def __len__(self) -> int:
        return len(self.mass)


HullTable = namedtuple(
    "HullTable",
    [
        "first_vertex",  # (h + 1,)
        "vertex",  # (v, 3) m, in the frame of the shape
        "first_face",  # (h + 1,)
        "face_first_corner",  # (f + 1,)
        "face_corner",  # (c,) rows of vertex, counter-clockwise seen from outside
        "face_normal",  # (f, 3)
        "face_offset",  # (f,) m, n·x on the face
        "first_edge",  # (h + 1,)
        "edge",  # (e, 4) two rows of vertex, two of faces
    ],
)

MeshTable = namedtuple(
    "MeshTable",
    [
        "first_triangle",  # (m + 1,)
        "triangle",  # (t, 3) rows of vertex
        "first_vertex",  # (m + 1,)
        "vertex",  # (v, 3) m, in the frame of the shape, at the start
        "two_sided",  # (m,)
    ],
)


@dataclass(frozen=True, eq=False)
class ShapeTable:
    """k collision shapes. An owner is a body (first), a collider, or a body of particles (last)."""

    kind: Ints  # (k,) see contact.shapes
    size: Floats  # (k, 3) m
    owner: Ints  # (k,)
    offset: Floats  # (k, 3) m, place in the owner's frame
    turn: Floats  # (k, 4), rotation in the owner's frame
    friction: Floats  # (k,)
    static_friction: Floats  # (k,) factor on friction for what stands still
    restitution: Floats  # (k,)
    layers: Ints  # (k,) bits; two shapes meet when they share one
    hull: Ints  # (k,) row of the hull table, -1 for none
    mesh: Ints  # (k,) row of the mesh table, -1 for none
    hulls: HullTable
    meshes: MeshTable

    def __len__(self) -> int:
        return len(self.kind)

    @cached_property
    def has_meshes(self) -> bool:
        """Whether any shape is a mesh."""
        return len(self.meshes.first_vertex) > 1


def empty_hulls() -> HullTable:
    """A hull table without hulls."""
    none = np.zeros(1, dtype=np.int32)
    return HullTable(
        none,
        np.zeros((0, 3)),
        none,
        none,
        np.zeros(0, dtype=np.int32),
        np.zeros((0, 3)),
        np.zeros(0),
        none,
        np.zeros((0, 4), dtype=np.int32),
    )


def empty_meshes() -> MeshTable:
    """A mesh table without meshes."""
    none = np.zeros(1, dtype=np.int32)
    return MeshTable(
        none, np.zeros((0, 3), dtype=np.int32), none, np.zeros((0, 3)), np.zeros(0, dtype=np.int32)
    )


def turned_back(bodies: BodyTable, step: float) -> Floats:
    """q* (b, 4) that gives bodies their first angular velocity in a step of ``step`` s.

    Raises nothing: spin that is too fast for the step is held at `rotation.LARGEST_TURN`.
    """
    back = bodies.orientation.copy()
    _turn_back(bodies.angular_velocity, step, back)
    return back


@kernel
def _turn_back(angular_velocity, step, orientation):
    for b in range(orientation.shape[0]):
        spin = load(angular_velocity, b)
        if spin != ZERO:
            turn = quaternion(orientation[b])
            back = turn_to_previous(turned_by(conjugate(turn), spin), step)
            set_quaternion(orientation[b], product(turn, back))
