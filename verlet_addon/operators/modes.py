"""In which modes operators run, and what those that do not tell the user."""

import bpy


def in_object_mode(operator: type[bpy.types.Operator], context: bpy.types.Context) -> bool:
    """Whether this is Object Mode; says the way there."""
    return _is_one_of(operator, context, {"OBJECT"}, "Go to Object Mode first")


def in_object_or_pose_mode(operator: type[bpy.types.Operator], context: bpy.types.Context) -> bool:
    """Whether this is Object Mode or Pose Mode; says the way there."""
    return _is_one_of(operator, context, {"OBJECT", "POSE"}, "Go to Object Mode or Pose Mode first")


def _is_one_of(
    operator: type[bpy.types.Operator], context: bpy.types.Context, modes: set[str], way: str
) -> bool:
    if context.mode not in modes:
        operator.poll_message_set(way)
        return False
    return True
