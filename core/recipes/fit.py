"""Fit a collision shape to a mesh: one that is named, or the simplest that is close enough."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ModelError
from ..geometry.hull import DEFAULT_LIMIT, Hull, convex_hull
from ..geometry.mass_properties import (
    box_mass_properties,
    capsule_mass_properties,
    cylinder_mass_properties,
    hull_mass_properties,
    principal_axes,
    sphere_mass_properties,
)
from ..geometry.parts import convex_parts
from ..geometry.solid import solid_parts
from ..geometry.support import DIRECTION
from ..model import Floats
from ..vector import quaternion_of, rotation_matrix
from .points import checked_points

FLAT = 1e-3
"""A mesh thinner than this share of its size is a plane."""

CONCAVE = 1.15
"""A hull of more than this many times the mesh's volume leaves too much of it empty."""

OPEN = 0.1
"""A hole of more than this share of the surface makes an open vessel of what is to be COMPOUND."""

FINE = 256
"""Vertices of the hull against which simple shapes are measured."""

TIGHTER = 0.9
"""A turned box replaces that along the object's axes when it has at most this share of its volume.
"""

OVERHANG = {"BOX": 0.12, "SPHERE": 0.08, "CYLINDER": 0.04, "CAPSULE": 0.06}
"""How far a shape may stand out of the mesh's hull, or the hull out of it, as a share of the
shape's smallest half side or radius. A cylinder of twelve sides passes, one of ten does not; a ball
of 42 vertices passes, one of twelve does not."""

FILLED = {"BOX": 0.9, "SPHERE": 0.8, "CYLINDER": 0.9, "CAPSULE": 0.85}
"""Share of a shape's volume that the mesh's hull must have."""

BOX_CORNERS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
_TURN = 2.0 * np.pi * np.arange(48) / 48
CIRCLE = np.stack([np.cos(_TURN), np.sin(_TURN), 0.0 * _TURN], axis=1)


@dataclass(frozen=True, eq=False)
class Fit:
    """A shape in its place: centre (3,) m, size as in `contact.shapes`, orientation (4,).

    ``hull`` belongs to HULL, in the shape's own frame, whose origin is the middle of its bounding
    box. ``parts`` belong to COMPOUND: its convex parts, each a shape in its place in the world;
    centre and size are those of the whole one's bounding box.
    """

    shape: str
    size: tuple[float, ...]
    centre: Floats
    orientation: Floats
    hull: Hull | None = None
    parts: tuple[Fit, ...] = ()


def fit_shape(
    name: str,
    points: ArrayLike,
    orientation: ArrayLike,
    shape: str,
    triangles: ArrayLike | None = None,
) -> Fit:
    """Fit ``shape`` (or the best one for AUTO) to points (n, 3) m along the axes of orientation.

    triangles (t, 3) tell what is solid. AUTO takes PLANE for what is flat along the object's XY,
    COMPOUND for a mesh whose hull has `CONCAVE` times its volume; else the closest of BOX, SPHERE,
    CYLINDER and CAPSULE if one is close (see `OVERHANG`), a BOX along other axes than the object's
    where that is clearly tighter; else HULL. Without triangles AUTO knows SPHERE and BOX alone.
    COMPOUND of one part becomes the shape of that part, HULL of points on one line a thin BOX.
    A vessel of faces without thickness is solid for AUTO and hollow for COMPOUND.

    Raises `ModelError` for no points, points that are not finite, or a single place.
    """
    x = checked_points(name, points)
    q = np.array(orientation, dtype=np.float64)
    q /= np.linalg.norm(q)
    frame = _Frame(rotation_matrix(q), q)
    local = x @ frame.axes
    low, high = local.min(axis=0), local.max(axis=0)
    half = 0.5 * (high - low)
    middle = 0.5 * (low + high)
    largest = float(half.max())
    if largest <= 0.0:
        raise ModelError(name, "has all its vertices in one place; scale it up")
    if shape == "AUTO":
        if half[2] < FLAT * largest and half[:2].min() > FLAT * largest:
            return Fit("PLANE", (), frame.axes @ middle, q)
        if triangles is not None:
            return _best(frame, local, triangles, half, middle)
        shape = "SPHERE" if _is_round(local, middle) else "BOX"
    if shape == "PLANE":
        return Fit("PLANE", (), frame.axes @ middle, q)
    if shape == "SPHERE":
        return frame.fit("SPHERE", (float(np.linalg.norm(local - middle, axis=1).mean()),), middle)
    if shape == "CAPSULE":
        return _capsule(frame, half, middle, int(np.argmax(half)))
    if shape in ("CYLINDER", "HULL", "COMPOUND"):
        hull = convex_hull(local, FINE)
        if hull is None:
            shape = "BOX"
        elif shape == "CYLINDER":
            return min((_cylinder(frame, hull, turn) for turn in _turns(hull)), key=_volume)
        elif shape == "HULL" or triangles is None:
            return _hull(frame, convex_hull(local, DEFAULT_LIMIT) or hull)
        else:
            return _compound(frame, local, triangles, half, middle, OPEN)
    thick = half if shape == "MESH" else np.maximum(half, FLAT * largest)
    return frame.fit(shape, thick, middle)


@dataclass(frozen=True, eq=False)
class _Frame:
    """The object's axes, as the columns of a matrix (3, 3) and as a unit quaternion (4,)."""

    axes: Floats
    orientation: Floats

    def fit(
        self,
        shape: str,
        size: ArrayLike,
        centre: Floats,
        turn: Floats | None = None,
        hull: Hull | None = None,
        parts: tuple[Fit, ...] = (),
    ) -> Fit:
        """A shape whose centre (3,) and turn (3, 3) are given along these axes."""
        orientation = self.orientation
        if turn is not None:
            plain = getattr(quaternion_of, "py_func", quaternion_of)  # not worth compiling for
            orientation = np.array(plain(self.axes @ turn))
        numbers = tuple(float(s) for s in np.asarray(size, dtype=np.float64))
        return Fit(shape, numbers, self.axes @ centre, orientation, hull, parts)


def _is_round(local: Floats, middle: Floats) -> bool:
    """Whether more than twelve points are as good as equally far from the middle."""
    radii = np.linalg.norm(local - middle, axis=1)
    return len(radii) > 12 and bool(np.ptp(radii) < 0.06 * radii.mean())


def _capsule(frame: _Frame, half: Floats, middle: Floats, axis: int) -> Fit:
    """Around an axis of the object: as long as the points, as wide as their bounding box."""
    radius = float(max(np.delete(half, axis).max(), FLAT * half.max()))
    turn = {
        0: np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]]),  # z → x
        1: np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]),  # z → y
        2: np.eye(3),
    }[axis]
    return frame.fit("CAPSULE", (radius, max(float(half[axis]) - radius, 0.0)), middle, turn)


def _hull(frame: _Frame, hull: Hull) -> Fit:
    """The hull itself, around the middle of its bounding box."""
    low, high = hull.vertex.min(axis=0), hull.vertex.max(axis=0)
    middle = 0.5 * (low + high)
    return frame.fit("HULL", 0.5 * (high - low), middle, None, hull.in_frame(middle, np.eye(3)))


def _compound(
    frame: _Frame,
    local: Floats,
    triangles: ArrayLike,
    half: Floats,
    middle: Floats,
    largest_hole: float = 1.0,
) -> Fit:
    """Convex parts, each by the simplest shape that is close to it."""
    hulls = convex_parts(local, triangles, largest_hole=largest_hole)
    parts = tuple(_convex(frame, hull) for hull in hulls)
    if not parts:  # points without triangles
        hull = convex_hull(local, FINE)
        assert hull is not None
        return _convex(frame, hull)
    if len(parts) == 1:
        return parts[0]
    return frame.fit("COMPOUND", half, middle, parts=parts)


def _best(frame: _Frame, local: Floats, triangles: ArrayLike, half: Floats, middle: Floats) -> Fit:
    """The simplest shape that is close to a mesh that is not flat along the object's XY."""
    corner = middle + np.where(local > middle, half, -half)
    corners = len(np.unique((local > middle) @ (1, 2, 4)))
    if corners == 8 and np.abs(local - corner).max() <= 1e-6 * half.max():
        return frame.fit("BOX", half, middle)  # nothing but corners, as most boxes
    hull = convex_hull(local, FINE)
    if hull is None:  # on one line
        return frame.fit("BOX", np.maximum(half, FLAT * half.max()), middle)
    solids = solid_parts(local, triangles)
    filled = sum(part.volume for part in solids if part.volume > 0.0)
    thickness = np.ptp(local @ hull.face_normal.T, axis=0).min()
    if solids and thickness > FLAT * half.max() and _volume_of(hull) > CONCAVE * filled:
        return _compound(frame, local, triangles, half, middle)
    return _convex(frame, hull)


def _convex(frame: _Frame, hull: Hull) -> Fit:
    """The closest simple shape of those that are close to a hull, or the hull itself."""
    low, high = hull.vertex.min(axis=0), hull.vertex.max(axis=0)
    middle = 0.5 * (low + high)
    radius = float(np.linalg.norm(hull.vertex - middle, axis=1).mean())
    candidates = [_box(frame, hull), frame.fit("SPHERE", (radius,), middle)]
    for turn in _turns(hull):
        candidates += [_cylinder(frame, hull, turn), _upright_capsule(frame, hull, turn)]
    volume = _volume_of(hull)
    closest, share = None, 1.0
    for fit in candidates:
        apart = _overhang(frame, hull, fit) / OVERHANG[fit.shape]
        if apart < share and volume > FILLED[fit.shape] * _volume(fit):
            closest, share = fit, apart
    if closest is not None:
        return closest
    coarse = hull if len(hull.vertex) <= DEFAULT_LIMIT else convex_hull(hull.vertex, DEFAULT_LIMIT)
    return _hull(frame, coarse or hull)


def _turns(hull: Hull) -> list[Floats]:
    """Rotations (3, 3) that lay z along the object's axes and the hull's principal ones."""
    _, principal = principal_axes(hull_mass_properties(hull).inertia, (1.0, 0.0, 0.0, 0.0))
    own = [np.roll(np.eye(3), k, axis=1) for k in (0, 1, 2)]
    turned = rotation_matrix(principal)
    return own + [turned @ turn for turn in own if np.abs(turned - np.eye(3)).max() > 1e-6]


def _box(frame: _Frame, hull: Hull) -> Fit:
    """The bounding box along the object's axes, or a clearly tighter one along a face and an edge.

    The smallest box has an edge of the hull along two of its faces (O'Rourke 1985); here one of
    its faces lies on one of the hull's, which finds every box and comes close otherwise.
    """
    ends = hull.vertex[hull.edge[:, :2]]
    along = ends[:, 1] - ends[:, 0]
    along /= np.linalg.norm(along, axis=1)[:, None]
    z = hull.face_normal[hull.edge[:, 2:]].reshape(-1, 3)
    x = np.repeat(along, 2, axis=0)
    x -= (x * z).sum(axis=1)[:, None] * z
    x /= np.linalg.norm(x, axis=1)[:, None]
    turns = np.concatenate([np.eye(3)[None], np.stack([x, np.cross(z, x), z], axis=2)])
    places = hull.vertex @ turns
    low, high = places.min(axis=1), places.max(axis=1)
    volume = (high - low).prod(axis=1)
    best = int(np.argmin(volume > volume.min() * (1.0 + 1e-6)))
    if volume[best] > TIGHTER * volume[0]:
        best = 0
    turn = turns[best]
    size, middle = 0.5 * (high - low)[best], turn @ (0.5 * (low + high)[best])
    if best == 0:
        return frame.fit("BOX", size, middle)
    # Of the 24 ways to name the axes of a box, the one nearest to the object's.
    order = max(permutations(range(3)), key=lambda o: sum(abs(turn[k, o[k]]) for k in range(3)))
    axes = turn[:, order] * np.where(np.diag(turn[:, order]) < 0.0, -1.0, 1.0)
    if np.linalg.det(axes) < 0.0:
        axes[:, int(np.argmin(np.abs(np.diag(axes))))] *= -1.0
    return frame.fit("BOX", size[list(order)], middle, axes)


def _around(hull: Hull, turn: Floats) -> tuple[Floats, float, float]:
    """Middle (3,), radius and half height of the cylinder around a hull along the turn's z.

    The axis runs through the hull's centre of mass, which is right for prisms of any base.
    """
    place = hull.vertex @ turn
    centre = hull_mass_properties(hull).centre @ turn
    radius = float(np.linalg.norm(place[:, :2] - centre[:2], axis=1).max())
    low, high = float(place[:, 2].min()), float(place[:, 2].max())
    centre[2] = 0.5 * (low + high)
    return turn @ centre, radius, 0.5 * (high - low)


def _cylinder(frame: _Frame, hull: Hull, turn: Floats) -> Fit:
    middle, radius, half_height = _around(hull, turn)
    return frame.fit("CYLINDER", (radius, half_height), middle, turn)


def _upright_capsule(frame: _Frame, hull: Hull, turn: Floats) -> Fit:
    middle, radius, half_height = _around(hull, turn)
    return frame.fit("CAPSULE", (radius, max(half_height - radius, 0.0)), middle, turn)


def _volume_of(hull: Hull) -> float:
    return hull_mass_properties(hull).volume


def _volume(fit: Fit) -> float:
    """Volume in m³ of a simple shape."""
    if fit.shape == "BOX":
        return box_mass_properties(fit.size).volume
    if fit.shape == "SPHERE":
        return sphere_mass_properties(*fit.size).volume
    if fit.shape == "CYLINDER":
        return cylinder_mass_properties(*fit.size).volume
    return capsule_mass_properties(*fit.size).volume


def _overhang(frame: _Frame, hull: Hull, fit: Fit) -> float:
    """How far a shape stands out of a hull or the hull out of it, as a share of its least width."""
    turn = frame.axes.T @ rotation_matrix(fit.orientation)
    middle = fit.centre @ frame.axes
    place = (hull.vertex - middle) @ turn
    height = np.array([0.0, 0.0, fit.size[-1]])
    if fit.shape == "BOX":
        skin = BOX_CORNERS * fit.size
        out = np.abs(place) - fit.size
    elif fit.shape == "SPHERE":
        skin = DIRECTION * fit.size[0]
        out = np.linalg.norm(place, axis=1) - fit.size[0]
    elif fit.shape == "CYLINDER":
        rim = CIRCLE * fit.size[0]
        skin = np.concatenate([rim - height, rim + height])
        out = np.linalg.norm(place[:, :2], axis=1) - fit.size[0]
    else:
        ball = DIRECTION * fit.size[0]
        skin = np.concatenate([ball - height, ball + height])
        nearest = np.clip(place[:, 2], -fit.size[1], fit.size[1])
        out = np.linalg.norm(place - nearest[:, None] * (0.0, 0.0, 1.0), axis=1) - fit.size[0]
    beyond = (middle + skin @ turn.T) @ hull.face_normal.T - hull.face_offset
    least = min(fit.size) if fit.shape == "BOX" else fit.size[0]
    return float(max(beyond.max(), out.max(), 0.0)) / max(least, 1e-300)
