"""Rigid scenes as plain arrays, the same for every engine that is compared.

Metres, kilograms, 24 frames a second, Z up, quaternions (w, x, y, z). The interpreters of other
engines read this file too, so it needs NumPy only.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FPS = 24
FRAMES_OF_BENCH = 240
FRICTION = 0.5
SCENE_GRAVITY = 9.81  # m/s²
LINEAR_DAMPING = 0.04  # share of the speed lost in a second: Blender's default
ANGULAR_DAMPING = 0.1
CUBE_HALF = 0.25  # m
CUBE_SPACING = 0.95  # m, wider than a cube's diagonal, so that no two start in each other
WALL_THICKNESS = 1.0  # m, thickness of floor and walls
LINK_LENGTH = 0.2  # m
NO_BODY = -1
"""In place of a body: the joint's other side is fixed."""


@dataclass(frozen=True, eq=False)
class RigidScene:
    """Boxes, what they fall on and how they are joined.

    Shapes: b bodies, w walls (static boxes along the axes), j joints. What is joined touches each
    other never.
    """

    name: str
    position: Floats  # (b, 3) m
    orientation: Floats  # (b, 4)
    half: Floats  # (b, 3) m
    mass: Floats  # (b,) kg
    wall_position: Floats = field(default_factory=lambda: np.empty((0, 3)))  # (w, 3) m
    wall_half: Floats = field(default_factory=lambda: np.empty((0, 3)))  # (w, 3) m
    lower: Floats = field(default_factory=lambda: np.full(3, -np.inf))  # (3,) m: a centre that
    upper: Floats = field(default_factory=lambda: np.full(3, np.inf))  # leaves this is lost
    joint_body: Ints = field(default_factory=lambda: np.empty((0, 2), np.int64))  # (j, 2)
    joint_point: Floats = field(default_factory=lambda: np.empty((0, 3)))  # (j, 3) m, at first
    joint_kind: tuple[str, ...] = ()  # of those with limits (j,): HINGE or CONE_TWIST; else balls
    joint_axis: Floats = field(default_factory=lambda: np.empty((0, 3)))  # (j, 3) at first: of the
    # hinge, or that which leans within the cone and is twisted about
    joint_limit: Floats = field(default_factory=lambda: np.empty((0, 2)))  # (j, 2) rad from the
    # start: least and largest angle of a hinge; swing and twist to either side of a cone
    collides: bool = True  # else bodies touch nothing, not even what they fall on
    is_pile: bool = False  # stands at first and should go on standing; the last body is its top

    @property
    def body_count(self) -> int:
        """Number of bodies."""
        return len(self.mass)

    def anchors(self) -> Floats:
        """Where joints hold their bodies, in these' frames (j, 2, 3) m; of NO_BODY: in space."""
        body = self.joint_body
        arm = self.joint_point[:, None] - self.position[body]
        turned = np.einsum("jski,jsk->jsi", rotation_matrices(self.orientation)[body], arm)
        return np.where((body == NO_BODY)[:, :, None], self.joint_point[:, None], turned)

    def joint_frames(self) -> Floats:
        """Where joints with limits look at first, quaternions (j, 4): Z of a hinge, X of a cone."""
        along = np.eye(3)[[2 if kind == "HINGE" else 0 for kind in self.joint_kind]]
        axis = self.joint_axis
        q = np.concatenate([1.0 + (along * axis).sum(axis=1)[:, None], np.cross(along, axis)], 1)
        back = q[:, 0] < 1e-9  # the opposite way: half a turn about Y
        q[back] = (0.0, 0.0, 1.0, 0.0)
        unit: Floats = q / np.linalg.norm(q, axis=1)[:, None]
        return unit


def rotation_matrices(orientation: Floats) -> Floats:
    """Rotations (…, 3, 3) of quaternions (…, 4), which need not be of length 1."""
    q = orientation / np.linalg.norm(orientation, axis=-1, keepdims=True)
    w, x, y, z = np.moveaxis(q, -1, 0)
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def random_turns(count: int, random: np.random.Generator) -> Floats:
    """Uniformly random unit quaternions (count, 4) with w ≥ 0 (Shoemake 1992)."""
    u, v, w = random.random((count, 3)).T
    q = np.stack(
        [
            np.sqrt(1 - u) * np.sin(2 * np.pi * v),
            np.sqrt(1 - u) * np.cos(2 * np.pi * v),
            np.sqrt(u) * np.sin(2 * np.pi * w),
            np.sqrt(u) * np.cos(2 * np.pi * w),
        ],
        axis=1,
    )
    return q * np.where(q[:, :1] < 0.0, -1.0, 1.0)


def heap(n: int, width: float | None = None) -> RigidScene:
    """N cubes of 0.5 m and 1 kg with random turns, dropped in layers into an open box.

    width (m) is the box's inside; by default it has room for 12 cubes on a square metre, but for
    the two usual sizes, 200 and 1000, 4 and 7 m.
    """
    inside = width or {200: 4.0, 1000: 7.0}.get(n) or spread_width(n)
    side = int(inside // CUBE_SPACING)
    k = np.arange(n)
    place = CUBE_SPACING * np.stack([k % side, k // side % side, k // side**2], axis=1, dtype=float)
    place -= ((side - 1) / 2 * CUBE_SPACING, (side - 1) / 2 * CUBE_SPACING, -0.6)
    height = place[-1, 2] + 5.0
    outer = inside / 2 + WALL_THICKNESS
    across = inside / 2 + WALL_THICKNESS / 2
    walls = [((0.0, 0.0, -WALL_THICKNESS / 2), (outer, outer, WALL_THICKNESS / 2))]
    for s in (-1, 1):
        walls.append(((s * across, 0.0, height / 2), (WALL_THICKNESS / 2, outer, height / 2)))
        walls.append(((0.0, s * across, height / 2), (inside / 2, WALL_THICKNESS / 2, height / 2)))
    return RigidScene(
        "heap",
        place,
        random_turns(n, np.random.default_rng(7)),
        np.full((n, 3), CUBE_HALF),
        np.ones(n),
        np.array([middle for middle, _ in walls]),
        np.array([half for _, half in walls]),
        lower=np.array([-inside / 2, -inside / 2, 0.0]),
        upper=np.array([inside / 2, inside / 2, np.inf]),
    )


def spread_width(n: int) -> float:
    """Width of a box in which n cubes lie as high as any other number does, m."""
    return max(2.0, round((n / 12.0) ** 0.5, 2))


def chain(n: int, *, both: bool, end_mass: float = 1.0) -> RigidScene:
    """N rods of 0.2 m and 1 kg on ball joints, laid out level and pinned at one or both ends.

    both: in a zigzag that spans 0.7 of its length; else straight, and the last rod weighs
    ``end_mass``. They touch nothing, not even each other.
    """
    forward = 0.7 if both else 1.0
    aside = np.sqrt(1.0 - forward**2)
    way = np.zeros((n, 3))
    way[:, 0] = forward
    way[:, 1] = aside * (-1.0) ** np.arange(n)
    joints = np.concatenate([np.zeros((1, 3)), LINK_LENGTH * np.cumsum(way, axis=0)])
    if both:
        span = np.hypot(*joints[-1, :2])
        c, s = joints[-1, :2] / span
        turn = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
        joints = joints @ turn.T
    way = np.diff(joints, axis=0) / LINK_LENGTH
    angle = np.arctan2(way[:, 1], way[:, 0]) / 2
    mass = np.ones(n)
    mass[-1] = end_mass
    body = np.stack([np.arange(-1, n), np.arange(n + 1)], axis=1)
    body[-1, 1] = NO_BODY
    held = n + 1 if both else n
    return RigidScene(
        "chain",
        (joints[1:] + joints[:-1]) / 2,
        np.stack([np.cos(angle), 0 * angle, 0 * angle, np.sin(angle)], axis=1),
        np.tile([LINK_LENGTH / 2, 0.03, 0.03], (n, 1)),
        mass,
        joint_body=body[:held],
        joint_point=joints[:held],
        collides=False,
    )


def joint_grid(n: int, rows: int | None = None) -> RigidScene:
    """A net of n × n cubes of 1 kg, 1 m apart and on ball joints with their neighbours.

    Box3D's `joint_grid`: level at first, held in the middle of one edge, touching nothing. rows: of
    n cubes each, where there are not n.
    """
    count = n * (rows or n)
    row, column = np.divmod(np.arange(count), n)
    place: Floats = np.stack([column, row, np.zeros(count)], axis=1).astype(np.float64)
    along, across = np.flatnonzero(column < n - 1), np.flatnonzero(row < row[-1])
    held = np.arange(max(0, n // 2 - 3), min(n, n // 2 + 3))
    body = np.concatenate(
        [
            np.stack([along, along + 1], axis=1),
            np.stack([across, across + n], axis=1),
            np.stack([np.full(len(held), NO_BODY), held], axis=1),
        ]
    )
    joints = np.concatenate([place[along] + (0.5, 0, 0), place[across] + (0, 0.5, 0), place[held]])
    return RigidScene(
        "joint_grid",
        place,
        np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)),
        np.full((count, 3), 0.3),
        np.ones(count),
        joint_body=body,
        joint_point=joints,
        collides=False,
    )


BRICK = np.array([0.25, 0.125, 0.125])  # m, half extents


def wall(n: int, layers: int | None = None) -> RigidScene:
    """N layers of n bricks of 1 kg in running bond, each glued to all that it touches.

    Glue is a hinge that may turn by nothing: all engines have that. layers: where there are not n.
    """
    count = n * (layers or n)
    layer, column = np.divmod(np.arange(count), n)
    place = np.stack(
        [
            2.0 * BRICK[0] * (column + 0.5 * (layer % 2)),
            np.zeros(count),
            BRICK[2] * (1.0 + 2.0 * layer),
        ],
        axis=1,
    )
    pairs = [(b, b + 1) for b in range(count) if column[b] < n - 1]
    for b in range(count - n):
        first = int(column[b] + layer[b] % 2) - 1  # of the two above it
        pairs += [(b, n * (layer[b] + 1) + c) for c in (first, first + 1) if 0 <= c < n]
    body = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return RigidScene(
        "wall",
        place,
        np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)),
        np.tile(BRICK, (count, 1)),
        np.ones(count),
        np.array([[0.0, 0.0, -WALL_THICKNESS / 2]]),
        np.array([[100.0, 100.0, WALL_THICKNESS / 2]]),
        lower=np.array([-100.0, -100.0, 0.0]),
        joint_body=body,
        joint_point=place[body].mean(axis=1),
        joint_kind=("HINGE",) * len(body),
        joint_axis=np.tile([0.0, 0.0, 1.0], (len(body), 1)),
        joint_limit=np.zeros((len(body), 2)),
        is_pile=True,
    )


def pile(name: str, place: Floats, top_mass: float = 1.0, *, half: float = CUBE_HALF) -> RigidScene:
    """Cubes of 1 kg that touch without a gap on a floor; the last weighs top_mass. half: m."""
    n = len(place)
    mass = np.ones(n)
    mass[-1] = top_mass
    return RigidScene(
        name,
        place,
        np.tile([1.0, 0.0, 0.0, 0.0], (n, 1)),
        np.full((n, 3), half),
        mass,
        np.array([[0.0, 0.0, -WALL_THICKNESS / 2]]),
        np.array([[100.0, 100.0, WALL_THICKNESS / 2]]),
        lower=np.array([-100.0, -100.0, 0.0]),
        is_pile=True,
    )


def stack(n: int, top_mass: float = 1.0) -> RigidScene:
    """N cubes one on the other."""
    height = CUBE_HALF * (1.0 + 2.0 * np.arange(n))
    place: Floats = height[:, None] * np.array([0.0, 0.0, 1.0])
    return pile("stack", place, top_mass)


def pyramid(n: int) -> RigidScene:
    """Rows of n, n − 1, … 1 cubes, those of a row 2.5 cm apart."""
    step = 2.1 * CUBE_HALF
    return pile(
        "pyramid",
        np.array(
            [
                ((i - (n - row - 1) / 2) * step, 0.0, CUBE_HALF * (1 + 2 * row))
                for row in range(n)
                for i in range(n - row)
            ]
        ),
    )


def _touching_rows(n: int) -> Floats:
    """Middles (n (n + 1)/2, 3) m of cubes of 1 m in rows of n, n − 1, … 1 that touch each other."""
    return np.array(
        [(i - (n - row - 1) / 2, 0.0, row + 0.5) for row in range(n) for i in range(n - row)]
    )


def large_pyramid(n: int) -> RigidScene:
    """Box3D's `large_pyramid`: rows of n, n − 1, … 1 cubes of 1 m, side by side without a gap."""
    return pile("large_pyramid", _touching_rows(n), half=0.5)


def many_pyramids(n: int) -> RigidScene:
    """Box3D's `many_pyramids`: n × n of those of base 10, 1 m apart."""
    row, column = np.divmod(np.arange(n * n), n)
    middle = np.stack([11.0 * column, 11.7 * row, np.zeros(n * n)], axis=1)
    middle -= middle.mean(axis=0)
    place: Floats = (middle[:, None] + _touching_rows(10)).reshape(-1, 3)
    return pile("many_pyramids", place, half=0.5)


DOLL_PARTS = (  # centre and half extents (m) of boxes, mass (kg)
    ((0.0, 0.0, 1.0), (0.16, 0.10, 0.10), 11.0),  # pelvis
    ((0.0, 0.0, 1.33), (0.18, 0.11, 0.21), 25.0),  # chest
    ((0.0, 0.0, 1.68), (0.09, 0.10, 0.12), 5.0),  # head
    ((-0.34, 0.0, 1.46), (0.14, 0.05, 0.05), 2.2),  # upper arm
    ((-0.62, 0.0, 1.46), (0.13, 0.04, 0.04), 1.7),  # forearm
    ((0.34, 0.0, 1.46), (0.14, 0.05, 0.05), 2.2),
    ((0.62, 0.0, 1.46), (0.13, 0.04, 0.04), 1.7),
    ((-0.09, 0.0, 0.68), (0.07, 0.08, 0.21), 9.0),  # thigh
    ((-0.09, 0.0, 0.24), (0.06, 0.06, 0.22), 4.0),  # shin
    ((0.09, 0.0, 0.68), (0.07, 0.08, 0.21), 9.0),
    ((0.09, 0.0, 0.24), (0.06, 0.06, 0.22), 4.0),
)
DOLL_JOINTS = (  # parts, place (m), kind, axis, limits (degrees)
    (0, 1, (0.0, 0.0, 1.11), "CONE_TWIST", (0, 0, 1), (30, 30)),
    (1, 2, (0.0, 0.0, 1.55), "CONE_TWIST", (0, 0, 1), (40, 40)),
    (1, 3, (-0.19, 0.0, 1.46), "CONE_TWIST", (1, 0, 0), (80, 40)),
    (3, 4, (-0.485, 0.0, 1.46), "HINGE", (0, 0, 1), (0, 140)),
    (1, 5, (0.19, 0.0, 1.46), "CONE_TWIST", (1, 0, 0), (80, 40)),
    (5, 6, (0.485, 0.0, 1.46), "HINGE", (0, 0, 1), (-140, 0)),
    (0, 7, (-0.09, 0.0, 0.895), "CONE_TWIST", (0, 0, 1), (60, 30)),
    (7, 8, (-0.09, 0.0, 0.465), "HINGE", (1, 0, 0), (0, 140)),
    (0, 9, (0.09, 0.0, 0.895), "CONE_TWIST", (0, 0, 1), (60, 30)),
    (9, 10, (0.09, 0.0, 0.465), "HINGE", (1, 0, 0), (0, 140)),
)
DOLL_MIDDLE = 1.1  # m above the soles


def ragdolls(n: int) -> RigidScene:
    """N humanoids of 11 boxes and 74.8 kg, 1.8 m tall, let fall on a floor one above the other.

    Face down, 0.6 m apart, turned at random about the vertical and a little about both others.
    """
    random = np.random.default_rng(11)
    parts = [np.array(column, dtype=np.float64) for column in zip(*DOLL_PARTS)]
    joints = list(zip(*DOLL_JOINTS))
    place, turn, body, point, axis = [], [], [], [], []
    for doll in range(n):
        yaw, tilt = random.random() * 2.0 * np.pi, 0.2 * (random.random(2) - 0.5)
        lie = [np.cos(np.pi / 4 + tilt[0] / 2), np.sin(np.pi / 4 + tilt[0] / 2), 0.0, 0.0]
        q = product([np.cos(tilt[1] / 2), 0.0, np.sin(tilt[1] / 2), 0.0], lie)
        q = product([np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2)], q)
        q = np.where(q[0] < 0.0, -q, q)
        rotation = rotation_matrices(q)
        middle = np.array([*(0.6 * (random.random(2) - 0.5)), 0.5 + 0.6 * doll])
        place.append(middle + (parts[0] - (0.0, 0.0, DOLL_MIDDLE)) @ rotation.T)
        turn.append(np.tile(q, (len(parts[0]), 1)))
        body.append(len(parts[0]) * doll + np.array(joints[:2]).T)
        point.append(middle + (np.array(joints[2]) - (0.0, 0.0, DOLL_MIDDLE)) @ rotation.T)
        axis.append(np.array(joints[4], dtype=np.float64) @ rotation.T)
    return RigidScene(
        "ragdolls",
        np.concatenate(place),
        np.concatenate(turn),
        np.tile(parts[1], (n, 1)),
        np.tile(parts[2], n),
        np.array([[0.0, 0.0, -WALL_THICKNESS / 2]]),
        np.array([[100.0, 100.0, WALL_THICKNESS / 2]]),
        lower=np.array([-100.0, -100.0, 0.0]),
        joint_body=np.concatenate(body),
        joint_point=np.concatenate(point),
        joint_kind=n * joints[3],
        joint_axis=np.concatenate(axis),
        joint_limit=np.radians(np.tile(np.array(joints[5], dtype=np.float64), (n, 1))),
    )


def product(a: ArrayLike, b: ArrayLike) -> Floats:
    """Quaternions (…, 4) multiplied: first b, then a."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    w = a[..., :1] * b[..., :1] - (a[..., 1:] * b[..., 1:]).sum(axis=-1, keepdims=True)
    xyz = a[..., :1] * b[..., 1:] + b[..., :1] * a[..., 1:] + np.cross(a[..., 1:], b[..., 1:])
    return np.concatenate([w, xyz], axis=-1)


SCENES = {
    "heap": (heap, 200),
    "heap_spread": (lambda n: heap(n, spread_width(n)), 1000),
    "chain": (lambda n: chain(n, both=True), 21),
    "chain_one": (lambda n: chain(n, both=False), 21),
    "chain_heavy": (lambda n: chain(n, both=False, end_mass=100.0), 21),
    "stack": (stack, 10),
    "stack_10": (lambda n: stack(n, 10.0), 10),
    "stack_100": (lambda n: stack(n, 100.0), 10),
    "pyramid": (pyramid, 10),
    "large_pyramid": (large_pyramid, 100),
    "many_pyramids": (many_pyramids, 14),
    "ragdolls": (ragdolls, 20),
    "joint_grid": (joint_grid, 30),
    "wall": (wall, 12),
}
"""Scenes that take a number, and what it is by default: bodies, ragdolls, a pyramid's base,
the side of a grid or wall, of a square of pyramids."""
