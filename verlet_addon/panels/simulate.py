"""Simulate: play, reset, what is simulated, and what keeps it from going on."""

import bpy

from .. import kernels, session
from ..session import Problem, Session
from ..status import hints, status
from .places import Sidebar
from .settings import draw_text


class VERLET_PT_simulate(Sidebar, bpy.types.Panel):
    """Play the timeline: it simulates as it goes"""

    bl_label = "Simulate"
    bl_idname = "VERLET_PT_simulate"
    bl_order = 4

    def draw(self, context: bpy.types.Context) -> None:
        layout, scene = self.layout, context.scene
        is_playing = context.screen is not None and context.screen.is_animation_playing
        row = layout.row(align=True)
        row.scale_y = 1.2
        icon, text = ("PAUSE", "Stop") if is_playing else ("PLAY", "Play")
        row.operator("verlet.play", text=text, icon=icon)
        row.operator("verlet.reset", icon="LOOP_BACK")
        text, icon = status(scene)
        layout.label(text=text, icon=icon)
        self._draw_start(layout, scene)
        running = session.of(scene)
        if running is not None:
            self._draw_hints(layout, scene, running, context.region.width)
        if scene.sync_mode == "FRAME_DROP":
            _draw_problem(
                layout,
                Problem(
                    "Playback leaves frames out, which a simulation cannot",
                    operator="verlet.play_every_frame",
                    button="Play Every Frame",
                ),
                context.region.width,
            )

    def _draw_start(self, layout: bpy.types.UILayout, scene: bpy.types.Scene) -> None:
        layout.use_property_split = True
        layout.use_property_decorate = False
        row = layout.row(heading="Start Frame")
        row.prop(scene.verlet, "use_own_start", text="")
        field = row.row()
        field.active = scene.verlet.use_own_start
        if scene.verlet.use_own_start:
            field.prop(scene.verlet, "own_start", text="")
        else:
            field.prop(scene, "frame_start", text="")

    def _draw_hints(
        self, layout: bpy.types.UILayout, scene: bpy.types.Scene, running: Session, width: int
    ) -> None:
        for problem in running.problems:
            _draw_problem(layout, problem, width)
        if running.failure:
            _draw_problem(layout, Problem(running.failure, is_error=True), width)
        elif running.is_outdated:
            _draw_problem(
                layout,
                Problem(
                    "Something was changed: it is simulated anew from the start",
                    operator="verlet.go_to_start",
                    button="Go to Start",
                ),
                width,
            )
        elif running.is_ready and scene.frame_current > running.last + 1:
            waits = kernels.message()
            text = waits or f"Frame {running.last} is shown, the last one simulated"
            layout.label(text=text, icon="INFO")
        for text, icon in hints(running):
            draw_text(layout, text, width, icon)
        figures = running.last_diagnostics
        if figures is not None and not running.failure:
            milliseconds = 1000.0 * sum(figures.stage_seconds.values())
            text = f"{milliseconds:.1f} ms a frame"
            if running.particle_objects():
                text += f", stretch {100 * figures.stretch_mean:.2f} %"
            layout.label(text=text, icon="TIME")


def _draw_problem(layout: bpy.types.UILayout, problem: Problem, width: int) -> None:
    box = layout.box()
    box.alert = problem.is_error
    draw_text(box, problem.message, width, "ERROR" if problem.is_error else "INFO")
    if problem.operator:
        row = box.row()
        row.alert = False
        button = row.operator(problem.operator, text=problem.button)
        if problem.object_uid:
            button.uid = str(problem.object_uid)


CLASSES = (VERLET_PT_simulate,)
