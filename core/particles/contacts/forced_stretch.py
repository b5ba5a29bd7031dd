"""Forced stretch: how much longer than at rest held cloth has to be for what does not give way.

Tethers, yarns and the strain limit bring cloth back to what it is at rest, each at once, so that
pins bear any load. But where a collider presses a held sheet farther than it reaches, they pull
back in each substep what it pushes out: what it touches stays outside, what is beside that is drawn
into it, and the edges between the two are as long as all the rest is too short, at a hundred metres
a second. No number of passes helps, for no places fulfil both.

So they ask for no more than there is room for. Where things of infinite mass (colliders, driven
bodies, meshes, what is held) push a particle out beyond the reach of its tethers, the cloth is
forced to be longer: by an excess e in m and by a share s of its length, each the largest that any
particle of the object shows. Then

    a tether of length L reaches to L + min(e, s L),
    a stick keeps its stretch, up to s and e/R (`constraints.kept_length`), R being how far the
        farthest particle is from its nearest pin: what is forced beside a pin is little to a cape,
    a yarn that is too long is left to the sticks.

Pins that are driven farther apart than the cloth between them is long force it likewise.

A particle shows how far it is beyond its tether, but no more than was conceded before and what the
pushes of this substep made of its distance: loads are not among that, so what gravity, wind or a
body in the cloth pull it to is borne as firmly as ever. What is conceded goes back at a rate.
"""

from __future__ import annotations

from collections import namedtuple

from ...kernels.jit import inline, kernel
from ...vec3 import ZERO, along, between, dot, length, load, store, vec
from ..constraints.kept_length import KEEPS, PRESSED

RETURN_RATE = 5.0
"""1/s, share of what was conceded that is taken back."""

HELD_SHARE = 1e-3
"""Share of its length up to which a tether is held against a push."""

OVER = 1e-4
"""Share that is taken back at once."""

Stretch = namedtuple(
    "Stretch",
    [
        "excess",  # (o,) m, that the tethers of each object may be too long by at most
        "share",  # (o,) of its length, that a tether or stick may be too long by at most
    ],
)
"""What cloth is forced to, see `model.stretch_state`."""


TetherRows = namedtuple(
    "TetherRows",
    [
        "particle",  # (q,) that hang on tethers
        "start",  # (q + 1,) first tether of each
        "anchor",  # (t,) pinned particle at the far end
        "rest_length",  # (t,) m, along the cloth at rest
        "object",  # (q,) that each particle belongs to
        "objects",  # (h,) all objects that pins hold
    ],
)
"""Tethers, by the particles that they hold."""

Spans = namedtuple(
    "Spans",
    [
        "pair",  # (k, 2) pins that one cloth joins
        "rest_length",  # (k,) m, of the cloth between them
        "object",  # (k,) that they belong to
    ],
)
"""Pins, and how far apart the cloth at rest lets them go."""


@kernel
def note_pushes(solving, count, inverse_mass, owners, pushed):
    """Add to pushed (n, 3) m what contacts with bodies and colliders of infinite mass pushed.

    solving (c,) `PARTICLE_CONTACT`, of which the first ``count`` count.
    """
    for c in range(count):
        contact = solving[c]
        impulse, place, o = contact["normal_impulse"], contact["place"][0], _owner_of(contact)
        if impulse <= 0.0 or o < 0 or owners.inverse_mass[o] > 0.0:
            continue
        normal = vec(contact["normal"])
        for k in range(4):
            weight = place["weight"][k]
            if weight > 0.0:
                i = place["particle"][k]
                _add_push(pushed, i, impulse * weight * inverse_mass[i], normal)


@inline
def _owner_of(contact):
    """The body or collider on which a contact presses particles; −1 for none."""
    a, b = contact["place"][0], contact["place"][1]
    is_of_particles = a["owner"] < 0 and a["four_body"] < 0 and b["four_body"] < 0
    return b["owner"] if is_of_particles else -1


@inline
def _add_push(pushed, i, way, normal):
    """A push of so many m along a normal."""
    store(pushed, i, along(load(pushed, i), way, normal))


@kernel
def note_surface_pushes(contacts, count, watch, inverse_mass, firm, pushed):
    """The same of contacts between surfaces of which one side does not give way.

    That is what is held, a mesh, or what was pressed beyond its reach itself: firm (n,) not 0.
    contacts (c,) `SURFACE_CONTACT`, of which ``watch`` tells without reading most of them.
    """
    for c in range(count):
        if watch.contact[c]["is_pushed"] == 0:
            continue
        contact = contacts[c]
        impulse = contact["normal_impulse"]
        if impulse <= 0.0:
            continue
        normal, first = vec(contact["normal"]), 2 if contact["is_edges"] == 1 else 1
        is_firm_a = _is_firm(contact["corner"], 0, first, inverse_mass, firm)
        is_firm_b = _is_firm(contact["corner"], first, 4, inverse_mass, firm)
        if is_firm_a == is_firm_b:
            continue
        for k in range(first) if is_firm_b else range(first, 4):
            i = contact["corner"][k]
            if inverse_mass[i] > 0.0:
                _add_push(pushed, i, impulse * contact["weight"][k] * inverse_mass[i], normal)


@inline
def _is_firm(corner, first, last, inverse_mass, firm):
    """Whether no corner of a feature gives way."""
    for k in range(first, last):
        i = corner[k]
        if inverse_mass[i] > 0.0 and firm[i] == 0:
            return False
    return True


@kernel
def measure_stretch(x, inverse_mass, held, pushed, kept, before, now, firm):
    """What particles that are pressed beyond the reach of their tethers force each object to.

    held: `TetherRows`. pushed (n, 3) m: by what does not give way. before, now: `Stretch`; of what
    was conceded a share ``kept`` is left. Marks what is pressed so in firm (n,).
    """
    particle, start, anchor, rest_length, object_of, objects = held
    for h in range(objects.shape[0]):
        o = objects[h]
        left = kept if before.share[o] > OVER else 0.0
        now.excess[o] = left * before.excess[o]
        now.share[o] = left * before.share[o]
    for q in range(particle.shape[0]):
        i = particle[q]
        firm[i] = 0
        push = load(pushed, i)
        if push == ZERO:
            continue
        o = object_of[q]
        for t in range(start[q], start[q + 1]):
            rest = rest_length[t]
            if inverse_mass[anchor[t]] > 0.0 or rest == 0.0:
                continue
            d = between(x, anchor[t], i)
            apart = length(d)
            regained = dot(push, d) / apart if apart > 0.0 else 0.0
            if apart <= (1.0 + HELD_SHARE) * rest or regained <= 0.0:
                continue
            conceded = min(before.excess[o], before.share[o] * rest)
            excess = min(apart - rest, conceded + regained)
            now.excess[o] = max(now.excess[o], excess)
            now.share[o] = max(now.share[o], excess / rest)
            firm[i] = 1


@kernel
def mark_pushed(pushed, is_strained, pressed):
    """Mark in pressed (n,) whose sticks take old errors out slowly in the next step; how many.

    What has been pushed, pushed (n, 3) m, while sticks were strained, and what `KEEPS` some error.
    """
    count = 0
    for i in range(pushed.shape[0]):
        begins = is_strained and load(pushed, i) != ZERO
        pressed[i] = PRESSED if begins or pressed[i] & KEEPS != 0 else 0
        count += pressed[i]
    return count


@kernel
def measure_spans(x, inverse_mass, spans, now):
    """What pins that are driven apart force each object to, on top of ``now``: a `Stretch`."""
    pair, rest_length, object_of = spans
    for k in range(pair.shape[0]):
        a, b, o = pair[k, 0], pair[k, 1], object_of[k]
        if inverse_mass[a] > 0.0 or inverse_mass[b] > 0.0 or rest_length[k] == 0.0:
            continue
        excess = length(between(x, a, b)) - rest_length[k]
        if excess > HELD_SHARE * rest_length[k]:
            now.share[o] = max(now.share[o], excess / rest_length[k])
            now.excess[o] = max(now.excess[o], excess)


@kernel
def reach_of(held, stretch, reach):
    """How far tethers reach, reach (t,) m, in cloth that is forced to be longer."""
    for q in range(held.particle.shape[0]):
        excess, share = stretch.excess[held.object[q]], stretch.share[held.object[q]]
        for t in range(held.start[q], held.start[q + 1]):
            rest = held.rest_length[t]
            reach[t] = rest + min(excess, share * rest)
