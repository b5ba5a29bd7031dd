"""Importing this module registers every case."""

from __future__ import annotations

from . import cloth, constraints, determinism, forces, integrators, particles  # noqa: F401
from .case import CASES, select

__all__ = ["CASES", "select"]
