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

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..jit import inline, lean_inline, lean_kernel
from ..vector import rotate, rotation_matrix
from .point_mobility import impel, impulse_for, place_ahead, turn_mobility

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model import Floats, Ints
    from ..settings import AnimatedSettings
    from .base import Moving

APART = 0.2
"""Share of the arm that point and place may be apart for the impulse to act at the point."""


@dataclass(frozen=True, eq=False)
class Attachments:
    """a ties between points of one object's particles and places on bodies."""

    object: int
    body: Ints  # (a,)
    anchor: Floats  # (a, 3) m, in the bodies' frames
    particle: Ints  # (a, k)
    weight: Floats  # (a, k) cᵢ, 1 in sum
    number: int = -1  # by which inputs may let go of them

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
            places[held] += self.anchor[held] @ rotation_matrix(orientation[row]).T
        return places

    def holds(self, animated: Sequence[AnimatedSettings]) -> bool:
        """Whether the object is not let go; animated: one for each of `Model.objects`."""
        return animated[self.object].holds(self.number)

    def project(self, moving: Moving, multiplier: Floats) -> None:
        """Bring points and places together, in place; nothing while the object is let go."""
        if not self.holds(moving.animated):
            return
        project_attachments(
            moving.x,
            moving.previous,
            moving.inverse_mass,
            moving.owners,
            moving.h,
            self.body,
            self.anchor,
            self.particle,
            self.weight,
            moving.push,
        )


@lean_inline
def _gather(x, inverse_mass, particle, weight, n):
    """Σ cᵢ xᵢ of tie n, three numbers, and its inverse mass Σ wᵢ cᵢ²."""
    px = py = pz = w = 0.0
    for k in range(particle.shape[1]):
        p, c = particle[n, k], weight[n, k]
        px += c * x[p, 0]
        py += c * x[p, 1]
        pz += c * x[p, 2]
        w += inverse_mass[p] * c * c
    return px, py, pz, w


@inline
def _lever(rx, ry, rz, ux, uy, uz):
    """Where the impulse acts: u, which x* says, if it is near the arm r."""
    apart = (ux - rx) ** 2 + (uy - ry) ** 2 + (uz - rz) ** 2
    if apart < APART**2 * (rx * rx + ry * ry + rz * rz):
        return ux, uy, uz
    return rx, ry, rz


@lean_inline
def _exchange(x, inverse_mass, owners, h, o, particle, weight, n, px, py, pz, rx, ry, rz, push):
    """Move the points of tie n by −p (kg·m), and give its body the impulse p/h at the arm r."""
    for k in range(particle.shape[1]):
        q = particle[n, k]
        c = inverse_mass[q] * weight[n, k]
        x[q, 0] -= c * px
        x[q, 1] -= c * py
        x[q, 2] -= c * pz
    px, py, pz = px / h, py / h, pz / h
    push[o, 0] += px
    push[o, 1] += py
    push[o, 2] += pz
    if owners.inverse_mass[o] > 0.0:
        impel(owners, o, rx, ry, rz, px, py, pz)


@lean_kernel
def project_attachments(x, previous, inverse_mass, owners, h, body, anchor, particle, weight, push):
    """One pass over all ties; push (b, 3) N·s gets what bodies get, sleepers too."""
    for n in range(body.shape[0]):
        o = body[n]
        at, i = owners.position[o], owners.inverse_inertia[o]
        rx, ry, rz = rotate(owners.rotation[o], anchor[n, 0], anchor[n, 1], anchor[n, 2])
        dx, dy, dz, w = _gather(x, inverse_mass, particle, weight, n)
        w += owners.inverse_mass[o]
        if w == 0.0:
            continue
        bx, by, bz = place_ahead(owners, o, h, rx, ry, rz)
        dx, dy, dz = dx - bx, dy - by, dz - bz
        ux, uy, uz, _ = _gather(previous, inverse_mass, particle, weight, n)
        rx, ry, rz = _lever(rx, ry, rz, ux - at[0], uy - at[1], uz - at[2])
        a00, a01, a02, a11, a12, a22 = turn_mobility(i, rx, ry, rz)
        px, py, pz = impulse_for(w + a00, a01, a02, w + a11, a12, w + a22, dx, dy, dz)
        _exchange(x, inverse_mass, owners, h, o, particle, weight, n, px, py, pz, rx, ry, rz, push)


@lean_kernel
def place_attachments(x, previous, inverse_mass, owners, h, body, anchor, particle, weight, push):
    """Points to their places on bodies that have moved; push (b, 3) N·s as above.

    The body yields by what it gives, so that the centre of mass stays. Points follow only as far as
    it is the heavier one: what a heavy point takes would throw a light body. The impulse acts where
    x* has the point, seen from where the body was then.
    """
    for n in range(body.shape[0]):
        o = body[n]
        m, i = owners.inverse_mass[o], owners.inverse_inertia[o]
        v, at = owners.velocity[o], owners.position[o]
        rx, ry, rz = rotate(owners.rotation[o], anchor[n, 0], anchor[n, 1], anchor[n, 2])
        px, py, pz, w = _gather(x, inverse_mass, particle, weight, n)
        if w == 0.0:
            continue
        ux, uy, uz, _ = _gather(previous, inverse_mass, particle, weight, n)
        ux, uy, uz = ux - (at[0] - h * v[0]), uy - (at[1] - h * v[1]), uz - (at[2] - h * v[2])
        most = m + (i[0, 0] + i[1, 1] + i[2, 2]) * (rx * rx + ry * ry + rz * rz)
        f = 1.0 / w if w >= most else 1.0 / most
        px, py, pz = f * (px - at[0] - rx), f * (py - at[1] - ry), f * (pz - at[2] - rz)
        rx, ry, rz = _lever(rx, ry, rz, ux, uy, uz)
        _exchange(x, inverse_mass, owners, h, o, particle, weight, n, px, py, pz, rx, ry, rz, push)
        at[0] += m * px
        at[1] += m * py
        at[2] += m * pz
