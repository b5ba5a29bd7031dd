"""Simulates what a render needs and nobody has played, where no window waits for it."""

import math

import bpy

from ...core.errors import VerletError
from .. import session
from ..blender import window_thread
from ..properties.participants import bakeable_objects
from ..properties.scenes import start_frame
from . import missing_frames, rendering


def prepare_frame(scene: bpy.types.Scene) -> None:
    """Before a frame is evaluated for a render: simulate up to it, where nobody is kept waiting."""
    if not window_thread.is_here() or not bakeable_objects(scene, None):
        return
    needed = scene.frame_current + _frames_of_blur(scene)
    running = session.of(scene)
    is_there = running is not None and running.is_sound and running.last >= needed
    if is_there or needed <= start_frame(scene):
        return
    with rendering.simulating():
        try:
            for _ in missing_frames.simulate(scene, range(needed, needed + 1), keeps_all=True):
                pass
        except VerletError as error:
            print(f"Verlet Physics: {error}")


def _frames_of_blur(scene: bpy.types.Scene) -> int:
    """Frames after the present one that its motion blur may reach into."""
    render = scene.render
    return math.ceil(render.motion_blur_shutter) if render.use_motion_blur else 0
