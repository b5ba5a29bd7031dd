"""Bake: to native Blender data and back."""

import bpy

from .. import session
from ..doctor import bakes
from ..live import rendering
from ..live.status import bake_bar
from ..properties import bake_record, participants
from ..properties.kinds import RAGDOLL
from .places import Sidebar
from .settings import draw_text


class VERLET_PT_bake(Sidebar, bpy.types.Panel):
    """Write the simulation to shape keys and keyframes, which play without the add-on"""

    bl_label = "Bake"
    bl_idname = "VERLET_PT_bake"
    bl_order = 2
    page = "manual/bake.html"

    def draw(self, context: bpy.types.Context) -> None:
        layout, scene, width = self.layout, context.scene, context.region.width
        running = session.of(scene)
        if running is not None and running.bake_progress is not None:
            factor, text = bake_bar(running)
            layout.progress(factor=factor, text=text)
            draw_text(layout, "Esc stops, simulated frames are kept", width)
            return
        row = layout.row(align=True)
        row.use_property_split = False
        row.prop(scene, "frame_start", text="From")
        row.prop(scene, "frame_end", text="To")
        row = layout.row(align=True)
        row.scale_y = 1.2
        row.operator("verlet.bake", icon="REC")
        row.operator("verlet.bake_selected")
        row = layout.row(align=True)
        row.operator("verlet.free_bake", icon="UNLOCKED")
        row.operator("verlet.free_bake_selected")
        taking_part = participants.simulated_objects(scene)
        baked = [ob for ob in taking_part if bake_record.is_baked(ob)]
        ranges = {bake_record.baked_range(ob) for ob in baked}
        if len(ranges) == 1:
            first, last = ranges.pop()
            count = f"{len(baked)} objects" if len(baked) > 1 else baked[0].name
            draw_text(layout, f"Baked {first}–{last}: {count}", width, "LOCKED")
        elif baked:
            draw_text(layout, f"{len(baked)} objects baked", width, "LOCKED")
        others = bakes.other_rates(scene)
        if others:
            more = f" So are {len(others) - 1} others." if len(others) > 1 else ""
            draw_text(layout, others[0].message + more, width, "ERROR")
        text = rendering.forecast(scene)
        if text:
            draw_text(layout, text, width, "INFO")


class VERLET_PT_bake_options(Sidebar, bpy.types.Panel):
    """What a bake is written to, how many keys it has, what carries ragdolls from place to place"""

    bl_label = "Keys"
    bl_idname = "VERLET_PT_bake_options"
    bl_parent_id = "VERLET_PT_bake"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        layout, scene = self.layout, context.scene
        layout.use_property_split, layout.use_property_decorate = True, False
        layout.prop(scene.verlet, "mesh_bake")
        layout.prop(scene.verlet, "reduce_keys")
        if scene.verlet.reduce_keys:
            column = layout.column(align=True)
            column.prop(scene.verlet, "place_bound")
            column.prop(scene.verlet, "angle_tolerance")
        if any(ob.verlet.kind == RAGDOLL for ob in participants.simulated_objects(scene)):
            layout.prop(scene.verlet, "bone_bake")
            root = layout.column()
            root.active = scene.verlet.bone_bake == "BONES"
            root.prop(scene.verlet, "root_motion", text="Root")
            if scene.verlet.root_motion != "BONES":
                root.prop(scene.verlet, "root_height")


CLASSES = (VERLET_PT_bake, VERLET_PT_bake_options)
