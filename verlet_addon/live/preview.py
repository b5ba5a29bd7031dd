"""Shows a simulated frame in the viewport, without touching a mesh.

What is made of particles plays a point cache file through a modifier, natively: scrubbing and
rendering need no Python. Bodies get their location and rotation written; `rest_pose` keeps what
was there.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import bpy

from ..blender import point_cache
from ..blender.point_cache import PointCacheFile
from ..extract import own_motion
from ..extract.particles import shown_count
from ..properties import rest_pose
from ..properties.kinds import RAGDOLL, is_particles
from ..properties.participants import find_objects, is_previewable, listed_once
from ..ragdoll import bone_preview
from ..session import Placement, Session
from ..session.phase import EventKind
from ..transforms.affine import blended_matrices
from . import body_preview

if TYPE_CHECKING:
    from ..inputs.participant import Participant

_file_numbers = itertools.count()


def open_file(participant: Participant, start: int) -> PointCacheFile:
    """A new point cache in Blender's temporary folder, which Blender empties itself."""
    name = f"{next(_file_numbers)}_{participant.uid}.pc2"
    path = Path(bpy.app.tempdir, "verlet_physics", name)
    return PointCacheFile(path, participant.particles.shown_count, start)


def show(session: Session, time: float, depsgraph: bpy.types.Depsgraph, *, is_new: bool) -> None:
    """Bring all objects to a simulated time, in frames; ``is_new`` if it was simulated just now."""
    for participant, ob in _previewable(session, session.particle_objects()):
        if not _fits(ob, participant):
            point_cache.detach(ob)  # the object was edited: Blender could not play the file on it
            session.happened(EventKind.EDITED)
            continue
        _play(_attach(ob, session, participant), True)
        if is_new:  # the frame was evaluated before it was in the file
            ob.update_tag(refresh={"DATA"})
            session.awaited |= {ob.session_uid, ob.data.session_uid}
    placement = placement_at(session, time)
    body_preview.show(session, placement, depsgraph)
    bone_preview.show(session, placement.poses)


def show_now(
    scene: bpy.types.Scene,
    session: Session,
    depsgraph: bpy.types.Depsgraph,
    *,
    is_new: bool = False,
) -> None:
    """Show what is simulated of the scene's time, where it lies after the start."""
    time = session.shown_time(time_of(scene))
    if time > session.start:
        show(session, time, depsgraph, is_new=is_new)


def placement_at(session: Session, time: float) -> Placement:
    """Where bodies and bones stand at a simulated time, in frames, and between two of them.

    As a bake's curves would have them: places run straight, rotations turn the short way.
    """
    frame = math.floor(time)
    share = time - frame
    if not share:
        return session.placement(frame)
    a, b = session.placement(frame), session.placement(frame + 1)
    return replace(
        a,
        bodies=blended_matrices(a.bodies, b.bodies, share),
        poses={uid: blended_matrices(pose, b.poses[uid], share) for uid, pose in a.poses.items()},
    )


def _fits(ob: bpy.types.Object, participant: Participant) -> bool:
    """Whether the object still has the vertices that its file was written for."""
    return shown_count(ob) == participant.particles.shown_count


def _attach(
    ob: bpy.types.Object, session: Session, participant: Participant
) -> bpy.types.MeshCacheModifier | None:
    """Play the object's file, behind the modifiers that its pins follow, by this modifier."""
    file = session.files[participant.uid]
    if file.failure:
        point_cache.detach(ob)
        return None
    path = str(file.path)
    modifier = point_cache.attached(ob)
    if modifier is None or modifier.filepath != path:
        point_cache.attach(ob, path, session.start)
        behind = len(own_motion.carriers(ob))
        if behind:
            ob.modifiers.move(0, behind)
        modifier = point_cache.attached(ob)
    return modifier


def _play(modifier: bpy.types.MeshCacheModifier | None, is_on: bool) -> None:
    """Show the simulation or, at the start, the armature's own pose in the viewport."""
    if modifier is not None and modifier.show_viewport != is_on:
        modifier.show_viewport = is_on


def attach_files(session: Session) -> None:
    """Let everything play its frames again after they were taken off for saving."""
    for participant, ob in _previewable(session, session.particle_objects()):
        if _fits(ob, participant):
            _attach(ob, session, participant)


def show_ragdolls(session: Session, time: float) -> None:
    """Pose the bones of ragdolls again after they were given their own for saving."""
    if session.is_ready:
        bone_preview.show(session, placement_at(session, session.shown_time(time)).poses)


def _previewable(
    session: Session, wanted: list[Participant]
) -> list[tuple[Participant, bpy.types.Object]]:
    """The objects that still exist, still take part and do not play a bake."""
    return [
        (participant, ob)
        for participant, ob in zip(wanted, find_objects(wanted))
        if ob is not None and is_previewable(participant, ob)
    ]


def time_of(scene: bpy.types.Scene) -> float:
    """The scene's time in frames; between two of them in motion blur."""
    return scene.frame_current + scene.frame_subframe


@listed_once()
def before_frame(scene: bpy.types.Scene, start: int, session: Session | None) -> None:
    """Before a frame is evaluated: give bodies their own place, rigged cloth its own pose again
    at the start.

    Later their constraints must be off, so that the evaluated matrix tells where the parent is.
    """
    if time_of(scene) <= start:
        for ob in scene.objects:
            if ob.verlet.rest.owner:
                rest_pose.put_back(ob)
            elif ob.verlet.kind == RAGDOLL:
                bone_preview.put_back(ob)
            elif is_particles(ob.verlet.kind) and own_motion.carriers(ob):
                _play(point_cache.attached(ob), False)
    elif session is not None and session.is_ready and not session.is_outdated:
        _hold_bodies(session, is_simulated=time_of(scene) <= session.last)


def _hold_bodies(session: Session, *, is_simulated: bool) -> None:
    """Keep the own transform of every body, and switch its constraints off.

    A body that follows its animation gets its own one back: the frame is to tell where that is.
    Bones only where it is not ``is_simulated`` yet: armatures would be evaluated twice to be seen.
    """
    doubtful = body_preview.doubtful(session)
    for participant, ob in _previewable(session, doubtful):
        if participant.settings.type == "ACTIVE":
            rest_pose.store(ob)
        elif ob.verlet.rest.owner:
            rest_pose.put_back(ob)
    if not is_simulated:
        for _, ob in _previewable(session, session.participants(RAGDOLL)):
            bone_preview.lend(ob)  # bones of their own, and muscles, follow their keys


def clear(ob: bpy.types.Object) -> None:
    """Take the preview off an object: it shows its own mesh and transform again."""
    if ob.library is not None:
        return
    rest_pose.put_back(ob)
    bone_preview.put_back(ob)
    point_cache.detach(ob)


def clear_all() -> None:
    """Take every preview off, also those that no session knows of."""
    for ob in bpy.data.objects:
        clear(ob)
