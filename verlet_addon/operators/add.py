"""Add › Verlet: ready things at the 3D cursor, a sheet over the selection, example scenes."""

import bpy

from ...core.errors import ModelError
from .. import session
from ..blender.types import Result
from ..extract import mesh as meshes
from ..ready import THINGS, Thing, examples
from ..ready.drape import add_sheet
from ..ready.site import Site
from ..ready.surroundings import add_floor, blow
from ..scene.surroundings import is_calm, is_carried, level_below
from .modes import in_object_mode
from .selection import may_add


class _Adds(bpy.types.Operator):
    """Adds objects of its own to the active collection."""

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return in_object_mode(cls, context) and may_add(cls, context)

    def begin(self, context: bpy.types.Context) -> Site:
        """Where they are built: at the 3D cursor."""
        session.suspect_all()
        return Site(context.view_layer, context.collection, context.scene.cursor.location)

    def end(self, context: bpy.types.Context, site: Site) -> None:
        """Select them."""
        space = context.space_data
        site.finish(space if isinstance(space, bpy.types.SpaceView3D) else None)


class _AddThing(_Adds):
    """Adds one ready thing."""

    thing: Thing

    with_floor: bpy.props.BoolProperty(
        name="Floor",
        description="Add a floor, if nothing at the 3D cursor would stop what falls",
        default=True,
    )
    with_wind: bpy.props.BoolProperty(
        name="Wind",
        description="Set World › Wind to a breeze, if the air is calm",
        default=True,
    )

    def execute(self, context: bpy.types.Context) -> Result:
        site, scene, thing = self.begin(context), context.scene, self.thing
        needs_floor = thing.falls and self.with_floor and not is_carried(scene, site.origin)
        thing.build(site)
        self.end(context, site)
        said = [f"{thing.label} added: press Play"]
        if needs_floor:
            add_floor(Site(context.view_layer, context.collection, site.origin)).select_set(False)
            said.append("a floor below it")
        if thing.wants_wind and self.with_wind and is_calm(scene):
            blow(scene)
            said.append("wind set below World")
        self.report({"INFO"}, "; ".join(said))
        return {"FINISHED"}

    def draw(self, context: bpy.types.Context) -> None:
        self.layout.use_property_split = True
        if self.thing.falls:
            self.layout.prop(self, "with_floor")
        if self.thing.wants_wind:
            self.layout.prop(self, "with_wind")
        if not (self.thing.falls or self.thing.wants_wind):
            self.layout.label(text="It stands at the 3D cursor")


def _adder_of(thing: Thing) -> type[bpy.types.Operator]:
    """The operator of one ready thing."""
    body = {
        "bl_idname": f"verlet.add_{thing.identifier}",
        "bl_label": thing.label,
        "bl_description": thing.tooltip,
        "thing": thing,
        "__doc__": thing.tooltip,
        "__module__": __name__,
    }
    return type(f"VERLET_OT_add_{thing.identifier}", (_AddThing,), body)


class VERLET_OT_drape(_Adds):
    """Let a new sheet of cloth fall over the selected meshes, which become colliders"""

    bl_idname = "verlet.drape"
    bl_label = "Drape Cloth"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not super().poll(context):
            return False
        if not any(ob.type == "MESH" for ob in context.selected_objects):
            cls.poll_message_set("Select the meshes first that the cloth is to fall on")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> Result:
        below = [ob for ob in context.selected_objects if ob.type == "MESH"]
        depsgraph = context.evaluated_depsgraph_get()
        try:
            for ob in below:
                if not ob.is_editable and ob.verlet.kind == "NONE":
                    raise ModelError(ob.name, "it is linked: use Object › Library Override › Make")
                meshes.read_visible_surface(ob, depsgraph)
        except ModelError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        site = self.begin(context)
        idle = [ob for ob in below if ob.verlet.kind == "NONE"]
        for ob in idle:
            ob.verlet.kind = "COLLIDER"
        sheet = add_sheet(site, below)
        self.end(context, site)
        self.report({"INFO"}, f"{sheet.name} falls over {', '.join(ob.name for ob in below[:3])}")
        return {"FINISHED"}


class VERLET_OT_add_floor(_Adds):
    """Add a floor below all that takes part: at height 0, or lower where something hangs lower"""

    bl_idname = "verlet.add_floor"
    bl_label = "Floor"

    def execute(self, context: bpy.types.Context) -> Result:
        site = self.begin(context)
        site.origin.z = level_below(context.scene)
        add_floor(site)
        self.end(context, site)
        return {"FINISHED"}


class VERLET_OT_example(bpy.types.Operator):
    """Open an example in a new scene of this file; your own scenes stay as they are"""

    bl_idname = "verlet.example"
    bl_label = "Example Scene"
    bl_options = {"REGISTER", "UNDO"}

    example: bpy.props.EnumProperty(
        name="Example",
        description="What the new scene shows",
        items=[(e.identifier, e.label, e.tooltip) for e in examples.EXAMPLES.values()],
    )

    @classmethod
    def description(cls, context: bpy.types.Context, properties: bpy.types.OperatorProperties):
        tooltip = examples.EXAMPLES[properties.example].tooltip
        return f"{tooltip}. Opens in a new scene of this file; your own scenes stay as they are"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return in_object_mode(cls, context)

    def execute(self, context: bpy.types.Context) -> Result:
        scene = examples.build(examples.EXAMPLES[self.example])
        if context.window is not None:
            context.window.scene = scene
            space = context.space_data
            if isinstance(space, bpy.types.SpaceView3D):
                space.region_3d.view_perspective = "CAMERA"
        self.report({"INFO"}, f"Scene {scene.name}: press Play")
        return {"FINISHED"}


CLASSES = (
    *map(_adder_of, THINGS.values()),
    VERLET_OT_drape,
    VERLET_OT_add_floor,
    VERLET_OT_example,
)
