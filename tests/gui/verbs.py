"""The animator's whole path in a real window, once for each verb of the table below.

Set up with the panel's button, play, grab with the mouse, change what acts at once and what does
not, render what is not baked, bake, scrub, undo, redo, save, reopen, export, free, save and reopen
once more. Clicks from a set-up object to something that moves are counted.

Run like panel.py, with GUI_SIM=1, GUI_SIZE=1366x768 and GUI_TIMEOUT=2400. A file verbs.txt beside
the pictures, where there is one, names the verbs that are to be gone through, one a line.
"""

import importlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np
from bpy_extras import view3d_utils
from mathutils import Vector

LAST = 24  # frames of each scene
PREVIEW = "Verlet Preview"  # our own modifier
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


# ------------------------------------------------------------------ what each verb is tried on


def add_floor():
    bpy.ops.mesh.primitive_plane_add(size=6)
    bpy.context.object.name = "Floor"
    bpy.ops.verlet.collider()


def cloth():
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.4, location=(0, 0, 0.5))
    bpy.context.object.name = "Ball"
    bpy.ops.verlet.collider()
    bpy.ops.mesh.primitive_grid_add(
        x_subdivisions=16, y_subdivisions=16, size=1.6, location=(0.2, 0, 1.2)
    )
    return [bpy.context.object]


def rope():
    curve = bpy.data.curves.new("Rope", "CURVE")
    curve.dimensions, curve.bevel_depth = "3D", 0.03
    spline = curve.splines.new("POLY")
    spline.points.add(16)
    for number, point in enumerate(spline.points):
        point.co = (-0.8 + 0.1 * number, 0, 1.6, 1.0)
    ob = bpy.data.objects.new("Rope", curve)
    bpy.context.collection.objects.link(ob)
    ob.verlet.pin_points = "0/17"
    return [ob]


def plant():
    """A stem with leaves to both sides, pinned at its root."""
    points, edges, faces = [(0, 0, 0)], [], []
    for k in range(1, 9):
        points.append((0.02 * k, 0, 0.18 * k))
        edges.append((k - 1, k))
    for k in range(3, 9, 2):
        for side in (-1, 1):
            n = len(points)
            x, _, z = points[k]
            points += [(x + 0.3, side * 0.25, z + 0.1), (x + 0.1, side * 0.35, z + 0.15)]
            edges += [(k, n), (n, n + 1)]
            faces.append((k, n, n + 1))
    mesh = bpy.data.meshes.new("Plant")
    mesh.from_pydata(points, edges, faces)
    ob = bpy.data.objects.new("Plant", mesh)
    bpy.context.collection.objects.link(ob)
    ob.vertex_groups.new(name="Root").add([0], 1.0, "REPLACE")
    ob.verlet.pin_group = "Root"
    bpy.ops.object.effector_add(type="WIND", location=(-2, 0, 1), rotation=(0, math.pi / 2, 0))
    bpy.context.object.field.strength = 60.0
    return [ob]


def soft_body():
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=3, radius=0.5, location=(0, 0, 1.0))
    return [bpy.context.object]


def particles():
    mesh = bpy.data.meshes.new("Dust")
    mesh.from_pydata(
        [(0.12 * i, 0.12 * j, 1 + 0.12 * k) for i in range(6) for j in range(6) for k in range(5)],
        [],
        [],
    )
    ob = bpy.data.objects.new("Dust", mesh)
    bpy.context.collection.objects.link(ob)
    return [ob]


def rigid_body():
    made = []
    for k in range(3):
        bpy.ops.mesh.primitive_cube_add(size=0.5, location=(0.1 * k, 0, 0.4 + 0.6 * k))
        made.append(bpy.context.object)
    return made


def ragdoll():
    data = bpy.data.armatures.new("Figure")
    rig = bpy.data.objects.new("Figure", data)
    rig.location.z = 0.3
    bpy.context.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for name, parent, head, tail in BONES:
        bone = data.edit_bones.new(name)
        bone.head, bone.tail = head, tail
        bone.parent = data.edit_bones[parent] if parent else None
    bpy.ops.object.mode_set(mode="OBJECT")
    return [rig]


def robot():
    made = []
    for name, place, size in (
        ("Trunk", (0, 0, 1.5), (0.4, 0.25, 0.6)),
        ("Head", (0, 0, 1.95), (0.25, 0.25, 0.3)),
        ("Arm.L", (0.38, 0, 1.6), (0.4, 0.12, 0.12)),
        ("Arm.R", (-0.38, 0, 1.6), (0.4, 0.12, 0.12)),
        ("Leg.L", (0.12, 0, 0.85), (0.15, 0.15, 0.72)),
        ("Leg.R", (-0.12, 0, 0.85), (0.15, 0.15, 0.72)),
    ):
        bpy.ops.mesh.primitive_cube_add(size=1.0, location=place, scale=size)
        bpy.context.object.name = name
        made.append(bpy.context.object)
    return made


def collider():
    """The verb is pressed on a ball that keys drive through a sheet."""
    bpy.ops.mesh.primitive_grid_add(
        x_subdivisions=14, y_subdivisions=14, size=1.6, location=(0, 0, 1.0)
    )
    sheet = bpy.context.object
    sheet.name = "Sheet"
    group = sheet.vertex_groups.new(name="Pin")
    side = max(v.co.x for v in sheet.data.vertices)
    group.add([v.index for v in sheet.data.vertices if abs(v.co.x) > side - 1e-4], 1.0, "REPLACE")
    bpy.ops.verlet.cloth()
    sheet.verlet.pin_group = "Pin"
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.3, location=(0, 0, 0.2))
    ball = bpy.context.object
    ball.name = "Ball"
    ball.keyframe_insert("location", frame=1)
    ball.location.z = 1.2
    ball.keyframe_insert("location", frame=LAST)
    bpy.context.scene.frame_set(1)
    return [ball]


@dataclass(frozen=True)
class Case:
    """What a verb is pressed on and what of it is tried."""

    build: Callable[[], list]  # the objects to be selected, the last one active
    verb: str
    setting: tuple[str, str, float]  # object's group, field, value: read once
    factor: tuple[str, float] = ("drag", 2.0)  # of `animated`: acts at once
    grabbed: str = ""  # what the mouse takes hold of, where it is not the active object


CASES = {
    "cloth": Case(cloth, "cloth", ("cloth", "bend", 0.9)),
    "rope": Case(rope, "rope", ("rope", "bend", 0.9)),
    "plant": Case(plant, "plant", ("plant", "stiffness", 0.4)),
    "soft_body": Case(soft_body, "soft_body", ("soft_body", "density", 500.0)),
    "particles": Case(particles, "particles", ("particles", "radius", 0.05)),
    "rigid_body": Case(rigid_body, "rigid_body", ("body", "friction", 0.9)),
    "ragdoll": Case(ragdoll, "ragdoll", ("ragdoll", "mass", 90.0)),
    "robot": Case(robot, "ragdoll", ("body", "friction", 0.9), grabbed="Trunk"),
    "collider": Case(collider, "collider", ("collider", "friction", 0.9), grabbed="Sheet"),
}


# ------------------------------------------------------------------ looking


def addon_module(name):
    return importlib.import_module(f"bl_ext.user_default.verlet_physics.verlet_addon.{name}")


def running():
    return addon_module("session").of(bpy.context.scene)


def moving():
    """Names of all that is simulated and moves."""
    kinds = addon_module("properties.kinds").KINDS
    return sorted(
        ob.name
        for ob in bpy.context.scene.objects
        if ob.verlet.kind != "NONE" and kinds[ob.verlet.kind].moves
    )


def seen():
    """Where everything that moves is seen: world-space vertices, bones or axes, one by one."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    found = []
    for name in moving():
        ob = bpy.data.objects[name].evaluated_get(depsgraph)
        matrix = np.array(ob.matrix_world)
        if ob.type == "ARMATURE":
            found += [(matrix @ np.array(bone.matrix))[:3].ravel() for bone in ob.pose.bones]
            continue
        mesh = ob.to_mesh()
        flat = np.empty(3 * len(mesh.vertices))
        mesh.vertices.foreach_get("co", flat)
        found.append((flat.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]).ravel())
        ob.to_mesh_clear()
    return np.concatenate(found)


def owned():
    """All of the user's that a bake may touch, in words: to be the same when it is freed."""
    lines = []
    for ob in sorted(bpy.context.scene.objects, key=lambda one: one.name):
        keys = getattr(ob.data, "shape_keys", None)
        data = ob.animation_data
        lines.append(
            (
                ob.name,
                [round(x, 6) for row in ob.matrix_basis for x in row],
                [(m.name, m.type, m.show_viewport) for m in ob.modifiers if m.name != PREVIEW],
                [(c.name, c.mute) for c in ob.constraints],
                None if keys is None else [k.name for k in keys.key_blocks],
                data.action.name if data is not None and data.action is not None else "",
                ob.rotation_mode,
            )
        )
    return lines


def select(names, active):
    for ob in bpy.context.view_layer.objects:
        ob.select_set(ob.name in names)
    bpy.context.view_layer.objects.active = bpy.data.objects[active]


# ------------------------------------------------------------------ doing


class Way:
    """One verb's way through the window."""

    def __init__(self, g, name):
        self.g, self.name, self.case = g, name, CASES[name]
        self.clicks = 0

    def check(self, cond, what):
        self.g.check(bool(cond), f"{self.name}: {what}")

    def shot(self, what):
        self.g.shot(f"{self.name}_{what}")

    @property
    def view(self):
        return self.g.area("VIEW_3D")

    @property
    def sidebar(self):
        return self.g.region(self.view, "UI")

    def press(self, needle, xfrac=(0.5, 0.75, 0.25)):
        """Click the button whose Python text contains ``needle``."""
        place = yield from self.g.find(needle, self.view, self.sidebar, xfrac=xfrac)
        self.check(place is not None, f"the panel shows {needle}")
        if place is not None:
            self.clicks += 1
            yield from self.g.click(*place)

    def until(self, condition, what, seconds=40.0):
        for _ in range(int(seconds / 0.1)):
            if condition():
                return
            yield 0.1
        self.check(False, f"{what} (waited {seconds:.0f} s)")

    def is_playing(self):
        return self.g.window.screen.is_animation_playing

    def toggle(self):
        with self.g.override(self.view):
            bpy.ops.verlet.play()

    def settled(self):
        for _ in range(2):
            self.view.tag_redraw()
            yield 0.4

    def in_window(self, place):
        region = self.g.region(self.view, "WINDOW")
        space = self.view.spaces.active.region_3d
        at = view3d_utils.location_3d_to_region_2d(region, space, place)
        return at + Vector((region.x, region.y))

    def key_over_view(self, key, **held):
        """Press a key with the mouse over the middle of the 3D view."""
        region = self.g.region(self.view, "WINDOW")
        x, y = region.x + region.width // 4, region.y + region.height // 2
        yield from self.g.move(x, y)
        for value in ("PRESS", "RELEASE"):
            self.g.window.event_simulate(type=key, value=value, x=x, y=y, **held)
            yield 0.05
        yield 0.6

    # -------------------------------------------------------------- the stations

    def begin(self):
        """A fresh file with the scene, seen whole, and the panel open."""
        bpy.ops.wm.read_homefile(use_factory_startup=True)
        yield 1.0
        yield from self.g.n_panel("Verlet")
        for ob in list(bpy.data.objects):
            if ob.type == "MESH":
                bpy.data.objects.remove(ob)
        scene = bpy.context.scene
        scene.frame_end = LAST
        add_floor()
        made = [ob.name for ob in self.case.build()]
        self.made, self.active = made, made[-1]
        self.grabbed = self.case.grabbed or self.active
        select(made, self.active)
        space = self.view.spaces.active.region_3d
        space.view_location, space.view_distance = (0.0, 0.0, 0.8), 6.0
        bpy.ops.ed.undo_push(message="scene")
        yield 0.8

    def set_up_and_play(self):
        self.clicks = 0
        yield from self.press(f"verlet.{self.case.verb}(")
        yield 1.5
        yield from self.settled()
        self.shot("1_set_up")
        self.before = seen()
        yield from self.press("verlet.play(")
        yield from self.until(lambda: running() and running().last >= 6, "it plays to frame 6")
        yield from self.until(lambda: np.abs(seen() - self.before).max() > 0.01, "it moves")
        self.check(self.clicks == 2, f"moves after {self.clicks} clicks")
        self.check(np.isfinite(seen()).all(), "all is finite")
        self.shot("2_plays")

    def grab(self):
        bpy.context.scene.frame_end = 2000  # it is not to begin anew while it is held
        hand = addon_module("live.hand")
        operator = addon_module("operators.grab").VERLET_OT_grab
        yield from self.key_over_view("V", shift=True, alt=True)
        self.check(operator.is_running, "the shortcut starts Grab")
        session = running()
        place = Vector(self.place_to_take(hand, session))
        start = self.in_window(place)
        yield from self.g.move(*start)
        self.button("PRESS", *start)
        yield from self.until(lambda: running().hold is not None, "something is held", 5.0)
        if running().hold is not None:
            self.check(running().hold.name == self.grabbed, f"{running().hold.name} is held")
        for k in range(1, 9):
            yield from self.g.move(start.x - 10 * k, start.y + 15 * k)
            yield 0.15
        yield 0.8
        if running().hold is not None:
            held = Vector(hand.held_place(running(), running().last))
            self.check((held - place).length > 0.05, f"pulled by {(held - place).length:.2f} m")
        self.shot("3_held")
        self.button("RELEASE", start.x - 80, start.y + 120)
        yield 0.5
        yield from self.key_over_view("ESC")
        self.check(not operator.is_running, "Esc ends Grab")
        self.check(running().pulled is not None, "what was pulled is told")

    def place_to_take(self, hand, session):
        """A place of what is to be grabbed, in the newest frame."""
        if self.is_playing():
            self.toggle()
        bpy.context.scene.frame_set(session.last)
        ob = bpy.data.objects[self.grabbed]
        if ob.verlet.kind == "BODY":
            return ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world.translation
        points = next(
            p for p in hand.points_of(session, session.cache[session.last]) if p.name == ob.name
        )
        return points.places[len(points.places) // 2]

    def button(self, value, x, y):
        self.g.window.event_simulate(type="LEFTMOUSE", value=value, x=int(x), y=int(y))

    def change(self):
        """What acts at once is improvised; what is read once puts the frames out of date."""
        status = addon_module("live.status")
        if self.is_playing():
            self.toggle()
        bpy.ops.verlet.reset()
        yield 0.3
        scene = bpy.context.scene
        self.toggle()
        yield from self.until(lambda: running() and running().last >= 3, "it plays anew")
        driver = bpy.data.objects[self.grabbed]
        field, value = self.case.factor
        setattr(driver.verlet.animated, field, value)
        yield from self.until(
            lambda: running().improvised_from is not None, "an edit in mid-play is noticed", 5.0
        )
        frame = running().last
        yield from self.until(lambda: running().last > frame, "it goes on after the edit")
        text = status.status(scene)[0]
        self.check("improvised" in text, f"the status says {text!r}")
        yield from self.settled()
        self.shot("4_improvised")
        driver.verlet.animated.property_unset(field)
        group, field, value = self.case.setting
        ob = bpy.data.objects[self.active]
        old = getattr(getattr(ob.verlet, group), field)
        setattr(getattr(ob.verlet, group), field, value)
        self.check(old != value, f"{field} was {old}")
        yield 1.0
        yield from self.until(
            lambda: running().is_outdated or running().last < frame, "a setting is noticed", 5.0
        )
        text = status.status(scene)[0]
        why = status.reason(scene)[0]
        self.g.log(f"{self.name}: after {field}: {text!r}, {why!r}")
        yield from self.settled()
        self.shot("5_changed")
        if self.is_playing():
            self.toggle()
        yield 0.3

    def render(self, what):
        """Some frames as pictures, in the window's own way of rendering; their pixels."""
        scene = bpy.context.scene
        bpy.context.preferences.view.render_display_type = "NONE"
        scene.render.engine = "BLENDER_WORKBENCH"
        scene.render.resolution_x, scene.render.resolution_y = 320, 200
        scene.render.filepath = f"/out/{self.name}_{what}_"
        scene.camera.location, scene.camera.rotation_euler = (0, -5.5, 1.2), (1.52, 0, 0)
        start, end = scene.frame_start, scene.frame_end
        scene.frame_start, scene.frame_end, scene.frame_step = 8, 10, 2
        done = []
        bpy.app.handlers.render_complete.append(lambda *_: done.append(True))
        with self.g.override(self.view):
            bpy.ops.render.render("INVOKE_DEFAULT", animation=True)
        yield from self.until(lambda: done, f"the render of {what} ends", 60.0)
        bpy.app.handlers.render_complete.pop()
        scene.frame_start, scene.frame_end, scene.frame_step = start, end, 1
        yield 0.5
        pixels = []
        for frame in (8, 10):
            path = f"/out/{self.name}_{what}_{frame:04d}.png"
            self.check(Path(path).exists(), f"{path} is there")
            image = bpy.data.images.load(path)
            pixels.append(np.array(image.pixels[:]))
            bpy.data.images.remove(image)
        return pixels

    def render_unbaked(self):
        bpy.context.scene.frame_end = LAST
        bpy.ops.verlet.reset()
        yield 0.5
        self.toggle()
        yield from self.until(lambda: running() and running().last >= 14, "it plays to frame 14")
        if self.is_playing():
            self.toggle()
        yield 0.3
        self.unbaked = yield from self.render("unbaked")

    def bake(self):
        scene = bpy.context.scene
        self.user = owned_at_start()
        preview = {}
        yield from self.press("verlet.bake(", xfrac=(0.25,))
        is_baked = addon_module("properties.bake_record").is_baked
        names = moving()
        yield from self.until(
            lambda: all(is_baked(bpy.data.objects[n]) for n in names), "all is baked"
        )
        yield 0.5
        for frame in (1, 9, 17, LAST):
            scene.frame_set(frame)
            preview[frame] = seen()
        self.baked = preview
        yield from self.settled()
        self.shot("6_baked")
        rendered = yield from self.render("baked")
        for frame, old, new in zip((8, 10), self.unbaked, rendered):
            off = np.abs(old - new).mean()
            self.check(off < 0.002, f"frame {frame} renders unbaked as baked: off by {off:.5f}")

    def scrub(self):
        """Drag the playhead over the timeline, to and fro."""
        timeline = self.g.area("DOPESHEET_EDITOR")
        region = self.g.region(timeline, "WINDOW")
        y = region.y + region.height - 10
        x0, x1 = region.x + region.width * 0.3, region.x + region.width * 0.6
        frames = set()
        for a, b in ((x0, x1), (x1, x0)):
            for _ in self.g.drag(a, y, b, y, n=8):
                frames.add(bpy.context.scene.frame_current)
                yield _
        self.check(len(frames) > 2, f"scrubbed over frames {sorted(frames)}")
        self.same("scrubbing")

    def same(self, what):
        """Frames are seen as they were right after the bake."""
        for frame, wanted in self.baked.items():
            bpy.context.scene.frame_set(frame)
            now = seen()
            off = np.abs(now - wanted).max() if now.shape == wanted.shape else math.inf
            self.check(off < 1e-5, f"{what}: frame {frame} is off by {off:.2g} m")

    def undo_and_redo(self):
        is_baked = addon_module("properties.bake_record").is_baked
        names = moving()
        for _ in range(8):
            yield from self.key_over_view("Z", ctrl=True)
            if not any(is_baked(bpy.data.objects[n]) for n in names if n in bpy.data.objects):
                break
        self.check(
            not any(is_baked(bpy.data.objects[n]) for n in names), "undo takes the bake away"
        )
        self.shot("7_undone")
        for _ in range(8):
            yield from self.key_over_view("Z", ctrl=True, shift=True)
            if all(is_baked(bpy.data.objects[n]) for n in names):
                break
        self.check(all(is_baked(bpy.data.objects[n]) for n in names), "redo brings it back")
        self.same("undo and redo")

    def save_and_open(self, what):
        path = f"/out/{self.name}_{what}.blend"
        bpy.ops.wm.save_as_mainfile(filepath=path, copy=False)
        yield 0.3
        bpy.ops.wm.read_homefile(use_factory_startup=True)
        yield 0.5
        bpy.ops.wm.open_mainfile(filepath=path)
        yield 1.0

    def export(self):
        path = f"/out/{self.name}.glb"
        try:
            bpy.ops.export_scene.gltf(filepath=path, export_format="GLB")
            self.check(
                Path(path).stat().st_size > 1000, f"glTF of {Path(path).stat().st_size} bytes"
            )
        except (AttributeError, RuntimeError) as error:
            self.g.log(f"{self.name}: no glTF here: {str(error)[-300:]}")
        path = f"/out/{self.name}.abc"
        try:
            bpy.ops.wm.alembic_export(filepath=path, as_background_job=False, end=LAST)
            self.check(
                Path(path).stat().st_size > 2000, f"Alembic of {Path(path).stat().st_size} bytes"
            )
        except (AttributeError, RuntimeError) as error:
            self.g.log(f"{self.name}: no Alembic here: {str(error)[-200:]}")
        yield 0.2

    def free(self):
        yield from self.press("verlet.free_bake(", xfrac=(0.25,))
        yield 0.8
        is_baked = addon_module("properties.bake_record").is_baked
        self.check(not any(is_baked(ob) for ob in bpy.context.scene.objects), "Free Bake frees all")
        bpy.context.scene.frame_set(1)
        now = owned()
        for old, new in zip(self.user, now):
            self.check(old == new, f"{old[0]} is as before the bake" + diff(old, new))
        yield from self.settled()
        self.shot("8_freed")

    def remove(self):
        bpy.ops.object.select_all(action="SELECT")
        yield 0.3
        bpy.ops.verlet.remove()
        yield 0.3
        left = [ob.name for ob in bpy.context.scene.objects if ob.verlet.kind != "NONE"]
        self.check(not left, f"Remove takes all out of the simulation: {left}")
        yield from self.settled()
        self.shot("9_removed")

    def go(self):
        yield from self.begin()
        yield from self.set_up_and_play()
        yield from self.grab()
        yield from self.change()
        yield from self.render_unbaked()
        yield from self.bake()
        yield from self.scrub()
        yield from self.undo_and_redo()
        yield from self.export()
        yield from self.save_and_open("baked")
        self.same("saved baked and opened")
        yield from self.free()
        yield from self.save_and_open("freed")
        yield from self.play_again()
        yield from self.remove()

    def play_again(self):
        """Simulated anew after the file was opened, it moves as it did."""
        bpy.context.scene.frame_set(1)
        yield 0.5
        if not self.is_playing():
            self.toggle()
        yield from self.until(lambda: running() and running().last >= LAST, "it plays when opened")
        if self.is_playing():
            self.toggle()
        self.same("saved freed, opened and played")


def owned_at_start():
    bpy.context.scene.frame_set(1)
    return owned()


def diff(old, new):
    return "" if old == new else f": {old} became {new}"


def wanted():
    path = Path("/out/verbs.txt")
    return path.read_text("utf-8").split() if path.exists() else list(CASES)


def steps(g):
    for name in wanted():
        g.log("=====", name)
        yield from Way(g, name).go()
