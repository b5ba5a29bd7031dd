"""Presets that users save: a JSON file for each, in the extension's own folder of the user.

They outlive files and updates of the add-on. A file that cannot be read is left out and named in
the system console; a value that a newer version has dropped or bounded otherwise is left out too.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import bpy

from ...core.errors import ModelError, VerletError
from ...core.presets import Preset
from ...core.settings import tunables
from ..kernels import extension_package
from .kinds import Kind

NOT_SAVED = frozenset({"velocity", "angular_velocity"})
"""What belongs to one object at one place and to no material."""

FORMAT = 1

_known: dict[
    str, tuple[int, dict[str, Preset]]
] = {}  # by kind: time of the folder, and what is in it


def folder(kind: Kind, *, create: bool = False) -> Path:
    """Where presets of a kind lie. Raises VerletError where no folder can be made."""
    try:
        root = bpy.utils.extension_path_user(extension_package(), path="presets", create=create)
        place = Path(root) / kind.group
        if create:
            place.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise VerletError(f"There is no folder for presets: {error}") from error
    return place


def of_kind(kind: Kind) -> dict[str, Preset]:
    """The user's presets of a kind by name. Cheap while nothing in the folder changes."""
    try:
        place = folder(kind)
        changed = place.stat().st_mtime_ns
    except (OSError, VerletError):
        return {}
    if kind.identifier not in _known or _known[kind.identifier][0] != changed:
        found = {}
        for file in sorted(place.glob("*.json")):
            try:
                name, preset = _read(file, kind)
            except (OSError, ValueError, KeyError, TypeError, VerletError) as error:
                print(f"Verlet Physics: preset {file} cannot be read: {error}")
                continue
            found[name] = preset
        _known[kind.identifier] = changed, found
    return _known[kind.identifier][1]


def _read(file: Path, kind: Kind) -> tuple[str, Preset]:
    held = json.loads(file.read_text(encoding="utf-8"))
    values = {}
    for name in tunables(kind.settings):
        if name not in held["settings"] or name in NOT_SAVED:
            continue
        value = held["settings"][name]
        value = tuple(value) if isinstance(value, list) else value
        try:
            kind.settings(**{name: value})
        except ModelError as error:
            print(f"Verlet Physics: preset {file}: {error}; the default counts")
            continue
        values[name] = value
    name = str(held["name"])
    return name, Preset(name, str(held.get("description", "")), kind.settings(**values))


def save(kind: Kind, name: str, settings: Any) -> Path:
    """Keep settings under a name, in place of those that had it. Raises VerletError."""
    if not name.strip():
        raise VerletError("Give the preset a name")
    values = {field: getattr(settings, field) for field in tunables(settings)}
    held = {
        "format": FORMAT,
        "kind": kind.identifier,
        "name": name.strip(),
        "settings": {field: value for field, value in values.items() if field not in NOT_SAVED},
    }
    file = _file_of(kind, name.strip(), create=True)
    aside = file.with_suffix(".part")
    try:
        aside.write_text(json.dumps(held, indent=1), encoding="utf-8")
        aside.replace(file)
    except OSError as error:
        raise VerletError(f"The preset cannot be written to {file}: {error.strerror}") from error
    _known.pop(kind.identifier, None)
    return file


def delete(kind: Kind, name: str) -> None:
    """Delete a preset of the user's. Raises VerletError where it cannot be."""
    try:
        _file_of(kind, name).unlink()
    except OSError as error:
        raise VerletError(f"{name} cannot be deleted: {error.strerror}") from error
    _known.pop(kind.identifier, None)


def _file_of(kind: Kind, name: str, *, create: bool = False) -> Path:
    """The file of a name: letters that a file system may refuse are written as numbers."""
    safe = "".join(c if c.isalnum() or c in " -_" else f"%{ord(c):x}" for c in name)
    return folder(kind, create=create) / f"{safe}.json"
