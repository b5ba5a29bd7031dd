"""The constant arrays of bodies of particles, part of a `Model`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..arrays import Floats, Ints


@dataclass(frozen=True, eq=False)
class ParticleBodyTable:
    """p bodies of four particles each, at ±extent along the principal axes."""

    first_particle: Ints  # (p,)
    extent: Floats  # (p, 3) m, radius of gyration along each axis
    form: Ints  # (p,) particle_bodies.TETRAHEDRON or AXES: what keeps them rigid
    mass: Floats  # (p,) kg

    def __len__(self) -> int:
        return len(self.mass)
