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

import math
from collections import namedtuple
from typing import TYPE_CHECKING

import numpy as np

from ..kernels.jit import inline, kernel
from ..vec3 import load, scale, vec
from .body_point import impel

if TYPE_CHECKING:
    from ..model import Model

ROUNDS = 40
"""Passes over the rows of all bodies."""

NEAR = 0.002
"""Tethers count that are taut up to this share of their length."""

SHARE = 0.1
"""Share of what a tether was too long before the step that one step takes back."""

REPAIR = 0.01
"""Fastest that it is taken back, m/s."""

HEAVY = 4.0
"""Bodies this many times as heavy as the particle are held; lighter ones feel the cloth alone."""

FLAT = 1e-3
"""Tethers that a body lengthens by less than this share of its way do not hold it."""

TIED = -1.0
"""In place of a friction: the body is tied to the particle and is pulled any way."""

Holds = namedtuple(
    "Holds",
    [
        "owner",  # (r,)
        "particle",  # (r,)
        "toward",  # (r, 3) d, where the body is pushed or pulled
        "normal",  # (r, 3) from the body to the particle
        "friction",  # (r,)
        "arm",  # (r, 3) m
        "turn",  # (r, 3) I⁻¹ (r × d)
        "mass",  # (r,) kg
        "need",  # (r,) m/s
        "pull",  # (r,) N·s
    ],
)


def hold_room(count: int) -> Holds:
    """Rows with room for ``count``."""

    def scalars() -> np.ndarray:
        return np.zeros(count)

    def vectors() -> np.ndarray:
        return np.zeros((count, 3))

    return Holds(
        owner=np.zeros(count, dtype=np.int32),
        particle=np.zeros(count, dtype=np.int32),
        toward=vectors(),
        normal=vectors(),
        friction=scalars(),
        arm=vectors(),
        turn=vectors(),
        mass=scalars(),
        need=scalars(),
        pull=scalars(),
    )


Tethers = namedtuple(
    "Tethers",
    [
        "of_particle",  # (n,) row of start, −1 for none
        "start",  # (q + 1,) first tether of each
        "anchor",  # (t,) pinned particle
        "length",  # (t,) m
    ],
)


def tethers_of(model: Model) -> Tethers:
    """The model's tethers, found by particle."""
    row = np.full(model.particle_count, -1, dtype=np.int32)
    row[model.tethered] = np.arange(len(model.tethered), dtype=np.int32)
    return Tethers(row, model.tether_start, model.tether_anchor, model.tether_length)


@inline
def _add(rows, m, owners, o, i, x, previous, tethers, h, normal, friction):
    """Rows for all taut tethers of particle i, which owner o takes along; the next free row."""
    q = tethers.of_particle[i]
    if q < 0:
        return m
    a = owners.inverse_inertia[o]
    for n in range(tethers.start[q], tethers.start[q + 1]):
        pin = tethers.anchor[n]
        length = tethers.length[n]
        dx, dy, dz = x[pin, 0] - x[i, 0], x[pin, 1] - x[i, 1], x[pin, 2] - x[i, 2]
        size = math.sqrt(dx * dx + dy * dy + dz * dz)
        if size < (1.0 - NEAR) * length or size == 0.0:
            continue
        if m >= rows.pull.shape[0]:
            return m
        ex = previous[pin, 0] - previous[i, 0]
        ey = previous[pin, 1] - previous[i, 1]
        ez = previous[pin, 2] - previous[i, 2]
        before = math.sqrt(ex * ex + ey * ey + ez * ez) - length
        dx, dy, dz = dx / size, dy / size, dz / size
        if size > length:  # the particle itself follows at once
            f = size - length
            x[i, 0] += f * dx
            x[i, 1] += f * dy
            x[i, 2] += f * dz
        slope = 1.0
        if friction != TIED:
            slope = -(dx * normal[0] + dy * normal[1] + dz * normal[2])
            if slope < FLAT:
                continue
            dx, dy, dz = -normal[0], -normal[1], -normal[2]
        rx = x[i, 0] - owners.position[o, 0]
        ry = x[i, 1] - owners.position[o, 1]
        rz = x[i, 2] - owners.position[o, 2]
        cx, cy, cz = ry * dz - rz * dy, rz * dx - rx * dz, rx * dy - ry * dx
        w = owners.inverse_mass[o]
        for k in range(3):
            t = a[k, 0] * cx + a[k, 1] * cy + a[k, 2] * cz
            rows.turn[m, k] = t
            w += t * (cx if k == 0 else (cy if k == 1 else cz))
        rows.owner[m] = o
        rows.particle[m] = i
        rows.toward[m, 0], rows.toward[m, 1], rows.toward[m, 2] = dx, dy, dz
        rows.arm[m, 0], rows.arm[m, 1], rows.arm[m, 2] = rx, ry, rz
        for k in range(3):
            rows.normal[m, k] = normal[k]
        rows.friction[m] = friction
        rows.mass[m] = 1.0 / w
        # the body is stopped and not thrown back, however flat the tether lies
        v, s = owners.velocity[o], owners.spin[o]
        speed = dx * (v[0] + s[1] * rz - s[2] * ry)
        speed += dy * (v[1] + s[2] * rx - s[0] * rz)
        speed += dz * (v[2] + s[0] * ry - s[1] * rx)
        speed -= ((x[pin, 0] - previous[pin, 0]) * dx + (x[pin, 1] - previous[pin, 1]) * dy) / h
        speed -= (x[pin, 2] - previous[pin, 2]) * dz / h
        need = (size - length - (1.0 - SHARE) * max(before, 0.0)) / (h * slope)
        rows.need[m] = min(need, slope * max(0.0, min(REPAIR, SHARE / h * before)) - speed)
        rows.pull[m] = 0.0
        m += 1
    return m


@kernel
def find_holds(contacts, count, x, previous, inverse_mass, owners, tethers, h, mark, rows):
    """Rows for what presses on tethered particles; returns how many.

    mark (n,) is scratch: the owner that a particle has been looked at for, −1 for none.
    """
    for c in range(count):
        for k in range(4):
            if contacts.shape[c, 0] < 0:
                mark[contacts.particle[c, k]] = -1
    m = 0
    for c in range(count):
        o = contacts.owner[c, 1]
        if contacts.shape[c, 0] >= 0 or contacts.pushed[c] == 0.0 or o < 0:
            continue
        w = owners.inverse_mass[o]
        if w == 0.0:
            continue
        for k in range(4):
            i = contacts.particle[c, k]
            if contacts.weight[c, k] < 0.1 or mark[i] == o or HEAVY * w > inverse_mass[i]:
                continue
            mark[i] = o
            m = _add(
                rows,
                m,
                owners,
                o,
                i,
                x,
                previous,
                tethers,
                h,
                contacts.normal[c],
                contacts.friction[c],
            )
    return m


@kernel
def find_ties(m, body, particle, x, previous, inverse_mass, owners, tethers, h, rows):
    """Rows for what is tied to tethered particles, from row m on; returns the row after them.

    body (a,), particle (a, k).
    """
    nowhere = np.zeros(3)
    for n in range(body.shape[0]):
        o = body[n]
        w = owners.inverse_mass[o]
        if w == 0.0:
            continue
        for k in range(particle.shape[1]):
            i = particle[n, k]
            if HEAVY * w <= inverse_mass[i]:
                m = _add(rows, m, owners, o, i, x, previous, tethers, h, nowhere, TIED)
    return m


@kernel
def hold_bodies(rows, count, x, previous, owners, h, gain):
    """Solve the rows, and give bodies their pushes and pulls, and the drag that a push allows.

    gain (o, 6) m/s and rad/s is scratch.
    """
    for m in range(count):
        for k in range(6):
            gain[rows.owner[m], k] = 0.0
    for n in range(ROUNDS):
        for step in range(count):
            m = step if n % 2 == 0 else count - 1 - step
            o = rows.owner[m]
            d, r = rows.toward[m], rows.arm[m]
            speed = -rows.need[m]
            for k in range(3):
                i = (k + 1) % 3
                j = (k + 2) % 3
                speed += d[k] * (gain[o, k] + gain[o, 3 + i] * r[j] - gain[o, 3 + j] * r[i])
            pull = max(0.0, rows.pull[m] - rows.mass[m] * speed)
            change = pull - rows.pull[m]
            if change == 0.0:
                continue
            rows.pull[m] = pull
            for k in range(3):
                gain[o, k] += change * owners.inverse_mass[o] * d[k]
                gain[o, 3 + k] += change * rows.turn[m, k]
    for m in range(count):
        pull = rows.pull[m]
        o = rows.owner[m]
        impel(owners, o, load(rows.arm, m), scale(pull, load(rows.toward, m)))
    for m in range(count):
        push = rows.pull[m]
        if push == 0.0 or rows.friction[m] == TIED:
            continue
        o = rows.owner[m]
        p = rows.particle[m]
        n, r = rows.normal[m], rows.arm[m]
        v, s = owners.velocity[o], owners.spin[o]
        ux = v[0] + s[1] * r[2] - s[2] * r[1] - (x[p, 0] - previous[p, 0]) / h
        uy = v[1] + s[2] * r[0] - s[0] * r[2] - (x[p, 1] - previous[p, 1]) / h
        uz = v[2] + s[0] * r[1] - s[1] * r[0] - (x[p, 2] - previous[p, 2]) / h
        un = ux * n[0] + uy * n[1] + uz * n[2]
        ux, uy, uz = ux - un * n[0], uy - un * n[1], uz - un * n[2]
        slide = math.sqrt(ux * ux + uy * uy + uz * uz)
        if slide == 0.0:
            continue
        drag = min(rows.friction[m] * push, rows.mass[m] * slide)
        f = -drag / slide
        impel(owners, o, vec(r), (f * ux, f * uy, f * uz))
