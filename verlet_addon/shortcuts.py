"""Keys of the add-on's own, in the 3D view; users change them in the preferences of keymaps."""

import bpy

_items: list[tuple[bpy.types.KeyMap, bpy.types.KeyMapItem]] = []


def register() -> None:
    """Enter the keys; without a window there are none."""
    keys = bpy.context.window_manager.keyconfigs.addon
    if keys is None:
        return
    keymap = keys.keymaps.new(name="3D View", space_type="VIEW_3D")
    item = keymap.keymap_items.new("verlet.grab", "V", "PRESS", shift=True, alt=True)
    _items.append((keymap, item))


def unregister() -> None:
    """Take them away again."""
    for keymap, item in _items:
        keymap.keymap_items.remove(item)
    _items.clear()
