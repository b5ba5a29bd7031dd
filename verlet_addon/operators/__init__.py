"""The verbs of the product, one file for each group."""

import inspect

import bpy

from . import (
    add,
    alike,
    bake,
    bone_pins,
    convert,
    doctor,
    handles,
    impulse,
    joint,
    limits,
    limp,
    mend,
    pins,
    preset,
    setup,
    show,
    simulate,
    weigh,
)

_MODULES = (
    add,
    setup,
    alike,
    handles,
    preset,
    pins,
    bone_pins,
    limp,
    impulse,
    joint,
    limits,
    weigh,
    convert,
    simulate,
    show,
    mend,
    doctor,
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
