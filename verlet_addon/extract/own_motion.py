"""Where an object's own armature, hooks and shape keys take its vertices, without our preview.

The modifiers at the top of the stack that carry vertices along with something else belong to the
object's own motion: pins follow them, and the simulation starts from where they put the vertices
and takes over behind them. Modifiers further down work on what was simulated.
"""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from ...core.arrays import Floats
from ..blender.data import mesh_of, shaped_of
from ..blender.point_cache import attached
from .mesh import places_of
from .reading import reading

CARRIERS = frozenset(
    {
        "ARMATURE",
        "CURVE",
        "HOOK",
        "LATTICE",
        "MESH_CACHE",
        "MESH_DEFORM",
        "MESH_SEQUENCE_CACHE",
        "SHRINKWRAP",
        "SURFACE_DEFORM",
        "WARP",
        "WAVE",
    }
)
"""Types of modifiers that move vertices along with something else."""

ALSO_KEEP_THE_VERTICES = frozenset(
    {"CAST", "CORRECTIVE_SMOOTH", "DISPLACE", "LAPLACIANDEFORM", "LAPLACIANSMOOTH"}
    | {"SIMPLE_DEFORM", "SMOOTH", "VERTEX_WEIGHT_EDIT", "VERTEX_WEIGHT_MIX"}
    | {"VERTEX_WEIGHT_PROXIMITY"}
)
"""Types that may stand between carriers: they neither make nor remove vertices."""


def carriers(ob: bpy.types.Object) -> list[bpy.types.Modifier]:
    """The modifiers, from the top, up to the last one that carries the vertices along."""
    if ob.type != "MESH":  # Python does not see where modifiers move the points of a curve
        return []
    preview = attached(ob)
    leading: list[bpy.types.Modifier] = []
    last = 0
    for modifier in ob.modifiers:
        if modifier == preview:
            continue
        if modifier.type in CARRIERS:
            last = len(leading) + 1
        elif modifier.type not in ALSO_KEEP_THE_VERTICES:
            break
        leading.append(modifier)
    found = leading[:last]
    return found if any(modifier.show_viewport for modifier in found) else []


def moves_vertices(ob: bpy.types.Object) -> bool:
    """Whether anything of the object's own may move its vertices from frame to frame."""
    return ob.type == "MESH" and (bool(carriers(ob)) or shapes_vary(ob))


def may_deform(ob: bpy.types.Object) -> bool:
    """Whether the mesh that is seen may change its form from frame to frame."""
    return shapes_vary(ob) or any(modifier.show_viewport for modifier in ob.modifiers)


def shapes_vary(ob: bpy.types.Object) -> bool:
    """Whether shape keys are animated."""
    keys = shaped_of(ob).shape_keys if ob.type == "MESH" else None
    return keys is not None and keys.animation_data is not None


def read_carried_points(
    objects: Iterable[bpy.types.Object],
    scene: bpy.types.Scene,
    depsgraph: bpy.types.Depsgraph,
    frame: int,
) -> dict[int, Floats]:
    """Local vertices (n, 3) of each object by session id, moved by nothing but its own motion.

    ``frame`` is the one that is evaluated: while it is left, the scene already has the next one.
    All modifiers behind the carriers are switched off for one evaluation of these objects. An
    object whose evaluated vertices are not those of its mesh (in Edit Mode) is left out.
    """
    wanted = list(objects)
    if not wanted:
        return {}
    hidden = []
    for ob in wanted:
        keep = carriers(ob)
        hidden += [m for m in ob.modifiers if m.show_viewport and m not in keep]
    points: dict[int, Floats] = {}
    shown_frame = scene.frame_current
    with reading():
        try:
            for modifier in hidden:
                modifier.show_viewport = False
            if hidden:
                if shown_frame != frame:
                    scene.frame_current = frame
                depsgraph.update()
            for ob in wanted:
                seen = mesh_of(ob.evaluated_get(depsgraph))
                if len(seen.vertices) == len(mesh_of(ob).vertices):
                    points[ob.session_uid] = places_of(seen)
        finally:
            for modifier in hidden:
                modifier.show_viewport = True  # evaluated with the next update
            if scene.frame_current != shown_frame:
                scene.frame_current = shown_frame
    return points
