"""Materials by name: which one an object has, and how it gets another one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import bpy

from ...core.presets import PRESETS, Preset
from ...core.settings import tunables
from . import user_presets
from .kinds import Kind
from .objects import group_of
from .tunable_properties import settings_from


def presets_of(kind: Kind) -> dict[str, Preset]:
    """The presets of a kind that come with it, by identifier, in the order of a menu."""
    return PRESETS.get(kind.identifier, {})


def all_of(kind: Kind) -> dict[str, Preset]:
    """Those and the user's own, which go by their names."""
    return presets_of(kind) | user_presets.of_kind(kind)


def is_users(kind: Kind, identifier: str) -> bool:
    """Whether the user has saved a preset."""
    return identifier in user_presets.of_kind(kind) and identifier not in presets_of(kind)


def _told_apart(kind: Kind, identifier: str = "") -> list[str]:
    """Names of the parameters that a preset sets: the others stay the user's own.

    Those in which a kind's presets differ, so that a material changes neither the shape of a body
    nor the contact distance of a cloth. What the user has saved is all that was saved.
    """
    everything = [name for name in tunables(kind.settings) if name not in user_presets.NOT_SAVED]
    if not presets_of(kind) or (identifier and is_users(kind, identifier)):
        return everything
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
    """Identifier of the preset that the object's settings are those of, "" for none.

    The user's own first: they say more.
    """
    found = all_of(kind)
    own = [name for name in found if is_users(kind, name)]
    for identifier in (*own, *presets_of(kind)):
        if _has(ob, kind, found[identifier].settings, identifier):
            return identifier
    return ""


def label(ob: bpy.types.Object, kind: Kind) -> str:
    """What the panel calls the object's present settings."""
    identifier = current(ob, kind)
    if identifier:
        return all_of(kind)[identifier].label
    default: Any = kind.settings()
    if kind.moves == "BONES":  # which were weighed when they became a ragdoll
        weighed: Any = settings_from(group_of(ob, kind), kind.settings)
        default = replace(default, mass=weighed.mass)
    return "Default" if _has(ob, kind, default) else "Custom"


def _has(ob: bpy.types.Object, kind: Kind, wanted: Any, identifier: str = "") -> bool:
    """Whether the object's settings are the wanted ones, as far as the preset tells."""
    settings: Any = settings_from(group_of(ob, kind), kind.settings)
    return all(
        getattr(settings, name) == getattr(wanted, name) for name in _told_apart(kind, identifier)
    )


def are_alike(a: bpy.types.Object, b: bpy.types.Object, kind: Kind) -> bool:
    """Whether two objects of a kind are of the same material."""
    return _has(b, kind, settings_from(group_of(a, kind), kind.settings), current(a, kind))


def apply(ob: bpy.types.Object, kind: Kind, identifier: str) -> None:
    """Give an object the settings of a preset of its kind."""
    group, preset = group_of(ob, kind), all_of(kind)[identifier]
    for name in _told_apart(kind, identifier):
        setattr(group, name, getattr(preset.settings, name))
