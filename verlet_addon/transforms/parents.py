"""Where the space of an object's own location, rotation and scale lies in the world."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ..blender.data import curve_of


def parent_matrix(
    ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph | None = None
) -> NDArray[np.float64]:
    """Return the matrix (4,4) with world = parent_matrix · basis, at the current frame.

    It holds the parent (object, armature, bone, vertex) and ``matrix_parent_inverse``, not the
    object's constraints. The identity for an object without a parent.
    """
    if ob.parent is None:
        return np.eye(4)
    if depsgraph is None:
        depsgraph = bpy.context.evaluated_depsgraph_get()
    parent = ob.parent.evaluated_get(depsgraph)
    if ob.parent_type == "BONE" and parent.type == "ARMATURE":
        bone = parent.pose.bones.get(ob.parent_bone)
        space = parent.matrix_world @ _bone_matrix(bone) if bone else parent.matrix_world
    elif ob.parent_type in {"OBJECT", "ARMATURE"} and not _moves_along_path(parent):
        space = parent.matrix_world
    else:
        return _parent_matrix_by_difference(ob, depsgraph)
    return np.array(space @ ob.matrix_parent_inverse, dtype=np.float64)


def _bone_matrix(bone: bpy.types.PoseBone) -> Matrix:
    """Return the child space of a bone, at its tail, in the space of the armature."""
    if bone.bone.use_relative_parent:
        return bone.matrix_channel
    return bone.matrix @ Matrix.Translation((0.0, bone.length, 0.0))


def _moves_along_path(parent: bpy.types.Object) -> bool:
    return parent.type == "CURVE" and curve_of(parent).use_path


def _parent_matrix_by_difference(
    ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph
) -> NDArray[np.float64]:
    """Read where Blender puts the object and take its own transform off: vertices and paths.

    Constraints would come in between, so they are muted while this is read.
    """
    active = [constraint for constraint in ob.constraints if not constraint.mute]
    for constraint in active:
        constraint.mute = True
    if active:
        depsgraph.update()
    try:
        evaluated = ob.evaluated_get(depsgraph)
        return np.array(evaluated.matrix_world, dtype=np.float64) @ np.linalg.pinv(
            np.array(evaluated.matrix_basis, dtype=np.float64)
        )
    finally:
        for constraint in active:
            constraint.mute = False
