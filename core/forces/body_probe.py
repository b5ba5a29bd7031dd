"""What force fields do to rigid bodies: eight probes each, which weigh what the body weighs.

They stand at (±e₀, ±e₁, ±e₂) with e the radii of gyration along the principal axes, an eighth of
the mass each, so that mass, centre and inertia are the body's. A field that changes linearly over
the body thus gives the exact force and torque; and a body that is hit off its centre spins.
"""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING

import numpy as np

from ..kernels.jit import kernel, lean_inline
from ..rigid.owners import turn_by, velocity_at, write_momentum, write_spin
from ..vec3 import (
    ZERO,
    add,
    along,
    cross,
    divide,
    load,
    move,
    rotate,
    scale,
    shift,
    store,
    sub,
)
from .field import Exposed

if TYPE_CHECKING:
    from ..arrays import Floats
    from ..model import Model

PROBES = 8

BodyProbes = namedtuple(
    "BodyProbes",
    [
        "extent",  # (b, 3) m, radius of gyration along each principal axis
        "exposed",  # (8 b,), see `field`: what is driven has no inverse mass, none has a surface
    ],
)


def probe_room(model: Model) -> BodyProbes:
    """The probes of all bodies of a model, not placed yet."""
    bodies = model.bodies
    second = np.maximum(0.5 * bodies.inertia.sum(axis=1, keepdims=True) - bodies.inertia, 0.0)
    mass = np.repeat(bodies.mass / PROBES, PROBES)
    count = len(mass)

    def vectors() -> Floats:
        return np.zeros((count, 3))

    exposed = Exposed(
        x=vectors(),
        previous=vectors(),
        inverse_mass=1.0 / mass,
        mass=mass,
        factor=np.ones(count),
        normal=vectors(),
        force=vectors(),
    )
    return BodyProbes(np.sqrt(second / bodies.mass[:, None]), exposed)


@lean_inline
def _carried(probes, owners, b, n):
    """Probe n of body b: its arm from the centre in m, and its velocity as the body carries it."""
    e = load(probes.extent, b)
    corner = (e[0] if n & 1 else -e[0], e[1] if n & 2 else -e[1], e[2] if n & 4 else -e[2])
    arm = rotate(owners.rotation[b], corner)
    return arm, velocity_at(owners, b, arm)


@kernel
def place_probes(probes, owners, h):
    """Put the probes where the bodies are, with x* as rigid bodies move in h seconds."""
    exposed = probes.exposed
    for b in range(probes.extent.shape[0]):
        for n in range(PROBES):
            i = PROBES * b + n
            arm, v = _carried(probes, owners, b, n)
            place = add(load(owners.position, b), arm)
            store(exposed.x, i, place)
            store(exposed.previous, i, along(place, -h, v))
            exposed.inverse_mass[i] = 0.0 if owners.driven[b] == 1 else 1.0 / exposed.mass[i]


@kernel
def gather_forces(probes, owners, force, torque):
    """Sum what acts on the probes to force (b, 3) N and torque (b, 3) N·m of the bodies."""
    exposed = probes.exposed
    for b in range(probes.extent.shape[0]):
        store(force, b, ZERO)
        store(torque, b, ZERO)
        for n in range(PROBES):
            i = PROBES * b + n
            f = load(exposed.force, i)
            move(force, b, f)
            move(torque, b, cross(sub(load(exposed.x, i), load(owners.position, b)), f))


@kernel
def take_kicks(probes, owners, wait, h):
    """Give bodies the speed and spin that `field.kick` gave their probes ``wait`` s from now.

    Place and rotation are set back by as much as they would gain until then. Each probe's speed
    is what its x − x* has gained.
    """
    exposed = probes.exposed
    for b in range(probes.extent.shape[0]):
        if owners.inverse_mass[b] == 0.0:
            continue
        velocity, momentum = ZERO, ZERO
        for n in range(PROBES):
            i = PROBES * b + n
            arm, before = _carried(probes, owners, b, n)
            u = sub(divide(sub(load(exposed.x, i), load(exposed.previous, i)), h), before)
            velocity = add(velocity, divide(u, PROBES))
            momentum = along(momentum, exposed.mass[i], cross(arm, u))
        if velocity == ZERO and momentum == ZERO:
            continue
        spin = load(owners.spin, b)
        write_momentum(owners, b)
        move(owners.momentum, b, momentum)
        write_spin(owners, b)
        move(owners.velocity, b, velocity)
        shift(owners.position, b, -wait, velocity)
        turn_by(owners.orientation[b], scale(-wait, sub(load(owners.spin, b), spin)))
