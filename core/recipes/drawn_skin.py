"""A character's skin as it is drawn: the bodies of its ragdoll carry it, and cloth keeps off it.

Blender's Armature modifier takes each vertex to the weighted mean of where its bones would have it
(linear blend skinning). Bones are bodies here, or go with one: so the mean is one of bodies, and
the skin is in every substep where it will be drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..geometry.affine import inverse
from .garment import bearing_parts

if TYPE_CHECKING:
    from ..arrays import Floats, Ints
    from ..building.builder import ModelBuilder
    from .ragdoll_plan import Plan

LEAST_BLEND = 1e-6
"""Volume, as a share of what it was, to which a blend of bones may squeeze a vertex's surroundings:
beyond it nobody can tell where each of them would have it."""


@dataclass(frozen=True, eq=False)
class DrawnSkin:
    """The meshes that hang on b bones as they are drawn at the start, modifiers and all."""

    points: Floats  # (n, 3) m in the world
    triangles: Ints  # (f, 3)
    vertex: Ints  # (w,) one entry for each weight
    bone: Ints  # (w,)
    weight: Floats  # (w,)


NO_DRAWN_SKIN = DrawnSkin(
    np.zeros((0, 3)),
    np.zeros((0, 3), np.int32),
    np.zeros(0, np.int32),
    np.zeros(0, np.int32),
    np.zeros(0),
)


def carry_skin(
    builder: ModelBuilder, plan: Plan, objects: Sequence[int], skin: DrawnSkin, change: Floats
) -> None:
    """Have the bodies of a ragdoll carry its skin.

    objects: of its parts, in `ModelBuilder.objects`; change (b, 4, 4): what carries each bone from
    rest to the start, scale and all. A bone that is no body goes with the one that it hangs on;
    what no body carries is left out.
    """
    part = bearing_parts(plan)[skin.bone]
    known = np.flatnonzero((part >= 0) & (skin.weight > 0.0))
    known = known[np.argsort(skin.vertex[known], kind="stable")]
    vertex, bone, part = skin.vertex[known], skin.bone[known], part[known]
    total = np.bincount(vertex, skin.weight[known], len(skin.points))
    faces = skin.triangles[(total[skin.triangles] > 0.0).all(axis=1)]
    if not len(faces):
        return
    share = skin.weight[known] / total[vertex]
    place = _places(skin.points, vertex, share, change[bone])
    used = np.unique(faces)
    row_of = np.full(len(skin.points), -1)
    row_of[used] = np.arange(len(used))
    parts, body = np.unique(part, return_inverse=True)
    key, entry = np.unique(row_of[vertex] * len(parts) + body, return_inverse=True)
    weight = np.bincount(entry, share)
    mean = np.stack([np.bincount(entry, share * x) for x in place.T], axis=1) / weight[:, None]
    kept = key >= 0  # the others are of no triangle
    key = key[kept]
    builder.add_skin(
        plan.name,
        [objects[p] for p in parts.tolist()],
        skin.points[used],
        row_of[faces],
        key // len(parts),
        key % len(parts),
        weight[kept],
        mean[kept],
        plan.settings.friction,
    )


def _places(points: Floats, vertex: Ints, share: Floats, change: Floats) -> Floats:
    """Where (w, 3) m each bone alone would have its vertex.

    vertex, share (w,): rising, and making 1 together; change (w, 4, 4): of its bone. Where the
    blend of its bones is flat it is where it is seen.
    """
    held, first = np.unique(vertex, return_index=True)
    blend = np.add.reduceat(share[:, None, None] * change, first, axis=0)
    is_flat = ~(np.abs(np.linalg.det(blend[:, :3, :3])) > LEAST_BLEND)
    blend[is_flat] = np.eye(4)
    back = inverse(blend)
    rest = np.einsum("vij,vj->vi", back[:, :3, :3], points[held]) + back[:, :3, 3]
    rest = rest[np.searchsorted(held, vertex)]
    place = np.einsum("wij,wj->wi", change[:, :3, :3], rest) + change[:, :3, 3]
    flat = is_flat[np.searchsorted(held, vertex)]
    place[flat] = points[vertex[flat]]
    return place
