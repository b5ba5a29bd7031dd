"""Check Scene in a real window: the list, the marks at the objects, a button that mends.

Run like panel.py.
"""

import webbrowser

import bmesh
import bpy


def faulty():
    """A cloth with doubled vertices inside a block, a body beside the floor."""
    scene = bpy.context.scene
    for ob in list(bpy.data.objects):
        if ob.type == "MESH":
            bpy.data.objects.remove(ob)
    bpy.ops.mesh.primitive_plane_add(size=6, location=(0, 0, 0))
    bpy.ops.verlet.collider()
    bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 0, 0.5))
    bpy.context.object.name = "Block"
    bpy.ops.verlet.collider()
    bpy.ops.mesh.primitive_grid_add(
        x_subdivisions=10, y_subdivisions=10, size=1.6, location=(0, 0, 0.9)
    )
    sheet = bpy.context.object
    sheet.name = "Sheet"
    shape = bmesh.new()
    shape.from_mesh(sheet.data)
    bmesh.ops.split_edges(shape, edges=shape.edges[20:40])
    shape.to_mesh(sheet.data)
    shape.free()
    bpy.ops.verlet.cloth()
    bpy.ops.mesh.primitive_cube_add(size=0.6, location=(5, 2, 1))
    bpy.context.object.name = "Crate"
    bpy.ops.verlet.rigid_body()
    scene.verlet.solver.substep_rate = 120


def steps(g):
    view = g.area("VIEW_3D")
    yield from g.n_panel("Verlet")
    ui = g.region(view, "UI")
    faulty()
    yield 3.0
    with g.override(view, ui):
        for _ in range(3):
            bpy.ops.view2d.scroll_down(page=True)
    yield 1.0
    found = yield from g.find("verlet.check_scene", view, ui)
    g.check(found is not None, "Check Scene is seen")
    pages = []
    webbrowser.open = lambda url, *_, **__: pages.append(url)
    yield from g.move(*found)
    with g.override(view, ui):
        bpy.ops.wm.doc_view_manual_ui_context()  # what F1 is bound to
    g.check(pages and pages[0].endswith("manual/check.html"), f"F1 opens its page: {pages}")
    g.shot("before")
    yield from g.click(*found)
    yield 3.0
    g.shot("found")
    button = yield from g.find("verlet.mend_finding", view, ui)
    g.check(button is not None, "a finding has a button")
    yield from g.click(*button)
    yield 3.0
    g.shot("mended")
    bpy.ops.verlet.show_object(uid=str(bpy.data.objects["Sheet"].session_uid))
    yield 1.5
    g.shot("shown")
    g.check(bpy.context.object.name == "Sheet", "the object is active")
