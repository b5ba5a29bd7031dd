"""Rigify's human through the window: generated, skinned, Ragdoll, play, Bake to Controls, edited.

Then undone, redone, freed, and all of the rig's own compared with what it was. Run like panel.py,
with GUI_SIM=1, GUI_SIZE=1366x768 and GUI_TIMEOUT=900.
"""

import importlib
import math

import bmesh
import bpy
import numpy as np
from mathutils import Matrix

LAST = 30  # frames of the scene
LIMBS = {"spine": 0.11, "shoulder": 0.05, "upper_arm": 0.05, "forearm": 0.04, "hand": 0.03}
LIMBS |= {"thigh": 0.075, "shin": 0.055, "foot": 0.035, "toe": 0.03, "pelvis": 0.07}
"""Thickness in m of what is skinned, by the beginnings of the bones' names."""
EDITED, OTHER = "DEF-hand.L", "DEF-hand.R"


def addon_module(name):
    return importlib.import_module(f"bl_ext.user_default.verlet_physics.verlet_addon.{name}")


def running():
    return addon_module("session").of(bpy.context.scene)


def the_rig():
    return next(ob for ob in bpy.data.objects if ob.type == "ARMATURE")


# ------------------------------------------------------------------ the character


def add_rig(g):
    """The rig with controls that Rigify generates of its human."""
    bpy.ops.preferences.addon_enable(module="rigify")
    with g.override(g.area("VIEW_3D")):
        bpy.ops.object.armature_human_metarig_add()
        meta = bpy.context.object
        bpy.ops.pose.rigify_generate()
    bpy.data.objects.remove(meta)
    rig = the_rig()
    rig.location.z = 0.1
    return rig


def add_skin(rig):
    """One closed mesh around the bones that deform, weighted by Blender's own bone heat."""
    shape = bmesh.new()
    for bone in rig.data.bones:
        thick = next((t for k, t in LIMBS.items() if bone.name.startswith(f"DEF-{k}")), None)
        if thick is None or not bone.use_deform:
            continue
        place = bone.matrix_local @ Matrix.Translation((0, bone.length / 2, 0))
        ends = Matrix.Diagonal((thick, bone.length / 2 + 0.6 * thick, 0.8 * thick, 1.0))
        turn = Matrix.Rotation(math.pi / 2, 4, "X")
        bmesh.ops.create_uvsphere(
            shape, u_segments=16, v_segments=10, radius=1.0, matrix=place @ ends @ turn
        )
    mesh = bpy.data.meshes.new("Skin")
    shape.to_mesh(mesh)
    shape.free()
    skin = bpy.data.objects.new("Skin", mesh)
    bpy.context.collection.objects.link(skin)
    skin.matrix_world = rig.matrix_world
    remesh = skin.modifiers.new("Remesh", "REMESH")
    remesh.mode, remesh.voxel_size = "VOXEL", 0.025
    choose(skin)
    bpy.ops.object.modifier_apply(modifier="Remesh")
    choose(skin, rig)
    bpy.ops.object.parent_set(type="ARMATURE_AUTO")
    return skin


def choose(*objects):
    """Select these alone, the last one active."""
    for ob in bpy.context.view_layer.objects:
        ob.select_set(ob in objects)
    bpy.context.view_layer.objects.active = objects[-1]


# ------------------------------------------------------------------ looking


def bones():
    """World places of the heads of all bones that deform, by name."""
    rig = the_rig().evaluated_get(bpy.context.evaluated_depsgraph_get())
    matrix = np.array(rig.matrix_world)
    return {
        bone.name: (matrix @ np.array(bone.matrix))[:3, 3]
        for bone in rig.pose.bones
        if bone.name.startswith("DEF-")
    }


def apart(a, b, names=None):
    return max(float(np.abs(a[name] - b[name]).max()) for name in names or b)


def lowest_skin():
    skin = bpy.data.objects["Skin"].evaluated_get(bpy.context.evaluated_depsgraph_get())
    flat = np.empty(3 * len(skin.data.vertices), np.float32)
    skin.data.vertices.foreach_get("co", flat)
    matrix = np.array(skin.matrix_world)
    return float((flat.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3])[:, 2].min())


def own():
    """All of the rig's that a bake might leave behind, in the start frame."""
    bpy.context.scene.frame_set(1)
    rig = the_rig()
    data = rig.animation_data
    return {
        "basis": [[round(x, 5) for row in b.matrix_basis for x in row] for b in rig.pose.bones],
        "constraints": [(b.name, c.name, c.mute) for b in rig.pose.bones for c in b.constraints],
        "switches": [(b.name, b["IK_FK"]) for b in rig.pose.bones if "IK_FK" in b],
        "drivers": [(d.data_path, d.mute) for d in data.drivers],
        "action": data.action.name if data.action is not None else "",
        "actions": sorted(action.name for action in bpy.data.actions),
        "modes": [b.rotation_mode for b in rig.pose.bones],
    }


# ------------------------------------------------------------------ doing


class Way:
    def __init__(self, g):
        self.g, self.clicks = g, 0
        self.view = g.area("VIEW_3D")

    def press(self, needle, xfrac=(0.5, 0.75, 0.25)):
        self.view = self.g.area("VIEW_3D")
        sidebar = self.g.region(self.view, "UI")
        place = yield from self.g.find(needle, self.view, sidebar, xfrac=xfrac)
        self.g.check(place is not None, f"the panel shows {needle}")
        if place is not None:
            self.clicks += 1
            yield from self.g.click(*place)

    def until(self, condition, what, seconds=120.0):
        for _ in range(int(seconds / 0.1)):
            if condition():
                return
            yield 0.1
        self.g.check(False, f"{what} (waited {seconds:.0f} s)")

    def shot(self, name):
        for _ in range(2):
            self.view.tag_redraw()
            yield 0.4
        self.g.shot(name)

    def undo(self, *, redo=False):
        region = self.g.region(self.view, "WINDOW")
        x, y = region.x + region.width // 4, region.y + region.height // 2
        yield from self.g.move(x, y)
        for value in ("PRESS", "RELEASE"):
            self.g.window.event_simulate(type="Z", value=value, x=x, y=y, ctrl=True, shift=redo)
            yield 0.05
        yield 1.0


def is_baked():
    return addon_module("properties.bake_record").is_baked(the_rig())


def build(g):
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    yield 1.0
    yield from g.n_panel("Verlet")
    bpy.data.objects.remove(bpy.data.objects["Cube"])
    bpy.context.scene.frame_end = LAST
    bpy.ops.mesh.primitive_plane_add(size=8)
    bpy.ops.verlet.collider()
    rig = add_rig(g)
    yield 0.5
    skin = add_skin(rig)
    g.check(len(skin.data.vertices) > 2000, f"a skin of {len(skin.data.vertices)} vertices")
    weighted = sum(bool(v.groups) for v in skin.data.vertices)
    g.check(weighted == len(skin.data.vertices), f"{weighted} of its vertices have weights")
    choose(rig)
    space = g.area("VIEW_3D").spaces.active.region_3d
    space.view_location, space.view_distance = (0.0, 0.0, 0.8), 5.0
    bpy.ops.ed.undo_push(message="character")
    yield 1.0


def falls(g, way):
    yield from way.press("verlet.ragdoll(")
    yield 2.0
    yield from way.shot("1_set_up")
    kinds = [ob.name for ob in bpy.context.scene.objects if ob.verlet.kind == "RAGDOLL"]
    g.check(len(kinds) == 1, f"ragdolls: {kinds}")
    before = bones()
    yield from way.press("verlet.play(")
    yield from way.until(lambda: running() and running().last >= LAST - 1, "it plays")
    g.check(way.clicks == 2, f"falls after {way.clicks} clicks")
    if g.window.screen.is_animation_playing:
        with g.override(way.view):
            bpy.ops.verlet.play()
    problems = [problem.message for problem in running().problems]
    g.check(not problems, f"nothing is told to be wrong: {problems}")
    bpy.context.scene.frame_set(LAST)
    g.check(apart(bones(), before) > 0.4, f"bones have gone {apart(bones(), before):.2f} m")
    g.check(lowest_skin() > -0.02, f"the lowest vertex lies at {100 * lowest_skin():.1f} cm")
    yield from way.shot("2_fallen")


def bake(g, way):
    """Bake to Controls shows what the preview shows, on all bones that are simulated."""
    scene, preview = bpy.context.scene, {}
    names = running().moved_bones[the_rig().session_uid]
    for frame in (1, 8, 15, 22, LAST):
        scene.frame_set(frame)
        preview[frame] = bones()
    scene.verlet.bone_bake = "CONTROLS"
    yield from way.press("verlet.bake(", xfrac=(0.25,))
    yield from way.until(is_baked, "it is baked")
    yield 1.0
    for frame, wanted in preview.items():
        scene.frame_set(frame)
        off = apart(bones(), wanted, names)
        g.check(off < 2e-3, f"frame {frame}: controls bring bones within {1000 * off:.2f} mm")
    keyed = {
        c.data_path.split('"')[1] for c in addon_module("blender.compat").fcurves_of(the_rig())
    }
    g.check({"torso", "upper_arm_fk.L", "thigh_fk.R", "head"} <= keyed, "controls have the keys")
    carried = [b.name for b in the_rig().pose.bones if b.name in keyed and b.constraints]
    deforming = [name for name in carried if name.startswith("DEF-")]
    g.check(not deforming, f"and no bone that deforms and follows one of them: {deforming}")
    yield from way.shot("3_baked")
    return preview


def edit(g, way):
    """Lift an arm by its control, with a key, as an animator does to a bake."""
    scene, rig = bpy.context.scene, the_rig()
    with g.override(way.view):
        bpy.ops.object.mode_set(mode="POSE")
    frame = 22
    scene.frame_set(frame)
    before = bones()
    control = rig.pose.bones["upper_arm_fk.L"]
    control.rotation_mode = control.rotation_mode
    turn = Matrix.Rotation(-0.8, 4, "X")
    control.matrix_basis = control.matrix_basis @ turn
    channel = "rotation_quaternion" if control.rotation_mode == "QUATERNION" else "rotation_euler"
    control.keyframe_insert(channel, frame=frame)
    scene.frame_set(1)
    scene.frame_set(frame)
    after = bones()
    moved, still = (float(np.abs(after[n] - before[n]).max()) for n in (EDITED, OTHER))
    g.check(moved > 0.1, f"the hand goes {moved:.2f} m with its control")
    g.check(still < 1e-4, "the other hand stays")
    bpy.ops.ed.undo_push(message="edit a control")
    yield from way.shot("4_edited")


def undo_and_free(g, way, user):
    for _ in range(10):
        yield from way.undo()
        if not is_baked():
            break
    g.check(not is_baked(), "undo takes the bake away")
    compare(g, user, "undone")
    yield from way.shot("5_undone")
    for _ in range(10):
        yield from way.undo(redo=True)
        if is_baked():
            break
    g.check(is_baked(), "redo brings it back")
    if bpy.context.mode != "OBJECT":
        with g.override(way.view):
            bpy.ops.object.mode_set(mode="OBJECT")
    choose(the_rig())
    yield 0.5
    yield from way.press("verlet.free_bake(", xfrac=(0.25,))
    yield 1.5
    g.check(not is_baked(), "Free Bake frees it")
    compare(g, user, "freed")
    yield from way.shot("6_freed")


def compare(g, user, when):
    now = own()
    for name, wanted in user.items():
        g.check(now[name] == wanted, f"{when}: {name} as before")


def steps(g):
    yield from build(g)
    way = Way(g)
    yield from falls(g, way)
    user = own()
    yield from bake(g, way)
    yield from edit(g, way)
    yield from undo_and_free(g, way, user)
