"""Lets files hold what was set on library overrides, also what the library has never heard of.

A file has of an override only how it differs from the linked object. Of a group of properties that
nobody ever touched in the library, Blender notes that the whole group was exchanged, and cannot do
so when it opens the file: all that was set in it is lost. A group is there once it is asked for.
"""

from typing import Any

import bpy


def prepare_linked() -> None:
    """Before a file is saved: have every group in the linked objects that are overridden."""
    for ob in bpy.data.objects:
        linked = None if ob.override_library is None else ob.override_library.reference
        if isinstance(linked, bpy.types.Object):
            bones = () if linked.pose is None else linked.pose.bones
            for group in (linked.verlet, *(bone.verlet for bone in bones)):
                _make_groups(group)


def _make_groups(group: Any) -> None:
    """Have all groups in a group: each is made by being asked for."""
    for about in group.bl_rna.properties:
        kind = getattr(about, "fixed_type", None)
        if kind is not None and kind.base == bpy.types.PropertyGroup.bl_rna:
            _make_groups(getattr(group, about.identifier))
