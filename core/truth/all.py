"""Importing this module registers every case."""

from __future__ import annotations

from importlib import import_module

from .case import CASES, select

_NAMES = (
    "cloth",
    "cloth_between_bodies",
    "cloth_under_bodies",
    "sacks",
    "coins",
    "constraints",
    "crossed_cloth",
    "crushers",
    "determinism",
    "elastic",
    "elastica",
    "forces",
    "friction",
    "heaps",
    "heavy_on_light",
    "heavy_on_limbs",
    "integrators",
    "jams",
    "jelly",
    "joint_nets",
    "joints",
    "layers_on_bodies",
    "layers_on_colliders",
    "lines_on_surfaces",
    "keyed",
    "mixed",
    "moving_floor",
    "on_taut_cloth",
    "particles",
    "ragdoll_falls",
    "random_cloth",
    "pressed_sheets",
    "random_scenes",
    "rigid_contact",
    "rigid_motion",
    "rigid_rest",
    "rope_on_itself",
    "rope_over_bar",
    "sheets",
    "simbenchmark",
    "slits",
    "soft_on_meshes",
    "spinning_disks",
    "surfaces",
)

MODULES = tuple(import_module(f".{name}", __package__) for name in _NAMES)
"""Each enters its cases in `CASES` when it is imported."""

__all__ = ["CASES", "MODULES", "select"]
