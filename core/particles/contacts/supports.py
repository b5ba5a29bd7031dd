"""Finds what may bear those that lie: colliders at particles, and contacts of pieces."""

from __future__ import annotations

from collections import namedtuple

from ...arrays import Ints
from ...collision.contact_law import joint_friction
from ...collision.kinds import MESH
from ...collision.narrow_phase import parts_of
from ...collision.particle_distance import mesh_distance
from ...collision.point_distance import solid_distance
from ...collision.shapes import face_count, passes_by
from ...kernels.jit import inline, kernel
from ...records import Particles, Records
from ...vec3 import ZERO, dot, load, rotate, sub, unrotate, vec
from ..constraints.strand_contact import Bearing, Standoff, note_support
from .contact_places import displacement, gap_of

Ground = namedtuple(
    "Ground",
    [
        "shapes",
        "collider_count",  # of shapes that are colliders, first of all
        "mesh_tree",
        "mesh_before",  # (v, 3) m
        "mesh_motion",  # m
        "friction",  # (n,)
        "contacts",  # of this substep, see `contact_point`
        "contact_count",
        "owners",
        "radius",  # (n,) m that particles keep away
        "fall",  # m, way that gravity makes in a substep
    ],
)
"""What may be lain on, and how."""

BEARING_GAP = 0.5
"""Gap, as a share of what a particle keeps away, up to which a shape may come to bear it."""

TOUCHES = 1e-3
"""The same where a step begins, up to which it bears it from the beginning."""

CREEPS = 4.0
"""What slides by less than this many times the way of gravity in a step is tried to stick."""


class Supports:
    """What bears in one substep, as those ask for it that are `Lying`."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.reach = Standoff(ground.radius, ground.fall)

    def find(
        self, bearing: Bearing, sticks: Records, row_of: Ints, particles: Particles, h: float
    ) -> None:
        """Note in ``bearing`` all that may bear the sticks; see `find_supports`."""
        find_supports(bearing, sticks, row_of, particles, self.ground, h)


@inline
def _support_particle(bearing, k, i, particles, ground):
    """Note the collider that particle i of row k is deepest in, or nearest to."""
    shapes = ground.shapes
    _, hulls, meshes = parts_of(shapes)
    x, previous, _ = particles
    radius = ground.radius[i]
    reach = (1.0 + BEARING_GAP) * radius
    least = BEARING_GAP * radius
    found = -1
    normal, u = ZERO, ZERO
    for s in range(ground.collider_count):
        kind = shapes.kind[s]
        room = reach + (ground.mesh_motion if kind == MESH else 0.0)
        if passes_by(shapes, s, x, previous, i, room):
            continue
        r = shapes.rotation[s]
        p = unrotate(r, sub(load(x, i), load(shapes.centre, s)))
        o = unrotate(
            shapes.rotation_before[s], sub(load(previous, i), load(shapes.centre_before, s))
        )
        for face in range(face_count(kind)):
            moved = ZERO
            if kind == MESH:
                gap, n, moved = mesh_distance(
                    meshes,
                    shapes.mesh[s],
                    ground.mesh_tree,
                    ground.mesh_before,
                    ground.mesh_motion,
                    p,
                    o,
                    reach,
                )
            else:
                gap, n = solid_distance(
                    hulls, kind, shapes.size[s], shapes.hull[s], face, p, o, reach
                )
            gap += BEARING_GAP * radius
            if gap < least:
                least, found = gap, s
                normal, u = rotate(r, n), rotate(r, sub(sub(p, o), moved))
    if found < 0:
        return
    before = least - dot(u, normal)
    gap = least + max(0.0, -before)  # what is older than the step is parted gently, by others
    bears = gap <= 0.0 or before <= TOUCHES * radius
    mu = joint_friction(ground.friction[i], shapes.friction[found])
    note_support(bearing, k, (1.0, 0.0), normal, gap, u, mu, bears, CREEPS * ground.fall)


@kernel
def find_supports(bearing, sticks, row_of, particles, ground, h):
    """Note all that may bear the strands in this step; row_of (m,): of the first m
    particles, −1 for none.

    Particles at colliders, and contacts of single particles and of pieces with what is as good as
    immovable.
    """
    bearing.count[0] = 0
    for k in range(sticks.shape[0]):
        bearing.first[k] = -1
    for k in range(sticks.shape[0]):
        i = sticks[k]["particle"]
        if particles.inverse_mass[i] > 0.0 and ground.radius[i] > 0.0:
            _support_particle(bearing, k, i, particles, ground)
    for c in range(ground.contact_count):
        contact = ground.contacts.solving[c]
        place, other = contact["place"][0], contact["place"][1]
        o = other["owner"]
        if place["owner"] >= 0 or place["four_body"] >= 0 or o < 0 or other["four_body"] >= 0:
            continue
        if ground.owners.inverse_mass[o] > 0.0 or contact["bounce"] > 0.0:
            continue
        i, j = place["particle"][0], place["particle"][1]
        if max(i, j) >= row_of.shape[0]:
            continue
        k, m = row_of[i], row_of[j]
        if k < 0 or m < 0 or place["weight"][2] != 0.0:
            continue
        weight = (place["weight"][0], place["weight"][1])
        if contact["inverse_mass"] == 0.0:
            continue
        if i != j and sticks[m]["parent"] == k:
            k, m = m, k
            weight = (weight[1], weight[0])
        elif i != j and sticks[k]["parent"] != m:
            continue
        gap = gap_of(contact, particles.x, ground.owners, h) + contact["overlap"]
        u = displacement(contact, particles, ground.owners, h)
        normal = vec(contact["normal"])
        radius = ground.radius[i]
        bears = gap <= 0.0 or gap - dot(u, normal) <= TOUCHES * radius
        mu = contact["friction"]
        note_support(bearing, k, weight, normal, gap, u, mu, bears, CREEPS * ground.fall)
