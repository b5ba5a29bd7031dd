"""Learn Limits, Take Limits and Reset Limits: how far the joints of ragdolls turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import bpy
import numpy as np

from ...core.errors import ModelError
from ...core.settings import BoneSettings, tunables
from ..blender.data import armature_of
from ..extract import mesh
from ..live import preview
from ..properties.tunable_properties import settings_from
from ..ragdoll import action_poses
from .ragdoll_bones import OfRagdolls, plan_of

if TYPE_CHECKING:
    from ...core.recipes.ragdoll_plan import Plan

MOST_POSES = 600
"""Frames that are looked at in all actions together: a rig with controls takes 10 ms for each."""

LIMIT_SETTINGS = (
    "joint",
    "has_limits",
    "lower",
    "upper",
    "swing",
    "lean_x",
    "lean_z",
    "hinge_axis",
)
"""What of a bone tells how far it turns."""


class _OfBones(OfRagdolls):
    """What operators on the bones of ragdolls share."""

    selected_only: bpy.props.BoolProperty(
        name="Selected Bones Only",
        description="Only the bones that are selected in Pose Mode",
        options={"SKIP_SAVE"},
    )

    def change(self, context: bpy.types.Context, ob: bpy.types.Object) -> str:
        names = [bone.name for bone in ob.pose.bones]
        if self.selected_only:
            chosen = {b.name for b in context.selected_pose_bones or () if b.id_data == ob}
            names = [name for name in names if name in chosen]
        if not names:
            raise ModelError(ob.name, "none of its bones is selected in Pose Mode")
        return self._change(context, ob, names)

    def _change(self, context: bpy.types.Context, ob: bpy.types.Object, names: list[str]) -> str:
        """Change these bones; what was done, in words."""
        raise NotImplementedError


class VERLET_OT_learn_limits(_OfBones):
    """Set the limits of the joints to what the character's own actions use, and a margin beyond.

    Joints that no action moves keep theirs
    """

    bl_idname = "verlet.learn_limits"
    bl_label = "Learn Limits"

    source: bpy.props.EnumProperty(
        name="From",
        description="Which actions are looked at",
        items=(
            ("ALL", "All That Fit", "All actions in the file that move these bones"),
            ("CURRENT", "Current Action", "The action that the armature plays now"),
        ),
    )
    margin: bpy.props.FloatProperty(
        name="Margin",
        description="How far beyond the poses of the actions a joint may turn",
        default=np.radians(10.0),
        min=0.0,
        max=np.pi,
        subtype="ANGLE",
    )

    def _change(self, context: bpy.types.Context, ob: bpy.types.Object, names: list[str]) -> str:
        sources = action_poses.fitting(ob) if self.source == "ALL" else action_poses.current(ob)
        if not sources:
            raise ModelError(
                ob.name,
                "no action moves its bones. Give it one in the Action Editor, or set Own Limits "
                "of its bones by hand",
            )
        preview.clear(ob)
        plan, turns = _turns(context, ob, sources)
        count = self._learn(ob, plan, turns, names)
        actions = len({action.name for action, _ in sources})
        if not count:
            raise ModelError(
                ob.name, f"{actions} action(s) were read, and none turns a joint of these bones"
            )
        joints = sum(part.joint is not None for part in plan.parts)
        return f"{count} of {joints} joints learnt from {actions} action(s)"

    def _learn(self, ob: bpy.types.Object, plan: Plan, turns: np.ndarray, names: list[str]) -> int:
        """Write what the turns (n, b, 3, 3) of the bones away from rest use; return how many."""
        from ...core.recipes.bone_joints import as_choice, learnt_joint

        count = 0
        for part in plan.parts:
            bone = ob.pose.bones[plan.skeleton.name[part.bone]]
            choice = settings_from(bone.verlet, BoneSettings)
            if part.joint is None or bone.name not in names or choice.joint in {"BALL", "FIXED"}:
                continue
            above = plan.parts[part.parent].bone
            joint = learnt_joint(
                plan.skeleton,
                part.bone,
                turns[:, above],
                turns[:, part.bone],
                self.margin,
                choice.joint,
            )
            if joint is None:
                continue
            _choose(bone, as_choice(plan.skeleton, part.bone, joint, choice))
            count += 1
        return count


def _choose(bone: bpy.types.PoseBone, limits: BoneSettings) -> None:
    """Give a bone limits as if by hand: rounded, so that none is shown as -0°."""
    for name in LIMIT_SETTINGS:
        value = getattr(limits, name)
        setattr(bone.verlet, name, round(value, 6) + 0.0 if isinstance(value, float) else value)


def _turns(
    context: bpy.types.Context, ob: bpy.types.Object, sources: Sequence[action_poses.Source]
) -> tuple[Plan, np.ndarray]:
    """The ragdoll's plan, and how each bone is turned away from rest in each pose (n, b, 3, 3)."""
    from ...core.recipes.ragdoll import turned_pose  # loads the kernels

    world = mesh.read_matrix(ob, context.evaluated_depsgraph_get())
    plan = plan_of(ob, world)
    rest = world @ np.array([bone.matrix_local for bone in armature_of(ob).bones], dtype=np.float64)
    poses = action_poses.poses_in(ob, context.scene, sources, MOST_POSES)
    return plan, np.array([turned_pose(rest, world @ seen)[0] for seen in poses])


class VERLET_OT_take_limits(_OfBones):
    """Set Own Limits to what names, IK limits and rest pose tell, to change them from there"""

    bl_idname = "verlet.take_limits"
    bl_label = "Take Limits"

    def _change(self, context: bpy.types.Context, ob: bpy.types.Object, names: list[str]) -> str:
        from ...core.recipes.bone_joints import as_choice

        plan = plan_of(ob, mesh.read_matrix(ob, context.evaluated_depsgraph_get()))
        count = 0
        for part in plan.parts:
            bone = ob.pose.bones[plan.skeleton.name[part.bone]]
            if part.joint is None or not part.joint.is_limited or bone.name not in names:
                continue
            before = settings_from(bone.verlet, BoneSettings)
            _choose(bone, as_choice(plan.skeleton, part.bone, part.joint, before))
            count += 1
        if not count:
            raise ModelError(ob.name, "none of these bones has a joint with limits")
        return f"{count} joint{'s' if count != 1 else ''} with own limits"


class VERLET_OT_reset_limits(_OfBones):
    """Forget limits by hand and learnt ones: joints turn as names, IK limits and rest pose tell"""

    bl_idname = "verlet.reset_limits"
    bl_label = "Reset Limits"

    def _change(self, context: bpy.types.Context, ob: bpy.types.Object, names: list[str]) -> str:
        defaults = tunables(BoneSettings)
        count = 0
        for name in names:
            group = ob.pose.bones[name].verlet
            count += group.has_limits or group.joint != "AUTO"
            for field in LIMIT_SETTINGS:
                setattr(group, field, defaults[field][0])
        return f"limits of {count} bone{'s' if count != 1 else ''} are automatic again"


CLASSES = (VERLET_OT_learn_limits, VERLET_OT_take_limits, VERLET_OT_reset_limits)
