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
from .bone_weights import BoneWeights, bone_weights, hung_weights, joined_weights


def read_drawn_skin(ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> DrawnSkin:
    """What is seen of a character in the evaluated frame: clothes keep off it.

    Not what takes part in the simulation by itself, nor what no render shows.
    """
    row = {bone.name: number for number, bone in enumerate(armature_of(ob).bones)}
    skinned = set(skinned_meshes(ob))
    points: list[Floats] = []
    triangles: list[Ints] = []
    weights: list[BoneWeights] = []
    count = 0
    for mesh in flesh(ob):
        if mesh.hide_render or mesh.verlet.kind != "NONE":
            continue
        hung = None if mesh in skinned else hung_on(mesh, ob)
        try:
            local, faces = read_visible_surface(mesh, depsgraph)
            world = read_matrix(mesh, depsgraph)
        except ModelError:  # nothing is seen of it
            continue
        if hung is None:
            weights.append(_weights(mesh, depsgraph, row, len(local)))
        else:
            weights.append(hung_weights(len(local), row[hung[0]]))
        points.append(affine.transformed(world, local))
        triangles.append(faces + count)
        count += len(local)
    if not points:
        return NO_DRAWN_SKIN
    drawn = np.concatenate(triangles).astype(np.int32)
    joined = joined_weights([len(own) for own in points], weights)
    return DrawnSkin(np.concatenate(points), drawn, *joined)


def _weights(
    ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph, row: dict[str, int], count: int
) -> BoneWeights:
    """Weights of a mesh as it is seen, of ``count`` vertices.

    row: of the bones by name. Modifiers that make vertices give these weights in between.
    """
    mesh = mesh_of(ob)
    if len(mesh.vertices) != count:
        mesh = mesh_of(ob.evaluated_get(depsgraph))
    return bone_weights(ob, mesh, row)
