"""Damping of what deforms, not of what moves: F = −c m (v − v₀ − ω × r), and dry friction.

Müller, Heidelberger, Hennix, Ratcliff 2007, "Position Based Dynamics", §3.5: the velocities are
compared with those of a rigid body of the same momentum and angular momentum, so that a body that
flies or spins is not held up, and both are kept.

Dry friction holds what would begin to move slowly enough. It is applied to places at the end of a
step, when contacts and sticks have made up their mind: before, it would fight with them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..angular_momentum import NO_INERTIA, add_inertia, solve_inertia
from ..arrays import Floats, Ints
from ..kernels.jit import inline, kernel
from ..records import Particles
from ..vec3 import ZERO, along, cross, divide, dot, load, shift, sub
from .base import Acting


@dataclass(frozen=True, eq=False)
class WobbleDamping:
    """The damping of one object's deformation."""

    object: int
    particles: Ints  # (k,)
    rate: float  # c, 1/s
    dry: float = 0.0  # m/s², by which joint friction slows it however slow it is

    def apply(self, acting: Acting) -> None:
        """Slow all motion but that of a rigid body, so that what is left decays as e^(−c t)."""
        slow_wobble(
            acting.x,
            acting.velocity,
            acting.mass,
            self.particles,
            self.rate,
            acting.hold,
            acting.force,
        )

    def settle(self, particles: Particles, mass: Floats, h: float) -> None:
        """Take the dry friction of one step of h s off x, in place."""
        if self.dry > 0.0:
            rub(particles, mass, self.particles, self.dry * h * h)


@kernel
def slow_wobble(x, velocity, mass, rows, rate, hold, force):
    """Add to force (n, 3) N what takes e^(−c t) off the velocities in ``hold`` s; rate: c, 1/s.

    rows (k,): the particles of one object.
    """
    total = 0.0
    centre, mean = ZERO, ZERO
    for n in range(rows.shape[0]):
        i = rows[n]
        total += mass[i]
        centre = along(centre, mass[i], load(x, i))
        mean = along(mean, mass[i], load(velocity, i))
    centre, mean = divide(centre, total), divide(mean, total)
    inertia = NO_INERTIA
    momentum = ZERO
    for n in range(rows.shape[0]):
        i = rows[n]
        r = sub(load(x, i), centre)
        inertia = add_inertia(inertia, mass[i], r)
        momentum = along(momentum, mass[i], cross(r, sub(load(velocity, i), mean)))
    spin = solve_inertia(inertia, momentum)
    if not dot(spin, spin) + dot(mean, mean) < math.inf:
        return  # blown up: the check at the end of the frame says so
    share = (1.0 - math.exp(-rate * hold)) / hold
    for n in range(rows.shape[0]):
        i = rows[n]
        relative = sub(sub(load(velocity, i), mean), cross(spin, sub(load(x, i), centre)))
        shift(force, i, -share * mass[i], relative)


@inline
def _way_of_its_own(x, previous, i, centre, mean, turn):
    """The way (m) of particle i in this step but for that of the rigid body.

    centre: of mass; mean: its way; turn: of the rigid body about it, rad.
    """
    way = sub(sub(load(x, i), load(previous, i)), mean)
    return sub(way, cross(turn, sub(load(previous, i), centre)))


@kernel
def rub(particles, mass, rows, most):
    """Shorten all ways of this step but those of a rigid body, by ``most`` m in the mean.

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
    share = min(1.0, most / size)
    for n in range(rows.shape[0]):
        i = rows[n]
        if inverse_mass[i] > 0.0:
            shift(x, i, -share, _way_of_its_own(x, previous, i, centre, mean, turn))
