"""Joints of bodies of particles: places that two bodies share (Jakobsen §6).

One shared place is a ball joint, two are a hinge, three hold fast; a rope keeps two places within a
length. Jakobsen lets two bodies share a particle; here they share a place, which is a weighted sum
of the four particles of a body of particles, or a place on a body, a collider or the world. With
d = a − b the distance of the two at the end of the step, the impulse λ/h follows from

    (K_a + K_b) λ = d,      K = 1/m 1 + [r]ᵀ I⁻¹ [r],

and moves each as the rigid body that it is. Arms lead to the point halfway between the two at the
start of the step, where x* has them, so what one gains in linear and angular momentum the other
loses (as SHAKE does for sticks).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..bodies import CORNER_SIGNS, move_particle_body
from ..errors import ModelError
from ..jit import inline, kernel
from ..vector import cross, rotate
from .point_mobility import impel, impulse_for, place_ahead, turn_mobility

if TYPE_CHECKING:
    from ..model import Floats, Ints
    from ..settings import JointSettings

POINT = -1.0
"""In place of a rope's length: the two places are one."""

KINDS = ("BALL", "HINGE", "FIXED", "DISTANCE")
"""Joints that shared places make."""


@dataclass(frozen=True, eq=False)
class SharedPoints:
    """s places that two owners share, see `rigid.owners`; at least one is a body of particles."""

    name: tuple[str, ...]  # (s,) of the joint
    owner: Ints  # (s, 2)
    first_particle: Ints  # (s, 2) of a body of particles, -1 for other owners
    anchor: Floats  # (s, 2, 3) m, in the owners' frames
    weight: Floats  # (s, 2, 4) of the four particles, 1 in sum; 0 for other owners
    length: Floats  # (s,) m, of ropes; POINT for all else
    collides: Ints  # (s,) 1: the two owners collide with each other

    def __len__(self) -> int:
        return len(self.length)


def why_not(settings: JointSettings) -> str:
    """What of a joint bodies of particles cannot do; "" for nothing."""
    if settings.kind not in KINDS:
        return f"no {settings.kind.replace('_', ' ').title()} joint"
    for is_asked, what in (
        (settings.is_limited and settings.kind == "HINGE", "no limits"),
        (settings.motor != "NONE", "no motor"),
        (settings.friction > 0.0, "no joint friction"),
        (settings.breaking_force > 0.0, "no breaking force"),
    ):
        if is_asked:
            return what
    return ""


def places_of(kind: str, place: Floats, axes: Floats, lever: float) -> list[Floats]:
    """Places (3,) m that a joint of this kind shares, lever m from its own place.

    axes (3, 3): columns are the joint's X, Y and Z.
    """
    x, y, z = axes.T
    if kind == "HINGE":
        return [place + lever * z, place - lever * z]
    if kind == "FIXED":
        turns = (0.0, 2.0 * math.pi / 3.0, 4.0 * math.pi / 3.0)
        return [place + lever * (math.cos(t) * x + math.sin(t) * y) for t in turns]
    return [place]


def weights_at(anchor: Floats, extent: Floats) -> Floats:
    """Weights (4,) of the particles of a body whose axes are extent (3,) m long, at an anchor."""
    weights: Floats = 0.25 * (1.0 + CORNER_SIGNS @ (anchor / extent))
    return weights


def shared_table(rows: list[dict[str, Any]]) -> SharedPoints:
    """The table of all shared places."""
    return SharedPoints(
        name=tuple(row["name"] for row in rows),
        owner=np.array([row["owner"] for row in rows], dtype=np.int32).reshape(-1, 2),
        first_particle=np.array([row["first"] for row in rows], dtype=np.int32).reshape(-1, 2),
        anchor=np.array([row["anchor"] for row in rows], dtype=np.float64).reshape(-1, 2, 3),
        weight=np.array([row["weight"] for row in rows], dtype=np.float64).reshape(-1, 2, 4),
        length=np.array([row["length"] for row in rows], dtype=np.float64),
        collides=np.array([row["collides"] for row in rows], dtype=np.int32),
    )


def check_shared(name: str, body: str, settings: JointSettings) -> None:
    """Raise `ModelError` for what a joint of the body of particles called ``body`` cannot do."""
    reason = why_not(settings)
    if reason:
        raise ModelError(
            name,
            f"{body} is made of particles, which know {reason}: set its Model to Quaternion, or "
            "make this a plain Ball, Hinge, Fixed or Rope joint",
        )


@inline
def _weighted(x, first, weight):
    """Σ cᵢ xᵢ of four particles (three numbers, m)."""
    px = py = pz = 0.0
    for k in range(4):
        px += weight[k] * x[first + k, 0]
        py += weight[k] * x[first + k, 1]
        pz += weight[k] * x[first + k, 2]
    return px, py, pz


@inline
def _arm(previous, owners, o, first, weight, anchor):
    """From an owner's centre to a place on it at the start of the step (three numbers, m)."""
    if first >= 0:
        px, py, pz = _weighted(previous, first, weight)
        return px - owners.position[o, 0], py - owners.position[o, 1], pz - owners.position[o, 2]
    return rotate(owners.rotation[o], anchor[0], anchor[1], anchor[2])


@inline
def _place(x, owners, h, o, first, weight, rx, ry, rz):
    """Where a place gets to in this step (three numbers, m)."""
    if first >= 0:
        return _weighted(x, first, weight)
    return place_ahead(owners, o, h, rx, ry, rz)


@inline
def _move(x, previous, inverse_mass, owners, h, o, first, rx, ry, rz, px, py, pz):
    """An impulse (px, py, pz) in kg·m on an owner, at the end of the arm r."""
    if first < 0:
        impel(owners, o, rx, ry, rz, px / h, py / h, pz / h)
        return
    tx, ty, tz = cross(rx, ry, rz, px, py, pz)
    ux, uy, uz = rotate(owners.inverse_inertia[o], tx, ty, tz)
    move_particle_body(x, previous, inverse_mass, first, owners, o, px, py, pz, ux, uy, uz)


@kernel
def project_shared_points(
    x, previous, inverse_mass, owners, h, owner, first_particle, anchor, weight, length
):
    """One pass over all shared places; returns the largest gap that it found in m."""
    largest = 0.0
    for n in range(owner.shape[0]):
        a, b = owner[n, 0], owner[n, 1]
        fa, fb = first_particle[n, 0], first_particle[n, 1]
        rx, ry, rz = _arm(previous, owners, a, fa, weight[n, 0], anchor[n, 0])
        sx, sy, sz = _arm(previous, owners, b, fb, weight[n, 1], anchor[n, 1])
        ax, ay, az = _place(x, owners, h, a, fa, weight[n, 0], rx, ry, rz)
        bx, by, bz = _place(x, owners, h, b, fb, weight[n, 1], sx, sy, sz)
        dx, dy, dz = ax - bx, ay - by, az - bz
        wa = 0.25 * inverse_mass[fa] if fa >= 0 else owners.inverse_mass[a]
        wb = 0.25 * inverse_mass[fb] if fb >= 0 else owners.inverse_mass[b]
        w = wa + wb
        if w == 0.0:
            continue
        # how far b* is from a*, at the start of the step
        ex = owners.position[a, 0] + rx - owners.position[b, 0] - sx
        ey = owners.position[a, 1] + ry - owners.position[b, 1] - sy
        ez = owners.position[a, 2] + rz - owners.position[b, 2] - sz
        if length[n] < 0.0:  # both sides are pushed at the point halfway between them
            rx, ry, rz = rx - 0.5 * ex, ry - 0.5 * ey, rz - 0.5 * ez
            sx, sy, sz = sx + 0.5 * ex, sy + 0.5 * ey, sz + 0.5 * ez
        a00, a01, a02, a11, a12, a22 = turn_mobility(owners.inverse_inertia[a], rx, ry, rz)
        b00, b01, b02, b11, b12, b22 = turn_mobility(owners.inverse_inertia[b], sx, sy, sz)
        a00, a01, a02 = w + a00 + b00, a01 + b01, a02 + b02
        a11, a12, a22 = w + a11 + b11, a12 + b12, w + a22 + b22
        if length[n] < 0.0:
            largest = max(largest, math.sqrt(dx * dx + dy * dy + dz * dz))
            px, py, pz = impulse_for(a00, a01, a02, a11, a12, a22, dx, dy, dz)
        else:  # along the rope one step ago, which keeps angular momentum
            size = math.sqrt(ex * ex + ey * ey + ez * ez)
            if size == 0.0:
                continue
            ex, ey, ez = ex / size, ey / size, ez / size
            beyond = dx * ex + dy * ey + dz * ez - length[n]
            if beyond <= 0.0:
                continue
            largest = max(largest, beyond)
            give = ex * (a00 * ex + a01 * ey + a02 * ez) + ey * (a01 * ex + a11 * ey + a12 * ez)
            give += ez * (a02 * ex + a12 * ey + a22 * ez)
            px, py, pz = beyond / give * ex, beyond / give * ey, beyond / give * ez
        _move(x, previous, inverse_mass, owners, h, a, fa, rx, ry, rz, -px, -py, -pz)
        _move(x, previous, inverse_mass, owners, h, b, fb, sx, sy, sz, px, py, pz)
    return largest
