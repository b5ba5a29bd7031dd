"""What users do while a heavy scene plays in the window: nothing may crash, freeze or lie.

Run like panel.py. Each thing is done while a frame is under way in its thread.
"""

import importlib

import bpy
import numpy as np

SIDE = 90


def addon_module(name):
    return importlib.import_module(f"bl_ext.user_default.verlet_physics.verlet_addon.{name}")


def running():
    return addon_module("session").of(bpy.context.scene)


def is_playing(g):
    return g.window.screen.is_animation_playing


def make_scene():
    for ob in list(bpy.data.objects):
        bpy.data.objects.remove(ob)
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.7, location=(0, 0, -0.8))
    bpy.context.object.name = "Ball"
    bpy.ops.verlet.collider()
    bpy.ops.mesh.primitive_cube_add(size=0.4, location=(2, 0, 1))
    bpy.context.object.name = "Crate"
    bpy.ops.verlet.rigid_body()
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=SIDE, y_subdivisions=SIDE, size=3)
    bpy.context.object.name = "Sheet"
    bpy.ops.verlet.cloth()
    bpy.context.scene.frame_end = 400
    bpy.ops.ed.undo_push(message="made")
    bpy.context.object.show_name = True
    bpy.ops.ed.undo_push(message="named")


def toggle(g):
    with g.override(g.area("VIEW_3D")):
        bpy.ops.screen.animation_play()


def under_way(g):
    """Wait until a frame is in its thread."""
    for _ in range(200):
        session = running()
        if session is not None and session.job is not None and not session.job.is_done:
            return
        yield 0.01


def goes_on(g, what):
    """Frames come after something was done."""
    before = running().last if running() is not None else -1
    if not is_playing(g):
        toggle(g)
    for _ in range(60):
        yield 0.1
        session = running()
        if session is not None and session.is_ready and session.last > before + 2:
            break
    session = running()
    last = None if session is None else session.last
    g.check(last is not None and last > before + 2, f"{what}: it goes on from {before} to {last}")
    state = session.cache[session.last]
    g.check(bool(np.isfinite(state.position).all()), f"{what}: all is finite")
    g.check(not session.failure, f"{what}: no failure: {session.failure}")


def from_start(g):
    if is_playing(g):
        toggle(g)
    yield 0.2
    bpy.ops.verlet.reset()
    toggle(g)
    yield 1.0


def steps(g):
    addon_module("live.delivery").QUICK = -1.0  # every frame, however fast this machine is
    yield from g.n_panel("Verlet")
    make_scene()
    view = g.area("VIEW_3D")
    with g.override(view, g.region(view, "WINDOW")):
        bpy.ops.view3d.view_all(use_all_regions=False)
    objects, scene = bpy.data.objects, bpy.context.scene
    toggle(g)
    yield 2.0
    yield from goes_on(g, "play")
    g.shot("playing")
    g.check(bpy.context.scene.frame_current <= running().newest, "the playhead waits")

    yield from under_way(g)
    with g.override(g.area("VIEW_3D")):
        bpy.ops.ed.undo()
    yield 0.5
    yield from from_start(g)
    yield from goes_on(g, "undo in mid-frame")
    objects, scene = bpy.data.objects, bpy.context.scene

    yield from under_way(g)
    scene.gravity = (2, 0, -9.81)
    yield 0.5
    yield from goes_on(g, "gravity changed")
    g.check(running().improvised_from is not None, "improvised")
    scene.gravity = (0, 0, -9.81)

    yield from under_way(g)
    objects["Ball"].location.x += 0.5
    yield 0.5
    yield from goes_on(g, "a collider moved")

    yield from under_way(g)
    objects["Crate"].name = "Box of Wood"
    yield 0.3
    yield from goes_on(g, "renamed")

    yield from under_way(g)
    bpy.data.objects.remove(objects["Ball"])
    yield 0.5
    g.log("a collider deleted:", addon_module("live.status").reason(scene))
    yield from from_start(g)
    yield from goes_on(g, "a collider deleted")

    yield from under_way(g)
    with g.override(g.area("VIEW_3D")):
        bpy.ops.object.select_all(action="DESELECT")
        objects["Sheet"].select_set(True)
        bpy.context.view_layer.objects.active = objects["Sheet"]
        bpy.ops.object.duplicate()
    yield 0.5
    g.log("a cloth duplicated:", addon_module("live.status").reason(scene))
    yield from from_start(g)
    yield from goes_on(g, "a cloth duplicated")
    g.check(len(running().particle_objects()) == 2, "both are simulated")
    bpy.data.objects.remove(objects["Sheet.001"])
    yield 0.5
    yield from from_start(g)

    yield from under_way(g)
    other = bpy.data.scenes.new("Other")
    g.window.scene = other
    yield 0.6
    g.window.scene = scene
    yield 0.6
    yield from goes_on(g, "another scene and back")

    yield from under_way(g)
    with g.override(g.area("VIEW_3D")):
        bpy.context.view_layer.objects.active = objects["Sheet"]
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.mesh.select_all(action="SELECT")
        bpy.ops.mesh.subdivide()
        bpy.ops.object.mode_set(mode="OBJECT")
    yield 0.5
    g.log("a mesh subdivided:", addon_module("live.status").reason(scene))
    yield from from_start(g)
    yield 4.0
    yield from goes_on(g, "a mesh subdivided")

    scene.frame_step = 2
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 1, 6
    yield from from_start(g)
    for _ in range(100):
        yield 0.1
        if running() is not None and running().last == 6:
            break
    g.check(running().last == 6, f"the last frame of a preview range is there: {running().last}")
    yield 1.0
    g.check(is_playing(g), "and it plays round")
    scene.use_preview_range = False

    for sync in ("FRAME_DROP", "AUDIO_SYNC", "NONE"):
        scene.sync_mode = sync
        yield from from_start(g)
        yield from goes_on(g, sync)
        ahead = scene.frame_current - running().newest
        g.check(ahead <= 0, f"{sync}: the playhead waits: {ahead}")
        g.check(running().phase.guessed is None, f"{sync}: no frame is guessed")

    yield from under_way(g)
    path = "/out/saved.blend"
    bpy.ops.wm.save_as_mainfile(filepath=path)
    yield 0.3
    yield from goes_on(g, "saved")
    yield from under_way(g)
    with g.override(g.area("VIEW_3D")):
        bpy.ops.object.select_all(action="SELECT")
        g.check(bpy.ops.verlet.bake(frame_start=1, frame_end=5) == {"FINISHED"}, "a bake")
    yield 0.5
    with g.override(g.area("VIEW_3D")):
        g.check(bpy.ops.verlet.free_bake() == {"FINISHED"}, "freed")
    if is_playing(g):
        toggle(g)
    yield from from_start(g)
    yield from goes_on(g, "free")
    yield from under_way(g)
    bpy.ops.wm.open_mainfile(filepath=path)
    yield 1.0
    g.shot("opened")
    toggle(g)
    yield 1.0
    if not is_playing(g):
        toggle(g)
    bpy.context.scene.frame_set(1)
    yield from goes_on(g, "reopened in mid-frame")
    yield from under_way(g)
    name = addon_module("session").__name__.split(".verlet_addon")[0]
    bpy.ops.preferences.addon_disable(module=name)
    yield 0.5
    g.check(not hasattr(bpy.types.Scene, "verlet"), "disabled in mid-frame")
    bpy.ops.preferences.addon_enable(module=name)
    yield 0.5
    bpy.context.scene.frame_set(1)
    if not is_playing(g):
        toggle(g)
    yield 1.0
    yield from under_way(g)
    g.shot("end")  # and Blender quits in mid-frame
