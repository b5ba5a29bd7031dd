"""Make Tearable: a mesh whose faces have vertices of their own, so that cloth and ropes may part.

The user's own mesh is kept as it is and comes back with Make Whole or Remove. A Weld modifier joins
again for the eye what has not parted: shading, subdivision and thickness see a whole mesh.
"""

from __future__ import annotations

import bmesh
import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.errors import ModelError
from .. import session
from ..blender.data import mesh_of
from ..blender.types import Result
from ..extract.own_motion import carriers
from ..extract.tearable import COPY_OF, EASIEST, is_split, tear_weights
from ..live import preview
from ..properties import bake_record
from ..properties.kinds import may_tear
from .modes import in_object_mode
from .selection import for_each, objects_meant, selected_shapes

WELD_MODIFIER = "Verlet Weld"
"""Name of the modifier that joins what has not parted."""

WELD_DISTANCE = 1e-6
"""m in the object's space; copies that have not parted lie in the very same place."""


def make_tearable(ob: bpy.types.Object) -> None:
    """Give the object a mesh that is split; raises ModelError where that cannot be."""
    _require_free(ob)
    mesh = mesh_of(ob)
    if mesh.shape_keys is not None:
        raise ModelError(
            ob.name, "its mesh has shape keys. Use Object › Apply › Apply Shape Keys first"
        )
    if is_split(ob):
        make_whole(ob)
        mesh = mesh_of(ob)
    seam = _seam(ob)
    split = mesh.copy()
    split.name = f"{mesh.name} Tearable"
    shape = bmesh.new()
    try:
        shape.from_mesh(mesh)
        parted = _split(shape, seam)
        if not parted:
            bpy.data.meshes.remove(split)
            raise ModelError(
                ob.name,
                "there is no edge along which it could part: its tear group has no two vertices "
                "that an edge inside the mesh joins. Paint a seam, or clear the field",
            )
        shape.to_mesh(split)
    finally:
        shape.free()
    preview.clear(ob)
    ob.verlet.whole_mesh = mesh
    ob.data = split
    _weld(ob)


def _split(shape: bmesh.types.BMesh, seam: NDArray[np.bool_] | None) -> bool:
    """Part faces along the seam, all of them where it is None, and wires at their vertices."""
    numbers = shape.verts.layers.int.new(COPY_OF)
    for vertex in shape.verts:
        vertex[numbers] = vertex.index
    inside = [
        edge
        for edge in shape.edges
        if len(edge.link_faces) > 1
        and (seam is None or all(seam[vertex.index] for vertex in edge.verts))
    ]
    count = len(shape.verts)
    joints = [
        vertex
        for vertex in shape.verts
        if len(vertex.link_edges) > 1
        and not vertex.link_faces
        and (seam is None or seam[vertex.index])
    ]
    if inside:
        bmesh.ops.split_edges(shape, edges=inside)
    for vertex in joints:
        for edge in list(vertex.link_edges)[1:]:
            other = edge.other_vert(vertex)
            copy = shape.verts.new(vertex.co, vertex)
            copy[numbers] = vertex[numbers]
            shape.edges.new((copy, other), edge)
            shape.edges.remove(edge)
    return len(shape.verts) > count


def _seam(ob: bpy.types.Object) -> NDArray[np.bool_] | None:
    """Vertices (n,) that may part; None for all of them."""
    weight = tear_weights(ob)
    return None if weight is None else weight > EASIEST


def _weld(ob: bpy.types.Object) -> None:
    """Add the modifier that joins what has not parted, behind what carries the pins along."""
    modifier = ob.modifiers.get(WELD_MODIFIER)
    if modifier is None:
        modifier = ob.modifiers.new(WELD_MODIFIER, "WELD")
    assert isinstance(modifier, bpy.types.WeldModifier)
    modifier.merge_threshold = WELD_DISTANCE
    modifier.show_expanded = False
    ob.modifiers.move(list(ob.modifiers).index(modifier), len(carriers(ob)))


def make_whole(ob: bpy.types.Object) -> None:
    """Give the object its own mesh back; weights that were painted meanwhile go along."""
    if not is_split(ob):
        return
    _require_free(ob)
    whole, split = ob.verlet.whole_mesh, mesh_of(ob)
    if whole is None:
        raise ModelError(ob.name, "its own mesh is gone. Use Mesh › Merge › By Distance")
    weights = _weights_by_copy(split)
    preview.clear(ob)
    ob.data = whole
    ob.verlet.whole_mesh = None
    count = len(mesh_of(ob).vertices)
    for group in ob.vertex_groups:
        group.remove(range(count))
        for vertex, found in weights.items():
            if group.index in found and vertex < count:
                group.add([vertex], found[group.index], "REPLACE")
    modifier = ob.modifiers.get(WELD_MODIFIER)
    if modifier is not None:
        ob.modifiers.remove(modifier)
    if split.users == 0:
        bpy.data.meshes.remove(split)


def _weights_by_copy(mesh: bpy.types.Mesh) -> dict[int, dict[int, float]]:
    """The largest weight among the copies of each vertex, by vertex and group."""
    found: dict[int, dict[int, float]] = {}
    numbers = mesh.attributes[COPY_OF]
    assert isinstance(numbers, bpy.types.IntAttribute)
    for vertex, number in zip(mesh.vertices, numbers.data):
        own = found.setdefault(number.value, {})
        for entry in vertex.groups:
            own[entry.group] = max(own.get(entry.group, 0.0), entry.weight)
    return found


def _require_free(ob: bpy.types.Object) -> None:
    if not ob.is_editable:
        raise ModelError(ob.name, "it is linked: change its mesh in its own file")
    if bake_record.is_baked(ob):
        raise ModelError(ob.name, "it is baked. Press Free Bake first")


class VERLET_OT_make_tearable(bpy.types.Operator):
    """Let the selected cloth and ropes part between their faces, or along the tear group alone.
    Their own meshes are kept, and come back with Make Whole
    """

    bl_idname = "verlet.make_tearable"
    bl_label = "Make Tearable"
    bl_options = {"REGISTER", "UNDO"}

    whole: bpy.props.BoolProperty(
        name="Whole",
        description="Give the objects their own meshes back, which cannot tear",
        options={"SKIP_SAVE"},
    )
    uid: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def description(cls, context: bpy.types.Context, properties: bpy.types.OperatorProperties):
        if properties.whole:
            return "Give the selected objects their own meshes back, which cannot tear"
        return cls.__doc__

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not in_object_mode(cls, context):
            return False
        if not any(may_tear(ob) for ob in selected_shapes(context)):
            cls.poll_message_set("Select a mesh that is Cloth or Rope first; convert curves to one")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> Result:
        chosen = objects_meant(context, self.uid) if self.uid else selected_shapes(context)
        objects = [ob for ob in chosen if may_tear(ob)]
        change = make_whole if self.whole else make_tearable
        session.suspect_all()
        return for_each(self, objects, change, "whole again" if self.whole else "may tear now")


CLASSES = (VERLET_OT_make_tearable,)
