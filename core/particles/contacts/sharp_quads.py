"""Faces with four corners are not folded so sharply that they would be drawn otherwise.

What is simulated of a face a b c d are its triangles a b c and a c d. Blender draws these as long
as b⊥ · d⊥ ≤ 0, ⊥ being what is across a c; a face that is folded by more than a right angle is
drawn over b d instead (`is_quad_flip_v3_first_third_fast`): a spike that passes through what the
fold lies on. So

    C = b⊥ · d⊥ + s |b⊥| |d⊥| ≤ 0

so that the angle between the halves, 180° where the face is flat, keeps a cosine below −s. With s
and the lengths taken as they are, ∂C/∂b = d⊥, ∂C/∂d = b⊥ and, u and v being the shares of a c at
which b and d stand over it, ∂C/∂a = −(1 − u) d⊥ − (1 − v) b⊥, ∂C/∂c = −u d⊥ − v b⊥: no resultant
and no couple about where the corners are. About x*, where angular momentum counts, there is a
little, which the piece of cloth takes back: see `surface_couple`.
"""

from __future__ import annotations

import math

from ...kernels.jit import kernel, lean_inline
from ...vec3 import ZERO, add_cross, add_to, along, between, dot, load, scale, shift

SHARPEST = 0.3
"""s of C in passes over contacts: halves keep 107° between them."""

NEARLY_SHARP = 0.6
"""s from which on these passes look at a face: less than 127° between its halves."""

DRAWN = 0.15
"""s of C for what is sharper once all is parted: 99°, a little before it is drawn otherwise."""


@lean_inline
def _across(x, quad):
    """b⊥ and d⊥ of a face, and the shares of a c over which they stand; 0 where a c is a point."""
    a = quad[0]
    edge, b, d = between(x, a, quad[2]), between(x, a, quad[1]), between(x, a, quad[3])
    squared = dot(edge, edge)
    if squared <= 0.0:
        return scale(0.0, b), scale(0.0, d), 0.0, 0.0
    u, v = dot(b, edge) / squared, dot(d, edge) / squared
    return along(b, -u, edge), along(d, -v, edge), u, v


@kernel
def find_sharp(quads, x, least, sharp):
    """Rows of quads (q, 4) that are sharper than s = least, into sharp (q,); how many."""
    found = 0
    for n in range(quads.shape[0]):
        b, d, _, _ = _across(x, quads[n])
        if dot(b, d) + least * math.sqrt(dot(b, b) * dot(d, d)) > 0.0:
            sharp[found] = n
            found += 1
    return found


@kernel
def unfold(quads, rows, count, particles, pieces, least):
    """Unfold those of the first ``count`` of rows that are sharper than s = least; how many.

    pieces: where couples are noted, see `surface_couple`.
    One after the other, each by one step of Newton's method on C (Müller et al. 2007, §3.3).
    """
    x, previous, inverse_mass = particles
    unfolded = 0
    for k in range(count):
        quad = quads[rows[k]]
        b, d, u, v = _across(x, quad)
        bb, dd = dot(b, b), dot(d, d)
        excess = dot(b, d) + least * math.sqrt(bb * dd)
        if excess <= 0.0:
            continue
        at_a = along(scale(v - 1.0, b), u - 1.0, d)
        at_c = along(scale(-v, b), -u, d)
        wa, wb = inverse_mass[quad[0]], inverse_mass[quad[1]]
        wc, wd = inverse_mass[quad[2]], inverse_mass[quad[3]]
        mobility = wb * dd + wd * bb + wa * dot(at_a, at_a) + wc * dot(at_c, at_c)
        if mobility <= 0.0:
            continue
        unfolded += 1
        push = -excess / mobility
        shift(x, quad[0], push * wa, at_a)
        shift(x, quad[1], push * wb, d)
        shift(x, quad[2], push * wc, at_c)
        shift(x, quad[3], push * wd, b)
        couple = add_cross(ZERO, load(previous, quad[0]), scale(push, at_a))
        couple = add_cross(couple, load(previous, quad[1]), scale(push, d))
        couple = add_cross(couple, load(previous, quad[2]), scale(push, at_c))
        couple = add_cross(couple, load(previous, quad[3]), scale(push, b))
        add_to(pieces.row[pieces.of_vertex[quad[0]]]["couple"], couple)
    return unfolded
