"""The sidebar tab "Verlet" in the order of the work, and the same in Properties › Physics."""

import bpy

from . import bake, doctor, joint, menus, objects, ragdoll_bone, setup, simulate, tools, world

_MODULES = (menus, doctor, setup, simulate, bake, ragdoll_bone, objects, joint, world, tools)


def register() -> None:
    """Register every panel, parents before their sub-panels."""
    for module in _MODULES:
        for cls in module.CLASSES:
            bpy.utils.register_class(cls)
    menus.append_to_menus()


def unregister() -> None:
    """Unregister every panel."""
    menus.remove_from_menus()
    for module in reversed(_MODULES):
        for cls in reversed(module.CLASSES):
            bpy.utils.unregister_class(cls)
