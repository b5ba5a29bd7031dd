"""Where a joint between two objects goes, and how its axes lie: in the middle of where they meet.

Each vertex of one object has a nearest point on the faces of the other. The pairs that are about as
close as the closest ones are where the two meet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Matrix, Vector
from mathutils.bvhtree import BVHTree

from ...core.arrays import Floats
from ...core.errors import ModelError
from ..extract.mesh import places_of
from ..transforms import affine

MEETING = (
    0.05  # of the smaller object's size: pairs that are farther apart than the closest by this
)
MEETING_SPREAD = (
    0.1  # of the smaller object's size: a meeting place that is longer than this has an axis
)


@dataclass(frozen=True)
class Outline:
    """The surface of one object in world space."""

    name: str
    points: Floats  # (n, 3) m
    tree: BVHTree
    lower: Floats  # (3,) m, its bounding box
    upper: Floats

    @property
    def size(self) -> float:
        """Diagonal of the bounding box in m."""
        return float(np.linalg.norm(self.upper - self.lower))

    @property
    def middle(self) -> Floats:
        """Middle (3,) of the bounding box."""
        return 0.5 * (self.lower + self.upper)


@dataclass(frozen=True)
class NearestPlace:
    """Where two objects come closest."""

    gap: float  # m
    point: Floats  # (3,) m, the middle of it
    axis: Floats  # (3,) the direction in which it is longest, or a horizontal one across


def outline_of(ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Outline:
    """Read an object's surface as it is seen; of an armature, its bones that deform.

    Raises `ModelError` for an object without vertices.
    """
    evaluated = ob.evaluated_get(depsgraph)
    if ob.type == "ARMATURE":
        bones = [bone for bone in evaluated.pose.bones if bone.bone.use_deform]
        ends = np.array([end for bone in bones for end in (bone.head, bone.tail)], dtype=np.float64)
        faces: list[tuple[int, ...]] = [(2 * i, 2 * i + 1, 2 * i + 1) for i in range(len(bones))]
        return _outline(ob.name, affine.transformed(affine.matrix_of(evaluated), ends), faces)
    mesh = evaluated.to_mesh()
    try:
        if mesh is None or not len(mesh.vertices):
            raise ModelError(ob.name, "it has no vertices, so there is no place to join it at")
        points = affine.transformed(affine.matrix_of(evaluated), places_of(mesh))
        faces = [tuple(polygon.vertices) for polygon in mesh.polygons]
        if not faces:  # a wire: edges as flat triangles
            faces = [(a, b, b) for a, b in (edge.vertices for edge in mesh.edges)]
        if not faces:
            faces = [(i, i, i) for i in range(len(points))]
    finally:
        evaluated.to_mesh_clear()
    return _outline(ob.name, points, faces)


def _outline(name: str, points: Floats, faces: Sequence[tuple[int, ...]]) -> Outline:
    tree = BVHTree.FromPolygons([Vector(point) for point in points], faces)
    return Outline(name, points, tree, points.min(axis=0), points.max(axis=0))


def meeting(a: Outline, b: Outline) -> NearestPlace:
    """Where two objects come closest; in the middle between them for objects inside each other."""
    middles, gaps = [], []
    for one, other in ((a, b), (b, a)):
        for point in one.points:
            found = other.tree.find_nearest(Vector(point))
            if found[0] is not None:
                middles.append(0.5 * (point + np.array(found[0])))
                gaps.append(found[3])
    if not gaps:
        return NearestPlace(0.0, 0.5 * (a.middle + b.middle), _across(b.middle - a.middle))
    gap = np.array(gaps)
    smaller = min(a.size, b.size)
    place = np.array(middles)[gap <= gap.min() + MEETING * smaller]
    lower, upper = place.min(axis=0), place.max(axis=0)
    point = 0.5 * (lower + upper)
    axis = _across(b.middle - a.middle)
    if np.linalg.norm(upper - lower) > MEETING_SPREAD * smaller:
        _, lengths, directions = np.linalg.svd(place - place.mean(axis=0), full_matrices=False)
        if lengths[0] > 1.2 * lengths[1]:  # no square, that has no longest side
            axis = directions[0]
    return NearestPlace(float(gap.min()), point, axis)


def _across(direction: Floats) -> Floats:
    """A horizontal direction (3,) square to another one: hinges of things in a row."""
    axis = np.cross((0.0, 0.0, 1.0), direction)
    length = np.linalg.norm(axis)
    return axis / length if length > 1e-6 * np.linalg.norm(direction) + 1e-12 else np.eye(3)[0]


def joint_matrix(kind: str, point: Floats, direction: Floats, hinge: Floats) -> Matrix:
    """World matrix of a joint at a point: X along ``direction`` from A to B, Z along the hinge.

    The axis that the kind of joint turns or slides about is exact, the other one is bent square to
    it. What is free in all directions, or in none, has the axes of the world.
    """
    if kind in {"HINGE", "CONE_TWIST", "SLIDER"}:
        main, other = (hinge, direction) if kind == "HINGE" else (direction, hinge)
        main = _unit(main, np.eye(3)[2])
        main = main if main[np.argmax(np.abs(main))] > 0.0 or kind != "HINGE" else -main
        other = other - main * (other @ main)
        fallback = np.eye(3)[np.argmin(np.abs(main))]
        other = _unit(other, fallback - main * (fallback @ main))
        x, z = (other, main) if kind == "HINGE" else (main, other)
        axes = np.stack([x, np.cross(z, x), z], axis=1)
    else:
        axes = np.eye(3)
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = axes, point
    return Matrix(matrix.tolist())


def _unit(vector: Floats, fallback: Floats) -> Floats:
    length = np.linalg.norm(vector)
    if length < 1e-9:
        vector = fallback
        length = np.linalg.norm(vector)
    return vector / length


def neighbours(outlines: list[Outline], gap: float) -> list[tuple[int, int, NearestPlace]]:
    """Pairs of objects that come closer than ``gap`` m, each with where they meet.

    Boxes are swept along X, so that many objects cost little more than their true neighbours.
    """
    order = sorted(range(len(outlines)), key=lambda i: outlines[i].lower[0])
    open_: list[int] = []
    found = []
    for i in order:
        one = outlines[i]
        open_ = [j for j in open_ if outlines[j].upper[0] + gap >= one.lower[0]]
        for j in open_:
            other = outlines[j]
            if (other.lower - gap > one.upper).any() or (one.lower - gap > other.upper).any():
                continue
            first, second = sorted((i, j))
            place = meeting(outlines[first], outlines[second])
            if place.gap <= gap:
                found.append((first, second, place))
        open_.append(i)
    return sorted(found, key=lambda pair: pair[:2])
