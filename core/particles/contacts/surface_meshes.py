"""What is led as a mesh: vertices in the world, after those of the particles.

Mesh colliders first, where their animation has them; then rigid bodies as they are drawn, where
these move by themselves.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ...arrays import Floats, Ints
from ...collision.kinds import MESH
from ...collision.shapes import Shapes
from ...collision.surface_tree import owned_features
from ...geometry.closed_parts import facing
from ...kernels.jit import kernel, lean_inline
from ...model import Model
from ...model.body_table import MeshTable, ShapeTable
from ...model.once import once_for_each
from ...model.surface_table import BodySurfaceTable
from ...vec3 import ZERO, add, along, load, rotate, scale, store, vec
from ...vector import rotated, rotation_matrix

TURN_ALLOWANCE = (0.65, 1.3)
"""A straight flight leaves a circle by half the square of the angle and radius, and by the angle
and what the radius changes meanwhile; a third more than that is allowed for."""


VertexPaths = namedtuple("VertexPaths", ["start", "end"])
"""Vertices (v, 3) m of meshes at both ends of a frame, in the frames of their shapes."""


KnownPoses = namedtuple(
    "KnownPoses",
    [
        "body",  # (p,) that something drawn hangs on
        "pose",  # (p, 4, 3) where each was last, and how turned
        "has_moved",  # (p,) 1 where it is elsewhere now
    ],
)
"""Where bodies are, as far as the vertices of what is drawn know."""


Drawn = namedtuple(
    "Drawn",
    [
        "first_pose",  # (m + 1,) into pose
        "pose",  # (k,) rows of `KnownPoses` of the bodies that carry each surface
        "first_vertex",  # (m + 1,)
        "first_hold",  # (w + 1,)
        "hold",  # (h,) see `BODY_HOLD`
        "radius",  # (k,) m, of the ball around each of these bodies that holds all it carries
        "is_near",  # (m,) 1 for those that cloth may reach: see `MeshSurfaces.look_for_near`
    ],
)
"""Surfaces that bodies are drawn as."""

AWAY = 1e9
"""m, where the vertices of those stand that cloth cannot reach."""

NEAR, OWN_SHARE = 8.0, 0.25
"""Mean edge lengths of cloth, and share of its own radius, from which on what is drawn of a body is
near: nothing comes that far in a substep but by a blow."""


@once_for_each
def _facing_of_colliders(table: ShapeTable) -> Ints:
    return _facing_of(table.meshes)


@once_for_each
def _facing_of_bodies(table: BodySurfaceTable) -> Ints:
    return _facing_of(table.meshes)


def _facing_of(meshes: MeshTable) -> Ints:
    """As `facing` says, of the triangles (t,) of each mesh by itself."""
    parts = zip(meshes.first_triangle[:-1], meshes.first_triangle[1:])
    out = [facing(meshes.vertex, meshes.triangle[first:last]) for first, last in parts]
    return np.concatenate([np.zeros(0, dtype=np.int32), *out])


@once_for_each
def _owned_of_colliders(table: ShapeTable) -> Ints:
    return owned_features(table.meshes.triangle)


@once_for_each
def _owned_of_bodies(table: BodySurfaceTable) -> Ints:
    return owned_features(table.meshes.triangle)


def _sizes(meshes: MeshTable) -> Ints:
    """How many vertices each mesh has."""
    sizes: Ints = np.diff(meshes.first_vertex)
    return sizes


def _radii(bodies: BodySurfaceTable) -> Floats:
    """Radius (k,) m of the ball around each body that holds what it carries of its surface."""
    hold, first = bodies.hold, bodies.first_hold[bodies.meshes.first_vertex]
    far = np.linalg.norm(hold["place"], axis=1)
    found = np.zeros(len(bodies.body))
    for m in range(len(bodies)):
        for k in range(bodies.first_body[m], bodies.first_body[m + 1]):
            own = slice(first[m], first[m + 1])
            mine = hold["body"][own] == bodies.body[k]
            found[k] = far[own][mine].max(initial=0.0)
    return found


@kernel
def box_of(rows, x, y, box):
    """Write least and most coordinates (2, 3) of rows of x and y (n, 3) to box."""
    for k in range(3):
        box[0, k], box[1, k] = math.inf, -math.inf
    for n in range(rows.shape[0]):
        for k in range(3):
            a, b = x[rows[n], k], y[rows[n], k]
            box[0, k] = min(box[0, k], min(a, b))
            box[1, k] = max(box[1, k], max(a, b))


class MeshSurfaces:
    """The mesh colliders of a model and its bodies as they are drawn, as surfaces that are led."""

    def __init__(self, model: Model, bodies: BodySurfaceTable) -> None:
        """bodies: those of the model that are met as they are drawn."""
        table = model.shapes
        kinds = table.kind[: model.collider_shape_count]
        self.shape: Ints = np.flatnonzero(kinds == MESH).astype(np.int32)  # rows of the shapes
        meshes = table.meshes
        self.collider_count = len(meshes.vertex)  # vertices of colliders
        self.count = self.collider_count + len(bodies.meshes.vertex)
        self.triangle = np.concatenate(
            [meshes.triangle, bodies.meshes.triangle + self.collider_count]
        ).astype(np.int32)
        self.solid = np.concatenate([_facing_of_colliders(table), _facing_of_bodies(bodies)])
        self.owned = np.concatenate([_owned_of_colliders(table), _owned_of_bodies(bodies)])
        self.shape_of = np.zeros(self.collider_count, dtype=np.int32)
        mesh_first = np.append(meshes.first_vertex[:-1], self.collider_count)
        for s in self.shape.tolist():
            mesh = table.mesh[s]
            self.shape_of[mesh_first[mesh] : mesh_first[mesh + 1]] = s
        friction = np.repeat(bodies.friction, _sizes(bodies.meshes))
        self.friction = np.concatenate([table.friction[self.shape_of], friction])
        first_body = np.repeat(bodies.body[bodies.first_body[:-1]], _sizes(bodies.meshes))
        # (v,) numbers of the colliders, and after them of the bodies, of a skin the first
        self.owner = np.concatenate(
            [table.owner[self.shape_of] - len(model.bodies), len(model.colliders) + first_body]
        ).astype(np.int32)
        carriers, pose = np.unique(bodies.body, return_inverse=True)
        count = len(carriers)
        self.known = KnownPoses(carriers, np.zeros((count, 4, 3)), np.zeros(count, dtype=np.int32))
        self.drawn = Drawn(
            bodies.first_body,
            pose.astype(np.int32),
            bodies.meshes.first_vertex,
            bodies.first_hold,
            bodies.hold,
            _radii(bodies),
            np.ones(len(bodies), dtype=np.int32),
        )
        # (v,) of those that several bodies carry
        are_skins = np.repeat(bodies.is_skin, _sizes(bodies.meshes))
        self.is_skin = np.concatenate([np.zeros(self.collider_count, dtype=bool), are_skins])
        self.rest = self._rest(model)
        self.forget_bodies()
        self.start = self.end = meshes.vertex  # (v, 3) m in the frames of the shapes, of a frame
        self.changes = False

    def _rest(self, model: Model) -> Floats:
        """Places (v, 3) m in the world at the start."""
        out = np.zeros((self.count, 3))
        table = model.shapes
        turns = np.array([rotation_matrix(q) for q in model.bodies.orientation]).reshape(-1, 3, 3)
        self.place_bodies(out, 0, model.bodies.position, turns)
        for s in self.shape.tolist():
            rows = np.flatnonzero(self.shape_of == s)
            collider = table.owner[s] - len(model.bodies)
            local = rotated(table.meshes.vertex[rows], rotation_matrix(table.turn[s]))
            turn = rotation_matrix(model.colliders.orientation[collider])
            out[rows] = rotated(local + table.offset[s], turn) + model.colliders.position[collider]
        return out

    def begin(self, start: Floats, end: Floats) -> None:
        """Vertices (v, 3) m at both ends of a frame, in the frames of their shapes."""
        self.start, self.end = start, end
        self.changes = start is not end and not np.array_equal(start, end)

    def moves(self, shapes: Shapes) -> bool:
        """Whether any of them moves in this substep."""
        s = self.shape
        if not len(s):
            return False
        return self.changes or not (
            np.array_equal(shapes.centre[s], shapes.centre_before[s])
            and np.array_equal(shapes.rotation[s], shapes.rotation_before[s])
        )

    def place(self, out: Floats, led: int, shapes: Shapes, share: float, is_before: bool) -> None:
        """Write places in the world to out (n, 3) m from row ``led`` on.

        As they are when ``share`` of the frame has passed, which is at the start of a substep or
        at its end.
        """
        centre = shapes.centre_before if is_before else shapes.centre
        rotation = shapes.rotation_before if is_before else shapes.rotation
        ends = VertexPaths(self.start, self.end)
        _place(out, led, self.shape_of, ends, share, centre, rotation)

    def forget_bodies(self) -> None:
        """Have all bodies placed anew."""
        self.known.pose[:] = np.nan

    def place_bodies(self, out: Floats, led: int, position: Floats, rotation: Floats) -> bool:
        """Write where bodies are, at position (b, 3) m and rotation (b, 3, 3), to out (n, 3) m.

        Returns whether any is elsewhere than when this was asked last.
        """
        if not len(self.known.body):
            return False
        given = (out, led + self.collider_count, self.drawn, self.known, position, rotation)
        moved: bool = _place_bodies(*given)
        return moved

    def look_for_near(
        self, box: Floats, away: float, position: Floats, ahead: Floats, is_first: bool
    ) -> bool:
        """See which surfaces of bodies have come near cloth; whether any has, since the first look.

        box (2, 3) m: least and most coordinates of cloth in this substep; away m: farther than that
        is not near. position, ahead (b, 3) m: where bodies are and get to. What is near stays so
        until the next first look.
        """
        if is_first:
            self.drawn.is_near[:] = 0
        found: bool = _find_near(self.drawn, self.known.body, box, away, position, ahead)
        if found:
            self.forget_bodies()
        return found

    def rows_of_near(self) -> tuple[Ints, Ints]:
        """Rows of vertices of bodies that are near, and of others, from the first of them on."""
        is_near = np.repeat(self.drawn.is_near, np.diff(self.drawn.first_vertex)) == 1
        near, others = np.flatnonzero(is_near), np.flatnonzero(~is_near)
        return near.astype(np.int32), others.astype(np.int32)

    def allow_turning(
        self, slack: Floats, led: int, shapes: Shapes, horizon: float, step: float
    ) -> None:
        """Write how far vertices leave a straight flight of horizon substeps to slack (n,) m.

        step: a substep's share of the frame.
        """
        _allow_turning(
            slack,
            led,
            self.shape_of,
            VertexPaths(self.start, self.end),
            shapes.rotation_before,
            shapes.rotation,
            horizon,
            step,
        )


@kernel
def _place(out, led, shape_of, ends, share, centre, rotation):
    start, end = ends
    for v in range(shape_of.shape[0]):
        s = shape_of[v]
        local = add(scale(1.0 - share, load(start, v)), scale(share, load(end, v)))
        store(out, led + v, add(rotate(rotation[s], local), load(centre, s)))


@kernel
def _find_near(drawn, body, box, away, position, ahead):
    """Mark surfaces that come within ``away`` m of a box; whether any was not marked before."""
    found = False
    for m in range(drawn.is_near.shape[0]):
        if drawn.is_near[m] == 1:
            continue
        for n in range(drawn.first_pose[m], drawn.first_pose[m + 1]):
            b, far = body[drawn.pose[n]], (1.0 + OWN_SHARE) * drawn.radius[n] + away
            reaches = True
            for k in range(3):
                low = min(position[b, k], ahead[b, k]) - far
                high = max(position[b, k], ahead[b, k]) + far
                reaches = reaches and low <= box[1, k] and high >= box[0, k]
            if reaches:
                drawn.is_near[m] = 1
                found = True
                break
    return found


@lean_inline
def _note_poses(known, position, rotation):
    """Note where bodies are, and which are elsewhere than was known; whether any is."""
    is_any = False
    for n in range(known.body.shape[0]):
        b, pose = known.body[n], known.pose[n]
        differs = False
        for k in range(3):
            differs = differs or position[b, k] != pose[0, k]
            for m in range(3):
                differs = differs or rotation[b, k, m] != pose[1 + k, m]
        known.has_moved[n] = differs
        if differs:
            is_any = True
            store(pose, 0, load(position, b))
            for k in range(3):
                store(pose, 1 + k, load(rotation[b], k))
    return is_any


@kernel
def _place_bodies(out, first, drawn, known, position, rotation):
    """Place the vertices near cloth of bodies that are elsewhere than is known; whether any is."""
    is_any = False
    if not _note_poses(known, position, rotation):
        return is_any
    for m in range(drawn.is_near.shape[0]):
        moves = False
        if drawn.is_near[m] == 0:
            continue
        for n in range(drawn.first_pose[m], drawn.first_pose[m + 1]):
            moves = moves or known.has_moved[drawn.pose[n]] == 1
        if not moves:
            continue
        is_any = True
        for v in range(drawn.first_vertex[m], drawn.first_vertex[m + 1]):
            place = ZERO
            for h in range(drawn.first_hold[v], drawn.first_hold[v + 1]):
                hold = drawn.hold[h]
                b = hold["body"]
                carried = add(rotate(rotation[b], vec(hold["place"])), load(position, b))
                place = along(place, hold["weight"], carried)
            store(out, first + v, place)
    return is_any


@kernel
def _allow_turning(slack, led, shape_of, ends, before, now, horizon, step):
    start, end = ends
    for v in range(shape_of.shape[0]):
        s = shape_of[v]
        angle, size, change = 0.0, 0.0, 0.0
        for k in range(3):
            size += max(abs(start[v, k]), abs(end[v, k]))
            change += step * abs(end[v, k] - start[v, k])
            for m in range(3):
                angle = max(angle, abs(now[s, k, m] - before[s, k, m]))
        angle *= 1.8
        away = TURN_ALLOWANCE[0] * angle * angle * size + TURN_ALLOWANCE[1] * angle * change
        slack[led + v] = horizon * horizon * away
