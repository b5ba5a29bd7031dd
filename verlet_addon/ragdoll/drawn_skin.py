"""The meshes of a character as they are drawn at the start, and by which bones they hang."""

from __future__ import annotations

import bpy
import numpy as np

from ...core.arrays import Floats, Ints
from ...core.errors import ModelError
from ...core.recipes.drawn_skin import NO_DRAWN_SKIN, DrawnSkin
from ..blender.data import armature_of, mesh_of
from ..extract.mesh import read_matrix, read_visible_surface
from ..transforms import affine
from .armature import flesh, hung_on, skinned_meshes


def read_drawn_skin(ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> DrawnSkin:
    """What is seen of a character in the evaluated frame: clothes keep off it.

    Not what takes part in the simulation by itself, nor what no render shows.
    """
    row = {bone.name: number for number, bone in enumerate(armature_of(ob).bones)}
    skinned = set(skinned_meshes(ob))
    parts: list[tuple[Floats, Ints, Ints, Ints, Floats]] = []
    for mesh in flesh(ob):
        if mesh.hide_render or mesh.verlet.kind != "NONE":
            continue
        hung = None if mesh in skinned else hung_on(mesh, ob)
        try:
            local, triangles = read_visible_surface(mesh, depsgraph)
            world = read_matrix(mesh, depsgraph)
        except ModelError:  # nothing is seen of it
            continue
        if hung is None:
            vertex, bone, weight = _weights(mesh, depsgraph, row, len(local))
        else:
            vertex = np.arange(len(local), dtype=np.int32)
            bone = np.full(len(local), row[hung[0]], dtype=np.int32)
            weight = np.ones(len(local))
        parts.append((affine.transformed(world, local), triangles, vertex, bone, weight))
    if not parts:
        return NO_DRAWN_SKIN
    first = np.cumsum([0, *(len(points) for points, *_ in parts)])
    return DrawnSkin(
        np.concatenate([points for points, *_ in parts]),
        np.concatenate([n + part[1] for n, part in zip(first, parts)]).astype(np.int32),
        np.concatenate([n + part[2] for n, part in zip(first, parts)]).astype(np.int32),
        np.concatenate([part[3] for part in parts]),
        np.concatenate([part[4] for part in parts]),
    )


def _weights(
    ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph, row: dict[str, int], count: int
) -> tuple[Ints, Ints, Floats]:
    """Vertex, bone and weight (w,) of each weight of a mesh as it is seen, of ``count`` vertices.

    row: of the bones by name. Modifiers that make vertices give these weights in between.
    """
    bone_of_group = {g.index: row[g.name] for g in ob.vertex_groups if g.name in row}
    mesh = mesh_of(ob)
    if len(mesh.vertices) != count:
        mesh = mesh_of(ob.evaluated_get(depsgraph))
    found = [
        (vertex.index, bone_of_group[entry.group], entry.weight)
        for vertex in (mesh.vertices if bone_of_group else ())
        for entry in vertex.groups
        if entry.weight > 0.0 and entry.group in bone_of_group
    ]
    table = np.array(found, dtype=np.float64).reshape(-1, 3)
    return table[:, 0].astype(np.int32), table[:, 1].astype(np.int32), table[:, 2]
