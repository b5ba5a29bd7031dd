"""Names for types that only Blender's stubs have."""

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import bpy
    from bpy.stub_internal.rna_enums import (
        IconItems,
        OperatorReturnItems,
        RegionTypeItems,
        SpaceTypeItems,
    )

    Animatable: TypeAlias = (
        bpy.types.Object
        | bpy.types.Key
        | bpy.types.Scene
        | bpy.types.Mesh
        | bpy.types.Curve
        | bpy.types.Armature
    )
    Icon: TypeAlias = IconItems
    Result: TypeAlias = set[OperatorReturnItems]
    Region: TypeAlias = RegionTypeItems
    Space: TypeAlias = SpaceTypeItems
else:
    Animatable = Any
    """A datablock that may have keys and drivers."""
    Icon = str
    """Name of an icon."""
    Region = Space = str
    """Where a panel is."""
    Result = set[str]
    """What an operator's `execute`, `invoke` and `modal` return."""
