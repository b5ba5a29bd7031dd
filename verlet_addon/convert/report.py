"""What was converted, and what could not be."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Report:
    """Counts, and notes by name."""

    bodies: int = 0
    joints: int = 0
    notes: list[str] = field(default_factory=list)

    def note(self, name: str, texts: list[str]) -> None:
        """Add what there is to say about one object."""
        self.notes += [f"{name}: {text}" for text in texts]
