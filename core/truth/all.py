"""Importing this module registers every case."""

from __future__ import annotations

from .case import CASES, select

__all__ = ["CASES", "select"]
