"""What collides in place of the meshes, as lines in the world."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...core.arrays import Floats
from ..transforms import affine
from .joint_lines import arc, box

if TYPE_CHECKING:
    from ...core.model import Model, State

MOST_TRIANGLES_DRAWN = 20_000  # of a mesh shape that is drawn
GROUND_DRAWN = 2.0  # m, half the side of the square that stands for an endless plane

_FULL = 2.0 * np.pi


def shape_lines(model: Model, state: State) -> Floats:
    """Segments (n, 2, 3) in m of all shapes, and sticks of figures, in a simulated frame."""
    from ...core.particles.particle_bodies.four_particles import body_poses

    position, orientation = body_poses(model, state)
    count = len(model.bodies)  # owners are bodies, colliders, and bodies of particles
    places = np.concatenate([position[:count], state.collider_position, position[count:]])
    turns = np.concatenate([orientation[:count], state.collider_orientation, orientation[count:]])
    table = model.shapes
    rotations = affine.rotation_of(turns)
    own = affine.rotation_of(table.turn)
    found = [np.zeros((0, 2, 3))]
    for s in range(len(table)):
        lines = local_lines(model, s)
        owner = table.owner[s]
        rotation = rotations[owner] @ own[s]
        origin = rotations[owner] @ table.offset[s] + places[owner]
        found.append(lines @ rotation.T + origin)
    limbs = model.limbs
    for (begin, end), radius in zip(state.position[limbs.stick], limbs.radius.tolist()):
        length = float(np.linalg.norm(end - begin))
        along = (end - begin) / length if length > 0.0 else np.array([0.0, 0.0, 1.0])
        lines = _tube(radius, 0.5 * length, has_caps=True)
        found.append(lines @ _z_towards(along).T + 0.5 * (begin + end))
    return np.concatenate(found)


def _z_towards(along: Floats) -> Floats:
    """A rotation (3, 3) that brings Z to a unit vector."""
    aside = np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))])
    aside /= np.linalg.norm(aside)
    return np.stack([aside, np.cross(along, aside), along], axis=1)


def local_lines(model: Model, s: int) -> Floats:
    """Segments (n, 2, 3) of one shape in its own frame."""
    from ...core.collision import kinds

    table = model.shapes
    kind, size = int(table.kind[s]), table.size[s]
    if kind == kinds.PLANE:
        square = box(np.array([GROUND_DRAWN, GROUND_DRAWN, 0.0]))
        return square[np.linalg.norm(square[:, 0] - square[:, 1], axis=1) > 0.0]
    if kind in (kinds.BOX, kinds.ROOM):
        return box(size)
    if kind == kinds.SPHERE:
        return np.concatenate([arc(axis, 0.0, _FULL, size[0]) for axis in range(3)])
    if kind in (kinds.CAPSULE, kinds.CYLINDER):
        return _tube(size[0], size[1], has_caps=kind == kinds.CAPSULE)
    if kind == kinds.HULL:
        first, last = table.hulls.first_edge[table.hull[s] : table.hull[s] + 2]
        ends = table.hulls.edge[first:last, :2]
        return table.hulls.vertex[ends]
    first, last = table.meshes.first_triangle[table.mesh[s] : table.mesh[s] + 2]
    triangle = table.meshes.triangle[first : min(last, first + MOST_TRIANGLES_DRAWN)]
    edges = np.concatenate([triangle[:, (0, 1)], triangle[:, (1, 2)], triangle[:, (2, 0)]])
    return table.meshes.vertex[np.unique(np.sort(edges, axis=1), axis=0)]


def _tube(radius: float, half: float, *, has_caps: bool) -> Floats:
    """A cylinder along Z, or a capsule."""
    ring = arc(2, 0.0, _FULL, radius)
    found = [ring + (0.0, 0.0, end) for end in (-half, half)]
    sides = np.zeros((4, 2, 3))
    for number, (x, y) in enumerate(((1, 0), (0, 1), (-1, 0), (0, -1))):
        sides[number, :, 0], sides[number, :, 1] = radius * x, radius * y
        sides[number, :, 2] = -half, half
    found.append(sides)
    if has_caps:
        for axis in (0, 1):
            circle = arc(axis, 0.0, _FULL, radius)
            upper = circle[circle[:, :, 2].min(axis=1) > -1e-9 * radius]
            lower = circle[circle[:, :, 2].max(axis=1) < 1e-9 * radius]
            found += [upper + (0.0, 0.0, half), lower - (0.0, 0.0, half)]
    return np.concatenate(found)
