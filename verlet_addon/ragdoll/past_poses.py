"""How armatures moved a frame ago, as they were seen: by keys, constraints, drivers and parents.

To go to another frame would undo edits that have no key yet. A scene of its own, that is gone
again at once, has its own evaluated copies of everything, and what is evaluated there is not
written back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np

from ...core.arrays import Floats
from ...core.geometry.affine import inverse
from ..blender.data import armature_of
from ..extract.reading import reading
from ..transforms import affine

STILL_ENTRY = 1e-6
"""Entries of a matrix that change by less in a frame do not change: keys have 32 bits."""


def read_changes(
    armatures: Sequence[bpy.types.Object], scene: bpy.types.Scene, frame: int
) -> dict[int, Floats]:
    """What carried bones (b, 4, 4) to ``frame`` from the one before, in the world, by session id.

    What stood still until then goes on as it will move after it. Armatures that never move are
    left out.
    """
    wanted = [ob for ob in armatures if _may_move(ob)]
    if not wanted:
        return {}
    apart = bpy.data.scenes.new("Verlet")
    try:
        apart.render.fps, apart.render.fps_base = scene.render.fps, scene.render.fps_base
        for ob in wanted:
            apart.collection.objects.link(ob)
        with reading():
            seen = [_seen(apart, wanted, number) for number in (frame - 1, frame, frame + 1)]
    finally:
        bpy.data.scenes.remove(apart)
    found = {}
    for ob in wanted:
        poses = [one.get(ob.session_uid) for one in seen]
        for a, b in ((poses[0], poses[1]), (poses[1], poses[2])):
            if a is None or b is None:
                continue
            change = b @ inverse(a)
            if np.abs(change - np.eye(4)).max() > STILL_ENTRY:
                found[ob.session_uid] = change
                break
    return found


def _seen(
    scene: bpy.types.Scene, armatures: Sequence[bpy.types.Object], frame: int
) -> dict[int, Floats]:
    """Bones (b, 4, 4) in the world in a frame, by session id; without those that are flat."""
    scene.frame_set(frame)
    depsgraph = scene.view_layers[0].depsgraph
    found = {}
    for ob in armatures:
        evaluated = ob.evaluated_get(depsgraph)
        if evaluated.pose is None:
            continue
        bones = evaluated.pose.bones
        local = np.array(
            [bones[bone.name].matrix for bone in armature_of(ob).bones], dtype=np.float64
        )
        placed = affine.matrix_of(evaluated) @ local
        if all(affine.is_invertible(matrix) for matrix in placed):
            found[ob.session_uid] = placed
    return found


def _may_move(ob: bpy.types.Object) -> bool:
    """Whether anything may move the bones of an armature from frame to frame."""
    if any(len(bone.constraints) for bone in ob.pose.bones):
        return True
    link: bpy.types.Object | None = ob
    while link is not None:
        if len(link.constraints) or _is_animated(link) or _is_animated(link.data):
            return True
        if link.parent_type == "BONE":
            return True
        link = link.parent
    return False


def _is_animated(datablock: Any) -> bool:
    animation = None if datablock is None else datablock.animation_data
    if animation is None:
        return False
    return animation.action is not None or bool(animation.drivers) or bool(animation.nla_tracks)
