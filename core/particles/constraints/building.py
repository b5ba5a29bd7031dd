"""What the constructors of constraints ask of the builder that they are given."""

from __future__ import annotations

from typing import Protocol

from ...arrays import Floats
from ...model import ObjectSpan


class Building(Protocol):
    """Objects and particles that have been added so far; a `ModelBuilder` is one."""

    @property
    def objects(self) -> list[ObjectSpan]:
        """All objects."""
        ...

    @property
    def particle_count(self) -> int:
        """How many particles."""
        ...

    @property
    def position(self) -> Floats:
        """Places (n, 3) m of the particles."""
        ...

    @property
    def mass(self) -> Floats:
        """Masses (n,) kg of the particles."""
        ...
