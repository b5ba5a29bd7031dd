"""What is rooted in a collider or body: particles inside that a pin holds too short to come out.

A plant is planted deeper than its lowest branch is long, a flag's edge is nailed into a post. Such
a particle is pulled back by what joins it to the pin as often as the collider pushes it out, and
neither ever wins: a stem of 1 m whose root stood 30 cm deep in a ball whipped about at 40 m/s for
ever. So it does not touch colliders, nor the body that it stands in: that comes off it, and passes
through what was inside. A pin at depth d holds what lies around it within d: nothing
of that reaches the surface, whichever way it is bent. Where branches hold their form, roots reach
as far as these lie in the collider without a gap.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from ..collision.kinds import MESH
from ..collision.narrow_phase import parts_of
from ..collision.point_distance import solid_distance
from ..collision.shapes import face_count, place_shapes
from ..geometry.surface import connected_parts
from ..kernels.jit import kernel
from ..model import Model
from ..particles.constraints.rooting import Rooting
from ..particles.particle_bodies.four_particles import body_poses
from ..vec3 import between, dot, load, sub, unrotate
from ..vector import rotation_matrix


def find_rooted(model: Model) -> Ints:
    """The owner of shapes in which each particle (n,) is rooted at the first frame, −1 for none.

    Triangles of meshes have no inside and hold nothing.
    """
    particles = model.particles
    rooted_in = np.full(len(particles), -1, dtype=np.int32)
    is_pinned = particles.inverse_mass == 0.0
    if not (len(model.shapes) and is_pinned.any()):
        return rooted_in
    bonds = np.concatenate(
        [np.zeros((0, 2), dtype=np.int32)]
        + [one.bonds for one in model.constraints if isinstance(one, Rooting)]
    )
    shapes = place_shapes(model)
    position, orientation = _owner_poses(model)
    gap = np.zeros(len(particles))
    everyone = np.arange(len(particles), dtype=np.int32)
    pinned = everyone[is_pinned]
    for s in np.flatnonzero((shapes.kind != MESH) & (shapes.owner >= 0)):
        turn = rotation_matrix(orientation[shapes.owner[s]])
        shapes.centre[s] = position[shapes.owner[s]] + turn @ shapes.offset[s]
        shapes.rotation[s] = turn @ shapes.turn[s]
        for face in range(face_count(int(shapes.kind[s]))):
            _measure(shapes, int(s), face, particles.position, pinned, gap)
            if not (gap[pinned] < 0.0).any():
                continue
            is_rooted = np.zeros(len(particles), dtype=np.bool_)
            _measure(shapes, int(s), face, particles.position, everyone, gap)
            for span in model.objects:
                rows = everyone[span.particles]
                pins = rows[is_pinned[rows] & (gap[rows] < 0.0)]
                inside = rows[gap[rows] < particles.radius[rows]]
                if len(pins):
                    _mark(pins, inside, particles.position, particles.radius, gap, is_rooted)
            is_rooted |= _grown(is_pinned & (gap < 0.0), bonds, gap < particles.radius)
            rooted_in[is_rooted] = shapes.owner[s]
    return rooted_in


def _owner_poses(model: Model) -> tuple[Floats, Floats]:
    """Place m and unit quaternion of everything that has shapes, (o, 3) and (o, 4)."""
    places, turns = body_poses(model, model.initial_state())
    bodies, colliders = len(model.bodies), model.colliders
    return (
        np.concatenate([places[:bodies], colliders.position, places[bodies:]]),
        np.concatenate([turns[:bodies], colliders.orientation, turns[bodies:]]),
    )


def _grown(
    is_root: NDArray[np.bool_], bonds: Ints, is_inside: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Which particles (n,) inside bonds (b, 2) join to a root by others inside; roots too."""
    part = connected_parts(len(is_root), bonds[is_inside[bonds].all(axis=1)])
    return np.isin(part, part[is_root])


@kernel
def _measure(shapes, s, face, x, rows, gap):
    """Write how far rows of x (n, 3) are from a face of shape s, below 0 inside, to gap (n,) m."""
    _, hulls, _ = parts_of(shapes)
    for i in rows:
        p = unrotate(shapes.rotation[s], sub(load(x, i), load(shapes.centre, s)))
        gap[i], _ = solid_distance(
            hulls, shapes.kind[s], shapes.size[s], shapes.hull[s], face, p, p, 0.0
        )


@kernel
def _mark(pins, inside, x, radius, gap, is_rooted):
    """Mark those of particles that no way leads out for, bound as they are to one of the pins."""
    for i in inside:
        for p in pins:
            way = between(x, p, i)
            reach = radius[i] - gap[p]
            if dot(way, way) <= reach * reach:
                is_rooted[i] = True
                break
