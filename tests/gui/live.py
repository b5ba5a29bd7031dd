"""Simulating beside the window: it stays fluent, shows frames as they come, and the same bits.

Run like panel.py, with GUI_SIZE=400x300: without a graphics card to draw 200,000 vertices takes a
second, and a large window half of one. Here the box of the sheet is drawn in a small one, so that
what is measured is what the solver, the add-on and Blender's evaluation keep waiting.
"""

import importlib
from time import perf_counter, thread_time

import bpy
import numpy as np

SIDE = 447
TICK = 0.01  # s


def addon_module(name):
    return importlib.import_module(f"bl_ext.user_default.verlet_physics.verlet_addon.{name}")


def running():
    return addon_module("session").of(bpy.context.scene)


class Pulse:
    """A timer that notes when the window's thread came round to it, and how much it had worked."""

    def __init__(self):
        self.beats = [(perf_counter(), thread_time())]
        self.is_on = True
        bpy.app.timers.register(self._beat)

    def _beat(self):
        self.beats.append((perf_counter(), thread_time()))
        return TICK if self.is_on else None

    def stop(self):
        """Between two beats, in ms, the longest first: by the clock, and what the thread worked."""
        self.is_on = False
        return np.sort(np.diff(self.beats, axis=0).T)[:, ::-1] * 1000.0


def make_sheet(side):
    for ob in list(bpy.data.objects):
        bpy.data.objects.remove(ob)
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.7, location=(0, 0, -0.8))
    bpy.context.object.name = "Ball"
    bpy.ops.verlet.collider()
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=side - 1, y_subdivisions=side - 1, size=3)
    sheet = bpy.context.object
    sheet.name = "Sheet"
    sheet.display_type = "BOUNDS"
    bpy.ops.verlet.cloth()
    bpy.context.scene.frame_end = 250
    return sheet


def play(g):
    with g.override(g.area("VIEW_3D")):
        bpy.ops.screen.animation_play()


def simulated_in_window(g, seconds):
    """Play from the start for some seconds; how many frames came, and the pauses in ms."""
    play(g)
    yield 1.0
    first, pulse = running().last, Pulse()
    yield seconds
    pauses = pulse.stop()
    yield 0.1
    g.data["frames"] = running().last - first
    return pauses


def begun_in_window(g, what):
    """Play for the first time, until something is simulated; the pauses in ms."""
    status = addon_module("live.status").status
    said, pulse = [], Pulse()
    began = perf_counter()
    with g.override(g.area("VIEW_3D")):
        bpy.ops.verlet.play()
    for _ in range(600):
        yield 0.05
        text = status(bpy.context.scene)[0]
        if text not in said:
            said.append(text)
        if running() is not None and running().last >= 2:
            break
    pauses, worked = pulse.stop()
    g.log(f"{what}: frame 2 after {perf_counter() - began:.1f} s; the status said {said}")
    g.log(f"{what}, ms between beats: by the clock", pauses[:6].round())
    g.log(f"{what}, ms between beats: worked", worked[:6].round())
    g.data[what] = float(worked[0])
    play(g)
    yield 0.5
    g.check(worked[0] < 100.0, f"{what}: works no 100 ms at a time: {worked[0]:.0f} ms")


def steps(g):
    addon_module("look_ahead").unregister()
    sheet = make_sheet(SIDE)
    g.log(f"{len(sheet.data.vertices)} vertices")
    yield 2.0  # Blender draws it for the first time
    solver = addon_module("live.solver")
    g.check(not solver.is_loaded(), "the solver is not loaded yet")
    yield from begun_in_window(g, "play at once")
    g.check(solver.is_loaded(), "it is loaded")
    addon_module("look_ahead").register()
    bpy.ops.verlet.reset()
    addon_module("session").drop(bpy.context.scene)
    yield 2.0
    yield from begun_in_window(g, "first play")
    bpy.context.scene.frame_set(1)
    sheet.verlet.cloth.bend = 0.3
    yield from begun_in_window(g, "play after an edit")
    view = g.area("VIEW_3D")
    view.spaces.active.overlay.show_overlays = False
    with g.override(view, g.region(view, "WINDOW")):
        bpy.ops.view3d.view_all(use_all_regions=False)
    yield 3.0
    pauses, worked = yield from simulated_in_window(g, 20.0)
    g.shot("playing")
    g.log("simulating, ms between beats: by the clock", pauses[:6].round(), "beats", len(pauses))
    g.log("simulating, ms between beats: worked", worked[:6].round())
    session = running()
    g.log(
        f"frames in 20 s: {g.data['frames']}, {session.frame_seconds} s a frame; {session.failure}"
    )
    g.check(g.data["frames"] > 3, "frames come while it plays")
    play(g)
    yield 2.0
    last = running().last
    seen = [running().cache[frame].position.copy() for frame in range(1, last + 1)]
    # the same frames once more, from memory: what drawing alone costs
    bpy.context.scene.frame_set(1)
    yield 1.0
    bpy.context.scene.frame_end = last
    play(g)
    yield 1.0
    pulse = Pulse()
    yield 8.0
    shown, drawn = pulse.stop()
    play(g)
    g.log("from memory, ms between beats: by the clock", shown[:6].round(), "beats", len(shown))
    g.log("from memory, ms between beats: worked", drawn[:6].round())
    # simulated by a script, which waits for each
    addon_module("preferences").get().keep_frames = "NEVER"
    bpy.ops.verlet.reset()
    for frame in range(1, min(last, 8) + 1):
        bpy.context.scene.frame_set(frame)
        same = np.array_equal(running().cache[frame].position, seen[frame - 1])
        g.check(same, f"frame {frame} has the same bits")
    g.data |= {"longest": float(pauses[0]), "shown": float(shown[0]), "worked": float(worked[0])}
    g.check(worked[0] < 100.0, f"the window's thread works no 100 ms at a time: {worked[0]:.0f} ms")
    if shown[0] < 50.0:  # else this machine cannot even draw in time
        g.check(pauses[0] < 100.0, f"no pause above 100 ms: {pauses[0]:.0f} ms")
