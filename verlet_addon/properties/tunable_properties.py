"""Blender properties made from the tunables of the core's dataclasses, and settings from them."""

import dataclasses
from collections.abc import Callable, Container
from functools import cache, lru_cache
from typing import Any, TypeVar

import bpy
import numpy as np

from ...core.settings import Tunable, tunables
from .edits import Update, after_edit, after_live_edit

Settings = TypeVar("Settings")

PAINT_SUFFIX = "_group"  # a parameter's vertex group: bend → bend_group

# Units that Blender shows itself; every other unit is named in the tooltip.
_BLENDER_UNIT: dict[str, Any] = {
    "m": "LENGTH",
    "m/s": "VELOCITY",
    "kg": "MASS",
    "m/s²": "ACCELERATION",
    "rad": "ROTATION",
}
SHOWN_BY_BLENDER = {"", *_BLENDER_UNIT}
"""Units that need not be written beside a number."""

_VECTOR_SUBTYPE: dict[str, Any] = {
    "m": "TRANSLATION",
    "m/s": "VELOCITY",
    "m/s²": "ACCELERATION",
    "rad": "EULER",
}


def settings_from(group: bpy.types.PropertyGroup, settings: type[Settings]) -> Settings:
    """The settings dataclass with the values of a PropertyGroup that was made from it.

    The same values give the same object: this is asked in every frame, and of many alike.
    """
    kind: Any = settings  # hashable, as every class: mypy doubts it
    values = tuple([_hashable(getattr(group, name)) for name in _names(kind)])
    found: Settings = _settings(kind, values)
    return found


@lru_cache(maxsize=1000)
def _settings(settings: Any, values: tuple[Any, ...]) -> Any:
    return settings(**dict(zip(_names(settings), map(number_of, values))))


@cache
def _names(settings: Any) -> tuple[str, ...]:
    return tuple(tunables(settings))


def _hashable(value: Any) -> Any:
    return value if isinstance(value, float | int | str) else tuple(map(_hashable, value))


def number_of(value: Any) -> Any:
    """A property's value as the decimal the user typed.

    Blender keeps 32-bit floats, in which 0.0001 lies below a minimum of 0.0001.
    """
    if isinstance(value, float):
        return float(str(np.float32(value))) + 0.0  # never −0, which is equal to 0 and reads else
    if isinstance(value, bool | int | str):
        return value
    return tuple(number_of(component) for component in value)


def _property(name: str, default: Any, about: Tunable, update: Update) -> Any:
    """The Blender property of one tunable."""
    unit = _BLENDER_UNIT.get(about.unit, "NONE")
    description = about.description
    if about.unit and unit == "NONE":
        description += f". In {about.unit}"
    common: dict[str, Any] = {
        "name": about.label,
        "description": description,
        "default": default,
        "update": update,
        "override": {"LIBRARY_OVERRIDABLE"},
    }
    if about.choices:
        return bpy.props.EnumProperty(items=about.choices, **common)
    if isinstance(default, bool):
        return bpy.props.BoolProperty(**common)
    if isinstance(default, tuple) and isinstance(default[0], bool):
        subtype: Any = "XYZ" if len(default) == 3 else "LAYER"
        return bpy.props.BoolVectorProperty(size=len(default), subtype=subtype, **common)
    for ours, theirs in (
        ("minimum", "min"),
        ("maximum", "max"),
        ("soft_minimum", "soft_min"),
        ("soft_maximum", "soft_max"),
    ):
        if (limit := getattr(about, ours)) is not None:
            common[theirs] = limit
    if isinstance(default, int):
        return bpy.props.IntProperty(**common)
    if isinstance(default, tuple):
        return bpy.props.FloatVectorProperty(
            size=len(default), subtype=_VECTOR_SUBTYPE.get(about.unit, "XYZ"), precision=2, **common
        )
    is_factor = not about.unit and about.minimum == 0.0 and about.maximum == 1.0
    return bpy.props.FloatProperty(
        subtype="FACTOR" if is_factor else "NONE", unit=unit, precision=3, **common
    )


def paintable(settings: type) -> list[str]:
    """Names of the parameters that a vertex group may scale."""
    return [name for name, (_, about) in tunables(settings).items() if about.paintable]


def _paint_property(name: str, about: Tunable) -> Any:
    """The vertex group that scales one parameter."""
    return bpy.props.StringProperty(
        name=f"{about.label} Group",
        description=f"Vertex group whose weights scale {about.label}: 1 is the full value, 0 none "
        "of it. Empty: the full value everywhere",
        update=after_edit(name + PAINT_SUFFIX),
        override={"LIBRARY_OVERRIDABLE"},
    )


def refuse_keys(properties: dict[str, Any], keyed: Container[str] = ()) -> None:
    """Let none of these properties be animated but those ``keyed``.

    What is read once, at the start frame, would take keys and drivers and ignore them.
    """
    for name, made in properties.items():
        if name not in keyed and made.function is not bpy.props.PointerProperty:
            made.keywords.setdefault("options", set())


def properties_of(
    settings: type,
    *,
    is_painted: bool = False,
    after: Callable[[str], Update] = after_edit,
    keyed: Container[str] = (),
) -> dict[str, Any]:
    """One property for each tunable of a settings dataclass, by name.

    Where it ``is_painted``, what is paintable has a second one, with the name of a vertex group.
    Only those ``keyed``, which are read in every frame, may be animated.
    """
    found = {}
    for name, (default, about) in tunables(settings).items():
        is_live = name in keyed and after is after_edit  # read in every frame: it acts at once
        update = after_live_edit if is_live else after
        found[name] = _property(name, default, about, update(name))
        if is_painted and about.paintable:
            found[name + PAINT_SUFFIX] = _paint_property(name, about)
    refuse_keys(found, keyed)
    return found


def group_made_of(
    settings: type, class_name: str, *, is_painted: bool = False, is_keyed: bool = False
) -> type[bpy.types.PropertyGroup]:
    """A PropertyGroup with the properties of a settings dataclass.

    ``is_keyed``: they are read in every frame, so they may be animated and edits act at once.
    """
    properties = properties_of(
        settings,
        is_painted=is_painted,
        after=after_live_edit if is_keyed else after_edit,
        keyed=tunables(settings) if is_keyed else (),
    )
    body = {
        "__annotations__": properties,
        "__doc__": settings.__doc__,
        "__module__": __name__,
    }
    return type(class_name, (bpy.types.PropertyGroup,), body)


def panel_fields(settings: type, *, advanced: bool) -> list[str]:
    """Names of the parameters that a panel or its Advanced sub-panel shows, in order."""
    return [name for name, (_, about) in tunables(settings).items() if about.advanced == advanced]


def shared_values(values: Any, settings: type[Settings]) -> Settings:
    """Settings of one class from another's fields of the same name, defaults for the rest."""
    known = {field.name for field in dataclasses.fields(settings)}  # type: ignore[arg-type]
    return settings(
        **{name: value for name, value in dataclasses.asdict(values).items() if name in known}
    )
