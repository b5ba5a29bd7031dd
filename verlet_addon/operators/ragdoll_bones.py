"""What operators on ragdolls of bones share: which ones they are for, and the plan of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from ...core.errors import ModelError
from ...core.settings import BoneSettings, RagdollSettings
from .. import session
from ..blender.data import armature_of
from ..blender.types import Result
from ..properties import bake_record
from ..properties.kinds import KINDS, RAGDOLL, is_ragdoll
from ..properties.objects import group_of
from ..properties.tunable_properties import settings_from
from ..ragdoll import armature
from .modes import in_object_or_pose_mode

if TYPE_CHECKING:
    from ...core.arrays import Floats
    from ...core.recipes.ragdoll_plan import Plan


def ragdolls_of(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The selected ragdolls of bones, and the active one."""
    chosen = {*context.selected_objects, *([context.object] if context.object else [])}
    return sorted(filter(is_ragdoll, chosen), key=lambda ob: ob.name_full)


class OfRagdolls(bpy.types.Operator):
    """What operators on ragdolls of bones share."""

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not ragdolls_of(context):
            cls.poll_message_set("Select an armature and press Ragdoll first")
            return False
        return in_object_or_pose_mode(cls, context)

    def execute(self, context: bpy.types.Context) -> Result:
        done, problems = [], []
        for ob in ragdolls_of(context):
            try:
                if ob.library is not None or not ob.is_editable:
                    raise ModelError(ob.name, "it is linked. Make a library override of it first")
                if bake_record.is_baked(ob):
                    raise ModelError(ob.name, "it is baked. Press Free Bake first")
                done.append(f"{ob.name}: {self.change(context, ob)}")
            except ModelError as error:
                problems.append(str(error))
        session.suspect_all()
        if not done:
            self.report({"ERROR"}, "\n".join(problems))
            return {"CANCELLED"}
        self.report({"WARNING" if problems else "INFO"}, "; ".join([*done, *problems]))
        return {"FINISHED"}

    def change(self, context: bpy.types.Context, ob: bpy.types.Object) -> str:
        """Change one ragdoll, and say what was done; ModelError where that cannot be."""
        raise NotImplementedError


def plan_of(ob: bpy.types.Object, world: Floats) -> Plan:
    """Bodies and joints that a ragdoll will have, as it is now; world (4, 4): its matrix."""
    from ...core.recipes.ragdoll_planning import plan_ragdoll  # loads the kernels

    armature.require_suitable(ob)
    skin = armature.read_skin(ob, armature.flesh(ob), world)
    choices = [
        settings_from(ob.pose.bones[b.name].verlet, BoneSettings) for b in armature_of(ob).bones
    ]
    settings = settings_from(group_of(ob, KINDS[RAGDOLL]), RagdollSettings)
    wrapped = armature.in_hulls(choices, armature.hard_bones(ob), settings.shape)
    return plan_ragdoll(ob.name, armature.read_skeleton(ob, world), settings, skin, wrapped)
