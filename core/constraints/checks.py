"""What the constructors of all kinds of constraint check, with messages that name the object."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ModelError
from ..model import Floats, Ints

if TYPE_CHECKING:
    from ..builder import ModelBuilder


def vertices(builder: ModelBuilder, owner: int, particles: ArrayLike) -> str:
    """Particles as a person reads them: "3 and 4", counted within the object that owns them."""
    first = builder.objects[owner].first_particle
    last = first + builder.objects[owner].particle_count
    named = [
        str(p - first) if first <= p < last else f"{p} of the scene"
        for p in (int(q) for q in np.asarray(particles).reshape(-1))
    ]
    return named[0] if len(named) == 1 else ", ".join(named[:-1]) + " and " + named[-1]


def rows_of_particles(
    builder: ModelBuilder, owner: int, what: str, values: ArrayLike, width: int
) -> Ints:
    """Rows (k, width) of particles of the model, no particle twice in a row."""
    if not 0 <= owner < len(builder.objects):
        raise ModelError("", f"a {what} belongs to object {owner} of {len(builder.objects)}")
    name = builder.objects[owner].name
    given = np.asarray(values)
    if given.size and not np.issubdtype(given.dtype, np.integer):
        raise ModelError(name, f"the particles of a {what} must be whole numbers")
    if given.size % width:
        raise ModelError(name, f"{what} rows have shape {given.shape}, expected (n, {width})")
    rows = np.ascontiguousarray(given, dtype=np.int32).reshape(-1, width)
    if rows.size and (rows.min() < 0 or rows.max() >= builder.particle_count):
        raise ModelError(
            name, f"a {what} names a particle outside 0 … {builder.particle_count - 1}"
        )
    in_order = np.sort(rows, axis=1)
    twice = (in_order[:, 1:] == in_order[:, :-1]).any(axis=1)
    if twice.any():
        row = rows[int(np.argmax(twice))]
        raise ModelError(name, f"a {what} names one vertex twice ({vertices(builder, owner, row)})")
    return rows


def numbers(
    builder: ModelBuilder,
    owner: int,
    what: str,
    values: ArrayLike,
    shape: tuple[int, ...],
    *,
    least: float = -np.inf,
    most: float = np.inf,
    endless: bool = False,
) -> Floats:
    """An array of that shape from an array or one number for all, between least and most.

    endless: +∞ is allowed too.
    """
    name = builder.objects[owner].name
    given = np.asarray(values, dtype=np.float64)
    try:
        array = np.ascontiguousarray(np.broadcast_to(given, shape)).copy()
    except ValueError:
        raise ModelError(name, f"{what} has shape {given.shape}, expected {shape}") from None
    bad = np.isnan(array) if endless else ~np.isfinite(array)
    if bad.any():
        raise ModelError(name, f"{what} holds numbers that are not finite")
    if array.size and (array.min() < least or array.max() > most):
        limits = f"{least:g} or more" if most == np.inf else f"between {least:g} and {most:g}"
        worst = array.min() if array.min() < least else array.max()
        raise ModelError(name, f"{what} = {worst:g} must be {limits}")
    return array
