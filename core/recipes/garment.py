"""Which bodies of a ragdoll hold what it wears: a cape, a skirt, a rope round its waist."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .bone_shapes import distances_to

if TYPE_CHECKING:
    from ..arrays import Floats, Ints
    from .ragdoll_plan import Plan
    from .skeleton import Skin


def bearing_parts(plan: Plan) -> Ints:
    """Part (b,) that carries each bone: its own, or that of what it hangs on; −1 for none."""
    parent = plan.skeleton.parent
    found = plan.part_of_bone.copy()
    for bone in range(len(found)):
        above = bone
        while above >= 0 and plan.part_of_bone[above] < 0:
            above = int(parent[above])
        found[bone] = plan.part_of_bone[above] if above >= 0 else -1
    return found


def garment_parts(plan: Plan, skin: Skin) -> Ints:
    """Part (n,) that has the largest weight at each point of what is worn, −1 where none has any.

    Weights of bones that are one body count together.
    """
    return skin.owners(bearing_parts(plan), len(plan.parts))


def nearest_parts(plan: Plan, points: Floats, turn: Floats, move: Floats) -> Ints:
    """Part (n,) whose shape is nearest to each of points (n, 3) m, or holds it deepest.

    turn (b, 3, 3), move (b, 3) m: what carries bones from the rest pose to where the points are.
    """
    gaps = []
    for part in plan.parts:
        at_rest = (points - move[part.bone]) @ turn[part.bone]
        gaps.append(distances_to(part.fit, at_rest))
    return np.argmin(gaps, axis=0).astype(np.int32)
