"""What constraints have in common that keep a form so firmly that a part in soil holds the rest."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from ...arrays import Ints


@runtime_checkable
class Rooting(Protocol):
    """A constraint along which roots grow: see `building.rooted`."""

    @property
    def bonds(self) -> Ints:
        """Pairs (b, 2) of particles that it holds to each other."""
        ...
