"""What force fields do to rigid bodies: eight probes each, which weigh what the body weighs.

They stand at (±e₀, ±e₁, ±e₂) with e the radii of gyration along the principal axes, an eighth of
the mass each, so that mass, centre and inertia are the body's. A field that changes linearly over
the body thus gives the exact force and torque; and a body that is hit off its centre spins.
"""

from __future__ import annotations

import math
from collections import namedtuple
from typing import TYPE_CHECKING

import numpy as np

from ..jit import kernel, lean_inline
from ..rigid.owners import turn_by, write_momentum, write_spin
from ..vector import rotate

if TYPE_CHECKING:
    from ..model import Floats, Model

PROBES = 8

BodyProbes = namedtuple(
    "BodyProbes",
    [
        "extent",  # (b, 3) m, radius of gyration along each principal axis
        "x",  # (8 b, 3) m
        "previous",  # (8 b, 3) m, one step ago
        "mass",  # (8 b,) kg
        "inverse_mass",  # (8 b,) 1/kg, 0 for what is driven
        "factor",  # (8 b,) of each object's force fields
        "normal",  # (8 b, 3) none has a surface
        "force",  # (8 b, 3) N
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

    return BodyProbes(
        np.sqrt(second / bodies.mass[:, None]),
        vectors(),
        vectors(),
        mass,
        1.0 / mass,
        np.ones(count),
        vectors(),
        vectors(),
    )


@lean_inline
def _carried(probes, owners, b, n):
    """Probe n of body b: its arm from the centre in m, and its velocity as the body carries it."""
    e, v, w = probes.extent[b], owners.velocity[b], owners.spin[b]
    ax, ay, az = rotate(
        owners.rotation[b],
        e[0] if n & 1 else -e[0],
        e[1] if n & 2 else -e[1],
        e[2] if n & 4 else -e[2],
    )
    return (
        ax,
        ay,
        az,
        v[0] + w[1] * az - w[2] * ay,
        v[1] + w[2] * ax - w[0] * az,
        v[2] + w[0] * ay - w[1] * ax,
    )


@kernel
def place_probes(probes, owners, h):
    """Put the probes where the bodies are, with x* as rigid bodies move in h seconds."""
    for b in range(probes.extent.shape[0]):
        for n in range(PROBES):
            i = PROBES * b + n
            ax, ay, az, vx, vy, vz = _carried(probes, owners, b, n)
            probes.x[i, 0] = owners.position[b, 0] + ax
            probes.x[i, 1] = owners.position[b, 1] + ay
            probes.x[i, 2] = owners.position[b, 2] + az
            probes.previous[i, 0] = probes.x[i, 0] - h * vx
            probes.previous[i, 1] = probes.x[i, 1] - h * vy
            probes.previous[i, 2] = probes.x[i, 2] - h * vz
            probes.inverse_mass[i] = 0.0 if owners.driven[b] == 1 else 1.0 / probes.mass[i]


@kernel
def gather_forces(probes, owners, force, torque):
    """Sum what acts on the probes to force (b, 3) N and torque (b, 3) N·m of the bodies."""
    for b in range(probes.extent.shape[0]):
        for k in range(3):
            force[b, k] = 0.0
            torque[b, k] = 0.0
        for n in range(PROBES):
            i = PROBES * b + n
            rx = probes.x[i, 0] - owners.position[b, 0]
            ry = probes.x[i, 1] - owners.position[b, 1]
            rz = probes.x[i, 2] - owners.position[b, 2]
            fx, fy, fz = probes.force[i, 0], probes.force[i, 1], probes.force[i, 2]
            force[b, 0] += fx
            force[b, 1] += fy
            force[b, 2] += fz
            torque[b, 0] += ry * fz - rz * fy
            torque[b, 1] += rz * fx - rx * fz
            torque[b, 2] += rx * fy - ry * fx


@kernel
def take_kicks(probes, owners, wait, h):
    """Give bodies the speed and spin that `field.kick` gave their probes ``wait`` s from now.

    Place and rotation are set back by as much as they would gain until then. Each probe's speed
    is what its x − x* has gained.
    """
    for b in range(probes.extent.shape[0]):
        if owners.inverse_mass[b] == 0.0:
            continue
        w = owners.spin[b]
        vx = vy = vz = 0.0
        lx = ly = lz = 0.0
        for n in range(PROBES):
            i = PROBES * b + n
            ax, ay, az, gx, gy, gz = _carried(probes, owners, b, n)
            ux = (probes.x[i, 0] - probes.previous[i, 0]) / h - gx
            uy = (probes.x[i, 1] - probes.previous[i, 1]) / h - gy
            uz = (probes.x[i, 2] - probes.previous[i, 2]) / h - gz
            vx += ux / PROBES
            vy += uy / PROBES
            vz += uz / PROBES
            m = probes.mass[i]
            lx += m * (ay * uz - az * uy)
            ly += m * (az * ux - ax * uz)
            lz += m * (ax * uy - ay * ux)
        if math.sqrt(vx * vx + vy * vy + vz * vz + lx * lx + ly * ly + lz * lz) == 0.0:
            continue
        wx, wy, wz = w[0], w[1], w[2]
        write_momentum(owners, b)
        owners.momentum[b, 0] += lx
        owners.momentum[b, 1] += ly
        owners.momentum[b, 2] += lz
        write_spin(owners, b)
        owners.velocity[b, 0] += vx
        owners.velocity[b, 1] += vy
        owners.velocity[b, 2] += vz
        owners.position[b, 0] -= wait * vx
        owners.position[b, 1] -= wait * vy
        owners.position[b, 2] -= wait * vz
        turn_by(
            owners.orientation[b],
            -wait * (owners.spin[b, 0] - wx),
            -wait * (owners.spin[b, 1] - wy),
            -wait * (owners.spin[b, 2] - wz),
        )
