"""Which objects take part. Cheap to import and to ask: it runs on every frame of every file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import bpy

from .properties import kind_of

if TYPE_CHECKING:
    from .extract.bone_pins import PinInput
    from .scene_inputs import Participant

FEW = 20  # so many names are looked up faster than all objects are listed (11 µs and 0.3 µs each)


def simulated_objects(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The scene's objects that take part, in an order that does not change from run to run."""
    found = [ob for ob in scene.objects if kind_of(ob) is not None]
    return sorted(found, key=lambda ob: (ob.name, ob.library.filepath if ob.library else ""))


def impulses(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The scene's explosions and hits, in an order that does not change from run to run."""
    return sorted((ob for ob in scene.objects if ob.verlet.is_impulse), key=lambda ob: ob.name_full)


def joints(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The scene's joints, in an order that does not change from run to run."""
    found = [ob for ob in scene.objects if ob.verlet.is_joint and ob.type == "EMPTY"]
    return sorted(found, key=lambda ob: ob.name_full)


def is_moved(ob: bpy.types.Object) -> bool:
    """Whether the simulation moves an object that takes part: a passive body moves by its keys."""
    kind = kind_of(ob)
    is_passive = ob.verlet.kind == "BODY" and ob.verlet.body.type == "PASSIVE"
    return kind is not None and bool(kind.moves) and not is_passive


def has_any(scene: bpy.types.Scene) -> bool:
    """Whether anything in the scene takes part."""
    return any(ob.verlet.kind != "NONE" for ob in scene.objects)


def find_object(uid: int, name: str = "") -> bpy.types.Object | None:
    """The object with a session id, quickly when it still has the name it had."""
    ob = bpy.data.objects.get(name)
    if ob is not None and ob.session_uid == uid:
        return ob
    return next((ob for ob in bpy.data.objects if ob.session_uid == uid), None)


def find_objects(wanted: Sequence[Participant | PinInput]) -> list[bpy.types.Object | None]:
    """The objects of many participants, None for those that are gone."""
    if len(wanted) < FEW:
        return [find_object(participant.uid, participant.name) for participant in wanted]
    by_uid = {ob.session_uid: ob for ob in bpy.data.objects}
    return [by_uid.get(participant.uid) for participant in wanted]
