"""Bake: to native Blender data and back."""

import bpy

from .. import participants, session
from ..bake import restore
from ..kinds import KINDS, RAGDOLL
from ..status import bake_bar
from .places import Sidebar
from .settings import draw_text

_NOT_RENDERED = {"BODY": "rigid bodies", "BONES": "ragdolls"}  # by what a kind moves


class VERLET_PT_bake(Sidebar, bpy.types.Panel):
    """Write the simulation to shape keys and keyframes, which play without the add-on"""

    bl_label = "Bake"
    bl_idname = "VERLET_PT_bake"
    bl_order = 5

    def draw(self, context: bpy.types.Context) -> None:
        layout, scene = self.layout, context.scene
        running = session.of(scene)
        if running is not None and running.bake_progress is not None:
            factor, text = bake_bar(running)
            layout.progress(factor=factor, text=text)
            layout.label(text="Esc stops, simulated frames are kept")
            return
        row = layout.row(align=True)
        row.use_property_split = False
        row.prop(scene, "frame_start", text="From")
        row.prop(scene, "frame_end", text="To")
        layout.prop(scene.verlet, "reduce_keys")
        if scene.verlet.reduce_keys:
            row = layout.row(align=True)
            row.prop(scene.verlet, "place_tolerance", text="mm")
            row.prop(scene.verlet, "angle_tolerance")
        if any(ob.verlet.kind == RAGDOLL for ob in participants.simulated_objects(scene)):
            root = layout.column()
            root.use_property_split, root.use_property_decorate = True, False
            root.prop(scene.verlet, "root_motion", text="Root")
            if scene.verlet.root_motion != "BONES":
                root.prop(scene.verlet, "root_height")
        column = layout.column(align=True)
        column.scale_y = 1.2
        column.operator("verlet.bake", icon="REC")
        column.operator("verlet.bake", text="Bake Selected").selected_only = True
        row = layout.row(align=True)
        row.operator("verlet.free_bake", icon="UNLOCKED")
        row.operator("verlet.free_bake", text="Free Selected").selected_only = True
        taking_part = participants.simulated_objects(scene)
        baked = [ob for ob in taking_part if restore.is_baked(ob)]
        ranges = {restore.baked_range(ob) for ob in baked}
        if len(ranges) == 1:
            first, last = ranges.pop()
            count = f"{len(baked)} objects" if len(baked) > 1 else baked[0].name
            layout.label(text=f"Baked {first}–{last}: {count}", icon="LOCKED")
        elif baked:
            layout.label(text=f"{len(baked)} objects baked", icon="LOCKED")
        unseen = {KINDS[ob.verlet.kind].moves for ob in taking_part if ob not in baked}
        names = [name for moves, name in _NOT_RENDERED.items() if moves in unseen]
        if names:
            draw_text(
                layout,
                f"A render shows {' and '.join(names)} move only once they are baked",
                context.region.width,
                "INFO",
            )


CLASSES = (VERLET_PT_bake,)
