"""Bake: simulate the frames that are missing, then write all of them to native Blender data.

Preview and bake read the same cache and simulate by the same frame handler, so a bake is the
preview bit for bit. Nothing is written before every frame is there.
"""

from collections.abc import Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from time import perf_counter

import bpy

from ..core.errors import VerletError
from . import bone_bake, participants, preview, session
from .bake import cache_file, carriers, restore, shape_keys, transforms
from .bake.key_reduction import Tolerance
from .bone_bake import BoneOptions
from .extract import own_motion
from .kinds import KINDS
from .properties import start_frame
from .session import Session


@dataclass
class BakeResult:
    """What a bake has written."""

    objects: list[str] = field(default_factory=list)
    frames: range = range(0)
    warnings: list[str] = field(default_factory=list)
    failure: str = ""  # why fewer frames were written than asked for, or none


def bakeable_objects(
    scene: bpy.types.Scene, selected: Sequence[bpy.types.Object] | None
) -> list[bpy.types.Object]:
    """What moves in the scene and is not baked yet; only those in ``selected`` if given."""
    return [
        ob
        for ob in participants.simulated_objects(scene)
        if participants.is_moved(ob)
        and not restore.is_baked(ob)
        and (selected is None or ob in selected)
    ]


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


def find_scene(uid: int) -> bpy.types.Scene:
    """The scene with a session id; undo makes it another Python object.

    Raises VerletError when it was deleted or another file was loaded.
    """
    scene = next((scene for scene in bpy.data.scenes if scene.session_uid == uid), None)
    if scene is None:
        raise VerletError(
            "The scene was deleted, or another file was loaded, while it was baked: nothing was "
            "written"
        )
    return scene


def simulate(
    scene: bpy.types.Scene, frames: range, *, keeps_all: bool = False
) -> Generator[int, None, None]:
    """Simulate up to the last of ``frames``, yielding after each one; the user's frame comes back.

    ``keeps_all``: frames that hold are kept as they are, improvised and cut short ones too.

    Raises VerletError when there is nothing to simulate, and when the scene or its simulation are
    gone or replaced meanwhile. A simulation that blows up ends early.
    """
    uid, shown = scene.session_uid, (scene.frame_current, scene.frame_subframe)
    running = None
    try:
        running = _sound_session(scene) if keeps_all else None
        running = running or _session_from_start(scene)
        running.is_held = True
        # left out, cut short or changed by hand
        if running.first_inexact is not None and not keeps_all:
            running.forget_frames_from(running.first_inexact)
        running.bake_begun = perf_counter()
        first = running.last + 1
        for frame in range(first, frames[-1] + 1):
            running.bake_progress = (frame - first, frames[-1] + 1 - first)
            yield frame
            find_scene(uid).frame_set(frame)
            if session.of(find_scene(uid)) is not running:
                raise VerletError("The setup was changed while it was baked. Press Bake again")
            if running.last < frame:
                break
    finally:
        with suppress(VerletError):  # it is gone, and so is what was shown
            find_scene(uid).frame_set(shown[0], subframe=shown[1])
        if running is not None:
            running.bake_progress, running.is_held = None, False


def _sound_session(scene: bpy.types.Scene) -> Session | None:
    """The scene's simulation if it goes on from where it is, None if it has to begin anew."""
    running = session.of(scene)
    if running is None or not running.is_ready:
        return None
    from .simulation import settle  # brings Numba

    settle(scene, running)
    return running if running.is_sound else None


def _session_from_start(scene: bpy.types.Scene) -> Session:
    """The scene's simulation, compared or built anew at the start frame."""
    uid = scene.session_uid
    scene.frame_set(start_frame(scene))
    running = session.of(find_scene(uid))
    if running is None:
        raise VerletError("Nothing is set up: select objects and press Cloth or another verb first")
    for problem in running.problems:
        if problem.is_error:
            raise VerletError(problem.message)
    if not running.is_ready and running.failure:
        raise VerletError(running.failure)
    if not running.is_ready:
        raise VerletError("Nothing can move: select objects and press Cloth or another verb first")
    return running


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
    seen = bone_bake.look(scene, armatures, written) if options.needs_seen else {}
    for wanted in (bodies, bones, running.particle_objects()):
        for participant, ob in zip(wanted, participants.find_objects(wanted)):
            if ob is None or participant.uid not in uids:
                continue
            try:
                uid = participant.uid
                if KINDS[ob.verlet.kind].moves == "BONES":
                    found = bone_bake.write(running, ob, written, options, seen.get(uid))
                else:
                    found = _write_object(running, ob, uid, written, scene)
                result.warnings += found
                result.objects.append(ob.name)
            except VerletError as error:
                result.warnings.append(str(error))
    scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
    return result


def bone_options(scene: bpy.types.Scene) -> BoneOptions:
    """What the panel says of the bake of ragdolls."""
    about = scene.verlet
    return BoneOptions(key_tolerance(scene), about.root_motion, about.root_height)


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
    from . import simulation  # brings Numba

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
