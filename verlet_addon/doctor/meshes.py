"""Meshes that are simulated vertex by vertex: what in them tears, sticks or flies apart."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager

import bmesh
import bpy
import numpy as np
from mathutils.kdtree import KDTree

from ..blender.data import mesh_of
from ..extract import drawn_otherwise
from ..extract.vertex_groups import group_weights
from ..problem import Problem
from ..properties import bake_record, participants
from ..properties.kinds import is_particles
from ..properties.objects import group_of, kind_of
from ..scene.problems import not_simulated

ON_EACH_OTHER = 1e-3
"""Of the middle edge length: vertices that are closer were meant to be one."""

NO_LENGTH = 1e-4
"""Of the middle edge length, and of its square for faces: shorter ones have none."""

THICKEST = 1.0
"""Mean edge lengths: a thicker surface keeps away from others by more than its own mesh is wide."""


def of_scene(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> list[Problem]:
    """Findings on all meshes of particles that are not baked."""
    found = []
    for ob in participants.simulated_objects(scene):
        if is_particles(ob.verlet.kind) and not bake_record.is_baked(ob):
            found += of_settings(ob) + of_modifiers(ob, depsgraph)
            if ob.type == "MESH" and ob.verlet.kind != "PARTICLES":
                found += of_mesh(ob)
    return found


def of_settings(ob: bpy.types.Object) -> list[Problem]:
    """A surface thicker than its mesh is wide, pins that hold nothing."""
    found = []
    group = group_of(ob, kind_of(ob))
    thickness = getattr(group, "thickness", 0.0)
    if thickness > THICKEST:
        found.append(
            _about(
                ob,
                f"Thickness is {thickness:.3g} edge lengths: it floats above what it lies on, and "
                "its own vertices are in each other's way",
                "verlet.default_thickness",
                "Use the Default",
            )
        )
    if ob.type != "MESH":
        return found
    name = ob.verlet.pin_group
    if name in ob.vertex_groups and not group_weights(ob, name).any():
        text = f'its pin group "{name}" holds no vertex, so nothing is pinned'
        found.append(_about(ob, text, "verlet.show_object", "Show Object"))
    return found


def of_modifiers(ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> list[Problem]:
    """What is drawn by modifiers behind ours and is not simulated."""
    changers = drawn_otherwise.changers(ob) or drawn_otherwise.making_nodes(ob, depsgraph)
    return [not_simulated(ob, changers)] if changers else []


def of_mesh(ob: bpy.types.Object) -> list[Problem]:
    """What is wrong with the mesh itself."""
    found = []
    with examined(ob) as shape:
        folds = _counted(crossing_edges(shape), "edge lies", "edges lie")
        doubles = _counted(doubled_vertices(shape), "vertex lies", "vertices lie")
        flat = _counted(flat_faces(shape), "face has", "faces have")
        loose = _counted(loose_vertices(shape), "vertex belongs", "vertices belong")
    if folds:
        text = (
            f"{folds} between more than two faces, where it neither folds nor keeps a side. "
            "Delete the faces inside"
        )
        found.append(_about(ob, text, "verlet.show_crossing_edges", "Select Them"))
    if doubles:
        text = f"{doubles} on another one: seams there are open, and it comes apart"
        found.append(_about(ob, text, "verlet.merge_doubles", "Merge"))
    if flat:
        text = f"{flat} no area, so wind and contacts pass by"
        found.append(_about(ob, text, "verlet.dissolve_flat_faces", "Dissolve"))
    if loose:
        text = f"{loose} to no edge: nothing holds them to the rest"
        found.append(_about(ob, text, "verlet.delete_loose", "Delete"))
    return found


@contextmanager
def examined(ob: bpy.types.Object) -> Iterator[bmesh.types.BMesh]:
    """The object's mesh to look at."""
    shape = bmesh.new()
    try:
        shape.from_mesh(mesh_of(ob))
        yield shape
    finally:
        shape.free()


def crossing_edges(shape: bmesh.types.BMesh) -> list[bmesh.types.BMEdge]:
    """Edges between more than two faces."""
    return [edge for edge in shape.edges if len(edge.link_faces) > 2]


def doubled_vertices(
    shape: bmesh.types.BMesh,
) -> dict[bmesh.types.BMVert, bmesh.types.BMVert]:
    """Vertices that lie on another one, each with the one that it could be merged into.

    Those at the two ends of an edge without faces stay: such an edge is a thread that sews.
    """
    reach = ON_EACH_OTHER * middle_length(shape)
    if not reach:
        return {}
    tree = KDTree(len(shape.verts))
    shape.verts.index_update()
    shape.verts.ensure_lookup_table()
    for vertex in shape.verts:
        tree.insert(vertex.co, vertex.index)
    tree.balance()
    found: dict[bmesh.types.BMVert, bmesh.types.BMVert] = {}
    for vertex in shape.verts:
        threads = {edge.other_vert(vertex).index for edge in vertex.link_edges if edge.is_wire}
        near = (number for _, number, _ in tree.find_range(vertex.co, reach))
        first = min((n for n in near if n < vertex.index and n not in threads), default=-1)
        if first >= 0 and shape.verts[first] not in found:
            found[vertex] = shape.verts[first]
    return found


def flat_faces(shape: bmesh.types.BMesh) -> list[bmesh.types.BMFace]:
    """Faces without area."""
    least = NO_LENGTH * middle_length(shape) ** 2
    return [face for face in shape.faces if not face.calc_area() > least]


def loose_vertices(shape: bmesh.types.BMesh) -> list[bmesh.types.BMVert]:
    """Vertices that belong to no edge."""
    return [vertex for vertex in shape.verts if not vertex.link_edges]


def middle_length(shape: bmesh.types.BMesh) -> float:
    """Median of the lengths of the edges, 0 for none."""
    lengths = [edge.calc_length() for edge in shape.edges]
    return float(np.median(lengths)) if lengths else 0.0


def _counted(items: Collection[object], one: str, many: str) -> str:
    """How many there are, "" for none."""
    return f"{len(items)} {one if len(items) == 1 else many}" if items else ""


def _about(ob: bpy.types.Object, text: str, operator: str, button: str) -> Problem:
    return Problem(f"{ob.name}: {text}", ob.session_uid, operator, button)
