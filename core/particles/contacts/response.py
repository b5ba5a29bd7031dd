"""What a contact does: Jakobsen's weighted projection between two points, friction, restitution.

A contact joins a point a = Σ cᵢ xᵢ with a point b that is such a sum too, or either with a place on
a body or collider. It asks for (a − b)·n ≥ 0 and is met by xᵢ += wᵢ cᵢ λ Δ, λ = 1/Σ wᵢ cᵢ²
(Jakobsen §5). A free particle is a sum with one weight. A place on a body moves by h (v + ω×r) in
the step and adds 1/m + (r×d)ᵀ I⁻¹ (r×d) to Σ wᵢ cᵢ², so cloth, ropes and bodies of both kinds all
meet in this one loop, and what one gains in momentum the other loses.

A body of four particles is found by its weights and moved as the rigid body that it is: each
particle by what the impulse turns and shifts the whole. By the weights alone it would give way
like the rubber that four particles are, and what then makes it rigid again would take most of the
push back (nine tenths of it for a small ball). Linear and angular momentum are the same.
"""

from __future__ import annotations

import math

from ...kernels.jit import kernel
from .contact_sides import displacement, gap_of, mobility_along, push_apart


@kernel
def relax_contacts(contacts, count, x, previous, inverse_mass, owners, h):
    """One pass over all contacts: push apart, then hold against sliding up to μ times the push.

    A contact that bounces is pushed until x − x* is e times the approach, reversed (Kenwright
    §III sets x* for that; pushing x instead lets the bodies' sticks take part). Push and hold are
    accumulated as impulses over the passes of a step and clamped as sums, so that a later pass can
    take back what an earlier one overdid (Catto 2005). Overlap older than the step is left to
    `resolve_overlap`. Returns the largest push of this pass in m.
    """
    largest = 0.0
    for c in range(count):
        mobility = contacts.mobility[c]
        if mobility == 0.0:
            continue
        nx = contacts.normal[c, 0]
        ny = contacts.normal[c, 1]
        nz = contacts.normal[c, 2]
        if contacts.bounce[c] > 0.0:
            ux, uy, uz = displacement(contacts, c, x, previous, owners, h)
            short = ux * nx + uy * ny + uz * nz - contacts.bounce[c]
        else:
            short = gap_of(contacts, c, x, owners, h) + contacts.overlap[c]
        pushed = max(0.0, contacts.pushed[c] - short / mobility)
        push = pushed - contacts.pushed[c]
        contacts.pushed[c] = pushed
        largest = max(largest, abs(push) * mobility)
        if push != 0.0:
            px, py, pz = push * nx, push * ny, push * nz
            push_apart(contacts, c, x, previous, inverse_mass, owners, h, px, py, pz)
        if pushed == 0.0 and push == 0.0:
            continue
        ux, uy, uz = displacement(contacts, c, x, previous, owners, h)
        un = ux * nx + uy * ny + uz * nz
        ux, uy, uz = ux - un * nx, uy - un * ny, uz - un * nz
        tx, ty, tz = contacts.dragged[c, 0], contacts.dragged[c, 1], contacts.dragged[c, 2]
        px, py, pz = tx, ty, tz
        size = math.sqrt(ux * ux + uy * uy + uz * uz)
        if size > 0.0:
            ex, ey, ez = ux / size, uy / size, uz / size
            f = 1.0 / mobility_along(contacts, c, inverse_mass, owners, ex, ey, ez)
            px, py, pz = px - f * ux, py - f * uy, pz - f * uz
        size = math.sqrt(px * px + py * py + pz * pz)
        limit = contacts.friction[c] * pushed
        if size > limit:
            f = limit / size
            px, py, pz = f * px, f * py, f * pz
        contacts.dragged[c, 0] = px
        contacts.dragged[c, 1] = py
        contacts.dragged[c, 2] = pz
        px, py, pz = px - tx, py - ty, pz - tz
        push_apart(contacts, c, x, previous, inverse_mass, owners, h, px, py, pz)
    return largest


@kernel
def note_couples(contacts, count, previous, inverse_mass):
    """Write what push and drag have given two free particles, or sticks, in angular momentum.

    They act on two places, those of the particles, and balls of no size take no turn.
    """
    for c in range(count):
        if contacts.shape[c, 0] >= 0 or contacts.shape[c, 1] >= 0:
            continue
        if contacts.pushed[c] == 0.0 or contacts.inverse_mass[c] == 0.0:
            continue
        jx = contacts.pushed[c] * contacts.normal[c, 0] + contacts.dragged[c, 0]
        jy = contacts.pushed[c] * contacts.normal[c, 1] + contacts.dragged[c, 1]
        jz = contacts.pushed[c] * contacts.normal[c, 2] + contacts.dragged[c, 2]
        rx = ry = rz = 0.0  # from b to a
        for k in range(8):
            i = contacts.particle[c, k]
            f = contacts.weight[c, k]
            rx += f * previous[i, 0]
            ry += f * previous[i, 1]
            rz += f * previous[i, 2]
        contacts.couple[c, 0] = ry * jz - rz * jy
        contacts.couple[c, 1] = rz * jx - rx * jz
        contacts.couple[c, 2] = rx * jy - ry * jx


@kernel
def deepest_contact(contacts, count, x, owners, h):
    """Deepest overlap in m that is left."""
    deepest = 0.0
    for c in range(count):
        deepest = max(deepest, -gap_of(contacts, c, x, owners, h))
    return deepest
