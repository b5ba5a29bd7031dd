"""The simple shape that is closest to a convex hull."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..vector import rotation_matrix, rotation_quaternion
from .hull import DEFAULT_LIMIT, Hull, convex_hull
from .mass_properties import (
    MassProperties,
    box_mass_properties,
    capsule_mass_properties,
    cylinder_mass_properties,
    hull_mass_properties,
    principal_axes,
    sphere_mass_properties,
    sum_mass_properties,
)
from .support import DIRECTION

if TYPE_CHECKING:
    from ..arrays import Floats

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
_CIRCLE_ANGLES = 2.0 * np.pi * np.arange(48) / 48
CIRCLE = np.stack([np.cos(_CIRCLE_ANGLES), np.sin(_CIRCLE_ANGLES), 0.0 * _CIRCLE_ANGLES], axis=1)


@dataclass(frozen=True, eq=False)
class Fit:
    """A shape in its place: centre (3,) m, size as in `collision.shapes`, orientation (4,).

    ``hull`` belongs to HULL, in the shape's own frame, whose origin is the middle of its bounding
    box. ``parts`` belong to COMPOUND: its convex parts, each a shape in its place among the same
    axes; centre and size are those of the whole one's bounding box.
    """

    shape: str
    size: tuple[float, ...]
    centre: Floats
    orientation: Floats
    hull: Hull | None = None
    parts: tuple[Fit, ...] = ()

    def placed(self, scale: float, turn: Floats, move: Floats) -> Fit:
        """The shape scaled about the origin, turned by a rotation (3, 3) and moved (3,) m."""
        axes = turn @ rotation_matrix(self.orientation)
        return Fit(
            self.shape,
            tuple(scale * s for s in self.size),
            turn @ (scale * self.centre) + move,
            rotation_quaternion(axes),
            None if self.hull is None else self.hull.scaled(scale),
            tuple(part.placed(scale, turn, move) for part in self.parts),
        )


def fitted(shape: str, size: ArrayLike, centre: Floats, turn: Floats | None = None) -> Fit:
    """A simple shape whose axes are the columns of turn (3, 3)."""
    numbers = tuple(float(s) for s in np.asarray(size, dtype=np.float64))
    return Fit(shape, numbers, centre, rotation_quaternion(np.eye(3) if turn is None else turn))


def shape_mass_properties(fit: Fit) -> MassProperties:
    """The solid that a BOX, SPHERE, CAPSULE, CYLINDER, HULL or COMPOUND in its place is."""
    if fit.parts:
        return sum_mass_properties([shape_mass_properties(part) for part in fit.parts])
    if fit.hull is not None:
        own = hull_mass_properties(fit.hull)
    elif fit.shape == "BOX":
        own = box_mass_properties(fit.size)
    elif fit.shape == "SPHERE":
        own = sphere_mass_properties(*fit.size)
    elif fit.shape == "CYLINDER":
        own = cylinder_mass_properties(*fit.size)
    else:
        own = capsule_mass_properties(*fit.size)
    return own.moved(fit.centre, rotation_matrix(fit.orientation))


def closest_shape(hull: Hull) -> Fit:
    """The closest of BOX, SPHERE, CYLINDER and CAPSULE if one is close to a hull, else HULL.

    Close is what `OVERHANG` and `FILLED` say. A hull of many vertices is made coarser.
    """
    low, high = hull.vertex.min(axis=0), hull.vertex.max(axis=0)
    middle = 0.5 * (low + high)
    radius = float(np.linalg.norm(hull.vertex - middle, axis=1).mean())
    candidates = [_box(hull), fitted("SPHERE", (radius,), middle)]
    for turn in _turns(hull):
        centre, radius, half_height = _around(hull, turn)
        candidates.append(fitted("CYLINDER", (radius, half_height), centre, turn))
        straight = max(half_height - radius, 0.0)
        candidates.append(fitted("CAPSULE", (radius, straight), centre, turn))
    volume = hull_mass_properties(hull).volume
    closest, share = None, 1.0
    for fit in candidates:
        apart = _overhang(hull, fit) / OVERHANG[fit.shape]
        if apart < share and volume > FILLED[fit.shape] * shape_mass_properties(fit).volume:
            closest, share = fit, apart
    return closest or hull_shape(hull)


def hull_shape(hull: Hull) -> Fit:
    """The hull itself around the middle of its box, of at most `DEFAULT_LIMIT` vertices."""
    if len(hull.vertex) > DEFAULT_LIMIT:
        hull = convex_hull(hull.vertex, DEFAULT_LIMIT) or hull
    low, high = hull.vertex.min(axis=0), hull.vertex.max(axis=0)
    middle = 0.5 * (low + high)
    local = hull.in_frame(middle, np.eye(3))
    half = tuple(0.5 * float(s) for s in high - low)
    return Fit("HULL", half, middle, np.array([1.0, 0.0, 0.0, 0.0]), local)


def smallest_cylinder(hull: Hull) -> Fit:
    """The smallest cylinder around a hull, along one of its own or the object's axes."""
    fits = []
    for turn in _turns(hull):
        centre, radius, half_height = _around(hull, turn)
        fits.append(fitted("CYLINDER", (radius, half_height), centre, turn))
    return min(fits, key=lambda fit: shape_mass_properties(fit).volume)


def _turns(hull: Hull) -> list[Floats]:
    """Rotations (3, 3) that lay z along the object's axes and the hull's principal ones."""
    _, principal = principal_axes(hull_mass_properties(hull).inertia, (1.0, 0.0, 0.0, 0.0))
    own = [np.roll(np.eye(3), k, axis=1) for k in (0, 1, 2)]
    turned = rotation_matrix(principal)
    return own + [turned @ turn for turn in own if np.abs(turned - np.eye(3)).max() > 1e-6]


def _box(hull: Hull) -> Fit:
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
        return fitted("BOX", size, middle)
    # Of the 24 ways to name the axes of a box, the one nearest to the object's.
    order = max(permutations(range(3)), key=lambda o: sum(abs(turn[k, o[k]]) for k in range(3)))
    axes = turn[:, order] * np.where(np.diag(turn[:, order]) < 0.0, -1.0, 1.0)
    if np.linalg.det(axes) < 0.0:
        axes[:, int(np.argmin(np.abs(np.diag(axes))))] *= -1.0
    return fitted("BOX", size[list(order)], middle, axes)


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


def _overhang(hull: Hull, fit: Fit) -> float:
    """How far a shape stands out of a hull or the hull out of it, as a share of its least width."""
    turn = rotation_matrix(fit.orientation)
    place = (hull.vertex - fit.centre) @ turn
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
    beyond = (fit.centre + skin @ turn.T) @ hull.face_normal.T - hull.face_offset
    least = min(fit.size) if fit.shape == "BOX" else fit.size[0]
    return float(max(beyond.max(), out.max(), 0.0)) / max(least, 1e-300)
