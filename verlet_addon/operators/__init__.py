"""The verbs of the product, one file for each group."""

import bpy

from . import (
    bake,
    bone_pins,
    convert,
    handles,
    impulse,
    joint,
    limits,
    limp,
    pins,
    preset,
    setup,
    show,
    simulate,
    weigh,
)

_MODULES = (
    setup,
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
    bake,
)


def register() -> None:
    """Register every operator."""
    for module in _MODULES:
        for cls in module.CLASSES:
            bpy.utils.register_class(cls)


def unregister() -> None:
    """Unregister every operator."""
    for module in reversed(_MODULES):
        for cls in reversed(module.CLASSES):
            bpy.utils.unregister_class(cls)
