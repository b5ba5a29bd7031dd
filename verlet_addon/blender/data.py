"""What lies below an object, as the type that it has: so that misspelt attributes are found."""

from __future__ import annotations

from typing import Any

import bpy


def mesh_of(ob: bpy.types.Object) -> bpy.types.Mesh:
    """The mesh of an object. Raises TypeError for an object of another type."""
    if isinstance(ob.data, bpy.types.Mesh):
        return ob.data
    raise TypeError(f"{ob.name} is of type {ob.type} and has no mesh")


def curve_of(ob: bpy.types.Object) -> bpy.types.Curve:
    """The curve of an object. Raises TypeError for an object of another type."""
    if isinstance(ob.data, bpy.types.Curve):
        return ob.data
    raise TypeError(f"{ob.name} is of type {ob.type} and has no curve")


def armature_of(ob: bpy.types.Object) -> bpy.types.Armature:
    """The armature of an object. Raises TypeError for an object of another type."""
    if isinstance(ob.data, bpy.types.Armature):
        return ob.data
    raise TypeError(f"{ob.name} is of type {ob.type} and has no bones")


def posed_object(bone: bpy.types.PoseBone) -> bpy.types.Object:
    """The armature object that a pose bone belongs to."""
    owner: Any = bone.id_data
    assert isinstance(owner, bpy.types.Object)
    return owner


def shaped_of(ob: bpy.types.Object) -> bpy.types.Mesh | bpy.types.Curve:
    """The mesh or curve of an object, which may have shape keys. Raises TypeError for others."""
    if isinstance(ob.data, bpy.types.Mesh | bpy.types.Curve):
        return ob.data
    raise TypeError(f"{ob.name} is of type {ob.type} and has no shape keys")


def choices_of(properties: Any, name: str) -> bpy.types.bpy_prop_collection[Any]:
    """The items of an enum among the properties of `bl_rna`. Raises TypeError for another kind."""
    found = properties[name]
    if isinstance(found, bpy.types.EnumProperty):
        return found.enum_items
    raise TypeError(f"{name} is no choice among items")


def any_item(identifier: str) -> Any:
    """An item of an enum that is not known before it runs, as the enum's own type."""
    return identifier
