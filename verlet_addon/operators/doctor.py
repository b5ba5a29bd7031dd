"""Check Scene, and the buttons beside what it finds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import bmesh
import bpy
from mathutils import Matrix, Vector

from ...core.errors import ModelError, VerletError
from .. import doctor, session
from ..blender import redraw
from ..blender.compat import fcurves_of
from ..blender.data import mesh_of
from ..blender.types import Result
from ..doctor import meshes, places, world
from ..problem import Problem
from ..properties import bake_record, participants
from ..properties.objects import group_of, kind_of
from ..properties.scenes import start_frame
from ..ready.site import Site
from ..ready.surroundings import add_floor
from ..scene.surroundings import bounds
from .mend import Mends, edited, lay_vertices
from .modes import in_object_mode, in_object_or_pose_mode
from .selection import for_each, may_add, object_meant, objects_meant

if TYPE_CHECKING:
    from ...core.arrays import Floats
    from ..session import Session

MOST_PAGES = 20
"""Of a sidebar, however small the screen."""


class VERLET_OT_check_scene(bpy.types.Operator):
    """Look at the whole scene before it is baked: meshes, modifiers, sizes, keys, overlaps at the
    start, what falls for ever, what a bake could not be written to. Changes nothing
    """

    bl_idname = "verlet.check_scene"
    bl_label = "Check Scene"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not participants.has_any(context.scene):
            cls.poll_message_set("Nothing is set up: press Cloth or another verb first")
            return False
        return in_object_or_pose_mode(cls, context)

    def execute(self, context: bpy.types.Context) -> Result:
        is_shown = not bpy.app.background and context.screen is not None
        if is_shown and context.screen.is_animation_playing:
            bpy.ops.screen.animation_cancel(restore_frame=False)
        try:
            found = doctor.examine(context.scene)
        except VerletError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        redraw.everything()
        scroll_to_top(context.area)
        if not found:
            self.report({"INFO"}, "Nothing found")
            return {"FINISHED"}
        for problem in found if bpy.app.background else []:
            print(f"Verlet Physics: {problem.message}")
        count = f"{len(found)} finding{'s' if len(found) != 1 else ''}"
        self.report({"WARNING"}, f"{count}: {found[0].message}{' …' if len(found) > 1 else ''}")
        return {"FINISHED"}


def scroll_to_top(area: bpy.types.Area | None) -> None:
    """Show the top of the sidebar in which a button was pressed: findings stand there."""
    if area is None or area.type != "VIEW_3D":
        return
    sidebar = next(region for region in area.regions if region.type == "UI")
    with bpy.context.temp_override(area=area, region=sidebar):
        for _ in range(MOST_PAGES):
            bpy.ops.view2d.scroll_up(page=True)


class VERLET_OT_forget_findings(bpy.types.Operator):
    """Clear the list, and the marks in the 3D view"""

    bl_idname = "verlet.forget_findings"
    bl_label = "Clear"
    bl_options = {"REGISTER"}

    def execute(self, context: bpy.types.Context) -> Result:
        doctor.forget()
        redraw.everything()
        return {"FINISHED"}


def press(problem: Problem) -> Result:
    """Press the button of a finding. Raises RuntimeError with what the operator reports."""
    group, name = problem.operator.split(".")
    operator = getattr(getattr(bpy.ops, group), name)
    takes_uid = "uid" in operator.get_rna_type().properties
    uid = {"uid": str(problem.object_uid)} if takes_uid and problem.object_uid else {}
    result: Result = operator(**uid)
    return result


class VERLET_OT_mend_finding(bpy.types.Operator):
    """Mend this, and look at the scene again"""

    bl_idname = "verlet.mend_finding"
    bl_label = "Mend"
    bl_options = {"REGISTER", "UNDO"}

    number: bpy.props.IntProperty(options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def description(cls, context: bpy.types.Context, properties: bpy.types.OperatorProperties):
        examination = doctor.of(context.scene)
        if examination is None or not properties.number < len(examination.findings):
            return cls.__doc__
        group, name = examination.findings[properties.number].operator.split(".")
        about = getattr(getattr(bpy.ops, group), name).get_rna_type()
        return about.description or cls.__doc__

    def execute(self, context: bpy.types.Context) -> Result:
        examination = doctor.of(context.scene)
        if examination is None or not 0 <= self.number < len(examination.findings):
            self.report({"ERROR"}, "The list is an old one: press Check Scene")
            return {"CANCELLED"}
        problem = examination.findings[self.number]
        try:
            result = press(problem)
        except RuntimeError as error:
            self.report({"ERROR"}, str(error).removeprefix("Error: ").strip())
            return {"CANCELLED"}
        if context.mode in {"OBJECT", "POSE"} and problem.operator != "verlet.show_object":
            doctor.examine(context.scene)
        redraw.everything()
        return result


class VERLET_OT_show_crossing_edges(Mends):
    """Select the edges between more than two faces in Edit Mode"""

    bl_idname = "verlet.show_crossing_edges"
    bl_label = "Select Crossing Edges"

    def execute(self, context: bpy.types.Context) -> Result:
        objects = self.objects(context)
        if not objects:
            self.report({"ERROR"}, "The object is gone")
            return {"CANCELLED"}
        bpy.ops.verlet.show_object(uid=str(objects[0].session_uid))
        bpy.ops.object.mode_set(mode="EDIT")
        context.tool_settings.mesh_select_mode = (False, True, False)
        bpy.ops.mesh.select_all(action="DESELECT")
        shape = bmesh.from_edit_mesh(mesh_of(objects[0]))
        for edge in meshes.crossing_edges(shape):
            edge.select_set(True)
        bmesh.update_edit_mesh(mesh_of(objects[0]))
        return {"FINISHED"}


class _MendsMesh(Mends):
    """Changes meshes in one way."""

    done: str

    def change(self, shape: bmesh.types.BMesh) -> None:
        raise NotImplementedError

    def execute(self, context: bpy.types.Context) -> Result:
        def mend(ob: bpy.types.Object) -> None:
            with edited(ob) as shape:
                self.change(shape)

        session.suspect_all()
        return for_each(self, self.objects(context), mend, self.done)


class VERLET_OT_merge_doubles(_MendsMesh):
    """Merge vertices that lie on each other, so that seams close; threads that sew stay open"""

    bl_idname = "verlet.merge_doubles"
    bl_label = "Merge Doubled Vertices"
    done = "merged"

    def change(self, shape: bmesh.types.BMesh) -> None:
        doubled: dict[Any, Any] = meshes.doubled_vertices(shape)
        bmesh.ops.weld_verts(shape, targetmap=doubled)


class VERLET_OT_dissolve_flat_faces(_MendsMesh):
    """Dissolve faces without area and edges without length"""

    bl_idname = "verlet.dissolve_flat_faces"
    bl_label = "Dissolve Flat Faces"
    done = "freed from flat faces"

    def change(self, shape: bmesh.types.BMesh) -> None:
        length = meshes.middle_length(shape)
        nearest = meshes.ON_EACH_OTHER * length
        bmesh.ops.dissolve_degenerate(shape, dist=nearest, edges=list(shape.edges))
        bmesh.ops.delete(shape, geom=[*meshes.flat_faces(shape)], context="FACES_ONLY")


class VERLET_OT_delete_loose(_MendsMesh):
    """Delete vertices that belong to no edge"""

    bl_idname = "verlet.delete_loose"
    bl_label = "Delete Loose Vertices"
    done = "freed from loose vertices"

    def change(self, shape: bmesh.types.BMesh) -> None:
        bmesh.ops.delete(shape, geom=[*meshes.loose_vertices(shape)], context="VERTS")


class _DoctorOperator(bpy.types.Operator):
    """What the doctor's buttons have in common; uid: of the object that one is about."""

    bl_options = {"REGISTER", "UNDO"}

    uid: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return in_object_mode(cls, context)


class MendsObject(_DoctorOperator):
    """Changes one object, or the selected ones that take part."""

    def change_all(
        self, context: bpy.types.Context, change: Callable[[bpy.types.Object], object], done: str
    ) -> Result:
        """Change them one by one, after the frames were told to be looked at."""
        objects = [ob for ob in objects_meant(context, self.uid) if kind_of(ob) is not None]
        if not objects:
            self.report({"ERROR"}, "None of the selected objects takes part in the simulation")
            return {"CANCELLED"}

        def checked(ob: bpy.types.Object) -> None:
            if not ob.is_editable:
                raise ModelError(ob.name, "it is linked: change it in its own file")
            if bake_record.is_baked(ob):
                raise ModelError(ob.name, "it is baked. Press Free Bake first")
            change(ob)

        session.suspect_all()
        return for_each(self, objects, checked, done)


class VERLET_OT_default_thickness(MendsObject):
    """Set Thickness to its default, a tenth of the mean edge length"""

    bl_idname = "verlet.default_thickness"
    bl_label = "Default Thickness"

    def execute(self, context: bpy.types.Context) -> Result:
        def change(ob: bpy.types.Object) -> None:
            group_of(ob, kind_of(ob)).property_unset("thickness")

        return self.change_all(context, change, "is as thick as by default")


class VERLET_OT_fit_gravity(bpy.types.Operator):
    """Set gravity to 9.81 m/s² in the unit that the scene shows"""

    bl_idname = "verlet.fit_gravity"
    bl_label = "Fit Gravity to the Unit"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> Result:
        context.scene.gravity = (0.0, 0.0, world.fitting_gravity(context.scene))
        session.suspect_all()
        return {"FINISHED"}


class VERLET_OT_add_floor_below(bpy.types.Operator):
    """Add a floor below the object, at height 0 or lower where it hangs lower"""

    bl_idname = "verlet.add_floor_below"
    bl_label = "Add a Floor Below"
    bl_options = {"REGISTER", "UNDO"}

    uid: bpy.props.StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return in_object_mode(cls, context) and may_add(cls, context)

    def execute(self, context: bpy.types.Context) -> Result:
        ob = object_meant(context, self.uid)
        if ob is None:
            self.report({"ERROR"}, "Select an object first")
            return {"CANCELLED"}
        lower, upper = bounds(ob)
        middle = 0.5 * (lower + upper)
        place = Vector((middle[0], middle[1], min(0.0, lower[2])))
        add_floor(Site(context.view_layer, context.collection, place))
        session.suspect_all()
        return {"FINISHED"}


class _MendsStart(_DoctorOperator):
    """Lays objects to where the engine has them once they are apart at the start."""

    def lay_all(
        self,
        context: bpy.types.Context,
        find: Callable[[Session], dict[int, Floats]],
        lay: Callable[[bpy.types.Object, Floats], None],
        done: str,
        nothing: str,
    ) -> Result:
        """Lay those that ``find`` has places for; without any say that there is ``nothing``."""
        scene = context.scene
        scene.frame_set(start_frame(scene))
        running = session.of(scene)
        if running is None or not running.is_ready:
            self.report({"ERROR"}, "The scene cannot be simulated: see the panel Simulate")
            return {"CANCELLED"}
        try:
            found = find(running)
        except VerletError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        objects = [ob for uid in found if (ob := participants.find_object(uid)) is not None]
        if not objects:
            self.report({"ERROR"}, nothing)
            return {"CANCELLED"}
        session.suspect_all()
        result = for_each(self, objects, lambda ob: lay(ob, found[ob.session_uid]), done)
        context.view_layer.update()
        return result


class VERLET_OT_part_bodies(_MendsStart):
    """Move rigid bodies that overlap at the start apart, as the solver would, for good"""

    bl_idname = "verlet.part_bodies"
    bl_label = "Part Bodies"

    def execute(self, context: bpy.types.Context) -> Result:
        nothing = "No body that may be moved overlaps another one"
        return self.lay_all(context, places.part, self._move, "moved apart", nothing)

    def _move(self, ob: bpy.types.Object, world: Floats) -> None:
        if any(curve.data_path == "location" for curve in fcurves_of(ob)):
            raise ModelError(ob.name, "its location is keyed: move it by hand, keys and all")
        ob.matrix_world = Matrix(world.tolist())


class VERLET_OT_take_apart(_MendsStart):
    """Change the meshes of cloth that passes through itself, other cloth or a collider at the
    start, so that it does no more: as the solver takes it apart, but for pins
    """

    bl_idname = "verlet.take_apart"
    bl_label = "Take Apart"

    def execute(self, context: bpy.types.Context) -> Result:
        nothing = "No cloth passes through anything, but what pins hold so"
        return self.lay_all(context, places.untangled, self._lay, "taken apart", nothing)

    def _lay(self, ob: bpy.types.Object, after: Floats) -> None:
        lay_vertices(ob, after.tolist())


class VERLET_OT_move_out(MendsObject):
    """Move the object out of the colliders and rigid bodies that it starts in, the shortest way"""

    bl_idname = "verlet.move_out"
    bl_label = "Move Out of Colliders"

    def execute(self, context: bpy.types.Context) -> Result:
        scene = context.scene
        scene.frame_set(start_frame(scene))
        running = session.of(scene)
        inputs = None if running is None else running.inputs
        known = {} if inputs is None else {p.uid: p for p in inputs.of_particles}

        def change(ob: bpy.types.Object) -> None:
            participant = known.get(ob.session_uid)
            if participant is None:
                raise ModelError(ob.name, "it is not simulated yet: press Check Scene first")
            way = places.way_out(inputs, participant)
            if way is None:
                raise ModelError(ob.name, "no short way leads out: move it by hand")
            if any(curve.data_path == "location" for curve in fcurves_of(ob)):
                raise ModelError(ob.name, "its location is keyed: move it by hand, keys and all")
            ob.matrix_world = Matrix.Translation(way.tolist()) @ ob.matrix_world

        result = self.change_all(context, change, "moved out")
        context.view_layer.update()
        return result


CLASSES = (
    VERLET_OT_check_scene,
    VERLET_OT_forget_findings,
    VERLET_OT_mend_finding,
    VERLET_OT_show_crossing_edges,
    VERLET_OT_merge_doubles,
    VERLET_OT_dissolve_flat_faces,
    VERLET_OT_delete_loose,
    VERLET_OT_default_thickness,
    VERLET_OT_fit_gravity,
    VERLET_OT_add_floor_below,
    VERLET_OT_part_bodies,
    VERLET_OT_take_apart,
    VERLET_OT_move_out,
)
