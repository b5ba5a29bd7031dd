"""Ragdoll on mesh objects: the pieces of a robot become rigid bodies that hang together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ...core.arrays import Floats
from ..blender.data import any_item
from ..joints import joint_inputs
from ..joints.joint_places import Outline, meeting, neighbours, outline_of
from ..properties.participants import joints as joints_in
from .joint import new_joint

if TYPE_CHECKING:
    from ...core.recipes.bone_joints import BoneJoint

NEAR_PIECES = 0.25
"""Pieces that belong to nobody are joined to others within this share of their size."""

SAME_GAP = 0.05
"""Gaps that differ by less, as a share of the smaller piece's size, count as equal."""

DRAWN_IN = 0.98

PIECE_FRICTION = 0.1
"""Of a joint: share of the torque that holds up all that hangs on it, held out level."""


@dataclass(frozen=True)
class _Link:
    """Two pieces that are to hang together, and where."""

    a: int
    b: int
    point: Floats | None  # (3,) m; None: where they are nearest


@dataclass(frozen=True)
class Robot:
    """What was made of the pieces, in numbers."""

    joints: int
    groups: int
    alone: tuple[str, ...]  # pieces that are too far from all others


def join_pieces(
    context: bpy.types.Context,
    pieces: Sequence[bpy.types.Object],
    empties: Sequence[bpy.types.Object],
) -> Robot:
    """Join rigid bodies to one or several robots.

    The two pieces nearest to a selected empty are joined there; then children hang on their
    parents, at the empty between them if there is one; what is left is joined to what is near.
    Pieces that are joined already stay so. Raises ModelError before anything has changed.
    """
    from ...core.recipes.pieces import parents_of, piece_joints, tree_of  # loads the kernels

    depsgraph = context.evaluated_depsgraph_get()
    outlines = [outline_of(ob, depsgraph) for ob in pieces]
    sizes = [float(np.prod(np.maximum(o.upper - o.lower, 1e-3 * o.size))) for o in outlines]
    row = {ob: number for number, ob in enumerate(pieces)}
    known = {
        _pair(row[a], row[b])
        for a, b in map(joint_inputs.joined, joints_in(context.scene))
        if a in row and b in row
    }
    links = [
        *(_Link(a, b, None) for a, b in sorted(known)),
        *_at_empties(empties, outlines),
        *_of_parents(pieces, sizes),
        *_of_neighbours(outlines, sizes),
    ]
    by_pair: dict[tuple[int, int], _Link] = {}
    for link in links:
        by_pair.setdefault(_pair(link.a, link.b), link)
    kept = tree_of(len(pieces), by_pair)
    parent = parents_of(sizes, kept)
    points = np.array([outline.middle for outline in outlines])
    places = points.copy()
    for piece, above in enumerate(parent.tolist()):
        if above >= 0:
            place = by_pair[_pair(piece, above)].point
            if place is None:
                place = meeting(outlines[above], outlines[piece]).point
            places[piece] = place
    turns = piece_joints([ob.name for ob in pieces], parent, points, places)
    mass = np.array([_mass(ob, size) for ob, size in zip(pieces, sizes)])
    count = 0
    for piece, above in enumerate(parent.tolist()):
        if above < 0 or _pair(piece, above) in known:
            continue
        torque = _level_torque(piece, parent, mass, points, places[piece])
        size = min(outlines[piece].size, outlines[above].size)
        pair = pieces[above], pieces[piece]
        _make(context, pair, turns[piece], places[piece], size, PIECE_FRICTION * torque)
        count += 1
    for a, b in _overlapping(outlines, known | {_pair(a, b) for a, b in kept}):
        _keep_apart(context, pieces[a], pieces[b], outlines)
    roots = [piece for piece, above in enumerate(parent.tolist()) if above < 0]
    hanging = set(parent.tolist())
    alone = tuple(pieces[root].name for root in roots if root not in hanging)
    return Robot(count, len(roots) - len(alone), alone)


def _pair(a: int, b: int) -> tuple[int, int]:
    return min(a, b), max(a, b)


def _at_empties(empties: Sequence[bpy.types.Object], outlines: Sequence[Outline]) -> list[_Link]:
    """Each empty joins the two pieces whose surfaces are nearest to it."""
    links = []
    for empty in empties:
        point = empty.matrix_world.translation
        far = [_distance(outline, point) for outline in outlines]
        a, b = np.argsort(far, kind="stable")[:2].tolist()
        links.append(_Link(a, b, np.array(point, dtype=np.float64)))
    return links


def _distance(outline: Outline, point: Vector) -> float:
    found = outline.tree.find_nearest(point)
    return np.inf if found[0] is None else float(found[3])


def _of_parents(pieces: Sequence[bpy.types.Object], sizes: Sequence[float]) -> list[_Link]:
    """Children on their parents; pieces that hang on empties on what hangs on the empty above."""
    row = {ob: number for number, ob in enumerate(pieces)}
    links = []
    for piece, ob in enumerate(pieces):
        pivot, below, above = None, ob, ob.parent
        while above is not None:
            if above in row:
                links.append(_Link(row[above], piece, pivot))
                break
            beside = [row[child] for child in above.children if child in row and child != below]
            if beside and below != ob:
                links.append(_Link(max(beside, key=lambda p: sizes[p]), piece, pivot))
                break
            pivot = np.array(above.matrix_world.translation, dtype=np.float64)
            below, above = above, above.parent
    return links


def _of_neighbours(outlines: list[Outline], sizes: Sequence[float]) -> list[_Link]:
    """Pieces that are close to each other, the closest first; of those as close, the large ones.

    So both legs hang on the trunk, and not one on the other.
    """
    near = []
    for a, b, place in neighbours(
        outlines, NEAR_PIECES * max(outline.size for outline in outlines)
    ):
        gap = place.gap / min(outlines[a].size, outlines[b].size)
        if _reach_into_each_other(outlines[a], outlines[b]):
            gap = 0.0  # vertices inside of the other are not near its surface
        if gap <= NEAR_PIECES:
            near.append((round(gap / SAME_GAP), -sizes[a] - sizes[b], a, b))
    return [_Link(a, b, None) for _, _, a, b in sorted(near)]


def _overlapping(
    outlines: Sequence[Outline], linked: set[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Pairs that reach into each other and are not joined: they would push for good."""
    return [
        (a, b)
        for a in range(len(outlines))
        for b in range(a + 1, len(outlines))
        if (a, b) not in linked and _reach_into_each_other(outlines[a], outlines[b])
    ]


def _reach_into_each_other(a: Outline, b: Outline) -> bool:
    """Whether surfaces cross, or a vertex of one lies inside the other."""
    if (a.lower >= b.upper).any() or (b.lower >= a.upper).any():
        return False
    return bool(a.tree.overlap(b.tree)) or _has_inside(a, b) or _has_inside(b, a)


def _has_inside(one: Outline, other: Outline) -> bool:
    """Whether a vertex of one, drawn in a little for faces in one plane, is inside the other."""
    drawn_in = one.middle + DRAWN_IN * (one.points - one.middle)
    for point in drawn_in[:: max(1, len(drawn_in) // 1000)]:
        place, normal, _, _ = other.tree.find_nearest(Vector(point))
        if place is not None and (Vector(point) - place).dot(normal) < 0.0:
            return True
    return False


def _mass(ob: bpy.types.Object, size: float) -> float:
    """About what a piece weighs, kg; ``size`` m³ of its bounding box, of which it fills a half."""
    body = ob.verlet.body
    return body.mass if body.mass_by == "MASS" else 0.5 * size * body.density


def _level_torque(
    piece: int, parent: np.ndarray, mass: Floats, middle: Floats, place: Floats
) -> float:
    """Torque N·m of gravity at a joint when all that hangs on it is held out level."""
    total = 0.0
    for other in range(len(parent)):
        above = other
        while above >= 0 and above != piece:
            above = int(parent[above])
        if above == piece:
            total += 9.81 * mass[other] * float(np.linalg.norm(middle[other] - place))
    return total


def _make(
    context: bpy.types.Context,
    pair: tuple[bpy.types.Object, bpy.types.Object],
    turn: BoneJoint,
    place: Floats,
    size: float,
    friction: float,
) -> None:
    """A joint at a place."""
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = turn.second, place
    empty = new_joint(context, Matrix(matrix.tolist()), size, f"Joint {pair[1].name}")
    joint = empty.verlet.joint
    empty.verlet.is_joint = joint.is_made = True
    joint.object_a, joint.object_b = pair
    joint.kind, joint.is_limited = any_item(turn.kind), turn.is_limited
    joint.lower, joint.upper, joint.swing = turn.lower, turn.upper, turn.swing
    joint.friction = friction


def _keep_apart(
    context: bpy.types.Context,
    a: bpy.types.Object,
    b: bpy.types.Object,
    outlines: Sequence[Outline],
) -> None:
    """A joint that leaves everything free: what is joined does not collide."""
    middle = 0.5 * (a.matrix_world.translation + b.matrix_world.translation)
    empty = new_joint(context, Matrix.Translation(middle), 0.0, f"Apart {a.name} {b.name}")
    joint = empty.verlet.joint
    empty.verlet.is_joint = joint.is_made = True
    joint.object_a, joint.object_b = a, b
    joint.kind = "GENERIC"
    joint.limits_linear = joint.limits_angular = (False,) * 3


def remove_made_joints(scene: bpy.types.Scene) -> int:
    """Delete the joints that Ragdoll has made for pieces that take no part any more."""
    idle = [
        ob
        for ob in joints_in(scene)
        if ob.verlet.joint.is_made
        and ob.is_editable
        and any(one is None or one.verlet.kind == "NONE" for one in joint_inputs.joined(ob))
    ]
    bpy.data.batch_remove(idle)
    return len(idle)
