"""Everything that a user could find changed on an object, as plain values that compare with ==.

Used to prove that Free Bake restores exactly what was there, also over save and reload: nothing
here refers to Blender's own data.
"""

from typing import Any

import bpy
import numpy as np

OBJECT_VALUES = (
    "name",
    "mode",
    "rotation_mode",
    "location",
    "rotation_euler",
    "rotation_quaternion",
    "rotation_axis_angle",
    "scale",
    "delta_location",
    "delta_rotation_euler",
    "delta_rotation_quaternion",
    "delta_scale",
    "lock_location",
    "lock_rotation",
    "lock_scale",
    "parent",
    "parent_type",
    "parent_bone",
    "parent_vertices",
    "matrix_parent_inverse",
    "hide_render",
    "data",
    "show_only_shape_key",
    "active_shape_key_index",
    "use_shape_key_edit_mode",
)
KEY_BLOCK_VALUES = (
    "name",
    "value",
    "slider_min",
    "slider_max",
    "mute",
    "vertex_group",
    "relative_key",
    "interpolation",
    "frame",
    "lock_shape",
)
FCURVE_VALUES = (
    "data_path",
    "array_index",
    "mute",
    "lock",
    "hide",
    "is_valid",
    "extrapolation",
    "group",
)
KEYFRAME_VALUES = (
    "co",
    "handle_left",
    "handle_right",
    "interpolation",
    "easing",
    "handle_left_type",
    "handle_right_type",
    "type",
)
ANIMATION_VALUES = (
    "action",
    "action_slot_handle",
    "last_slot_identifier",
    "action_blend_type",
    "action_extrapolation",
    "action_influence",
    "use_nla",
    "use_tweak_mode",
)
STRIP_VALUES = (
    "name",
    "action",
    "action_slot_handle",
    "frame_start",
    "frame_end",
    "blend_type",
    "extrapolation",
    "influence",
    "mute",
)


def plain(value: Any) -> Any:
    """Turn a value of Blender's into one that outlives it."""
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, (bpy.types.ID, bpy.types.ShapeKey, bpy.types.ActionGroup)):
        return value.name
    return tuple(plain(item) for item in value)


def values(owner: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """Read the properties that this Blender has."""
    return {name: plain(getattr(owner, name)) for name in names if hasattr(owner, name)}


def coordinates(owner: Any) -> bytes:
    """The positions of vertices or of shape key points, bit by bit."""
    co = np.empty(len(owner) * 3, dtype=np.float32)
    owner.foreach_get("co", co)
    return co.tobytes()


def fcurve_snapshot(fcurve: bpy.types.FCurve) -> dict[str, Any]:
    """A curve with all its keys."""
    keys = [values(key, KEYFRAME_VALUES) for key in fcurve.keyframe_points]
    return values(fcurve, FCURVE_VALUES) | {"keys": keys}


def action_snapshot(action: bpy.types.Action) -> dict[str, Any]:
    """An action with the curves of all its slots."""
    if bpy.app.version < (4, 4, 0):
        slots, curves = [], list(action.fcurves)
    else:
        slots = [values(slot, ("handle", "identifier")) for slot in action.slots]
        bags = [b for layer in action.layers for strip in layer.strips for b in strip.channelbags]
        curves = [fcurve for bag in bags for fcurve in bag.fcurves]
    return {
        "users": action.users,
        "fake": action.use_fake_user,
        "slots": slots,
        "curves": [fcurve_snapshot(fcurve) for fcurve in curves],
    }


def animation_snapshot(datablock: bpy.types.ID) -> dict[str, Any] | None:
    """Action, slot, drivers and NLA tracks of a datablock."""
    animation = datablock.animation_data
    if animation is None:
        return None
    return values(animation, ANIMATION_VALUES) | {
        "drivers": [
            fcurve_snapshot(driver)
            | values(driver.driver, ("type", "expression"))
            | {"variables": [variable.name for variable in driver.driver.variables]}
            for driver in animation.drivers
        ],
        "tracks": [
            values(track, ("name", "mute", "is_solo", "lock"))
            | {"strips": [values(strip, STRIP_VALUES) for strip in track.strips]}
            for track in animation.nla_tracks
        ],
    }


def shape_key_snapshot(keys: bpy.types.Key | None) -> dict[str, Any] | None:
    """All shape keys with their points, and their animation."""
    if keys is None:
        return None
    return values(keys, ("name", "use_relative", "eval_time", "reference_key")) | {
        "blocks": [
            values(block, KEY_BLOCK_VALUES) | {"points": coordinates(block.data)}
            for block in keys.key_blocks
        ],
        "animation": animation_snapshot(keys),
    }


def mesh_snapshot(mesh: bpy.types.Mesh) -> dict[str, Any]:
    """Users, vertices, layers and shape keys of a mesh."""
    return {
        "users": mesh.users,
        "fake": mesh.use_fake_user,
        "vertices": coordinates(mesh.vertices),
        "attributes": sorted(attribute.name for attribute in mesh.attributes),
        "materials": [plain(material) for material in mesh.materials],
        "shape keys": shape_key_snapshot(mesh.shape_keys),
    }


def snapshot(ob: bpy.types.Object) -> dict[str, Any]:
    """Everything that a user can see of one object and its data."""
    return values(ob, OBJECT_VALUES) | {
        "matrix": plain(ob.matrix_world),
        "custom properties": {
            name: plain(ob[name]) for name in ob.keys() if not name.startswith("verlet")
        },
        "constraints": [
            values(constraint, ("name", "type", "mute", "influence"))
            for constraint in ob.constraints
        ],
        "modifiers": [values(modifier, ("name", "type")) for modifier in ob.modifiers],
        "vertex groups": [group.name for group in ob.vertex_groups],
        "material slots": [values(slot, ("name", "link")) for slot in ob.material_slots],
        "animation": animation_snapshot(ob),
    }


def file_snapshot() -> dict[str, Any]:
    """Every object, mesh and action of the file, with its users: an orphan left behind shows."""
    return {
        "objects": {ob.name: snapshot(ob) for ob in bpy.data.objects},
        "meshes": {mesh.name: mesh_snapshot(mesh) for mesh in bpy.data.meshes},
        "keys": sorted(key.name for key in bpy.data.shape_keys),
        "actions": {action.name: action_snapshot(action) for action in bpy.data.actions},
    }


def differences(before: Any, after: Any, path: str = "") -> list[str]:
    """Say in words where two snapshots differ: an empty list means that they are equal."""
    if type(before) is type(after) and isinstance(before, dict):
        found = [f"{path}: lost {name}" for name in before if name not in after]
        found += [f"{path}: new {name}" for name in after if name not in before]
        for name in before:
            if name in after:
                found += differences(before[name], after[name], f"{path}/{name}")
        return found
    if type(before) is type(after) and isinstance(before, list) and len(before) == len(after):
        return [
            line
            for index, pair in enumerate(zip(before, after))
            for line in differences(*pair, f"{path}[{index}]")
        ]
    return [] if before == after else [f"{path}: {before!r:.200} -> {after!r:.200}"]
