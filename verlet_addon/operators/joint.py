"""Join, Join Neighbours and Remove Joint: empties that hold two objects together."""

from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ...core.arrays import Floats
from ...core.errors import ModelError
from ...core.settings import JOINT_KINDS
from .. import session
from ..blender.data import any_item
from ..blender.types import Result
from ..extract.particles import read_particles
from ..joints import joint_inputs
from ..joints.joint_places import (
    NearestPlace,
    Outline,
    joint_matrix,
    meeting,
    neighbours,
    outline_of,
)
from ..properties import bake_record
from ..properties.kinds import RAGDOLL, can_be_tied, is_particles
from ..properties.objects import kind_of
from ..properties.participants import joints as joints_in
from ..transforms import affine
from .modes import in_object_mode
from .selection import for_each, may_add

DISPLAY = "ARROWS"
SMALLEST, SHARE = 0.01, 0.2  # m, and of the smaller object's size: length of a new joint's arrows


def _taking_part(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The selected objects that take part, the active one first."""
    found = [ob for ob in context.selected_objects if kind_of(ob) is not None]
    return sorted(found, key=lambda ob: (ob != context.object, ob.name_full))


def _selected_empties(context: bpy.types.Context) -> list[bpy.types.Object]:
    return [ob for ob in context.selected_objects if ob.type == "EMPTY"]


def new_joint(
    context: bpy.types.Context, matrix: Matrix, size: float, name: str = "Joint"
) -> bpy.types.Object:
    """A new empty for a joint between objects of which the smaller one has a size in m."""
    ob = bpy.data.objects.new(name, None)
    ob.empty_display_type = any_item(DISPLAY)
    ob.empty_display_size = max(SHARE * size, SMALLEST)
    ob.matrix_world = matrix
    context.collection.objects.link(ob)
    return ob


class _Joins(bpy.types.Operator):
    """What all operators that make joints share."""

    bl_options = {"REGISTER", "UNDO"}
    kind: Any  # these two are registered by each operator
    breaking_force: Any

    @classmethod
    def _is_possible(cls, context: bpy.types.Context) -> bool:
        return in_object_mode(cls, context) and may_add(cls, context)

    def _set_up(
        self, ob: bpy.types.Object, a: bpy.types.Object, b: bpy.types.Object | None
    ) -> None:
        ob.verlet.is_joint = True
        ob.verlet.joint.kind = self.kind
        ob.verlet.joint.breaking_force = self.breaking_force
        ob.verlet.joint.object_a = a
        ob.verlet.joint.object_b = b


def _kind_property(default: str):
    return bpy.props.EnumProperty(
        name="Kind", description="How the two may move", items=JOINT_KINDS, default=default
    )


def _breaking_property():
    return bpy.props.FloatProperty(
        name="Breaking Force",
        description="Force at which the joint breaks for good, 0 = never. In N",
        min=0.0,
        soft_max=100_000.0,
        default=0.0,
    )


class VERLET_OT_join(_Joins):
    """Join two selected objects where they meet, the active one is A; with a selected empty there.

    One object and an empty are joined to the world. Of cloth, a rope or a soft body the nearest
    vertex is tied to the other object, a rigid body or a ragdoll
    """

    bl_idname = "verlet.join"
    bl_label = "Join"

    kind: _kind_property("BALL")
    breaking_force: _breaking_property()

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not cls._is_possible(context):
            return False
        if not _taking_part(context):
            cls.poll_message_set(
                "Select two objects that take part, or one and an empty: press Rigid Body on "
                "meshes first"
            )
            return False
        return True

    def execute(self, context: bpy.types.Context) -> Result:
        try:
            ob, text = self._join(context)
        except ModelError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for other in context.selected_objects:
            other.select_set(False)
        ob.select_set(True)
        context.view_layer.objects.active = ob
        session.suspect_all()
        self.report({"INFO"}, f"{ob.name} joins {text}")
        return {"FINISHED"}

    def _join(self, context: bpy.types.Context) -> tuple[bpy.types.Object, str]:
        chosen, empties = _taking_part(context), _selected_empties(context)
        idle = [
            ob.name for ob in context.selected_objects if ob not in chosen and ob not in empties
        ]
        if idle and len(chosen) < 2:
            raise ModelError(
                idle[0], "it takes no part in the simulation. Press Rigid Body or Collider first"
            )
        if len(chosen) > 2:
            names = ", ".join(ob.name for ob in chosen[:4])
            raise ModelError(
                chosen[0].name,
                f"{len(chosen)} objects are selected ({names} …), and a joint holds two. Select "
                "two, or press Join Neighbours",
            )
        if len(empties) > 1:
            raise ModelError(
                empties[0].name, "several empties are selected: a joint stands at one of them"
            )
        if len(chosen) == 1 and not empties:
            raise ModelError(
                chosen[0].name,
                "a joint needs a second object. Select one more, or an empty to join it to the "
                "world there",
            )
        for ob in (*chosen, *empties):
            _require_free(ob)
        a, b = chosen[0], chosen[1] if len(chosen) == 2 else None
        _require_joinable(a, b)
        ob = empties[0] if empties else self._between(context, a, b)
        self._set_up(ob, a, b)
        return ob, f"{a.name} to {b.name if b is not None else 'the world'}"

    def _between(
        self, context: bpy.types.Context, a: bpy.types.Object, b: bpy.types.Object
    ) -> bpy.types.Object:
        depsgraph = context.evaluated_depsgraph_get()
        one, other = outline_of(a, depsgraph), outline_of(b, depsgraph)
        place = meeting(one, other)
        matrix = joint_matrix(self.kind, place.point, other.middle - one.middle, place.axis)
        for ob in (a, b):
            if is_particles(ob.verlet.kind):
                matrix = Matrix.Translation(_nearest_particle(ob, place.point, depsgraph))
        return new_joint(context, matrix, min(one.size, other.size))


def _nearest_particle(
    ob: bpy.types.Object, point: Floats, depsgraph: bpy.types.Depsgraph
) -> Vector:
    """Where the particle of an object that is nearest to a point stands."""
    matrix = affine.matrix_of(ob.evaluated_get(depsgraph))
    places = affine.transformed(matrix, read_particles(ob).points)
    return Vector(places[np.argmin(np.linalg.norm(places - point, axis=1))])


def _require_free(ob: bpy.types.Object) -> None:
    if bake_record.is_baked(ob):
        raise ModelError(ob.name, "it is baked. Press Free Bake first")
    if ob.type == "EMPTY" and not ob.is_editable:
        raise ModelError(ob.name, "it is linked and cannot be made a joint. Select another empty")


def _require_joinable(a: bpy.types.Object, b: bpy.types.Object | None) -> None:
    soft = [ob for ob in (a, b) if ob is not None and is_particles(ob.verlet.kind)]
    other = "the world" if b is None else b.name
    rigs = [ob for ob in (a, b) if ob is not None and ob.verlet.kind == RAGDOLL]
    if rigs and (reason := joint_inputs.why_not_rig(rigs[0], b if rigs[0] == a else a)):
        raise ModelError(a.name, reason)
    if not soft:
        if a.verlet.kind == "COLLIDER" and (b is None or b.verlet.kind == "COLLIDER"):
            raise ModelError(
                a.name, f"it is a collider, and nothing moves it or {other}. Press Rigid Body"
            )
        return
    if not can_be_tied(soft[0].verlet.kind):
        raise ModelError(soft[0].name, "it is a plant, which stands on roots: pin those")
    if len(soft) == 2:
        raise ModelError(
            a.name,
            f"it bends, and so does {other}: a joint needs a rigid body. Put a small one between",
        )
    if b is None or {a.verlet.kind, b.verlet.kind} & {"COLLIDER"}:
        raise ModelError(
            soft[0].name,
            "it bends, and what moves it but is not moved by it holds it through its pins. Pin it, "
            "and choose what the pins follow in Pin To",
        )


class VERLET_OT_join_neighbours(_Joins):
    """Join all selected objects that touch, or nearly so, two by two where they meet"""

    bl_idname = "verlet.join_neighbours"
    bl_label = "Join Neighbours"

    kind: _kind_property("FIXED")
    breaking_force: _breaking_property()
    gap: bpy.props.FloatProperty(
        name="Gap",
        description="Objects that are closer than this are neighbours",
        default=0.01,
        min=0.0,
        soft_max=1.0,
        unit="LENGTH",
        precision=3,
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not cls._is_possible(context):
            return False
        if len(_taking_part(context)) < 2:
            cls.poll_message_set("Select two or more rigid bodies")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> Result:
        chosen = sorted(_taking_part(context), key=lambda ob: ob.name_full)
        solid = [ob for ob in chosen if ob.verlet.kind in {"BODY", "COLLIDER"}]
        depsgraph = context.evaluated_depsgraph_get()
        try:
            outlines = [outline_of(ob, depsgraph) for ob in solid]
        except ModelError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        known = {frozenset(joint_inputs.joined(ob)) for ob in joints_in(context.scene)}
        made, kept = [], 0
        for i, j, place in neighbours(outlines, self.gap):
            a, b = solid[i], solid[j]
            if {a.verlet.kind, b.verlet.kind} == {"COLLIDER"}:
                continue
            if frozenset((a, b)) in known:
                kept += 1
                continue
            made.append(self._make(context, a, b, outlines[i], outlines[j], place))
        if not made:
            reason = (
                f"All {kept} neighbours are joined already"
                if kept
                else f"No two of the {len(solid)} objects are closer than {self.gap:g} m: "
                "raise Gap, or move them closer"
            )
            self.report({"ERROR"}, reason)
            return {"CANCELLED"}
        session.suspect_all()
        note = f", {kept} were joined already" if kept else ""
        self.report({"INFO"}, f"{len(made)} joint{'s' if len(made) != 1 else ''} made{note}")
        return {"FINISHED"}

    def _make(
        self,
        context: bpy.types.Context,
        a: bpy.types.Object,
        b: bpy.types.Object,
        one: Outline,
        other: Outline,
        place: NearestPlace,
    ) -> bpy.types.Object:
        matrix = joint_matrix(self.kind, place.point, other.middle - one.middle, place.axis)
        ob = new_joint(context, matrix, min(one.size, other.size))
        self._set_up(ob, a, b)
        return ob


class VERLET_OT_remove_joint(bpy.types.Operator):
    """Let go of what the selected joints join; the empties stay"""

    bl_idname = "verlet.remove_joint"
    bl_label = "Remove Joint"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not any(ob.verlet.is_joint for ob in context.selected_objects):
            cls.poll_message_set("None of the selected objects is a joint")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> Result:
        def change(ob: bpy.types.Object) -> None:
            if not ob.is_editable:
                raise ModelError(ob.name, "it is linked: remove the joint in its own file")
            ob.verlet.is_joint = False
            ob.verlet.joint.object_a = ob.verlet.joint.object_b = None

        chosen = [ob for ob in context.selected_objects if ob.verlet.is_joint]
        session.suspect_all()
        return for_each(self, chosen, change, "no longer a joint")


class VERLET_OT_select_joints(bpy.types.Operator):
    """Select the joints of the selected objects, to change them all at once"""

    bl_idname = "verlet.select_joints"
    bl_label = "Select Joints"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not _taking_part(context):
            cls.poll_message_set("Select objects that are joined")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> Result:
        chosen = set(_taking_part(context))
        found = [
            ob
            for ob in joints_in(context.scene)
            if chosen & set(joint_inputs.joined(ob)) and ob.name in context.view_layer.objects
        ]
        if not found:
            self.report({"ERROR"}, "No joint holds any of the selected objects")
            return {"CANCELLED"}
        for ob in context.selected_objects:
            ob.select_set(False)
        for ob in found:
            ob.select_set(True)
        context.view_layer.objects.active = found[0]
        return {"FINISHED"}


CLASSES = (
    VERLET_OT_join,
    VERLET_OT_join_neighbours,
    VERLET_OT_remove_joint,
    VERLET_OT_select_joints,
)
