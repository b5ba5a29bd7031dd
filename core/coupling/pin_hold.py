"""Bodies that lie in cloth, or hang on it, are held by the pins that the cloth hangs on.

Sticks of cloth carry what particles of its mass can carry in one pass; a body a hundred times as
heavy as the cloth would sink through. What it needs is known, though: tethers say how far each
particle can get from its pins along the material. A body that is tied to a particle cannot take it
farther, so each tether is a row of a small solver for the body's own velocity,

    d·(v + ω × r) ≥ (|x − a| − l)/(h s),      d = t = (a − x)/|a − x|,   s = 1,

with its generalised inverse mass 1/m + (r×d)ᵀ I⁻¹ (r×d) (Müller et al. 2020, eq. 2) and pulls
clamped at 0 (Catto 2005). A body that presses on a particle with the normal n takes it along n
alone, which lengthens the tether by s = −t·n of the way: there d = −n, and friction follows the
push. (Rows along t would have to give sideways what the body does not feel: a sideways swing then
lifted it, and a box on a hung sheet never came to rest.) Pins take what the body gives.
"""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING

import numpy as np

from ..collision.contact_law import normal_sum, within_cone
from ..kernels.jit import inline, kernel
from ..rigid.owners import velocity_at
from ..vec3 import (
    ZERO,
    add_cross,
    add_to,
    along,
    between,
    cross,
    divide,
    dot,
    length,
    load,
    rotate,
    scale,
    set_vec,
    shift,
    sub,
    vec,
)
from .body_point import impel

if TYPE_CHECKING:
    from ..model import Model

PIN_HOLD_PASSES = 40
"""Passes over the rows of all bodies."""

TAUT_SHARE = 0.002
"""Tethers count that are taut up to this share of their length."""

TETHER_SHARE = 0.1
"""Share of what a tether was too long before the step that one step takes back."""

REPAIR = 0.01
"""Fastest that it is taken back, m/s."""

HEAVY = 4.0
"""Bodies this many times as heavy as the particle are held; lighter ones feel the cloth alone."""

LEAST_SHARE = 0.1
"""Weight from which a particle counts of those that a contact presses on."""

LEAST_LENGTHENING = 1e-3
"""Tethers that a body lengthens by less than this share of its way do not hold it."""

TIED = -1.0
"""In place of a friction: the body is tied to the particle and is pulled any way."""

HOLD = np.dtype(
    [
        ("owner", np.int32),
        ("particle", np.int32),
        ("toward", np.float64, (3,)),  # d, where the body is pushed or pulled
        ("normal", np.float64, (3,)),  # from the body to the particle
        ("arm", np.float64, (3,)),  # m
        ("turn", np.float64, (3,)),  # I⁻¹ (r × d)
        ("friction", np.float64),
        ("mass", np.float64),  # kg
        ("need", np.float64),  # m/s
        ("impulse", np.float64),  # N·s
    ],
    align=True,
)
"""A tether that a body is held by."""

HOLD_GAIN = np.dtype([("speed", np.float64, (3,)), ("spin", np.float64, (3,))], align=True)
"""What rows have given a body by now: speed in m/s and spin in rad/s."""


Tethers = namedtuple(
    "Tethers",
    [
        "of_particle",  # (n,) row of start, −1 for none
        "start",  # (q + 1,) first tether of each
        "anchor",  # (t,) pinned particle
        "length",  # (t,) m
    ],
)


def tethers_by_particle(model: Model) -> Tethers:
    """The model's tethers, to be found by particle; their lengths are its own."""
    row = np.full(len(model.particles), -1, dtype=np.int32)
    row[model.tethers.particle] = np.arange(len(model.tethers.particle), dtype=np.int32)
    return Tethers(row, model.tethers.start, model.tethers.anchor, model.tethers.length.copy())


HoldContext = namedtuple("HoldContext", ["particles", "owners", "tethers", "h"])
"""What is held and what holds it, in a step of h seconds."""


@inline
def is_heavy(body_inverse_mass, inverse_mass):
    """Whether a body is so much heavier than a particle that what bears the particle holds it."""
    return HEAVY * body_inverse_mass <= inverse_mass


@inline
def _write(row, moving, o, i, d):
    """Write what a row knows of owner o that is pushed along d where particle i is."""
    x, owners = moving.particles.x, moving.owners
    arm = sub(load(x, i), load(owners.position, o))
    lever = cross(arm, d)
    turn = rotate(owners.inverse_inertia[o], lever)
    w = owners.inverse_mass[o] + turn[0] * lever[0] + turn[1] * lever[1] + turn[2] * lever[2]
    row["owner"], row["particle"] = o, i
    set_vec(row["toward"], d)
    set_vec(row["arm"], arm)
    set_vec(row["turn"], turn)
    row["mass"] = 1.0 / w
    row["impulse"] = 0.0


@inline
def _speed(moving, o, i, pin, d):
    """How fast the body takes the place of particle i along d, seen from the pin, m/s."""
    (x, previous, _), owners, _, h = moving
    arm = sub(load(x, i), load(owners.position, o))
    speed = dot(d, velocity_at(owners, o, arm))
    way = sub(load(x, pin), load(previous, pin))
    speed -= (way[0] * d[0] + way[1] * d[1]) / h
    return speed - way[2] * d[2] / h


@inline
def _add(rows, m, moving, o, i, normal, friction):
    """Rows for all taut tethers of particle i, which owner o takes along; the next free row."""
    (x, previous, _), _, tethers, h = moving
    q = tethers.of_particle[i]
    if q < 0:
        return m
    for n in range(tethers.start[q], tethers.start[q + 1]):
        pin, longest = tethers.anchor[n], tethers.length[n]
        d = between(x, i, pin)
        size = length(d)
        if size < (1.0 - TAUT_SHARE) * longest or size == 0.0:
            continue
        if m >= rows.shape[0]:
            return m
        before = length(between(previous, i, pin)) - longest
        d = divide(d, size)
        if size > longest:  # the particle itself follows at once
            shift(x, i, size - longest, d)
        slope = 1.0
        if friction != TIED:
            slope = -dot(d, normal)
            if slope < LEAST_LENGTHENING:
                continue
            d = scale(-1.0, normal)
        row = rows[m]
        _write(row, moving, o, i, d)
        set_vec(row["normal"], normal)
        row["friction"] = friction
        # the body is stopped and not thrown back, however flat the tether lies
        need = (size - longest - (1.0 - TETHER_SHARE) * max(before, 0.0)) / (h * slope)
        repair = slope * max(0.0, min(REPAIR, TETHER_SHARE / h * before))
        row["need"] = min(need, repair) - _speed(moving, o, i, pin, d)
        m += 1
    return m


@kernel
def find_holds(contacts, count, moving, backing, mark, rows):
    """Rows for what presses on tethered particles; returns how many.

    backing (n,), or of no length: see `squeeze`; what lies on a collider hangs on nothing.
    mark (n,) is scratch: the owner that a particle has been looked at for, −1 for none.
    """
    for c in range(count):
        place = contacts[c]["place"][0]
        for k in range(4):
            if place["weight"][k] != 0.0:
                mark[place["particle"][k]] = -1
    m = 0
    for c in range(count):
        contact = contacts[c]
        place, o = contact["place"][0], contact["place"][1]["owner"]
        if place["four_body"] >= 0 or contact["normal_impulse"] == 0.0 or o < 0:
            continue
        w = moving.owners.inverse_mass[o]
        if w == 0.0:
            continue
        for k in range(4):
            i = place["particle"][k]
            is_light = not is_heavy(w, moving.particles.inverse_mass[i])
            if place["weight"][k] < LEAST_SHARE or mark[i] == o or is_light:
                continue
            mark[i] = o
            if i < backing.shape[0] and backing[i] >= 0:
                continue
            m = _add(rows, m, moving, o, i, vec(contact["normal"]), contact["friction"])
    return m


@kernel
def find_ties(m, body, particle, moving, rows):
    """Rows for what is tied to tethered particles, from row m on; returns the row after them.

    body (a,), particle (a, k).
    """
    for n in range(body.shape[0]):
        o = body[n]
        w = moving.owners.inverse_mass[o]
        if w == 0.0:
            continue
        for k in range(particle.shape[1]):
            i = particle[n, k]
            if is_heavy(w, moving.particles.inverse_mass[i]):
                m = _add(rows, m, moving, o, i, ZERO, TIED)
    return m


@kernel
def hold_bodies(rows, count, particles, owners, h, gain):
    """Solve the rows, and give bodies their pushes and pulls, and the drag that a push allows.

    gain (o,) HOLD_GAIN is scratch.
    """
    for m in range(count):
        own = gain[rows[m]["owner"]]
        set_vec(own["speed"], ZERO)
        set_vec(own["spin"], ZERO)
    for n in range(PIN_HOLD_PASSES):
        for step in range(count):
            _solve(rows[step if n % 2 == 0 else count - 1 - step], owners, gain)
    for m in range(count):
        row = rows[m]
        impel(owners, row["owner"], vec(row["arm"]), scale(row["impulse"], vec(row["toward"])))
    for m in range(count):
        row = rows[m]
        if row["impulse"] == 0.0 or row["friction"] == TIED:
            continue
        o, p = row["owner"], row["particle"]
        n, r = vec(row["normal"]), vec(row["arm"])
        way = divide(sub(load(particles.x, p), load(particles.previous, p)), h)
        u = sub(velocity_at(owners, o, r), way)
        u = along(u, -dot(u, n), n)
        drag = within_cone(scale(row["mass"], u), row["friction"] * row["impulse"])
        impel(owners, o, r, scale(-1.0, drag))


@inline
def _solve(row, owners, gain):
    """Pull a body as far as one row needs, in its gain."""
    o = row["owner"]
    own = gain[o]
    d, r, turn = vec(row["toward"]), vec(row["arm"]), vec(row["turn"])
    short = dot(d, add_cross(vec(own["speed"]), vec(own["spin"]), r)) - row["need"]
    pull = normal_sum(row["impulse"], -(row["mass"] * short))
    change = pull - row["impulse"]
    if change == 0.0:
        return
    row["impulse"] = pull
    add_to(own["speed"], scale(change * owners.inverse_mass[o], d))
    add_to(own["spin"], scale(change, turn))
