"""Buttons beside hints: they mend meshes that cannot do what is asked of them, and still air."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import bmesh
import bpy
from mathutils import Matrix, Vector

from ...core.errors import ModelError
from .. import session
from ..blender import compat
from ..blender.data import armature_of, mesh_of
from ..blender.types import Result
from ..live import preview
from ..properties import bake_record
from ..properties.kinds import RAGDOLL
from ..ragdoll import armature, doubts
from ..ready.surroundings import blow
from ..scene import hints
from ..transforms import affine
from .modes import in_object_mode
from .ragdoll_weight import weigh
from .selection import for_each, object_meant, objects_meant

PARTS_OF_MESH = 20
"""Edges along the longest side of a mesh that is fine enough to fold."""


@contextmanager
def edited(ob: bpy.types.Object) -> Iterator[bmesh.types.BMesh]:
    """The object's mesh to edit; raises ModelError for one that may not be edited."""
    if not ob.is_editable or not ob.data.is_editable:
        raise ModelError(ob.name, "it is linked: change its mesh in its own file")
    if bake_record.is_baked(ob):
        raise ModelError(ob.name, "it is baked. Press Free Bake first")
    if ob.data.users > 1:
        ob.data = ob.data.copy()  # other objects keep theirs
    shape = bmesh.new()
    try:
        shape.from_mesh(mesh_of(ob))
        yield shape
        shape.to_mesh(mesh_of(ob))
    finally:
        shape.free()
    mesh_of(ob).update()


def lay_vertices(ob: bpy.types.Object, places: Sequence[Sequence[float]]) -> None:
    """Lay the vertices of the mesh to so many places (n, 3) of the world."""
    if mesh_of(ob).shape_keys is not None:
        raise ModelError(ob.name, "it has shape keys: take it apart by hand, keys and all")
    if len(places) != len(mesh_of(ob).vertices):
        raise ModelError(ob.name, "it is torn or split where it is simulated: do it by hand")
    back = ob.matrix_world.inverted()
    with edited(ob) as shape:
        for vertex, place in zip(shape.verts, places):
            vertex.co = back @ Vector(place)


def subdivide(ob: bpy.types.Object) -> None:
    """Cut the edges until there are about `PARTS_OF_MESH` along the longest side."""
    with edited(ob) as shape:
        if not shape.edges:
            raise ModelError(ob.name, "its mesh has no edges to cut")
        lengths = sorted(edge.calc_length() for edge in shape.edges)
        largest = max(
            max(vertex.co[axis] for vertex in shape.verts)
            - min(vertex.co[axis] for vertex in shape.verts)
            for axis in range(3)
        )
        wanted = largest / PARTS_OF_MESH
        middle = lengths[len(lengths) // 2]
        cuts = round(middle / wanted) - 1 if wanted > 0.0 else 1
        bmesh.ops.subdivide_edges(
            shape,
            edges=list(shape.edges),
            cuts=min(max(cuts, 1), PARTS_OF_MESH - 1),
            use_grid_fill=True,
        )


def close_holes(ob: bpy.types.Object) -> None:
    """Fill every hole with a face. Raises ModelError for a mesh that is open even then."""
    with edited(ob) as shape:
        rim = [edge for edge in shape.edges if edge.is_boundary]
        bmesh.ops.holes_fill(shape, edges=rim, sides=0)
        bmesh.ops.recalc_face_normals(shape, faces=list(shape.faces))
        still = sum(not edge.is_manifold for edge in shape.edges)
        if still or not shape.faces:
            raise ModelError(
                ob.name,
                f"{still} of its edges lie between more than two faces, at none or around no hole. "
                "Find them in Edit Mode with Select › All by Trait › Non Manifold, or press Cloth",
            )


class Mends(bpy.types.Operator):
    """Changes the mesh of the object with a session id, or of the selected ones."""

    bl_options = {"REGISTER", "UNDO"}

    uid: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not in_object_mode(cls, context):
            return False
        chosen = [context.object, *context.selected_objects]
        if not any(ob is not None and ob.type == "MESH" for ob in chosen):
            cls.poll_message_set("Select a mesh first")
            return False
        return True

    def objects(self, context: bpy.types.Context) -> list[bpy.types.Object]:
        """Those to be mended."""
        return [ob for ob in objects_meant(context, self.uid) if ob.type == "MESH"]


class VERLET_OT_subdivide(Mends):
    """Cut the edges of the mesh until it is fine enough to fold: about twenty along its longest
    side. Shapes, weights and UV maps go along
    """

    bl_idname = "verlet.subdivide"
    bl_label = "Subdivide for Simulation"

    def execute(self, context: bpy.types.Context) -> Result:
        session.suspect_all()
        return for_each(self, self.objects(context), subdivide, "subdivided")


class VERLET_OT_close_holes(Mends):
    """Close every hole of the mesh with a face, so that it has a volume; where Soft Body was
    refused for it, make it one
    """

    bl_idname = "verlet.close_holes"
    bl_label = "Close Holes"

    def execute(self, context: bpy.types.Context) -> Result:
        def mend(ob: bpy.types.Object) -> None:
            close_holes(ob)
            verb = hints.refused_verb(ob)
            hints.forget_refusal(ob)
            if verb:
                with context.temp_override(object=ob, active_object=ob, selected_objects=[ob]):
                    getattr(bpy.ops.verlet, verb)()

        session.suspect_all()
        return for_each(self, self.objects(context), mend, "closed")


class VERLET_OT_scale_figure(bpy.types.Operator):
    """Scale the armature, its meshes and all that hangs on it to a size in metres, and weigh it
    anew: figures are often made in centimetres
    """

    bl_idname = "verlet.scale_figure"
    bl_label = "Scale to Metres"
    bl_options = {"REGISTER", "UNDO"}

    uid: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return in_object_mode(cls, context)

    def execute(self, context: bpy.types.Context) -> Result:
        ob = object_meant(context, self.uid)
        objects = [ob] if ob is not None and ob.type == "ARMATURE" else []
        session.suspect_all()
        return for_each(self, objects, self._scale, "scaled")

    def _scale(self, ob: bpy.types.Object) -> None:
        context = bpy.context
        if ob.verlet.kind != RAGDOLL:
            raise ModelError(ob.name, "it is no ragdoll yet. Press Ragdoll first")
        world = affine.matrix_of(ob)
        skeleton = armature.read_skeleton(ob, world)
        skin = armature.read_skin(ob, armature.flesh(ob), world)
        factor = doubts.factor_for(doubts.size(skeleton, skin))
        preview.clear(ob)
        tops = {_topmost(one) for one in (ob, *armature.skinned_meshes(ob))}
        if any(path in {"scale", "location"} for top in tops for path in _keyed(top)):
            raise ModelError(ob.name, "its scale is animated: scale it by hand, keys and all")
        middle = _topmost(ob).matrix_basis.translation.copy()
        for top in tops:
            there = Matrix.Translation(middle) @ Matrix.Scale(factor, 4)
            top.matrix_basis = there @ Matrix.Translation(-middle) @ top.matrix_basis
        context.view_layer.update()
        weigh(ob, context.evaluated_depsgraph_get())


def _topmost(ob: bpy.types.Object) -> bpy.types.Object:
    """What an object hangs on in the end, by its parents."""
    while ob.parent is not None:
        ob = ob.parent
    return ob


def _keyed(ob: bpy.types.Object) -> set[str]:
    return {curve.data_path for curve in compat.fcurves_of(ob)}


class VERLET_OT_add_wind(bpy.types.Operator):
    """Let a fresh breeze blow along X, in gusts: World › Wind"""

    bl_idname = "verlet.add_wind"
    bl_label = "Add Wind"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> Result:
        blow(context.scene)
        session.suspect_all()
        return {"FINISHED"}


class VERLET_OT_pose_position(bpy.types.Operator):
    """Show the armature in its pose and not at rest: Object Data › Pose › Pose Position"""

    bl_idname = "verlet.pose_position"
    bl_label = "Pose Position"
    bl_options = {"REGISTER", "UNDO"}

    uid: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> Result:
        def mend(ob: bpy.types.Object) -> None:
            armature_of(ob).pose_position = "POSE"

        objects = objects_meant(context, self.uid)
        return for_each(
            self, [ob for ob in objects if ob.type == "ARMATURE"], mend, "in Pose Position"
        )


class VERLET_OT_unstretch_time(bpy.types.Operator):
    """Let each frame of the timeline be a frame of animation again: set New to Old in Output ›
    Frame Range › Time Stretching
    """

    bl_idname = "verlet.unstretch_time"
    bl_label = "Switch Time Stretching Off"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> Result:
        context.scene.render.frame_map_new = context.scene.render.frame_map_old
        session.suspect_all()
        return {"FINISHED"}


CLASSES = (
    VERLET_OT_subdivide,
    VERLET_OT_close_holes,
    VERLET_OT_scale_figure,
    VERLET_OT_add_wind,
    VERLET_OT_pose_position,
    VERLET_OT_unstretch_time,
)
