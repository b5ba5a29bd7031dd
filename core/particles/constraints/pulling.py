"""What constraints have in common that have sticks of their own, in no table of the model."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from ...arrays import Floats, Ints


@runtime_checkable
class Pulling(Protocol):
    """A constraint whose sticks count among all others: how far they stretch, what they pull."""

    @property
    def stick(self) -> Ints:
        """The sticks (s, 2) between particles of the model."""
        ...

    @property
    def stick_rest_length(self) -> Floats:
        """(s,) m."""
        ...

    def pulls(self, multiplier: Floats) -> Floats:
        """What each stick (s,) pulled with in the last pass, N·s²: that over h² is its tension.

        multiplier: as `Constraint.project` gets it.
        """
        ...
