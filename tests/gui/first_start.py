"""The first start with Numba: kernels compile in the background while the window stays alive.

Needs a zip that carries Numba for the Python of the driven Blender.
"""

import importlib

import bpy

MODULE = "bl_ext.user_default.verlet_physics"


def steps(g):
    kernels = importlib.import_module(f"{MODULE}.verlet_addon.kernels")
    session = importlib.import_module(f"{MODULE}.verlet_addon.session")
    view = g.area("VIEW_3D")
    g.check(not kernels.is_plain(), "Numba is there")
    yield from g.n_panel("Verlet")
    for ob in list(bpy.data.objects):
        if ob.type == "MESH":
            bpy.data.objects.remove(ob)
    bpy.ops.mesh.primitive_grid_add(
        x_subdivisions=30, y_subdivisions=30, size=2, location=(0, 0, 2)
    )
    bpy.ops.verlet.cloth()
    yield 1.0
    g.check("Compiling" in kernels.message(), f"the panel says {kernels.message()!r}")
    g.shot("01_compiling")
    with g.override(view, g.region(view)):
        bpy.ops.verlet.play()
    yield 3.0
    g.shot("02_playing_while_it_compiles")
    g.check(bpy.context.scene.frame_current != 1, "the timeline plays while it compiles")
    g.check(session.of(bpy.context.scene) is None, "nothing is simulated before it is ready")
    with g.override(view, g.region(view)):
        bpy.ops.screen.animation_cancel(restore_frame=False)
    for _ in range(600):
        if kernels.are_ready():
            break
        yield 0.5
    g.check(kernels.message() == "", "compiled")
    yield 1.0
    bpy.context.scene.frame_set(1)
    with g.override(view, g.region(view)):
        bpy.ops.screen.animation_play()  # Blender's own
    for _ in range(200):
        if bpy.context.scene.frame_current >= 15:
            break
        yield 0.2
    with g.override(view, g.region(view)):
        bpy.ops.screen.animation_cancel(restore_frame=False)
    jit = importlib.import_module(f"{MODULE}.core.kernels.jit")
    g.check(session.of(bpy.context.scene).last >= 15, "it simulates")
    g.check(jit.compile_count() == 0, f"{jit.compile_count()} kernels compiled in the window")
    g.shot("03_simulated")
