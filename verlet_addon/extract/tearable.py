"""Meshes that may tear: which of their vertices are copies of one, and how easily they part."""

from __future__ import annotations

import bpy
import numpy as np

from ...core.arrays import Floats, Ints
from ...core.errors import ModelError
from ..blender.data import mesh_of
from .vertex_groups import group_weights

COPY_OF = "verlet_copy_of"
"""Attribute of a mesh that is split: the number that each vertex had before."""

COPIES_APART = 1e-5
"""Share of the mesh's size by which copies of a vertex may lie apart where it was not edited."""

EASIEST = 1e-3
"""Weight in the tear group below which a vertex never tears."""


def is_split(ob: bpy.types.Object) -> bool:
    """Whether the object's mesh was made tearable."""
    return ob.type == "MESH" and COPY_OF in mesh_of(ob).attributes


def first_copies(ob: bpy.types.Object, points: Floats) -> Ints | None:
    """The first copy (n,) of the vertex that each one stands for; None for a whole mesh.

    Raises ModelError for a mesh that was edited since it was split.
    """
    if not is_split(ob):
        return None
    mesh = mesh_of(ob)
    attribute = mesh.attributes[COPY_OF]
    if attribute.domain != "POINT" or not isinstance(attribute, bpy.types.IntAttribute):
        raise _edited(ob)
    numbers = np.empty(len(mesh.vertices), np.int32)
    attribute.data.foreach_get("value", numbers)
    _, first, number = np.unique(numbers, return_index=True, return_inverse=True)
    copies = first[number.reshape(-1)].astype(np.int32)
    way = np.abs(points - points[copies]).max(initial=0.0)
    if way > COPIES_APART * np.ptp(points, axis=0).max(initial=0.0):
        raise _edited(ob)
    return copies


def _edited(ob: bpy.types.Object) -> ModelError:
    return ModelError(
        ob.name,
        "its mesh was edited since it was made tearable. Press Make Whole, edit it, and press "
        "Make Tearable again",
    )


def tear_weights(ob: bpy.types.Object) -> Floats | None:
    """Weights (n,) in the tear group; None without a group."""
    name = ob.verlet.tear_group
    if not name:
        return None
    if name not in ob.vertex_groups:
        raise ModelError(
            ob.name, f'its tear group "{name}" is missing. Choose another one or clear the field'
        )
    return group_weights(ob, name)


def strength(ob: bpy.types.Object) -> Floats | None:
    """Factor (n,) on the strength by the tear group, 0 never tears; None without a group.

    A weight of 1 has the strength itself, a smaller one a larger: half of it twice as much.
    """
    weight = tear_weights(ob)
    if weight is None:
        return None
    return np.where(weight > EASIEST, 1.0 / np.maximum(weight, EASIEST), 0.0)


def largest_of_copies(weight: Floats, copies: Ints | None) -> Floats:
    """The same weight (n,) for all copies of a vertex: the largest of theirs."""
    if copies is None:
        return weight
    most = np.zeros(len(weight))
    np.maximum.at(most, copies, weight)
    return most[copies]
