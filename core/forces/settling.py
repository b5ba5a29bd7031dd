"""What forces have in common that act on what a substep has done."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from ..arrays import Floats
from ..records import Particles


@runtime_checkable
class Settling(Protocol):
    """A force that acts once more on the ways of a substep, after all relaxation."""

    def settle(self, particles: Particles, mass: Floats, h: float) -> None:
        """Change x of the particles, in place; mass (n,) kg, h s."""
        ...
