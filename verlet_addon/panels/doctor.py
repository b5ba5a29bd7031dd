"""Doctor: what is or may be wrong with the scene, object by object, each with its button."""

from __future__ import annotations

import bpy

from .. import doctor
from ..problem import Problem
from ..properties import participants
from .places import Sidebar
from .settings import draw_text

MOST_FINDINGS = 25
"""Findings that are listed; those of the active object come first."""


class VERLET_PT_doctor(Sidebar, bpy.types.Panel):
    """One look at the whole scene before it is baked"""

    bl_label = "Doctor"
    bl_idname = "VERLET_PT_doctor"
    bl_order = 3
    page = "manual/check.html"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return doctor.of(context.scene) is None

    def draw(self, context: bpy.types.Context) -> None:
        self.layout.operator("verlet.check_scene", icon="VIEWZOOM")


class VERLET_PT_findings(Sidebar, bpy.types.Panel):
    """What was found, above all else until it is cleared: below it no small screen would show it"""

    bl_label = "Doctor"
    bl_idname = "VERLET_PT_findings"
    bl_order = 0
    page = "manual/check.html"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return doctor.of(context.scene) is not None

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        examination = doctor.of(context.scene)
        row = layout.row(align=True)
        row.operator("verlet.check_scene", icon="VIEWZOOM")
        row.operator("verlet.forget_findings", text="", icon="X")
        width = context.region.width
        if examination.is_stale:
            draw_text(
                layout, "The scene has changed since: press Check Scene", width, "FILE_REFRESH"
            )
        if not examination.findings:
            layout.label(text="Nothing found", icon="CHECKMARK")
            return
        groups = grouped(examination.findings, context.object)
        left = MOST_FINDINGS
        for ob, numbered in groups:
            if left <= 0:
                break
            self._draw_group(ob, numbered[:left], width)
            left -= len(numbered)
        more = len(examination.findings) - MOST_FINDINGS
        if more > 0:
            layout.label(text=f"and {more} more", icon="BLANK1")

    def _draw_group(
        self, ob: bpy.types.Object | None, numbered: list[tuple[int, Problem]], width: int
    ) -> None:
        box = self.layout.box()
        if ob is not None:
            row = box.row()
            row.operator(
                "verlet.show_object", text=ob.name, icon="OBJECT_DATA", emboss=False
            ).uid = str(ob.session_uid)
        else:
            box.label(text="Scene", icon="SCENE_DATA")
        for number, problem in numbered:
            column = box.column(align=True)
            column.alert = problem.is_error
            text = problem.message
            if ob is not None:
                text = text.removeprefix(f"{ob.name}: ")
                text = text[:1].upper() + text[1:]
            draw_text(column, text, width, "ERROR" if problem.is_error else "INFO")
            is_shown = problem.operator == "verlet.show_object" and ob is not None
            if problem.operator and not is_shown:
                row = box.row()
                row.operator("verlet.mend_finding", text=problem.button).number = number


def grouped(
    findings: list[Problem], active: bpy.types.Object | None
) -> list[tuple[bpy.types.Object | None, list[tuple[int, Problem]]]]:
    """Numbered findings by object, the active one's first, what is about the scene next."""
    by_uid: dict[int, list[tuple[int, Problem]]] = {}
    for number, problem in enumerate(findings):
        by_uid.setdefault(problem.object_uid, []).append((number, problem))
    first = 0 if active is None else active.session_uid
    order = sorted(by_uid, key=lambda uid: (uid != first, uid != 0))
    found = [(participants.find_object(uid) if uid else None, by_uid[uid]) for uid in order]
    return [
        (ob, numbered) for (ob, numbered), uid in zip(found, order) if ob is not None or not uid
    ]


CLASSES = (VERLET_PT_doctor, VERLET_PT_findings)
