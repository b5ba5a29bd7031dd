"""The sheet as an object in an empty Blender scene: what both of Blender's solvers share."""

from __future__ import annotations

import bpy
import numpy as np
import sheet


def add_object(n: int) -> bpy.types.Object:
    """Add the sheet with the vertex group ``pin`` to an empty scene of 24 frames a second."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = sheet.FPS
    scene.frame_start, scene.frame_end = 1, sheet.FRAMES + 1
    mesh = bpy.data.meshes.new("sheet")
    mesh.from_pydata(sheet.vertices(n).tolist(), [], sheet.quads(n).tolist())
    cloth = bpy.data.objects.new("sheet", mesh)
    scene.collection.objects.link(cloth)
    cloth.vertex_groups.new(name="pin").add(sheet.pins(n), 1.0, "REPLACE")
    return cloth


def simulate(cloth: bpy.types.Object, n: int, seconds: float) -> None:
    """Step the scene's frames; only the frame change is timed."""
    scene = bpy.context.scene
    scene.frame_set(1)
    buffer = np.empty(n * n * 3, np.float32)

    def read() -> np.ndarray:
        evaluated = cloth.evaluated_get(bpy.context.evaluated_depsgraph_get())
        evaluated.data.vertices.foreach_get("co", buffer)
        return buffer.reshape(-1, 3)

    sheet.simulate(
        n, seconds, bpy.app.version_string, lambda frame: scene.frame_set(1 + frame), read
    )
