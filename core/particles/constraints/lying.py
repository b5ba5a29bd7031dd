"""What constraints have in common that are solved together with what bears them."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class Lying(Protocol):
    """A constraint that may lie on colliders and bodies: it asks `Moving.ground` for them."""

    @property
    def lies_on_ground(self) -> bool:
        """Whether it does."""
        ...
