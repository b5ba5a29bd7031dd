"""What hooks have in common whose particles make up owners, which carry shapes and joints."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from ...arrays import Floats, Ints
from ...rigid.owners import Owners


@runtime_checkable
class Composing(Protocol):
    """A kind of thing that moves as particles do, and is an owner to all who meet it."""

    @property
    def composed(self) -> Ints:
        """The particles (p, k) that each of its owners is made of."""
        ...

    def place(self, x: Floats, position: Floats, rotation: Floats) -> None:
        """Write where its owners are, (o, 3) m and (o, 3, 3), when particles are at x (n, 3) m."""
        ...

    def poses(self, x: Floats) -> tuple[Floats, Floats]:
        """Their centres (p, 3) m and unit quaternions (p, 4), likewise."""
        ...

    def weigh(self, x: Floats, inverse_mass: Floats, owners: Owners) -> None:
        """Write how hard its owners are to turn when particles are at x (n, 3) m."""
        ...
