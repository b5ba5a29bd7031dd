"""Materials by name: which one an object has, and how it gets another one."""

from __future__ import annotations

from typing import Any

import bpy

from ..core.presets import PRESETS, Preset
from ..core.settings import tunables
from .kinds import Kind
from .properties import group_of, settings_from


def presets_of(kind: Kind) -> dict[str, Preset]:
    """The presets of a kind by identifier, in the order of a menu; none for a collider."""
    return PRESETS.get(kind.identifier, {})


def _told_apart(kind: Kind) -> list[str]:
    """Names of the parameters in which a kind's presets differ: the others stay the user's own.

    So a material changes neither the mass of a body nor the contact distance of a cloth.
    """
    defaults = kind.settings()
    return [
        name
        for name in tunables(kind.settings)
        if any(
            getattr(preset.settings, name) != getattr(defaults, name)
            for preset in presets_of(kind).values()
        )
    ]


def current(ob: bpy.types.Object, kind: Kind) -> str:
    """Identifier of the preset that the object's settings are those of, "" for none."""
    settings: Any = settings_from(group_of(ob, kind), kind.settings)
    names = _told_apart(kind)
    for identifier, preset in presets_of(kind).items():
        if all(getattr(settings, name) == getattr(preset.settings, name) for name in names):
            return identifier
    return ""


def apply(ob: bpy.types.Object, kind: Kind, identifier: str) -> None:
    """Give an object the settings of a preset of its kind."""
    group, preset = group_of(ob, kind), presets_of(kind)[identifier]
    for name in _told_apart(kind):
        setattr(group, name, getattr(preset.settings, name))
