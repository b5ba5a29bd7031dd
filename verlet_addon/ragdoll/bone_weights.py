"""By which bones the vertices of a mesh hang, and how much: arrays of one entry for each weight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import bpy
import numpy as np

from ...core.arrays import Floats, Ints

BoneWeights = tuple[Ints, Ints, Floats]
"""Vertex, bone and weight (w,) of each entry."""


def bone_weights(ob: bpy.types.Object, mesh: bpy.types.Mesh, row: Mapping[str, int]) -> BoneWeights:
    """What a mesh has in those vertex groups of its object that are named after bones.

    mesh: the object's own, or as it is evaluated; row: of bones, by name.
    """
    bone_of_group = {g.index: row[g.name] for g in ob.vertex_groups if g.name in row}
    found = [
        (vertex.index, bone_of_group[entry.group], entry.weight)
        for vertex in (mesh.vertices if bone_of_group else ())
        for entry in vertex.groups
        if entry.weight > 0.0 and entry.group in bone_of_group
    ]
    table = np.array(found, dtype=np.float64).reshape(-1, 3)
    return table[:, 0].astype(np.int32), table[:, 1].astype(np.int32), table[:, 2]


def hung_weights(count: int, bone: int) -> BoneWeights:
    """All of ``count`` vertices hang on one bone."""
    return np.arange(count, dtype=np.int32), np.full(count, bone, dtype=np.int32), np.ones(count)


def joined_weights(counts: Sequence[int], parts: Sequence[BoneWeights]) -> BoneWeights:
    """Those of several meshes of so many vertices each, one after the other; at least one."""
    first = np.cumsum([0, *counts[:-1]])
    vertex = np.concatenate([n + part[0] for n, part in zip(first, parts, strict=True)])
    bone = np.concatenate([part[1] for part in parts])
    return vertex.astype(np.int32), bone, np.concatenate([part[2] for part in parts])
