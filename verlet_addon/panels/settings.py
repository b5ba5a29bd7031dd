"""Draws the parameters of a settings dataclass: nothing about them stands here."""

from collections.abc import Sequence

import blf
import bpy

from ...core.settings import INTEGRATORS, SolverSettings, Tunable, tunables
from ..blender.text_lines import lines_of
from ..blender.types import Icon
from ..problem import Problem
from ..properties.tunable_properties import PAINT_SUFFIX, SHOWN_BY_BLENDER, paintable, panel_fields

_IS_FORCE_BASED = {
    name: SolverSettings(integrator=name).is_force_based for name, _, _ in INTEGRATORS
}
_FORCE_BASED = tuple(name for name, is_force_based in _IS_FORCE_BASED.items() if is_force_based)
_PROJECTING = tuple(name for name, is_force_based in _IS_FORCE_BASED.items() if not is_force_based)

MATTERS_ONLY_FOR = {
    "edge_stiffness": ("integrator", _FORCE_BASED),
    "spring_form": ("integrator", _PROJECTING),
    "stick_form": ("integrator", _PROJECTING),
    "relaxation": ("integrator", _PROJECTING),
    "over_relaxation": ("integrator", _PROJECTING),
    "acceleration": ("integrator", _PROJECTING),
    "tolerance": ("integrator", _PROJECTING),
    "strain_limit": ("integrator", _PROJECTING),
    "spectral_radius": ("acceleration", ("CHEBYSHEV",)),
    "separation": ("behaviour", ("FLOCK",)),
    "alignment": ("behaviour", ("FLOCK",)),
    "cohesion": ("behaviour", ("FLOCK",)),
    "speed": ("behaviour", ("FLOCK", "FLOW")),
    "size": ("behaviour", ("FLOCK", "FLOW")),
    "mass": ("mass_by", ("MASS",)),
    "density": ("mass_by", ("DENSITY",)),
    "two_sided": ("shape", ("MESH", "AUTO")),
    "angular_drag": ("model", ("QUATERNION", "BODIES")),
    "static_friction": ("model", ("QUATERNION", "BODIES")),
    "gyroscopic": ("model", ("QUATERNION",)),
    "sleeps": ("model", ("QUATERNION", "BODIES")),
    "frequency": ("model", ("BODIES",)),
    "torque": ("model", ("BODIES",)),
    "balance": ("model", ("BODIES",)),
    "blend": ("model", ("BODIES",)),
    "layers": ("model", ("QUATERNION", "TETRAHEDRON", "AXES", "BODIES")),
}
"""Parameters by name: another one of the same settings, and those of its choices that they need."""

ONLY_FOR_MOVING_BODIES = frozenset(
    {"mass_by", "mass", "density", "drag", "angular_drag", "velocity", "angular_velocity"}
    | {"gyroscopic", "sleeps"}
)
"""Parameters that mean nothing to a body of type Passive."""

TEARING_SETTINGS = ("strength",)
"""Parameters of tearing, in a panel of their own."""

AT_START = ("velocity", "angular_velocity")
"""Parameters that say how things move at the start, in a panel of their own."""

PROPOSED: dict[tuple[str, str], tuple[str, Icon, dict[str, bool]]] = {
    ("RagdollSettings", "mass"): ("verlet.weigh", "CON_SIZELIKE", {}),
    ("BoneSettings", "has_limits"): ("verlet.take_limits", "PASTEDOWN", {"selected_only": True}),
}
"""Parameters with a button beside them that proposes a value: operator, icon and its options."""

PAINT_WIDTH = 1.6  # of the empty field beside a slider, in units of a button's height
PANEL_MARGIN, ICON = 76, 20
"""px at a scale of 1: around a text in a box, with the scroll bar; an icon."""
LABEL_SHARE, ROW_MARGIN, LABEL_MARGIN = 0.4, 54, 4
"""Of a row: the label's share of it; px at a scale of 1: beside the row, and around its label."""


def draw_settings(
    layout: bpy.types.UILayout,
    group: bpy.types.PropertyGroup,
    settings: type,
    *,
    advanced: bool = False,
    names: Sequence[str] | None = None,
    painted_on: bpy.types.Object | None = None,
) -> None:
    """One row for each parameter, or for those of ``names``, label on the left.

    With an object that it is ``painted_on`` the vertex group stands beside what can be painted.
    """
    layout.use_property_split = True
    layout.use_property_decorate = False
    column = layout.column()
    can_be_painted = paintable(settings) if painted_on is not None else []
    for name in names or panel_fields(settings, advanced=advanced):
        if not matters(group, name):
            continue
        if name in can_be_painted:
            _draw_painted(column, group, settings, name, painted_on)
        elif (settings.__name__, name) in PROPOSED:
            operator, icon, options = PROPOSED[settings.__name__, name]
            row = column.row(align=True)
            row.prop(group, name, text=label_of(settings, name))
            button = row.operator(operator, text="", icon=icon)
            for option, value in options.items():
                setattr(button, option, value)
        else:
            column.prop(group, name, text=label_of(settings, name))


def label_of(settings: type, name: str) -> str:
    """A parameter's name, with its unit where Blender does not show that beside the number.

    Where both are too long for the region that is drawn, the unit is left to the tooltip.
    """
    _, about = tunables(settings)[name]
    scale = bpy.context.preferences.system.ui_scale
    return label_within(label_room(bpy.context.region.width, scale), about, scale)


def label_within(room: float, about: Tunable, scale: float) -> str:
    """A parameter's name, and its unit where that is to be told and there is room (pixels)."""
    if about.unit in SHOWN_BY_BLENDER:
        return about.label
    both = f"{about.label} ({about.unit})"
    return both if text_width(both, scale) <= room else about.label


def label_room(width: int, scale: float) -> float:
    """How wide the label of a row may be, in a region of a width; both in pixels."""
    return LABEL_SHARE * (width - ROW_MARGIN * scale) - LABEL_MARGIN * scale


def text_width(text: str, scale: float) -> float:
    """How wide a text is in panels, in pixels."""
    blf.size(0, bpy.context.preferences.ui_styles[0].widget.points * scale)
    return blf.dimensions(0, text)[0]


def matters(group: bpy.types.PropertyGroup, name: str) -> bool:
    """Whether a parameter does anything now: some belong to one choice of another one."""
    if getattr(group, "type", "") == "PASSIVE" and name in ONLY_FOR_MOVING_BODIES:
        return False
    if name not in MATTERS_ONLY_FOR:
        return True
    chooser, choices = MATTERS_ONLY_FOR[name]
    return getattr(group, chooser, None) in {*choices, None}


def _draw_painted(
    column: bpy.types.UILayout,
    group: bpy.types.PropertyGroup,
    settings: type,
    name: str,
    ob: bpy.types.Object,
) -> None:
    """A slider with the vertex group beside it, or below it where one is chosen: to be read."""
    row = column.row(align=True)
    row.prop(group, name, text=label_of(settings, name))
    chosen = getattr(group, name + PAINT_SUFFIX)
    field = row.row(align=True)
    if chosen:
        field = column.row(heading=" ")
        field.alert = chosen not in ob.vertex_groups
    else:
        field.ui_units_x = PAINT_WIDTH
        field.use_property_split = False
    field.prop_search(group, name + PAINT_SUFFIX, ob, "vertex_groups", text="")


def draw_text(layout: bpy.types.UILayout, text: str, width: int, icon: Icon = "NONE") -> None:
    """A text in as many lines as it needs; ``width`` of the region in pixels."""
    scale = bpy.context.preferences.system.ui_scale
    room = width - (PANEL_MARGIN + (ICON if icon != "NONE" else 0)) * scale
    column = layout.column(align=True)
    column.scale_y = 0.8
    for number, line in enumerate(lines_of(text, lambda part: text_width(part, scale) <= room)):
        first: Icon = icon if number == 0 or icon == "NONE" else "BLANK1"
        column.label(text=line, icon=first)


def draw_problem(layout: bpy.types.UILayout, problem: Problem, width: int) -> None:
    """What may be wrong, in a box, with the button that mends it."""
    box = layout.box()
    box.alert = problem.is_error
    draw_text(box, problem.message, width, "ERROR" if problem.is_error else "INFO")
    if problem.operator:
        row = box.row()
        row.alert = False
        button = row.operator(problem.operator, text=problem.button)
        if problem.object_uid:
            button.uid = str(problem.object_uid)
