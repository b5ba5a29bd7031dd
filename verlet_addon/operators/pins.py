"""Pin Selected and Pin Ends: what goes where the object's own animation takes it."""

from collections.abc import Iterable

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.errors import ModelError
from .. import session
from ..blender.control_points import bezier_mask
from ..blender.data import curve_of, mesh_of
from ..blender.types import Result
from ..extract.mesh import places_of
from ..extract.pins import pinned_points, store_pinned_points
from ..extract.tearable import first_copies
from ..properties.kinds import is_particles
from .modes import in_object_mode
from .selection import for_each, selected_shapes

DEFAULT_GROUP = "Pin"


def _pinnable(objects: Iterable[bpy.types.Object]) -> list[bpy.types.Object]:
    """Those made of particles."""
    return [ob for ob in objects if is_particles(ob.verlet.kind)]


def _pin_vertices(ob: bpy.types.Object, vertices: list[int], weight: float) -> None:
    """Put vertices into the pin group, or with weight 0 out of it. Not in Edit Mode."""
    group = ob.vertex_groups.get(ob.verlet.pin_group)
    if group is None:
        if weight == 0.0:
            return
        group = ob.vertex_groups.new(name=ob.verlet.pin_group or DEFAULT_GROUP)
        ob.verlet.pin_group = group.name
    if weight == 0.0:
        group.remove(vertices)
    else:
        group.add(vertices, weight, "REPLACE")


def _pin_points(ob: bpy.types.Object, chosen: NDArray[np.bool_], *, unpin: bool) -> None:
    """Pin control points (p,) of a curve."""
    try:
        pinned = pinned_points(ob)
    except ModelError:  # the curve was edited since: begin anew
        pinned = np.zeros(len(chosen), bool)
    store_pinned_points(ob, pinned & ~chosen if unpin else pinned | chosen)


def _selected_points(curve: bpy.types.Curve) -> NDArray[np.bool_]:
    """Which control points (p,) are selected, spline by spline."""
    selected = []
    for spline in curve.splines:
        if spline.type == "BEZIER":
            selected += [point.select_control_point for point in spline.bezier_points]
        else:
            selected += [point.select for point in spline.points]
    return np.array(selected, bool)


class VERLET_OT_pin_selected(bpy.types.Operator):
    """Pin the vertices, or the curve's control points, that are selected in Edit Mode"""

    bl_idname = "verlet.pin_selected"
    bl_label = "Pin Selected"
    bl_options = {"REGISTER", "UNDO"}

    unpin: bpy.props.BoolProperty(
        name="Unpin",
        description="Let the selected vertices or control points move again",
        options={"SKIP_SAVE"},
    )
    weight: bpy.props.FloatProperty(
        name="Weight",
        description="How firmly vertices are pinned: 1 holds them in place, less draws them there",
        default=1.0,
        min=0.01,
        max=1.0,
        subtype="FACTOR",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def description(cls, context: bpy.types.Context, properties: bpy.types.OperatorProperties):
        if properties.unpin:
            return "Let the vertices or control points that are selected in Edit Mode move again"
        return cls.__doc__

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.mode not in {"EDIT_MESH", "EDIT_CURVE"}:
            cls.poll_message_set("Go to Edit Mode and select vertices or control points first")
            return False
        if not _pinnable(context.objects_in_mode):
            cls.poll_message_set(
                "The edited object is not made of particles: press Cloth or Rope first"
            )
            return False
        return True

    def execute(self, context: bpy.types.Context) -> Result:
        counts: dict[str, int] = {}
        for ob in _pinnable(context.objects_in_mode_unique_data):
            ob.update_from_editmode()
            if ob.type == "CURVE":
                chosen = _selected_points(curve_of(ob))
                if chosen.any():
                    counts[ob.name] = int(chosen.sum())
                    _pin_points(ob, chosen, unpin=self.unpin)
                continue
            vertices = [vertex.index for vertex in mesh_of(ob).vertices if vertex.select]
            if not vertices:
                continue
            counts[ob.name] = len(vertices)
            bpy.ops.object.mode_set(mode="OBJECT")  # vertex groups cannot be written in Edit Mode
            _pin_vertices(ob, vertices, 0.0 if self.unpin else self.weight)
            bpy.ops.object.mode_set(mode="EDIT")
        if not counts:
            self.report({"ERROR"}, "Nothing is selected: select the vertices or points to pin")
            return {"CANCELLED"}
        session.suspect_all()
        verb = "unpinned" if self.unpin else "pinned"
        self.report({"INFO"}, ", ".join(f"{name}: {n} {verb}" for name, n in counts.items()))
        return {"FINISHED"}


def _end_vertices(ob: bpy.types.Object) -> list[int]:
    """Vertices of a mesh with a single edge: the ends of its wires."""
    ends = np.empty(2 * len(mesh_of(ob).edges), np.int32)
    mesh_of(ob).edges.foreach_get("vertices", ends)
    copies = first_copies(ob, places_of(mesh_of(ob)))
    if copies is not None:
        ends = copies[ends]
    return np.flatnonzero(np.bincount(ends, minlength=len(mesh_of(ob).vertices)) == 1).tolist()


def _end_points(curve: bpy.types.Curve) -> NDArray[np.bool_]:
    """Which control points (p,) are the ends of open splines."""
    ends = np.zeros(len(bezier_mask(curve)), bool)
    first = 0
    for spline in curve.splines:
        count = len(spline.bezier_points if spline.type == "BEZIER" else spline.points)
        if not spline.use_cyclic_u:
            ends[[first, first + count - 1]] = True
        first += count
    return ends


class VERLET_OT_pin_ends(bpy.types.Operator):
    """Pin the ends of the selected ropes: where wires and open splines begin and end"""

    bl_idname = "verlet.pin_ends"
    bl_label = "Pin Ends"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not in_object_mode(cls, context):
            return False
        if not _pinnable(selected_shapes(context)):
            cls.poll_message_set("Select a rope first: press Rope to make one")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> Result:
        def change(ob: bpy.types.Object) -> None:
            if not ob.is_editable:
                raise ModelError(ob.name, "it is linked: pin it in its own file")
            if ob.type == "CURVE":
                ends = _end_points(curve_of(ob))
                if ends.any():
                    _pin_points(ob, ends, unpin=False)
                    return
            elif vertices := _end_vertices(ob):
                _pin_vertices(ob, vertices, 1.0)
                return
            raise ModelError(
                ob.name, "it has no loose ends. Select what to pin in Edit Mode and press Pin"
            )

        session.suspect_all()
        return for_each(self, _pinnable(selected_shapes(context)), change, "pinned at its ends")


class VERLET_OT_unpin_all(bpy.types.Operator):
    """Let everything of the selected objects move: the pin group itself stays as it is"""

    bl_idname = "verlet.unpin_all"
    bl_label = "Unpin All"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        objects = _pinnable(selected_shapes(context))
        if not any(ob.verlet.pin_group or ob.verlet.pin_points for ob in objects):
            cls.poll_message_set("None of the selected objects is pinned")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> Result:
        def change(ob: bpy.types.Object) -> None:
            if not ob.is_editable:
                raise ModelError(ob.name, "it is linked: unpin it in its own file")
            ob.verlet.pin_group = ob.verlet.pin_points = ""

        session.suspect_all()
        return for_each(self, _pinnable(selected_shapes(context)), change, "unpinned")


CLASSES = (VERLET_OT_pin_selected, VERLET_OT_pin_ends, VERLET_OT_unpin_all)
