"""The first start: what Play shows within two seconds of the click, right after installing.

Needs a zip that carries compiled kernels.
"""

import importlib
import sys
import time

import bpy

MODULE = "bl_ext.user_default.verlet_physics"


def steps(g):
    session = importlib.import_module(f"{MODULE}.verlet_addon.session")
    for ob in list(bpy.data.objects):
        if ob.type == "MESH":
            bpy.data.objects.remove(ob)
    view = g.area("VIEW_3D")
    yield from g.n_panel("Verlet")
    bpy.ops.mesh.primitive_grid_add(
        x_subdivisions=30, y_subdivisions=30, size=2, location=(0, 0, 2)
    )
    bpy.ops.verlet.cloth()
    yield 0.5
    first, pressed = [], []
    send = g._x

    def noted(*command):
        # What counts begins when the button goes down, not when the mouse is moved there.
        if command[0] == "mousedown":
            pressed.append((time.perf_counter(), time.process_time()))
        send(*command)

    def look(scene, _depsgraph):
        running = session.of(scene)
        if not first and running is not None and running.last > running.start:
            first.append((time.perf_counter(), time.process_time()))

    bpy.app.handlers.frame_change_post.append(look)
    place = yield from g.find("verlet.play", view, g.region(view, "UI"))
    g._x = noted
    yield from g.click(*place)
    for _ in range(100):
        if first:
            break
        yield 0.1
    took, worked = [b - a for a, b in zip(pressed[0], first[0])] if first else (float("inf"),) * 2
    g.check(
        took <= 2.0,
        f"the first simulated frame came {took:.2f} s after the click on Play, {worked:.2f} s of"
        " processor time",
    )
    yield 1.0
    g.shot("01_playing")
    message = importlib.import_module(f"{MODULE}.verlet_addon.kernels").message()
    g.check(message == "", f"the panel says {message!r}")
    g.check("numba" not in sys.modules, "Numba is not loaded")
