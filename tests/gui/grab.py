"""Grab in a real window: cloth, rope, body and ragdoll are taken with the mouse, pulled, let go.

Run like panel.py.
"""

import importlib

import bpy
from bpy_extras import view3d_utils
from mathutils import Vector

BONES = [
    ("pelvis", None, (0, 0, 1.0), (0, 0, 1.2)),
    ("chest", "pelvis", (0, 0, 1.2), (0, 0, 1.5)),
    ("head", "chest", (0, 0, 1.55), (0, 0, 1.8)),
    ("upper_arm.L", "chest", (0.2, 0, 1.45), (0.45, 0, 1.4)),
    ("forearm.L", "upper_arm.L", (0.45, 0, 1.4), (0.7, -0.03, 1.35)),
    ("upper_arm.R", "chest", (-0.2, 0, 1.45), (-0.45, 0, 1.4)),
    ("forearm.R", "upper_arm.R", (-0.45, 0, 1.4), (-0.7, -0.03, 1.35)),
    ("thigh.L", "pelvis", (0.1, 0, 1.0), (0.1, -0.02, 0.55)),
    ("shin.L", "thigh.L", (0.1, -0.02, 0.55), (0.1, 0, 0.1)),
    ("thigh.R", "pelvis", (-0.1, 0, 1.0), (-0.1, -0.02, 0.55)),
    ("shin.R", "thigh.R", (-0.1, -0.02, 0.55), (-0.1, 0, 0.1)),
]


def addon_module(name):
    return importlib.import_module(f"bl_ext.user_default.verlet_physics.verlet_addon.{name}")


def running():
    return addon_module("session").of(bpy.context.scene)


def make_scene():
    """A sheet that hangs from two corners, a rope, a crate on the floor, a figure."""
    for ob in list(bpy.data.objects):
        bpy.data.objects.remove(ob)
    bpy.ops.mesh.primitive_plane_add(size=14)
    bpy.context.object.name = "Floor"
    bpy.ops.verlet.collider()
    bpy.ops.mesh.primitive_grid_add(
        x_subdivisions=16, y_subdivisions=16, size=1.6, location=(-2.5, 0, 1.6)
    )
    sheet = bpy.context.object
    sheet.name = "Sheet"
    sheet.rotation_euler.x = 1.57
    group = sheet.vertex_groups.new(name="Pin")
    top = max(v.co.y for v in sheet.data.vertices)
    group.add([v.index for v in sheet.data.vertices if v.co.y > top - 1e-4], 1.0, "REPLACE")
    bpy.ops.verlet.cloth()
    sheet.verlet.pin_group = "Pin"
    mesh = bpy.data.meshes.new("Rope")
    mesh.from_pydata([(0.05 * k, 0, 0) for k in range(25)], [(k, k + 1) for k in range(24)], [])
    rope = bpy.data.objects.new("Rope", mesh)
    rope.location = (-1.0, -1.5, 1.0)
    bpy.context.collection.objects.link(rope)
    choose(rope)
    bpy.ops.verlet.rope()
    bpy.ops.mesh.primitive_cube_add(size=0.6, location=(1.0, 0, 0.3))
    bpy.context.object.name = "Crate"
    bpy.ops.verlet.rigid_body()
    data = bpy.data.armatures.new("Figure")
    rig = bpy.data.objects.new("Figure", data)
    rig.location = (2.8, 0, 0)
    bpy.context.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for name, parent, head, tail in BONES:
        bone = data.edit_bones.new(name)
        bone.head, bone.tail = head, tail
        bone.parent = data.edit_bones[parent] if parent else None
    bpy.ops.object.mode_set(mode="OBJECT")
    choose(rig)
    bpy.ops.verlet.ragdoll()
    bpy.context.scene.frame_end = 2000
    bpy.context.scene.verlet.solver.substep_rate = 240


def choose(ob):
    for one in bpy.data.objects:
        one.select_set(one == ob)
    bpy.context.view_layer.objects.active = ob


def in_window(g, view, place):
    region = g.region(view, "WINDOW")
    seen = view3d_utils.location_3d_to_region_2d(region, view.spaces.active.region_3d, place)
    return seen + Vector((region.x, region.y))


def place_of(name):
    """Where a thing is to be taken, in the world."""
    hand = addon_module("live.hand")
    session = running()
    frame = min(max(bpy.context.scene.frame_current, session.start), session.last)
    state = session.cache[frame]
    if name == "Crate":
        depsgraph = bpy.context.evaluated_depsgraph_get()
        return bpy.data.objects[name].evaluated_get(depsgraph).matrix_world.translation
    points = next(p for p in hand.points_of(session, state) if p.name == name)
    rows = {"Sheet": 8, "Rope": 24, "Figure": 34}
    return Vector(points.places[rows[name]])


def press(g, key, place, **held):
    """Press and release a key with the mouse over a place."""
    for value in ("PRESS", "RELEASE"):
        g.window.event_simulate(type=key, value=value, x=int(place[0]), y=int(place[1]), **held)


def button(g, kind, x, y):
    g.window.event_simulate(type="LEFTMOUSE", value=kind, x=int(x), y=int(y))


def pull(g, view, name, way, picture, wheel=False):
    """Press on a thing, drag it by (x, y) px in steps, picture, let go."""
    start = in_window(g, view, place_of(name))
    yield from g.move(*start)
    yield 0.2
    button(g, "PRESS", *start)
    yield 1.0
    session = running()
    g.check(session.hold is not None and session.hold.name == name, f"{name} is held")
    g.check(g.window.screen.is_animation_playing, f"{name}: it plays by itself")
    for k in range(1, 13):
        yield from g.move(start.x + way[0] * k / 12, start.y + way[1] * k / 12)
        yield 0.25
    if wheel and session.hold is not None:
        before = Vector(session.hold.target)
        x, y = int(start.x + way[0]), int(start.y + way[1])
        g.window.event_simulate(type="WHEELUPMOUSE", value="PRESS", x=x, y=y)
        yield 0.1
        moved = Vector(session.hold.target) - before
        g.check(moved.length > 0.3, f"the wheel pushes it by {moved.length:.2f} m")
    yield 2.0
    if session.hold is not None:
        hand = addon_module("live.hand")
        held = Vector(hand.held_place(session, session.last))
        end = in_window(g, view, held)
        mouse = Vector((start.x + way[0], start.y + way[1]))
        g.check((end - mouse).length < 60, f"{name} is {(end - mouse).length:.0f} px off the mouse")
    g.shot(f"{picture}_held")
    button(g, "RELEASE", start.x + way[0], start.y + way[1])
    yield 0.6
    g.check(running().hold is None, f"{name} is let go")
    g.check(running().pulled is not None, f"{name}: improvised")
    yield 1.0
    g.shot(f"{picture}_flies")


def steps(g):
    view = g.area("VIEW_3D")
    yield from g.n_panel("Verlet")
    make_scene()
    yield 2.0
    with g.override(view, g.region(view, "WINDOW")):
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_all(use_all_regions=False)
    yield 2.0
    g.shot("start")
    grab = addon_module("operators.grab").VERLET_OT_grab
    keymaps = bpy.context.window_manager.keyconfigs.default.keymaps
    taken = [
        (keymap.name, item.idname)
        for keymap in keymaps
        for item in keymap.keymap_items
        if keymap.name in {"3D View", "3D View Generic", "Object Mode", "Pose", "Window", "Screen"}
        and (item.type, item.shift, item.alt, item.ctrl) == ("V", 1, 1, 0)
    ]
    g.check(not taken, f"Blender has nothing on Shift Alt V: {taken}")
    for _ in range(200):  # it is built beside the window
        if running() is not None and running().is_ready:
            break
        yield 0.1
    middle = in_window(g, view, Vector((0, 0, 1.5)))
    yield from g.move(*middle)
    press(g, "V", middle, shift=True, alt=True)
    yield 0.5
    g.check(grab.is_running, "the shortcut starts it")
    for name, way in (
        ("Crate", (40, 150)),
        ("Figure", (60, 160)),
        ("Rope", (-20, 160)),
        ("Sheet", (90, 60)),
    ):
        yield from pull(g, view, name, way, name.lower())
    with g.override(view, g.region(view, "WINDOW")):
        bpy.ops.view3d.view_orbit(angle=0.6, type="ORBITRIGHT")
        bpy.ops.view3d.view_persportho()
    yield 0.6
    yield from pull(g, view, "Crate", (30, 120), "perspective", wheel=True)
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location, camera.rotation_euler = (0, -12, 2), (1.5, 0, 0)
    bpy.context.collection.objects.link(camera)
    bpy.context.scene.camera = camera
    with g.override(view, g.region(view, "WINDOW")):
        bpy.ops.view3d.view_camera()
    yield 0.6
    yield from pull(g, view, "Sheet", (60, 40), "camera")
    # back to where it was taken
    frame = bpy.context.scene.frame_current
    start = in_window(g, view, place_of("Crate"))
    yield from g.move(*start)
    button(g, "PRESS", *start)
    yield 1.0
    taken = running().hold.frame
    yield from g.move(start.x, start.y + 100)
    yield 1.0
    g.check(bpy.context.scene.frame_current > taken, f"it plays on from {taken} ({frame})")
    press(g, "ESC", (start.x, start.y + 100))
    yield 0.6
    g.check(running().hold is None, "Esc lets go")
    g.check(running().last == taken, f"Esc puts back: {running().last} is {taken}")
    g.check(grab.is_running, "the tool is still there")
    g.shot("put_back")
    press(g, "ESC", (start.x, start.y + 100))
    yield 0.5
    g.check(not grab.is_running, "Esc ends it")
    g.check(not g.window.screen.is_animation_playing, "and the playback that it began")
    g.check(bpy.ops.verlet.record() == {"FINISHED"}, "Record")
    yield 1.0
    g.check(bpy.data.objects["Sheet"].data.shape_keys is not None, "the sheet is baked")
    g.shot("recorded")
    bpy.ops.verlet.free_bake()
    yield 1.0
    g.check(bpy.data.objects["Sheet"].data.shape_keys is None, "and freed")
    # another file in the middle of it
    with g.override(view, g.region(view, "WINDOW")):
        bpy.ops.verlet.grab("INVOKE_DEFAULT")
    yield 0.5
    start = in_window(g, view, place_of("Crate"))
    yield from g.move(*start)
    button(g, "PRESS", *start)
    yield 1.0
    g.check(running().hold is not None, "held once more")
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    yield 2.0
    g.check(not grab.is_running, "another file ends it")
    g.shot("another_file")
