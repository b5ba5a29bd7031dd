"""Preferences › Add-ons › Verlet Physics: what is the user's and not the file's."""

import time

import bpy

from . import kernels, manual
from .blender import redraw
from .blender.types import Result
from .on_disk import folder

MOST_LISTED = 12


def _draw_again(preferences: bpy.types.AddonPreferences, context: bpy.types.Context) -> None:
    redraw.panels()


class VerletPreferences(bpy.types.AddonPreferences):
    """How the add-on looks and behaves in every file."""

    bl_idname = kernels.extension_package()

    show_method: bpy.props.BoolProperty(
        name="Methods of Solving",
        description="Show World › Solver › Method: integrators and forms of relaxation, to compare "
        "and to teach. Position Verlet, the default, carries everything",
        update=_draw_again,
    )
    look_ahead: bpy.props.BoolProperty(
        name="Check Before Playing",
        description="Look at the scene in its first frame after each change, so that problems, "
        "joints of ragdolls and collision shapes are shown before it plays. Scenes in which that "
        "takes long are looked at when they play",
        default=True,
    )
    line_width: bpy.props.FloatProperty(
        name="Overlay Lines",
        description="Width of the lines that show joints, limits and shapes in the 3D view",
        default=1.5,
        min=0.5,
        max=8.0,
        subtype="PIXEL",
        update=_draw_again,
    )

    keep_frames: bpy.props.EnumProperty(
        name="Keep Frames",
        description="Keep simulated frames on the disk, so that neither a crash nor closing the "
        "file loses any: when it plays again, each that would come out the same is taken from "
        "there",
        items=(
            ("WINDOW", "In the Window", "While Blender has a window"),
            ("ALWAYS", "Always", "In background processes too, such as those of a farm"),
            ("NEVER", "Never", "Frames last as long as Blender runs"),
        ),
    )
    disk_limit: bpy.props.FloatProperty(
        name="Limit (GB)",
        description="What all kept frames together may take of the disk. Those that were not used "
        "for longest go first",
        default=10.0,
        min=0.01,
        soft_max=1000.0,
        precision=1,
    )

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        column = layout.column(heading="Show")
        column.prop(self, "show_method")
        layout.prop(self, "look_ahead")
        layout.prop(self, "line_width")
        layout.prop(self, "keep_frames")
        layout.prop(self, "disk_limit")
        self._draw_kept(layout)
        manual.draw_button(layout.row(), "Manual")

    def _draw_kept(self, layout: bpy.types.UILayout) -> None:
        """The files of frames, each with a button that deletes it."""
        files = folder.list_kept()
        if not files:
            return
        box = layout.box()
        row = box.row()
        row.label(text=f"Frames on the disk: {sum(f.size for f in files) / 1e6:.1f} MB")
        row.operator("verlet.clear_frames", text="Clear All", icon="TRASH")
        for kept in files[:MOST_LISTED]:
            row = box.row()
            used = time.strftime("%x %H:%M", time.localtime(kept.used))
            of = f"{kept.scene} in {kept.blend}" if kept.blend else kept.scene
            row.label(text=f"{of}, {kept.size / 1e6:.1f} MB, {used}")
            row.operator("verlet.clear_frames", text="", icon="X").file = kept.path.name
        if len(files) > MOST_LISTED:
            box.label(text=f"and {len(files) - MOST_LISTED} more")


class VERLET_OT_clear_frames(bpy.types.Operator):
    """Delete simulated frames from the disk; those that a Blender has open stay"""

    bl_idname = "verlet.clear_frames"
    bl_label = "Clear Frames on the Disk"
    bl_options = {"REGISTER"}

    file: bpy.props.StringProperty(
        name="File",
        description="Name of the file of frames to delete; all where it is empty",
        options={"SKIP_SAVE"},
    )

    def execute(self, context: bpy.types.Context) -> Result:
        paths = [kept.path for kept in folder.list_kept()]
        try:
            gone, left = folder.clear([p for p in paths if not self.file or p.name == self.file])
        except OSError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        text = f"{gone} file{'s' if gone != 1 else ''} of frames deleted"
        if left:
            self.report({"WARNING"}, f"{text}, {left} in use: press Reset, or close the file first")
        else:
            self.report({"INFO"}, text)
        return {"FINISHED"}


def get() -> VerletPreferences | None:
    """The user's choices; None where the extension runs from a checkout."""
    addon = bpy.context.preferences.addons.get(VerletPreferences.bl_idname)
    chosen = None if addon is None else addon.preferences
    return chosen if isinstance(chosen, VerletPreferences) else None


CLASSES = (VerletPreferences, VERLET_OT_clear_frames)


def register() -> None:
    """Register the preferences."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    """Unregister them."""
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
