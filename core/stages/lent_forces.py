"""Forces on bodies that count for one substep."""

from __future__ import annotations

from ..arrays import Floats
from ..rigid.owners import Moves


class LentForces:
    """What is lent to the forces of a substep; afterwards these are what they were, to the bit."""

    def __init__(self, moves: Moves) -> None:
        self.moves = moves
        self._before: list[tuple[Floats, int | slice, Floats]] = []

    def add(self, rows: int | slice, force: Floats, torque: Floats) -> None:
        """Lend force N and torque N·m, (3,) or (b, 3), to one body or to all."""
        for whole, more in ((self.moves.force, force), (self.moves.torque, torque)):
            self._before.append((whole, rows, whole[rows].copy()))
            whole[rows] += more

    def take_back(self) -> None:
        """Leave the other forces as they were."""
        while self._before:
            whole, rows, before = self._before.pop()
            whole[rows] = before
