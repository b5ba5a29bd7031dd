"""The frame of a body of particles held rigid as Jakobsen's origin and three axes (§5).

With A, B, C the axes of the body's frame, each as long as the radius of gyration along it, six
conditions make it rigid: |A| = a, |B| = b, |C| = c, A·B = B·C = C·A = 0. Four particles at
o ± A ± B ± C carry them (`four_particles`): the kinetic energy is ½ M (o'² + A'² + B'² + C'²), so
that each axis weighs as much as the origin and all six conditions are independent where they hold.
One pass over them is nearly exact, and thin bodies are as stiff as others.

(Particles at the origin and at the tips of the axes themselves have the products of inertia
−mᵢ mⱼ a b/M: masses above zero cannot give them the inertia of a solid in its principal axes.)

Corrections run along the axes of one step ago, A*, as those of sticks do (SHAKE): with
ΔA = −λ B*, ΔB = −λ A* the sum of A* × ΔA + B* × ΔB vanishes and spin is kept.
"""

from __future__ import annotations

from ...kernels.jit import inline
from ...vec3 import along, dot, dot2, scale, sub
from ..constraints.stick import TINY
from .flattened import axis_of, move_axes, unflatten

LIKE_BEFORE = 0.8
"""Cosine up to which the axes of one step ago are those to correct along, as for sticks."""


@inline
def _stretched(d, e, size, is_like_before):
    """The axis d with its length put right along e; see `stick.momentum`."""
    dd = dot(d, d)
    rr = size * size
    if is_like_before:
        return along(d, -(0.5 * (dd - rr) / dot(d, e)), e)
    return scale(1.0 - (dd - rr) / (dd + rr + TINY), d)


@inline
def _squared(a, b, u, v):
    """The axes a and b after one Newton step for A·B = 0; A moves along −u, B along −v."""
    f = -(dot(a, b) / (dot2(a, v, b, u) + TINY))
    return along(a, f, u), along(b, f, v)


@inline
def _is_like(a, b, size):
    """Whether an axis has kept its direction and length in this step, more or less."""
    return dot(a, b) > LIKE_BEFORE * max(dot(a, a), size * size)


@inline
def project_frame(x, previous, first, extent, passes):
    """Make the frame of one body rigid, x in place; extent (3,) m: a, b, c."""
    unflatten(x, first, extent)
    a, b, c = axis_of(x, first, 0), axis_of(x, first, 1), axis_of(x, first, 2)
    a0, b0, c0 = a, b, c
    p, q, r = axis_of(previous, first, 0), axis_of(previous, first, 1), axis_of(previous, first, 2)
    for _ in range(passes):
        like = _is_like(a, p, extent[0]) and _is_like(b, q, extent[1]) and _is_like(c, r, extent[2])
        if not like:  # turned too far in one step: along the axes as they are
            p, q, r = a, b, c
        a, b = _squared(a, b, q, p)
        b, c = _squared(b, c, r, q)
        c, a = _squared(c, a, p, r)
        a = _stretched(a, p, extent[0], like)
        b = _stretched(b, q, extent[1], like)
        c = _stretched(c, r, extent[2], like)
    move_axes(x, first, sub(a, a0), sub(b, b0), sub(c, c0))
