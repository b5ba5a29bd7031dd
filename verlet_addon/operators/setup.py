"""The verbs and Remove: what the selected objects are in the simulation."""

import bpy
import numpy as np

from ...core.errors import ModelError
from .. import session
from ..blender.data import any_item
from ..blender.types import Result
from ..extract import mesh as meshes
from ..extract import particles
from ..live import preview
from ..properties import bake_record, participants
from ..properties.kinds import KINDS, KINDS_THAT_TEAR, Kind
from ..ragdoll import armature
from ..scene import hints
from . import handles
from .ragdoll_weight import weigh_at_first
from .robot_pieces import join_pieces, remove_made_joints
from .selection import for_each, selected_shapes
from .tear import make_whole


def _needed(kind: Kind) -> str:
    """The types of objects that a kind is made of, in words."""
    return " or ".join(_with_article(t) for t in sorted(kind.object_types, reverse=True))


def _with_article(object_type: str) -> str:
    word = object_type.lower()
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"


def require_suitable(ob: bpy.types.Object, kind: Kind, depsgraph: bpy.types.Depsgraph) -> None:
    """Raise ModelError for an object that cannot be of the kind; nothing is changed then."""
    if ob.library is not None or not ob.is_editable:
        library = ob.library.filepath if ob.library else "another file"
        raise ModelError(
            ob.name,
            f"it is linked from {library}. Use Object › Library Override › Make, or Object › "
            "Relations › Make Local",
        )
    if bake_record.is_baked(ob):
        raise ModelError(ob.name, "it is baked. Press Free Bake first")
    if ob.type not in kind.object_types:
        way_out = "Select the armature that moves it"
        if kind.moves != "BONES":
            way_out = particles.WAY_OUT.get(ob.type, way_out)
        raise ModelError(
            ob.name,
            f"it is {_with_article(ob.type)} object, and {kind.label} needs {_needed(kind)}. "
            f"{way_out}",
        )
    meshes.read_matrix(ob, depsgraph)
    if kind.moves == "BONES":
        armature.require_suitable(ob)
    elif kind.is_particles:
        particles.require_suitable(ob, kind)
    else:
        points, _ = meshes.read_visible_surface(ob, depsgraph)
        if not np.ptp(points, axis=0).any():
            what = "it has only one vertex"
            if len(points) > 1:
                what = f"all its {len(points)} vertices are in one place"
            raise ModelError(ob.name, f"{what}, so it has no shape. Add some in Edit Mode")


class _KindVerb(bpy.types.Operator):
    """Makes the selected objects one kind of thing."""

    bl_options = {"REGISTER", "UNDO"}
    kind: Kind

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if selected_shapes(context):
            return True
        shown = next((ob for ob in context.selected_objects if ob.instance_collection), None)
        if shown is None:
            cls.poll_message_set(f"Select {_needed(cls.kind)} object first")
        else:
            cls.poll_message_set(
                f"{shown.name} only shows {shown.instance_collection.name}: press Object › Apply › "
                "Make Instances Real first"
            )
        return False

    def execute(self, context: bpy.types.Context) -> Result:
        depsgraph = context.evaluated_depsgraph_get()
        kind = self.kind

        def change(ob: bpy.types.Object) -> None:
            if ob.type in kind.object_types:
                handles.free(ob)
            hints.forget_refusal(ob)
            try:
                require_suitable(ob, kind, depsgraph)
            except particles.OpenMesh as error:
                hints.refuse(ob, str(error), kind.verb)
                raise
            if ob.verlet.kind != kind.identifier:
                preview.clear(ob)
                if kind.identifier not in KINDS_THAT_TEAR:
                    make_whole(ob)
                ob.verlet.kind = any_item(kind.identifier)
                if kind.moves == "BONES":
                    weigh_at_first(ob, depsgraph)

        session.suspect_all()
        return for_each(self, selected_shapes(context), change, f"set up: {kind.label}")


class _RagdollVerb(_KindVerb):
    """Makes ragdolls of armatures, and of several meshes, a robot, rigid bodies that are joined."""

    def execute(self, context: bpy.types.Context) -> Result:
        armatures = [ob for ob in context.selected_objects if ob.type == "ARMATURE"]
        skins = {
            mesh
            for ob in armatures
            for mesh in (*armature.skinned_meshes(ob), *armature.stiff_meshes(ob))
        }
        meshes = [ob for ob in context.selected_objects if ob.type == "MESH" and ob not in skins]
        pieces = [ob for ob in meshes if ob.verlet.kind in {"NONE", "BODY"}]
        if armatures or len(pieces) < 2 or context.mode != "OBJECT":
            for ob in skins:
                ob.select_set(False)  # it follows the armature, and is no ragdoll itself
            return super().execute(context)
        return self._join(context, sorted(pieces, key=lambda ob: ob.name_full))

    def _join(self, context: bpy.types.Context, pieces: list[bpy.types.Object]) -> Result:
        depsgraph = context.evaluated_depsgraph_get()
        sound, problems = [], []
        for ob in pieces:
            try:
                require_suitable(ob, KINDS["BODY"], depsgraph)
                if own := ob.find_armature():
                    raise ModelError(ob.name, f"{own.name} moves it. Press Ragdoll on that")
                sound.append(ob)
            except ModelError as error:
                problems.append(str(error))
        if len(sound) < 2:
            self.report({"ERROR"}, "\n".join(problems))
            return {"CANCELLED"}
        session.suspect_all()
        for ob in sound:
            preview.clear(ob)
        empties = [
            ob for ob in context.selected_objects if ob.type == "EMPTY" and not ob.verlet.is_joint
        ]
        for ob in sound:
            if ob.verlet.kind == "NONE":
                ob.verlet.kind = "BODY"
                ob.verlet.body.mass_by = "DENSITY"  # a hand is lighter than a trunk
        robot = join_pieces(context, sound, empties)
        if robot.alone:
            names = ", ".join(robot.alone)
            problems.append(
                f"{names}: too far from the other pieces to be joined. Move it closer, or select "
                "it with one of them and press Join"
            )
        count = f"{len(sound)} pieces, {robot.joints} joint{'s' if robot.joints != 1 else ''} made"
        if robot.groups > 1:
            count += f", {robot.groups} ragdolls"
        self.report({"WARNING" if problems else "INFO"}, "; ".join([count, *problems]))
        return {"FINISHED"}


def _verb_of(kind: Kind) -> type[bpy.types.Operator]:
    """The operator of one kind."""
    verb = _RagdollVerb if kind.moves == "BONES" else _KindVerb
    body = {
        "bl_idname": f"verlet.{kind.verb}",
        "bl_label": kind.label,
        "bl_description": kind.tooltip,
        "kind": kind,
        "__doc__": kind.tooltip,
        "__module__": __name__,
    }
    return type(f"VERLET_OT_{kind.verb}", (verb,), body)


class VERLET_OT_remove(bpy.types.Operator):
    """Take the selected objects out of the simulation; they get their own shape and place back"""

    bl_idname = "verlet.remove"
    bl_label = "Remove"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not any(ob.verlet.kind != "NONE" for ob in selected_shapes(context)):
            cls.poll_message_set("None of the selected objects takes part in the simulation")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> Result:
        def change(ob: bpy.types.Object) -> None:
            if not ob.is_editable:
                raise ModelError(ob.name, "it is linked: remove it in its own file")
            if bake_record.is_baked(ob):
                raise ModelError(ob.name, "it is baked. Press Free Bake first")
            preview.clear(ob)
            make_whole(ob)
            handles.give_back(ob)
            ob.verlet.kind = "NONE"

        objects = [ob for ob in selected_shapes(context) if ob.verlet.kind != "NONE"]
        session.suspect_all()
        result = for_each(self, objects, change, "removed from the simulation")
        remove_made_joints(context.scene)
        if not participants.has_any(context.scene):
            session.drop(context.scene)  # nothing is left that frames could be of
        return result


CLASSES = (*map(_verb_of, KINDS.values()), VERLET_OT_remove)
