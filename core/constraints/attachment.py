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

from ..jit import kernel
from ..vector import rotation_matrix
from .point_mobility import impulse_for, turn_mobility

APART = 0.2
"""Share of the arm that point and place may be apart for the impulse to act at the point."""

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model import Floats, Ints
    from ..settings import AnimatedSettings
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
        own = animated[self.object]
        return own.pin >= HOLDS and self.number not in own.loose

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


@kernel
def project_attachments(x, previous, inverse_mass, owners, h, body, anchor, particle, weight, push):
    """One pass over all ties; push (b, 3) N·s gets what bodies get, sleepers too."""
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
        px, py, pz = px / h, py / h, pz / h
        push[o, 0] += px
        push[o, 1] += py
        push[o, 2] += pz
        if m == 0.0:
            continue
        v[0] += m * px
        v[1] += m * py
        v[2] += m * pz
        tx, ty, tz = ry * pz - rz * py, rz * px - rx * pz, rx * py - ry * px
        for k in range(3):
            s[k] += i[k, 0] * tx + i[k, 1] * ty + i[k, 2] * tz


@kernel
def place_attachments(x, previous, inverse_mass, owners, h, body, anchor, particle, weight, push):
    """Points to their places on bodies that have moved; push (b, 3) N·s as above.

    The body yields by what it gives, so that the centre of mass stays. Points follow only as far as
    it is the heavier one: what a heavy point takes would throw a light body. The impulse acts where
    x* has the point, seen from where the body was then.
    """
    for n in range(body.shape[0]):
        o = body[n]
        r, i = owners.rotation[o], owners.inverse_inertia[o]
        ax, ay, az = anchor[n, 0], anchor[n, 1], anchor[n, 2]
        rx = r[0, 0] * ax + r[0, 1] * ay + r[0, 2] * az
        ry = r[1, 0] * ax + r[1, 1] * ay + r[1, 2] * az
        rz = r[2, 0] * ax + r[2, 1] * ay + r[2, 2] * az
        dx = owners.position[o, 0] + rx
        dy = owners.position[o, 1] + ry
        dz = owners.position[o, 2] + rz
        v = owners.velocity[o]
        ux = h * v[0] - owners.position[o, 0]
        uy = h * v[1] - owners.position[o, 1]
        uz = h * v[2] - owners.position[o, 2]
        w = 0.0
        for k in range(particle.shape[1]):
            p, c = particle[n, k], weight[n, k]
            dx -= c * x[p, 0]
            dy -= c * x[p, 1]
            dz -= c * x[p, 2]
            ux += c * previous[p, 0]
            uy += c * previous[p, 1]
            uz += c * previous[p, 2]
            w += inverse_mass[p] * c * c
        if w == 0.0:
            continue
        m = owners.inverse_mass[o]
        most = m + (i[0, 0] + i[1, 1] + i[2, 2]) * (rx * rx + ry * ry + rz * rz)
        share = 1.0 if w >= most else w / most
        apart = (ux - rx) ** 2 + (uy - ry) ** 2 + (uz - rz) ** 2
        if apart < APART**2 * (rx * rx + ry * ry + rz * rz):
            rx, ry, rz = ux, uy, uz
        dx, dy, dz = share * dx / w, share * dy / w, share * dz / w
        for k in range(particle.shape[1]):
            p = particle[n, k]
            c = inverse_mass[p] * weight[n, k]
            x[p, 0] += c * dx
            x[p, 1] += c * dy
            x[p, 2] += c * dz
        dx, dy, dz = dx / h, dy / h, dz / h
        push[o, 0] -= dx
        push[o, 1] -= dy
        push[o, 2] -= dz
        if m == 0.0:
            continue
        v[0] -= m * dx
        v[1] -= m * dy
        v[2] -= m * dz
        owners.position[o, 0] -= h * m * dx
        owners.position[o, 1] -= h * m * dy
        owners.position[o, 2] -= h * m * dz
        tx, ty, tz = ry * dz - rz * dy, rz * dx - rx * dz, rx * dy - ry * dx
        for k in range(3):
            owners.spin[o, k] -= i[k, 0] * tx + i[k, 1] * ty + i[k, 2] * tz
