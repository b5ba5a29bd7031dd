"""Bodies that have stretched cloth to its limit are held by it, as what hangs on pins holds.

Cloth that hangs on pins and is as long as it can be bears whatever lies in it. But what a push of
a contact makes of that is a matter of masses: a ball takes the vertices that it touches, a
thousandth of its weight, along with it, what shortens the cloth draws them back into the ball, the
next push takes them out again, and in each of these rounds the ball gives up a thousandth of its
speed. Tethers (`pin_hold`) stop it where the way to a pin is straight; in a sack that way leads
round other balls, and the cloth grew to several times its length first.

So the cloth goes first and the bodies after it, as the ground goes before a stack (Guendelman,
Bridson, Fedkiw 2003, "Nonconvex Rigid Bodies with Stacking", §8.2, for shock propagation): where
what shortens cloth has drawn it into a body, the body gives way to it as to a floor, with friction.
It is stopped and not thrown back: what the cloth is too long by from before is taken out slowly.

What lies on such a body must know that it is held, or both would fall together until the cloth,
one substep late, stops the one of them. So the body feels the force that held it in the last
substep while bodies solve their own contacts; it is taken back before the cloth holds it anew.
"""

from __future__ import annotations

import numpy as np

from ...collision.contact_law import normal_sum, within_cone
from ...coupling.pin_hold import LEAST_SHARE, REPAIR, is_heavy
from ...kernels.jit import inline, kernel
from ...vec3 import ZERO, add_to, along, cross, dot, length, load, move, rotate, scale, sub, vec
from .contact_places import displacement, gap_of, give, owner_mobility, owner_motion
from .hook import ContactHook, Meeting, Surroundings

STRAIN_HOLD_PASSES = 8
"""Passes over the contacts of all held bodies."""

STRAINED = np.dtype(
    [
        ("contact", np.int32),
        ("pin", np.int32),  # a particle that holds its cloth
        ("held", np.float64),  # kg·m, what the body has been held with so far
    ],
    align=True,
)
"""A contact of a body with cloth that may hold it."""


class StrainHolds(ContactHook):
    """Cloth at its limit as a floor for the bodies that lie in it."""

    def __init__(self, about: Surroundings) -> None:
        self.force = about.strain_force
        self.tethers = about.tethers
        self.strained = np.zeros(0, STRAINED)

    def stop(self, meeting: Meeting) -> None:
        """Stop bodies where cloth has been drawn into them."""
        count = meeting.count
        if len(self.strained) < count:
            self.strained = np.zeros(2 * count, STRAINED)
        contacts = (meeting.contacts.solving, count)
        stop_bodies(*contacts, meeting.movable, self.tethers, self.strained, self.force)


@inline
def _pin_of(contact, movable, tethers):
    """A pin that holds the cloth of a contact with a body that it can hold; −1 for none."""
    place, o = contact["place"][0], contact["place"][1]["owner"]
    if contact["stays"] == 1 or place["four_body"] >= 0 or place["owner"] >= 0 or o < 0:
        return -1
    w = movable.owners.inverse_mass[o]
    if w == 0.0:
        return -1
    inverse_mass = movable.particles.inverse_mass
    for k in range(4):
        i = place["particle"][k]
        q = tethers.of_particle[i]
        if q < 0 or place["weight"][k] < LEAST_SHARE or not is_heavy(w, inverse_mass[i]):
            continue
        for t in range(tethers.start[q], tethers.start[q + 1]):
            if inverse_mass[tethers.anchor[t]] == 0.0:  # else it was let go
                return tethers.anchor[t]
    return -1


@inline
def _push_back(contact, movable, pin, held):
    """What of ``held`` kg·m so far a body is to be held with, by this contact alone."""
    (x, previous, _), owners, h = movable[:3]
    body, n = contact["place"][1], vec(contact["normal"])
    short = gap_of(contact, x, owners, h) + contact["overlap"]
    if held == 0.0 and short >= 0.0:
        return held
    way = sub(owner_motion(body, owners, h), sub(load(x, pin), load(previous, pin)))
    need = max(short, -REPAIR * h - dot(way, n))
    return normal_sum(held, -need / owner_mobility(body, owners, n))


@kernel
def stop_bodies(solving, count, movable, tethers, strained, force):
    """Stop bodies at contacts with tethered cloth that reaches into them.

    strained (c,) is scratch; force (b, 2, 3) N and N·m, what each body was held with, is added to.
    """
    owners, h = movable.owners, movable.h
    found = 0
    for c in range(count):
        pin = _pin_of(solving[c], movable, tethers)
        if pin >= 0:
            one = strained[found]
            one["contact"], one["pin"], one["held"] = c, pin, 0.0
            found += 1
    for _ in range(STRAIN_HOLD_PASSES):
        for n in range(found):
            one = strained[n]
            contact, held = solving[one["contact"]], one["held"]
            total = _push_back(contact, movable, one["pin"], held)
            if total != held:
                push = (held - total) / h
                give(contact["place"][1], owners, scale(push, vec(contact["normal"])))
                one["held"] = total
    for n in range(found):
        one = strained[n]
        held = one["held"]
        if held == 0.0:
            continue
        contact = solving[one["contact"]]
        normal, body = vec(contact["normal"]), contact["place"][1]
        u = displacement(contact, movable.particles, owners, h)
        u = along(u, -dot(u, normal), normal)
        size = length(u)
        if size > 0.0:
            w = owner_mobility(body, owners, scale(1.0 / size, u))
            drag = within_cone(scale(1.0 / w, u), contact["friction"] * held)
            give(body, owners, scale(1.0 / h, drag))
        p = scale(-held / (h * h), normal)
        add_to(force[body["owner"], 0], p)
        add_to(force[body["owner"], 1], cross(vec(body["arm"]), p))


@kernel
def release_bodies(owners, force, h):
    """Take back what a force (b, 2, 3) N, N·m has given bodies in a step of h s; it becomes 0."""
    for b in range(force.shape[0]):
        push, turn = vec(force[b, 0]), vec(force[b, 1])
        if push == ZERO and turn == ZERO:
            continue
        for k in range(3):
            owners.velocity[b, k] -= h * owners.inverse_mass[b] * push[k]
        move(owners.spin, b, scale(-h, rotate(owners.inverse_inertia[b], turn)))
        for k in range(3):
            force[b, 0, k] = 0.0
            force[b, 1, k] = 0.0
