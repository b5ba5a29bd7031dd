"""Switches off the modifiers whose motion a bake already holds, and on again when it is freed.

A bake to shape keys lies at the very bottom of the modifier stack. The armature and the hooks
that carried the pins would move the baked vertices a second time.
"""

from __future__ import annotations

import json

import bpy

from ..extract import own_motion


def mute(ob: bpy.types.Object) -> None:
    """Switch the carriers of a baked object off, and keep how they were."""
    found = own_motion.carriers(ob)
    kept = [(m.name, m.show_viewport, m.show_render) for m in found]
    ob.verlet_bake.shape_keys.muted_modifiers = json.dumps(kept) if kept else ""
    for modifier in found:
        modifier.show_viewport = modifier.show_render = False


def give_back(ob: bpy.types.Object) -> None:
    """Switch them on again; those that are gone are left alone."""
    record = ob.verlet_bake.shape_keys
    for name, in_viewport, in_render in json.loads(record.muted_modifiers or "[]"):
        modifier = ob.modifiers.get(name)
        if modifier is not None:
            modifier.show_viewport, modifier.show_render = in_viewport, in_render
    record.muted_modifiers = ""
