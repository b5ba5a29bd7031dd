"""Contacts of bodies alone, four manifolds at a time: what sweeps do to one packet.

All of it is what `contact_sweep`, `contact_aim`, `position_correction` and `warm_start` do to one
manifold, by the same formulas in the same order, so that each lane ends with the same bits. What a
manifold would leave alone keeps its numbers in its lane.
"""

from __future__ import annotations

from ...arrays import NONE
from ...kernels.jit import lean, lean_inline
from ...kernels.lanes import LANES, any_of, gather, larger, put, scatter, select, smaller, take
from ...vec3 import add, along, cross, dot, rotate_by, scale, sub
from .contact_aim import meeting_place, overlap_left
from .contact_masses import coupling, mobilities, speeds_by_push
from .contact_table import DYNAMIC, NORMAL, STATIC
from .friction_cone import cone_impulse
from .manifold_solver import holding, relaxed, settled
from .packet_table import FAR_APART, KEPT, MOST_POINTS, PARTING
from .pair_motion import (
    point_speed,
    point_velocity,
    pushed,
    pushed_along,
    pushed_at,
    speeds_along,
)
from .position_correction import common_arms
from .softness import aim_alone, parting_speed
from .tempered_memory import share_of

# ------------------------------------------------------------------ what a packet holds


@lean_inline
def _vector(rows):
    """Lanes of an array (3, LANES)."""
    return take(rows[0]), take(rows[1]), take(rows[2])


@lean_inline
def _put_vector(rows, v):
    put(rows[0], v[0])
    put(rows[1], v[1])
    put(rows[2], v[2])


@lean_inline
def _axes(packet):
    tangent = packet["tangent"]
    return _vector(packet["normal"]), _vector(tangent[0]), _vector(tangent[1])


@lean_inline
def _arms(packet, p):
    """Arms of point p on both sides."""
    arm = packet["arm"]
    return _vector(arm[p, 0]), _vector(arm[p, 1])


@lean_inline
def _four(rows):
    """Lanes of an array (4, LANES): of all points."""
    return take(rows[0]), take(rows[1]), take(rows[2]), take(rows[3])


@lean_inline
def _couplings(packet):
    w = packet["coupling"]
    return (
        take(w[0]),
        take(w[1]),
        take(w[2]),
        take(w[3]),
        take(w[4]),
        take(w[5]),
        take(w[6]),
        take(w[7]),
        take(w[8]),
        take(w[9]),
    )


# ------------------------------------------------------------------ its owners


@lean_inline
def _vectors(x, owner):
    """Rows of x (o, 3) of the owners."""
    return gather(x, owner, 0), gather(x, owner, 1), gather(x, owner, 2)


@lean_inline
def _write_vectors(x, owner, v):
    """Write rows of x (o, 3). Several lanes may hold an owner that nothing moves."""
    scatter(x, owner, 0, v[0])
    scatter(x, owner, 1, v[1])
    scatter(x, owner, 2, v[2])


@lean_inline
def _symmetric(x, owner):
    """Symmetric matrices x (o, 3, 3) of the owners: see `vec3`."""
    return (
        gather(x, owner, 0),
        gather(x, owner, 4),
        gather(x, owner, 8),
        gather(x, owner, 1),
        gather(x, owner, 2),
        gather(x, owner, 5),
    )


@lean_inline
def _rotations(x, owner):
    """Rows of the matrices x (o, 3, 3) of the owners."""
    return (
        (gather(x, owner, 0), gather(x, owner, 1), gather(x, owner, 2)),
        (gather(x, owner, 3), gather(x, owner, 4), gather(x, owner, 5)),
        (gather(x, owner, 6), gather(x, owner, 7), gather(x, owner, 8)),
    )


@lean_inline
def _motion(packet, owners):
    """As `pair_motion.load_motion`."""
    a, b = packet["owner"][0], packet["owner"][1]
    return (
        _vectors(owners.velocity, a),
        _vectors(owners.spin, a),
        _vectors(owners.velocity, b),
        _vectors(owners.spin, b),
    )


@lean_inline
def _store_motion(packet, owners, motion):
    a, b = packet["owner"][0], packet["owner"][1]
    _write_vectors(owners.velocity, a, motion[0])
    _write_vectors(owners.spin, a, motion[1])
    _write_vectors(owners.velocity, b, motion[2])
    _write_vectors(owners.spin, b, motion[3])


@lean_inline
def _masses(packet, owners):
    """As `pair_motion.load_masses`."""
    a, b = packet["owner"][0], packet["owner"][1]
    return (
        gather(owners.inverse_mass, a, 0),
        _symmetric(owners.inverse_inertia, a),
        gather(owners.inverse_mass, b, 0),
        _symmetric(owners.inverse_inertia, b),
    )


# ------------------------------------------------------------------ where bodies are now


@lean_inline
def _aim_point(packet, origin, p, rotations, normal, apart, slots):
    """Arms and gap of point p."""
    f, g = take(origin["radius"][p, 0]), take(origin["radius"][p, 1])
    anchor_a, anchor_b = _vector(origin["anchor"][p, 0]), _vector(origin["anchor"][p, 1])
    on_a = along(rotate_by(rotations[0], anchor_a), -f, normal)
    on_b = along(rotate_by(rotations[1], anchor_b), g, normal)
    arm_a, arm_b, gap = meeting_place(on_a, on_b, apart, f, g, normal)
    gap = select(slots > float(p), gap - take(origin["skin"]), FAR_APART)
    _put_vector(packet["arm"][p, 0], arm_a)
    _put_vector(packet["arm"][p, 1], arm_b)
    put(packet["gap"][p], gap)
    put(packet["old_overlap"][p], overlap_left(take(packet["old_overlap"][p]), gap))


@lean_inline
def _weigh_point(packet, q, masses, axes):
    """Masses that impulses at point q meet, and what one along the normal does to it and others."""
    arms = _arms(packet, q)
    mass, mobility = mobilities(axes, arms, masses)
    by_push = speeds_by_push(axes[NORMAL], arms, masses)
    put(packet["mass"][q], select(take(packet["slots"]) > float(q), mass, 0.0))
    _put_vector(packet["mobility"][q], mobility)
    n = q
    for p in range(q + 1):
        put(packet["coupling"][n], coupling(by_push, _arms(packet, p), masses))
        n += MOST_POINTS - 1 - p


@lean
def _weigh_packet(packet, owners):
    """Effective masses as `contact_masses` where the owners were aimed at, unless they are known.

    Owners have them still: what moves turns before it is aimed at, not after, and who wakes gets
    new rows. What joints make stiffer is in no packet, nor are bodies of particles, whose inertia
    is found between aiming and the push (`weigh_particle_bodies`): others look for their contacts.
    """
    if packet["weighed"] == 1:
        return
    packet["weighed"] = 1
    axes, masses = _axes(packet), _masses(packet, owners)
    for p in range(packet["points"]):
        _weigh_point(packet, p, masses, axes)


@lean
def aim_packet(packet, origin, owners):
    """Arms and gaps where the owners are now, as `contact_aim`; masses when they are needed.

    Points that none of its manifolds has stay as they are loaded.
    """
    a, b = packet["owner"][0], packet["owner"][1]
    normal, slots = _vector(packet["normal"]), take(packet["slots"])
    apart = sub(_vectors(owners.position, a), _vectors(owners.position, b))
    rotations = _rotations(owners.rotation, a), _rotations(owners.rotation, b)
    packet["weighed"] = 0
    for p in range(packet["points"]):
        _aim_point(packet, origin, p, rotations, normal, apart, slots)


# ------------------------------------------------------------------ velocities


@lean
def warm_packet(packet, owners):
    """Push the bodies of a packet with what its points remember."""
    n, t, s = _axes(packet)
    zero = scale(0.0, n)
    push, torque_a, torque_b = zero, zero, zero
    for p in range(packet["points"]):
        rub = packet["rub"]
        along_n = scale(take(packet["impulse"][KEPT, p]), n)
        mine = along(along(along_n, take(rub[p, 0]), t), take(rub[p, 1]), s)
        arms = _arms(packet, p)
        push = add(push, mine)
        torque_a = add(torque_a, cross(arms[0], mine))
        torque_b = add(torque_b, cross(arms[1], mine))
    if any_of((push[0] != 0.0) | (push[1] != 0.0) | (push[2] != 0.0)):
        motion, masses = _motion(packet, owners), _masses(packet, owners)
        _store_motion(packet, owners, pushed(masses, motion, push, torque_a, torque_b))


@lean
def temper_packet(packet, groups, owners):
    """Scale what a packet remembers, as `temper_contacts`."""
    for k in range(LANES):
        if packet["row"][k] == NONE:
            continue
        share = share_of(groups, owners, packet["owner"][0, k], packet["owner"][1, k])
        for p in range(packet["points"]):
            packet["impulse"][KEPT, p, k] *= share
            for d in range(2):
                packet["rub"][p, d, k] *= share


@lean_inline
def _aim_row(packet, p, speeds, are_free, h, is_ahead):
    """Velocity error and softness of point p."""
    return aim_alone(
        point_speed(_arms(packet, p), speeds),
        take(packet["gap"][p]),
        take(packet["impulse"][KEPT, p]),
        take(packet["slop"]),
        take(packet["old_overlap"][p]),
        are_free,
        h,
        is_ahead,
    )


@lean_inline
def _push_point(packet, p, kind, impulse, relaxation, sums):
    """Write the normal impulse of point p; the sums of what points have changed with it.

    sums: change in N·s, and that times the arms on both sides.
    """
    before = take(packet["impulse"][kind, p])
    change = relaxed(before, impulse, relaxation)
    put(packet["impulse"][kind, p], before + change)
    arms = _arms(packet, p)
    total, about_a, about_b = sums
    return total + change, along(about_a, change, arms[0]), along(about_b, change, arms[1])


@lean_inline
def _push_points(packet, kind, impulses, relaxation, masses, motion):
    """As `manifold_solver.push_points`: the motion after it."""
    normal = _vector(packet["normal"])
    zero = scale(0.0, normal)
    sums = zero[0], zero, zero
    sums = _push_point(packet, 0, kind, impulses[0], relaxation, sums)
    sums = _push_point(packet, 1, kind, impulses[1], relaxation, sums)
    sums = _push_point(packet, 2, kind, impulses[2], relaxation, sums)
    total, about_a, about_b = _push_point(packet, 3, kind, impulses[3], relaxation, sums)
    torque_a, torque_b = cross(about_a, normal), cross(about_b, normal)
    return pushed(masses, motion, scale(total, normal), torque_a, torque_b)


@lean_inline
def _rub_point(packet, p, axes, mu, going, relaxation, masses, motion):
    """Friction of point p in lanes that go on.

    Returns the motion after it, and where the point slides or has no friction at all.
    """
    normal = take(packet["holding"][p])
    p1, p2 = take(packet["rub"][p, 0]), take(packet["rub"][p, 1])
    is_idle = (normal == 0.0) & (p1 == 0.0) & (p2 == 0.0)
    acts = going & ((normal != 0.0) | (p1 != 0.0) | (p2 != 0.0))
    if not any_of(acts):
        return motion, is_idle
    arms, w = _arms(packet, p), _vector(packet["mobility"][p])
    v = point_velocity(arms, motion)
    v1, v2 = relaxation * dot(axes[1], v), relaxation * dot(axes[2], v)
    q1, q2, slides = cone_impulse(w[0], w[1], w[2], v1, v2, p1, p2, mu * normal)
    q1, q2 = select(acts, q1, p1), select(acts, q2, p2)
    put(packet["rub"][p, 0], q1)
    put(packet["rub"][p, 1], q2)
    push = along(scale(q1 - p1, axes[1]), q2 - p2, axes[2])
    return pushed_at(arms, masses, motion, push), slides | is_idle


@lean_inline
def _rub(packet, axes, pushes, relaxation, masses, motion):
    """As `contact_sweep._rub_pair`: static friction, and dynamic where all points slide."""
    going = pushes
    differs = take(packet["friction"][STATIC]) != take(packet["friction"][DYNAMIC])
    for kind in (STATIC, DYNAMIC):
        mu, all_slide = take(packet["friction"][kind]), going
        for p in range(packet["points"]):
            motion, slides = _rub_point(packet, p, axes, mu, going, relaxation, masses, motion)
            all_slide = all_slide & slides
        going = all_slide & differs
        if not any_of(going):
            break
    return motion


@lean
def solve_packet(packet, owners, relaxation, h, is_ahead):
    """Normal impulses and friction, as `contact_sweep._solve_pair`."""
    motion, masses = _motion(packet, owners), _masses(packet, owners)
    speeds = speeds_along(_vector(packet["normal"]), motion)
    are_free = (masses[0] > 0.0) & (masses[2] > 0.0)
    e0, s0 = _aim_row(packet, 0, speeds, are_free, h, is_ahead)
    e1, s1 = _aim_row(packet, 1, speeds, are_free, h, is_ahead)
    e2, s2 = _aim_row(packet, 2, speeds, are_free, h, is_ahead)
    e3, s3 = _aim_row(packet, 3, speeds, are_free, h, is_ahead)
    before = _four(packet["impulse"][KEPT])
    p0, p1, p2, p3 = before
    presses = (p0 > 0.0) | (p1 > 0.0) | (p2 > 0.0) | (p3 > 0.0)
    pushes = presses | (e0 < 0.0) | (e1 < 0.0) | (e2 < 0.0) | (e3 < 0.0)
    if not any_of(pushes):
        return
    _weigh_packet(packet, owners)
    mass = packet["mass"]
    kept = 1.0 - s0, 1.0 - s1, 1.0 - s2, 1.0 - s3
    masses_kept = (
        kept[0] * take(mass[0]),
        kept[1] * take(mass[1]),
        kept[2] * take(mass[2]),
        kept[3] * take(mass[3]),
    )
    is_many = take(mass[1]) > 0.0
    impulses = settled(
        before, (e0, e1, e2, e3), masses_kept, kept, _couplings(packet), pushes, is_many
    )
    motion = _push_points(packet, KEPT, impulses, relaxation, masses, motion)
    after = _four(packet["impulse"][KEPT])
    put(packet["holding"][0], holding(after[0], p0, s0))
    put(packet["holding"][1], holding(after[1], p1, s1))
    put(packet["holding"][2], holding(after[2], p2, s2))
    put(packet["holding"][3], holding(after[3], p3, s3))
    motion = _rub(packet, _axes(packet), pushes, relaxation, masses, motion)
    _store_motion(packet, owners, motion)


# ------------------------------------------------------------------ what parts overlaps


@lean
def begin_packet_parting(packet, owners, h, share):
    """How fast points are to part, share of an overlap in a step; whether any overlap.

    As `position_correction.begin_parting` and `keep_apart`.
    """
    normal, motion = _vector(packet["normal"]), _motion(packet, owners)
    zero = scale(0.0, normal)[0]
    parts = zero > zero
    for p in range(packet["points"]):
        gap, slop = take(packet["gap"][p]), take(packet["slop"])
        speed = parting_speed(gap, slop, take(packet["old_overlap"][p]), share / h)
        arms = _arms(packet, p)
        of_a = add(motion[0], cross(motion[1], arms[0]))
        of_b = add(motion[2], cross(motion[3], arms[1]))
        now = dot(normal, sub(of_a, of_b))
        apart = smaller(now, -larger(gap, 0.0) / h)
        put(packet["parting_speed"][p], select(speed > 0.0, speed, apart))
        put(packet["impulse"][PARTING, p], zero)
        parts = parts | (speed > 0.0)
    return any_of(parts)


@lean_inline
def _are_touched(packet, groups):
    """Where others have pushed one of the two."""
    touched, group, owner = groups.touched, groups.group, packet["owner"]
    for k in range(LANES):
        is_either = touched[group[owner[0, k]]] | touched[group[owner[1, k]]]
        packet["touched"][k] = 1.0 if is_either else 0.0
    return take(packet["touched"]) > 0.0


@lean_inline
def _touch(packet, owners, groups, changed):
    """Note what lanes have pushed."""
    put(packet["touched"], select(changed, 1.0, 0.0))
    for k in range(LANES):
        if packet["touched"][k] == 0.0:
            continue
        for side in range(2):
            o = packet["owner"][side, k]
            if owners.inverse_mass[o] > 0.0:
                groups.touched[groups.group[o]] = 1


@lean
def part_packet(packet, owners, groups, relaxation):
    """Push what overlaps apart, as `position_correction._part_manifold`; whether that did any."""
    speed = _four(packet["parting_speed"])
    driven = _are_touched(packet, groups)
    driven = driven | (speed[0] > 0.0) | (speed[1] > 0.0) | (speed[2] > 0.0) | (speed[3] > 0.0)
    if not any_of(driven):
        return False
    motion, masses = _motion(packet, owners), _masses(packet, owners)
    speeds = speeds_along(_vector(packet["normal"]), motion)
    e0 = point_speed(_arms(packet, 0), speeds) - speed[0]
    e1 = point_speed(_arms(packet, 1), speeds) - speed[1]
    e2 = point_speed(_arms(packet, 2), speeds) - speed[2]
    e3 = point_speed(_arms(packet, 3), speeds) - speed[3]
    before = _four(packet["impulse"][PARTING])
    p0, p1, p2, p3 = before
    presses = (p0 > 0.0) | (p1 > 0.0) | (p2 > 0.0) | (p3 > 0.0)
    pushes = driven & (presses | (e0 < 0.0) | (e1 < 0.0) | (e2 < 0.0) | (e3 < 0.0))
    if not any_of(pushes):
        return False
    _weigh_packet(packet, owners)
    masses_of_points = _four(packet["mass"])
    one = 1.0 - 0.0 * p0
    impulses = settled(
        before,
        (e0, e1, e2, e3),
        masses_of_points,
        (one, one, one, one),
        _couplings(packet),
        pushes,
        masses_of_points[1] > 0.0,
    )
    motion = _push_points(packet, PARTING, impulses, relaxation, masses, motion)
    _store_motion(packet, owners, motion)
    after = _four(packet["impulse"][PARTING])
    changed = (after[0] != p0) | (after[1] != p1) | (after[2] != p2) | (after[3] != p3)
    if not any_of(changed):
        return False
    _touch(packet, owners, groups, changed)
    return True


@lean
def take_packet_back(packet, owners):
    """Take back what parted points, as `position_correction`, before they are aimed anew."""
    parted = _four(packet["impulse"][PARTING])
    is_any = (parted[0] != 0.0) | (parted[1] != 0.0) | (parted[2] != 0.0) | (parted[3] != 0.0)
    if not any_of(is_any):
        return
    normal = _vector(packet["normal"])
    motion, masses = _motion(packet, owners), _masses(packet, owners)
    a, b = packet["owner"][0], packet["owner"][1]
    place_a, place_b = _vectors(owners.position, a), _vectors(owners.position, b)
    for p in range(packet["points"]):
        impulse = take(packet["impulse"][PARTING, p])
        arms = _arms(packet, p)
        apart = sub(add(place_a, arms[0]), add(place_b, arms[1]))
        arms = common_arms(arms, apart, masses)
        motion = pushed_along(normal, arms, masses, motion, -impulse)
        put(packet["impulse"][PARTING, p], 0.0)
    _store_motion(packet, owners, motion)
