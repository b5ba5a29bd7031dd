"""Simulates the frames that are missing while nobody plays: for a bake, and for a render.

They come from the same frame handler as those that somebody plays, bit for bit.
"""

from collections.abc import Generator
from contextlib import suppress
from time import perf_counter

import bpy

from ...core.errors import VerletError
from .. import session
from ..properties.scenes import start_frame
from ..session import Session
from ..session.phase import EventKind


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
        running.happened(EventKind.HELD)
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
            running.bake_progress = None
            running.happened(EventKind.RELEASED)


def _sound_session(scene: bpy.types.Scene) -> Session | None:
    """The scene's simulation if it goes on from where it is, None if it has to begin anew."""
    running = session.of(scene)
    if running is None or not running.is_ready:
        return None
    from .simulation import settle  # loads the kernels

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
