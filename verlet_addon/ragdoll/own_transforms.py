"""Own transforms of the bones of many ragdolls that bring them to their places, all at one go.

A bone that inherits all of its parent, which is Blender's default, lies at P · O · own: P is where
its parent lies and O = (parent's rest)⁻¹ · rest. Generation after generation is solved for own, of
all ragdolls together. Where bones inherit otherwise Blender's own function is asked, one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from mathutils import Matrix

from ...core.geometry.affine import inverse
from ..blender.data import armature_of, choices_of
from ..transforms import bone_space

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ...core.arrays import Floats, Ints

_FULL_SCALE = choices_of(bpy.types.Bone.bl_rna.properties, "inherit_scale")["FULL"].value
_PLAIN: tuple[tuple[str, int], ...] = (
    *(("use_inherit_rotation", True), ("use_local_location", True)),
    ("inherit_scale", _FULL_SCALE),
)
"""How bones inherit all of their parent."""

_INHERITANCE_COLUMNS: tuple[tuple[str, Any], ...] = (
    *(("use_inherit_rotation", np.bool_), ("use_local_location", np.bool_)),
    *(("inherit_scale", np.int32), ("use_connect", np.bool_), ("matrix_local", np.float32)),
)
"""What of a bone tells how it follows its parent."""

_IDENTITY = np.eye(4)
_MATRICES = {"matrix_local", "matrix", "matrix_basis"}


@dataclass(frozen=True, eq=False)
class Generations:
    """The k bones of an armature whose places follow from those that are moved, parents first.

    Between two that are moved there may be bones that keep their own transform.
    """

    row: Ints  # (k,) among the bones of the armature's data
    parent: Ints  # (k,) among these k; −1: the evaluated frame knows where it is
    above: Ints  # (k,) row of the parent among all bones, −1 for none
    moved: Ints  # (k,) number among those that are moved, −1 for those between
    depth: Ints  # (k,) how many of these are above


@lru_cache(maxsize=256)
def generations(parent: tuple[int, ...], moved: tuple[int, ...]) -> Generations:
    """Of bones with these parents (b,), −1 for none, of which some (m,) are moved."""
    number = {row: n for n, row in enumerate(moved)}
    place: dict[int, int] = {}
    found: list[tuple[int, ...]] = []

    def include(row: int) -> int:
        """Number of a bone among the k, −1 if neither it nor any above it is moved."""
        if row < 0 or row in place:
            return place.get(row, -1)
        above = include(parent[row])
        if above < 0 and row not in number:
            return -1
        depth = 0 if above < 0 else found[above][4] + 1
        place[row] = len(found)
        found.append((row, above, parent[row], number.get(row, -1), depth))
        return place[row]

    for row in moved:
        include(row)
    return Generations(*np.array(found, np.int32).reshape(-1, 5).T)


@dataclass(frozen=True, eq=False)
class Rig:
    """An armature, and where some of its bones are to lie."""

    ob: bpy.types.Object
    evaluated: bpy.types.bpy_prop_collection[bpy.types.PoseBone]
    names: tuple[str, ...]  # of its bones (b,)
    parent: tuple[int, ...]  # (b,) rows of their parents, −1 for none
    moved: tuple[int, ...]  # (m,) rows of bones
    targets: Floats  # (m, 4, 4) in the armature's space


def own_transforms(rigs: Sequence[Rig]) -> list[Floats]:
    """Own transforms (m, 4, 4) of the moved bones of each.

    A bone in between, which moves with one of them, keeps its own transform; all others are where
    the evaluated frame has them. A connected bone is turned alone: where a blow parts its joint for
    a moment, what hangs on it is placed from where the bone really is.
    """
    laid_out = [_lay_out(rig) for rig in rigs]
    plain = [one for one in laid_out if one is not None]
    solved = iter(_solve(plain) if plain else [])
    return [_one_by_one(rig) if one is None else next(solved) for rig, one in zip(rigs, laid_out)]


@dataclass(frozen=True, eq=False)
class Rest:
    """What the data of an armature tells of these k bones."""

    order: Generations
    offset: Floats  # (k, 4, 4) rest in the parent's rest
    is_connected: NDArray[np.bool_]  # (k,)
    outer: NDArray[np.intp]  # those whose parents are not among the k
    between: NDArray[np.intp]  # those that are not moved


@dataclass(frozen=True, eq=False)
class LaidOut:
    """These bones in a frame."""

    rest: Rest
    carrier: Floats  # (k, 4, 4) where parents lie that are not among the k
    given: Floats  # (k, 4, 4) places of those that are moved, own transforms of those between


def _lay_out(rig: Rig) -> LaidOut | None:
    """None where bones inherit otherwise, or lie in another order than they did."""
    bones = armature_of(rig.ob).bones
    if tuple(map(attrgetter("name"), bones)) != rig.names:
        return None
    known = b"".join(_column(bones, name, kind).tobytes() for name, kind in _INHERITANCE_COLUMNS)
    rest = _rest(rig.parent, rig.moved, known)
    if rest is None:
        return None
    order = rest.order
    given = rig.targets[order.moved]
    carrier = np.zeros((len(given), 4, 4))
    carrier[:] = _IDENTITY
    if len(rest.outer) or len(rest.between):
        pose_row = {bone.name: number for number, bone in enumerate(rig.evaluated)}
        at = np.array([pose_row[name] for name in rig.names])
        placed, own = (_matrices(rig.evaluated, name) for name in ("matrix", "matrix_basis"))
        carrier[rest.outer] = placed[at[order.above[rest.outer]]]
        given[rest.between] = own[at[order.row[rest.between]]]
    return LaidOut(rest, carrier, given)


@lru_cache(maxsize=256)
def _rest(parent: tuple[int, ...], moved: tuple[int, ...], known: bytes) -> Rest | None:
    """Of bones with these parents (b,), some moved (m,), by `_INHERITANCE_COLUMNS` of all.

    None: not plain.
    """
    order = generations(parent, moved)
    columns: dict[str, NDArray[Any]] = {}
    first = 0
    for name, kind in _INHERITANCE_COLUMNS:
        width = 16 if name in _MATRICES else 1
        columns[name] = np.frombuffer(known, kind, len(parent) * width, first)
        first += columns[name].nbytes
    if any((columns[name][order.row] != value).any() for name, value in _PLAIN):
        return None
    rest = _by_rows(columns["matrix_local"])
    offset, has_parent = rest[order.row], order.above >= 0
    offset[has_parent] = inverse(rest[order.above[has_parent]]) @ offset[has_parent]
    return Rest(
        order,
        offset,
        columns["use_connect"][order.row] & has_parent,
        np.flatnonzero(has_parent & (order.parent < 0)),
        np.flatnonzero(order.moved < 0),
    )


@dataclass(frozen=True, eq=False)
class Depth:
    """The bones of all armatures that lie as deep, by their rows among all k of each."""

    bones: NDArray[np.intp]
    inner: NDArray[np.bool_]  # of these bones, which have a parent among all
    parent: NDArray[np.intp]  # of the inner ones
    moved: NDArray[np.bool_]  # of these bones
    connected: NDArray[np.intp]  # rows of those moved ones that are connected
    offset: Floats  # (n, 4, 4)


@dataclass(frozen=True, eq=False)
class Stacked:
    """The bones of many armatures one after the other."""

    depths: list[Depth]
    moved: list[NDArray[np.intp]]  # of each armature the rows (m,) of its moved bones, in order


@lru_cache(maxsize=16)
def _stacked(rests: tuple[Rest, ...]) -> Stacked:
    """All generations of these armatures: the same for as long as their rest is."""
    orders = [one.order for one in rests]
    starts = np.concatenate([[0], np.cumsum([len(one.row) for one in orders])[:-1]])
    depth = np.concatenate([one.depth for one in orders])
    parent = np.concatenate([one.parent + first for one, first in zip(orders, starts)])
    is_inner = np.concatenate([one.parent >= 0 for one in orders])
    is_moved = np.concatenate([one.moved >= 0 for one in orders])
    is_connected = np.concatenate([one.is_connected for one in rests]) & is_moved
    offset = np.concatenate([one.offset for one in rests])
    depths = []
    for number in range(int(depth.max(initial=-1)) + 1):
        some = np.flatnonzero(depth == number)
        inner, connected = is_inner[some], some[is_connected[some]]
        above = parent[some[inner]]
        depths.append(Depth(some, inner, above, is_moved[some], connected, offset[some]))
    moved = []
    for order, first in zip(orders, starts):
        own = np.flatnonzero(order.moved >= 0)
        moved.append(first + own[np.argsort(order.moved[own])])
    return Stacked(depths, moved)


def _solve(rigs: Sequence[LaidOut]) -> list[Floats]:
    """All generations of all armatures, those of one depth at once."""
    stacked = _stacked(tuple(one.rest for one in rigs))
    carrier = np.concatenate([one.carrier for one in rigs])
    own = np.concatenate([one.given for one in rigs])
    place = np.empty_like(own)
    for deep in stacked.depths:
        some = deep.bones
        carried = carrier[some]
        carried[deep.inner] = place[deep.parent]
        base = carried @ deep.offset
        own[some[deep.moved]] = inverse(base[deep.moved]) @ own[some[deep.moved]]
        own[deep.connected, :3, 3] = 0.0  # Blender keeps it at the end of its parent
        place[some] = base @ own[some]
    return [own[rows] for rows in stacked.moved]


def _one_by_one(rig: Rig) -> Floats:
    """The same by Blender's own function, which knows all ways of inheriting."""
    evaluated = rig.evaluated
    targets = {rig.names[row]: Matrix(place) for row, place in zip(rig.moved, rig.targets)}
    placed: dict[str, Matrix] = {}
    found: dict[str, Matrix] = {}

    def place(bone: bpy.types.Bone) -> tuple[Matrix, bool]:
        """Where a bone is, and whether that hangs on a target."""
        if bone.name in placed:
            return placed[bone.name], True
        parent, hangs = (None, False) if bone.parent is None else place(bone.parent)
        if bone.name in targets:
            own = bone_space.to_basis(bone, targets[bone.name], parent)
            placed[bone.name] = targets[bone.name]
            if bone.use_connect:
                own.translation = (0.0, 0.0, 0.0)
                placed[bone.name] = bone_space.to_pose(bone, own, parent)
            found[bone.name] = own
            return placed[bone.name], True
        if hangs:
            own = evaluated[bone.name].matrix_basis
            placed[bone.name] = bone_space.to_pose(bone, own, parent)
            return placed[bone.name], True
        return evaluated[bone.name].matrix, False

    for name in targets:
        place(armature_of(rig.ob).bones[name])
    return np.array([found[name] for name in targets], dtype=np.float64)


def _column(bones: Any, name: str, kind: type) -> NDArray[Any]:
    """A property of all bones, one after the other."""
    found: NDArray[Any] = np.empty(len(bones) * (16 if name in _MATRICES else 1), kind)
    bones.foreach_get(name, found)
    return found


def _matrices(bones: Any, name: str) -> Floats:
    """A property (b, 4, 4) of all bones, which Blender keeps column by column."""
    return _by_rows(_column(bones, name, np.float32))


def _by_rows(columns: NDArray[np.float32]) -> Floats:
    return columns.reshape(-1, 4, 4).transpose(0, 2, 1).astype(np.float64)
