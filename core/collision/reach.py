"""How far shapes may get until contacts are looked for again."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ..kernels.jit import kernel, lean_inline
from ..vec3 import ZERO, length, load, sub
from .kinds import CYLINDER
from .shapes import half_extent, largest_radius, place

if TYPE_CHECKING:
    from ..arrays import Floats
    from ..model import Model

FOUND_BEFORE = 0.02
"""Contacts are found this share of the thinner shape before they touch, to know them by then."""


def body_radius(model: Model) -> Floats:
    """Distance (b,) m of the farthest point of each body from its centre of mass."""
    radius = np.zeros(len(model.bodies))
    table = model.shapes
    mine = table.owner < len(model.bodies)
    farthest = np.linalg.norm(table.offset, axis=1) + largest_radius(table)
    np.maximum.at(radius, table.owner[mine], farthest[mine])
    return radius


def settling_radius(model: Model) -> Floats:
    """Radius (b,) m that tells how many iterations a body takes to come to rest.

    That of its farthest point; of a coin, which rocks on few points of its rim and may come down by
    no more than its thickness, the geometric mean of its radius and half of that.
    """
    table, radius = model.shapes, body_radius(model)
    is_coin = (table.kind == CYLINDER) & (table.size[:, 1] < table.size[:, 0])
    is_coin &= table.owner < len(radius)
    mean = np.sqrt(table.size[is_coin, 0] * table.size[is_coin, 1])
    np.minimum.at(radius, table.owner[is_coin], mean)
    return radius


MOST_FRAMES_OF_REFERENCE = 16
"""Most driven things whose velocity is tried to see travels from."""


@lean_inline
def _away_from(owners, v):
    """Sum of the speeds of all free bodies relative to v, m/s."""
    total = 0.0
    for o in range(owners.inverse_mass.shape[0]):
        if owners.inverse_mass[o] > 0.0:
            total += length(sub(load(owners.velocity, o), v))
    return total


@lean_inline
def _common_velocity(owners):
    """Velocity of something driven, or none, that free bodies share most nearly, m/s.

    On a floor that moves, travels count from it: whatever all have in common parts nobody.
    """
    best, least, tried = ZERO, -1.0, 0
    for o in range(owners.inverse_mass.shape[0]):
        v = load(owners.velocity, o)
        if owners.driven[o] == 0 or v in (ZERO, best) or tried == MOST_FRAMES_OF_REFERENCE:
            continue
        if least < 0.0:
            least = _away_from(owners, ZERO)
        tried += 1
        away = _away_from(owners, v)
        if away < least:
            best, least = v, away
    return best


@kernel
def bound_shapes(shapes, owners, room, duration, fall, reach):
    """Pose shapes where their owners are now and bound their motion in the next ``duration`` s.

    room (k,) m: how early contacts are to be found; fall m: by gravity in that time. Writes
    centre_before, rotation_before, lower and upper of the shapes, and reach (k,) m: the farthest
    that a point of the shape travels, relative to what all have in common. A turn by the angle φ
    moves a point at distance r by no more than 2 r, or r φ. Returns the farthest travel of any body
    as a share of its size.
    """
    fastest = 0.0
    common = _common_velocity(owners)
    for s in range(shapes.kind.shape[0]):
        o = shapes.owner[s]
        turn = shapes.turn[s]
        offset = shapes.offset[s]
        place(shapes.centre_before, shapes.rotation_before, s, owners, o, offset, turn)
        own = sub(load(owners.velocity, o), common)
        spin = 0.0
        arm = 0.0
        radius = 0.0
        for k in range(3):
            spin += owners.spin[o, k] ** 2
            arm += offset[k] ** 2
            radius += shapes.size[s, k] ** 2
        arm = math.sqrt(arm) + math.sqrt(radius)
        travel = length(own) * duration + min(math.sqrt(spin) * duration, 2.0) * arm
        if owners.inverse_mass[o] > 0.0:
            travel += fall
            fastest = max(fastest, travel / arm)
        reach[s] = travel + room[s]
        for k in range(3):
            half = half_extent(shapes.kind[s], shapes.size[s], shapes.rotation_before[s], k)
            shapes.lower[s, k] = shapes.centre_before[s, k] - half - reach[s]
            shapes.upper[s, k] = shapes.centre_before[s, k] + half + reach[s]
    return fastest
