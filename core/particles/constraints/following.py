"""What constraints have in common that have the last word in a substep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from ...model.constraint import Moving


@runtime_checkable
class Following(Protocol):
    """A constraint that goes, after contacts, where what it hangs on has got to."""

    def follow(self, moving: Moving) -> None:
        """Project once more after contacts have had their say, in place."""
        ...
