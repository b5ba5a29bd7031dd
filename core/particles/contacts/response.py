"""What a contact does: Jakobsen's weighted projection between two places, friction, restitution.

A contact joins a place a = Σ cᵢ xᵢ with a place b that is such a sum too, or either with a place on
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

from ...collision.contact_law import normal_sum, within_cone
from ...kernels.jit import kernel, lean_inline
from ...vec3 import add, along, cross, dot, load, scale, set_vec, sub, vec
from .contact_places import displacement, gap_of, push_apart
from .contact_point import BACKED
from .foothold import held_against, rub_backed


@kernel
def relax_contacts(solving, count, movable, is_again, fewest, most, enough):
    """Passes over all contacts: push apart, then hold against sliding up to μ times the push.

    The last one is the first that pushes nothing farther than ``enough`` m, but for the bounds
    on their number.

    A contact that bounces is pushed until x − x* is e times the approach, reversed (Kenwright
    §III sets x* for that; pushing x instead lets the bodies' sticks take part). Push and hold are
    accumulated as impulses over the passes of a step and clamped as sums, so that a later pass can
    take back what an earlier one overdid (Catto 2005). Overlap older than the step is left to
    `resolve_overlap`.

    is_again: after something else has moved particles. Nothing is taken back then, and some
    contacts stay as they are. Returns the largest push of the last pass in m.
    """
    largest = 0.0
    for number in range(most):
        largest = _pass_over(solving, count, movable, is_again)
        if number + 1 >= fewest and largest <= enough:
            break
    return largest


@lean_inline
def _pass_over(solving, count, movable, is_again):
    """One such pass; returns its largest push in m."""
    particles, owners, h = movable[:3]
    largest = 0.0
    for c in range(count):
        contact = solving[c]
        mobility = contact["mobility"]
        if mobility == 0.0 or (is_again and _stays(contact)):
            continue
        n = vec(contact["normal"])
        if contact["bounce"] > 0.0:
            short = dot(displacement(contact, particles, owners, h), n) - contact["bounce"]
        else:
            short = gap_of(contact, particles.x, owners, h)
            short += contact["overlap"]
        before = contact["normal_impulse"]
        impulse = normal_sum(before, -(short / mobility))
        if is_again:
            impulse = max(impulse, before)
        push = impulse - before
        contact["normal_impulse"] = impulse
        largest = max(largest, abs(push) * mobility)
        if push != 0.0:
            push_apart(contact, movable, scale(push, n))
        if impulse != 0.0 or push != 0.0:
            _rub(contact, movable, n)
    return largest


@lean_inline
def _stays(contact):
    """Whether a contact is left as it is after something else has moved its particles.

    Where particles alone meet, as limbs of a figure and cloth do, that moves both sides.
    """
    other = contact["place"][1]
    return contact["stays"] == 1 or (other["owner"] < 0 and other["four_body"] < 0)


@lean_inline
def _rub(contact, movable, n):
    """Hold against sliding across the normal n, with the sum of all holds within the cone."""
    if contact["footing"] == BACKED:
        rub_backed(contact, movable, n)
        return
    u = displacement(contact, movable.particles, movable.owners, movable.h)
    before = vec(contact["friction_impulse"])
    p = held_against(contact, movable, n, u, before, 0.0)
    p = within_cone(p, contact["friction"] * contact["normal_impulse"])
    set_vec(contact["friction_impulse"], p)
    push_apart(contact, movable, sub(p, before))


@kernel
def note_couples(contacts, count, particles):
    """Write what push and drag have given two free particles, or sticks, in angular momentum.

    They act on two places, those of the particles, and balls of no size take no turn.
    """
    for c in range(count):
        contact, making = contacts.solving[c], contacts.making[c]
        if making["shape"][0] >= 0 or making["shape"][1] >= 0:
            continue
        if contact["normal_impulse"] == 0.0 or contact["inverse_mass"] == 0.0:
            continue
        pushed = scale(contact["normal_impulse"], vec(contact["normal"]))
        pushed = add(pushed, vec(contact["friction_impulse"]))
        r = (0.0, 0.0, 0.0)  # from b to a
        for side in range(2):
            place = contact["place"][side]
            sign = 1.0 if side == 0 else -1.0
            for k in range(4):
                r = along(
                    r, sign * place["weight"][k], load(particles.previous, place["particle"][k])
                )
        set_vec(making["couple"], cross(r, pushed))


@kernel
def deepest_contact(solving, count, x, owners, h):
    """Deepest overlap in m that is left."""
    deepest = 0.0
    for c in range(count):
        deepest = max(deepest, -gap_of(solving[c], x, owners, h))
    return deepest
