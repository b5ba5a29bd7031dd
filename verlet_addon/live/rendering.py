"""A render shows what the preview shows, in every frame and between frames.

A render evaluates the scene in a depsgraph of its own: `handlers` are called for each frame and for
each moment of motion blur, and show the frame in it as they do in the viewport, by way of
`window_thread`. Frames that are missing are simulated where nobody waits at a window
(`render_frames`); there it says what is missing.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import bpy

from .. import session
from ..blender import redraw, window_thread
from ..properties.participants import bakeable_objects
from ..properties.scenes import hold_first_frame, release_first_frame, start_frame

_is_rendering = False
_is_simulating = False
_lacking: dict[int, tuple[int, int]] = {}  # first and last frame the last render lacked, by scene


def is_rendering() -> bool:
    """Whether a render runs; not while it waits for frames that are simulated for it."""
    if _is_simulating:
        return False
    return _is_rendering or (not bpy.app.background and bpy.app.is_job_running("RENDER"))


def begin(scene: bpy.types.Scene) -> None:
    """A render begins."""
    global _is_rendering
    _is_rendering = True
    _lacking.pop(scene.session_uid, None)
    if bpy.app.background and bakeable_objects(scene, None) and hold_first_frame(scene):
        print(
            f"Verlet Physics: frames from {scene.frame_start} are a part of the file's, so the "
            f"simulation begins in frame {start_frame(scene)} as in the whole (Own Start Frame in "
            "the World panel says otherwise)",
            flush=True,
        )


def start_of(scene: bpy.types.Scene) -> int:
    """The frame in which what a render shows begins: where the frames that are there begin.

    Who renders a part of a scene often moves its first frame, which is the start of the next
    simulation, for a moment.
    """
    running = session.of(scene)
    if running is None or not running.is_ready or running.is_outdated:
        return start_frame(scene)
    return running.start


@contextmanager
def simulating() -> Iterator[None]:
    """While inside, frames that are visited are visited to be simulated."""
    global _is_simulating
    _is_simulating = True
    try:
        yield
    finally:
        _is_simulating = False


def note_lacking(scene: bpy.types.Scene) -> None:
    """Note a frame that is rendered though it was never simulated, or holds no longer."""
    running = session.of(scene)
    frame = scene.frame_current
    if frame <= start_of(scene) or not bakeable_objects(scene, None):
        return
    holds = running is not None and running.is_ready and not running.is_outdated
    if not holds or frame > running.last:
        first, last = _lacking.get(scene.session_uid, (frame, frame))
        _lacking[scene.session_uid] = min(first, frame), max(last, frame)


def remark(scene: bpy.types.Scene) -> str:
    """What the last render lacked, "" when it showed all."""
    known = _lacking.get(scene.session_uid)
    if known is None:
        return ""
    first, last = known
    frames = f"frame {first}" if first == last else f"frames {first}–{last}"
    running = session.of(scene)
    if running is None or not running.is_ready:
        shown = "it shows everything at its own place"
    elif running.is_outdated:
        shown = "it shows frames that are out of date"
    else:
        shown = f"it shows frame {running.last}, the last one simulated"
    return f"The render lacks {frames}: {shown}. Play up to there, or Bake, and render again"


def forecast(scene: bpy.types.Scene) -> str:
    """What a render of the scene's frames will lack, "" when it will lack nothing."""
    running = session.of(scene)
    if running is None or not running.is_ready or not bakeable_objects(scene, None):
        return ""
    if running.last >= scene.frame_end or running.last == running.start:
        return ""
    return (
        f"A render shows the preview: after frame {running.last} nothing moves until it is "
        "simulated or baked"
    )


def end(scene: bpy.types.Scene) -> None:
    """A render is over: the window says what it lacked."""
    global _is_rendering
    _is_rendering = False
    release_first_frame(scene)
    text = remark(scene)
    if text:
        print(f"Verlet Physics: {text}")
    window_thread.leave(redraw.everything)  # Blender itself goes back to the frame that was shown


def forget() -> None:
    """Another file is loaded: nothing was rendered of it."""
    _lacking.clear()
