"""The only module that asks which Blender is running.

Blender 4.2 and 4.3 keep F-curves in the action itself. From 4.4 on an action holds *slots*, one
for each user, and the F-curves of a slot lie in a channelbag (action → layer → strip → slot);
5.0 removed the old way. A slot is known here by its handle, an integer that is unique within the
action and survives copying, renaming and saving. ``NO_SLOT`` stands for "none", and is what every
slot reads as where Blender knows none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy

from .types import Animatable

HAS_SLOTS = bpy.app.version >= (4, 4, 0)
GROUP_BY_NAME = bpy.app.version >= (5, 0, 0)  # F-curves take a group name when they are made
NO_SLOT = 0


def newest(thing: Any) -> Any:
    """The same thing, of which the type checker knows nothing.

    For what only some of the supported Blenders have: everywhere else a name must be in all.
    """
    return thing


def slot_handle(animated: bpy.types.AnimData | bpy.types.NlaStrip | None) -> int:
    """Return the handle of the slot that an AnimData or an NLA strip uses, or NO_SLOT."""
    if not HAS_SLOTS or animated is None or newest(animated).action_slot is None:
        return NO_SLOT
    return int(newest(animated).action_slot.handle)


def last_slot_identifier(animation: bpy.types.AnimData) -> str:
    """Return the identifier by which Blender would find the slot again, or ""."""
    return str(newest(animation).last_slot_identifier) if HAS_SLOTS else ""


def assign_action(
    datablock: Animatable,
    action: bpy.types.Action | None,
    handle: int = NO_SLOT,
    last_identifier: str | None = None,
) -> None:
    """Give ``datablock`` the action and exactly the slot with ``handle`` (none for NO_SLOT)."""
    animation = datablock.animation_data_create()
    animation.action = action
    if not HAS_SLOTS:
        return
    if action is not None:
        slots = [slot for slot in newest(action).slots if slot.handle == handle]
        newest(animation).action_slot = slots[0] if slots else None
    if last_identifier is not None:
        newest(animation).last_slot_identifier = last_identifier


def ensure_slot(action: bpy.types.Action, datablock: Animatable) -> int:
    """Return the slot that ``datablock`` uses in ``action``, or a new one made for it."""
    if not HAS_SLOTS:
        return NO_SLOT
    used = slot_handle(datablock.animation_data)
    if used != NO_SLOT and datablock.animation_data.action == action:
        return used
    slots = newest(action).slots
    return int(slots.new(id_type=datablock.id_type, name=datablock.name).handle)


def copy_action(action: bpy.types.Action, handle: int) -> bpy.types.Action:
    """Copy ``action`` with the one slot ``handle``: slots of other users are left out."""
    copy = action.copy()
    if HAS_SLOTS:
        slots = newest(copy).slots
        for slot in list(slots):
            if slot.handle != handle:
                slots.remove(slot)
    return copy


def _channelbags(action: bpy.types.Action, handle: int) -> list[Any]:
    return [
        channelbag
        for layer in newest(action).layers
        for strip in layer.strips
        for channelbag in strip.channelbags
        if channelbag.slot_handle == handle
    ]


def _ensure_channelbag(action: bpy.types.Action, handle: int) -> Any:
    """Return what owns ``fcurves`` and ``groups``: the channelbag of a slot, or the old action."""
    if not HAS_SLOTS:
        return action
    found = _channelbags(action, handle)
    if found:
        return found[0]
    layers = newest(action).layers
    layer = layers[0] if layers else layers.new("Layer")
    strip = layer.strips[0] if layer.strips else layer.strips.new(type="KEYFRAME")
    slot = next(slot for slot in newest(action).slots if slot.handle == handle)
    return strip.channelbag(slot, ensure=True)


def fcurves(action: bpy.types.Action | None, handle: int) -> list[bpy.types.FCurve]:
    """Return the F-curves of one slot of an action; all of them where there are no slots."""
    if action is None:
        return []
    if not HAS_SLOTS:
        return list(newest(action).fcurves)
    return [fcurve for bag in _channelbags(action, handle) for fcurve in bag.fcurves]


def all_fcurves(action: bpy.types.Action) -> list[bpy.types.FCurve]:
    """Return the F-curves of all slots of an action."""
    if not HAS_SLOTS:
        return list(newest(action).fcurves)
    handles = [int(slot.handle) for slot in newest(action).slots]
    return [fcurve for handle in handles for fcurve in fcurves(action, handle)]


def fcurves_of(datablock: Animatable) -> list[bpy.types.FCurve]:
    """Return the F-curves that animate ``datablock`` through its own action and slot."""
    animation = datablock.animation_data
    return fcurves(animation.action, slot_handle(animation)) if animation is not None else []


def new_fcurves(
    action: bpy.types.Action, handle: int, paths: Sequence[tuple[str, int]], group: str = ""
) -> list[bpy.types.FCurve]:
    """Make one F-curve for each ``(data_path, array_index)``; none of them may exist yet."""
    owner = _ensure_channelbag(action, handle)
    if GROUP_BY_NAME:
        return [owner.fcurves.new(path, index=index, group_name=group) for path, index in paths]
    made = [owner.fcurves.new(path, index=index) for path, index in paths]
    if group:
        action_group = owner.groups.get(group) or owner.groups.new(group)
        for fcurve in made:
            fcurve.group = action_group
    return made


def ensure_fcurve(
    datablock: Animatable, data_path: str, index: int = 0, group: str = ""
) -> bpy.types.FCurve:
    """Return the F-curve of ``datablock`` in its action and slot; each is made when missing."""
    animation = datablock.animation_data_create()
    if animation.action is None:
        animation.action = bpy.data.actions.new(f"{datablock.name} Action")
    action = animation.action
    handle = ensure_slot(action, datablock)
    if slot_handle(animation) != handle:
        assign_action(datablock, action, handle)
    for fcurve in fcurves(action, handle):
        if fcurve.data_path == data_path and fcurve.array_index == index:
            return fcurve
    return new_fcurves(action, handle, [(data_path, index)], group)[0]


def remove_fcurves(
    action: bpy.types.Action, handle: int, unwanted: Sequence[bpy.types.FCurve]
) -> None:
    """Remove F-curves of one slot from an action."""
    if not unwanted:
        return
    owners = _channelbags(action, handle) if HAS_SLOTS else [newest(action)]
    keys = {(fcurve.data_path, fcurve.array_index) for fcurve in unwanted}
    for owner in owners:
        for fcurve in list(owner.fcurves):
            if (fcurve.data_path, fcurve.array_index) in keys:
                owner.fcurves.remove(fcurve)
