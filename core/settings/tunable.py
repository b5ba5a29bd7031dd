"""What a tunable is, and those that several objects share."""

from __future__ import annotations

import dataclasses
import functools
import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from ..errors import ModelError


@dataclass(frozen=True)
class Tunable:
    """What a person needs to know about one parameter."""

    label: str
    description: str
    unit: str = ""  # SI, "" for a pure number
    minimum: float | None = None
    maximum: float | None = None
    soft_minimum: float | None = None  # slider range, where it differs from the hard one
    soft_maximum: float | None = None
    choices: tuple[tuple[str, str, str], ...] = ()  # (identifier, label, description)
    advanced: bool = False
    paintable: bool = False  # a vertex group may scale it


def tunable(default: Any, label: str, description: str, **details: Any) -> Any:
    """A field of a settings dataclass with what a person needs to know about it."""
    about = Tunable(label=label, description=description, **details)
    return dataclasses.field(default=default, metadata={"tunable": about})


def friction_tunable() -> Any:
    """Friction, the same for everything."""
    return tunable(
        0.5,
        "Friction",
        "Coulomb friction against other surfaces",
        minimum=0.0,
        maximum=10.0,
        soft_maximum=1.0,
        paintable=True,
    )


def restitution_tunable() -> Any:
    """Bounciness, the same for everything."""
    return tunable(0.0, "Bounciness", "Speed kept by a bounce", minimum=0.0, maximum=1.0)


def drag_tunable(default: float) -> Any:
    """Drag of still air."""
    return tunable(
        default,
        "Air Drag",
        "Share of the velocity lost per second to still air",
        unit="1/s",
        minimum=0.0,
        maximum=1000.0,
        soft_maximum=10.0,
        paintable=True,
    )


def angular_drag_tunable(default: float) -> Any:
    """Drag on the spin."""
    return tunable(
        default,
        "Spin Drag",
        "Share of the spin lost per second",
        unit="1/s",
        minimum=0.0,
        maximum=1000.0,
        soft_maximum=10.0,
    )


MASSES = (
    ("MASS", "Mass", "The mass is given"),
    ("DENSITY", "Density", "The mass follows from the volume of the mesh"),
)


def mass_by_tunable() -> Any:
    """By which of the two that follow the mass is told."""
    return tunable("MASS", "Mass By", "How the mass is told", choices=MASSES)


def mass_tunable(default: float, description: str) -> Any:
    """Mass of something solid."""
    return tunable(
        default,
        "Mass",
        description,
        unit="kg",
        minimum=1e-6,
        maximum=1e9,
        soft_minimum=0.01,
        soft_maximum=1000.0,
    )


def density_tunable(examples: str) -> Any:
    """Density of something solid; examples: what others have."""
    return tunable(
        1000.0,
        "Density",
        f"Mass of a cubic metre: {examples}",
        unit="kg/m³",
        minimum=1e-3,
        maximum=1e6,
        soft_minimum=10.0,
        soft_maximum=10_000.0,
    )


def static_friction_tunable() -> Any:
    """Friction before anything slides."""
    return tunable(
        1.0,
        "Static Friction",
        "Friction of what stands still, as a factor on Friction",
        minimum=1.0,
        maximum=10.0,
        soft_maximum=2.0,
        advanced=True,
    )


def sleeps_tunable() -> Any:
    """Whether a body at rest is left alone."""
    return tunable(
        True, "Sleep", "Rests for good, at no cost, until something touches it", advanced=True
    )


def layers_tunable() -> Any:
    """Who collides with whom."""
    return tunable(
        (True,) + (False,) * 7,
        "Layers",
        "Two things collide when they share a layer",
        advanced=True,
    )


def thickness_tunable() -> Any:
    """Distance of surfaces from what they touch."""
    return tunable(
        0.1,
        "Thickness",
        "Distance kept from other surfaces, in mean edge lengths",
        minimum=0.0,
        maximum=10.0,
        soft_maximum=0.5,
        advanced=True,
    )


def strength_tunable(unit: str, description: str) -> Any:
    """What something bears before it tears; 0: whatever comes."""
    return tunable(
        0.0,
        "Strength",
        description,
        unit=unit,
        minimum=0.0,
        maximum=1e9,
        soft_maximum=10_000.0,
    )


def diameter_tunable(description: str) -> Any:
    """How thick something thin is; 0 measures it."""
    return tunable(
        0.0,
        "Diameter",
        description,
        unit="m",
        minimum=0.0,
        maximum=100.0,
        soft_maximum=0.5,
    )


def area_density_tunable(default: float, description: str) -> Any:
    """Mass of a surface."""
    return tunable(
        default,
        "Mass per Area",
        description,
        unit="kg/m²",
        minimum=1e-4,
        maximum=1e4,
        soft_minimum=0.05,
        soft_maximum=2.0,
        advanced=True,
    )


def meets_others_tunable(default: bool = True) -> Any:
    """Whether particles of other objects are in the way."""
    return tunable(
        default,
        "Meet Others",
        "Collide with other cloths, ropes, soft bodies and particles too",
        advanced=True,
    )


def meets_itself_tunable(tooltip: str) -> Any:
    """Whether a surface or a rope is in its own way."""
    return tunable(True, "Self-Collision", tooltip)


PLANES = (
    ("FREE", "Free", "Moves in all directions"),
    ("X", "Across X", "Every vertex keeps its X: flat animation seen from the side"),
    ("Y", "Across Y", "Every vertex keeps its Y: flat animation seen from the front"),
    ("Z", "Across Z", "Every vertex keeps its height: flat animation seen from above"),
)


def plane_tunable() -> Any:
    """Planes that particles do not leave (Jakobsen §6)."""
    return tunable(
        "FREE",
        "Keep in Plane",
        "Vertices that leave the plane they start in, square to an axis of the world, are put back",
        choices=PLANES,
        advanced=True,
    )


def tunables(settings: type | object) -> dict[str, tuple[Any, Tunable]]:
    """``{field name: (default, Tunable)}`` of a settings dataclass, in panel order."""
    return {
        field.name: (field.default, field.metadata["tunable"])
        for field in dataclasses.fields(settings)  # type: ignore[arg-type]
        if "tunable" in field.metadata
    }


class Checked:
    """Settings refuse values of another type than their default's or outside their range.

    Raises `ModelError` when they are made. Numbers of NumPy and lists become Python's own.
    """

    def __post_init__(self) -> None:
        values = vars(self)
        own: Any = type(self)
        for name, default, about in _rules(own):
            value = values[name]
            kind = type(default)
            if kind is tuple:
                found: Any = _components(default, value, about)
            elif type(value) is kind and (kind is bool or kind is str):
                found = _choice(value, about) if about.choices else value
            else:
                found = _one(kind, value, about)
            if found is not value:
                object.__setattr__(self, name, found)


@functools.cache
def _rules(settings: type) -> tuple[tuple[str, Any, Tunable], ...]:
    """Name, default and description of each tunable."""
    return tuple((name, default, about) for name, (default, about) in tunables(settings).items())


def _components(default: tuple[Any, ...], given: Any, about: Tunable) -> tuple[Any, ...]:
    """As many values as the default has, of its type."""
    if isinstance(given, str) or not hasattr(given, "__len__") or len(given) != len(default):
        raise ModelError("", f"{about.label} = {given!r} must be {len(default)} values")
    found = tuple(_one(type(first), value, about) for first, value in zip(default, given))
    is_plain = isinstance(given, tuple) and all(a is b for a, b in zip(given, found))
    return given if is_plain else found


def _one(kind: type, value: Any, about: Tunable) -> Any:
    """One value as the given type."""
    if kind is str:
        return _choice(value, about)
    if kind is bool:
        if not isinstance(value, bool | np.bool_):
            raise ModelError("", f"{about.label} = {value!r} must be True or False")
        return bool(value)
    if type(value) is not kind:
        is_right = isinstance(value, Integral if kind is int else Real)
        if isinstance(value, bool) or not is_right:
            what = "a whole number" if kind is int else "a number"
            raise ModelError("", f"{about.label} = {value!r} must be {what}")
    if not math.isfinite(value):
        raise ModelError("", f"{about.label} = {value} is not a finite number")
    below = about.minimum is not None and value < about.minimum
    above = about.maximum is not None and value > about.maximum
    if below or above:
        limits = f"{about.minimum} to {about.maximum} {about.unit}".strip()
        raise ModelError("", f"{about.label} = {value} lies outside {limits}")
    return value if type(value) in (int, float) else kind(value)


def _choice(value: Any, about: Tunable) -> str:
    """One of the choices, or any text where there are none."""
    known = [identifier for identifier, _, _ in about.choices]
    if not isinstance(value, str) or (known and value not in known):
        among = f"none of {', '.join(known)}" if known else "no text"
        raise ModelError("", f"{about.label}: {value!r} is {among}")
    return value
