"""What one kind of thing keeps in a `State`."""

from __future__ import annotations

from typing import Self


class StatePart:
    """Arrays of a `State` that one kind of thing owns; a dataclass of arrays alone."""

    def copy(self) -> Self:
        """An independent copy; what is empty is shared."""
        twin = object.__new__(type(self))
        copied = vars(twin)
        for name, value in vars(self).items():
            copied[name] = value.copy() if value.size else value
        return twin
