"""What constraints have in common that tie particles to places on rigid bodies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from ..arrays import Floats, Ints
    from ..records import Particles
    from ..rigid.owners import Owners
    from ..settings import AnimatedSettings


@runtime_checkable
class Tying(Protocol):
    """a ties between points of one object's particles and places on bodies.

    Whoever has to do with what bodies wear, or with what hangs on them, asks for these.
    """

    @property
    def object(self) -> int:
        """Index into `Model.objects` of the object that is tied."""
        ...

    @property
    def body(self) -> Ints:
        """Bodies (a,)."""
        ...

    @property
    def particle(self) -> Ints:
        """Particles (a, k) whose points are tied."""
        ...

    def holds(self, animated: Sequence[AnimatedSettings]) -> bool:
        """Whether the object is not let go; animated: one for each of `Model.objects`."""
        ...

    def places(self, position: Floats, orientation: Floats) -> Floats:
        """Where (a, 3) m bodies at position (b, 3) m and orientation (b, 4) hold their points."""
        ...

    def place(self, particles: Particles, owners: Owners, h: float, push: Floats) -> None:
        """Bring points, in place, to where bodies have got to within h s.

        push (b, 3) N·s gets what that gives to bodies.
        """
        ...


def ties_of(constraints: Iterable[object]) -> list[Tying]:
    """Those of some constraints that tie particles to bodies, in their order."""
    return [one for one in constraints if isinstance(one, Tying)]
