"""Which bones of a skeleton are a body of their own or one with others, and what that hangs on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import ModelError
from ..settings import BoneSettings, RagdollSettings
from .skeleton import LEAST_LENGTH, Skeleton, Skin

if TYPE_CHECKING:
    from ..arrays import Floats, Ints

REACHES = 2.0
"""A short bone is a body if what hangs on it reaches so many times as far as a part must be long.
"""

MAIN = frozenset({"hand", "foot", "head"})
"""Roles that are bodies down to `MAIN_SHARE` of the length that others need."""

MAIN_SHARE = 0.4

SMALL_ROLES = frozenset({"detail", "face"})
"""Roles that are never bodies of their own unless they are asked to be."""

JOINED_SHARE = 0.12
"""Share of the character within which a part without a parent is joined to the nearest one."""

AT_SHOULDER = 0.04
"""Share of the character within which an arm begins where a shoulder ends."""


def bone_parts(
    name: str,
    skeleton: Skeleton,
    settings: RagdollSettings,
    roles: list[str],
    chosen: list[BoneSettings],
    skin: Skin,
) -> tuple[Ints, list[int]]:
    """Part (b,) of each bone, −1 for none, and the bone that leads each part.

    Parents come before their children, so that a bone that is too short finds its parent's part.
    """
    length, reach = skeleton.length, _reach(skeleton)
    shortest = settings.smallest * skeleton.size
    has_skin = np.zeros(len(skeleton), dtype=bool)
    has_skin[skin.bone[skin.weight > 0.0]] = True
    if not has_skin.any():
        has_skin[:] = True
    part = np.full(len(skeleton), -1, dtype=np.int32)
    leaders: list[int] = []
    for bone in _parents_first(skeleton):
        choice = chosen[bone].part
        if not skeleton.deforms[bone] or choice == "NONE":
            continue
        above = _part_above(skeleton, part, bone)
        if not length[bone] > LEAST_LENGTH * skeleton.size and choice == "OWN":
            raise ModelError(
                name,
                f"bone {skeleton.name[bone]} has no length and cannot be a body of its own; draw "
                "it longer in Edit Mode, or set its Body to With Parent",
            )
        own = choice == "OWN"
        if choice == "AUTO":
            own = _deserves_a_body(skeleton, bone, above, leaders, roles, shortest, length, reach)
            own = own and bool(has_skin[bone])
            own = own or (
                above < 0 and length[bone] > LEAST_LENGTH * skeleton.size and has_skin[bone]
            )
        if own and above >= 0 and choice == "AUTO":
            own = not _is_one_limb(skeleton, bone, roles)
            own = own and not _lies_in_trunk(skeleton, bone, roles)
        if own:
            part[bone] = len(leaders)
            leaders.append(bone)
        else:
            part[bone] = above
    if not leaders:
        raise ModelError(
            name,
            "none of its bones is a body; set Body to Own Body for one, or lower Smallest Part",
        )
    return part, leaders


def _deserves_a_body(
    skeleton: Skeleton,
    bone: int,
    above: int,
    leaders: list[int],
    roles: list[str],
    shortest: float,
    length: Floats,
    reach: Floats,
) -> bool:
    """Whether a bone is long enough, by itself or with what hangs on it."""
    role = roles[bone]
    if role in SMALL_ROLES or not length[bone] > LEAST_LENGTH * skeleton.size:
        return False
    if length[bone] >= shortest or (role in MAIN and length[bone] >= MAIN_SHARE * shortest):
        return True
    if role in ("finger", "toe") or reach[bone] < REACHES * shortest:
        return False
    # of several short ones in a row, a neck, every second is a body at most
    return above < 0 or length[leaders[above]] >= shortest


def _is_one_limb(skeleton: Skeleton, bone: int, roles: list[str]) -> bool:
    """Whether a bone is the second half of a limb that its rig has cut in two to twist it."""
    parent = int(skeleton.parent[bone])
    if parent < 0 or roles[bone] not in ("upper_arm", "forearm", "thigh", "shin"):
        return False
    is_straight = float(skeleton.direction(bone) @ skeleton.direction(parent)) > 0.996
    gap = float(np.linalg.norm(skeleton.head[bone] - skeleton.tail[parent]))
    return roles[parent] == roles[bone] and is_straight and gap < 0.01 * skeleton.size


def _lies_in_trunk(skeleton: Skeleton, bone: int, roles: list[str]) -> bool:
    """Whether a bone ends in the trunk: a belly or a chest that only shapes the skin."""
    parent = int(skeleton.parent[bone])
    if roles[bone] != "spine" or parent < 0 or bone in skeleton.parent:
        return False
    gap = float(np.linalg.norm(skeleton.head[bone] - skeleton.tail[parent]))
    return gap > 0.01 * skeleton.size


def _reach(skeleton: Skeleton) -> Floats:
    """How far (b,) m from its head the farthest tail of all lies that hang on a bone."""
    reach = skeleton.length.copy()
    for bone in range(len(skeleton)):
        if skeleton.deforms[bone]:
            above = int(skeleton.parent[bone])
            while above >= 0:
                far = float(np.linalg.norm(skeleton.tail[bone] - skeleton.head[above]))
                reach[above] = max(reach[above], far)
                above = int(skeleton.parent[above])
    return reach


def _parents_first(skeleton: Skeleton) -> list[int]:
    done = np.zeros(len(skeleton), dtype=bool)
    order: list[int] = []
    for bone in range(len(skeleton)):
        chain = []
        while bone >= 0 and not done[bone]:
            done[bone] = True
            chain.append(bone)
            bone = int(skeleton.parent[bone])
        order += chain[::-1]
    return order


def _part_above(skeleton: Skeleton, part: Ints, bone: int) -> int:
    """The part of the nearest ancestor that belongs to one, −1 for none."""
    above = int(skeleton.parent[bone])
    while above >= 0 and part[above] < 0:
        above = int(skeleton.parent[above])
    return int(part[above]) if above >= 0 else -1


def parents_of_parts(
    skeleton: Skeleton, part: Ints, leaders: list[int], roles: list[str]
) -> list[int]:
    """The part on which each hangs. One whose bone has no parent hangs on what is near its head.

    Generated rigs parent limbs to bones of their own that deform nothing, and arms to the chest
    where the shoulder that they begin at hangs on it too.
    """
    parents = [_part_above(skeleton, part, bone) for bone in leaders]
    for row, bone in enumerate(leaders):
        if roles[bone] in ("upper_arm", "thigh") and parents[row] >= 0:
            for other, girdle in enumerate(leaders):
                gap = float(np.linalg.norm(skeleton.tail[girdle] - skeleton.head[bone]))
                if (
                    roles[girdle] == "clavicle"
                    and parents[other] == parents[row]
                    and gap < AT_SHOULDER * skeleton.size
                ):
                    parents[row] = other
    roots = [row for row, parent in enumerate(parents) if parent < 0]
    weight = [sum(hangs_on(parents, other, row) for other in range(len(leaders))) for row in roots]
    main = roots[int(np.argmax(weight))]
    for row in roots:
        if row == main:
            continue
        head = skeleton.head[leaders[row]]
        best, nearest = JOINED_SHARE * skeleton.size, -1
        for other, bone in enumerate(leaders):
            if not hangs_on(parents, other, row):
                gap = _distance(head, skeleton.head[bone], skeleton.tail[bone])
                if gap < best:
                    best, nearest = gap, other
        parents[row] = nearest
    return parents


def hangs_on(parents: list[int], row: int, root: int) -> bool:
    """Whether a part is another one, or hangs on it, directly or not."""
    while row >= 0 and row != root:
        row = parents[row]
    return row == root


def _distance(point: Floats, a: Floats, b: Floats) -> float:
    """From a point to the line between two others, m."""
    way = b - a
    share = float((point - a) @ way) / max(float(way @ way), 1e-30)
    return float(np.linalg.norm(point - a - min(max(share, 0.0), 1.0) * way))
