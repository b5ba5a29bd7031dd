"""Takes over the animation of a datablock for a bake, and gives it back as it was."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import bpy

from ..blender import compat
from ..blender.data import any_item, choices_of
from ..blender.types import Animatable
from ..properties.bake_record import BAKE_MARK

if TYPE_CHECKING:
    from verlet_properties import VerletAnimationRecord

ASIDE_PREFIX = "verlet_bake_aside."  # before the data path of a driver that a bake has set aside

Channel = tuple[str, int]
IsBaked = Callable[[str], bool]
"""Says of a data path whether the bake owns it: old curves and drivers on it must be silent."""


def take_over(
    datablock: Animatable,
    record: VerletAnimationRecord,
    *,
    action_name: str,
    is_baked: IsBaked,
    keep_other_curves: bool,
) -> tuple[bpy.types.Action, int]:
    """Give ``datablock`` an action of its own and return it with the handle of its slot.

    The old action stays untouched, held by ``record``. With ``keep_other_curves`` the new action
    starts as a copy of it, without the curves that ``is_baked``. Drivers on baked channels are
    set aside, and the NLA stack cannot reach the baked channels: the new action replaces it.
    """
    animation = datablock.animation_data
    record.had_animation_data = animation is not None
    animation = datablock.animation_data_create()
    old_action, old_handle = animation.action, compat.slot_handle(animation)
    record.action = old_action
    record.slot_handle = old_handle
    record.last_slot_identifier = compat.last_slot_identifier(animation)
    record.action_blend_type = animation.action_blend_type
    record.action_extrapolation = animation.action_extrapolation
    record.action_influence = animation.action_influence
    record.muted_drivers = json.dumps(_set_drivers_aside(animation, is_baked))
    record.track_flags = json.dumps(_mute_instead_of_solo(animation))

    has_own_curves = old_action is not None and (
        not compat.HAS_SLOTS or old_handle != compat.NO_SLOT
    )
    if keep_other_curves and has_own_curves:
        action, handle = compat.copy_action(old_action, old_handle), old_handle
        action.name = action_name
        replaced = [f for f in compat.fcurves(action, handle) if is_baked(f.data_path)]
        compat.remove_fcurves(action, handle, replaced)
    else:
        action = bpy.data.actions.new(action_name)
        handle = compat.ensure_slot(action, datablock)
    action[BAKE_MARK] = True
    _hold_channels_of_nla(animation, datablock, action, handle, is_baked)
    compat.assign_action(datablock, action, handle)
    animation.action_blend_type = "REPLACE"
    animation.action_extrapolation = "HOLD"
    animation.action_influence = 1.0
    return action, handle


def give_back(datablock: Animatable, record: VerletAnimationRecord) -> bpy.types.Action | None:
    """Give ``datablock`` what ``take_over`` found; return the action that this leaves over."""
    animation = datablock.animation_data_create()
    baked_action = animation.action
    _put_drivers_back(animation, json.loads(record.muted_drivers or "[]"))
    _solo_again(animation, json.loads(record.track_flags or "[]"))
    if record.action_blend_type:
        animation.action_blend_type = any_item(record.action_blend_type)
        animation.action_extrapolation = any_item(record.action_extrapolation)
        animation.action_influence = record.action_influence
    compat.assign_action(datablock, record.action, record.slot_handle, record.last_slot_identifier)
    in_use = record.had_animation_data or animation.drivers or animation.nla_tracks
    if not in_use:
        datablock.animation_data_clear()
    forget(record)
    return baked_action


def forget(record: VerletAnimationRecord) -> None:
    """Let go of the old action, so that the record no longer counts as its user."""
    record.action = None
    record.muted_drivers = record.track_flags = record.last_slot_identifier = ""
    record.slot_handle = compat.NO_SLOT
    record.had_animation_data = False


def _set_drivers_aside(animation: bpy.types.AnimData, is_baked: IsBaked) -> list[Channel]:
    """Mute the drivers of baked channels and point them nowhere; return those not muted before.

    Muting alone is not enough: Blender still orders its evaluation as if the driver wrote the
    channel, and about once in a thousand frames it plays the old value of a baked curve.
    """
    muted = []
    for driver in animation.drivers:
        if is_baked(driver.data_path):
            if not driver.mute:
                muted.append((driver.data_path, driver.array_index))
            driver.mute = True
            driver.data_path = ASIDE_PREFIX + driver.data_path
    return muted


def _put_drivers_back(animation: bpy.types.AnimData, muted: list[Channel]) -> None:
    muted_channels = {tuple(channel) for channel in muted}
    for driver in animation.drivers:
        if driver.data_path.startswith(ASIDE_PREFIX):
            driver.data_path = driver.data_path.removeprefix(ASIDE_PREFIX)
            driver.mute = (driver.data_path, driver.array_index) not in muted_channels
            driver.is_valid = True  # editors mark a driver that points nowhere


def _mute_instead_of_solo(animation: bpy.types.AnimData) -> list[tuple[bool, bool]]:
    """A solo NLA track silences the action too: mute the other tracks instead.

    Returns (solo, mute) of every track as they were, or nothing when no track was solo.
    """
    tracks = list(animation.nla_tracks)
    flags = [(track.is_solo, track.mute) for track in tracks]
    if not any(solo for solo, _ in flags):
        return []
    for track, (solo, _) in zip(tracks, flags):
        if solo:
            track.is_solo = False
    for track, (solo, mute) in zip(tracks, flags):
        track.mute = mute if solo else True
    return flags


def _solo_again(animation: bpy.types.AnimData, flags: list[tuple[bool, bool]]) -> None:
    tracks = list(animation.nla_tracks)
    for track, (_, mute) in zip(tracks, flags):
        track.mute = mute
    for track, (solo, _) in zip(tracks, flags):
        if solo:
            track.is_solo = True


def _strips(strips: bpy.types.bpy_prop_collection) -> Iterator[bpy.types.NlaStrip]:
    for strip in strips:
        yield strip
        yield from _strips(strip.strips)


def _hold_channels_of_nla(
    animation: bpy.types.AnimData,
    datablock: Animatable,
    action: bpy.types.Action,
    handle: int,
    is_baked: IsBaked,
) -> None:
    """Hold what the NLA stack would move and the bake takes as constant: one key for each channel.

    The caller later writes its own curves over these (see curves.py).
    """
    channels = {
        (fcurve.data_path, fcurve.array_index)
        for track in animation.nla_tracks
        for strip in _strips(track.strips)
        for fcurve in compat.fcurves(strip.action, compat.slot_handle(strip))
        if is_baked(fcurve.data_path)
    }
    for path, index in sorted(channels):
        value = _channel_value(datablock, path, index)
        if value is not None:
            fcurve = compat.new_fcurves(action, handle, [(path, index)])[0]
            fcurve.keyframe_points.insert(0.0, value)


def _channel_value(datablock: Animatable, path: str, index: int) -> float | None:
    """Return the value that an F-curve on this channel would have to hold, or None."""
    try:
        value: Any = datablock.path_resolve(path)
    except ValueError:
        return None  # a curve on something that is gone
    if isinstance(value, str):
        owner_path, _, name = path.rpartition(".")
        owner: Any = datablock.path_resolve(owner_path) if owner_path else datablock
        return float(choices_of(owner.bl_rna.properties, name)[value].value)
    return float(value[index] if hasattr(value, "__len__") else value)
