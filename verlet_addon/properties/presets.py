"""Materials by name: which one an object has, and how it gets another one."""

from __future__ import annotations

from typing import Any

import bpy

from ...core.presets import PRESETS, Preset
from ...core.settings import tunables
from .kinds import Kind
from .objects import group_of
from .tunable_properties import settings_from


def presets_of(kind: Kind) -> dict[str, Preset]:
    """The presets of a kind by identifier, in the order of a menu; none for a collider."""
    return PRESETS.get(kind.identifier, {})


def _told_apart(kind: Kind) -> list[str]:
    """Names of the parameters in which a kind's presets differ: the others stay the user's own.

    So a material changes neither the shape of a body nor the contact distance of a cloth.
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
    for identifier, preset in presets_of(kind).items():
        if _has(ob, kind, preset.settings):
            return identifier
    return ""


def label(ob: bpy.types.Object, kind: Kind) -> str:
    """What the panel calls the object's present settings."""
    identifier = current(ob, kind)
    if identifier:
        return presets_of(kind)[identifier].label
    return "Default" if _has(ob, kind, kind.settings()) else "Custom"


def _has(ob: bpy.types.Object, kind: Kind, wanted: Any) -> bool:
    """Whether the object's settings are the wanted ones, as far as presets tell them apart."""
    settings: Any = settings_from(group_of(ob, kind), kind.settings)
    return all(getattr(settings, name) == getattr(wanted, name) for name in _told_apart(kind))


def apply(ob: bpy.types.Object, kind: Kind, identifier: str) -> None:
    """Give an object the settings of a preset of its kind."""
    group, preset = group_of(ob, kind), presets_of(kind)[identifier]
    for name in _told_apart(kind):
        setattr(group, name, getattr(preset.settings, name))
