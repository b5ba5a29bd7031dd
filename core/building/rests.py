"""Which objects of particles fall asleep, see `RestTable`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..arrays import Ints
from ..coupling.tying import ties_of
from ..geometry.surface import connected_parts
from ..model import Model
from ..model.rest_table import RestTable
from .particles import joined

REST_PATCH_PARTICLES = 16
"""Particles of a patch."""

_NO_OBJECTS: Ints = np.zeros(0, dtype=np.int32)

NOTHING_SLEEPS = RestTable(
    _NO_OBJECTS, np.zeros((0, REST_PATCH_PARTICLES), np.int32), _NO_OBJECTS, np.zeros(0)
)
"""Of a model in the making."""

FLAT_THICKNESS = 1e-3
"""Size of an object that stands for its thickness where it has none."""


def rest_table(model: Model) -> RestTable:
    """The objects of a model; its own table is not looked at."""
    island = _islands(model)
    patch, owner = [], []
    radius = np.zeros(len(model.objects))
    for number in np.flatnonzero(island >= 0).tolist():
        rows = model.objects[number].particles
        first = np.arange(rows.start, rows.stop, REST_PATCH_PARTICLES)[:, None]
        patch.append(np.minimum(first + np.arange(REST_PATCH_PARTICLES), rows.stop - 1))
        owner.append(np.full(len(first), number))
        thick = float(model.particles.radius[rows].mean())
        extent = float(np.linalg.norm(np.ptp(model.particles.position[rows], axis=0)))
        radius[number] = max(thick, FLAT_THICKNESS * extent)
    return RestTable(
        island=island,
        patch=joined(patch, (0, REST_PATCH_PARTICLES), np.int32),
        patch_object=joined(owner, (0,), np.int32),
        radius=radius,
    )


def _islands(model: Model) -> Ints:
    """One number for all objects (o,) that constraints join; −1 for those that never sleep.

    Balls and rigid bodies have a sleep of their own. What is tied to bodies draws on them, and
    figures, their clothes and what may tear are led by more than the constraints that are left out
    of a sleeper's step: they stay awake.
    """
    count = len(model.objects)
    owner = model.particle_object
    tethers = model.tethers
    tethered = np.repeat(tethers.particle, np.diff(tethers.start))
    pairs = [model.sticks.pair, model.springs.pair, np.stack([tethered, tethers.anchor], axis=1)]
    ties = [owner[pair] for pair in pairs]
    for one in model.constraints:
        named = np.unique(owner[one.particles.reshape(-1)])
        ties.append(np.stack([np.full(len(named), one.object), named], axis=1))
    island = connected_parts(count, np.concatenate(ties).astype(np.int32))
    is_awake = np.array([span.body >= 0 or not span.particle_count for span in model.objects])
    is_awake[[tie.object for tie in ties_of(model.constraints)]] = True
    balls = model.self_collision.particle[model.self_collision.balls]
    is_awake[owner[np.concatenate([balls, model.limbs.stick.reshape(-1)])]] = True
    if model.tears is not None:
        is_awake[model.tears.object[model.tears.object >= 0]] = True
    is_restless = np.zeros(count, dtype=bool)
    is_restless[island[is_awake]] = True
    return np.where(is_restless[island], -1, island).astype(np.int32)


def with_rests(model: Model) -> Model:
    """The model with its table of what falls asleep."""
    return replace(model, rests=rest_table(model))
