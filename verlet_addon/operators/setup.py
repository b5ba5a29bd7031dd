"""Cloth, Rigid Body, Collider, Remove: what the selected objects are in the simulation."""

import bpy

from ...core.errors import ModelError
from .. import kernels, preview, session
from ..bake import restore
from ..extract import mesh as meshes
from ..properties import KIND_ICON, KIND_LABEL
from .selection import for_each, selected_meshes


def require_suitable(ob: bpy.types.Object, kind: str, depsgraph: bpy.types.Depsgraph) -> None:
    """Raise ModelError for an object that cannot be of the kind; nothing is changed then."""
    if ob.library is not None or not ob.is_editable:
        library = ob.library.filepath if ob.library else "another file"
        raise ModelError(
            ob.name,
            f"it is linked from {library}. Use Object › Library Override › Make, or Object › "
            "Relations › Make Local",
        )
    if restore.is_baked(ob):
        raise ModelError(ob.name, "it is baked. Press Free Bake first")
    meshes.read_matrix(ob, depsgraph)
    if kind == "CLOTH":
        arrays = meshes.read_base_mesh(ob)
        if not len(arrays.edges):
            raise ModelError(
                ob.name,
                "its mesh has no edges, so nothing would hold the vertices together. Add edges "
                "or faces in Edit Mode",
            )
    else:
        meshes.read_visible_points(ob, depsgraph)


class _KindVerb(bpy.types.Operator):
    """Makes the selected objects one kind of thing."""

    bl_options = {"REGISTER", "UNDO"}
    kind = ""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not selected_meshes(context):
            cls.poll_message_set("Select a mesh object first")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[str]:
        depsgraph = context.evaluated_depsgraph_get()

        def change(ob: bpy.types.Object) -> None:
            require_suitable(ob, self.kind, depsgraph)
            if ob.verlet.kind != self.kind:
                preview.clear(ob)
                ob.verlet.kind = self.kind

        kernels.prepare()
        session.suspect_all()
        done = f"set up: {KIND_LABEL[self.kind]}"
        return for_each(self, selected_meshes(context), change, done)


class VERLET_OT_cloth(_KindVerb):
    """Turn the selected meshes into cloth: every vertex moves, every edge keeps its length"""

    bl_idname = "verlet.cloth"
    bl_label = "Cloth"
    kind = "CLOTH"


class VERLET_OT_rigid_body(_KindVerb):
    """Turn the selected meshes into rigid bodies that fall, tumble and pile up"""

    bl_idname = "verlet.rigid_body"
    bl_label = "Rigid Body"
    kind = "BODY"


class VERLET_OT_collider(_KindVerb):
    """Let cloth and bodies bump into the selected meshes, which only their animation moves"""

    bl_idname = "verlet.collider"
    bl_label = "Collider"
    kind = "COLLIDER"


class VERLET_OT_remove(bpy.types.Operator):
    """Take the selected objects out of the simulation; they get their own shape and place back"""

    bl_idname = "verlet.remove"
    bl_label = "Remove"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not any(ob.verlet.kind != "NONE" for ob in selected_meshes(context)):
            cls.poll_message_set("None of the selected objects takes part in the simulation")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[str]:
        def change(ob: bpy.types.Object) -> None:
            if not ob.is_editable:
                raise ModelError(ob.name, "it is linked: remove it in its own file")
            if restore.is_baked(ob):
                raise ModelError(ob.name, "it is baked. Press Free Bake first")
            preview.clear(ob)
            ob.verlet.kind = "NONE"

        objects = [ob for ob in selected_meshes(context) if ob.verlet.kind != "NONE"]
        session.suspect_all()
        return for_each(self, objects, change, "removed from the simulation")


ICONS = {kind: KIND_ICON[kind] for kind in ("CLOTH", "BODY", "COLLIDER")}
CLASSES = (VERLET_OT_cloth, VERLET_OT_rigid_body, VERLET_OT_collider, VERLET_OT_remove)
