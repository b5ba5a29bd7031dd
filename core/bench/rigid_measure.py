"""How well rigid bodies were simulated, from their poses alone: by the same code for every engine.

The interpreters of other engines read this file too, so it needs NumPy and `rigid_scenes` only.
"""

from __future__ import annotations

import numpy as np

from .rigid_scenes import NO_BODY, Floats, Ints, RigidScene, product, rotation_matrices

Figures = dict[str, float | int | bool | None]

PARALLEL = 1e-4
"""Sine of the angle below which two edges span no axis of their own: a face's is as good."""
STILL_SPEED = 1e-3
"""m: a body whose corners all move less than this in the last second is at rest."""
TOPPLED = 0.5
"""Share of its half edge by which a body of a pile that stands may have come down."""
SIGNS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=np.float64)


def corners(position: Floats, rotation: Floats, half: Floats) -> Floats:
    """The eight corners (n, 8, 3) of boxes, m."""
    local = SIGNS * half[:, None]
    return position[:, None] + np.einsum("nij,nkj->nki", rotation, local)


def near_pairs(lower: Floats, upper: Floats) -> Ints:
    """Pairs (p, 2), i < j, of bounding boxes (n, 3) that touch: sorted and swept along x."""
    order = np.argsort(lower[:, 0], kind="stable")
    begin = lower[order, 0]
    after = np.searchsorted(begin, upper[order, 0], side="right")
    count = after - np.arange(len(order)) - 1
    first = np.repeat(np.arange(len(order)), count)
    rank = np.arange(len(first)) - np.repeat(np.cumsum(count) - count, count)
    a, b = order[first], order[first + 1 + rank]
    touch = ((lower[a] <= upper[b]) & (lower[b] <= upper[a])).all(axis=1)
    return np.sort(np.stack([a[touch], b[touch]], axis=1), axis=1)


def overlap(
    between: Floats, rotation: tuple[Floats, Floats], half: tuple[Floats, Floats]
) -> Floats:
    """Depth (p,) in m by which pairs of boxes penetrate, negative where they do not touch.

    between: from the first's centre to the second's, (p, 3); rotation, half: of the first and of
    the second box of every pair. Two boxes overlap when they do along the normals of their faces
    and along the cross products of their edges; the least of these overlaps is how far one must
    move to come free (separating axes: Gottschalk, Lin, Manocha 1996).
    """
    a, b = rotation
    faces = [rotation[side][:, :, k] for side in (0, 1) for k in range(3)]
    edges = [np.cross(a[:, :, i], b[:, :, j]) for i in range(3) for j in range(3)]
    depth = np.full(len(between), np.inf)
    for axis in (*faces, *edges):
        length = np.linalg.norm(axis, axis=1)
        unit = axis / np.maximum(length, PARALLEL)[:, None]
        reach = sum(
            (np.abs(np.einsum("pij,pi->pj", r, unit)) * h).sum(axis=1)
            for r, h in zip(rotation, half)
        )
        here = reach - np.abs((unit * between).sum(axis=1))
        depth = np.where(length > PARALLEL, np.minimum(depth, here), depth)
    return depth


def body_depths(
    position: Floats, orientation: Floats, half: Floats, joined: Ints | None = None
) -> Floats:
    """Depth in m of every pair of boxes that penetrate each other, but for those that are joined.

    joined (j, 2): bodies of each joint.
    """
    rotation = rotation_matrices(orientation)
    reach = np.einsum("nij,nj->ni", np.abs(rotation), half)
    pairs = near_pairs(position - reach, position + reach)
    if joined is not None and len(joined):
        known = np.sort(joined, axis=1) @ (len(half), 1)
        pairs = pairs[~np.isin(pairs @ (len(half), 1), known)]
    a, b = pairs.T
    depth = overlap(position[b] - position[a], (rotation[a], rotation[b]), (half[a], half[b]))
    return depth[depth > 0.0]


def wall_depth(
    position: Floats,
    orientation: Floats,
    half: Floats,
    wall_position: Floats,
    wall_half: Floats,
) -> float:
    """Depth in m of the deepest box (n) in any wall (w), boxes along the axes."""
    rotation = rotation_matrices(orientation)
    reach = np.einsum("nij,nj->ni", np.abs(rotation), half)
    apart = np.abs(position[:, None] - wall_position) - reach[:, None] - wall_half
    a, w = np.nonzero((apart <= 0.0).all(axis=2))
    level = np.broadcast_to(np.eye(3), (len(a), 3, 3))
    depth = overlap(wall_position[w] - position[a], (rotation[a], level), (half[a], wall_half[w]))
    return max(0.0, float(depth.max(initial=0.0)))


def joint_gaps(scene: RigidScene, position: Floats, orientation: Floats) -> Floats:
    """Distance (j,) in m between the two points that each ball joint holds together."""
    rotation = rotation_matrices(orientation)
    anchor = scene.anchors()
    ends = []
    for side in (0, 1):
        body, local = scene.joint_body[:, side], anchor[:, side]
        carried = position[body] + np.einsum("jik,jk->ji", rotation[body], local)
        ends.append(np.where((body == NO_BODY)[:, None], local, carried))
    return np.linalg.norm(ends[0] - ends[1], axis=1)


def kinetic_energy(
    scene: RigidScene,
    before: tuple[Floats, Floats],
    after: tuple[Floats, Floats],
    duration: float,
) -> float:
    """Energy in J of the mean motion between two poses (position, orientation)."""
    speed = (after[0] - before[0]) / duration
    first, last = (rotation_matrices(pose[1]) for pose in (before, after))
    turn = np.swapaxes(first, 1, 2) @ last  # in the body's frame
    skew = (turn - np.swapaxes(turn, 1, 2)) / 2
    sine = np.stack([skew[:, 2, 1], skew[:, 0, 2], skew[:, 1, 0]], axis=1)
    length = np.linalg.norm(sine, axis=1)
    angle = np.arctan2(length, (np.trace(turn, axis1=1, axis2=2) - 1) / 2)
    spin = sine * (angle / np.maximum(length, 1e-12) / duration)[:, None]
    square = scene.half**2
    inertia = scene.mass[:, None] / 3 * (square.sum(axis=1, keepdims=True) - square)
    return float(
        0.5 * (scene.mass * (speed**2).sum(axis=1)).sum() + 0.5 * (inertia * spin**2).sum()
    )


def limit_excess(scene: RigidScene, orientation: Floats) -> Floats:
    """How far (j,) rad each joint with limits is beyond them.

    A hinge: its angle, and how far its axis leans. A cone: the swing of its axis or the twist,
    whichever is farther out. Blender has no cone but three angles, X after Y after Z, twist, swing
    and swing, each of them limited: what is within those counts as within the cone too.
    """
    first, second = scene.joint_body.T
    apart = product(orientation[first] * (1.0, -1.0, -1.0, -1.0), orientation[second])
    rotation = rotation_matrices(scene.orientation[first])
    axis = np.einsum("jki,jk->ji", rotation, scene.joint_axis)  # in the bodies' frames
    turn = rotation_matrices(apart)
    lean = np.arccos(np.clip(np.einsum("ji,jik,jk->j", axis, turn, axis), -1.0, 1.0))
    along = 2.0 * np.arctan2((apart[:, 1:] * axis).sum(axis=1), apart[:, 0])
    along = (along + np.pi) % (2.0 * np.pi) - np.pi
    low, high = scene.joint_limit.T
    hinge = np.maximum(lean, np.maximum(low - along, along - high))
    cone = np.maximum(lean - low, np.abs(along) - high)
    frame = rotation_matrices(scene.joint_frames())  # X along the axis, for cones
    seen = np.einsum("jki,jkl->jil", frame, rotation)
    local = np.einsum("jik,jkl,jml->jim", seen, turn, seen)
    x = np.arctan2(-local[:, 1, 2], local[:, 2, 2])
    y = np.arcsin(np.clip(local[:, 0, 2], -1.0, 1.0))
    z = np.arctan2(-local[:, 0, 1], local[:, 0, 0])
    box = np.maximum(np.maximum(np.abs(y), np.abs(z)) - low, np.abs(x) - high)
    is_hinge = np.array([kind == "HINGE" for kind in scene.joint_kind])
    excess = np.where(is_hinge, hinge, np.minimum(cone, box))
    return np.maximum(excess, 0.0)


class Measure:
    """Takes the poses of every frame of a scene and says at the end how good they were."""

    def __init__(self, scene: RigidScene, frame_rate: int, every: int) -> None:
        """Depths are looked at in every ``every``-th frame: they take long."""
        self.scene = scene
        self.frame_rate = frame_rate
        self.every = every
        self.poses: list[tuple[Floats, Floats]] = []  # of the last second
        self.frame = 0
        self.deepest: list[float] = []
        self.deepest_wall: list[float] = []
        self.gap_mean: list[float] = []
        self.gap_largest: list[float] = []
        self.limit_mean: list[float] = []
        self.limit_largest: list[float] = []

    def add(self, position: Floats, orientation: Floats) -> None:
        """The poses at the end of a frame: (b, 3) m and (b, 4)."""
        pose = (np.array(position, np.float64), np.array(orientation, np.float64))
        if not all(np.isfinite(part).all() for part in pose):
            raise RuntimeError(f"poses that are not finite in frame {self.frame + 1}")
        self.frame += 1
        self.poses = [*self.poses[-self.frame_rate :], pose]
        if len(self.scene.joint_body):
            gaps = joint_gaps(self.scene, *pose)
            self.gap_mean.append(float(gaps.mean()))
            self.gap_largest.append(float(gaps.max()))
        if self.scene.joint_kind:
            excess = limit_excess(self.scene, pose[1])
            self.limit_mean.append(float(excess.mean()))
            self.limit_largest.append(float(excess.max()))
        if self.scene.collides and self.frame % self.every == 0:
            self._look_at_depths()

    def _look_at_depths(self) -> Floats:
        """Note how deep bodies are in walls and in each other; depths (m) of the latter."""
        scene = self.scene
        depths = body_depths(*self.poses[-1], scene.half, scene.joint_body)
        self.deepest.append(float(depths.max(initial=0.0)))
        self.deepest_wall.append(
            wall_depth(*self.poses[-1], scene.half, scene.wall_position, scene.wall_half)
        )
        return depths

    def figures(self) -> Figures:
        """Depth, gap, drift (mm), kinetic energy (J) at the end, bodies lost and at rest."""
        scene = self.scene
        position, orientation = self.poses[-1]
        rotation = rotation_matrices(orientation)
        moved = corners(position, rotation, scene.half) - corners(
            self.poses[0][0], rotation_matrices(self.poses[0][1]), scene.half
        )
        inside = ((position >= scene.lower) & (position <= scene.upper)).all(axis=1)
        result: Figures = {
            "kinetic_j": kinetic_energy(
                scene, self.poses[-2], self.poses[-1], 1.0 / self.frame_rate
            ),
            "lost": int((~inside).sum()),
            "at_rest": int((np.linalg.norm(moved, axis=2).max(axis=1) < STILL_SPEED).sum()),
        }
        if scene.collides:
            depths = self._look_at_depths()
            result |= {
                "depth_end_mm": 1e3 * self.deepest[-1],
                "depth_mean_mm": 1e3 * float(depths.mean()) if len(depths) else 0.0,
                "depth_over_time_mm": 1e3 * float(np.mean(self.deepest)),
                "depth_peak_mm": 1e3 * max(self.deepest),
                "wall_end_mm": 1e3 * self.deepest_wall[-1],
                "wall_peak_mm": 1e3 * max(self.deepest_wall),
            }
        if self.gap_mean:
            result |= {
                "gap_mean_mm": 1e3 * float(np.mean(self.gap_mean)),
                "gap_peak_mm": 1e3 * max(self.gap_largest),
                "gap_end_mm": 1e3 * self.gap_largest[-1],
            }
        if self.limit_mean:
            result |= {
                "limit_mean_deg": float(np.degrees(np.mean(self.limit_mean))),
                "limit_peak_deg": float(np.degrees(max(self.limit_largest))),
                "limit_end_deg": float(np.degrees(self.limit_largest[-1])),
            }
        if scene.is_pile:
            off = position - scene.position
            upright = np.abs(rotation[:, 2]).max(axis=1).min()
            down = np.abs(off[:, 2]).max()
            result |= {
                "drift_mm": 1e3 * float(np.hypot(*off[-1, :2])),
                "drop_mm": -1e3 * float(off[-1, 2]),
                "tilt_deg": float(np.degrees(np.arccos(np.clip(upright, 0.0, 1.0)))),
                "stands": bool(down < TOPPLED * scene.half[:, 2].min()),
            }
        return result
