"""Pin Selected: which vertices of cloth stay where the object's own animation takes them."""

import bpy

from .. import session

DEFAULT_GROUP = "Pin"


class VERLET_OT_pin_selected(bpy.types.Operator):
    """Pin the vertices that are selected in Edit Mode: they go into the cloth's pin group"""

    bl_idname = "verlet.pin_selected"
    bl_label = "Pin Selected Vertices"
    bl_options = {"REGISTER", "UNDO"}

    unpin: bpy.props.BoolProperty(
        name="Unpin",
        description="Take the selected vertices out of the pin group again",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def description(cls, context: bpy.types.Context, properties: bpy.types.OperatorProperties):
        if properties.unpin:
            return "Let the vertices that are selected in Edit Mode move again"
        return cls.__doc__

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        cloths = [ob for ob in context.objects_in_mode if ob.verlet.kind == "CLOTH"]
        if context.mode != "EDIT_MESH":
            cls.poll_message_set("Go to Edit Mode and select vertices first")
            return False
        if not cloths:
            cls.poll_message_set("The edited mesh is no cloth: press Cloth first")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[str]:
        counts: dict[str, int] = {}
        for ob in context.objects_in_mode_unique_data:
            if ob.verlet.kind != "CLOTH":
                continue
            ob.update_from_editmode()
            chosen = [vertex.index for vertex in ob.data.vertices if vertex.select]
            if not chosen:
                continue
            counts[ob.name] = len(chosen)
            bpy.ops.object.mode_set(mode="OBJECT")  # vertex groups cannot be written in Edit Mode
            self._write(ob, chosen)
            bpy.ops.object.mode_set(mode="EDIT")
        if not counts:
            self.report({"ERROR"}, "No vertices are selected: select those to pin")
            return {"CANCELLED"}
        session.suspect_all()
        verb = "unpinned" if self.unpin else "pinned"
        self.report(
            {"INFO"}, ", ".join(f"{name}: {n} vertices {verb}" for name, n in counts.items())
        )
        return {"FINISHED"}

    def _write(self, ob: bpy.types.Object, vertices: list[int]) -> None:
        group = ob.vertex_groups.get(ob.verlet.pin_group)
        if group is None:
            if self.unpin:
                return
            group = ob.vertex_groups.new(name=ob.verlet.pin_group or DEFAULT_GROUP)
            ob.verlet.pin_group = group.name
        if self.unpin:
            group.remove(vertices)
        else:
            group.add(vertices, 1.0, "REPLACE")


CLASSES = (VERLET_OT_pin_selected,)
