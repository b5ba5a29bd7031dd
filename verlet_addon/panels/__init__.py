"""The sidebar tab "Verlet" in the order of the work, and the same in Properties › Physics."""

import bpy

from . import bake, bone, joint, objects, setup, simulate, world

_MODULES = (setup, objects, bone, joint, world, simulate, bake)


def register() -> None:
    """Register every panel, parents before their sub-panels."""
    for module in _MODULES:
        for cls in module.CLASSES:
            bpy.utils.register_class(cls)


def unregister() -> None:
    """Unregister every panel."""
    for module in reversed(_MODULES):
        for cls in reversed(module.CLASSES):
            bpy.utils.unregister_class(cls)
