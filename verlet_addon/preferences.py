"""Preferences › Add-ons › Verlet Physics: what is the user's and not the file's."""

import bpy

from . import kernels, manual
from .blender import redraw


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

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        column = layout.column(heading="Show")
        column.prop(self, "show_method")
        layout.prop(self, "look_ahead")
        layout.prop(self, "line_width")
        manual.draw_button(layout.row(), "Manual")


def get() -> VerletPreferences | None:
    """The user's choices; None where the extension runs from a checkout."""
    addon = bpy.context.preferences.addons.get(VerletPreferences.bl_idname)
    chosen = None if addon is None else addon.preferences
    return chosen if isinstance(chosen, VerletPreferences) else None


CLASSES = (VerletPreferences,)


def register() -> None:
    """Register the preferences."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    """Unregister them."""
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
