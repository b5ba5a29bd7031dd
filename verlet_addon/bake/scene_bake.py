"""Bake: simulate the frames that are missing, then write all of them to native Blender data.

Preview and bake read the same cache and simulate by the same frame handler, so a bake is the
preview bit for bit. Nothing is written before every frame is there.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import bpy

from ...core.errors import VerletError
from .. import session
from ..extract import own_motion
from ..live import preview
from ..properties import participants
from ..properties.kinds import KINDS
from ..properties.scenes import frame_rate, start_frame
from ..session import Session
from . import cache_file, carriers, ragdoll_bake, shape_keys, transforms
from .key_reduction import Tolerance
from .ragdoll_bake import BoneOptions


@dataclass
class BakeResult:
    """What a bake has written."""

    objects: list[str] = field(default_factory=list)
    frames: range = range(0)
    warnings: list[str] = field(default_factory=list)
    failure: str = ""  # why fewer frames were written than asked for, or none


def frames_of(scene: bpy.types.Scene, first: int | None, last: int | None) -> range:
    """The frames to write: the scene's range where none is given, from the start frame on."""
    first = scene.frame_start if first is None else first
    last = scene.frame_end if last is None else last
    start = start_frame(scene)
    if last < max(first, start):
        raise VerletError(
            f"There is nothing to bake: the last frame, {last}, comes before the first, "
            f"{max(first, start)}. Set another frame range"
        )
    return range(max(first, start), last + 1)


def write(scene: bpy.types.Scene, frames: range, uids: Sequence[int]) -> BakeResult:
    """Write the simulated ones of ``frames`` to the objects; what cannot be written is reported.

    Raises VerletError when the simulation is gone.
    """
    running = session.of(scene)
    if running is None or not running.is_ready:
        raise VerletError("The simulation was reset before it was written. Press Bake again")
    with running.held():
        return _write(scene, running, frames, uids)


def _write(
    scene: bpy.types.Scene, running: Session, frames: range, uids: Sequence[int]
) -> BakeResult:
    written = range(frames.start, min(frames[-1], running.last) + 1)
    result = BakeResult(frames=written)
    if len(written) < len(frames):
        result.failure = running.failure or f"Only frames up to {running.last} are simulated"
    if not written:
        return result
    bodies, bones = running.participants("BODY"), running.participants("RAGDOLL")
    options = bone_options(scene)
    armatures = [ob for ob in participants.find_objects(bones) if ob and ob.session_uid in uids]
    seen = ragdoll_bake.look(scene, armatures, written) if options.needs_seen else {}
    for wanted in (bodies, bones, running.particle_objects()):
        for participant, ob in zip(wanted, participants.find_objects(wanted)):
            if ob is None or participant.uid not in uids:
                continue
            try:
                uid = participant.uid
                if KINDS[ob.verlet.kind].moves == "BONES":
                    found = ragdoll_bake.write(scene, running, ob, written, options, seen.get(uid))
                else:
                    found = _write_object(running, ob, uid, written, scene)
                result.warnings += found
                ob.verlet_bake.frame_rate = frame_rate(scene)
                result.objects.append(ob.name)
            except VerletError as error:
                result.warnings.append(str(error))
    scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
    return result


def bone_options(scene: bpy.types.Scene) -> BoneOptions:
    """What the panel says of the bake of ragdolls."""
    about = scene.verlet
    return BoneOptions(
        key_tolerance(scene), about.root_motion, about.root_height, about.bone_bake == "CONTROLS"
    )


def key_tolerance(scene: bpy.types.Scene) -> Tolerance | None:
    """How far a bake may be off to have fewer keys; None for a key in every frame."""
    about = scene.verlet
    if not about.reduce_keys:
        return None
    return Tolerance(about.place_tolerance / 1000.0, about.angle_tolerance)


def _write_object(
    running: Session,
    ob: bpy.types.Object,
    uid: int,
    frames: range,
    scene: bpy.types.Scene,
) -> list[str]:
    """Write one object without bones, return warnings. Raises BakeError before any change."""
    from ..live import simulation  # loads the kernels

    if KINDS[ob.verlet.kind].is_particles:
        kind = scene.verlet.mesh_bake
        if kind in cache_file.FORMATS:
            cache_file.write(
                ob,
                list(frames),
                lambda frame: simulation.shown_positions(running, uid, range(frame, frame + 1))[0],
                kind,
                len(own_motion.carriers(ob)),
            )
            return []
        shape_keys.require_bakeable(ob)
        positions = simulation.shown_positions(running, uid, frames)
        preview.clear(ob)
        shape_keys.write(ob, list(frames), positions, is_relative=kind == "RELATIVE")
        carriers.mute(ob)
        return []
    transforms.require_bakeable(ob)
    worlds, parents = simulation.body_matrices(running, uid, frames)
    preview.clear(ob)
    warning = transforms.write(ob, list(frames), worlds, parents, key_tolerance(scene))
    return [warning] if warning else []
