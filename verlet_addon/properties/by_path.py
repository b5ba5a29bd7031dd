"""Sets a property by its full data path, as Blender's menu *Copy Full Data Path* writes it."""

from __future__ import annotations

import re
from typing import Any

import bpy

from ...core.errors import VerletError

TRUE, FALSE = {"true", "1", "on", "yes"}, {"false", "0", "off", "no"}


def set_by_path(path: str, text: str) -> None:
    """Set what a path like ``bpy.data.objects["Cloth"].verlet.cloth.bend`` names.

    ``text``: a number, a truth value, an item of an enum, or the numbers of a vector with blanks
    between; ``[2]`` at the end of a path names one of them. Raises VerletError with the reason.
    """
    body = path.strip().removeprefix("bpy.data.")
    item = re.fullmatch(r"(.*[\w\]])\[(\d+)\]", body)
    index = None if item is None else int(item[2])
    owner_path, _, name = (body if item is None else item[1]).rpartition(".")
    try:
        owner: Any = bpy.data.path_resolve(owner_path)
        about = owner.bl_rna.properties[name]
    except (ValueError, KeyError, AttributeError):
        raise VerletError(
            f"{path}: there is no such setting. Right-click it in Blender and choose Copy Full "
            "Data Path"
        ) from None
    if about.is_readonly:
        raise VerletError(f"{path} cannot be set")
    try:
        if index is not None:
            getattr(owner, name)[index] = _one(about, text)
        elif getattr(about, "is_array", False):
            setattr(owner, name, [_one(about, part) for part in text.replace(",", " ").split()])
        else:
            setattr(owner, name, _one(about, text))
    except (ValueError, TypeError, IndexError) as error:
        raise VerletError(f"{path} cannot be {text!r}: {error}") from None


def _one(about: Any, text: str) -> Any:
    """One value of a property's type. Raises ValueError where it is none, or out of its range."""
    text = text.strip()
    match about.type:
        case "BOOLEAN":
            if text.lower() not in TRUE | FALSE:
                raise ValueError("write true or false")
            return text.lower() in TRUE
        case "FLOAT" | "INT":
            value = float(text) if about.type == "FLOAT" else int(text)
            if not about.hard_min <= value <= about.hard_max:
                raise ValueError(f"it lies between {about.hard_min:g} and {about.hard_max:g}")
            return value
        case "ENUM" | "STRING":
            return text
    raise ValueError("it is neither a number nor a choice")
