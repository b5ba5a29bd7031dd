"""Bakes simulated motion into native Blender data, and frees it without a trace."""

from __future__ import annotations

from . import record


def register() -> None:
    """Register what a bake keeps on the objects."""
    record.register()


def unregister() -> None:
    """Unregister what a bake keeps on the objects; the bakes themselves stay and play."""
    record.unregister()
