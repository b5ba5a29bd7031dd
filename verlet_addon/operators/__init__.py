"""The verbs of the product, one file for each group."""

import inspect

import bpy

from . import (
    add,
    alike,
    bake,
    convert,
    doctor,
    grab,
    handles,
    impulse,
    joint,
    mend,
    mend_drawn,
    pins,
    preset,
    ragdoll_limits,
    ragdoll_limp,
    ragdoll_pins,
    ragdoll_weight,
    setup,
    show,
    simulate,
    tear,
)

_MODULES = (
    add,
    setup,
    alike,
    handles,
    preset,
    pins,
    tear,
    ragdoll_pins,
    ragdoll_limp,
    impulse,
    joint,
    ragdoll_limits,
    ragdoll_weight,
    convert,
    simulate,
    grab,
    show,
    mend,
    doctor,
    mend_drawn,
    bake,
)


def register() -> None:
    """Register every operator."""
    for module in _MODULES:
        for cls in module.CLASSES:
            if "bl_description" not in vars(cls):
                cls.bl_description = _tooltip(cls)
            bpy.utils.register_class(cls)


def _tooltip(cls: type[bpy.types.Operator]) -> str:
    """An operator's docstring, each paragraph in one line: Blender would show its line ends."""
    paragraphs = inspect.cleandoc(cls.__doc__ or "").split("\n\n")
    return "\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def unregister() -> None:
    """Unregister every operator."""
    for module in reversed(_MODULES):
        for cls in reversed(module.CLASSES):
            bpy.utils.unregister_class(cls)
