"""Particles tied to places on rigid bodies: rope ends, cloth corners, vertices of soft bodies.

A point a = Σ cᵢ xᵢ of particles is to be where a place b on a body gets to in this step, by
b = X + r + h (v + ω × r). With d = a − b, an impulse λ/h on the body and −λ/h on the particles,

    (Σ wᵢ cᵢ² 1 + 1/m 1 + [r]ᵀ I⁻¹ [r]) λ = d,      xᵢ −= wᵢ cᵢ λ,

both give each other what they lose (Müller et al. 2020, eq. 2–7, for a vector at once). The impulse
acts where x* has the point, as all that keeps the angular momentum of position Verlet does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..jit import kernel
from ..vector import rotation_matrix
from .point_mobility import impulse_for, turn_mobility

APART = 0.2
"""Share of the arm that point and place may be apart for the impulse to act at the point."""

if TYPE_CHECKING:
    from ..model import Floats, Ints
    from .base import Moving


HOLDS = 0.5
"""`AnimatedSettings.pin` from which on ties hold: there is no half a tie."""


@dataclass(frozen=True, eq=False)
class Attachments:
    """a ties between points of one object's particles and places on bodies."""

    object: int
    body: Ints  # (a,)
    anchor: Floats  # (a, 3) m, in the bodies' frames
    particle: Ints  # (a, k)
    weight: Floats  # (a, k) cᵢ, 1 in sum

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

    def project(self, moving: Moving, multiplier: Floats) -> None:
        """Bring points and places together, in place; nothing while the object is let go."""
        if moving.animated[self.object].pin < HOLDS:
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
        )


@kernel
def project_attachments(x, previous, inverse_mass, owners, h, body, anchor, particle, weight):
    """One pass over all ties."""
    for n in range(body.shape[0]):
        o = body[n]
        m = owners.inverse_mass[o]
        t, i = owners.rotation[o], owners.inverse_inertia[o]
        v, s = owners.velocity[o], owners.spin[o]
        ax, ay, az = anchor[n, 0], anchor[n, 1], anchor[n, 2]
        rx = t[0, 0] * ax + t[0, 1] * ay + t[0, 2] * az
        ry = t[1, 0] * ax + t[1, 1] * ay + t[1, 2] * az
        rz = t[2, 0] * ax + t[2, 1] * ay + t[2, 2] * az
        dx = -(owners.position[o, 0] + rx + h * (v[0] + s[1] * rz - s[2] * ry))
        dy = -(owners.position[o, 1] + ry + h * (v[1] + s[2] * rx - s[0] * rz))
        dz = -(owners.position[o, 2] + rz + h * (v[2] + s[0] * ry - s[1] * rx))
        w = m
        ux = uy = uz = 0.0
        for k in range(particle.shape[1]):
            p, c = particle[n, k], weight[n, k]
            ux += c * previous[p, 0]
            uy += c * previous[p, 1]
            uz += c * previous[p, 2]
            dx += c * x[p, 0]
            dy += c * x[p, 1]
            dz += c * x[p, 2]
            w += inverse_mass[p] * c * c
        if w == 0.0:
            continue
        ux -= owners.position[o, 0]
        uy -= owners.position[o, 1]
        uz -= owners.position[o, 2]
        apart = (ux - rx) ** 2 + (uy - ry) ** 2 + (uz - rz) ** 2
        if apart < APART**2 * (rx * rx + ry * ry + rz * rz):
            rx, ry, rz = ux, uy, uz
        a00, a01, a02, a11, a12, a22 = turn_mobility(i, rx, ry, rz)
        px, py, pz = impulse_for(w + a00, a01, a02, w + a11, a12, w + a22, dx, dy, dz)
        for k in range(particle.shape[1]):
            p = particle[n, k]
            c = inverse_mass[p] * weight[n, k]
            x[p, 0] -= c * px
            x[p, 1] -= c * py
            x[p, 2] -= c * pz
        if m == 0.0:
            continue
        px, py, pz = px / h, py / h, pz / h
        v[0] += m * px
        v[1] += m * py
        v[2] += m * pz
        tx, ty, tz = ry * pz - rz * py, rz * px - rx * pz, rx * py - ry * px
        for k in range(3):
            s[k] += i[k, 0] * tx + i[k, 1] * ty + i[k, 2] * tz
