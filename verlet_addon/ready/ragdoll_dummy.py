"""A jointed dummy of a person: an armature, and a skin of one rounded limb for each bone."""

from __future__ import annotations

import bpy
import numpy as np

from ...core.arrays import Floats
from ..blender.data import armature_of, mesh_of
from .shapes import MeshData, limb
from .site import Site

Point = tuple[float, float, float]
Bone = tuple[str, str, Point, Point, tuple[float, float]]
"""Name, parent, head and tail in m, radius in m of the flesh at either."""

MASS = 75.0  # kg
CLAY = (0.55, 0.36, 0.2)
STANDING_HEIGHT = 0.02  # m of the soles above the cursor

MIDDLE: list[Bone] = [
    ("hips", "", (0, 0, 0.92), (0, 0, 1.06), (0.13, 0.12)),
    ("spine", "hips", (0, 0, 1.06), (0, 0.01, 1.22), (0.115, 0.12)),
    ("chest", "spine", (0, 0.01, 1.22), (0, 0.01, 1.42), (0.135, 0.1)),
    ("neck", "chest", (0, 0.01, 1.44), (0, 0, 1.54), (0.05, 0.05)),
    ("head", "neck", (0, 0, 1.58), (0, -0.01, 1.69), (0.085, 0.105)),
]
LEFT: list[Bone] = [
    ("shoulder.L", "chest", (0.04, 0.01, 1.4), (0.17, 0.01, 1.4), (0.06, 0.065)),
    ("upper_arm.L", "shoulder.L", (0.19, 0.01, 1.39), (0.37, 0.02, 1.18), (0.056, 0.044)),
    ("forearm.L", "upper_arm.L", (0.37, 0.02, 1.18), (0.53, -0.01, 1.0), (0.044, 0.034)),
    ("hand.L", "forearm.L", (0.53, -0.01, 1.0), (0.61, -0.02, 0.91), (0.038, 0.036)),
    ("thigh.L", "hips", (0.1, 0, 0.9), (0.115, -0.01, 0.5), (0.092, 0.064)),
    ("shin.L", "thigh.L", (0.115, -0.01, 0.5), (0.125, 0.02, 0.1), (0.062, 0.044)),
    ("foot.L", "shin.L", (0.125, 0.02, 0.085), (0.135, -0.14, 0.045), (0.048, 0.044)),
]


def _mirrored(bone: Bone) -> Bone:
    name, parent, head, tail, radii = bone
    name, parent = (text.replace(".L", ".R") for text in (name, parent))
    return name, parent, (-head[0], *head[1:]), (-tail[0], *tail[1:]), radii


DUMMY_BONES = [*MIDDLE, *LEFT, *map(_mirrored, LEFT)]


def build(site: Site) -> None:
    """It stands on the cursor and looks along −Y."""
    rig = site.add("Dummy", bpy.data.armatures.new("Dummy"), (0.0, 0.0, STANDING_HEIGHT))
    armature_of(rig).display_type = "STICK"
    rig.show_in_front = True
    _add_bones(site, rig)
    skin = site.add_mesh("Dummy Skin", _skin(), CLAY, is_smooth=True)
    count = len(mesh_of(skin).vertices) // len(DUMMY_BONES)
    for number, bone in enumerate(DUMMY_BONES):
        group = skin.vertex_groups.new(name=bone[0])
        group.add(list(range(number * count, (number + 1) * count)), 1.0, "REPLACE")
    skin.parent = rig
    skin.matrix_world = rig.matrix_world
    skin.matrix_parent_inverse.identity()
    skin.matrix_basis.identity()
    follows = skin.modifiers.new("Armature", "ARMATURE")
    assert isinstance(follows, bpy.types.ArmatureModifier)
    follows.object = rig
    site.set_up(rig, "RAGDOLL", mass_by="MASS", mass=MASS)
    site.active = rig


def _add_bones(site: Site, rig: bpy.types.Object) -> None:
    """Bones can be made in Edit Mode only."""
    with site.editing(rig):
        for name, parent, head, tail, _ in DUMMY_BONES:
            bone = armature_of(rig).edit_bones.new(name)
            bone.head, bone.tail = head, tail
            bone.parent = armature_of(rig).edit_bones[parent] if parent else None


def _skin() -> MeshData:
    """Limbs of equally many vertices, bone by bone."""
    vertices: list[Floats] = []
    faces: list[tuple[int, ...]] = []
    for _, _, head, tail, (first, last) in DUMMY_BONES:
        way = np.subtract(tail, head)
        length = float(np.linalg.norm(way))
        y = way / length
        x = np.cross(y, (0.0, 1.0, 0.0) if abs(y[1]) < 0.9 else (0.0, 0.0, 1.0))
        x /= np.linalg.norm(x)
        shape = limb(length, first, last)
        start = sum(map(len, vertices))
        vertices.append(shape.vertices @ np.stack([x, y, np.cross(x, y)]) + np.array(head))
        faces += [tuple(start + corner for corner in face) for face in shape.faces]
    return MeshData(np.concatenate(vertices), faces)
