"""What constraints have in common that have their turn with the sticks."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class Preceding(Protocol):
    """A constraint that solves sticks together.

    It is projected behind them and before what no object owns (`common_constraints`: tethers then
    find little to do), and before all constraints that say where particles may be: those have the
    later word.
    """

    @property
    def precedes(self) -> bool:
        """Whether it does."""
        ...
