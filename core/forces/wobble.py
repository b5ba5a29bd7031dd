"""Damping of what deforms, not of what moves, and dry friction: on the ways of each step.

Müller, Heidelberger, Hennix, Ratcliff 2007, "Position Based Dynamics", §3.5: the ways of particles
are compared with those of a rigid body of the same momentum and angular momentum, so that a body
that flies or spins is not held up, and both are kept; what is left of them decays as e^(−c t).

Dry friction holds what would begin to move slowly enough. Both are applied to places at the end of
a step, when contacts and sticks have made up their mind: before, they would fight with them. (A
force that is held for some steps has a torque as soon as the body has turned.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..angular_momentum import NO_INERTIA, add_inertia, solve_inertia
from ..arrays import Floats, Ints
from ..kernels.jit import inline, kernel
from ..records import Particles
from ..vec3 import ZERO, along, cross, divide, dot, load, shift, sub


@dataclass(frozen=True, eq=False)
class WobbleDamping:
    """The damping of one object's deformation."""

    object: int
    particles: Ints  # (k,)
    rate: float  # c, 1/s
    dry: float = 0.0  # m/s², by which joint friction slows it however slow it is

    def settle(self, moving: Particles, mass: Floats, h: float) -> None:
        """Take what one step of h s damps, and its dry friction, off x, in place."""
        keep = math.exp(-self.rate * h)
        rub(moving, mass, self.particles, keep, self.dry * h * h)


@inline
def _way_of_its_own(x, previous, i, centre, mean, turn):
    """The way (m) of particle i in this step but for that of the rigid body.

    centre: of mass; mean: its way; turn: of the rigid body about it, rad.
    """
    way = sub(sub(load(x, i), load(previous, i)), mean)
    return sub(way, cross(turn, sub(load(previous, i), centre)))


@kernel
def rub(particles, mass, rows, keep, most):
    """Keep a share of all ways of this step but those of a rigid body, less ``most`` m in the mean.

    The root mean square is shortened: shared out as the ways are, it keeps both momenta.
    """
    x, previous, inverse_mass = particles
    total = 0.0
    centre, mean = ZERO, ZERO
    for n in range(rows.shape[0]):
        i = rows[n]
        m = mass[i]
        total += m
        centre = along(centre, m, load(previous, i))
        mean = along(mean, m, sub(load(x, i), load(previous, i)))
    centre, mean = divide(centre, total), divide(mean, total)
    inertia = NO_INERTIA
    momentum = ZERO
    for n in range(rows.shape[0]):
        i = rows[n]
        m = mass[i]
        r = sub(load(previous, i), centre)
        inertia = add_inertia(inertia, m, r)
        way = sub(sub(load(x, i), load(previous, i)), mean)
        momentum = along(momentum, m, cross(r, way))
    turn = solve_inertia(inertia, momentum)
    square = 0.0
    for n in range(rows.shape[0]):
        i = rows[n]
        way = _way_of_its_own(x, previous, i, centre, mean, turn)
        square += mass[i] * dot(way, way)
    size = math.sqrt(square / total)
    if not size > 0.0:
        return
    share = min(1.0, 1.0 - keep + most / size)
    for n in range(rows.shape[0]):
        i = rows[n]
        if inverse_mass[i] > 0.0:
            shift(x, i, -share, _way_of_its_own(x, previous, i, centre, mean, turn))
