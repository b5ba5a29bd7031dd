"""Importing this module registers every case."""

from __future__ import annotations

from . import (  # noqa: F401
    cloth,
    constraints,
    determinism,
    forces,
    friction,
    heavy_on_light,
    integrators,
    joint_nets,
    joints,
    mixed,
    particles,
    random_scenes,
    rigid_contact,
    rigid_motion,
    rigid_rest,
    simbenchmark,
)
from .case import CASES, select

__all__ = ["CASES", "select"]
