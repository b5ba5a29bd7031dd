"""Balls on colliders and bodies: where they will be at the end of the substep, with some room.

A ball that is out of a shape by less than the room has a row too, for others may press it down yet.
"""

from __future__ import annotations

from ...collision.contact_law import joint_friction, joint_restitution
from ...collision.kinds import MESH
from ...collision.narrow_phase import parts_of
from ...collision.particle_distance import MOST_TRIANGLES_AT_ONCE, mesh_distance
from ...collision.point_distance import solid_distance
from ...collision.shapes import face_count
from ...coupling.body_point import mobility_at
from ...kernels.jit import kernel, lean, lean_inline
from ...vec3 import ZERO, add, along, dot, load, rotate, set_vec, sub, unrotate, vec
from .ball_table import MOST_WALLS

REACH_OF_WALLS = 0.02
"""Radii by which a ball may be out of a shape and still have a row."""


@lean_inline
def _recall(row, leant):
    """Take what a ball remembers of a shape: what of it pushed most along this normal."""
    best, found = 0.0, -1
    n = vec(row["normal"])
    for k in range(MOST_WALLS):
        if leant[k]["shape"] == row["shape"]:
            push = dot(vec(leant[k]["impulse"]), n)
            if push > best:
                best, found = push, k
    row["normal_impulse"] = best
    set_vec(row["friction_impulse"], ZERO)
    if found >= 0:
        leant[found]["shape"] = -1  # nobody else's
        set_vec(row["friction_impulse"], along(vec(leant[found]["impulse"]), -best, n))


@lean
def _lean_on(row, shapes, s, owners, ball, place, touch):
    """Write the row of a ball on shape s.

    touch, in the frame of the shape at its end: the normal and the gap m, where the ball is, and
    the way m of what it touches within the shape.
    """
    n, gap, p, way = touch
    r, rb = shapes.rotation[s], shapes.rotation_before[s]
    row["shape"] = s
    normal = rotate(r, n)
    set_vec(row["normal"], normal)
    now = along(p, -gap - ball["radius"], n)
    at = add(load(shapes.centre, s), rotate(r, now))
    before = add(load(shapes.centre_before, s), rotate(rb, sub(now, way)))
    moved = sub(at, before)
    o = shapes.owner[s]
    row["owner"] = -1
    mobility = ball["inverse_mass"]
    if owners.inverse_mass[o] > 0.0:
        row["owner"] = o
        arm = sub(before, load(owners.position, o))
        set_vec(row["arm"], arm)
        mobility += mobility_at(owners, o, arm, normal)
    set_vec(row["way"], moved)
    row["gap"] = gap - dot(sub(vec(ball["move"]), moved), normal)
    row["mass"] = 1.0 / mobility
    both = joint_restitution(place["restitution"], shapes.restitution[s])
    row["bounce"] = both if row["owner"] < 0 else 0.0
    row["friction"] = joint_friction(place["friction"], shapes.friction[s])


@kernel
def find_close(close, balls, shapes, is_still, x, mesh_before, mesh_tree, margin):
    """Mark balls that are within ``margin`` m of a shape that stands still.

    close (m,); balls: their particles and radii (m,); is_still (k,) of each shape.
    """
    rows, radius = balls
    _, hulls, meshes = parts_of(shapes)
    for n in range(close.shape[0]):
        i = rows[n]
        reach = radius[n] + margin
        close[n] = 0
        for t in range(shapes.kind.shape[0]):
            if is_still[t] == 0 or close[n] == 1 or not _is_in_box(shapes, t, load(x, i), reach):
                continue
            p = unrotate(shapes.rotation[t], sub(load(x, i), load(shapes.centre, t)))
            kind = shapes.kind[t]
            for face in range(1 if kind == MESH else face_count(kind)):
                if kind == MESH:
                    gap, _, _ = mesh_distance(
                        meshes, shapes.mesh[t], mesh_tree, mesh_before, 0.0, p, p, reach
                    )
                else:
                    gap, _ = solid_distance(
                        hulls, kind, shapes.size[t], shapes.hull[t], face, p, p, reach
                    )
                if gap < 0.0:
                    close[n] = 1


@kernel
def choose_close(chosen, close, near, balls, shapes, is_still, x, start):
    """Write the particles of balls that are close to a shape; returns how many.

    close (m,) from `find_close`; near (m,): close, or in the way of a shape that moves.
    """
    rows, radius = balls
    count = 0
    for n in range(close.shape[0]):
        i = rows[n]
        near[n] = close[n]
        for t in range(shapes.kind.shape[0]):
            if near[n] == 0 and is_still[t] == 0:
                reach = 1.5 * radius[n]
                if not _is_clear(shapes, t, load(x, i), load(start, i), reach):
                    near[n] = 1
        if near[n] == 1:
            chosen[count] = i
            count += 1
    return count


@lean_inline
def _is_in_box(shapes, s, p, reach):
    """Whether a ball comes near the box around shape s."""
    return not _is_clear(shapes, s, p, p, reach)


@lean
def _walls_of(heap, shapes, owners, x, forms, a, far, begun):
    """Write the rows of ball a from row ``begun`` on; returns the row after them."""
    hulls, meshes, mesh_before, mesh_motion, mesh_tree = forms
    ball, place = heap.ball[a], heap.place[a]
    found = begun
    now, start = load(x, place["particle"]), vec(place["start"])
    room = REACH_OF_WALLS * ball["radius"] + far
    reach = ball["radius"] + room
    for t in range(shapes.kind.shape[0]):
        kind = shapes.kind[t]
        wide = reach + mesh_motion if kind == MESH else reach
        if _is_clear(shapes, t, now, start, wide):
            continue
        end = unrotate(shapes.rotation[t], sub(now, load(shapes.centre, t)))
        o = unrotate(shapes.rotation_before[t], sub(start, load(shapes.centre_before, t)))
        p = end
        for face in range(MOST_TRIANGLES_AT_ONCE if kind == MESH else face_count(kind)):
            way = ZERO
            if kind == MESH:
                gap, n, way = mesh_distance(
                    meshes, shapes.mesh[t], mesh_tree, mesh_before, mesh_motion, p, o, reach
                )
            else:
                gap, n = solid_distance(
                    hulls, kind, shapes.size[t], shapes.hull[t], face, p, o, reach
                )
            if gap >= 0.0 or found - begun >= MOST_WALLS:
                continue
            row = heap.wall[found]
            row["ball"] = a
            apart = gap + room + dot(sub(end, p), n)
            _lean_on(row, shapes, t, owners, ball, place, (n, apart, end, way))
            _recall(row, heap.leant[place["ball"]])
            found += 1
            if kind == MESH:
                p = along(p, -gap, n)
    return found


@kernel
def find_walls(heap, shapes, owners, x, mesh_before, mesh_motion, mesh_tree, far):
    """Rows of all balls that touch shapes, or nearly do.

    x (n, 3) m: where particles get to by themselves; mesh_before (v, 3) m: vertices of meshes one
    step ago, none of which has come farther than mesh_motion m; far m: that others may press a ball
    on yet.
    """
    _, hulls, meshes = parts_of(shapes)
    forms = (hulls, meshes, mesh_before, mesh_motion, mesh_tree)
    for s in range(heap.walls.shape[0]):
        found = MOST_WALLS * heap.slab[s]
        for a in range(heap.slab[s], heap.slab[s + 1]):
            if heap.ball[a]["inverse_mass"] == 0.0:
                continue
            i = heap.place[a]["ball"]
            if heap.close[i] != 0:
                found = _walls_of(heap, shapes, owners, x, forms, a, far, found)
            for k in range(MOST_WALLS):
                heap.leant[i, k]["shape"] = -1
        heap.walls[s] = found - MOST_WALLS * heap.slab[s]


@lean_inline
def _is_clear(shapes, s, p, o, reach):
    """Whether a ball's step from o to p stays clear of the box around shape s."""
    for k in range(3):
        if max(p[k], o[k]) + reach < shapes.lower[s, k]:
            return True
        if min(p[k], o[k]) - reach > shapes.upper[s, k]:
            return True
    return False
