"""What a mesh weighs and how it resists being turned, and the shapes that it collides with."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ..collision.shape import Shape
from ..errors import ModelError
from ..geometry.closest_shape import Fit, shape_mass_properties
from ..geometry.mass_properties import MassProperties, mesh_mass_properties
from ..geometry.solid import solid_parts
from ..rotation import conjugate, product
from ..vector import rotation_matrix
from .fit import OPEN_VESSEL_SHARE, ROUNDED_SHARE

if TYPE_CHECKING:
    from ..arrays import Floats, Ints

MIDDLE_SHARE = 1e-9
"""Share of its size within which a shape counts as centred in its body."""


def solid_of(
    name: str, points: Floats, orientation: Floats, triangles: Ints | None, fit: Fit
) -> MassProperties:
    """The solid that triangles (t, 3) over points (n, 3) m enclose, along the axes of the world.

    The fitted shape counts in place of a mesh that has no faces or lies on one line, and the walls
    in place of the whole for a vessel that is made a COMPOUND. Of copies of a mesh that stand
    along their own axes, orientation (4,), only the first one costs time.
    """
    if triangles is None or not len(triangles):
        return shape_mass_properties(fit)
    axes = rotation_matrix(orientation)
    local = points @ axes
    low, high = local.min(axis=0), local.max(axis=0)
    middle, size = 0.5 * (low + high), 0.5 * float((high - low).max())
    places = np.rint((local - middle) / (ROUNDED_SHARE * size)).astype(np.int32).tobytes()
    faces = np.ascontiguousarray(triangles, dtype=np.int32).tobytes()
    unit = _unit_solid(places, faces)
    if unit is None or (fit.shape == "COMPOUND" and _is_vessel(places, faces)):
        return shape_mass_properties(fit)
    solid = MassProperties(unit.volume * size**3, unit.centre * size, unit.inertia * size**5)
    return solid.moved(axes @ middle, axes)


@lru_cache(maxsize=256)
def _unit_solid(places: bytes, faces: bytes) -> MassProperties | None:
    """What int32 points in steps of `ROUNDED_SHARE` enclose; None for what lies on one line."""
    points = ROUNDED_SHARE * np.frombuffer(places, dtype=np.int32).reshape(-1, 3).astype(np.float64)
    try:
        return mesh_mass_properties("", points, np.frombuffer(faces, dtype=np.int32).reshape(-1, 3))
    except ModelError:
        return None


@lru_cache(maxsize=256)
def _is_vessel(places: bytes, faces: bytes) -> bool:
    """Whether the same points and faces are walls without thickness, for what is COMPOUND."""
    points = ROUNDED_SHARE * np.frombuffer(places, dtype=np.int32).reshape(-1, 3).astype(np.float64)
    triangles = np.frombuffer(faces, dtype=np.int32).reshape(-1, 3)
    return any(part.volume == 0.0 for part in solid_parts(points, triangles, OPEN_VESSEL_SHARE))


def placed_shapes(name: str, fit: Fit, origin: Floats, orientation: Floats) -> list[Shape]:
    """A fitted shape, or the parts of a compound, in the frame at origin (3,) m, axes (4,)."""
    axes = rotation_matrix(orientation)
    shapes = []
    for part in fit.parts or (fit,):
        offset = (part.centre - origin) @ axes
        offset[np.abs(offset) <= MIDDLE_SHARE * max(part.size, default=0.0)] = 0.0
        turn = np.array(product(conjugate(orientation), part.orientation))
        shapes.append(Shape.of(name, part.shape, part.size, offset, turn, hull=part.hull))
    return shapes


def layer_bits(layers: tuple[bool, ...]) -> int:
    """One bit for each layer that is on, the first one lowest."""
    return sum(1 << number for number, is_on in enumerate(layers) if is_on)
