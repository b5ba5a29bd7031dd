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
from typing import TYPE_CHECKING

from ...coupling.body_point import impel, impulse_for, place_ahead, turn_mobility
from ...errors import ModelError
from ...kernels.jit import inline, kernel
from ...vec3 import (
    ZERO,
    add,
    along,
    cross,
    divide,
    dot,
    length,
    load,
    rotate,
    scale,
    sub,
    symmetric_times,
    vec,
)
from .four_particles import CORNER_SIGNS, move_particle_body

if TYPE_CHECKING:
    from ...arrays import Floats
    from ...settings import JointSettings

POINT_JOINT_KINDS = ("BALL", "HINGE", "FIXED", "DISTANCE")
"""Joints that shared places make."""


def why_not(settings: JointSettings) -> str:
    """What of a joint bodies of particles cannot do; "" for nothing."""
    if settings.kind not in POINT_JOINT_KINDS:
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
    """Σ cᵢ xᵢ of four particles, m."""
    p = ZERO
    for k in range(4):
        p = along(p, weight[k], load(x, first + k))
    return p


@inline
def _arm(previous, owners, point, side):
    """From an owner's centre to a place on it at the start of the step, m."""
    o, first = point["owner"][side], point["first_particle"][side]
    if first >= 0:
        return sub(_weighted(previous, first, point["weight"][side]), load(owners.position, o))
    return rotate(owners.rotation[o], vec(point["anchor"][side]))


@inline
def _place(x, owners, h, point, side, r):
    """Where a place gets to in this step, m."""
    first = point["first_particle"][side]
    if first >= 0:
        return _weighted(x, first, point["weight"][side])
    return place_ahead(owners, point["owner"][side], h, r)


@inline
def _inverse_mass(particles, owners, point, side):
    """Of the owner, 1/kg."""
    first = point["first_particle"][side]
    if first >= 0:
        return 0.25 * particles.inverse_mass[first]
    return owners.inverse_mass[point["owner"][side]]


@inline
def _push(particles, owners, h, point, side, r, p):
    """An impulse p in kg·m on an owner, at the end of the arm r."""
    o, first = point["owner"][side], point["first_particle"][side]
    if first < 0:
        impel(owners, o, r, divide(p, h))
        return
    turn = rotate(owners.inverse_inertia[o], cross(r, p))
    move_particle_body(particles, first, owners, o, p, turn)


@kernel
def project_shared_points(particles, owners, h, points):
    """One pass over all shared places; returns the largest gap that it found in m."""
    x, previous, _ = particles
    largest = 0.0
    for n in range(points.shape[0]):
        point = points[n]
        a, b = point["owner"][0], point["owner"][1]
        r = _arm(previous, owners, point, 0)
        s = _arm(previous, owners, point, 1)
        d = sub(_place(x, owners, h, point, 0, r), _place(x, owners, h, point, 1, s))
        w = _inverse_mass(particles, owners, point, 0) + _inverse_mass(particles, owners, point, 1)
        if w == 0.0:
            continue
        # how far b* is from a*, at the start of the step
        e = sub(sub(add(load(owners.position, a), r), load(owners.position, b)), s)
        if point["length"] < 0.0:  # both sides are pushed at the point halfway between them
            r, s = along(r, -0.5, e), along(s, 0.5, e)
        ka = turn_mobility(owners.inverse_inertia[a], r)
        kb = turn_mobility(owners.inverse_inertia[b], s)
        diagonal = add((w + ka[0], w + ka[1], w + ka[2]), (kb[0], kb[1], kb[2]))
        k = diagonal + (ka[3] + kb[3], ka[4] + kb[4], ka[5] + kb[5])
        if point["length"] < 0.0:
            largest = max(largest, length(d))
            p = impulse_for(k, d)
        else:  # along the rope one step ago, which keeps angular momentum
            size = length(e)
            if size == 0.0:
                continue
            e = divide(e, size)
            beyond = dot(d, e) - point["length"]
            if beyond <= 0.0:
                continue
            largest = max(largest, beyond)
            p = scale(beyond / dot(e, symmetric_times(k, e)), e)
        _push(particles, owners, h, point, 0, r, scale(-1.0, p))
        _push(particles, owners, h, point, 1, s, p)
    return largest
