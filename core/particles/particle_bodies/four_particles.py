"""Rigid bodies as four particles, held by six sticks or as a frame of three axes (Jakobsen §5).

The particles stand at (±ex, ±ey, ±ez) with an even number of minus signs, each a quarter of the
mass. Their second moments are m·ex², m·ey², m·ez² and their mixed moments vanish, so with
e = the radii of gyration along the principal axes they have exactly the body's mass, centre and
inertia tensor. Their mean is the frame's origin, their differences its axes, which are e long.
"""

from __future__ import annotations

import math

import numpy as np

from ...arrays import Floats
from ...errors import ModelError
from ...kernels.jit import inline, kernel
from ...model import Model, State
from ...model.particle_body_table import ParticleBodyTable
from ...vec3 import add_cross, inverse_symmetric, load, move, scale, sub
from ...vector import quaternion_of

BENT = 1e-2
"""Error of a body's frame from which it is made a rotation by force."""

TETRAHEDRON, AXIS_FRAME = range(2)
BODY_FORMS = {"TETRAHEDRON": TETRAHEDRON, "AXES": AXIS_FRAME}
"""What keeps the four particles rigid, by the name of the body's model."""

THINNEST_BODY = 0.1
"""Smallest gyration radius of a body held by sticks, relative to its largest.

The six sticks of a flatter tetrahedron lie almost in one plane and hold it only softly; such a
body gets the inertia of a thicker one.
"""

THINNEST_FRAME = 1e-3
"""The same of a frame of axes, which has the inertia of the body or is refused."""

CORNER_SIGNS = np.array([[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]])


def frame_extent(name: str, form: int, mass: float, moments: Floats) -> Floats:
    """Radii of gyration (3,) m along the principal axes, from the moments (3,) kg·m² about them.

    Raises `ModelError` for a frame of axes that is too thin to have these moments exactly.
    """
    # m·eᵢ² = (Iⱼ + Iₖ − Iᵢ)/2
    second = (0.5 * moments.sum() - moments) / mass
    extent: Floats = np.sqrt(np.maximum(second, 0.0))
    least = extent.max() * (THINNEST_BODY if form == TETRAHEDRON else THINNEST_FRAME)
    if form == TETRAHEDRON:
        return np.maximum(extent, least)
    if extent.min() < least:
        raise ModelError(
            name,
            f"is too thin for Model Axis Frame: its mass is spread by {1e3 * extent.min():.3g} mm "
            f"along one axis and {extent.max():.3g} m along another; thicken it, or set Model to "
            "Quaternion",
        )
    return extent


@inline
def corner_weights(weight, p, extent):
    """Write the four weights cᵢ, Σcᵢ = 1, of the point p (in the body's frame) into weight (4,).

    p = Σ cᵢ xᵢ for every place of the body (Jakobsen §5, "embedding"); extent (3,) in m.
    """
    u, v, t = p[0] / extent[0], p[1] / extent[1], p[2] / extent[2]
    weight[0] = 0.25 * (1.0 + u + v + t)
    weight[1] = 0.25 * (1.0 + u - v - t)
    weight[2] = 0.25 * (1.0 - u + v - t)
    weight[3] = 0.25 * (1.0 - u - v + t)


@inline
def _make_rotation(r):
    """Make a rotation of r (3, 3) where it is none: of a body that a blow has bent out of shape.

    Gram–Schmidt on the columns, the first one first; without a direction, an axis of the world.
    """
    worst = 0.0
    for i in range(3):
        for j in range(i, 3):
            dot = r[0, i] * r[0, j] + r[1, i] * r[1, j] + r[2, i] * r[2, j]
            worst = max(worst, abs(dot - 1.0 if i == j else dot))
    if worst < BENT:
        return
    length = math.sqrt(r[0, 0] ** 2 + r[1, 0] ** 2 + r[2, 0] ** 2)
    for k in range(3):
        r[k, 0] = r[k, 0] / length if length > 0.0 else (1.0 if k == 0 else 0.0)
    along = r[0, 0] * r[0, 1] + r[1, 0] * r[1, 1] + r[2, 0] * r[2, 1]
    for k in range(3):
        r[k, 1] -= along * r[k, 0]
    length = math.sqrt(r[0, 1] ** 2 + r[1, 1] ** 2 + r[2, 1] ** 2)
    if not length > 1e-6 * abs(along):  # square to the first column and its smallest component
        smallest = 0
        for k in range(1, 3):
            if abs(r[k, 0]) < abs(r[smallest, 0]):
                smallest = k
        for k in range(3):
            r[k, 1] = (1.0 if k == smallest else 0.0) - r[smallest, 0] * r[k, 0]
        length = math.sqrt(r[0, 1] ** 2 + r[1, 1] ** 2 + r[2, 1] ** 2)
    for k in range(3):
        r[k, 1] /= length
    r[0, 2] = r[1, 0] * r[2, 1] - r[2, 0] * r[1, 1]
    r[1, 2] = r[2, 0] * r[0, 1] - r[0, 0] * r[2, 1]
    r[2, 2] = r[0, 0] * r[1, 1] - r[1, 0] * r[0, 1]


@inline
def pose_of(x, first, extent, centre, r):
    """Write a body's centre (3,) and rotation r (3, 3), read off its four particles.

    The frame follows from differences of the corners (Jakobsen §5); three Newton steps
    R ← (R + R⁻ᵀ)/2 bring it to the nearest rotation (Higham 1986), without favouring an axis.
    """
    for k in range(3):
        a = x[first, k]
        b = x[first + 1, k]
        c = x[first + 2, k]
        d = x[first + 3, k]
        centre[k] = 0.25 * (a + b + c + d)
        r[k, 0] = 0.25 * (a + b - c - d) / extent[0]
        r[k, 1] = 0.25 * (a - b + c - d) / extent[1]
        r[k, 2] = 0.25 * (a - b - c + d) / extent[2]
    for _ in range(3):
        c00 = r[1, 1] * r[2, 2] - r[1, 2] * r[2, 1]
        c01 = r[1, 2] * r[2, 0] - r[1, 0] * r[2, 2]
        c02 = r[1, 0] * r[2, 1] - r[1, 1] * r[2, 0]
        c10 = r[2, 1] * r[0, 2] - r[2, 2] * r[0, 1]
        c11 = r[2, 2] * r[0, 0] - r[2, 0] * r[0, 2]
        c12 = r[2, 0] * r[0, 1] - r[2, 1] * r[0, 0]
        c20 = r[0, 1] * r[1, 2] - r[0, 2] * r[1, 1]
        c21 = r[0, 2] * r[1, 0] - r[0, 0] * r[1, 2]
        c22 = r[0, 0] * r[1, 1] - r[0, 1] * r[1, 0]
        volume = r[0, 0] * c00 + r[0, 1] * c01 + r[0, 2] * c02
        if not volume > 1e-12:  # flattened or turned inside out: the sticks must mend it first
            break
        f = 0.5 / volume
        r[0, 0] = 0.5 * r[0, 0] + f * c00
        r[0, 1] = 0.5 * r[0, 1] + f * c01
        r[0, 2] = 0.5 * r[0, 2] + f * c02
        r[1, 0] = 0.5 * r[1, 0] + f * c10
        r[1, 1] = 0.5 * r[1, 1] + f * c11
        r[1, 2] = 0.5 * r[1, 2] + f * c12
        r[2, 0] = 0.5 * r[2, 0] + f * c20
        r[2, 1] = 0.5 * r[2, 1] + f * c21
        r[2, 2] = 0.5 * r[2, 2] + f * c22
    _make_rotation(r)


@kernel
def place_particle_bodies(x, first_particle, extent, first_owner, position, rotation):
    """Write where bodies of particles are as owners from first_owner on, (o, 3) and (o, 3, 3)."""
    for b in range(first_particle.shape[0]):
        o = first_owner + b
        pose_of(x, first_particle[b], extent[b], position[o], rotation[o])


@kernel
def weigh_particle_bodies(x, first_particle, inverse_mass, first_owner, owners):
    """Write I⁻¹ of bodies of particles as owners, from where their particles are.

    Not from the moments that they should have: strains of a millionth would show in the momentum
    that they give and take. Their inverse mass as owners stays 0: the particles get it.
    """
    for b in range(first_particle.shape[0]):
        o, first = first_owner + b, first_particle[b]
        xx = yy = zz = xy = xz = yz = 0.0  # Σ s sᵀ
        for i in range(first, first + 4):
            dx, dy, dz = sub(load(x, i), load(owners.position, o))
            xx, yy, zz = xx + dx * dx, yy + dy * dy, zz + dz * dz
            xy, xz, yz = xy + dx * dy, xz + dx * dz, yz + dy * dz
        # I = m (tr(S) 1 − S)
        xx, yy, zz, xy, xz, yz = inverse_symmetric(
            (yy + zz, xx + zz, xx + yy, -xy, -xz, -yz), inverse_mass[first]
        )
        a = owners.inverse_inertia[o]
        a[0, 0], a[1, 1], a[2, 2] = xx, yy, zz
        a[0, 1] = a[1, 0] = xy
        a[0, 2] = a[2, 0] = xz
        a[1, 2] = a[2, 1] = yz


@inline
def move_particle_body(particles, first, owners, o, impulse, turn):
    """Shift a body of particles by an impulse in kg·m and turn it by so many rad.

    As the rigid body that it was at the start of the step, which keeps Σ x* × m (x − x*).
    """
    for i in range(first, first + 4):
        r = sub(load(particles.previous, i), load(owners.position, o))
        pushed = scale(0.25 * particles.inverse_mass[i], impulse)
        move(particles.x, i, add_cross(pushed, turn, r))


@kernel
def _read_poses(x, first_particle, extent, position, orientation, r):
    for b in range(first_particle.shape[0]):
        pose_of(x, first_particle[b], extent[b], position[b], r)
        w, i, j, k = quaternion_of(r)
        orientation[b, 0] = w
        orientation[b, 1] = i
        orientation[b, 2] = j
        orientation[b, 3] = k


def particle_body_poses(bodies: ParticleBodyTable, x: Floats) -> tuple[Floats, Floats]:
    """Centres (p, 3) m and unit quaternions (p, 4) of bodies whose particles are at x (n, 3) m."""
    position, orientation = np.empty((len(bodies), 3)), np.empty((len(bodies), 4))
    if len(bodies):
        frames = (bodies.first_particle, bodies.extent)
        _read_poses(x, *frames, position, orientation, np.empty((3, 3)))
    return position, orientation


def body_poses(model: Model, state: State) -> tuple[Floats, Floats]:
    """Centre of mass in m and unit quaternion of every rigid body, (n, 3) and (n, 4).

    Those of place and rotation first, then those of particles: `ObjectSpan.body` is the row.
    """
    position, orientation = particle_body_poses(model.particle_bodies, state.position)
    return (
        np.concatenate([state.body_position, position]),
        np.concatenate([state.body_orientation, orientation]),
    )
