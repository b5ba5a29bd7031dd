"""Rigs that nobody built for this add-on, each pressed once, dropped on stairs and measured.

Print the figures of all, or of those named:

VERLET_ZIP=… BLENDER_USER_RESOURCES=… python tools/inside_blender/foreign_rigs.py [RIG…]
"""

import importlib
import math
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import installed_extension

if __name__ == "__main__":
    installed_extension.prepare_user_folder()

import bpy
import numpy as np
from mathutils import Matrix
from small_scenes import MODULE, addon, box, floor, select, session_of

FRAMES = 250
STEPS = 8
NO_SKIN_FOR = ("face", "lip", "brow", "jaw", "cheek", "temple", "forehead", "chin", "nose", "ear")
NO_SKIN_FOR += ("lid", "teeth", "tongue", "eye", "breast", "heel", "palm")
THICK = {
    "spine": 0.065,
    "chest": 0.065,
    "head": 0.05,
    "pelvis": 0.05,
    "tail": 0.015,
    "thigh": 0.043,
    "shin": 0.03,
    "foot": 0.022,
    "toe": 0.018,
    "shoulder": 0.03,
    "upper_arm": 0.027,
    "forearm": 0.022,
    "hand": 0.018,
}
"""Thickness of limbs by the beginnings of their names, as a share of the character's size."""

OTHERWISE = 0.02

BVH_JOINTS = """Hips 0 0 0 | Spine 0 12 0 | Chest 0 20 0 | Neck 0 24 0 | Head 0 10 0 | End 0 18 0
Chest | LeftCollar 3 20 0 | LeftShoulder 14 2 0 | LeftElbow 28 0 0 | LeftWrist 25 0 0 | End 16 0 0
Chest | RightCollar -3 20 0 | RightShoulder -14 2 0 | RightElbow -28 0 0 | RightWrist -25 0 0 | \
End -16 0 0
Hips | LeftHip 9 -4 0 | LeftKnee 0 -42 0 | LeftAnkle 0 -42 0 | End 0 -4 14
Hips | RightHip -9 -4 0 | RightKnee 0 -42 0 | RightAnkle 0 -42 0 | End 0 -4 14"""
"""Chains of a motion capture's hierarchy, in cm and Y up; each joint is named by where it turns."""


def add_metarig(name: str) -> bpy.types.Object:
    """One of Rigify's own."""
    bpy.ops.preferences.addon_enable(module="rigify")
    getattr(bpy.ops.object, f"armature_{name}_metarig_add")()
    return bpy.context.object


def add_generated() -> bpy.types.Object:
    """The rig with controls that Rigify generates of its human."""
    meta = add_metarig("human")
    bpy.ops.pose.rigify_generate()
    rig = next(ob for ob in bpy.data.objects if ob.type == "ARMATURE" and ob != meta)
    bpy.data.objects.remove(meta)
    return rig


def add_captured() -> bpy.types.Object:
    """A character of a BVH file."""
    children: dict[str, list[tuple[str, str]]] = {}
    for line in BVH_JOINTS.splitlines():
        first, *others = (link.strip() for link in line.split("|"))
        above = first.split()[0]
        for link in others:
            name, _, offset = link.partition(" ")
            children.setdefault(above, []).append((name, offset))
            above = name

    def block(name: str, offset: str, depth: int) -> str:
        space = "  " * depth
        kind = "ROOT" if not depth else "JOINT"
        if name == "End":
            return f"{space}End Site\n{space}{{\n{space}  OFFSET {offset}\n{space}}}\n"
        names = "Xposition Yposition Zposition " if not depth else ""
        channels = f"{len(names.split()) + 3} {names}Zrotation Xrotation Yrotation"
        inner = "".join(block(child, at, depth + 1) for child, at in children[name])
        return (
            f"{space}{kind} {name}\n{space}{{\n{space}  OFFSET {offset}\n"
            f"{space}  CHANNELS {channels}\n{inner}{space}}}\n"
        )

    body = block("Hips", "0 0 0", 0)
    count = 3 + 3 * (body.count("JOINT") + 1)
    rows = [f"{x} 96 0 " + " ".join(["0"] * (count - 3)) for x in (0, 1, 2)]
    text = f"HIERARCHY\n{body}MOTION\nFrames: 3\nFrame Time: 0.0416667\n" + "\n".join(rows)
    bpy.ops.preferences.addon_enable(module="io_anim_bvh")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "Captured.bvh")
        path.write_text(text + "\n")
        bpy.ops.import_anim.bvh(filepath=str(path), global_scale=0.01)
    return bpy.context.object


def add_from_gltf() -> bpy.types.Object:
    """Rigify's human with its skin, as it comes back from a glTF file: with other bone axes."""
    rig = add_metarig("human")
    skin = add_skin(rig)
    bpy.ops.preferences.addon_enable(module="io_scene_gltf2")
    select(rig, skin)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "human.glb"))
        bpy.ops.export_scene.gltf(filepath=path, use_selection=True)
        for ob in (rig, skin):
            bpy.data.objects.remove(ob)
        bpy.ops.import_scene.gltf(filepath=path, bone_heuristic="TEMPERANCE")
    return next(ob for ob in bpy.context.scene.objects if ob.type == "ARMATURE")


RIGS: dict[str, tuple[Callable[[], bpy.types.Object], bool]] = {
    **{name: (lambda name=name: add_metarig(name), True) for name in ("human", "cat", "horse")},
    **{name: (lambda name=name: add_metarig(name), True) for name in ("wolf", "bird", "shark")},
    "human without skin": (lambda: add_metarig("human"), False),
    "horse without skin": (lambda: add_metarig("horse"), False),
    "generated": (add_generated, True),
    "captured": (add_captured, False),
    "from gltf": (add_from_gltf, False),  # it brings its own
}
"""How each is made, and whether it gets a skin."""


def add_skin(rig: bpy.types.Object) -> bpy.types.Object:
    """A mesh of one round limb for each bone that a body would have flesh at."""
    import bmesh  # which is there only after bpy

    shape = bmesh.new()
    parts = []
    size = max(rig.dimensions)
    for bone in rig.data.bones:
        name = bone.name.removeprefix("DEF-")
        if not bone.use_deform or bone.length < 0.015 * size or name.startswith(NO_SKIN_FOR):
            continue
        share = next((t for k, t in THICK.items() if name.startswith(k)), OTHERWISE)
        thick = share * size
        ends = (thick, bone.length / 2 + 0.3 * thick, 0.8 * thick, 1.0)
        place = bone.matrix_local @ Matrix.Translation((0, bone.length / 2, 0))
        turn = Matrix.Rotation(math.pi / 2, 4, "X")
        new = bmesh.ops.create_uvsphere(
            shape,
            u_segments=12,
            v_segments=8,
            radius=1.0,
            matrix=place @ Matrix.Diagonal(ends) @ turn,
        )
        parts.append((bone.name, new["verts"]))
    shape.verts.index_update()
    groups = [(name, [vertex.index for vertex in vertices]) for name, vertices in parts]
    mesh = bpy.data.meshes.new("Skin")
    shape.to_mesh(mesh)
    shape.free()
    mesh.shade_smooth()
    skin = bpy.data.objects.new("Skin", mesh)
    bpy.context.scene.collection.objects.link(skin)
    for name, vertices in groups:
        skin.vertex_groups.new(name=name).add(vertices, 1.0, "REPLACE")
    skin.parent = rig
    skin.modifiers.new("Armature", "ARMATURE").object = rig
    bpy.context.view_layer.update()
    return skin


def add_stairs(height: float, depth: float) -> None:
    """Steps that go down along −Y, and a floor."""
    for step in range(STEPS):
        top = height * (STEPS - step)
        ob = box(name=f"Step {step}", size=1.0, location=(0, -depth * step, 0.5 * top))
        ob.scale = (10.0 * depth, depth, top)
        bpy.context.view_layer.update()
        select(ob)
        bpy.ops.verlet.collider()
    floor()


def drop(name: str, lean: float = 0.25) -> bpy.types.Object:
    """A new scene with one of the rigs above stairs of its size, set up with one press.

    lean: rad by which it leans forward.
    """
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    make, has_skin = RIGS[name]
    rig = make()
    if has_skin:
        add_skin(rig)
    bpy.context.view_layer.update()
    heads = [rig.matrix_world @ bone.head_local for bone in rig.data.bones if bone.use_deform]
    low, high = (np.array(heads).min(axis=0), np.array(heads).max(axis=0))
    tall = float((high - low).max())
    add_stairs(0.1 * tall, 0.16 * tall)
    above = (0.1 * STEPS + 0.06) * tall - float(low[2])
    rig.animation_data_clear()
    rig.location = (0.0, 0.05 * tall - float(low[1] + high[1]) / 2, above)
    rig.rotation_euler.x += lean
    select(rig)
    bpy.context.view_layer.update()
    assert bpy.ops.verlet.ragdoll() == {"FINISHED"}
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, FRAMES
    return rig


@dataclass
class Figures:
    """How a drop went."""

    parts: int
    gap: float  # largest gap of a joint in any frame, as a share of its bone
    gap_at_rest: float
    where: str  # the bone and the frame of the first of them
    excess: float  # degrees beyond the limits at the end
    depth: float  # m, deepest contact in any frame
    depth_at_rest: float
    asleep: int  # bodies that sleep at the end
    failure: str = ""

    def __str__(self) -> str:
        """One line."""
        return (
            f"{self.parts:3d} parts, gap {100 * self.gap:.2f} % ({self.where}), at rest "
            f"{100 * self.gap_at_rest:.3f} %, excess {self.excess:.2f}°, depth "
            f"{1000 * self.depth:.1f} mm, at rest {1000 * self.depth_at_rest:.2f} mm, "
            f"asleep {self.asleep} {self.failure}"
        )


def measure(rig: bpy.types.Object, frames: int = FRAMES) -> Figures:
    """Play and look at every frame."""
    scene = bpy.context.scene
    scene.frame_set(1)
    running = session_of(scene)
    rows = addon("ragdoll.bone_bodies").rows_of(running)[0]
    skeleton, parts = rows.plan.skeleton, rows.plan.parts
    joined = [part.bone for part in parts if part.joint is not None]
    length = np.maximum(skeleton.length[joined], 1e-9)
    joint_gaps = importlib.import_module(f"{MODULE}.core.truth.joints").joint_gaps
    found = Figures(len(parts), 0.0, 0.0, "", 0.0, 0.0, 0.0, 0)
    for frame in range(2, frames + 1):
        scene.frame_set(frame)
        if running.failure or running.last < frame:
            found.failure = f"FAILED in frame {frame}: {running.failure}"
            return found
        gap = joint_gaps(running.model, running.cache[frame])[rows.joints] / length
        found.depth_at_rest = running.last_diagnostics.penetration
        found.depth = max(found.depth, found.depth_at_rest)
        found.gap_at_rest = float(gap.max(initial=0.0))
        if found.gap_at_rest > found.gap:
            worst = skeleton.name[joined[int(gap.argmax())]]
            found.gap, found.where = found.gap_at_rest, f"{worst}, frame {frame}"
    found.excess = float(np.degrees(excess(running, frames)[rows.joints].max(initial=0.0)))
    found.asleep = int((running.cache[frames].body_rest > 0.0)[rows.bodies].sum())
    return found


def excess(running, frame: int) -> np.ndarray:
    """How far (j,) rad each joint is beyond its limits."""
    state, table = running.cache[frame], running.model.joints
    turn_of = addon("transforms.affine").rotation_of
    body, own = turn_of(state.body_orientation), turn_of(table.frame)
    found = np.zeros(len(table))
    for j in range(len(table)):
        first, second = (body[table.owner[j, side]] @ own[j, side] for side in (0, 1))
        seen = first.T @ second
        if table.turn_form[j] == HINGE:
            angle = math.atan2(seen[1, 0], seen[0, 0])
            found[j] = max(table.lower[j, 5] - angle, angle - table.upper[j, 5], 0.0)
        elif table.turn_form[j] == CONE:
            swing = math.acos(min(max(seen[0, 0], -1.0), 1.0))
            twist = 2.0 * math.atan2(seen[2, 1] - seen[1, 2], 1.0 + np.trace(seen))
            found[j] = max(
                swing - table.upper[j, 4],
                twist - table.upper[j, 3],
                table.lower[j, 3] - twist,
                0.0,
            )
    return found


HINGE, CONE = 1, 2


def main() -> None:
    """Install the zip and print the figures of each rig."""
    installed_extension.install(Path(os.environ["VERLET_ZIP"]))
    for name in sys.argv[1:] or RIGS:
        print(f"RIG {name:20s} {measure(drop(name))}", flush=True)


if __name__ == "__main__":
    installed_extension.run_and_leave(main)
