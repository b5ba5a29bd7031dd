"""Shows a simulated frame in the viewport, without touching a mesh.

What is made of particles plays a point cache file through a modifier, natively: scrubbing and
rendering need no Python. Bodies get their location and rotation written; `rest_pose` keeps what
was there.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING

import bpy
import numpy as np
from mathutils import Quaternion

from . import bone_preview, rest_pose
from .bake import point_cache, restore
from .bake.point_cache import PointCacheFile
from .bake.rotations import nearest_rotation, quaternions
from .extract import own_motion
from .extract.particles import shown_count
from .kinds import RAGDOLL, is_particles
from .moved import moved_in, parent_matrix
from .participants import find_objects
from .session import Placement, Session

if TYPE_CHECKING:
    from .scene_inputs import Participant

_file_numbers = itertools.count()


def open_file(participant: Participant, start: int) -> PointCacheFile:
    """A new point cache in Blender's temporary folder, which Blender empties itself."""
    name = f"{next(_file_numbers)}_{participant.uid}.pc2"
    path = Path(bpy.app.tempdir, "verlet_physics", name)
    return PointCacheFile(path, participant.particles.shown_count, start)


def show(session: Session, frame: int, depsgraph: bpy.types.Depsgraph, *, is_new: bool) -> None:
    """Bring all objects to a simulated frame; ``is_new`` when it was simulated just now."""
    for participant, ob in _previewable(session, session.particle_objects()):
        if not _fits(ob, participant):
            point_cache.detach(ob)  # the object was edited: Blender could not play the file on it
            session.is_suspect = True
            continue
        _attach(ob, session, participant)
        _play(ob, True)
        if is_new:  # the frame was evaluated before it was in the file
            ob.update_tag(refresh={"DATA"})
            session.awaited |= {ob.session_uid, ob.data.session_uid}
    _move_bodies(session, session.placement(frame), depsgraph)
    bone_preview.show(session, session.placement(frame).poses)


def _fits(ob: bpy.types.Object, participant: Participant) -> bool:
    """Whether the object still has the vertices that its file was written for."""
    return shown_count(ob) == participant.particles.shown_count


def _attach(ob: bpy.types.Object, session: Session, participant: Participant) -> None:
    """Play the object's file, behind the modifiers that its pins follow."""
    file = session.files[participant.uid]
    if file.failure:
        point_cache.detach(ob)
        return
    path = str(file.path)
    modifier = point_cache.attached(ob)
    if modifier is None or modifier.filepath != path:
        point_cache.attach(ob, path, session.start)
        behind = len(own_motion.carriers(ob))
        if behind:
            ob.modifiers.move(0, behind)


def _play(ob: bpy.types.Object, is_on: bool) -> None:
    """Show the simulation or, at the start, the armature's own pose in the viewport."""
    modifier = point_cache.attached(ob)
    if modifier is not None and modifier.show_viewport != is_on:
        modifier.show_viewport = is_on


def attach_files(session: Session) -> None:
    """Let everything play its frames again after they were taken off for saving."""
    for participant, ob in _previewable(session, session.particle_objects()):
        if _fits(ob, participant):
            _attach(ob, session, participant)


def show_ragdolls(session: Session, frame: int) -> None:
    """Pose the bones of ragdolls again after they were given their own for saving."""
    if session.is_ready:
        bone_preview.show(session, session.placement(min(frame, session.last)).poses)


def _previewable(
    session: Session, wanted: list[Participant]
) -> list[tuple[Participant, bpy.types.Object]]:
    """The objects that still exist, still take part and do not play a bake."""
    return [
        (participant, ob)
        for participant, ob in zip(wanted, find_objects(wanted))
        if ob is not None and ob.verlet.kind == participant.kind and not restore.is_baked(ob)
    ]


def before_frame(scene: bpy.types.Scene, start: int, session: Session | None) -> None:
    """Before a frame is evaluated: give bodies their own place, rigged cloth its own pose again
    at the start.

    Later their constraints must be off, so that the evaluated matrix tells where the parent is.
    """
    if scene.frame_current <= start:
        for ob in scene.objects:
            if ob.verlet.rest.owner:
                rest_pose.put_back(ob)
            elif ob.verlet.kind == RAGDOLL:
                bone_preview.put_back(ob)
            elif is_particles(ob.verlet.kind) and own_motion.carriers(ob):
                _play(ob, False)
    elif session is not None and session.is_ready and not session.is_outdated:
        _hold_bodies(session)


def _hold_bodies(session: Session) -> None:
    """Keep the own transform of every body, and switch its constraints off.

    A body that follows its animation gets its own one back: the frame is to tell where that is.
    """
    for participant, ob in _moved_bodies(session):
        if participant.settings.type == "ACTIVE":
            rest_pose.store(ob)
        elif ob.verlet.rest.owner:
            rest_pose.put_back(ob)
    for _, ob in _previewable(session, session.participants(RAGDOLL)):
        bone_preview.put_back(ob)  # bones of their own, and muscles, follow their keys


def _moved_bodies(session: Session) -> list[tuple[Participant, bpy.types.Object]]:
    """The bodies that the preview moves: passive ones are where their animation has them."""
    bodies = [p for p in session.participants("BODY") if p.settings.type != "PASSIVE"]
    return _previewable(session, bodies)


def _move_bodies(session: Session, placement: Placement, depsgraph: bpy.types.Depsgraph) -> None:
    """Write location and rotation so that the world matrices become ``matrices``; scale stays.

    What a parent with uneven scale makes askew has no location, rotation and scale: then the
    place is exact and the rotation is the nearest, as in the bake.
    """
    moved = moved_in(session, placement.bodies, placement.poses)
    bodies = [ob for _, ob in _moved_bodies(session)]
    if not bodies:
        return
    worlds = np.array([moved.bodies[ob.session_uid] for ob in bodies])
    spaces = np.array([parent_matrix(ob, depsgraph, moved) for ob in bodies])
    local = np.linalg.inv(spaces) @ worlds
    scale = np.array([np.multiply(ob.scale, ob.delta_scale) for ob in bodies])
    turned = nearest_rotation(local[:, :3, :3] * scale[:, None, :])
    for ob, place, rotation in zip(bodies, local[:, :3, 3], quaternions(turned)):
        rest_pose.store(ob)
        ob.location = place - np.array(ob.delta_location)
        rest_pose.write_rotation(ob, _delta_rotation(ob).inverted() @ Quaternion(rotation))


def _delta_rotation(ob: bpy.types.Object) -> Quaternion:
    if ob.rotation_mode in {"QUATERNION", "AXIS_ANGLE"}:
        return ob.delta_rotation_quaternion
    return ob.delta_rotation_euler.to_quaternion()


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
