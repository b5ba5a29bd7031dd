"""What a bone is in a body, by its name and its place, and which way the character looks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from .skeleton import Skeleton, unit

if TYPE_CHECKING:
    from ..arrays import Floats

WORDS = (
    (
        "detail",
        ("twist", "roll", "palm", "metacarpal", "heel", "breast", "helper", "volume", "feather"),
    ),
    (
        "face",
        ("face", "eye", "jaw", "lip", "brow", "lid", "teeth", "tongue", "nose", "cheek", "temple")
        + ("chin", "forehead", "ear", "mouth", "whisker"),
    ),
    ("finger", ("thumb", "finger", "index", "middle", "ring", "pinky", "pinkie", "little")),
    ("toe", ("toe", "ball", "digit", "claw")),
    ("foot", ("foot", "ankle", "paw", "hoof")),
    ("thigh", ("thigh", "upleg", "upperleg", "legupper", "femur")),
    ("shin", ("shin", "calf", "lowerleg", "lowleg", "leglower", "knee", "tibia")),
    ("forearm", ("forearm", "lowerarm", "lowarm", "armlower", "elbow", "radius", "ulna")),
    ("clavicle", ("clavicle", "collar", "scapula")),
    ("upper_arm", ("upperarm", "armupper", "uparm", "humerus")),
    ("hand", ("hand", "wrist")),
    ("neck", ("neck",)),
    ("head", ("head", "skull")),
    ("tail", ("tail",)),
    ("shoulder", ("shoulder",)),
    ("spine", ("spine", "chest", "torso", "abdomen", "waist", "back", "body", "ribs", "belly")),
    ("hip", ("hip", "hips", "pelvis")),
    ("leg", ("leg",)),
    ("arm", ("arm",)),
)
"""Roles with the words that tell them, the more special ones first."""

SIDE_OF_WORD = {"l": 1, "left": 1, "r": -1, "right": -1}

_PREFIX = re.compile(r"^(def|org|mch|mixamorig\d*|bip\d*|valvebiped|cc base|b|jnt|bn)\b\s*")


def _tokens(name: str) -> list[str]:
    """Lower-case words of a bone's name; numbers and marks part them, and so do capitals."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    words = re.sub(r"[^a-zA-Z]+", " ", spaced).lower().strip()
    while (shorter := _PREFIX.sub("", words)) != words and shorter:
        words = shorter
    return words.split()


def side_of(name: str) -> int:
    """1 for a bone of the left, −1 for one of the right, 0 for one of the middle."""
    for token in _tokens(name):
        if token in SIDE_OF_WORD:
            return SIDE_OF_WORD[token]
    return 0


def stem_of(name: str) -> str:
    """The name without its side."""
    return " ".join(token for token in _tokens(name) if token not in SIDE_OF_WORD)


def _word_role(name: str) -> str:
    words = [token for token in _tokens(name) if token not in SIDE_OF_WORD]
    joined = "".join(words)
    for role, keys in WORDS:
        for key in keys:  # short ones must stand alone: ear is not in forearm
            if key in words or (len(key) >= 4 and key in joined):
                return role
    return ""


def bone_roles(skeleton: Skeleton) -> list[str]:
    """The role of each bone, "" for one that is not known.

    Skeletons of motion capture name bones by the joint at their head: there a hip with a side is a
    thigh, a shoulder beneath a collar is an upper arm. An arm or a leg is the upper one unless its
    parent is one already. What follows the chest in the middle is neck and head.
    """
    roles = [_word_role(name) for name in skeleton.name]
    for bone in _from_the_root(skeleton):
        name, above = skeleton.name[bone], _role_above(skeleton, roles, bone)
        match roles[bone]:
            case "hip":
                roles[bone] = _hip_role(skeleton, roles, bone)
            case "head" if side_of(name):
                roles[bone] = "detail"
            case "shoulder":
                roles[bone] = "upper_arm" if above == "clavicle" else "clavicle"
            case "leg":
                roles[bone] = "shin" if above in ("thigh", "leg") else "thigh"
            case "arm":
                roles[bone] = "forearm" if above in ("upper_arm", "arm") else "upper_arm"
            case "":
                if above in ("face", "finger", "hand", "detail", "head"):
                    roles[bone] = above if above in ("face", "finger", "detail") else "detail"
    _name_neck_and_head(skeleton, roles)
    return roles


def _from_the_root(skeleton: Skeleton) -> list[int]:
    """Bones in an order in which parents come before their children."""
    depth = np.zeros(len(skeleton), dtype=np.int64)
    for bone in range(len(skeleton)):
        above = int(skeleton.parent[bone])
        while above >= 0:
            depth[bone] += 1
            above = int(skeleton.parent[above])
    return [int(bone) for bone in np.argsort(depth, kind="stable")]


def _role_above(skeleton: Skeleton, roles: list[str], bone: int) -> str:
    """The role of the nearest ancestor that has one."""
    above = int(skeleton.parent[bone])
    while above >= 0 and not roles[above]:
        above = int(skeleton.parent[above])
    return roles[above] if above >= 0 else ""


def _hip_role(skeleton: Skeleton, roles: list[str], bone: int) -> str:
    """What a hip or pelvis is: the trunk, a thigh, or what carries a thigh and hardly moves."""
    if not side_of(skeleton.name[bone]):
        return "spine"
    below = {roles[other] for other in range(len(skeleton)) if _is_below(skeleton, other, bone)}
    if below & {"thigh", "leg"}:
        return "clavicle"
    return "thigh" if below & {"shin", "foot"} else "detail"


def _is_below(skeleton: Skeleton, bone: int, root: int) -> bool:
    bone = int(skeleton.parent[bone])
    while bone >= 0 and bone != root:
        bone = int(skeleton.parent[bone])
    return bone == root


def _deforming_above(skeleton: Skeleton, bone: int) -> int:
    """The nearest ancestor that deforms, −1 for none."""
    bone = int(skeleton.parent[bone])
    while bone >= 0 and not skeleton.deforms[bone]:
        bone = int(skeleton.parent[bone])
    return bone


def _name_neck_and_head(skeleton: Skeleton, roles: list[str]) -> None:
    """Bones called spine above the one that carries the arms are the neck, the last is the head."""
    if "head" in roles:
        return
    above = [_deforming_above(skeleton, bone) for bone in range(len(skeleton))]
    carriers = {
        above[bone]
        for bone, role in enumerate(roles)
        if role in ("clavicle", "upper_arm") and skeleton.deforms[bone] and above[bone] >= 0
    }
    for bone in carriers:
        chain = []
        while bone >= 0:
            following = [
                b
                for b, role in enumerate(roles)
                if above[b] == bone
                and role in ("spine", "neck")
                and skeleton.deforms[b]
                and not side_of(skeleton.name[b])
            ]
            bone = following[0] if following else -1
            chain += following[:1]
        for link in chain[:-1]:
            roles[link] = "neck"
        for link in chain[-1:]:
            roles[link] = "head"


def body_axes(skeleton: Skeleton, roles: list[str]) -> tuple[Floats, Floats, Floats]:
    """Unit vectors (3,) to the character's left, to its front and upward.

    Left comes from pairs of bones of both sides, up from the skeleton and the left.
    """
    up = unit(skeleton.up, np.array([0.0, 0.0, 1.0]))
    heads: dict[tuple[str, int], list[Floats]] = {}
    for bone, name in enumerate(skeleton.name):
        if skeleton.deforms[bone] and roles[bone] not in ("face", "finger", "detail"):
            heads.setdefault((stem_of(name), side_of(name)), []).append(skeleton.tail[bone])
    across = np.zeros(3)
    for (stem, side), places in heads.items():
        if side == 1 and (stem, -1) in heads:
            across += np.mean(places, axis=0) - np.mean(heads[stem, -1], axis=0)
    left = unit(across - (across @ up) * up, np.zeros(3))
    if not left.any():
        aside = np.eye(3)[0] if abs(up[0]) < 0.9 else np.eye(3)[1]
        left = unit(aside - (aside @ up) * up, aside)
    return left, np.cross(left, up), up
