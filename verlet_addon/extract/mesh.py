"""Mesh objects as arrays: the base mesh of particles, the visible points of all others."""

from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Floats, Ints
from ...core.errors import ModelError
from ..blender.data import mesh_of
from ..blender.mesh_arrays import corner_vertices, edge_vertices, vertex_positions
from ..transforms.affine import is_invertible, matrix_of
from .shape_key_mix import mixed_shape_keys

FARTHEST_VERTEX = 1e9  # m; Blender turns an infinite coordinate into 3.4e38


@dataclass(frozen=True)
class MeshArrays:
    """The base mesh of an object, before any modifier, in its local space."""

    positions: Floats  # (n, 3), shape keys mixed in
    edges: Ints  # (m, 2)
    face_offsets: Ints  # (f + 1,)
    face_vertices: Ints  # (loops,)


def read_base_mesh(ob: bpy.types.Object) -> MeshArrays:
    """The mesh that is simulated: all vertices, loose ones too, shape keys mixed in."""
    if ob.mode == "EDIT":
        ob.update_from_editmode()
    mesh = mesh_of(ob)
    positions = mixed_shape_keys(ob, points_of_key)
    if positions is None:
        positions = places_of(mesh)
    require_finite_points(ob.name, positions)
    offsets = np.empty(len(mesh.polygons) + 1, np.int32)
    mesh.polygons.foreach_get("loop_start", offsets[:-1])
    offsets[-1] = len(mesh.loops)
    return MeshArrays(positions, edge_vertices(mesh), offsets, corner_vertices(mesh))


def places_of(mesh: bpy.types.Mesh) -> Floats:
    """Local places (n, 3) of the vertices."""
    return vertex_positions(mesh).astype(np.float64)


def points_of_key(key: bpy.types.ShapeKey) -> Floats:
    """Local places (n, 3) of the vertices in a shape key."""
    flat = np.empty(3 * len(key.points), np.float32)
    key.points.foreach_get("co", flat)
    return flat.reshape(-1, 3).astype(np.float64)


def visible_coordinates(
    ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph
) -> NDArray[np.float32]:
    """Local vertices (n, 3) of the mesh as it is seen, in Blender's own 32 bits."""
    return vertex_positions(mesh_of(ob.evaluated_get(depsgraph)))


def read_visible_surface(
    ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph
) -> tuple[Floats, Ints]:
    """Local vertices (n, 3) and triangles (t, 3) of the mesh as it is seen, modifiers applied."""
    if ob.mode == "EDIT":
        ob.update_from_editmode()
    mesh = mesh_of(ob.evaluated_get(depsgraph))
    if not len(mesh.vertices):  # a modifier may hide everything: then the mesh itself counts
        mesh = mesh_of(ob)
    points = places_of(mesh)
    require_finite_points(ob.name, points)
    mesh.calc_loop_triangles()
    triangles = np.empty(3 * len(mesh.loop_triangles), np.int32)
    mesh.loop_triangles.foreach_get("vertices", triangles)
    return points, triangles.reshape(-1, 3)


def require_finite_points(name: str, points: Floats) -> None:
    """Refuse a mesh that has no vertices, or whose vertices are nowhere."""
    if not len(points):
        raise ModelError(
            name,
            "its mesh has no vertices. Add some in Edit Mode, or remove it from the simulation",
        )
    sound = (np.abs(points) < FARTHEST_VERTEX).all(axis=1)  # False for NaN too
    if not sound.all():
        bad = np.flatnonzero(~sound)
        raise ModelError(
            name,
            f"{len(bad)} of its vertices (the first: {bad[0]}) have coordinates that are "
            "infinite or not numbers (NaN). Delete them in Edit Mode, or undo what made them",
        )


def read_matrix(ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Floats:
    """World matrix (4, 4) at the evaluated frame, which must not be flat."""
    matrix = matrix_of(ob.evaluated_get(depsgraph))
    if not np.isfinite(matrix).all():
        raise ModelError(
            ob.name,
            "its transform holds values that are not numbers. Reset location, rotation and "
            "scale (Alt G, Alt R, Alt S)",
        )
    if not is_invertible(matrix):
        raise ModelError(
            ob.name,
            "its scale, or that of a parent, is zero along an axis. Set it to another value, "
            "for example with Object › Clear › Scale",
        )
    return matrix
