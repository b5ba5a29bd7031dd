"""Bodies of particles that a blow has pressed flat or turned inside out (Jakobsen §5).

A mirrored tetrahedron keeps all its sticks, and a flat frame has no way out along its own axes.
"""

from __future__ import annotations

import math

from ...kernels.jit import inline
from ...vec3 import ZERO, along, cross, dot, load, move, scale, sub

FLATTENED = 0.1
"""Share of its volume below which a body has been pressed flat, or inside out, by a blow."""


@inline
def axis_of(x, first, axis):
    """One axis of a body's frame from its four particles, m."""
    # signs of the corners as in `bodies.CORNER_SIGNS`
    v = load(x, first)
    for k in range(3):
        v = along(v, 1.0 if axis == k else -1.0, load(x, first + 1 + k))
    return scale(0.25, v)


@inline
def move_axes(x, first, a, b, c):
    """Change a body's three axes by a, b and c, its centre staying where it is."""
    for k in range(4):
        sa = 1.0 if k < 2 else -1.0
        sb = 1.0 if k % 2 == 0 else -1.0
        move(x, first + k, along(along(scale(sa, a), sb, b), sa * sb, c))


@inline
def _square_to(a, b, size, least):
    """The vector a × b made ``size`` long; |a × b| counts as ``least`` at least."""
    n = cross(a, b)
    return scale(size / math.sqrt(max(dot(n, n), least * least)), n)


@inline
def unflatten(x, first, extent):
    """Give a body that is flat or inside out its shortest axis anew: the product of the others."""
    u, v, w = axis_of(x, first, 0), axis_of(x, first, 1), axis_of(x, first, 2)
    a, b, c = extent[0], extent[1], extent[2]
    if dot(u, cross(v, w)) >= FLATTENED * a * b * c:
        return
    if a <= b and a <= c:
        move_axes(x, first, sub(_square_to(v, w, a, 1e-6 * b * c), u), ZERO, ZERO)
    elif b <= c:
        move_axes(x, first, ZERO, sub(_square_to(w, u, b, 1e-6 * a * c), v), ZERO)
    else:
        move_axes(x, first, ZERO, ZERO, sub(_square_to(u, v, c, 1e-6 * a * b), w))
