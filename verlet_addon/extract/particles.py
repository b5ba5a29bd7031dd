"""Objects whose vertices are particles: meshes and curves behind one door."""

from __future__ import annotations

import bpy
import numpy as np

from ...core.errors import ModelError
from ..blender.control_points import coordinate_count
from ..blender.data import curve_of, mesh_of
from ..inputs.particle_arrays import ParticleArrays
from ..properties.kinds import Kind
from .curve import read_curve
from .mesh import read_base_mesh
from .tearable import first_copies


class OpenMesh(ModelError):
    """A mesh that was to keep a volume has none, because it is not closed."""


WAY_OUT = {
    "CURVE": "Use Object › Convert › Mesh, or press Rope",
    "FONT": "Use Object › Convert › Curve, or Mesh",
    "SURFACE": "Use Object › Convert › Mesh",
    "META": "Use Object › Convert › Mesh",
    "CURVES": "Use Object › Convert › Mesh, or Curve",
    "POINTCLOUD": "Use Object › Convert › Mesh",
    "ARMATURE": "Press Ragdoll",
}
"""Types of objects that hold a shape but may not suit a verb, and what makes them suit."""


def shown_count(ob: bpy.types.Object) -> int:
    """Number of rows that a preview of the object has to have now."""
    return coordinate_count(curve_of(ob)) if ob.type == "CURVE" else len(mesh_of(ob).vertices)


def read_particles(ob: bpy.types.Object) -> ParticleArrays:
    """The object at rest. Raises ModelError for one that cannot be simulated."""
    if ob.type == "CURVE":
        curve = read_curve(ob)
        none = np.zeros(0, np.int32)
        return ParticleArrays(curve.points, curve.edges, np.zeros(1, np.int32), none, curve)
    mesh = read_base_mesh(ob)
    return ParticleArrays(
        mesh.positions,
        mesh.edges,
        mesh.face_offsets,
        mesh.face_vertices,
        weld=first_copies(ob, mesh.positions),
    )


def require_suitable(ob: bpy.types.Object, kind: Kind) -> None:
    """Raise ModelError for a mesh or curve that cannot be of the kind, with the way out."""
    arrays = read_particles(ob)
    if kind.needs_edges and not len(arrays.edges):
        raise ModelError(
            ob.name,
            "its mesh has no edges, so nothing would hold the vertices together. Add edges "
            "or faces in Edit Mode, or press Particles",
        )
    if kind.needs_volume and getattr(ob.verlet, kind.group).volume > 0.0:
        _require_closed(ob.name, arrays)


def _require_closed(name: str, arrays: ParticleArrays) -> None:
    """A volume needs a surface without holes: each edge between two faces."""
    if len(arrays.face_offsets) < 2:
        raise ModelError(
            name, "its mesh has no faces, so it has no volume. Add faces, or press Cloth or Rope"
        )
    corners = arrays.face_vertices.astype(np.int64)
    following = np.arange(1, len(corners) + 1)
    following[arrays.face_offsets[1:] - 1] = arrays.face_offsets[:-1]
    ends = np.sort(np.stack([corners, corners[following]], axis=1), axis=1)
    _, uses = np.unique(ends[:, 0] * len(arrays.points) + ends[:, 1], return_counts=True)
    open_count = int((uses != 2).sum())
    if open_count:
        raise OpenMesh(
            name,
            f"its mesh is not closed: {open_count} edges do not lie between two faces, so it has "
            "no volume. Press Close Holes, or Cloth",
        )
