"""Drives a real Blender window: sets up a scene with the panel's buttons, plays, bakes, undoes.

Run inside Blender by a window driver that installs the zip and steps through ``steps(g)``: g finds
and clicks buttons, types and takes pictures, and each ``yield`` gives the seconds to wait.
It needs no Numba, so the scene is small. All panels fit a window of 1600 by 1300 pixels.
"""

import importlib

import bpy
import numpy as np


def evaluated(name):
    """World-space vertices of an object as they are seen."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    ob = bpy.data.objects[name].evaluated_get(depsgraph)
    flat = np.empty(3 * len(ob.data.vertices), np.float32)
    ob.data.vertices.foreach_get("co", flat)
    matrix = np.array(ob.matrix_world)
    return flat.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]


def addon_module(name):
    """A module of the installed add-on."""
    return importlib.import_module(f"bl_ext.user_default.verlet_physics.verlet_addon.{name}")


def session_module():
    """Where the add-on keeps its running simulations."""
    return addon_module("session")


LEFT = (0.25,)  # of two buttons in a row: Bake beside Bake Selected


def press(g, needle, *, area, region, xfrac=(0.5, 0.75, 0.25)):
    """Click the button whose Python text contains ``needle``."""
    place = yield from g.find(needle, area, region, xfrac=xfrac)
    g.check(place is not None, f"the panel shows {needle}")
    if place is not None:
        yield from g.click(*place)


def select(*names):
    for ob in bpy.context.view_layer.objects:
        ob.select_set(ob.name in names)
    bpy.context.view_layer.objects.active = bpy.data.objects[names[0]]


def make_scene():
    for ob in list(bpy.data.objects):
        if ob.type == "MESH":
            bpy.data.objects.remove(ob)
    bpy.ops.mesh.primitive_plane_add(size=8)
    bpy.context.object.name = "Floor"
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.6, location=(0, 0, 0.7), segments=24)
    bpy.context.object.name = "Ball"
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=8, y_subdivisions=8, size=2, location=(0, 0, 2))
    bpy.context.object.name = "Cloth"
    for x in (1.6, 1.75):
        bpy.ops.mesh.primitive_cube_add(size=0.4, location=(x, 0, 0.6 + 2 * (x - 1.6)))
        bpy.context.object.name = f"Box {x}"
    curve = bpy.data.curves.new("Cable", "CURVE")
    curve.dimensions, curve.bevel_depth = "3D", 0.03
    spline = curve.splines.new("POLY")
    spline.points.add(5)
    for number, point in enumerate(spline.points):
        point.co = (-1.5 + 0.3 * number, -1.2, 1.5, 1.0)
    bpy.context.collection.objects.link(bpy.data.objects.new("Cable", curve))
    bpy.context.scene.frame_end = 40


def play_until(g, frame, seconds=60):
    """Let the timeline run until it reaches a frame."""
    for _ in range(int(seconds / 0.2)):
        if bpy.context.scene.frame_current >= frame:
            return
        yield 0.2
    g.check(False, f"playback reached frame {frame}")


def steps(g):
    scene = bpy.context.scene
    view = g.area("VIEW_3D")
    make_scene()
    bpy.ops.ed.undo_push(message="scene")
    yield from g.n_panel("Verlet")
    yield from g.properties("PHYSICS")
    ui = g.region(view, "UI")
    g.shot("01_empty")

    select("Cloth")
    yield 0.3
    yield from press(g, "verlet.cloth", area=view, region=ui)
    g.check(bpy.data.objects["Cloth"].verlet.kind == "CLOTH", "Cloth makes cloth")
    g.shot("02_cloth")
    select("Floor", "Ball")
    yield 0.3
    yield from press(g, "verlet.collider", area=view, region=ui)
    select("Box 1.6", "Box 1.75")
    yield 0.3
    yield from press(g, "verlet.rigid_body", area=view, region=ui)
    kinds = {ob.name: ob.verlet.kind for ob in bpy.data.objects if ob.type == "MESH"}
    g.check(
        kinds
        == {
            "Floor": "COLLIDER",
            "Ball": "COLLIDER",
            "Cloth": "CLOTH",
            "Box 1.6": "BODY",
            "Box 1.75": "BODY",
        },
        f"all selected objects are set up: {kinds}",
    )
    g.shot("03_bodies")

    field = yield from g.find("verlet.body.friction", view, ui, xfrac=(0.75,))
    g.check(field is not None, "the panel shows Friction")
    yield from g.click(*field, double=True)
    yield from g.key("ctrl+a", "A")
    yield from g.text("0.8")
    yield from g.key("Return", "RET")
    frictions = [bpy.data.objects[name].verlet.body.friction for name in ("Box 1.6", "Box 1.75")]
    g.check(np.allclose(frictions, 0.8), f"an edit holds for all selected: {frictions}")

    select("Cable")
    yield 0.3
    yield from press(g, "verlet.rope", area=view, region=ui)
    cable = bpy.data.objects["Cable"]
    g.check(cable.verlet.kind == "ROPE", "Rope makes a rope of a curve")
    yield 0.3
    yield from press(g, "verlet.pin_ends", area=view, region=ui)
    g.check(cable.verlet.pin_points == "0 5/6", f"Pin Ends: {cable.verlet.pin_points!r}")
    yield 0.8
    g.shot("03b_rope")
    bpy.ops.verlet.preset(preset="CABLE")
    bpy.ops.ed.undo_push(message="preset")  # in 4.3 what a script calls leaves no step
    yield 0.8
    g.check(abs(cable.verlet.rope.bend - 0.95) < 1e-6, "a preset changes the settings")
    g.shot("03c_preset")
    select("Cloth")

    before = evaluated("Cloth")
    play = yield from g.find("verlet.play", view, ui)
    g.check(play is not None, "the panel shows Play")
    yield from g.click(*play)
    yield from play_until(g, 20)
    g.check(
        not session_module().of(scene).phase.is_suspect,
        "what the preview tags is not taken for an edit",
    )
    g.shot("04_playing")
    yield from g.click(*play)  # hovering lags behind while it plays: the same place
    for _ in range(20):
        if not bpy.context.screen.is_animation_playing:
            break
        yield 0.2
    g.check(not bpy.context.screen.is_animation_playing, "the same button stops playing")
    g.check(np.abs(evaluated("Cloth") - before).max() > 0.1, "cloth moved while playing")
    g.check(bpy.data.objects["Box 1.6"].verlet.rest.owner != "", "the body's own place is kept")
    g.shot("05_stopped")

    frame = scene.frame_current
    cloth, box = evaluated("Cloth"), evaluated("Box 1.6")
    bpy.ops.object.select_all(action="DESELECT")
    bpy.ops.ed.undo_push(message="deselect")
    yield from g.move(view.x + 300, view.y + 300)
    yield from g.key("ctrl+z", "Z")
    yield 0.5
    scene = bpy.context.scene
    if scene.frame_current != frame:
        scene.frame_set(frame)
    g.check(np.array_equal(evaluated("Cloth"), cloth), "undo keeps the simulated cloth")
    g.check(np.array_equal(evaluated("Box 1.6"), box), "undo keeps the simulated body")
    g.shot("06_undone")
    scene.frame_set(frame + 1)
    g.check(not np.array_equal(evaluated("Cloth"), cloth), "the simulation goes on after undo")
    scene.frame_set(frame)

    select("Cloth")
    scene.frame_end = 2000  # long enough to be stopped halfway on any machine
    yield 0.3
    yield from press(g, "verlet.bake(", area=view, region=ui, xfrac=LEFT)
    yield 1.0
    g.shot("07_baking")
    yield from g.move(view.x + 300, view.y + 300)
    yield from g.key("Escape", "ESC")
    yield 0.5
    simulated = session_module().of(scene).last
    g.check(frame < simulated < 2000, f"Esc stops the bake at frame {simulated}")
    g.check(bpy.data.objects["Cloth"].data.shape_keys is None, "and nothing is written")
    g.check(scene.frame_current == frame, "and the frame is the user's")
    g.shot("08_stopped")
    scene.frame_end = 40
    yield from press(g, "verlet.bake(", area=view, region=ui, xfrac=LEFT)
    for _ in range(600):
        keys = bpy.data.objects["Cloth"].data.shape_keys
        if keys is not None:
            break
        yield 0.1
    yield 0.5
    g.check(bpy.data.objects["Cloth"].data.shape_keys is not None, "Bake wrote shape keys")
    g.check(bpy.data.objects["Box 1.6"].animation_data is not None, "Bake wrote keyframes")
    scene.frame_set(frame)
    g.check(np.array_equal(evaluated("Cloth"), cloth), "the bake is the preview, bit for bit")
    g.check(np.abs(evaluated("Box 1.6") - box).max() < 1e-5, "bodies are baked where they were")
    yield 0.3
    g.shot("09_baked")
    yield from press(g, "verlet.free_bake", area=view, region=ui)
    g.check(bpy.data.objects["Cloth"].data.shape_keys is None, "Free Bake takes the keys away")
    yield 0.3
    g.shot("10_freed")

    bpy.data.objects["Cloth"].verlet.pin_group = "Lost"
    bpy.data.objects["Cloth"].modifiers.new("Lattice", "LATTICE")
    scene.frame_set(scene.frame_start)
    yield 0.5
    g.shot("11_error")
    yield from press(g, "verlet.show_object", area=view, region=ui)
    g.check(bpy.context.object.name == "Cloth", "the error's button shows the object")
    bpy.data.objects["Cloth"].verlet.pin_group = ""
    scene.sync_mode = "FRAME_DROP"
    scene.frame_set(scene.frame_start + 1)
    scene.frame_set(scene.frame_start)
    scene.frame_set(scene.frame_start + 1)
    bpy.data.objects["Cloth"].verlet.cloth.bend = 0.9
    scene.frame_set(scene.frame_start + 2)
    yield 0.5
    g.shot("12_warnings")
    yield from press(g, "verlet.play_every_frame", area=view, region=ui)
    g.check(scene.sync_mode == "NONE", "the warning's button mends it")
    yield from press(g, "verlet.go_to_start", area=view, region=ui)
    g.check(scene.frame_current == scene.frame_start, "out of date: the button goes to the start")
    bpy.ops.object.mode_set(mode="EDIT")
    yield 0.5
    g.shot("13_edit_mode")
