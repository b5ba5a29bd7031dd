"""Characters of the demo scenes: armatures with one smooth skin, made of round limbs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import bmesh
import bpy
import numpy as np
from mathutils import Matrix, Vector
from scene_parts import GOLD, Color, add_ball, linked, select

Point = tuple[float, float, float]
Bone = tuple[str, str, Point, Point, tuple[float, float]]
"""Name, parent, head and tail in m, radius of the flesh at either."""


def _both_sides(bones: Iterable[Bone]) -> list[Bone]:
    """Bones of the left, and their mirror images."""
    found: list[Bone] = []
    for name, parent, head, tail, radius in bones:
        found.append((name, parent, head, tail, radius))
        names = [n.removesuffix(".L") + ".R" if n.endswith(".L") else n for n in (name, parent)]
        ends = [(-x, y, z) for x, y, z in (head, tail)]
        found.append((names[0], names[1], ends[0], ends[1], radius))
    return found


PERSON: list[Bone] = [
    ("hips", "", (0, 0.0, 0.96), (0, 0.0, 1.10), (0.135, 0.12)),
    ("spine", "hips", (0, 0.0, 1.10), (0, 0.01, 1.28), (0.115, 0.125)),
    ("chest", "spine", (0, 0.01, 1.28), (0, 0.01, 1.48), (0.14, 0.085)),
    ("neck", "chest", (0, 0.01, 1.49), (0, 0.0, 1.62), (0.052, 0.046)),
    ("head", "neck", (0, -0.005, 1.63), (0, -0.015, 1.79), (0.066, 0.11)),
    *_both_sides(
        [
            ("shoulder.L", "chest", (0.04, 0.01, 1.46), (0.18, 0.01, 1.46), (0.07, 0.07)),
            ("upper_arm.L", "shoulder.L", (0.19, 0.01, 1.45), (0.38, 0.02, 1.25), (0.06, 0.048)),
            ("forearm.L", "upper_arm.L", (0.38, 0.02, 1.25), (0.56, -0.01, 1.06), (0.05, 0.036)),
            ("hand.L", "forearm.L", (0.56, -0.01, 1.06), (0.65, -0.02, 0.965), (0.04, 0.045)),
            ("thigh.L", "hips", (0.10, 0.0, 0.94), (0.12, -0.01, 0.52), (0.105, 0.07)),
            ("shin.L", "thigh.L", (0.12, -0.01, 0.52), (0.13, 0.02, 0.10), (0.072, 0.045)),
            ("foot.L", "shin.L", (0.13, 0.02, 0.10), (0.14, -0.15, 0.048), (0.05, 0.046)),
        ]
    ),
]
"""A person of 1.9 m in an A-pose that looks along −Y."""

HORSE: list[Bone] = [
    ("spine", "", (0, 0.62, 1.24), (0, 0.25, 1.26), (0.25, 0.25)),
    ("spine.001", "spine", (0, 0.25, 1.26), (0, -0.12, 1.22), (0.25, 0.27)),
    ("chest", "spine.001", (0, -0.12, 1.22), (0, -0.50, 1.22), (0.27, 0.22)),
    ("neck", "chest", (0, -0.58, 1.34), (0, -0.82, 1.66), (0.19, 0.14)),
    ("neck.001", "neck", (0, -0.82, 1.66), (0, -0.98, 1.94), (0.14, 0.115)),
    ("head", "neck.001", (0, -1.0, 1.97), (0, -1.40, 1.68), (0.145, 0.09)),
    ("tail", "spine", (0, 0.80, 1.32), (0, 0.98, 1.05), (0.06, 0.06)),
    ("tail.001", "tail", (0, 0.98, 1.05), (0, 1.02, 0.72), (0.06, 0.05)),
    *_both_sides(
        [
            ("shoulder.L", "chest", (0.13, -0.36, 1.30), (0.17, -0.52, 1.02), (0.14, 0.12)),
            ("upper_arm.L", "shoulder.L", (0.17, -0.52, 1.02), (0.18, -0.42, 0.74), (0.11, 0.085)),
            ("forearm.L", "upper_arm.L", (0.18, -0.42, 0.74), (0.18, -0.44, 0.40), (0.08, 0.055)),
            ("hand.L", "forearm.L", (0.18, -0.44, 0.40), (0.18, -0.45, 0.12), (0.052, 0.045)),
            ("hoof.L", "hand.L", (0.18, -0.45, 0.12), (0.18, -0.52, 0.05), (0.06, 0.065)),
            ("thigh.L", "spine", (0.14, 0.58, 1.16), (0.18, 0.44, 0.80), (0.19, 0.12)),
            ("shin.L", "thigh.L", (0.18, 0.44, 0.80), (0.18, 0.70, 0.50), (0.10, 0.06)),
            ("foot.L", "shin.L", (0.18, 0.70, 0.50), (0.18, 0.66, 0.13), (0.056, 0.045)),
            ("toe.L", "foot.L", (0.18, 0.66, 0.13), (0.18, 0.59, 0.05), (0.06, 0.065)),
        ]
    ),
]
"""A horse of 1.5 m at the withers that looks along −Y."""


def add_character(
    name: str, bones: Sequence[Bone], color: Color, *, ears: bool = False, detail: float = 0.022
) -> tuple[bpy.types.Object, bpy.types.Object]:
    """An armature at the origin and the skin that hangs on it; ``detail`` m is an edge's length."""
    rig = linked(bpy.data.objects.new(name, bpy.data.armatures.new(name)))
    rig.data.display_type = "STICK"
    select(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    for bone_name, parent, head, tail, _ in bones:
        bone = rig.data.edit_bones.new(bone_name)
        bone.head, bone.tail = head, tail
        bone.parent = rig.data.edit_bones[parent] if parent else None
    bpy.ops.object.mode_set(mode="OBJECT")
    rig.hide_render = True
    skin = linked(bpy.data.objects.new(f"{name} Skin", flesh(name, bones, ears, detail)))
    skin.color = color
    _hang(skin, rig, bones)
    return rig, skin


def add_another(
    rig: bpy.types.Object, skin: bpy.types.Object, name: str, color: Color
) -> tuple[bpy.types.Object, bpy.types.Object]:
    """The same character once more, with bones and skin of the same data."""
    copy, skin_copy = linked(rig.copy()), linked(skin.copy())
    copy.name, skin_copy.name = name, f"{name} Skin"
    skin_copy.parent = copy
    skin_copy.modifiers["Armature"].object = copy
    skin_copy.color = color
    return copy, skin_copy


def lead(rig: bpy.types.Object, bone: str, path: Mapping[int, Sequence[float]]) -> None:
    """Pin a bone with the button and draw it along a path: metres from its place, by frame."""
    select(rig)
    bpy.ops.object.mode_set(mode="POSE")
    for one in rig.pose.bones:
        holder = one if hasattr(one, "select") else one.bone  # before Blender 5.0
        holder.select = one.name == bone
    bpy.ops.verlet.pin_bones()
    bpy.ops.object.mode_set(mode="OBJECT")
    target = rig.pose.bones[bone].verlet.pin_target
    start = target.location.copy()
    mark = add_ball("Handle", 0.05, GOLD)  # an empty is not rendered
    mark.parent = target
    for frame, away in path.items():
        target.location = start + Vector(away)
        target.keyframe_insert("location", frame=frame)


def flesh(
    name: str, bones: Sequence[Bone], ears: bool, detail: float, thicker: float = 0.0
) -> bpy.types.Mesh:
    """One closed surface around balls along the bones, ``thicker`` m wider than they are."""
    shape = bmesh.new()
    balls = []
    for bone_name, _, head, tail, (first, last) in bones:
        a, b = Vector(head), Vector(tail)
        steps = max(2, math.ceil((b - a).length / (0.35 * min(first, last))))
        for step in range(steps + 1):
            share = step / steps
            radius = first + share * (last - first) + thicker
            wide = 1.22 if bone_name in {"hips", "chest", "spine"} and name != "Horse" else 1.0
            balls.append((a.lerp(b, share), radius, (wide, 0.95 if wide > 1.0 else 1.0, 1.0)))
    if ears:
        top = Vector(next(bone[2] for bone in bones if bone[0] == "head"))
        for x in (-0.08, 0.08):
            for step in range(6):
                radius = 0.055 - 0.003 * step
                place = top + Vector((x * (1.0 + 0.04 * step), 0.03, 0.09 + 0.028 * step))
                balls.append((place, radius, (1.0, 0.8, 1.0)))
    for place, radius, stretch in balls:
        matrix = Matrix.Translation(place) @ Matrix.Diagonal((*stretch, 1.0))
        bmesh.ops.create_icosphere(shape, subdivisions=2, radius=radius, matrix=matrix)
    mesh = bpy.data.meshes.new("Flesh")
    shape.to_mesh(mesh)
    shape.free()
    ob = linked(bpy.data.objects.new("Flesh", mesh))
    remesh = ob.modifiers.new("Remesh", "REMESH")
    remesh.mode, remesh.voxel_size = "VOXEL", detail
    smooth = ob.modifiers.new("Smooth", "SMOOTH")
    smooth.factor, smooth.iterations = 0.5, 6
    evaluated = ob.evaluated_get(bpy.context.evaluated_depsgraph_get())
    skin = bpy.data.meshes.new_from_object(evaluated)
    bpy.data.objects.remove(ob)
    bpy.data.meshes.remove(mesh)
    skin.name = f"{name} Skin"
    skin.shade_smooth()
    return skin


def _hang(skin: bpy.types.Object, rig: bpy.types.Object, bones: Sequence[Bone]) -> None:
    """Parent a skin to an armature with weights by the distance of its surface from each bone."""
    points = np.empty(3 * len(skin.data.vertices), np.float32)
    skin.data.vertices.foreach_get("co", points)
    points = points.reshape(-1, 3).astype(np.float64)
    far = np.empty((len(points), len(bones)))
    for column, (_, _, head, tail, radius) in enumerate(bones):
        a, way = np.array(head), np.array(tail) - np.array(head)
        share = np.clip((points - a) @ way / (way @ way), 0.0, 1.0)
        from_bone = np.linalg.norm(points - a - share[:, None] * way, axis=1)
        far[:, column] = from_bone / (radius[0] + share * (radius[1] - radius[0]))
    weight = np.maximum(far, 1e-3) ** -8.0
    weight /= weight.sum(axis=1, keepdims=True)
    weight[weight < 0.04] = 0.0
    weight /= weight.sum(axis=1, keepdims=True)
    for column, bone in enumerate(bones):
        group = skin.vertex_groups.new(name=bone[0])
        steps = np.round(weight[:, column] * 20.0)
        for step in np.unique(steps[steps > 0.0]):
            rows = np.flatnonzero(steps == step).tolist()
            group.add(rows, float(step) / 20.0, "REPLACE")
    skin.parent = rig
    skin.modifiers.new("Armature", "ARMATURE").object = rig
