"""Which objects take part. Cheap to import and to ask: it runs on every frame of every file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

import bpy
import numpy as np
from numpy.typing import NDArray

from ..blender.data import choices_of
from .bake_record import is_baked
from .objects import kind_of

if TYPE_CHECKING:
    from ..inputs.joint_input import JointInput
    from ..inputs.participant import Participant
    from ..inputs.pin_input import PinInput

    Wanted: TypeAlias = Sequence[Participant | PinInput | JointInput]

_EMPTY = choices_of(bpy.types.Object.bl_rna.properties, "type")["EMPTY"].value

FEW_OBJECTS = (
    20  # so many names are looked up faster than all objects are listed (11 µs and 0.3 µs each)
)


def simulated_objects(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The scene's objects that take part, in an order that does not change from run to run."""
    found = [ob for ob in scene.objects if kind_of(ob) is not None]
    return sorted(found, key=lambda ob: (ob.name, ob.library.filepath if ob.library else ""))


def impulses(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The scene's explosions and hits, in an order that does not change from run to run."""
    found = [ob for ob in _empties(scene) if ob.verlet.is_impulse]
    return sorted(found, key=lambda ob: ob.name_full)


def _empties(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The scene's empties: the file is asked at one go whether it has any."""
    every = bpy.data.objects
    kinds = np.empty(len(every), np.int32)
    every.foreach_get("type", kinds)
    if not (kinds == _EMPTY).any():
        return []
    return [ob for ob in scene.objects if ob.type == "EMPTY"]


def joints(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The scene's joints, in an order that does not change from run to run."""
    found = [ob for ob in _empties(scene) if ob.verlet.is_joint]
    return sorted(found, key=lambda ob: ob.name_full)


def is_moved(ob: bpy.types.Object) -> bool:
    """Whether the simulation moves an object that takes part: a passive body moves by its keys."""
    kind = kind_of(ob)
    is_passive = ob.verlet.kind == "BODY" and ob.verlet.body.type == "PASSIVE"
    return kind is not None and bool(kind.moves) and not is_passive


def is_previewable(participant: Participant, ob: bpy.types.Object) -> bool:
    """Whether an object still takes part as what it did, and does not play a bake."""
    return bool(ob.verlet.kind == participant.kind) and not is_baked(ob)


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


def moves_any(scene: bpy.types.Scene) -> bool:
    """Whether the simulation moves anything in the scene: colliders alone are nothing to play."""
    return any(map(is_moved, scene.objects))


def parent_uid(ob: bpy.types.Object) -> int:
    """Session id of an object's parent, 0 without one."""
    return 0 if ob.parent is None else int(ob.parent.session_uid)


def find_object(uid: int, name: str = "") -> bpy.types.Object | None:
    """The object with a session id, quickly when it still has the name it had."""
    ob = bpy.data.objects.get(name)
    if ob is not None and ob.session_uid == uid:
        return ob
    return next((ob for ob in bpy.data.objects if ob.session_uid == uid), None)


class Listing:
    """All objects of the file, for as long as nobody makes or deletes any: see `listed_once`."""

    def __init__(self) -> None:
        every = bpy.data.objects
        self.objects: list[bpy.types.Object] = every[:]
        uids = np.empty(len(self.objects), np.int32)
        every.foreach_get("session_uid", uids)
        self._order = np.argsort(uids)
        self._uids = uids[self._order]
        self._found: dict[int, tuple[Wanted, list[bpy.types.Object | None]]] = {}

    def rows(self, uids: Sequence[int]) -> NDArray[np.intp]:
        """Rows in `bpy.data.objects` of objects with session ids, −1 for those that are gone."""
        wanted = np.array(uids, np.int32)
        if not len(self._uids):
            return np.full(len(wanted), -1)
        place = np.searchsorted(self._uids, wanted).clip(max=len(self._uids) - 1)
        return np.where(self._uids[place] == wanted, self._order[place], -1)

    def find(self, wanted: Wanted) -> list[bpy.types.Object | None]:
        """The objects of many participants; the same list is answered at once when asked again."""
        known = self._found.get(id(wanted))
        if known is None or known[0] is not wanted:
            every = self.objects
            rows = self.rows([participant.uid for participant in wanted]).tolist()
            known = wanted, [None if row < 0 else every[row] for row in rows]
            self._found[id(wanted)] = known
        return known[1]


_passes: list[Listing | None] = []
"""The listing of each pass that goes on; None while nobody has needed one."""


@contextmanager
def listed_once() -> Iterator[None]:
    """A pass over a frame, in which no object comes or goes: all are listed once, if at all."""
    _passes.append(None)
    try:
        yield
    finally:
        _passes.pop()


def _listing() -> Listing:
    """All objects now; in a pass those that were listed in it before."""
    if not _passes:
        return Listing()
    found = _passes[-1]
    if found is None:
        found = _passes[-1] = Listing()
    return found


def find_objects(wanted: Wanted) -> list[bpy.types.Object | None]:
    """The objects of many participants, None for those that are gone; not to be written to."""
    if not wanted:
        return []
    if len(wanted) < FEW_OBJECTS and not (_passes and len(bpy.data.objects) > FEW_OBJECTS):
        return [find_object(participant.uid, participant.name) for participant in wanted]
    return _listing().find(wanted)


class BodyColumns:
    """Properties of many objects, all at one go where they are most of the file."""

    @property
    def is_whole(self) -> bool:
        """Whether they are read and written at one go."""
        return self._rows is not None

    def __init__(self, objects: Sequence[bpy.types.Object]) -> None:
        self._objects = objects
        self._every = bpy.data.objects
        self._count = len(self._every)
        is_most = len(objects) >= max(FEW_OBJECTS, self._count // 4)
        self._rows = _listing().rows([ob.session_uid for ob in objects]) if is_most else None

    def read(self, name: str, width: int) -> NDArray[np.float32]:
        """A property (n, width) in the 32 bits that Blender keeps."""
        if self._rows is None:
            values = [getattr(ob, name) for ob in self._objects]
            return np.array(values, np.float32).reshape(-1, width)
        everything = np.empty(self._count * width, np.float32)
        self._every.foreach_get(name, everything)
        return everything.reshape(-1, width).take(self._rows, axis=0)

    def write(self, name: str, rows: NDArray[np.intp], values: NDArray[np.float32]) -> None:
        """Set a property of the objects in some rows (m,) to values (m, width), at one go.

        Blender is not told: something else that it is told of each of them has to follow.
        """
        assert self._rows is not None
        everything = np.empty(self._count * values.shape[1], np.float32)
        self._every.foreach_get(name, everything)
        everything.reshape(-1, values.shape[1])[self._rows[rows]] = values
        self._every.foreach_set(name, everything)
