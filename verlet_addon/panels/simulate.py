"""Simulate: play, reset, what is simulated, and what keeps it from going on."""

import bpy

from .. import session
from ..live import rendering
from ..live.status import outdated_by, remarks, status
from ..problem import Problem
from ..scene import hints
from ..session import Session
from .places import Sidebar
from .settings import draw_problem, draw_text


class VERLET_PT_simulate(Sidebar, bpy.types.Panel):
    """Play the timeline: it simulates as it goes"""

    bl_label = "Simulate"
    bl_idname = "VERLET_PT_simulate"
    bl_order = 1
    page = "manual/playing.html"

    def draw(self, context: bpy.types.Context) -> None:
        layout, scene = self.layout, context.scene
        is_playing = context.screen is not None and context.screen.is_animation_playing
        row = layout.row(align=True)
        row.scale_y = 1.2
        if is_playing:
            row.operator("verlet.play", text="Stop", icon="PAUSE")
        else:
            row.operator("verlet.play", text="Play", icon="PLAY")
        row.operator("verlet.reset", icon="LOOP_BACK")
        layout.operator("verlet.grab", icon="VIEW_PAN")
        text, icon = status(scene)
        draw_text(layout, text, context.region.width, icon)
        running = session.of(scene)
        if running is not None:
            self._draw_hints(layout, scene, running, context.region.width)
        lacked = rendering.remark(scene)
        if lacked:
            draw_text(layout, lacked, context.region.width, "ERROR")
        for problem in hints.of_scene(scene):
            draw_problem(layout, problem, context.region.width)
        if scene.sync_mode == "FRAME_DROP":
            draw_problem(
                layout,
                Problem(
                    "Playback leaves frames out, which a simulation cannot",
                    operator="verlet.play_every_frame",
                    button="Play Every Frame",
                ),
                context.region.width,
            )

    def _draw_hints(
        self, layout: bpy.types.UILayout, scene: bpy.types.Scene, running: Session, width: int
    ) -> None:
        for problem in running.problems:
            draw_problem(layout, problem, width)
        if running.failure:
            draw_problem(layout, Problem(running.failure, is_error=True), width)
        elif running.is_outdated:
            draw_problem(
                layout,
                Problem(
                    f"{outdated_by(running)}: it is simulated anew from the start",
                    operator="verlet.go_to_start",
                    button="Go to Start",
                ),
                width,
            )
        elif running.is_ready and scene.frame_current > running.last + 1:
            text = f"Frame {running.last} is shown, the last one simulated"
            draw_text(layout, text, width, "INFO")
        for remark, sign in remarks(running):
            draw_text(layout, remark, width, sign)
        if running.takes or running.pulled is not None:
            layout.operator("verlet.record", icon="RADIOBUT_ON")
        figures = running.last_diagnostics
        if figures is not None and not running.failure:
            milliseconds = 1000.0 * sum(figures.stage_seconds.values())
            text = f"{milliseconds:.1f} ms a frame"
            if running.particle_objects():
                text += f", stretch {100 * figures.stretch_mean:.2f} %"
            draw_text(layout, text, width, "TIME")


CLASSES = (VERLET_PT_simulate,)
