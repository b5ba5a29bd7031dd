"""What a tunable is, and those that several objects share."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

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
    """Settings refuse values outside their range when they are made."""

    def __post_init__(self) -> None:
        for name, (_, about) in tunables(self).items():
            value = getattr(self, name)
            if about.choices:
                known = [identifier for identifier, _, _ in about.choices]
                if value not in known:
                    raise ModelError("", f"{about.label}: {value!r} is none of {', '.join(known)}")
            for number in value if isinstance(value, tuple) else (value,):
                if not isinstance(number, int | float) or isinstance(number, bool):
                    continue
                below = about.minimum is not None and number < about.minimum
                above = about.maximum is not None and number > about.maximum
                if number != number or below or above:
                    limits = f"{about.minimum} to {about.maximum} {about.unit}".strip()
                    raise ModelError("", f"{about.label} = {number} lies outside {limits}")
