"""Which objects take part. Cheap to import and to ask: it runs on every frame of every file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import bpy
import numpy as np
from numpy.typing import NDArray

from .bake_record import is_baked
from .objects import kind_of

if TYPE_CHECKING:
    from ..joints.joint_inputs import JointInput
    from ..ragdoll.bone_pins import PinInput
    from ..scene.inputs import Participant

FEW_OBJECTS = (
    20  # so many names are looked up faster than all objects are listed (11 µs and 0.3 µs each)
)


def simulated_objects(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The scene's objects that take part, in an order that does not change from run to run."""
    found = [ob for ob in scene.objects if kind_of(ob) is not None]
    return sorted(found, key=lambda ob: (ob.name, ob.library.filepath if ob.library else ""))


def impulses(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The scene's explosions and hits, in an order that does not change from run to run."""
    found = [ob for ob in scene.objects if ob.type == "EMPTY" and ob.verlet.is_impulse]
    return sorted(found, key=lambda ob: ob.name_full)


def joints(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The scene's joints, in an order that does not change from run to run."""
    found = [ob for ob in scene.objects if ob.verlet.is_joint and ob.type == "EMPTY"]
    return sorted(found, key=lambda ob: ob.name_full)


def is_moved(ob: bpy.types.Object) -> bool:
    """Whether the simulation moves an object that takes part: a passive body moves by its keys."""
    kind = kind_of(ob)
    is_passive = ob.verlet.kind == "BODY" and ob.verlet.body.type == "PASSIVE"
    return kind is not None and bool(kind.moves) and not is_passive


def bakeable_objects(
    scene: bpy.types.Scene, selected: Sequence[bpy.types.Object] | None
) -> list[bpy.types.Object]:
    """What moves in the scene and is not baked yet; only those in ``selected`` if given."""
    return [
        ob
        for ob in simulated_objects(scene)
        if is_moved(ob) and not is_baked(ob) and (selected is None or ob in selected)
    ]


def has_any(scene: bpy.types.Scene) -> bool:
    """Whether anything in the scene takes part."""
    return any(ob.verlet.kind != "NONE" for ob in scene.objects)


def find_object(uid: int, name: str = "") -> bpy.types.Object | None:
    """The object with a session id, quickly when it still has the name it had."""
    ob = bpy.data.objects.get(name)
    if ob is not None and ob.session_uid == uid:
        return ob
    return next((ob for ob in bpy.data.objects if ob.session_uid == uid), None)


def find_objects(
    wanted: Sequence[Participant | PinInput | JointInput],
) -> list[bpy.types.Object | None]:
    """The objects of many participants, None for those that are gone."""
    if len(wanted) < FEW_OBJECTS:
        return [find_object(participant.uid, participant.name) for participant in wanted]
    every = list(bpy.data.objects)
    rows = _rows([participant.uid for participant in wanted])
    return [None if row < 0 else every[row] for row in rows]


def _rows(uids: Sequence[int]) -> list[int]:
    """Rows in `bpy.data.objects` of the objects with session ids, −1 for those that are gone."""
    listed = np.empty(len(bpy.data.objects), np.int32)
    if not len(listed):
        return [-1] * len(uids)
    bpy.data.objects.foreach_get("session_uid", listed)
    order = np.argsort(listed)
    wanted = np.array(uids, np.int32)
    rows = order[np.searchsorted(listed, wanted, sorter=order).clip(max=len(listed) - 1)]
    return np.where(listed[rows] == wanted, rows, -1).tolist()


class BodyColumns:
    """Properties of many objects, all at one go where they are most of the file."""

    @property
    def is_whole(self) -> bool:
        """Whether they are read and written at one go."""
        return self._rows is not None

    def __init__(self, objects: Sequence[bpy.types.Object]) -> None:
        self._objects = objects
        is_most = len(objects) >= max(FEW_OBJECTS, len(bpy.data.objects) // 4)
        self._rows = _rows([ob.session_uid for ob in objects]) if is_most else None

    def read(self, name: str, width: int) -> NDArray[np.float32]:
        """A property (n, width) in the 32 bits that Blender keeps."""
        if self._rows is None:
            values = [getattr(ob, name) for ob in self._objects]
            return np.array(values, np.float32).reshape(-1, width)
        everything = np.empty(len(bpy.data.objects) * width, np.float32)
        bpy.data.objects.foreach_get(name, everything)
        return everything.reshape(-1, width)[self._rows]

    def write(self, name: str, rows: NDArray[np.intp], values: NDArray[np.float32]) -> None:
        """Set a property of the objects in some rows (m,) to values (m, width), at one go.

        Blender is not told: something else that it is told of each of them has to follow.
        """
        everything = np.empty(len(bpy.data.objects) * values.shape[1], np.float32)
        bpy.data.objects.foreach_get(name, everything)
        everything.reshape(-1, values.shape[1])[np.array(self._rows)[rows]] = values
        bpy.data.objects.foreach_set(name, everything)
