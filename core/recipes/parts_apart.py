"""Which parts of a ragdoll never collide: what overlaps at rest, or always would when it bends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from .bone_shapes import depth_in, surface_points
from .ragdoll_plan import RagdollPart

if TYPE_CHECKING:
    from ..arrays import Ints
    from ..geometry.closest_shape import Fit

NEVER_COLLIDE_SHARE = 0.12
"""Parts that reach into each other by this share of the thinner one's thickness never collide."""

TOUCH_SHARE = 0.0
"""The same of parts with one part between them: a joint and a contact would fight for good."""

TRUNK = frozenset({"spine", "neck", "head", "tail"})
"""Roles of what bends as a whole."""

BENT_REACH = 1.25
"""Room, beside what their joints can bend, below which parts of a chain with one part between them
are taken to touch when bent: joints and contacts of a thick trunk of short parts would fight."""


def parts_apart(parts: Sequence[RagdollPart], *, everything: bool) -> Ints:
    """Pairs of parts (e, 2) that never collide: those that overlap in the rest pose, or all."""
    surfaces = [surface_points(part.fit) for part in parts]
    found = []
    for a in range(len(parts)):
        for b in range(a + 1, len(parts)):
            share = TOUCH_SHARE if _are_close(parts, a, b) else NEVER_COLLIDE_SHARE
            deepest = max(depth_in(parts[a].fit, surfaces[b]), depth_in(parts[b].fit, surfaces[a]))
            thin = min(min(s for s in part.fit.size if s > 0.0) for part in (parts[a], parts[b]))
            meet = deepest > share * thin or -deepest < _bent_reach(parts, a, b)
            if everything or meet:
                found.append((a, b))
    return np.array(found, dtype=np.int32).reshape(-1, 2)


def _are_close(parts: Sequence[RagdollPart], a: int, b: int) -> bool:
    """Whether two parts hang on the same one, or one on what the other hangs on."""
    above_a, above_b = parts[a].parent, parts[b].parent
    grand = [parts[above].parent if above >= 0 else -1 for above in (above_a, above_b)]
    return (above_a >= 0 and above_a == above_b) or b == grand[0] or a == grand[1]


def _bent_reach(parts: Sequence[RagdollPart], a: int, b: int) -> float:
    """How far m bending brings two parts of a chain together that have one part between them.

    −∞ for others: limbs that fold are to meet.
    """
    for lower, upper in ((a, b), (b, a)):
        middle = parts[lower].parent
        if middle < 0 or parts[middle].parent != upper:
            continue
        joints = (parts[lower].joint, parts[middle].joint)
        if parts[middle].role not in TRUNK or parts[lower].role not in TRUNK:
            break
        if any(joint is None or joint.kind != "CONE_TWIST" for joint in joints):
            break
        bend = sum(joint.swing for joint in joints if joint is not None)
        if bend > 0.5 * np.pi:
            break
        return BENT_REACH * bend * max(_half_width(parts[row].fit) for row in (a, b))
    return -np.inf


def _half_width(fit: Fit) -> float:
    """Half of how wide m a limb is; a box and a hull are as wide as across their middle axis."""
    return sorted(fit.size)[1] if len(fit.size) == 3 else fit.size[0]
