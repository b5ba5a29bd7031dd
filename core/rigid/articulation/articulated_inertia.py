"""How a limb answers a push with all that hangs on it: the velocities that joints leave it.

A contact that sees the mass of one limb alone stops the limb, the joints push it on with the body
above it, and so on, pass after pass. What a wrench on limb i does to the twist of limb k while all
joints hold is a 6 × 6 block of the inverse of the operational-space inertia (Khatib 1987),

    Λ⁻¹ₖᵢ = δₖᵢ Mᵢ⁻¹ − Mₖ⁻¹ Jₖᵀ (J M⁻¹ Jᵀ)⁻¹ Jᵢ Mᵢ⁻¹,

from six solutions with a factor as joints have it. Contacts that know it are solved as if they
touched one thing with many faces: a push moves all limbs of a ragdoll that touch anything at once.

J has the rows that are held, and those limits that hold when it is asked for. A limit that lets go
later makes a limb lighter than contacts think, and they do too much: where a pass is farther from
what joints make of it than the one before, and than is tolerated, they are told anew, then without
limits, and where joints contradict each other each limb answers alone.
"""

from __future__ import annotations

import math
from collections import namedtuple
from typing import TYPE_CHECKING

import numpy as np

from ...kernels.jit import lean, lean_inline
from ...vec3 import dot, load
from ..joints.front_factor import clear_solution, solve_fronts
from ..joints.joint_matrix import factor_certain, has_fronts
from ..joints.joint_rows import gyration_radius
from .twist import six, take_off

if TYPE_CHECKING:
    from ...model import Model
    from ..joints.joint_graph import JointGraph

MOST_LIMBS = 32
"""Bodies of one group beyond which each answers alone: work and room grow with their square."""

TURNS = 0.1
"""Turn in rad of its fastest limb after which what is known of a component is forgotten."""

STIFFNESS_CHANGE = 0.1
"""Share of a body's inertia, by which that may have changed since (`joint_stiffness`)."""

UNKNOWN, KNOWN, AGAIN, CAREFUL, ALONE = range(5)
"""What is known of a component: nothing, responses with the limits that held, the same once more in
this substep because they held no longer, responses without any, and what limbs do alone."""

LIMB = np.dtype(
    [
        ("component", np.int32),  # of the joints that hold it; −1 without, and where too large
        ("slot", np.int32),  # place in its component
        ("touched", np.int32),  # 1: contacts have pushed it since they were found
        ("known", np.int32),  # 1: contacts know how it answers
        ("size", np.float64),  # m, radius of gyration
        ("extra", np.float64),  # kg·m², extra inertia that it had when responses were found
        ("lead", np.float64, (6,)),  # velocity and spin of the substep before those of its start
        ("before", np.float64, (6,)),  # velocity and spin before an iteration
        ("wrench", np.float64, (6,)),  # N·s and N·m·s, what contacts did in it
        ("after", np.float64, (6,)),  # velocity and spin that contacts have seen at its end
    ],
    align=True,
)
"""What is known of an owner."""

COMPONENT_RESPONSE = np.dtype(
    [
        ("state", np.int32),  # UNKNOWN, KNOWN, AGAIN, CAREFUL or ALONE
        ("whole", np.int32),  # joints that were neither broken nor idle when responses were found
        ("bodies", np.int32),  # how many it has
        ("count", np.int32),  # how many of them are known
        ("first", np.int32),  # of `Articulations.owner`
        ("at", np.int32),  # first block in `Articulations.response`
        ("is_new", np.int32),  # 1: other responses are known than rows have asked for
        ("turned", np.float64),  # rad, since responses were found
        ("error", np.float64),  # by how much contacts were wrong in this iteration; 1: tolerated
        ("last_error", np.float64),  # the same of the iteration before
    ],
    align=True,
)
"""What is known of a component of joints."""

Articulations = namedtuple(
    "Articulations",
    [
        "body",  # (o,) LIMB
        "component",  # (c,) COMPONENT_RESPONSE
        "held_from",  # (o + 1,) into ``held``
        "held",  # (h, 2) joint and side of it, of each owner
        "owner",  # (l,) those that are known, component by component
        "response",  # (n, 6, 6) of limbs s, t: velocity and spin of t by force and torque on s
        "is_reached",  # (j,) whether solutions reach a joint
        "answer",  # (r, 6) impulses of rows by each part of a wrench
    ],
)


def limb_room(model: Model, graph: JointGraph) -> Articulations:
    """Room for the limbs of a model."""
    count = model.owner_count + 1
    body = np.zeros(count, LIMB)
    body["component"] = -1
    body["size"] = 1.0
    body["size"][: len(model.bodies)] = gyration_radius(model)
    component = np.zeros(len(graph.group), COMPONENT_RESPONSE)
    sizes = np.bincount(graph.body_group[graph.body_group >= 0], minlength=len(component))
    for c in np.flatnonzero((sizes > 0) & (sizes <= MOST_LIMBS)):
        members = np.flatnonzero(graph.body_group == c)
        body["component"][members] = c
        body["slot"][members] = np.arange(len(members))
        component["bodies"][c] = len(members)
    held: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for j, pair in enumerate(model.joints.owner):
        for side in range(2):
            if body["component"][pair[side]] >= 0:
                held[pair[side]].append((j, side))
    bodies = component["bodies"].astype(np.int64)
    component["first"] = np.cumsum(bodies) - bodies
    component["at"] = np.cumsum(bodies**2) - bodies**2
    return Articulations(
        body=body,
        component=component,
        held_from=np.cumsum([0, *map(len, held)], dtype=np.int32),
        held=np.array([one for members in held for one in members], np.int32).reshape(-1, 2),
        owner=np.zeros(int(bodies.sum()), dtype=np.int32),
        response=np.zeros((int((bodies**2).sum()), 6, 6)),
        is_reached=np.zeros(len(model.joints), dtype=np.int32),
        answer=np.zeros((len(graph.freedom), 6)),
    )


@lean_inline
def forget_touch(limbs):
    """Contacts have been found anew."""
    for o in range(limbs.body.shape[0]):
        limbs.body[o]["touched"] = 0


@lean_inline
def _forget(limbs, c):
    part = limbs.component[c]
    part["state"] = UNKNOWN
    part["is_new"] = 1
    for n in range(part["first"], part["first"] + part["count"]):
        limbs.body[limbs.owner[n]]["known"] = 0
    part["count"] = 0


@lean_inline
def forget_responses(limbs):
    """A frame begins, which is to know nothing of the one before."""
    for c in range(limbs.component.shape[0]):
        _forget(limbs, c)


@lean_inline
def forget_doubtful(limbs, joints):
    """A substep begins: forget what joints have let go, and what was doubted in the one before.

    Returns whether there was any.
    """
    is_any = False
    for c in range(limbs.component.shape[0]):
        part = limbs.component[c]
        if part["state"] == UNKNOWN:
            continue
        if part["state"] >= CAREFUL or part["whole"] != _count_whole(joints, c):
            is_any |= part["count"] > 0
            _forget(limbs, c)
        else:
            part["state"] = KNOWN
    return is_any


@lean_inline
def note_turns(limbs, owners, h):
    """Bodies have moved: how far limbs have turned since it was found how they answer."""
    for c in range(limbs.component.shape[0]):
        part = limbs.component[c]
        most = 0.0
        for n in range(part["first"], part["first"] + part["count"]):
            w = load(owners.spin, limbs.owner[n])
            most = max(most, dot(w, w))
        part["turned"] += h * math.sqrt(most)


@lean_inline
def _is_stale(limbs, joints, owners, c):
    """Whether limbs have turned, or their inertias have changed, too far for what is known."""
    if limbs.component[c]["turned"] > TURNS:
        return True
    for n in range(joints.component[c]["first_joint"], joints.component[c + 1]["first_joint"]):
        for side in range(2):
            o = joints.joint[joints.order[n]["joint"]]["body"][side]
            change = abs(owners.extra_inertia[o] - limbs.body[o]["extra"])
            least = min(min(owners.inertia[o, 0], owners.inertia[o, 1]), owners.inertia[o, 2])
            if change > STIFFNESS_CHANGE * (least + limbs.body[o]["extra"]):
                return True
    return False


@lean_inline
def _count_whole(joints, c):
    count = 0
    for n in range(joints.component[c]["first_joint"], joints.component[c + 1]["first_joint"]):
        count += joints.joint[joints.order[n]["joint"]]["is_live"]
    return count


@lean_inline
def begin_iterations(limbs, joints, owners, hard):
    """Before the first iteration: nothing is known of how wrong contacts are.

    hard (g,): 1 for groups that are driven out of deep overlaps, where impulses may be in vain:
    each limb answers alone, or others would be thrown. What is stale is forgotten too. Returns
    whether any did not answer alone so far.
    """
    is_any = False
    for c in range(limbs.component.shape[0]):
        part = limbs.component[c]
        part["error"] = math.inf
        if part["count"] == 0:
            continue
        if hard[joints.component[c]["group"]] == 1 or _is_stale(limbs, joints, owners, c):
            is_any = True
            _forget(limbs, c)
    return is_any


@lean_inline
def learn_responses(limbs, joints, owners, active, hard):
    """Find responses of limbs that contacts push in groups (g,) that go on; whether there are new.

    What is hard (g,) is left out: see `begin_iterations`.
    """
    is_any = False
    for c in range(limbs.component.shape[0]):
        part = limbs.component[c]
        g = joints.component[c]["group"]
        if part["bodies"] == 0 or part["state"] == ALONE or active[g] == 0 or hard[g] == 1:
            continue
        is_new = _list_touched(limbs, joints, c)
        if part["state"] == UNKNOWN:
            part["state"] = KNOWN
        elif part["error"] > max(part["last_error"], 1.0):
            part["state"] += 1
            is_new = True
        if part["state"] == ALONE:
            _forget(limbs, c)
            part["state"] = ALONE
            is_any = True
        elif is_new:
            _ask_anew(limbs, joints, owners, c)
            is_any = True
    return is_any


@lean_inline
def learn_for_blows(limbs, joints, owners):
    """Find responses of all limbs that contacts touch, with the limits that hold now."""
    for c in range(limbs.component.shape[0]):
        part = limbs.component[c]
        if part["bodies"] > 0 and part["state"] < ALONE:
            _list_touched(limbs, joints, c)
        if part["count"] > 0:
            part["state"] = max(part["state"], KNOWN)
            _ask_anew(limbs, joints, owners, c)


@lean_inline
def learn_carefully(limbs, joints, owners, c):
    """Find responses of a component anew, without any limits."""
    limbs.component[c]["state"] = max(limbs.component[c]["state"], CAREFUL)
    _ask_anew(limbs, joints, owners, c)


@lean_inline
def _ask_anew(limbs, joints, owners, c):
    """Responses of a component from now on."""
    part = limbs.component[c]
    part["is_new"] = 1
    part["turned"] = 0.0
    part["whole"] = _count_whole(joints, c)
    part["error"] = math.inf
    for n in range(joints.component[c]["first_joint"], joints.component[c + 1]["first_joint"]):
        for side in range(2):
            o = joints.joint[joints.order[n]["joint"]]["body"][side]
            limbs.body[o]["extra"] = owners.extra_inertia[o]
    _find_responses(limbs, joints, owners, c)


@lean_inline
def _list_touched(limbs, joints, c):
    """Add what contacts have pushed to what is known of a component; whether there was any."""
    is_any = False
    part = limbs.component[c]
    for n in range(joints.component[c]["first_joint"], joints.component[c + 1]["first_joint"]):
        for side in range(2):
            o = joints.joint[joints.order[n]["joint"]]["body"][side]
            limb = limbs.body[o]
            if limb["touched"] == 1 and limb["known"] == 0 and limb["component"] == c:
                limb["known"] = 1
                limbs.owner[part["first"] + part["count"]] = o
                part["count"] += 1
                is_any = True
    return is_any


@lean
def _find_responses(limbs, joints, owners, c):
    """Responses of all that is known of a component, from where bodies are now."""
    part = limbs.component[c]
    first = part["first"]
    last = first + part["count"]
    for n in range(first, last):
        for m in range(first, last):
            _write_alone(limbs, owners, limbs.owner[n], limbs.owner[m])
    factor_certain(joints, owners, c, part["state"] == CAREFUL)
    if has_fronts(joints, c):
        _respond_by_fronts(limbs, joints, owners, c)
        return
    for n in range(first, last):
        s = limbs.owner[n]
        aim_wrenches(limbs, joints, owners, s, c)
        substitute_six(joints, c, limbs.answer, limbs.is_reached)
        for m in range(n, last):
            _write_joined(limbs, joints, owners, s, limbs.owner[m])


@lean_inline
def _respond_by_fronts(limbs, joints, owners, c):
    """The same of a component that has fronts, whose factor holds bodies as well."""
    at, x = joints.fronts.body_at, joints.fronts.solution
    first = limbs.component[c]["first"]
    last = first + limbs.component[c]["count"]
    for n in range(first, last):
        s = limbs.owner[n]
        if not is_met(limbs, joints, owners, s):
            continue
        for k in range(6):
            clear_solution(joints, c)
            x[at[s] + k] = 1.0
            solve_fronts(joints, c)
            for m in range(first, last):
                t = limbs.owner[m]
                if is_met(limbs, joints, owners, t):
                    out = limbs.response[block_of(limbs, s, t)]
                    for i in range(6):
                        out[k, i] = x[at[t] + i]


@lean_inline
def is_met(limbs, joints, owners, o):
    """Whether any row that is met acts on an owner."""
    if owners.inverse_mass[o] == 0.0:
        return False
    for n in range(limbs.held_from[o], limbs.held_from[o + 1]):
        if joints.joint[limbs.held[n, 0]]["met_count"] > 0:
            return True
    return False


@lean_inline
def aim_wrenches(limbs, joints, owners, i, c):
    """J M⁻¹ of the six parts of a wrench on owner i, in ``answer``."""
    answer, held = limbs.answer, limbs.held
    for n in range(joints.component[c]["first_joint"], joints.component[c + 1]["first_joint"]):
        limbs.is_reached[joints.order[n]["joint"]] = 0
    w = owners.inverse_mass[i]
    for n in range(limbs.held_from[i], limbs.held_from[i + 1]):
        j, side = held[n, 0], held[n, 1]
        limbs.is_reached[j] = 1
        sign = -1.0 if side == 0 else 1.0
        first = joints.joint[j]["first_row"]
        for k in range(first, first + joints.joint[j]["met_count"]):
            axis = joints.axis[joints.met[k]]
            for m in range(3):
                answer[k, m] = sign * w * axis["line"][m]
                answer[k, 3 + m] = sign * axis["turn"][side, m]


@lean_inline
def block_of(limbs, s, t):
    """Where the response of owner t to wrenches on owner s is, both of one component."""
    part = limbs.component[limbs.body[s]["component"]]
    return part["at"] + limbs.body[s]["slot"] * part["bodies"] + limbs.body[t]["slot"]


@lean_inline
def write_alone(owners, s, out):
    """What a wrench on owner s does to it without joints, to out (6, 6), which holds zeros."""
    for a in range(3):
        out[a, a] = owners.inverse_mass[s]
        for b in range(3):
            out[3 + a, 3 + b] = owners.inverse_inertia[s, a, b]


@lean_inline
def take_off_joined(limbs, joints, owners, t, out):
    """Take off out (6, 6) what joints take from owner t, by the solution in ``answer``."""
    held = limbs.held
    v = owners.inverse_mass[t]
    for n in range(limbs.held_from[t], limbs.held_from[t + 1]):
        j, side = held[n, 0], held[n, 1]
        sign = -1.0 if side == 0 else 1.0
        first = joints.joint[j]["first_row"]
        for p in range(first, first + joints.joint[j]["met_count"]):
            axis = joints.axis[joints.met[p]]
            x = six(limbs.answer[p])
            for b in range(6):
                f = sign * v * axis["line"][b] if b < 3 else sign * axis["turn"][side, b - 3]
                take_off(out[b], f, x)


@lean_inline
def _write_alone(limbs, owners, s, t):
    """What a wrench on owner s does to owner t without joints."""
    out = limbs.response[block_of(limbs, s, t)]
    for b in range(6):
        for a in range(6):
            out[b, a] = 0.0
    if s == t:
        write_alone(owners, s, out)


@lean_inline
def _write_joined(limbs, joints, owners, s, t):
    """What joints change about both blocks of owners s and t, from the solution for s."""
    out = limbs.response[block_of(limbs, t, s)]
    take_off_joined(limbs, joints, owners, t, out)
    if s != t:
        other = limbs.response[block_of(limbs, s, t)]
        for b in range(6):
            for a in range(6):
                other[a, b] = out[b, a]


@lean_inline
def _scaled(x, f):
    """The numbers of an array x (6,), multiplied by f where they stand."""
    for q in range(6):
        x[q] = f * x[q]
    return six(x)


@lean_inline
def substitute_six(joints, c, x, is_reached):
    """Solve L Lᵀ x = x for six right sides (r, 6), which are zero but where joints are reached."""
    joint, order, block, value = joints.joint, joints.order, joints.block, joints.factor
    first, last = joints.component[c]["first_joint"], joints.component[c + 1]["first_joint"]
    for n in range(first, last):
        j = order[n]["joint"]
        at, size = joint[j]["first_row"], joint[j]["met_count"]
        if is_reached[j] == 0:
            _clear(x, at, size)
            continue
        d = block[order[n]["first_block"]]["factor_at"]
        for b in range(order[n]["first_block"] + 1, order[n + 1]["first_block"]):
            i = block[b]["joint"]
            if is_reached[i] == 0:
                is_reached[i] = 1
                _clear(x, joint[i]["first_row"], joint[i]["met_count"])
        for m in range(size):
            y = _scaled(x[at + m], value[d + m * size + m])
            for k in range(m + 1, size):
                take_off(x[at + k], value[d + k * size + m], y)
            for b in range(order[n]["first_block"] + 1, order[n + 1]["first_block"]):
                i = block[b]["joint"]
                e = block[b]["factor_at"] + m
                top = joint[i]["first_row"]
                for k in range(top, top + joint[i]["met_count"]):
                    take_off(x[k], value[e], y)
                    e += size
    for back in range(last - first):
        n = last - 1 - back
        j = order[n]["joint"]
        at, size = joint[j]["first_row"], joint[j]["met_count"]
        for b in range(order[n]["first_block"] + 1, order[n + 1]["first_block"]):
            i = block[b]["joint"]
            e = block[b]["factor_at"]
            top = joint[i]["first_row"]
            for k in range(top, top + joint[i]["met_count"]):
                y = six(x[k])
                for m in range(size):
                    take_off(x[at + m], value[e + m], y)
                e += size
        d = block[order[n]["first_block"]]["factor_at"]
        for down in range(size):
            k = size - 1 - down
            y = _scaled(x[at + k], value[d + k * size + k])
            for m in range(k):
                take_off(x[at + m], value[d + k * size + m], y)


@lean_inline
def _clear(x, first, count):
    for k in range(first, first + count):
        for q in range(6):
            x[k, q] = 0.0
