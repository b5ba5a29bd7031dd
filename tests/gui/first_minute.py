"""From the default scene to something that moves, with a mouse: clicks are counted.

Run like panel.py in a window of 1366 by 768 pixels. Menus have no buttons that can be asked for, so
their entries are clicked where Blender 5.2, or 4.3, puts them at that size.
"""

import importlib

import bpy

ADD = (285, 40)  # px from the top left, in the header
if bpy.app.version >= (5, 0):
    VERLET = (315, 491)  # in that menu
    FLAG, DUMMY, DRAPE = (487, 245), (517, 371), (507, 469)  # in the menu Add › Verlet
else:  # there is no Point Cloud above Verlet, whose menu opens downwards
    VERLET = (315, 471)
    FLAG, DUMMY, DRAPE = (487, 470), (517, 596), (507, 694)
WAYS = {
    "a flag": (6, [ADD, VERLET, FLAG], "Flag"),
    "a ragdoll": (4, [ADD, VERLET, DUMMY], "Dummy"),
    "cloth on the cube": (6, [ADD, VERLET, DRAPE], "Sheet"),
}
"""What is wanted: in how many clicks at most, where to click, and what is active then."""

SEARCHED = {"Flag": "Flag", "Drape Cloth": "Sheet", "Ragdoll Dummy": "Dummy"}
"""What is typed into the search of F3, and what is active then."""


def session_of(scene):
    name = "bl_ext.user_default.verlet_physics.verlet_addon.session"
    return importlib.import_module(name).of(scene)


def begin():
    """The default scene again, without what was added."""
    bpy.context.scene.frame_set(1)
    for ob in list(bpy.data.objects):
        if ob.name not in {"Camera", "Cube", "Light"}:
            bpy.data.objects.remove(ob)
    cube = bpy.data.objects["Cube"]
    cube.verlet.kind = "NONE"
    cube.select_set(True)
    bpy.context.view_layer.objects.active = cube


def thin_out():
    """Plain Python simulates the frames here: fewer vertices and substeps do."""
    bpy.context.scene.verlet.solver.substep_rate = 120
    bpy.context.scene.verlet.solver.iterations = 2


def steps(g):
    view = g.area("VIEW_3D")
    yield from g.n_panel("Verlet")
    ui = g.region(view, "UI")
    for wanted, (most, places, made) in WAYS.items():
        begin()
        thin_out()
        yield 0.5
        for x, y in places:
            yield from g.click(x, g.window.height - 1 - y)
            yield 0.8
        g.check(bpy.context.object.name == made, f"{wanted}: {bpy.context.object.name} is there")
        for _ in range(30):  # on a busy machine the solver is loaded for longer
            yield 1.0
            running = session_of(bpy.context.scene)
            if running is not None and running.is_ready:
                break
        g.check(running is not None and running.is_ready, f"{wanted}: looked at before it plays")
        play = yield from g.find("verlet.play", view, ui)
        bake = yield from g.find("verlet.bake(", view, ui)
        g.check(play is not None and bake is not None, f"{wanted}: Play and Bake are seen")
        g.shot(f"{made}_added")
        yield from g.click(*play)
        for _ in range(150):
            if bpy.context.scene.frame_current >= 3:
                break
            yield 0.5
        yield from g.click(*play)
        yield 1.0
        running = session_of(bpy.context.scene)
        clicks = len(places) + 1
        g.check(running.last >= 2, f"{wanted} moves after {clicks} clicks")
        g.check(clicks <= most, f"{wanted} in at most {most} clicks")
        g.shot(f"{made}_played")
    for typed, made in SEARCHED.items():
        begin()
        yield from g.move(view.x + 300, view.y + 300)
        with g.override(view, g.region(view)):
            bpy.ops.wm.search_menu("INVOKE_DEFAULT")
        yield 1.0
        yield from g.text(typed)
        yield 1.0
        yield from g.key("Return", "RET")
        yield 1.5
        g.check(bpy.context.object.name == made, f"the search finds {typed}")
