"""What was changed by hand while it played, kept so that Record can make keys of it.

Each frame that is simulated after an edit compares what drives the simulation with what it was.
Straight keys from the old value, in the frame before, to the new one give the same frames again.
"""

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import bpy
import numpy as np

from ...core.settings import AnimatedSettings, WindSettings, tunables
from ..blender import compat
from ..blender.data import any_item
from ..extract import steadiness
from ..properties import rest_pose
from ..properties.joints import KEYED_OF_JOINTS
from ..properties.kinds import KINDS
from ..properties.participants import find_object, find_objects, impulses
from ..session import Change, Session, Track, Values

Keyed: TypeAlias = "bpy.types.Object | bpy.types.Scene"
"""What may be keyed."""

_OF_FIELDS = ("strength", "flow", "noise", "size", "distance_max", "distance_min")


def begin(scene: bpy.types.Scene, running: Session) -> None:
    """Note what drives the simulation as it stands at the start."""
    running.driven_by = {}
    for data in _drivers(scene, running):
        running.driven_by |= _values_of(scene, data)


def note(scene: bpy.types.Scene, running: Session, before: int) -> None:
    """Note what was changed between frame ``before`` and the one that is evaluated now."""
    edited, running.edited = running.edited, set()
    if not edited:
        return
    frame = scene.frame_current
    for data in _drivers(scene, running):
        if data.session_uid not in edited:
            continue
        for track, value in _values_of(scene, data).items():
            old = running.driven_by.get(track, value)
            running.driven_by[track] = value
            if value != old:
                running.takes.setdefault(track, []).append(Change(before, frame, old, value))


def _drivers(scene: bpy.types.Scene, running: Session) -> Iterator[Keyed]:
    """What may be changed by hand and acts at once: the scene, what takes part, fields, joints."""
    yield scene
    objects = find_objects(running.inputs.participants) + find_objects(running.inputs.joints)
    found = {ob.session_uid: ob for ob in objects if ob is not None}
    carriers = {p.carrier for p in running.inputs.participants} - {0} - set(found)
    others = [find_object(uid) for uid in carriers] + impulses(scene)
    others += [ob for ob in scene.objects if ob.field is not None and ob.field.type != "NONE"]
    found |= {ob.session_uid: ob for ob in others if ob is not None}
    yield from found.values()


def _values_of(scene: bpy.types.Scene, data: Keyed) -> dict[Track, Values]:
    """What may be keyed of a datablock and is not, by its path."""
    paths = list(_paths_of(data))
    animated = _animated_paths(data)
    if animated is None:
        return {}
    is_scene = data == scene
    found = {}
    for path in paths:
        if path not in animated:
            value: Any = data.path_resolve(path)
            values = tuple(value) if hasattr(value, "__len__") else (value,)
            found[Track(0 if is_scene else data.session_uid, data.name, path)] = values
    return found


def _paths_of(data: Keyed) -> Iterator[str]:
    """Paths of what is read in every frame."""
    if isinstance(data, bpy.types.Scene):
        yield "gravity"
        yield from (f"verlet.wind.{name}" for name in tunables(WindSettings))
        return
    kind = KINDS.get(data.verlet.kind)
    if kind is not None:
        names = tunables(AnimatedSettings)
        yield from (f"verlet.animated.{name}" for name in kind.animated if name in names)
    if data.verlet.is_joint:
        yield from (f"verlet.joint.{name}" for name in KEYED_OF_JOINTS)
    if data.field is not None and data.field.type != "NONE":
        yield from (f"field.{name}" for name in _OF_FIELDS)
    is_free = data.parent is None and not len(data.constraints)
    if is_free and not rest_pose.is_stored(data) and not data.verlet.is_joint:
        yield from ("location", rest_pose.rotation_channel(data.rotation_mode), "scale")


def _animated_paths(data: Keyed) -> set[str] | None:
    """Paths with curves or drivers; None where strips may animate anything."""
    animation = data.animation_data
    if animation is None:
        return set()
    if len(animation.nla_tracks):
        return None
    curves = [*compat.fcurves_of(data), *animation.drivers]
    return {curve.data_path for curve in curves}


def names(running: Session) -> list[str]:
    """What was changed, in words: objects, and the scene's gravity and wind."""
    found = {
        track.name if track.uid else "gravity" if track.path == "gravity" else "wind"
        for track in running.takes
    }
    return sorted(found)


def record(scene: bpy.types.Scene, running: Session) -> int:
    """Make keys of all that was changed; how many curves there are now."""
    count = 0
    for track, changes in running.takes.items():
        data: Keyed | None = scene if not track.uid else find_object(track.uid, track.name)
        if data is None or not data.is_editable:
            continue
        for index in range(len(changes[0].new)):
            if any(change.old[index] != change.new[index] for change in changes):
                _write(compat.ensure_fcurve(data, track.path, index), changes, index)
                count += 1
    _keep_shapes(running, {track.uid for track in running.takes})
    running.takes = {}
    return count


def _keep_shapes(running: Session, recorded: set[int]) -> None:
    """Name the shapes that colliders had in the frames, where keys would have them take another.

    Automatic goes by whether anything may turn, scale or move them, and until now nothing could.
    """
    from ...core.collision.kinds import MESH, PLANE, SHAPE_KINDS

    names = {number: name for name, number in SHAPE_KINDS.items()}
    table, first = running.model.shapes, len(running.model.bodies)
    for row, one in enumerate(running.participants("COLLIDER")):
        ob = find_object(one.uid, one.name) if one.uid in recorded else None
        if ob is None or ob.verlet.collider.shape != "AUTO":
            continue
        kinds = table.kind[table.owner == first + row].tolist()
        stays = steadiness.keeps_form(ob) and not steadiness.is_thin(np.array(ob.dimensions))
        if kinds == [PLANE] or (kinds != [MESH] and not stays):
            name = names[kinds[0]] if len(kinds) == 1 else "COMPOUND"
            ob.verlet.collider.shape = any_item(name)


def _write(curve: bpy.types.FCurve, changes: Sequence[Change], index: int) -> None:
    """Straight keys from old to new values, which hold between changes."""
    for change in changes:
        for frame, values in ((change.before, change.old), (change.frame, change.new)):
            key = curve.keyframe_points.insert(frame, values[index], options={"FAST"})
            key.interpolation = "LINEAR"
    curve.update()
