"""Verlet Physics: cloth, ropes, soft and rigid bodies in one solver, baked to native Blender data.

This folder is the Blender extension. `verlet_addon` is imported only when Blender registers it,
so that tools which import this file (pytest does) need no Blender.
"""


def register() -> None:
    """Register the add-on: Blender calls this when the extension is enabled."""
    from . import verlet_addon

    verlet_addon.register()


def unregister() -> None:
    """Unregister the add-on: Blender calls this when the extension is disabled."""
    from . import verlet_addon

    verlet_addon.unregister()
