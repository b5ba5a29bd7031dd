"""Poses that an armature takes in its own actions, constraints and drivers included.

Each action plays for a moment on the armature itself: controls move what hangs on them only there.
Everything that this changes is put back, and nothing is simulated meanwhile.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np

from ...core.arrays import Floats
from ..blender import compat
from ..blender.data import armature_of
from ..extract.reading import reading
from ..properties import bake_record

Source = tuple[bpy.types.Action, int]
"""An action and the handle of the slot in it."""

_BONE = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)*)"\]')
_FIT = 0.5
"""An action fits an armature that has this share of the bones that it moves."""


def fitting(ob: bpy.types.Object) -> list[Source]:
    """The actions, and the slots in them, that move this armature's bones; no bakes.

    Of an action that has slots of several characters only its own, where it has one there.
    """
    found: list[Source] = []
    for action in bpy.data.actions:
        if action.get(bake_record.BAKE_MARK):
            continue
        slots = [h for h in _handles(action, ob) if _fits(ob, compat.fcurves(action, h))]
        found += [(action, handle) for handle in slots]
    return found


def current(ob: bpy.types.Object) -> list[Source]:
    """The action that the armature plays now; none for a bake."""
    data = ob.animation_data
    if data is None or data.action is None or data.action.get(bake_record.BAKE_MARK):
        return []
    handle = compat.slot_handle(data)
    return [(data.action, handle)] if _fits(ob, compat.fcurves(data.action, handle)) else []


def _handles(action: bpy.types.Action, ob: bpy.types.Object) -> list[int]:
    if not compat.HAS_SLOTS:
        return [compat.NO_SLOT]
    all_slots = compat.newest(action).slots
    slots = [s for s in all_slots if s.target_id_type in {"OBJECT", "UNSPECIFIED"}]
    data = ob.animation_data
    used = compat.slot_handle(data)
    if used != compat.NO_SLOT and data.action == action:
        return [used]
    own = [slot for slot in slots if ob in slot.users() or slot.name_display == ob.name]
    return [slot.handle for slot in own or slots]


def _fits(ob: bpy.types.Object, curves: Sequence[bpy.types.FCurve]) -> bool:
    names = {
        bpy.utils.unescape_identifier(match[1])
        for curve in curves
        if (match := _BONE.match(curve.data_path)) is not None
    }
    known = sum(name in ob.pose.bones for name in names)
    return bool(names) and known >= _FIT * len(names)


def poses_in(
    ob: bpy.types.Object, scene: bpy.types.Scene, sources: Sequence[Source], most: int
) -> Floats:
    """Pose matrices (n, b, 4, 4) in the armature's space of at most about ``most`` frames."""
    curves = {source: compat.fcurves(*source) for source in sources}
    spans = {source: _span(curves[source]) for source in sources}
    count = sum(last - first + 1 for first, last in spans.values())
    step = max(1, -(-count // most))
    shown = scene.frame_current, scene.frame_subframe
    names = [bone.name for bone in armature_of(ob).bones]
    found = []
    try:
        with (
            reading(),
            _own_animation_alone(ob),
            _kept(ob, [c for own in curves.values() for c in own]) as own,
        ):
            for source in sources:
                own()
                compat.assign_action(ob, *source)
                first, last = spans[source]
                for frame in (*range(first, last, step), last):
                    scene.frame_set(frame)
                    depsgraph = bpy.context.evaluated_depsgraph_get()
                    bones = ob.evaluated_get(depsgraph).pose.bones
                    found.append(np.array([bones[name].matrix for name in names]))
    finally:
        scene.frame_set(shown[0], subframe=shown[1])
    return np.array(found, dtype=np.float64)


def _span(curves: Sequence[bpy.types.FCurve]) -> tuple[int, int]:
    """First and last frame of curves."""
    ranges = np.array([tuple(curve.range()) for curve in curves])
    return int(np.floor(ranges[:, 0].min())), int(np.ceil(ranges[:, 1].max()))


@contextmanager
def _own_animation_alone(ob: bpy.types.Object) -> Iterator[None]:
    """Let the action play at full influence and without the NLA; put all back afterwards."""
    had_animation = ob.animation_data is not None
    data = ob.animation_data_create()
    action, handle = data.action, compat.slot_handle(data)
    last = compat.last_slot_identifier(data)
    before = {
        name: getattr(data, name)
        for name in ("use_nla", "action_blend_type", "action_extrapolation", "action_influence")
    }
    data.use_nla = False
    data.action_blend_type, data.action_influence = "REPLACE", 1.0
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(data, name, value)
        compat.assign_action(ob, action, handle, last)
        if not had_animation:
            ob.animation_data_clear()


@contextmanager
def _kept(ob: bpy.types.Object, curves: Sequence[bpy.types.FCurve]) -> Iterator[Any]:
    """Keep the values that curves will change; what it yields writes them back."""
    before: dict[str, Any] = {}
    for curve in curves:
        if curve.data_path not in before:
            try:
                value: Any = ob.path_resolve(curve.data_path)
            except ValueError:
                continue  # a curve on something that is gone
            before[curve.data_path] = value[:] if hasattr(value, "__len__") else value

    def write_back() -> None:
        for path, value in before.items():
            if path.endswith('"]'):
                owner, _, name = path.rpartition('["')
                holder: Any = ob.path_resolve(owner) if owner else ob
                holder[name[:-2]] = value
            else:
                owner, _, name = path.rpartition(".")
                setattr(ob.path_resolve(owner) if owner else ob, name, value)

    try:
        yield write_back
    finally:
        write_back()
