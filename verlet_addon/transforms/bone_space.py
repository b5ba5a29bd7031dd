"""Own transforms of bones to their places in the armature, and back."""

from __future__ import annotations

from collections.abc import Iterable

import bpy
from mathutils import Matrix


def parents_first(bones: Iterable[bpy.types.Bone]) -> list[bpy.types.Bone]:
    """Bones in an order in which parents come before their children."""
    return sorted(bones, key=lambda bone: len(bone.parent_recursive))


def to_pose(bone: bpy.types.Bone, basis: Matrix, parent: Matrix | None) -> Matrix:
    """Where a bone lies in its armature, from its own transform and its parent's place there."""
    if bone.parent is None or parent is None:
        return bone.convert_local_to_pose(basis, bone.matrix_local)
    return bone.convert_local_to_pose(
        basis,
        bone.matrix_local,
        parent_matrix=parent,
        parent_matrix_local=bone.parent.matrix_local,
    )


def to_basis(bone: bpy.types.Bone, placed: Matrix, parent: Matrix | None) -> Matrix:
    """The inverse of `to_pose`."""
    if bone.parent is None or parent is None:
        return bone.convert_local_to_pose(placed, bone.matrix_local, invert=True)
    return bone.convert_local_to_pose(
        placed,
        bone.matrix_local,
        parent_matrix=parent,
        parent_matrix_local=bone.parent.matrix_local,
        invert=True,
    )
