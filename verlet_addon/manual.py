"""Where the manual is: on the web if the manifest names a website, else the one in the zip."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import bpy

ROOT = Path(__file__).resolve().parents[1]
CHAPTER = "#use-it-in-blender"
_COVERED = ("bpy.ops.verlet*", "bpy.types.verlet*", "bpy.types.*.verlet*")
"""Operators and properties of ours, in small letters and as patterns of file names."""


@cache
def address() -> str:
    """The page that F1 opens."""
    with (ROOT / "blender_manifest.toml").open("rb") as file:
        website = tomllib.load(file).get("website")
    return website if website else (ROOT / "README.md").as_uri()


def manual_map() -> tuple[str, tuple[tuple[str, str], ...]]:
    """What Blender's Online Manual (F1) opens for what is under the mouse."""
    return address(), tuple((pattern, CHAPTER) for pattern in _COVERED)


def draw_button(layout: bpy.types.UILayout, text: str = "") -> None:
    """A button that opens the manual."""
    button: Any = layout.operator("wm.url_open", text=text, icon="HELP")
    button.url = address() + CHAPTER


def register() -> None:
    """Let F1 find the manual."""
    bpy.utils.register_manual_map(manual_map)


def unregister() -> None:
    """F1 finds it no more."""
    bpy.utils.unregister_manual_map(manual_map)
