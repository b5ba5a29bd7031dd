"""Shows simulated poses of ragdolls: location and rotation of pose bones, the user's own kept.

What a bone had lies in ``PoseBone.verlet.rest`` in the file; constraints that would move it are
muted as long as it shows the simulation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import bpy
import numpy as np

from . import rest_pose
from .bake import restore
from .bake.rotation_modes import rotation_values
from .bake.rotations import nearest_rotation
from .extract.bone_constraints import constraints_on
from .kinds import RAGDOLL
from .participants import find_objects

if TYPE_CHECKING:
    from .session import Floats, Session


def show(session: Session, poses: Mapping[int, Floats]) -> None:
    """Write own transforms (m, 4, 4), by session id, to the bones that the simulation moves."""
    wanted = session.participants(RAGDOLL)
    for participant, ob in zip(wanted, find_objects(wanted)):
        if ob is None or ob.pose is None or ob.verlet.kind != RAGDOLL or restore.is_baked(ob):
            continue
        names = session.moved_bones[participant.uid]
        session.awaited |= participant.armature.moved_ids
        for name in {bone for bone, _ in constraints_on(ob, frozenset(names))}:
            rest_pose.store(ob.pose.bones[name])
        for name, matrix in zip(names, poses[participant.uid]):
            bone = ob.pose.bones.get(name)
            if bone is None:
                continue
            rest_pose.store(bone)
            turned = nearest_rotation((matrix[:3, :3] * np.array(bone.scale))[None])
            bone.location = matrix[:3, 3]
            channel = rest_pose.rotation_channel(bone.rotation_mode)
            before = np.array(getattr(bone, channel), dtype=np.float64)
            setattr(bone, channel, rotation_values(bone.rotation_mode, turned, before)[0])


def put_back(ob: bpy.types.Object) -> None:
    """Give all bones of an armature their own transforms again."""
    if ob.pose is not None:
        for bone in ob.pose.bones:
            rest_pose.put_back(bone)


def pose_curves(
    session: Session, ob: bpy.types.Object, frames: range
) -> tuple[list[str], Floats, list[tuple[str, str]]]:
    """Names of the moved bones, their own transforms (F, m, 4, 4), constraints to be muted."""
    names = session.moved_bones[ob.session_uid]
    basis = np.stack([session.placement(frame).poses[ob.session_uid] for frame in frames])
    return names, basis, constraints_on(ob, frozenset(names))
