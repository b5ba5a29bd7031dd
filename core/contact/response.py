"""What a contact does: Jakobsen's weighted projection between two points, friction, restitution.

A contact joins a point a = Σ cᵢ xᵢ with a point b that is such a sum too or a place on a collider.
It asks for (a − b)·n ≥ 0 and is met by xᵢ += wᵢ cᵢ λ Δ, λ = 1/Σ wᵢ cᵢ² (Jakobsen §5). A free
particle is the sum with one weight, so cloth, ropes and bodies all meet in this one loop.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ..jit import inline, kernel

Contacts = namedtuple(
    "Contacts",
    [
        "particle",  # (c, 8) four of point a, four of point b
        "weight",  # (c, 8) cᵢ; those of b are negative, 0 where b lies on a collider
        "inverse_mass",  # (c,) Σ wᵢ cᵢ², 1/kg
        "normal",  # (c, 3) from b to a
        "offset",  # (c,) m: gap = Σ cᵢ xᵢ·n − offset
        "surface",  # (c, 3) m, how far the collider's surface moved in this step
        "friction",  # (c,)
        "restitution",  # (c,)
        "approach",  # (c,) m, normal displacement of the step before any response
        "overlap",  # (c,) m, penetration that was there before the step
        "pushed",  # (c,) m, depth projected away so far in this step
        "dragged",  # (c, 3) m, slide undone by friction so far in this step
    ],
)


def contact_room(count: int) -> Contacts:
    """Empty contacts with room for ``count``."""
    return Contacts(
        np.zeros((count, 8), dtype=np.int32),
        np.zeros((count, 8)),
        *(np.zeros((count, 3)) if vector else np.zeros(count) for vector in
          (False, True, False, True, False, False, False, False, False, True)),
    )


@inline
def _displacement(contacts, c, x, previous):
    """Movement of a relative to b in this step (three numbers, m)."""
    ux = -contacts.surface[c, 0]
    uy = -contacts.surface[c, 1]
    uz = -contacts.surface[c, 2]
    for k in range(8):
        i = contacts.particle[c, k]
        f = contacts.weight[c, k]
        ux += f * (x[i, 0] - previous[i, 0])
        uy += f * (x[i, 1] - previous[i, 1])
        uz += f * (x[i, 2] - previous[i, 2])
    return ux, uy, uz


@inline
def _gap(contacts, c, x):
    """(a − b)·n in m, negative when the two overlap."""
    gap = -contacts.offset[c]
    for k in range(8):
        i = contacts.particle[c, k]
        gap += contacts.weight[c, k] * (
            x[i, 0] * contacts.normal[c, 0]
            + x[i, 1] * contacts.normal[c, 1]
            + x[i, 2] * contacts.normal[c, 2]
        )
    return gap


@inline
def _move(contacts, c, x, inverse_mass, dx, dy, dz):
    """Move a by (dx, dy, dz) relative to b, each particle by its share."""
    if contacts.inverse_mass[c] == 0.0:
        return
    share = 1.0 / contacts.inverse_mass[c]
    for k in range(8):
        i = contacts.particle[c, k]
        f = share * inverse_mass[i] * contacts.weight[c, k]
        x[i, 0] += f * dx
        x[i, 1] += f * dy
        x[i, 2] += f * dz


@inline
def prepare(contacts, c, x, previous, inverse_mass):
    """Fill in what follows from points, normal and weights of contact c."""
    total = 0.0
    for k in range(8):
        f = contacts.weight[c, k]
        total += inverse_mass[contacts.particle[c, k]] * f * f
    contacts.inverse_mass[c] = total
    ux, uy, uz = _displacement(contacts, c, x, previous)
    approach = (
        ux * contacts.normal[c, 0] + uy * contacts.normal[c, 1] + uz * contacts.normal[c, 2]
    )
    contacts.approach[c] = approach
    contacts.overlap[c] = max(0.0, approach - _gap(contacts, c, x))
    contacts.pushed[c] = 0.0
    for k in range(3):
        contacts.dragged[c, k] = 0.0


@kernel
def relax_contacts(contacts, count, x, previous, inverse_mass):
    """One pass over all contacts: push apart, then hold against sliding up to μ times the push.

    Both are accumulated over the passes of a step and clamped as sums, so that a later pass can
    take back what an earlier one overdid (Catto 2005). Overlap older than the step is left to
    `resolve_overlap`.
    """
    for c in range(count):
        nx = contacts.normal[c, 0]
        ny = contacts.normal[c, 1]
        nz = contacts.normal[c, 2]
        pushed = max(0.0, contacts.pushed[c] - (_gap(contacts, c, x) + contacts.overlap[c]))
        push = pushed - contacts.pushed[c]
        contacts.pushed[c] = pushed
        if push != 0.0:
            _move(contacts, c, x, inverse_mass, push * nx, push * ny, push * nz)
        if pushed == 0.0 and contacts.dragged[c, 0] == 0.0 and contacts.dragged[c, 1] == 0.0:
            if contacts.dragged[c, 2] == 0.0:
                continue
        ux, uy, uz = _displacement(contacts, c, x, previous)
        un = ux * nx + uy * ny + uz * nz
        tx = contacts.dragged[c, 0] - (ux - un * nx)
        ty = contacts.dragged[c, 1] - (uy - un * ny)
        tz = contacts.dragged[c, 2] - (uz - un * nz)
        size = math.sqrt(tx * tx + ty * ty + tz * tz)
        limit = contacts.friction[c] * pushed
        if size > limit:
            f = limit / size
            tx, ty, tz = f * tx, f * ty, f * tz
        _move(
            contacts, c, x, inverse_mass,
            tx - contacts.dragged[c, 0], ty - contacts.dragged[c, 1], tz - contacts.dragged[c, 2],
        )
        contacts.dragged[c, 0] = tx
        contacts.dragged[c, 1] = ty
        contacts.dragged[c, 2] = tz


@kernel
def restitute(contacts, count, x, previous, inverse_mass, threshold):
    """Bounce through x* (Kenwright §III): the separating speed becomes e times the approach.

    ``threshold`` in m per step: slower contacts do not bounce, so that stacks come to rest.
    """
    for c in range(count):
        if contacts.restitution[c] == 0.0 or contacts.pushed[c] == 0.0:
            continue
        if contacts.approach[c] > -threshold:
            continue
        ux, uy, uz = _displacement(contacts, c, x, previous)
        nx = contacts.normal[c, 0]
        ny = contacts.normal[c, 1]
        nz = contacts.normal[c, 2]
        missing = -contacts.restitution[c] * contacts.approach[c] - (ux * nx + uy * ny + uz * nz)
        if missing > 0.0:
            _move(
                contacts, c, previous, inverse_mass, -missing * nx, -missing * ny, -missing * nz
            )


@kernel
def resolve_overlap(contacts, count, x, previous, inverse_mass, share, most):
    """Take old overlap out of x and x* alike: bodies part gently, without gaining speed.

    A ``share`` of what is left, at most ``most`` m per step.
    """
    for c in range(count):
        depth = -_gap(contacts, c, x)
        if depth <= 0.0 or contacts.overlap[c] == 0.0:
            continue
        part = min(share * depth, most)
        dx = part * contacts.normal[c, 0]
        dy = part * contacts.normal[c, 1]
        dz = part * contacts.normal[c, 2]
        _move(contacts, c, x, inverse_mass, dx, dy, dz)
        _move(contacts, c, previous, inverse_mass, dx, dy, dz)


@kernel
def deepest_contact(contacts, count, x):
    """Deepest overlap in m that is left."""
    deepest = 0.0
    for c in range(count):
        deepest = max(deepest, -_gap(contacts, c, x))
    return deepest
