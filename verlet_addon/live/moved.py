"""Where things are that hang on what the simulation moves: on bodies, and on bones of ragdolls.

The evaluated scene knows bodies and bones only as they were shown last, or as their keys have them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ...core.geometry.affine import nearest_rotation
from ..blender.data import armature_of
from ..properties.kinds import RAGDOLL
from ..transforms import affine, bone_space, parents

if TYPE_CHECKING:
    from ...core.arrays import Floats
    from ..session import Session


@dataclass(frozen=True)
class Moved:
    """What the simulation has moved in one frame, by session id."""

    row_of_body: Mapping[int, int] = field(default_factory=dict)
    bodies: Floats = field(default_factory=lambda: np.zeros((0, 4, 4)))  # world matrices
    # own transforms (4, 4) of the bones of ragdolls, by name
    bones: Mapping[int, Mapping[str, Floats]] = field(default_factory=dict)


def moved_in(session: Session, bodies: Floats, poses: Mapping[int, Floats]) -> Moved:
    """World matrices (b, 4, 4) of bodies, and own transforms of bones, see `Placement.poses`."""
    names = session.moved_bones
    return Moved(
        session.inputs.row_of_body,
        bodies,
        {
            rig.uid: dict(zip(names[rig.uid], poses[rig.uid]))
            for rig in session.participants(RAGDOLL)
            if rig.uid in poses
        },
    )


def parent_matrix(ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph, moved: Moved) -> Floats:
    """What stands between the object's own transform and the world (4, 4)."""
    if not _hangs_on(ob, moved) or ob.parent_type not in {"OBJECT", "BONE"}:
        return parents.parent_matrix(ob, depsgraph)
    above = world_matrix(ob.parent, depsgraph, moved)
    if ob.parent_type == "BONE" and ob.parent_bone in armature_of(ob.parent).bones:
        above = above @ _space_of_bone(ob, depsgraph, moved.bones.get(ob.parent.session_uid, {}))
    return above @ np.array(ob.matrix_parent_inverse)


def world_matrix(ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph, moved: Moved) -> Floats:
    """World matrix (4, 4) of an object that may be, or hang on, what was moved."""
    row = moved.row_of_body.get(ob.session_uid)
    if row is not None:
        return moved.bodies[row]
    evaluated = ob.evaluated_get(depsgraph)
    if _hangs_on(ob, moved):
        return parent_matrix(ob, depsgraph, moved) @ np.array(evaluated.matrix_basis)
    return affine.matrix_of(evaluated)


def _hangs_on(ob: bpy.types.Object, moved: Moved) -> bool:
    """Whether an ancestor of the object was moved, or the bone that it is the child of."""
    while ob.parent is not None:
        above = ob.parent
        if above.session_uid in moved.row_of_body:
            return True
        if ob.parent_type == "BONE" and above.session_uid in moved.bones:
            return True
        ob = above
    return False


def _space_of_bone(
    ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph, own: Mapping[str, Floats]
) -> Floats:
    """Where the space of an object's parent bone lies in its armature (4, 4)."""
    bone = armature_of(ob.parent).bones[ob.parent_bone]
    placed = _placed(bone, ob.parent.evaluated_get(depsgraph).pose.bones, own)
    if bone.use_relative_parent:
        return np.array(placed @ bone.matrix_local.inverted(), dtype=np.float64)
    return np.array(placed @ Matrix.Translation((0.0, bone.length, 0.0)), dtype=np.float64)


def _placed(
    bone: bpy.types.Bone, evaluated: bpy.types.bpy_prop_collection, own: Mapping[str, Floats]
) -> Matrix:
    """Where a bone lies in its armature when it, or bones above it, have transforms of their own.

    As the preview shows them: with the bones' keyed scale.
    """
    chain = [bone, *bone.parent_recursive]
    moved = [number for number, one in enumerate(chain) if one.name in own]
    if not moved:
        return evaluated[bone.name].matrix
    chain = chain[: moved[-1] + 1]
    top = chain[-1].parent
    matrix = None if top is None else evaluated[top.name].matrix
    for one in reversed(chain):
        posed = evaluated[one.name]
        basis = posed.matrix_basis
        if one.name in own:
            turn = nearest_rotation((own[one.name][:3, :3] * np.array(posed.scale))[None])[0]
            rotation = Matrix(turn.tolist())
            basis = Matrix.LocRotScale(Vector(own[one.name][:3, 3].tolist()), rotation, posed.scale)
        matrix = bone_space.to_pose(one, basis, matrix)
    return matrix
