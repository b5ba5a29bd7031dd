"""Cloth between two bodies that both move by themselves: how thick it is there, and what rubs it.

How such bodies are kept apart is told in `collision.cushions`. The contact that presses a vertex
onto the other body bears nothing then; that other body still holds the vertex up. What the two
press with is shared by all vertices between them, and holds these against sliding (Coulomb); what
that gives them in momentum the bodies lose.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import NONE, Floats, Ints
from ...collision.axis_boxes import widened
from ...collision.contact_law import joint_friction, within_cone
from ...collision.cushions import Cushions, cushions_of, no_cushions
from ...collision.kinds import MESH, PLANE, ROOM
from ...collision.shapes import Shapes, passes_by
from ...collision.touching import Touching
from ...collision.tree import end_of, next_leaf, root_of
from ...coupling.body_point import impel
from ...kernels.jit import kernel, lean_inline
from ...model import Model
from ...model.body_table import PASSIVE
from ...model.cushion_state import CushionState
from ...pairs import counted_pairs, find_pair
from ...records import Particles
from ...rigid.owners import velocity_at
from ...vec3 import ZERO, along, dot, length, load, scale, set_vec, shift, sub, vec
from .contact_point import BYPASSED, UNBACKED, ParticleContacts
from .laid_layers import Layers, nearest_under
from .look_behind import OPPOSITE, solid_behind
from .mesh_ground import BACKED_GAP
from .pressing import is_pressed, presser

Mask = NDArray[np.bool_]

MOST_LAYERS = 32
"""Layers between two bodies that are looked through."""

NEITHER_ABOVE = 0.1
"""Cosine between gravity and a push up to which neither of two bodies lies on the other."""

NOTABLY = 0.05
"""Share by which cloth has to be thicker than is known for bodies to hear of it at once."""

BETWEEN = np.dtype(
    [
        ("particle", np.int32),
        ("cushion", np.int32),  # row of `Cushions`
        ("owner", np.int32),  # of the two bodies the one that holds it more firmly
        ("normal", np.float64, (3,)),  # out of the one that presses
        ("friction", np.float64),  # with the one that holds it
        ("impulse", np.float64, (3,)),  # kg·m, of that friction times h, so far in this substep
    ],
    align=True,
)
"""A vertex between two bodies."""

Told = namedtuple(
    "Told",
    [
        "key",  # (q, 2) as in `Cushions`, unsorted and again and again
        "thickness",  # (q,) m
        "friction",  # (q,)
        "count",  # (1,)
        "is_news",  # (1,) 1: something is notably thicker than bodies know
    ],
)
"""What cloth has told since bodies looked for contacts on a regular turn."""

Between = namedtuple(
    "Between",
    [
        "row",  # (n,) BETWEEN
        "of_particle",  # (n,) row of each, or NONE
        "count",  # (1,) of rows
        "chain",  # (MOST_LAYERS,) scratch: vertices through layers
    ],
)
"""Vertices between bodies in this substep."""

Looked = namedtuple(
    "Looked",
    [
        "shapes",
        "may_bear",  # (s,) whether it is a solid one of a body that may move by itself
        "tree",  # over boxes that shapes do not leave until bodies look again
        "leaf",  # (l,) shapes of its leaves
        "radius",  # (n,) m that vertices keep away
        "friction",  # (n,)
        "layers",  # `Layers`, their contacts listed
        "contacts",  # `SURFACE_CONTACT` of cloth with cloth, as the substep began
        "gravity",  # (3,) m/s²
    ],
)
"""Where it is looked for them."""


def may_be_between(model: Model) -> bool:
    """Whether there are particles, and two bodies that may move by themselves."""
    return len(model.particles) > 0 and int((model.bodies.follows != PASSIVE).sum()) > 1


class BetweenBodies:
    """What cloth tells of bodies that it is between, and what these have heard of it."""

    def __init__(self, model: Model, shapes: Shapes, touching: Touching) -> None:
        table, count = model.shapes, len(model.particles)
        self.shapes, self.radius, self.boxes = shapes, model.particles.radius, touching.broad_phase
        moves = np.zeros(model.owner_count + 1, dtype=bool)
        moves[: len(model.bodies)] = model.bodies.follows != PASSIVE
        self.may_bear: Mask = moves[table.owner] & ~np.isin(table.kind, (MESH, PLANE, ROOM))
        self.are_boxes_known = False  # bodies move in this frame, and have looked who is near
        self.is_looked = False  # it has been looked what is between bodies in this frame
        self.cushions: Cushions = no_cushions()
        self.told: Told = _told_room(0)
        self.between = Between(
            np.zeros(count, dtype=BETWEEN),
            np.full(count, NONE, dtype=np.int32),
            np.zeros(1, dtype=np.int32),
            np.zeros(MOST_LAYERS, dtype=np.int32),
        )

    def begin(self, state: CushionState) -> None:
        """Begin a frame with what is remembered."""
        grown = np.zeros(len(state.key))
        self.cushions = cushions_of(state.key, state.thickness, state.friction, grown)
        self.told.count[0] = self.told.is_news[0] = self.between.count[0] = 0
        self.between.of_particle[:] = NONE
        self.are_boxes_known = self.is_looked = False

    @property
    def is_any(self) -> bool:
        """Whether anything was between bodies when it was looked last."""
        return bool(self.between.count[0])

    def look(
        self,
        asked: int,
        contacts: tuple[ParticleContacts, int],
        moving: tuple[Particles, Any],
        friction: Floats,
        layers: tuple[Layers, NDArray[Any]],
        gravity: Floats,
    ) -> None:
        """See which vertices are between bodies, and tell how thick cloth is there.

        asked: how many bodies press that lie on nothing that stays; contacts, and how many;
        moving: particles and owners; friction (n,); layers, and contacts of cloth with cloth;
        gravity (3,) m/s².
        """
        if not self.are_boxes_known:
            return
        self.is_looked = True
        if asked == 0 and not self.is_any:
            return
        room = int(self.told.count[0]) + contacts[1]
        if room > len(self.told.thickness):
            self.told = _told_room(2 * room, self.told)
        around = (self.shapes, self.may_bear, self.boxes.tree, self.boxes.leaves.shape)
        looked = Looked(*around, self.radius, friction, *layers, gravity)
        find_between(*contacts, *moving, looked, self.cushions, self.told, self.between)

    def rub(self, particles: Particles, owners: Any, h: float) -> None:
        """Let bodies rub against what is between them."""
        if self.is_any and len(self.cushions.key):
            rub_between(self.between, self.cushions, particles, owners, h)

    def hear(self, inverse_mass: Floats, is_regular: bool) -> Cushions:
        """What bodies keep apart by from now on.

        inverse_mass (o,) 1/kg of owners, 0 of those that sleep. On a regular turn only what has
        been told since the last one counts, but for sleepers: nobody tells of these.
        """
        now, count = self.cushions, int(self.told.count[0])
        if not count and not len(now.key):
            return now
        told = [column[:count] for column in self.told[:3]]
        stays = np.ones(len(now.key), dtype=bool)
        if is_regular and self.is_looked:
            stays = (inverse_mass[self.shapes.owner[now.key]] == 0.0).all(axis=1)
            self.told.count[0] = 0
        self.told.is_news[0] = 0
        kept = (now.key[stays], now.thickness[stays], now.friction[stays])
        self.cushions = _merged(now, *(np.concatenate(both) for both in zip(kept, told)))
        return self.cushions

    def store(self, state: CushionState) -> None:
        """Remember what bodies keep apart by."""
        state.key, state.thickness, state.friction = (
            self.cushions.key,
            self.cushions.thickness,
            self.cushions.friction,
        )


def _told_room(rows: int, before: Told | None = None) -> Told:
    """Room for so many rows, with those that there are."""
    told = Told(
        np.zeros((rows, 2), dtype=np.int32),
        np.zeros(rows),
        np.zeros(rows),
        np.zeros(1, dtype=np.int64),
        np.zeros(1, dtype=np.int32),
    )
    if before is not None:
        count = int(before.count[0])
        for own, other in zip(told[:3], before[:3]):
            own[:count] = other[:count]
        told.count[0], told.is_news[0] = count, before.is_news[0]
    return told


def _merged(before: Cushions, key: Ints, thickness: Floats, friction: Floats) -> Cushions:
    """The thickest of each pair, with the least friction, and how much it has grown."""
    if not len(key):
        return no_cushions()
    pairs, row, _ = counted_pairs(key)
    most, least = np.zeros(len(pairs)), np.full(len(pairs), np.inf)
    np.maximum.at(most, row, thickness)
    np.minimum.at(least, row, friction)
    known = dict(zip(map(tuple, before.key.tolist()), before.thickness.tolist()))
    was = np.array([known.get(tuple(pair), 0.0) for pair in pairs.tolist()])
    return cushions_of(pairs, most, least, most - was)


@lean_inline
def _body_behind(i, toward, o, x, previous, looked, owners):
    """The nearest shape of another body than o that a push along ``toward`` presses vertex i onto.

    The first of those that are equally near: `NONE` where there is none.
    """
    shapes, radius, tree = looked.shapes, looked.radius[i], looked.tree
    wide = (1.0 + BACKED_GAP) * radius
    low, high = widened(load(x, i), load(x, i), wide)
    end, nearest, least = end_of(looked.leaf.shape[0]), NONE, np.inf
    node = next_leaf(tree, root_of(0), end, low, high)
    while node < end:
        s = looked.leaf[tree.leaf[node]]
        node = next_leaf(tree, node + 1, end, low, high)
        other = shapes.owner[s]
        if other == o or not looked.may_bear[s] or owners.driven[other] == 1:
            continue
        if passes_by(shapes, s, x, previous, i, wide):
            continue
        gap, was, out, _ = solid_behind(i, s, 0, x, previous, looked)
        is_near = gap <= BACKED_GAP * radius and was >= -BACKED_GAP * radius
        is_nearer = gap < least or (gap == least and s < nearest)
        if is_near and is_nearer and dot(toward, out) <= -OPPOSITE:
            nearest, least = s, gap
    return nearest


@lean_inline
def _look_through(i, toward, o, particles, owners, looked, chain):
    """What is behind vertex i, through all layers under it, as a push along ``toward`` meets it.

    Returns the shape of a body, or `NONE`; how many layers there are with its own, how thick they
    are from its middle on, m, and the least friction among them.
    """
    x, previous, _ = particles
    contacts, height, rub = looked.contacts, 0.0, np.inf
    for depth in range(MOST_LAYERS):
        chain[depth] = i
        s = _body_behind(i, toward, o, x, previous, looked, owners)
        if s != NONE:
            return s, depth + 1, height + looked.radius[i], rub
        n = nearest_under(looked.layers, contacts, i, toward)
        if n == NONE:
            break
        height += contacts[n]["reach"]
        rub = min(rub, contacts[n]["friction"])
        heaviest = 1
        for c in range(2, 4):
            if contacts[n]["weight"][c] < contacts[n]["weight"][heaviest]:
                heaviest = c
        i = contacts[n]["corner"][heaviest]
    return NONE, 0, 0.0, rub


@lean_inline
def _presses_first(normal, gravity, o, other):
    """Whether it is body o that presses cloth onto another: the upper one, or the later one."""
    down = dot(normal, gravity)
    if abs(down) > NEITHER_ABOVE * length(gravity):
        return down > 0.0
    return o > other


@lean_inline
def _tell(told, s, t, thickness, friction):
    q = told.count[0]
    told.key[q, 0], told.key[q, 1] = min(s, t), max(s, t)
    told.thickness[q], told.friction[q] = thickness, friction
    told.count[0] = q + 1


@lean_inline
def _note_between(between, i, m, s, t, normal, looked):
    """Note vertex i between shapes s and t, unless it is noted."""
    if between.of_particle[i] != NONE:
        return
    r = between.count[0]
    between.of_particle[i] = r
    between.count[0] = r + 1
    row, shapes = between.row[r], looked.shapes
    firm = s if shapes.friction[s] > shapes.friction[t] else t
    row["particle"], row["cushion"], row["owner"] = i, m, shapes.owner[firm]
    row["friction"] = joint_friction(looked.friction[i], shapes.friction[firm])
    set_vec(row["normal"], normal)
    set_vec(row["impulse"], ZERO)


@kernel
def find_between(contacts, count, particles, owners, looked, cushions, told, between):
    """Note vertices between bodies, tell how thick cloth is there, and mark what bears nothing.

    There is room to tell of ``count`` contacts. They have been found, but not prepared.
    """
    for r in range(between.count[0]):
        between.of_particle[between.row[r]["particle"]] = NONE
    between.count[0] = 0
    cushions.vertices[:] = 0
    shapes, inverse_mass = looked.shapes, particles.inverse_mass
    for c in range(count):
        contact, making = contacts.solving[c], contacts.making[c]
        o = presser(making, shapes, owners)
        if o < 0 or contact["footing"] != UNBACKED:
            continue
        place, normal, heaviest = contact["place"][0], vec(contact["normal"]), NONE
        for k in range(4):
            if is_pressed(place, k, owners.inverse_mass[o], inverse_mass) and (
                heaviest == NONE or place["weight"][k] > place["weight"][heaviest]
            ):
                heaviest = k
        if heaviest == NONE:
            continue
        i, s = place["particle"][heaviest], making["shape"][1]
        given = (particles, owners, looked, between.chain)
        t, depth, height, rub = _look_through(i, normal, o, *given)
        if t == NONE or not _presses_first(normal, vec(looked.gravity), o, shapes.owner[t]):
            continue
        for side in range(2):
            ends = between.chain[0] if side == 0 else between.chain[depth - 1]
            other = shapes.friction[s if side == 0 else t]
            rub = min(rub, joint_friction(looked.friction[ends], other))
        thickness, m = making["reach"] + height, find_pair(cushions.key, s, t)
        _tell(told, s, t, thickness, rub)
        if m == NONE or thickness > (1.0 + NOTABLY) * cushions.thickness[m]:
            told.is_news[0] = 1
        if m != NONE and cushions.is_met[m] == 1:
            contact["footing"] = BYPASSED
            for d in range(depth):
                _note_between(between, between.chain[d], m, s, t, normal, looked)
    for r in range(between.count[0]):
        cushions.vertices[between.row[r]["cushion"]] += 1


@kernel
def rub_between(between, cushions, particles, owners, h):
    """Friction of vertices between bodies, in x, and in the velocities of who holds them.

    What the two do to each other through a vertex, which has no weight to speak of, is the matter
    of their own contact: T + G = P as in `foothold`. What is left is T, by which the rest of the
    cloth pulls at the vertex, and the one that holds it more firmly bears that.
    """
    x, previous, inverse_mass = particles
    for r in range(between.count[0]):
        row = between.row[r]
        i, m, o, n = row["particle"], row["cushion"], row["owner"], vec(row["normal"])
        if inverse_mass[i] == 0.0:
            continue
        arm = sub(load(previous, i), load(owners.position, o))
        ride = scale(h, velocity_at(owners, o, arm))
        u = sub(sub(load(x, i), load(previous, i)), ride)
        u = along(u, -dot(u, n), n)
        before = vec(row["impulse"])
        now = along(before, -1.0 / inverse_mass[i], u)
        now = within_cone(now, row["friction"] * cushions.press[m] * h / cushions.vertices[m])
        set_vec(row["impulse"], now)
        change = sub(now, before)
        shift(x, i, inverse_mass[i], change)
        if owners.inverse_mass[o] > 0.0:
            impel(owners, o, arm, scale(-1.0 / h, change))
