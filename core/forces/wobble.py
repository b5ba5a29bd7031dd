"""Damping of what deforms, not of what moves: a = −c (v − v₀ − ω × r), and dry friction.

Müller, Heidelberger, Hennix, Ratcliff 2007, "Position Based Dynamics", §3.5: the velocities are
compared with those of a rigid body of the same momentum and angular momentum, so that a body that
flies or spins is not held up, and both are kept.

Both act on the ways of each step: a force that is held for some steps has a torque as soon as what
it acts on has moved. Dry friction holds what would begin to move slowly enough. It comes at the end
of a step, when contacts and sticks have made up their mind: before, it would fight with them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..angular_momentum import NO_INERTIA, add_inertia, solve_inertia, turned_way
from ..arrays import Floats, Ints
from ..elementary import exp
from ..kernels.jit import inline, kernel
from ..model.force import Acting
from ..records import Particles
from ..vec3 import ZERO, along, cross, divide, dot, load, shift, sub


@dataclass(frozen=True, eq=False)
class WobbleDamping:
    """The damping of one object's deformation."""

    object: int
    particles: Ints  # (k,)
    rate: float  # c, 1/s
    dry: float = 0.0  # m/s², by which joint friction slows it however slow it is

    def apply(self, acting: Acting) -> None:
        """Nothing that would be held from step to step."""

    def slow(self, particles: Particles, mass: Floats, h: float) -> None:
        """Slow all motion of one step of h s but that of a rigid body, in x, in place."""
        if self.rate > 0.0:
            slow_wobble(particles, mass, self.particles, self.rate * h, 0.0)

    def settle(self, particles: Particles, mass: Floats, h: float) -> None:
        """Take the dry friction of one step of h s off x, in place."""
        if self.dry > 0.0:
            slow_wobble(particles, mass, self.particles, 0.0, self.dry * h * h)


@inline
def _way_of_its_own(x, previous, i, centre, mean, turn):
    """The way (m) of particle i in this step but for that of the rigid body.

    centre: of mass; mean: its way; turn: of the rigid body about it, rad.
    """
    way = sub(sub(load(x, i), load(previous, i)), mean)
    return sub(way, turned_way(turn, previous, i, centre))


@kernel
def slow_wobble(particles, mass, rows, decay, most):
    """Shorten all ways of this step but those of a rigid body: by e^−decay, and by most m.

    rows (k,): the particles of one object. ``most`` is taken off the root mean square: shared out
    as the ways are, it keeps both momenta.
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
    if not 0.0 < size < math.inf:
        return  # still, or blown up: the check at the end of the frame says so
    share = 1.0 - exp(-decay) * (1.0 - min(1.0, most / size))
    for n in range(rows.shape[0]):
        i = rows[n]
        if inverse_mass[i] > 0.0:
            shift(x, i, -share, _way_of_its_own(x, previous, i, centre, mean, turn))
