"""Which constraints move given bones of an armature."""

from __future__ import annotations

import bpy


def constraints_on(ob: bpy.types.Object, moved: frozenset[str]) -> list[tuple[str, str]]:
    """Constraints (bone, name) that move bones of these names: their own, and chains over them."""
    return [
        (bone.name, constraint.name)
        for bone in ob.pose.bones
        for constraint in bone.constraints
        if bone.name in moved or moved & chain_of(bone, constraint)
    ]


def chain_of(bone: bpy.types.PoseBone, constraint: bpy.types.Constraint) -> frozenset[str]:
    """Names of the bones that a chain of inverse kinematics turns."""
    if not isinstance(constraint, bpy.types.KinematicConstraint | bpy.types.SplineIKConstraint):
        return frozenset()
    chain = [bone, *bone.parent_recursive]
    if isinstance(constraint, bpy.types.KinematicConstraint) and not constraint.use_tail:
        chain = chain[1:]
    if constraint.chain_count:
        chain = chain[: constraint.chain_count]
    return frozenset(link.name for link in chain)
