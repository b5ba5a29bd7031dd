"""Particles tied to places on rigid bodies: rope ends, cloth corners, vertices of soft bodies.

A point a = Σ cᵢ xᵢ of particles is to be where a place b on a body gets to in this step, by
b = X + r + h (v + ω × r). With d = a − b, an impulse λ/h on the body and −λ/h on the particles,

    (Σ wᵢ cᵢ² 1 + 1/m 1 + [r]ᵀ I⁻¹ [r]) λ = d,      xᵢ −= wᵢ cᵢ λ,

both give each other what they lose (Müller et al. 2020, eq. 2–7, for a vector at once). The impulse
acts where x* has the point, as all that keeps the angular momentum of position Verlet does.

When the body has got to its place at the end of the step, contacts and joints have had their say:
then the points follow it there (`place_attachments`), and the body gets what that takes.
"""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..kernels.jit import inline, kernel, lean_inline
from ..vec3 import ZERO, along, divide, dot, load, move, rotate, scale, shift, sub
from ..vector import rotated, rotation_matrix
from .body_point import impel, impulse_for, place_ahead, turn_mobility

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..arrays import Floats, Ints
    from ..model.constraint import Moving
    from ..records import Particles
    from ..rigid.owners import Owners
    from ..settings import AnimatedSettings

POINT_APART = 0.2
"""Share of the arm that point and place may be apart for the impulse to act at the point."""


WeightedPoints = namedtuple("WeightedPoints", ["particle", "weight"])
"""Points Σ cᵢ xᵢ, one a row: particles (a, k) and cᵢ (a, k)."""


@dataclass(frozen=True, eq=False)
class Attachments:
    """a ties between points of one object's particles and places on bodies."""

    object: int
    body: Ints  # (a,)
    anchor: Floats  # (a, 3) m, in the bodies' frames
    particle: Ints  # (a, k)
    weight: Floats  # (a, k) cᵢ, 1 in sum
    number: int = -1  # by which inputs may let go of them

    @cached_property
    def ends(self) -> WeightedPoints:
        """The points that are tied, as kernels get them."""
        return WeightedPoints(self.particle, self.weight)

    @property
    def particles(self) -> Ints:
        """Every particle that is tied."""
        return self.particle

    @property
    def multiplier_count(self) -> int:
        """None: a tie is stiff."""
        return 0

    def places(self, position: Floats, orientation: Floats) -> Floats:
        """Where (a, 3) m bodies at position (b, 3) m and orientation (b, 4) hold their points."""
        places = position[self.body]
        for row in np.unique(self.body):
            held = self.body == row
            places[held] += rotated(self.anchor[held], rotation_matrix(orientation[row]))
        return places

    def holds(self, animated: Sequence[AnimatedSettings]) -> bool:
        """Whether the object is not let go; animated: one for each of `Model.objects`."""
        return animated[self.object].holds(self.number)

    def project(self, moving: Moving, multiplier: Floats) -> None:
        """Bring points and places together, in place; nothing while the object is let go."""
        if not self.holds(moving.animated):
            return
        project_attachments(
            moving.particles,
            moving.owners,
            moving.h,
            self.body,
            self.anchor,
            self.ends,
            moving.push,
        )

    def place(self, particles: Particles, owners: Owners, h: float, push: Floats) -> None:
        """Points to their places on bodies that have moved, see `Tying`."""
        place_attachments(particles, owners, h, self.body, self.anchor, self.ends, push)


@lean_inline
def _gather(x, inverse_mass, ends, n):
    """Σ cᵢ xᵢ of tie n and its inverse mass Σ wᵢ cᵢ²."""
    p = ZERO
    w = 0.0
    for k in range(ends.particle.shape[1]):
        i, c = ends.particle[n, k], ends.weight[n, k]
        p = along(p, c, load(x, i))
        w += inverse_mass[i] * c * c
    return p, w


@inline
def _lever(r, u):
    """Where the impulse acts: u, which x* says, if it is near the arm r."""
    d = sub(u, r)
    if d[0] ** 2 + d[1] ** 2 + d[2] ** 2 < POINT_APART**2 * dot(r, r):
        return u
    return r


@lean_inline
def _exchange(particles, owners, h, o, ends, n, p, r, push):
    """Move the points of tie n by −p (kg·m), and give its body the impulse p/h at the arm r."""
    for k in range(ends.particle.shape[1]):
        i = ends.particle[n, k]
        shift(particles.x, i, -(particles.inverse_mass[i] * ends.weight[n, k]), p)
    impulse = divide(p, h)
    move(push, o, impulse)
    if owners.inverse_mass[o] > 0.0:
        impel(owners, o, r, impulse)


@kernel
def project_attachments(particles, owners, h, body, anchor, ends, push):
    """One pass over all ties; push (b, 3) N·s gets what bodies get, sleepers too."""
    x, previous, inverse_mass = particles
    for n in range(body.shape[0]):
        o = body[n]
        r = rotate(owners.rotation[o], load(anchor, n))
        point, w = _gather(x, inverse_mass, ends, n)
        w += owners.inverse_mass[o]
        if w == 0.0:
            continue
        d = sub(point, place_ahead(owners, o, h, r))
        before, _ = _gather(previous, inverse_mass, ends, n)
        r = _lever(r, sub(before, load(owners.position, o)))
        xx, yy, zz, xy, xz, yz = turn_mobility(owners.inverse_inertia[o], r)
        p = impulse_for((w + xx, w + yy, w + zz, xy, xz, yz), d)
        _exchange(particles, owners, h, o, ends, n, p, r, push)


@kernel
def place_attachments(particles, owners, h, body, anchor, ends, push):
    """Points to their places on bodies that have moved; push (b, 3) N·s as above.

    The body yields by what it gives, so that the centre of mass stays. Points follow only as far as
    it is the heavier one: what a heavy point takes would throw a light body. The impulse acts where
    x* has the point, seen from where the body was then.
    """
    x, previous, inverse_mass = particles
    for n in range(body.shape[0]):
        o = body[n]
        m, i = owners.inverse_mass[o], owners.inverse_inertia[o]
        at = load(owners.position, o)
        r = rotate(owners.rotation[o], load(anchor, n))
        point, w = _gather(x, inverse_mass, ends, n)
        if w == 0.0:
            continue
        before, _ = _gather(previous, inverse_mass, ends, n)
        u = sub(before, along(at, -h, load(owners.velocity, o)))
        most = m + (i[0, 0] + i[1, 1] + i[2, 2]) * dot(r, r)
        f = 1.0 / w if w >= most else 1.0 / most
        p = scale(f, sub(sub(point, at), r))
        _exchange(particles, owners, h, o, ends, n, p, _lever(r, u), push)
        shift(owners.position, o, m, p)
