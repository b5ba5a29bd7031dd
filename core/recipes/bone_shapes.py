"""What collides in place of a bone: the shape that fits its part of the skin, or its length."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..geometry.closest_shape import BOX_CORNERS, Fit, fitted, hull_shape
from ..geometry.hull import convex_hull
from ..vector import rotation_matrix

if TYPE_CHECKING:
    from ..arrays import Floats

FEWEST_POINTS = 12
"""A bone with fewer points of skin than this has a shape by its length."""

FEWEST_CORNERS = 4
"""As many points a hull needs at least: a block of eight vertices has one."""

OUTLIERS = 2.0
"""Percent of the points to either side that a box or a capsule leaves out."""

ROUND = 0.55
"""A limb is round when its narrow width is more than this share of the wide one."""

MOST_SKIN_VERTICES = 48
"""Vertices of the hull of a bone's skin."""

MOST_BARE = 0.012
"""How far skin may stick out of a shape that nobody chose, as a share of the character's size: so
far it sinks into what it lies on."""

LEAST_HALF_WIDTH = 0.02
"""Least half width of a shape, as a share of its longest."""

BOXES = frozenset({"spine", "hand", "foot"})
"""Roles that are boxes, however round they are."""

THICKNESS = {
    "spine": 0.065,
    "neck": 0.03,
    "head": 0.055,
    "clavicle": 0.025,
    "upper_arm": 0.026,
    "forearm": 0.022,
    "hand": 0.018,
    "thigh": 0.042,
    "shin": 0.03,
    "foot": 0.022,
    "toe": 0.018,
    "tail": 0.014,
}
"""Radius of a part without skin, as a share of the character's size; others by their length."""

SLENDER = 0.18
"""Radius of a bone of unknown role without skin, as a share of its length."""


def fit_to_skin(points: Floats, head: Floats, axes: Floats, wanted: str, role: str) -> Fit | None:
    """The shape (in the world) of a bone's skin (n, 3) m; None where that encloses nothing.

    axes (3, 3): the bone's, Y along it. A capsule is as wide as the points are on the average and
    lies along the bone, a box is turned about the bone to where it is smallest.
    """
    local = (points - head) @ axes
    if wanted == "HULL":
        hull = convex_hull(local, MOST_SKIN_VERTICES)
        return None if hull is None else hull_shape(hull).placed(1.0, axes, head)
    across = local[:, (0, 2)]
    low, high = np.percentile(local[:, 1], (OUTLIERS, 100.0 - OUTLIERS))
    middle = across.mean(axis=0)
    widths, turn = np.linalg.eigh(np.cov((across - middle).T))
    if high <= low or not widths[1] > 0.0:
        return None
    is_round = widths[0] > ROUND**2 * widths[1]
    if wanted == "CAPSULE" or (wanted == "AUTO" and is_round and role not in BOXES):
        radius = float(np.median(np.linalg.norm(across - middle, axis=1)))
        half = 0.5 * float(high - low)
        radius = max(radius, LEAST_HALF_WIDTH * half)
        centre = np.array([middle[0], 0.5 * (low + high), middle[1]])
        size = (radius, max(half - radius, 0.0))
        return fitted("CAPSULE", size, centre, _Z_ALONG_Y).placed(1.0, axes, head)
    return _box(local, turn).placed(1.0, axes, head)


def fit_closely(points: Floats, head: Floats, axes: Floats, role: str, size: float) -> Fit | None:
    """The simplest shape that skin (n, 3) m of a character of ``size`` m does not stick out of.

    What is no limb is often neither round nor square: a robot's head, a claw, a tool. A hull holds
    it all.
    """
    simple = fit_to_skin(points, head, axes, "AUTO", role)
    if simple is None or _bare(simple, points) <= MOST_BARE * size:
        return simple
    return fit_to_skin(points, head, axes, "HULL", role) or simple


def _bare(fit: Fit, points: Floats) -> float:
    """How far m the skin sticks out of a box or a capsule, whose ends count as flat: rims of a limb
    lie in its joints.
    """
    if fit.shape == "BOX":
        return float(distances_to(fit, points).max())
    local = (points - fit.centre) @ rotation_matrix(fit.orientation)
    radius, half = fit.size
    beside = np.linalg.norm(local[:, :2], axis=1) - radius
    beyond = np.abs(local[:, 2]) - half - radius
    return float(np.maximum(beside, beyond).max())


_Z_ALONG_Y = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])


def _box(local: Floats, turn: Floats) -> Fit:
    """A box about points along their own principal axes square to Y, outliers left out."""
    frame = np.zeros((3, 3))
    frame[(0, 2), 0] = turn[:, 1]
    frame[1, 1] = 1.0
    frame[:, 2] = np.cross(frame[:, 0], frame[:, 1])
    inside = local @ frame
    low, high = np.percentile(inside, (OUTLIERS, 100.0 - OUTLIERS), axis=0)
    half = 0.5 * (high - low)
    half = np.maximum(half, LEAST_HALF_WIDTH * half.max())
    return fitted("BOX", half, frame @ (0.5 * (low + high)), frame)


def shape_by_length(
    head: Floats, tail: Floats, left: Floats, wanted: str, role: str, size: float
) -> Fit:
    """The shape of a bone without skin: as thick as its role in a character of ``size`` m."""
    along = tail - head
    length = float(np.linalg.norm(along))
    y = along / length
    radius = THICKNESS.get(role, 0.0) * size or SLENDER * length
    x = left - (left @ y) * y
    if np.linalg.norm(x) < 1e-3:
        x = np.cross(y, np.eye(3)[int(np.argmin(np.abs(y)))])
    x /= np.linalg.norm(x)
    frame = np.stack([x, y, np.cross(x, y)], axis=1)
    middle = 0.5 * (head + tail)
    if wanted == "CAPSULE" or (wanted != "BOX" and role not in BOXES):
        radius = min(radius, length) if role in THICKNESS else radius
        turn = frame @ _Z_ALONG_Y
        return fitted("CAPSULE", (radius, max(0.5 * length - 0.5 * radius, 0.0)), middle, turn)
    return fitted("BOX", (1.2 * radius, 0.5 * length, 0.8 * radius), middle, frame)


def thickened(fit: Fit, factor: float) -> Fit:
    """The shape ``factor`` times as thick; a hull and a sphere as large."""
    if factor == 1.0:
        return fit
    if fit.hull is not None:
        return Fit(
            fit.shape,
            tuple(factor * s for s in fit.size),
            fit.centre,
            fit.orientation,
            fit.hull.scaled(factor),
        )
    size = np.array(fit.size)
    if fit.shape == "BOX":
        size[[0, 2]] *= factor
    else:
        size[0] *= factor
    return Fit(fit.shape, tuple(size.tolist()), fit.centre, fit.orientation)


def surface_points(fit: Fit) -> Floats:
    """Points (n, 3) m on a shape's surface, close enough to tell whether shapes overlap."""
    if fit.hull is not None:
        local = fit.hull.vertex
    elif fit.shape == "BOX":
        grid = np.array([(i, j, k) for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1)])
        local = np.concatenate([BOX_CORNERS, grid]) * np.array(fit.size)
    else:
        radius, half = fit.size[0], fit.size[1] if len(fit.size) > 1 else 0.0
        turn = np.linspace(0.0, 2.0 * np.pi, 8, endpoint=False)
        ring = radius * np.stack([np.cos(turn), np.sin(turn), 0.0 * turn], axis=1)
        levels = [ring + (0.0, 0.0, z) for z in np.linspace(-half, half, 5)]
        ends = np.array([(0.0, 0.0, half + radius), (0.0, 0.0, -half - radius)])
        local = np.concatenate([*levels, ends])
    return local @ rotation_matrix(fit.orientation).T + fit.centre


def depth_in(fit: Fit, points: Floats) -> float:
    """How deep m the deepest of points (n, 3) lies in a shape; below zero: outside."""
    return float(-distances_to(fit, points).min())


def distances_to(fit: Fit, points: Floats) -> Floats:
    """How far m outside a shape each of points (n, 3) lies; below zero: inside.

    Outside, the highest above a face counts for boxes and hulls: no more than the distance.
    """
    local = (points - fit.centre) @ rotation_matrix(fit.orientation)
    distance: Floats
    if fit.hull is not None:
        distance = (local @ fit.hull.face_normal.T - fit.hull.face_offset).max(axis=1)
    elif fit.shape == "BOX":
        distance = (np.abs(local) - np.array(fit.size)).max(axis=1)
    else:
        half = fit.size[1] if len(fit.size) > 1 else 0.0
        local[:, 2] -= np.clip(local[:, 2], -half, half)
        distance = np.linalg.norm(local, axis=1) - fit.size[0]
    return distance
