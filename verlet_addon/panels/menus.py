"""Object › Verlet and Add › Verlet: every verb where menus and their search (F3) find it."""

import bpy

from ..manual import draw_button
from ..properties.kinds import KINDS
from ..ready import THINGS
from ..ready.examples import EXAMPLES


class VERLET_MT_examples(bpy.types.Menu):
    """Scenes to learn from; each opens beside your own"""

    bl_idname = "VERLET_MT_examples"
    bl_label = "Example Scenes"

    def draw(self, context: bpy.types.Context) -> None:
        for example in EXAMPLES.values():
            button = self.layout.operator("verlet.example", text=example.label)
            button.example = example.identifier


class VERLET_MT_add(bpy.types.Menu):
    """Things that are ready to simulate, at the 3D cursor"""

    bl_idname = "VERLET_MT_add"
    bl_label = "Verlet"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.operator_context = "EXEC_REGION_WIN"
        for thing in THINGS.values():
            layout.operator(f"verlet.add_{thing.identifier}", icon=thing.icon)
        layout.separator()
        layout.operator("verlet.add_floor", icon="MESH_PLANE")
        layout.operator("verlet.add_explosion", icon="LIGHT_POINT")
        layout.operator("verlet.add_hit", icon="EMPTY_SINGLE_ARROW")
        layout.separator()
        layout.operator("verlet.drape", icon="MOD_CLOTH")
        layout.menu("VERLET_MT_examples", icon="SCENE_DATA")


class VERLET_MT_object(bpy.types.Menu):
    """What the selected objects are in the simulation, and what is done with it"""

    bl_idname = "VERLET_MT_object"
    bl_label = "Verlet"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        for kind in KINDS.values():
            layout.operator(f"verlet.{kind.verb}", icon=kind.icon)
        layout.operator("verlet.remove", icon="X")
        layout.separator()
        layout.operator("verlet.copy_to_selected", icon="COPYDOWN")
        layout.operator_menu_enum("verlet.select_similar", "by", icon="RESTRICT_SELECT_OFF")
        layout.separator()
        layout.operator("verlet.drape", icon="MOD_CLOTH")
        layout.operator("verlet.pin_ends", icon="PINNED")
        layout.operator("verlet.join", icon="CONSTRAINT")
        layout.operator("verlet.join_neighbours", icon="STICKY_UVS_LOC")
        layout.separator()
        layout.operator("verlet.subdivide", icon="MOD_SUBSURF")
        layout.operator("verlet.close_holes", icon="MESH_DATA")
        layout.separator()
        layout.operator("verlet.play", icon="PLAY")
        layout.operator("verlet.grab", icon="VIEW_PAN")
        layout.operator("verlet.record", icon="RADIOBUT_ON")
        layout.operator("verlet.reset", icon="LOOP_BACK")
        layout.operator("verlet.check_scene", icon="VIEWZOOM")
        layout.operator("verlet.bake", icon="REC")
        layout.operator("verlet.free_bake", icon="UNLOCKED")
        layout.separator()
        layout.menu("VERLET_MT_examples", icon="SCENE_DATA")
        draw_button(layout, "Manual")


def draw_add(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
    """The entry of the Add menu."""
    menu.layout.menu("VERLET_MT_add", icon="PHYSICS")


def draw_object(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
    """The entry of the menus of objects and poses."""
    menu.layout.separator()
    menu.layout.menu("VERLET_MT_object", icon="PHYSICS")


PLACES = (
    ("VIEW3D_MT_add", draw_add),
    ("VIEW3D_MT_object", draw_object),
    ("VIEW3D_MT_object_context_menu", draw_object),
    ("VIEW3D_MT_pose", draw_object),
)
"""Blender's own menus, and what is appended to each."""


def append_to_menus() -> None:
    """Put the entries into Blender's menus."""
    for name, draw in PLACES:
        getattr(bpy.types, name).append(draw)


def remove_from_menus() -> None:
    """Take them away again."""
    for name, draw in PLACES:
        getattr(bpy.types, name).remove(draw)


CLASSES = (VERLET_MT_examples, VERLET_MT_add, VERLET_MT_object)
