"""After the first verb the solver is loaded beside the window: it goes on without a long pause.

Run like panel.py. What counts is how long the window's thread works between two beats of a timer:
the clock also tells of other programs.
"""

import importlib
import sys
from itertools import pairwise
from time import thread_time

import bpy

TICK = 0.01  # s
LONGEST = 0.1  # s that the thread may work at one go: the look at the scene, and Blender's drawing


def beat_for(g, seconds):
    """The longest times that the window's thread worked between two beats, in ms."""
    beats, is_on = [thread_time()], True

    def beat():
        beats.append(thread_time())
        return TICK if is_on else None

    bpy.app.timers.register(beat)
    yield seconds
    is_on = False
    yield 0.1
    g.data["worked"] = sorted(1000.0 * (b - a) for a, b in pairwise(beats))[::-1][:6]


def steps(g):
    yield from g.n_panel("Verlet")
    yield 2.0
    engine = "bl_ext.user_default.verlet_physics.core.step"
    g.check(engine not in sys.modules, "nothing of it is loaded before something is set up")
    bpy.ops.verlet.rigid_body()
    yield from beat_for(g, 6.0)
    worked = g.data["worked"]
    g.log("after the first verb, ms between beats: worked", [round(ms) for ms in worked])
    g.check(engine in sys.modules, "it is loaded")
    g.check(worked[0] < 1000.0 * LONGEST, f"works no 100 ms at a time: {worked[0]:.0f} ms")
    session = importlib.import_module("bl_ext.user_default.verlet_physics.verlet_addon.session")
    for _ in range(200):  # on a busy machine it takes longer to load
        if session.of(bpy.context.scene) is not None:
            break
        yield 0.1
    g.check(session.of(bpy.context.scene) is not None, "the scene was looked at")
