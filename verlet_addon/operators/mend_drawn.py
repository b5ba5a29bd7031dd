"""Buttons beside findings on what is drawn otherwise than simulated: they make it the same."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Matrix

from ...core.errors import ModelError
from ..blender.data import mesh_of
from ..blender.types import Result
from ..doctor import meshes
from ..extract import drawn_otherwise
from ..extract.own_velocity import has_keys
from ..extract.tearable import is_split
from ..extract.vertex_groups import group_weights
from ..live import preview
from ..properties.objects import group_of, kind_of
from ..properties.scenes import start_frame
from .doctor import MendsObject

FIRM_PIN = 0.999
"""Least weight of a pin that holds as a whole; what a subdivision puts between two has less."""


class VERLET_OT_apply_finer_mesh(MendsObject):
    """Apply the modifiers that draw something else than what is simulated, so that what is seen is
    simulated. Pins stay as firm as they are
    """

    bl_idname = "verlet.apply_finer_mesh"
    bl_label = "Apply Modifiers"

    def execute(self, context: bpy.types.Context) -> Result:
        return self.change_all(context, apply_changers, "is simulated as it is drawn")


def apply_changers(ob: bpy.types.Object) -> None:
    """Apply to the mesh what draws it otherwise than it is simulated."""
    context = bpy.context
    if mesh_of(ob).shape_keys is not None:
        raise ModelError(ob.name, "it has shape keys, with which nothing can be applied")
    if is_split(ob):
        raise ModelError(ob.name, "it is split to tear. Press Make Whole first, tear it after that")
    depsgraph = context.evaluated_depsgraph_get()
    changers = drawn_otherwise.changers(ob) or drawn_otherwise.making_nodes(ob, depsgraph)
    preview.clear(ob)
    if ob.data.users > 1:
        ob.data = ob.data.copy()
    firm = [group.name for group in ob.vertex_groups if is_firm(ob, group.name)]
    for modifier in changers:
        modifier.show_viewport = True
        with context.temp_override(object=ob, active_object=ob, selected_objects=[ob]):
            try:
                bpy.ops.object.modifier_apply(modifier=modifier.name)
            except RuntimeError as error:
                raise ModelError(ob.name, f"{modifier.name} cannot be applied: {error}") from error
    for name in firm:
        soft = group_weights(ob, name)
        ob.vertex_groups[name].remove(np.flatnonzero((soft > 0.0) & (soft < FIRM_PIN)).tolist())


def is_firm(ob: bpy.types.Object, name: str) -> bool:
    """Whether a vertex group holds vertices as a whole or not at all."""
    return bool(np.isin(group_weights(ob, name), (0.0, 1.0)).all())


class VERLET_OT_count_thickness(MendsObject):
    """Let cloth keep from others by what its Solidify draws, half of it to each side"""

    bl_idname = "verlet.count_thickness"
    bl_label = "Count the Drawn Thickness"

    def execute(self, context: bpy.types.Context) -> Result:
        return self.change_all(context, self._count, "keeps from others as it is drawn")

    def _count(self, ob: bpy.types.Object) -> None:
        modifier = drawn_otherwise.too_thick(ob)
        if modifier is None:
            raise ModelError(ob.name, "nothing is drawn thicker than what it keeps from others")
        half = 0.5 * drawn_otherwise.world_thickness(ob, modifier)
        share = half / drawn_otherwise.mean_edge_length(ob)
        if share > meshes.THICKEST:
            raise ModelError(
                ob.name,
                f"{modifier.name} is thicker than the mesh's faces are wide, which no cloth can "
                "fold: make it thinner, or apply it and press Soft Body",
            )
        modifier.offset = 0.0
        group_of(ob, kind_of(ob)).thickness = share


class VERLET_OT_clear_skew_parent(MendsObject):
    """Clear the parent that shears the object: it stays as it is drawn in the start frame, with
    that form in its own mesh, and what hangs on it stays too
    """

    bl_idname = "verlet.clear_skew_parent"
    bl_label = "Clear Skew Parent"

    def execute(self, context: bpy.types.Context) -> Result:
        context.scene.frame_set(start_frame(context.scene))
        result = self.change_all(context, clear_parent, "is free of its parent")
        context.view_layer.update()
        return result


def clear_parent(ob: bpy.types.Object) -> None:
    """Take an object off its parent; its mesh takes over what the parent did to its form."""
    if ob.parent is None:
        raise ModelError(ob.name, "it has no parent any more")
    if has_keys(ob):
        raise ModelError(
            ob.name,
            f"it, or its parent {ob.parent.name}, is keyed: apply the parent's scale by hand",
        )
    if mesh_of(ob).shape_keys is not None:
        raise ModelError(ob.name, "it has shape keys: apply the parent's scale by hand")
    preview.clear(ob)
    bpy.context.view_layer.update()
    if ob.data.users > 1:
        ob.data = ob.data.copy()
    place, turn, _ = ob.matrix_world.decompose()
    rigid = Matrix.LocRotScale(place, turn, None)
    form = rigid.inverted() @ ob.matrix_world
    mesh_of(ob).transform(form)
    if form.determinant() < 0.0:
        mesh_of(ob).flip_normals()
    mesh_of(ob).update()
    for child in ob.children:
        child.matrix_parent_inverse = form @ child.matrix_parent_inverse
    ob.parent = None
    ob.matrix_parent_inverse = Matrix()
    ob.matrix_world = rigid


CLASSES = (VERLET_OT_apply_finer_mesh, VERLET_OT_count_thickness, VERLET_OT_clear_skew_parent)
