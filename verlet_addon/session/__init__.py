"""The running simulation of a scene: kept in memory only, known by the scene's session id.

Nothing here refers to Blender's data. Undo and loading a file replace every datablock, so
objects are remembered by their session ids and looked up anew each time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Floats
from ..problem import Problem
from .phase import Event, EventKind, Frames, Phase, transition

if TYPE_CHECKING:
    import bpy

    from ...core.cache import FrameCache
    from ...core.model import Diagnostics, FrameInputs, Model
    from ...core.model.grab import Grab
    from ...core.recipes.pose_return import Return
    from ..blender.point_cache import PointCacheFile
    from ..inputs.joint_input import JointInput
    from ..inputs.participant import Participant
    from ..inputs.scene_inputs import SceneInputs
    from ..jobs import Job
    from ..on_disk.frame_log import FramesOnDisk
    from .frame_job import FrameJob
    from .shown_bodies import ShownBodies

Made = TypeVar("Made")
Values = tuple[float, ...]


class Track(NamedTuple):
    """A property that drives the simulation."""

    uid: int  # session id of the object, 0 for the scene
    name: str
    path: str


class Change(NamedTuple):
    """An edit by hand of a track between two frames that were simulated one after the other."""

    before: int
    frame: int
    old: Values
    new: Values


@dataclass(frozen=True)
class Placement:
    """Where the objects stand in one simulated frame; all matrices (4, 4) or (b, 4, 4)."""

    bodies: Floats  # world, in the order of the model
    local: dict[int, Floats]  # world, by session id: what particles' positions are relative to
    parents: dict[int, Floats]  # of bodies that have one: see transforms.parents
    # (m, 4, 4) own transforms of ragdolls' bones, by session id: see bone_bodies.moved_bones
    poses: dict[int, Floats] = field(default_factory=dict)
    # of ragdolls whose bones follow keys, by session id: where they come back from to them
    returning: dict[int, Return] = field(default_factory=dict)
    # (p, 3, 4) of stick figures, by session id: what their bones have beyond what particles tell
    holds: dict[int, Floats] = field(default_factory=dict)
    loose: frozenset[int] = frozenset()  # session ids of what no pin and no tie holds just now


@dataclass
class Hold:
    """What the hand of the user holds just now: see `live.hand`."""

    name: str  # of the object
    frame: int  # in which it was taken
    grab: Grab  # in the last simulated frame
    target: tuple[float, float, float]  # m, where it goes in the next one


@dataclass
class Session:
    """One scene's simulation since its start frame."""

    start: int
    inputs: SceneInputs | None = None  # what it was built from
    timeless: dict[int, bytes] = field(default_factory=dict)  # see timeless
    building: Job[Any] | None = None  # the model, while it is built or the solver is loaded
    model: Model | None = None  # None: it is built, there is nothing to simulate, or an error
    cache: FrameCache | None = None
    placements: list[Placement] = field(default_factory=list)  # one a frame
    job: FrameJob | None = None  # the frame after the last one, while it is simulated
    frame_seconds: float | None = None  # that the last frame took to simulate
    stood: int = 0  # the frame that was visited last
    # (b, 4, 4) objects of bodies in their bodies' own frames, which they never leave
    held_bodies: Floats | None = None
    moved_bones: dict[int, list[str]] = field(default_factory=dict)  # of ragdolls, by session id
    # what became of each bone, in words, by the ragdoll's session id and the bone's name
    bone_notes: dict[int, dict[str, list[str]]] = field(default_factory=dict)
    files: dict[int, PointCacheFile] = field(default_factory=dict)  # preview by session id
    returning: dict[int, Return] = field(default_factory=dict)  # of the frame to come
    # of stick figures that follow keys, by session id: a frame, and what its keys ask for
    keyed_figures: dict[int, tuple[int, tuple[Floats, Floats, Floats]]] = field(
        default_factory=dict
    )
    last_inputs: FrameInputs | None = None
    # by mesh shape: the visible vertices (n, 3) and matrix that `last_inputs.mesh_vertex` is of
    seen_meshes: dict[int, tuple[NDArray[np.float32], Floats | None]] = field(default_factory=dict)
    keyed_joints: tuple[int, Floats] | None = None  # a frame, what its keys aim muscles at (j, 4)
    last_diagnostics: Diagnostics | None = None
    problems: list[Problem] = field(default_factory=list)
    phase: Phase = field(default_factory=Phase)  # what is known of the frames: see `happened`
    actions: dict[int, bytes | None] = field(default_factory=dict)  # see scene.action_digests
    hung_on: dict[int, int] = field(default_factory=dict)  # parents of what takes part, by uid
    awaited: set[int] = field(default_factory=set)  # datablocks that the preview itself has tagged
    # session ids of what was edited since the start or had animation data: read in every frame
    restless: set[int] = field(default_factory=set)
    is_unread: bool = False  # undo may have changed anything: read all of it once more
    changed: list[str] = field(default_factory=list)  # names of what put it out of date
    edited: set[int] = field(default_factory=set)  # session ids, since the last simulated frame
    driven_by: dict[Track, Values] = field(default_factory=dict)  # in the last simulated frame
    takes: dict[Track, list[Change]] = field(default_factory=dict)  # what was improvised
    hold: Hold | None = None
    pulled: int | None = None  # the first frame in which a hand pulled
    on_disk: FramesOnDisk | None = None  # None: they are not kept
    bake_progress: tuple[int, int] | None = None  # frames done, frames in all
    bake_begun: float = 0.0  # s, by the clock, when the bake simulated its first frame
    made: dict[Callable[[Session], Any], Any] = field(default_factory=dict)  # see `once`
    shown: ShownBodies | None = None  # where bodies were put last: see live.body_preview

    @property
    def last(self) -> int:
        """The last simulated frame; the start frame before anything is simulated."""
        return self.start + max(len(self.placements), 1) - 1

    @property
    def newest(self) -> int:
        """The last frame whose inputs were read: it is simulated, or is being simulated."""
        return self.last if self.job is None else self.job.frame

    @property
    def newest_inputs(self) -> FrameInputs | None:
        """What drives the newest frame."""
        return self.last_inputs if self.job is None else self.job.inputs

    @cached_property
    def driving(self) -> frozenset[int]:
        """Session ids of all that takes part or carries pins: their places may drive the rest."""
        if self.inputs is None:
            return frozenset()
        taking_part = self.inputs.participants
        return frozenset(uid for p in taking_part for uid in (p.uid, p.carrier))

    @property
    def is_ready(self) -> bool:
        """Whether there is something to simulate and to show."""
        return self.model is not None

    @property
    def is_sound(self) -> bool:
        """Whether its frames hold, as far as anybody knows without comparing."""
        return self.is_ready and self.phase.is_sound

    @property
    def failure(self) -> str:
        """Why no further frame is simulated, "" as long as they are."""
        return self.phase.failure

    @property
    def is_outdated(self) -> bool:
        """Whether it has to be simulated anew from the start."""
        return self.phase.is_outdated

    def happened(
        self, kind: EventKind, frame: int = 0, *, differs: bool = False, text: str = ""
    ) -> None:
        """Something happened that changes what is known of the frames."""
        self.phase = transition(self.phase, Event(kind, frame, differs, text))

    def participants(self, kind: str) -> list[Participant]:
        """The objects of one kind, in the order of the model."""
        return [] if self.inputs is None else self.inputs.by_kind.get(kind, [])

    def particle_objects(self) -> list[Participant]:
        """The objects whose vertices are particles, in the order of the model."""
        return [] if self.inputs is None else self.inputs.of_particles

    @cached_property
    def body_rows(self) -> list[int]:
        """Row of each body among `bodies.body_poses`, in the order of its participants."""
        rows = [span.body for span in self.model.objects if span.body >= 0]
        return rows[: len(self.participants("BODY"))]  # those of ragdolls come last

    def once(self, make: Callable[[Session], Made]) -> Made:
        """What a function makes of the session's inputs and model, which never change: made once.

        Not to be asked for before there is a model.
        """
        assert self.model is not None
        if make not in self.made:
            self.made[make] = make(self)
        found: Made = self.made[make]
        return found

    def restless_rows(
        self,
        wanted: Sequence[Participant | JointInput],
        objects: Sequence[bpy.types.Object | None],
    ) -> list[int]:
        """Rows of those whose properties may differ from the start: all else needs no reading.

        Once they were animated, or set by hand or script, they may always differ; after an undo
        all may.
        """
        animation = [None if ob is None else ob.animation_data for ob in objects]
        self.restless |= {one.uid for one, data in zip(wanted, animation) if data is not None}
        if not (self.restless or self.is_unread):
            return []
        return [
            row
            for row, (one, ob) in enumerate(zip(wanted, objects))
            if ob is not None and (self.is_unread or one.uid in self.restless)
        ]

    def placement(self, frame: int) -> Placement:
        """Where the objects stand in a simulated frame."""
        return self.placements[frame - self.start]

    def shown_time(self, time: float) -> float:
        """The simulated moment that is shown at a time, both in frames: the last one holds."""
        return min(time, float(self.last))

    def is_current(self, inputs: SceneInputs) -> bool:
        """Whether the simulated frames are still those of these inputs."""
        return (
            self.inputs is not None
            and self.phase.frames is not Frames.MOVED
            and self.inputs.is_same_as(inputs)
        )

    def drop_job(self) -> None:
        """Nobody wants the frame that is being simulated: it is as if it had not been begun."""
        if self.job is not None:
            self.job.drop()
            self.job = None

    def noted(self) -> Callable[[], None]:
        """What brings back all that reading the inputs of a frame notes down for the next one."""
        before = {
            name: getattr(self, name) for name in ("keyed_joints", "keyed_figures", "returning")
        } | {"seen_meshes": dict(self.seen_meshes)}

        def take_back() -> None:
            for name, value in before.items():
                setattr(self, name, value)

        return take_back

    def forget_frames_from(self, frame: int) -> None:
        """Drop ``frame`` and all that follow; the start frame stays."""
        self.drop_job()
        kept = max(frame - self.start, 1)
        if kept >= len(self.placements):
            return
        del self.placements[kept:]
        for file in self.files.values():
            file.truncate(self.start + kept - 1)
        self.happened(EventKind.DROPPED, frame)
        self.last_inputs = self.keyed_joints = None
        self.keyed_figures, self.seen_meshes = {}, {}
        if self.phase.improvised is None:
            self.takes = {}
        if self.pulled is not None and self.pulled >= frame:
            self.pulled = None

    @property
    def first_inexact(self) -> int | None:
        """First frame that a bake has to simulate again; None when it may take all of them."""
        return self.phase.inexact_by(self.last)

    @property
    def improvised_from(self) -> int | None:
        """The first frame that was simulated after an edit that no key tells of."""
        return self.phase.improvised_by(self.last)

    def improvise(self, uid: int) -> None:
        """What drives the simulation was changed by hand: it acts from the next frame on.

        ``uid``: the session id of the object or scene that was edited.
        """
        self.edited.add(uid)
        if self.newest > self.start and self.phase.improvised_by(self.newest) is None:
            self.happened(EventKind.IMPROVISED, self.newest + 1)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep the frames as they are, whatever handlers change at the start frame meanwhile."""
        was_held = self.phase.is_held
        self.happened(EventKind.HELD)
        try:
            yield
        finally:
            if not was_held:
                self.happened(EventKind.RELEASED)

    def close(self) -> None:
        """Let go of the files; Blender empties its temporary folder when it quits."""
        self.drop_job()
        if self.building is not None:
            self.building.drop()
        if self.on_disk is not None:
            self.on_disk.close()
        for file in self.files.values():
            file.remove()
        self.files.clear()


_sessions: dict[int, Session] = {}


def of(scene: bpy.types.Scene) -> Session | None:
    """The scene's session, None before its first visit to the start frame."""
    return _sessions.get(scene.session_uid)


def begin(scene: bpy.types.Scene, start: int) -> Session:
    """A new, empty session in place of the old one."""
    drop(scene)
    session = _sessions[scene.session_uid] = Session(start, stood=start)
    return session


def drop(scene: bpy.types.Scene) -> None:
    """Forget the scene's simulation."""
    session = _sessions.pop(scene.session_uid, None)
    if session is not None:
        session.close()


def drop_all() -> None:
    """Forget every simulation: another file is loaded."""
    for session in _sessions.values():
        session.close()
    _sessions.clear()


def improvise_all(uid: int) -> None:
    """What drives simulations was changed by hand in a datablock, and is read in every frame."""
    for session in _sessions.values():
        session.improvise(uid)


def note_edit(uid: int) -> None:
    """A property of the datablock with this session id was set: it is to be read again."""
    for session in _sessions.values():
        session.restless.add(uid)


def distrust_all() -> None:
    """Every datablock is a new one: nothing that was read of it counts."""
    suspect_all()
    for session in _sessions.values():
        session.drop_job()
        session.is_unread = True


def suspect_all() -> None:
    """Something that a simulation may depend on was changed."""
    for session in _sessions.values():
        session.happened(EventKind.EDITED)
