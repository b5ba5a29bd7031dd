"""Particles against colliders: projection, depth friction, bounce (Jakobsen §3, §7).

All of it happens in the collider's own frame, where p is the particle now and o where it was one
step ago in the frame as it was then. So a moving collider drags and hits by itself.
"""

from __future__ import annotations

from collections import namedtuple

from ...collision.axis_boxes import are_apart, highest, lowest, widened
from ...collision.contact_law import (
    OVERLAP_SPEED,
    joint_friction,
    joint_restitution,
    overlap_before,
    parting,
    within_cone,
)
from ...collision.kinds import MESH, PLANE
from ...collision.narrow_phase import parts_of
from ...collision.particle_distance import MOST_TRIANGLES_AT_ONCE, mesh_distance
from ...collision.point_distance import is_beyond, solid_distance
from ...collision.restitution import bounce
from ...collision.shapes import face_count
from ...kernels.jit import kernel, lean_inline, parallel_kernel, prange
from ...vec3 import ZERO, add, along, dot, load, rotate, store, sub, unrotate, vec
from .particle_groups import GROUP_SIZE, box_of_group, group_count

CollidingParticles = namedtuple(
    "CollidingParticles",
    [
        "row",  # (m,) those particles that collide
        "is_parted",  # (n,) kept apart from meshes as part of a surface: only bounces off them here
        "radius",  # (n,) m
        "friction",  # (n,)
        "restitution",  # (n,)
        "start",  # (n, 3) m, where they stood at the start of the step; bounces set x* elsewhere
        "pushed",  # (n, 3) m, that colliders have pushed them in this step; (0, 3): nobody asks
    ],
)
"""Particles as what collides."""

Deforming = namedtuple(
    "Deforming",
    [
        "before",  # (v, 3) m, vertices of all meshes one step ago
        "motion",  # m, farthest that any has come since
    ],
)
"""What meshes have done within the step."""


@lean_inline
def _way_out(shapes, forms, s, face, p, o, start, reach):
    """Gap of a ball of radius ``reach`` at p from one face of shape s, normal, motion of the face.

    All in the shape's frame; o where the ball was one step ago, start where the step began.
    """
    hulls, meshes, tree, (before, motion) = forms
    if shapes.kind[s] == MESH:
        return mesh_distance(meshes, shapes.mesh[s], tree, before, motion, p, start, reach)
    kind, hull = shapes.kind[s], shapes.hull[s]
    gap, n = solid_distance(hulls, kind, shapes.size[s], hull, face, p, o, reach)
    return gap, n, ZERO


@lean_inline
def _respond(p, o, start, way_out, surface, h):
    """Where the ball at p, one step ago at o, is and was to have been after one contact.

    surface: friction and restitution of both, 0 for what may not bounce, and how fast gravity is
    along the normal, m/s².
    """
    gap, n, moved = way_out
    friction, e, fall = surface
    u = sub(sub(p, o), moved)
    approach = dot(u, n)
    if e > 0.0 and gap - approach >= 0.0 and approach < -2.0 * abs(fall) * h * h:
        height, after = bounce(gap - approach, approach, fall, h, e)
        shift = height - gap
        p = along(p, shift, n)
        # x* such that the normal part of x − x* is ``after``, tangent untouched
        o = along(o, (approach + shift) - after, n)
        impulse = after - approach
    else:
        old = min(-gap, overlap_before(gap, approach))
        impulse = -gap - old
        most = OVERLAP_SPEED * h + max(0.0, dot(sub(start, o), n))
        part = parting(old, 1.0, most)  # all of it: a collider gives no way
        p = along(p, impulse + part, n)
        o = along(o, part, n)
    return sub(p, within_cone(along(u, -approach, n), friction * impulse)), o


@lean_inline
def _collide(i, particles, balls, shapes, s, forms, gravity, h, may_bounce):
    """Particle i against shape s, which it may touch; whether it does."""
    x, previous, _ = particles
    is_mesh = shapes.kind[s] == MESH
    r, rb = shapes.rotation[s], shapes.rotation_before[s]
    c, cb = load(shapes.centre, s), load(shapes.centre_before, s)
    p = unrotate(r, sub(load(x, i), c))
    o = unrotate(rb, sub(load(previous, i), cb))
    size, radius = shapes.size[s], balls.radius[i]
    if is_beyond(forms[0], shapes.kind[s], size, shapes.hull[s], (p, o, o), radius):
        return False
    start = unrotate(rb, sub(load(balls.start, i), cb))
    touched, push = False, ZERO
    for face in range(MOST_TRIANGLES_AT_ONCE if is_mesh else face_count(shapes.kind[s])):
        way_out = _way_out(shapes, forms, s, face, p, o, start, radius)
        if way_out[0] >= 0.0:
            if is_mesh:
                break
            continue
        touched = True
        fall = dot(unrotate(r, vec(gravity)), way_out[1])
        e = joint_restitution(balls.restitution[i], shapes.restitution[s])
        mu = joint_friction(balls.friction[i], shapes.friction[s])
        surface = (mu, e if may_bounce else 0.0, fall)
        before, n = p, way_out[1]
        p, o = _respond(p, o, start, way_out, surface, h)
        push = along(push, dot(sub(p, before), n), n)  # friction acts across
    if touched:
        store(x, i, add(c, rotate(r, p)))
        store(previous, i, add(cb, rotate(rb, o)))
        if i < balls.pushed.shape[0]:
            store(balls.pushed, i, add(load(balls.pushed, i), rotate(r, push)))
    return touched


@lean_inline
def _is_clear(shapes, s, low, high, room):
    """Whether shape s has nothing within ``room`` m of a box."""
    if shapes.kind[s] != PLANE:
        lower, upper = load(shapes.lower, s), load(shapes.upper, s)
        return are_apart(*widened(low, high, room), lower, upper)
    r = shapes.rotation[s]
    deepest = (
        low[0] if r[0, 2] > 0.0 else high[0],
        low[1] if r[1, 2] > 0.0 else high[1],
        low[2] if r[2, 2] > 0.0 else high[2],
    )
    return unrotate(r, sub(deepest, load(shapes.centre, s)))[2] >= room


@lean_inline
def _group_touches(particles, balls, shapes, s, forms, bounds, gravity, h, may_bounce):
    """Particles first … last − 1 of those that collide against shape s; whether any touches it."""
    x, previous, inverse_mass = particles
    first, last, motion = bounds
    touched = False
    for j in range(first, last):
        i = balls.row[j]
        if inverse_mass[i] == 0.0:
            continue
        if shapes.kind[s] == MESH and balls.is_parted[i] and not may_bounce:
            continue
        now, then = load(x, i), load(previous, i)
        if _is_clear(shapes, s, lowest(now, then), highest(now, then), balls.radius[i] + motion):
            continue
        if _collide(i, particles, balls, shapes, s, forms, gravity, h, may_bounce):
            touched = True
    return touched


@parallel_kernel
def collide_particles(
    particles, balls, shapes, shape_count, mesh_tree, deforming, gravity, h, may_bounce
):
    """Project particles out of the colliders and let friction act.

    * Projection: the least way out. Depth that was there before the step is taken from x and x*
      alike and not at once, so that an overlapping start is resolved without a kick. What contacts
      have shifted x* by in this step, parting the particle from what presses it in, goes at once:
      cloth between a body and the floor stays on the floor.
    * Friction (Jakobsen §7): the tangential velocity x − x* loses μ·d, d the depth that was
      projected away, and never reverses. It is x that gives way, not x*: the velocity is the same,
      and the particle does not slide a step too far or creep down a slope that holds it.
    * Restitution: with ``may_bounce`` a fast particle is reflected on its exact path.

    Groups of neighbours in the order of the rows pass by what their common box is clear of.

    shape_count: of the shapes, from the first on, that belong to colliders. mesh_tree: over the
    triangles of all meshes, each in its shape's own frame. gravity (3,) m/s². Nine
    arguments, for a parallel loop takes no records in records.
    """
    count = balls.row.shape[0]
    for group in prange(group_count(balls.row)):
        first, last = group * GROUP_SIZE, min((group + 1) * GROUP_SIZE, count)
        _, hulls, meshes = parts_of(shapes)
        forms = (hulls, meshes, mesh_tree, deforming)
        low, high, radius = box_of_group(balls.row, balls.radius, particles, first, last)
        for s in range(shape_count):
            motion = deforming.motion if shapes.kind[s] == MESH else 0.0
            if _is_clear(shapes, s, low, high, radius + motion):
                continue
            bounds = (first, last, motion)
            if _group_touches(particles, balls, shapes, s, forms, bounds, gravity, h, may_bounce):
                low, high, radius = box_of_group(balls.row, balls.radius, particles, first, last)


@kernel
def list_moved(moved, rows, x, before):
    """List in ``moved`` which of rows are no longer at before (n, 3) m; how many."""
    count = 0
    for n in range(rows.shape[0]):
        i = rows[n]
        if x[i, 0] != before[i, 0] or x[i, 1] != before[i, 1] or x[i, 2] != before[i, 2]:
            moved[count] = i
            count += 1
    return count


@kernel
def deepest_particle(x, colliding, shapes, collider_count):
    """Deepest penetration in m of any particle's centre into a collider, 0 when none is inside.

    The triangles of a mesh have no inside.
    """
    _, hulls, _ = parts_of(shapes)
    deepest = 0.0
    for j in range(colliding.shape[0]):
        i = colliding[j]
        for s in range(collider_count):
            kind, size, hull = shapes.kind[s], shapes.size[s], shapes.hull[s]
            if kind == MESH:
                continue
            p = unrotate(shapes.rotation[s], sub(load(x, i), load(shapes.centre, s)))
            for face in range(face_count(kind)):
                gap, _ = solid_distance(hulls, kind, size, hull, face, p, p, 0.0)
                deepest = max(deepest, -gap)
    return deepest
