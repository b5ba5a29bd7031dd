"""What constraints have in common on which bodies may hang."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from ...coupling.tying import Tying
    from ...model.constraint import Constraint


@runtime_checkable
class Carrying(Protocol):
    """A constraint that is solved together with the bodies which hang on its particles."""

    def tied_by(self, ties: Sequence[Tying]) -> Constraint:
        """The same constraint with the bodies that single particles of it are tied to."""
        ...
