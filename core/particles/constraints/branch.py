"""Branches: plants that bend from their roots and come back to the pose they were modelled in.

A plant is a tree of nodes, each one vertex or a few that move together (a ring of a stem, a leaf).
Branch i of length l leads to node i from its parent p, and turns only. Its joint at p has

    r = the least turn from R_p tᵢ to where the branch points,   energy ½ k |r|²,   k = EI/l

with tᵢ its rest direction and R_p the frame of the branch to p, which the same least turns carry
from branch to branch, from the root on (a rotation-minimizing frame: Bergou et al. 2008, "Discrete
Elastic Rods", §4.2.1, without twist). A root that does not turn clamps its branches.

A step is taken implicitly, with a damping in which joint i forgets its motion in the time β: of
all small turns θ of the branches it takes those that make

    Σ ½ m |u|² + Σ ½ (h² + h β) k |r + θᵢ − θ_p|² − Σ h β k r*·(θᵢ − θ_p),   uᵢ = u_p + θᵢ × dᵢ + aᵢ

smallest, with u the movement of the nodes, a what brings a branch to its length, and r* the bend
one step ago (Baraff & Witkin 1998, "Large Steps in Cloth Simulation", §3). Each branch is coupled
with its parent only, so one sweep from the tips to the root, which hands each inner branch what
moving (A, B, f) and turning (C, g) all that it carries costs, and one sweep back solve it exactly:
Featherstone's articulated bodies with springs in their joints. However fine or stiff a plant is,
it needs no more than that, and its branches keep their lengths. Last the vertices of each node
are drawn to their places in its frame.
"""

from __future__ import annotations

import math
from collections import namedtuple
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats, Ints
from ...elementary import atan2
from ...errors import ModelError
from ...kernels.jit import inline, kernel
from ...model.constraint import Moving
from ...records import Records, records, scratch_size
from ...rotation import quaternion
from ...rotation_fit import fitted_turn
from ...vec3 import (
    ZERO,
    add,
    along,
    between,
    cross,
    divide,
    dot,
    length,
    load,
    move,
    scale,
    set_vec,
    store,
    sub,
    vec,
)
from ...vector import turned_by
from .branch_solve import BRANCH_SOLUTION, NODE, bend, from_parent, toward_root
from .checks import numbers, rows_of_particles

if TYPE_CHECKING:
    from .building import Building

SKIN_FREQUENCY = 60.0
"""Hz at which a vertex swings about its place in its node."""

SKIN_DAMPING = 0.5
"""Share of the critical damping of that."""

UNTURNED = 1e-9
"""Movement of pins, in the extent of all, below which they have not turned."""


BRANCH_MEMBER = np.dtype(
    [
        ("particle", np.int32),
        ("other", np.int32),  # node that it is drawn to as well, −1 for none
        ("near", np.float64, (3,)),  # m, rest place about its node
        ("far", np.float64, (3,)),  # m, rest place about the other
        ("share", np.float64),  # of that in its place
    ],
    align=True,
)

ROOT_PARTICLE = np.dtype([("particle", np.int32), ("place", np.float64, (3,))], align=True)
"""A particle that says how the roots are turned, and its place m at rest."""

BranchScratch = namedtuple(
    "BranchScratch",
    [
        "node",  # (q,) BRANCH_SOLUTION
        "matrices",  # (2, 4, 4)
    ],
)


@dataclass(frozen=True, eq=False)
class Branches:
    """All plants of one object. Made by `Branches.of`."""

    object: int
    nodes: Records  # (q,) NODE, behind their parents
    members: Records  # (m,) BRANCH_MEMBER, node by node
    roots: Records  # (r,) ROOT

    @classmethod
    def of(
        cls,
        builder: Building,
        object: int,
        nodes: list[Ints],
        parent: ArrayLike,
        rigidity: ArrayLike,
        *,
        damping_time: ArrayLike = 0.0,
        other: ArrayLike | None = None,
        share: ArrayLike = 0.0,
        root: ArrayLike = (),
    ) -> Branches:
        """Trees of nodes, each a list of particles of the model, and their parents (q,).

        A parent stands further up in ``nodes``, −1 for none. rigidity: EI (q,) N·m² of the branch
        to the parent; damping_time: β (q,) s.
        other (m,), share (m,): a second node that draws each member, in the order of ``nodes``,
        and by how much. root: particles whose turn is that of all roots.

        Raises `ModelError` for nodes without particles and parents that come after children.
        """
        name = builder.objects[object].name
        if any(len(node) == 0 for node in nodes):
            raise ModelError(name, "a node of a plant has no vertices")
        member = rows_of_particles(builder, object, "branch", np.concatenate(nodes), 1)[:, 0]
        count = len(nodes)
        above = np.ascontiguousarray(parent, dtype=np.int32)
        if above.shape != (count,) or (above >= np.arange(count)).any() or (above < -1).any():
            raise ModelError(name, "the nodes of a plant must follow their parents")
        start = np.cumsum([0] + [len(node) for node in nodes]).astype(np.int32)
        node_of = np.repeat(np.arange(count), np.diff(start))
        x, mass = builder.position[member], builder.mass[member]
        total = np.bincount(node_of, mass, count)
        centre = np.stack(
            [np.bincount(node_of, mass * x[:, k], count) / total for k in range(3)], axis=1
        )
        child = above >= 0
        rest = np.where(child[:, None], centre - centre[above], 0.0)
        reach = np.linalg.norm(rest, axis=1)
        extent = float(np.linalg.norm(x.max(axis=0) - x.min(axis=0)))
        # nodes that stand within each other have no length to bend over
        over = np.maximum(reach, 1e-3 * extent if extent > 0.0 else 1.0)
        stiff = numbers(builder, object, "rigidity", rigidity, (count,), least=0.0) / over
        second = np.full(len(member), -1) if other is None else np.asarray(other)
        second = np.ascontiguousarray(second, dtype=np.int32)
        table = records(
            NODE,
            first_member=start[:-1],
            last_member=start[1:],
            parent=above,
            rest=rest,
            reach=reach,
            stiffness=np.where(child, stiff, 0.0),
            damping_time=numbers(
                builder, object, "damping time", damping_time, (count,), least=0.0
            ),
        )
        members = records(
            BRANCH_MEMBER,
            particle=member,
            other=second,
            near=x - centre[node_of],
            far=np.where((second >= 0)[:, None], x - centre[second], 0.0),
            share=numbers(builder, object, "share", share, (len(member),), least=0.0, most=1.0),
        )
        ends = np.asarray(root, dtype=np.int32)
        roots = records(ROOT_PARTICLE, particle=ends, place=builder.position[ends])
        return cls(object, table, members, roots)

    @property
    def particles(self) -> Ints:
        """Every particle of the plants."""
        return np.concatenate([self.members["particle"], self.roots["particle"]])

    @property
    def bonds(self) -> Ints:
        """Pairs (b, 2): each particle with its node's first one, and that with its parent's."""
        particle, first = self.members["particle"], self.nodes["first_member"]
        count = self.nodes["last_member"] - first
        node, parent = np.repeat(np.arange(len(first)), count), self.nodes["parent"]
        inside = np.stack([particle, particle[first[node]]], axis=1)
        child = np.flatnonzero(parent >= 0)
        along = np.stack([particle[first[child]], particle[first[parent[child]]]], axis=1)
        return np.ascontiguousarray(np.concatenate([inside, along]), dtype=np.int32)

    @property
    def multiplier_count(self) -> int:
        """What the solution needs for each node, and two 4×4 matrices."""
        return scratch_size(BRANCH_SOLUTION, len(self.nodes)) + 32

    def project(self, moving: Moving, multiplier: Floats) -> None:
        """Bend all branches at once, then draw the vertices to their nodes."""
        split = scratch_size(BRANCH_SOLUTION, len(self.nodes))
        project_branches(
            moving.particles,
            self.nodes,
            self.members,
            self.roots,
            moving.animated[self.object].stiffness,
            moving.now,
            BranchScratch(
                multiplier[:split].view(BRANCH_SOLUTION), multiplier[split:].reshape(2, 4, 4)
            ),
        )


@inline
def _root_turn(x, roots, matrices):
    """Unit quaternion of how the root particles are turned from their rest."""
    count = roots.shape[0]
    if count < 3:
        return 1.0, 0.0, 0.0, 0.0
    i = roots[0]["particle"]
    origin = vec(roots[0]["place"])
    size = 0.0
    moved = 0.0
    for r in range(1, count):
        was = sub(vec(roots[r]["place"]), origin)
        way = sub(between(x, i, roots[r]["particle"]), was)
        for k in range(3):
            size = max(size, abs(was[k]))
            moved = max(moved, abs(way[k]))
    if moved <= UNTURNED * size:
        return 1.0, 0.0, 0.0, 0.0
    s0, s1, s2 = ZERO, ZERO, ZERO  # rows of Σ q rᵀ about the first particle
    for r in range(count):
        a = sub(vec(roots[r]["place"]), origin)
        b = between(x, i, roots[r]["particle"])
        s0, s1, s2 = along(s0, a[0], b), along(s1, a[1], b), along(s2, a[2], b)
    return fitted_turn(s0, s1, s2, matrices)


@inline
def _turned(node, v):
    """A vector turned by the frame of a node."""
    return turned_by(quaternion(node["frame"]), v)


@inline
def _measure(s, nodes, k, d, turn):
    """Carry the frame of a node from its parent; returns the bend r of its joint.

    d: the branch to it from its parent, m; turn: unit quaternion of the roots.
    """
    frame = s[k]["frame"]
    p = nodes[k]["parent"]
    if p < 0:
        frame[0], frame[1], frame[2], frame[3] = turn
        return ZERO
    outer = s[p]["frame"]
    qw, qx, qy, qz = outer[0], outer[1], outer[2], outer[3]
    frame[0], frame[1], frame[2], frame[3] = qw, qx, qy, qz
    t = _turned(s[p], vec(nodes[k]["rest"]))
    product = math.sqrt(dot(t, t) * dot(d, d))
    if product == 0.0:  # without length
        return ZERO
    cosine = dot(t, d) / product
    u = divide(cross(t, d), product)
    sine = length(u)
    bend_of = atan2(sine, cosine) / sine if sine > 1e-9 else 1.0
    w = 1.0 + cosine
    if w > 1e-3:  # not turned right round
        f = 1.0 / math.sqrt(w * w + sine * sine)
        w, (ux, uy, uz) = f * w, scale(f, u)
        frame[0] = w * qw - ux * qx - uy * qy - uz * qz
        frame[1] = w * qx + ux * qw + uy * qz - uz * qy
        frame[2] = w * qy - ux * qz + uy * qw + uz * qx
        frame[3] = w * qz + ux * qy - uy * qx + uz * qw
    return scale(bend_of, u)


@inline
def _measure_bends(s, nodes, before, turn):
    """Write the bends of all joints one step ago and now; the roots' turns are given."""
    for k in range(nodes.shape[0]):
        d = sub(vec(s[k]["before"]), vec(s[toward_root(nodes, k)]["before"]))
        set_vec(s[k]["bend_before"], _measure(s, nodes, k, d, before))
    for k in range(nodes.shape[0]):
        set_vec(s[k]["bend"], _measure(s, nodes, k, from_parent(s, nodes, k), turn))


@inline
def _goal(s, node, member):
    """Where a member of a node belongs: in the frame of the node, and a share of another."""
    goal = add(vec(node["place"]), _turned(node, vec(member["near"])))
    o = member["other"]
    if o >= 0:
        other = add(vec(s[o]["place"]), _turned(s[o], vec(member["far"])))
        goal = along(goal, member["share"], sub(other, goal))
    return goal


@inline
def _gather(particles, node, members, s):
    """Write place, x* and mass of a node's particles into its solution s."""
    x, previous, inverse_mass = particles
    total = 0.0
    held = False
    for m in range(node["first_member"], node["last_member"]):
        w = inverse_mass[members[m]["particle"]]
        held = held or w == 0.0
        total += 1.0 / w if w > 0.0 else 0.0
    # a node is where its mass is; one that is held anywhere, where it is held
    weight = 0.0
    place, before, near = ZERO, ZERO, ZERO
    for m in range(node["first_member"], node["last_member"]):
        i = members[m]["particle"]
        w = inverse_mass[i]
        share = (1.0 if w == 0.0 else 0.0) if held else 1.0 / w
        weight += share
        place = along(place, share, load(x, i))
        before = along(before, share, load(previous, i))
        if held:
            near = along(near, share, vec(members[m]["near"]))
    place, before = divide(place, weight), divide(before, weight)
    if held:
        near = divide(near, weight)
        place, before = sub(place, near), sub(before, near)
    set_vec(s["place"], place)
    set_vec(s["start"], place)
    set_vec(s["before"], before)
    s["inverse_mass"] = 0.0 if held else 1.0 / total
    s["mass"] = total


@inline
def _draw(particles, node, members, s, k, h):
    """Draw the particles of node k to their goals about where the node is: it stays there."""
    x, previous, inverse_mass = particles
    t = 2.0 * math.pi * SKIN_FREQUENCY * h
    slow = 2.0 * SKIN_DAMPING * t
    place, own = vec(s[k]["place"]), s[k]["inverse_mass"]
    aside = ZERO
    for m in range(node["first_member"], node["last_member"]):
        way = scale(own, sub(_goal(s, s[k], members[m]), place))
        aside = add(aside, divide(way, inverse_mass[members[m]["particle"]]))
    drift = scale(slow, sub(place, vec(s[k]["before"])))
    for m in range(node["first_member"], node["last_member"]):
        i = members[m]["particle"]
        was = load(previous, i)
        goal = sub(sub(_goal(s, s[k], members[m]), aside), was)
        moved = add(along(sub(load(x, i), was), t * t, goal), drift)
        store(x, i, add(was, divide(moved, 1.0 + slow + t * t)))


@kernel
def project_branches(particles, nodes, members, roots, factor, now, scratch):
    """Project all branches once; factor: on all stiffness."""
    s, matrices = scratch
    x, previous, inverse_mass = particles
    count = nodes.shape[0]
    for k in range(count):
        _gather(particles, nodes[k], members, s[k])
    before = _root_turn(previous, roots, matrices)
    turn = _root_turn(x, roots, matrices)
    _measure_bends(s, nodes, before, turn)
    bend(s, nodes, factor, now.h, now.is_first_pass)
    for k in range(count):
        way = sub(vec(s[k]["place"]), vec(s[k]["start"]))
        for m in range(nodes[k]["first_member"], nodes[k]["last_member"]):
            if inverse_mass[members[m]["particle"]] > 0.0:
                move(x, members[m]["particle"], way)
    if not now.is_first_pass or members.shape[0] == count:
        return
    for k in range(count):
        _measure(s, nodes, k, from_parent(s, nodes, k), turn)
    for k in range(count):
        node = nodes[k]
        if node["last_member"] > node["first_member"] + 1 and s[k]["inverse_mass"] > 0.0:
            _draw(particles, node, members, s, k, now.h)
