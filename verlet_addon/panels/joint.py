"""Joints: the verbs, what the active joint is, and what the 3D view shows of them."""

import bpy

from ...core.settings import JointSettings, tunables
from ..joints import joint_inputs
from .places import PhysicsTab, Sidebar
from .settings import draw_settings, draw_text, label_of

_LIMITS_BY_AXIS = (
    ("Place", "limits_linear", "linear_lower", "linear_upper"),
    ("Angle", "limits_angular", "angular_lower", "angular_upper"),
)
_SPRING = ("stiffness", "damping", "angular_stiffness", "angular_damping")
FIELDS = {
    "BALL": ("friction",),
    "HINGE": ("is_limited", "lower_angle", "upper_angle", "friction"),
    "CONE_TWIST": ("is_limited", "swing", "lower_angle", "upper_angle", "friction"),
    "SLIDER": ("is_limited", "lower", "upper", "friction"),
    "FIXED": (),
    "DISTANCE": ("length",),
    "SPRING": _SPRING,
    "GENERIC": (),
}
"""What counts beside the kind, by kind of joint, in the order of the panel."""

LIMIT_FIELDS = {"lower", "upper", "lower_angle", "upper_angle", "swing"}
WITH_MOTOR = {"HINGE", "SLIDER", "CONE_TWIST", "GENERIC"}
MOTOR_FIELDS = {
    "NONE": (),
    "VELOCITY": ("motor_speed", "motor_force"),
    "POSE": ("motor_target", "motor_frequency", "motor_force"),
}


def draw_joints_of(
    layout: bpy.types.UILayout, ob: bpy.types.Object, scene: bpy.types.Scene
) -> None:
    """A button that selects the joints of an object, where it has some."""
    count = len(joint_inputs.joints_of(ob, scene))
    if count:
        text = f"Select its {count} joint{'s' if count != 1 else ''}"
        layout.operator("verlet.select_joints", text=text, icon="CONSTRAINT")


def draw_joint(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """The active joint: what is wrong with it, what it joins and how."""
    ob = context.object
    joint = ob.verlet.joint
    layout.label(text=ob.name, icon="CONSTRAINT")
    reason = joint_inputs.trouble(ob, context.scene)
    if reason:
        box = layout.box()
        box.alert = True
        draw_text(box, f"Does nothing: {reason}", context.region.width, "ERROR")
    elif ob.session_uid in joint_inputs.broken(context.scene):
        text = "Broken in this frame: raise Breaking Force, or set it to 0, to let it hold"
        draw_text(layout.box(), text, context.region.width, "UNLINKED")
    layout.use_property_split = True
    layout.use_property_decorate = False
    column = layout.column()
    column.prop(joint, "object_a")
    column.prop(joint, "object_b")
    if joint_inputs.is_tie(ob):
        column.prop(joint, "tie_radius")
        return
    draw_settings(layout, joint, JointSettings, names=["kind"])
    for name in FIELDS[joint.kind]:
        if name in LIMIT_FIELDS and not joint.is_limited:
            continue
        is_own = name in tunables(JointSettings)
        label = label_of(JointSettings, name) if is_own else None
        layout.column().prop(joint, name, text=label)
    if joint.kind == "GENERIC":
        _draw_limits_by_axis(layout, joint)
    draw_settings(layout, joint, JointSettings, names=["breaking_force", "collides"])


def _draw_limits_by_axis(layout: bpy.types.UILayout, joint: bpy.types.PropertyGroup) -> None:
    """A row for each axis: whether it is limited, from where, to where."""
    for label, is_limited, lower, upper in _LIMITS_BY_AXIS:
        column = layout.column(align=True)
        column.use_property_split = False
        heading = column.row(align=True)
        for text in (f"Limit {label}", "From", "To"):
            heading.label(text=text)
        for axis, name in enumerate("XYZ"):
            row = column.row(align=True)
            row.prop(joint, is_limited, index=axis, text=name, toggle=True)
            limits = row.row(align=True)
            limits.active = getattr(joint, is_limited)[axis]
            limits.prop(joint, lower, index=axis, text="")
            limits.prop(joint, upper, index=axis, text="")


def draw_motor(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """What drives the active joint."""
    joint = context.object.verlet.joint
    layout.use_property_split = True
    layout.use_property_decorate = False
    layout.prop(joint, "motor")
    column = layout.column()
    column.use_property_decorate = True
    for name in MOTOR_FIELDS[joint.motor]:
        column.prop(joint, name, text=label_of(JointSettings, name))


def _active_joint(context: bpy.types.Context) -> bool:
    ob = context.object
    return ob is not None and ob.type == "EMPTY" and ob.verlet.is_joint


class _JointPanel(bpy.types.Panel):
    bl_label = "Joint"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return _active_joint(context)

    def draw(self, context: bpy.types.Context) -> None:
        draw_joint(self.layout, context)
        self.layout.operator("verlet.remove_joint", icon="X")


class _MotorPanel(bpy.types.Panel):
    bl_label = "Motor"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not _active_joint(context) or joint_inputs.is_tie(context.object):
            return False
        return context.object.verlet.joint.kind in WITH_MOTOR

    def draw(self, context: bpy.types.Context) -> None:
        draw_motor(self.layout, context)


class VERLET_PT_joint(Sidebar, _JointPanel):
    """How the active joint holds its two objects; an edit holds for all selected joints"""

    bl_idname = "VERLET_PT_joint"
    bl_order = 4
    page = "manual/joints.html"


class VERLET_PT_joint_motor(Sidebar, _MotorPanel):
    """What drives the joint; speed and target can be keyed"""

    bl_idname = "VERLET_PT_joint_motor"
    bl_parent_id = "VERLET_PT_joint"


class VERLET_PT_physics_joint(PhysicsTab, _JointPanel):
    """How the joint holds its two objects"""

    bl_idname = "VERLET_PT_physics_joint"
    bl_label = "Verlet Joint"


class VERLET_PT_physics_joint_motor(PhysicsTab, _MotorPanel):
    """What drives the joint; speed and target can be keyed"""

    bl_idname = "VERLET_PT_physics_joint_motor"
    bl_parent_id = "VERLET_PT_physics_joint"


CLASSES = (
    VERLET_PT_joint,
    VERLET_PT_joint_motor,
    VERLET_PT_physics_joint,
    VERLET_PT_physics_joint_motor,
)
