"""What the constructors of all kinds of constraint check, with messages that name the object."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ... import checks
from ...arrays import Floats, Ints
from ...errors import ModelError

if TYPE_CHECKING:
    from .building import Building


def vertices(builder: Building, owner: int, particles: ArrayLike) -> str:
    """Particles as a person reads them: "3 and 4", counted within the object that owns them."""
    first = builder.objects[owner].first_particle
    last = first + builder.objects[owner].particle_count
    named = [
        str(p - first) if first <= p < last else f"{p} of the scene"
        for p in (int(q) for q in np.asarray(particles).reshape(-1))
    ]
    return named[0] if len(named) == 1 else ", ".join(named[:-1]) + " and " + named[-1]


def rows_of_particles(
    builder: Building, owner: int, what: str, values: ArrayLike, width: int
) -> Ints:
    """Rows (k, width) of particles of the model, no particle twice in a row."""
    if not 0 <= owner < len(builder.objects):
        raise ModelError("", f"a {what} belongs to object {owner} of {len(builder.objects)}")
    name = builder.objects[owner].name
    particles = f"particles of a {what}"
    rows = checks.indices(name, particles, values, builder.particle_count)
    if rows.size % width:
        raise ModelError(name, f"{what} rows have shape {rows.shape}, expected (n, {width})")
    rows = rows.reshape(-1, width)
    in_order = np.sort(rows, axis=1)
    twice = (in_order[:, 1:] == in_order[:, :-1]).any(axis=1)
    if twice.any():
        row = rows[int(np.argmax(twice))]
        raise ModelError(name, f"a {what} names one vertex twice ({vertices(builder, owner, row)})")
    return rows


def numbers(
    builder: Building,
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
    return checks.numbers(name, what, values, shape, least=least, most=most, endless=endless)
