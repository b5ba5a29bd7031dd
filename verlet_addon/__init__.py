"""The Blender side of Verlet Physics: registration, in order.

Imports point one way, from here into ``core``. Kernels are loaded only once a scene simulates
something, so that the add-on costs nothing at the start of Blender.
"""

from . import (
    cli,
    contact_sheet,
    handlers,
    look_ahead,
    manual,
    operators,
    overlays,
    panels,
    preferences,
    properties,
    shortcuts,
)
from .overlays import hand_line, marks, notices

_MODULES = (
    properties,
    preferences,
    operators,
    panels,
    manual,
    cli,
    contact_sheet,
    handlers,
    overlays,
    notices,
    marks,
    hand_line,
    shortcuts,
    look_ahead,
)


def register() -> None:
    """Register everything."""
    for module in _MODULES:
        module.register()


def unregister() -> None:
    """Unregister everything, in the opposite order."""
    for module in reversed(_MODULES):
        module.unregister()
