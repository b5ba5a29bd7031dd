"""What forces have in common that act on what a substep has done, not before it."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from ..arrays import Floats, Ints
from ..records import Particles


@runtime_checkable
class Settling(Protocol):
    """A force on the ways of a substep, after all relaxation; `ModelBuilder.add_force` takes it."""

    @property
    def object(self) -> int:
        """Index into `Model.objects` of the object that it belongs to."""
        ...

    @property
    def particles(self) -> Ints:
        """Every particle that it names, for the check that they exist."""
        ...

    def settle(self, moving: Particles, mass: Floats, h: float) -> None:
        """Change the places ``moving.x``, in place; mass (n,) kg, h s."""
        ...
