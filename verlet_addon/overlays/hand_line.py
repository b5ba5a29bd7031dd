"""The line from what the hand of the user holds to where it pulls, over the 3D view."""

from __future__ import annotations

import traceback
from typing import Any

import bpy
import numpy as np

from ...core.arrays import Floats
from ...core.errors import VerletError
from .. import session

COLOUR = (0.35, 0.95, 1.0, 1.0)
HAND_WIDTH = 2.5  # px, times Blender's scale of the interface
HAND_MARK = 0.012  # m at a metre from the viewer, or a share of the height of the view in m

_handle: Any = None
_failed = False


def line_of(scene: bpy.types.Scene) -> Floats | None:
    """Both ends (2, 3) in m of the line; None where nothing is held."""
    running = session.of(scene)
    if running is None or running.hold is None or not running.is_ready:
        return None
    from ..live import hand

    return np.stack([hand.held_place(running, running.last), np.array(running.hold.target)])


def _marks(line: Floats, axes: Floats, size: float) -> Floats:
    """Segments (n, 2, 3): the line, a square where it holds and a cross where it pulls."""
    right, up = size * axes[0], size * axes[1]
    held, hand = line
    corners = [held + right + up, held - right + up, held - right - up, held + right - up]
    square = [(corners[k], corners[k - 1]) for k in range(4)]
    return np.array([(held, hand), *square, (hand - right, hand + right), (hand - up, hand + up)])


def _draw() -> None:
    """Draw over one 3D view. What goes wrong is printed once, and no more is drawn."""
    global _failed
    if _failed:
        return
    try:
        _draw_line(bpy.context)
    except VerletError:  # the disk has lost the frame, which the panel says
        return
    except Exception:
        _failed = True
        traceback.print_exc()


def _draw_line(context: bpy.types.Context) -> None:
    line = line_of(context.scene)
    view = context.region_data
    if line is None or not isinstance(view, bpy.types.RegionView3D):
        return
    import gpu
    from gpu_extras.batch import batch_for_shader

    matrix = np.array(view.view_matrix)
    far = float(abs((matrix @ np.append(line[1], 1.0))[2])) if view.is_perspective else 0.0
    size = HAND_MARK * (far if view.is_perspective else 0.5 * view.view_distance)
    points = _marks(line, matrix[:2, :3], size).reshape(-1, 3).astype(np.float32)
    shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    content: dict[str, Any] = {"pos": points}
    batch = batch_for_shader(shader, "LINES", content)
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("NONE")
    try:
        shader.bind()
        shader.uniform_float("viewportSize", (context.region.width, context.region.height))
        shader.uniform_float("lineWidth", HAND_WIDTH * context.preferences.system.ui_scale)
        shader.uniform_float("color", COLOUR)
        batch.draw(shader)
    finally:
        gpu.state.blend_set("NONE")


def register() -> None:
    """Draw over every 3D view from now on; without a window there is none."""
    global _handle, _failed
    _failed = False
    if not bpy.app.background:
        _handle = bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW")


def unregister() -> None:
    """Draw no more."""
    global _handle
    if _handle is not None:
        bpy.types.SpaceView3D.draw_handler_remove(_handle, "WINDOW")
    _handle = None
