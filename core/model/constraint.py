"""What every kind of constraint has in common, so that the step can project them all alike.

Sticks and springs are not among them: they are most of all constraints, are scheduled for threads
together and keep their arrays in the `Model` itself. So do tethers, but these have their turn as
constraints have (`Projected`).
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from ..arrays import Floats, Ints
from ..records import Particles
from ..settings import AnimatedSettings

Now = namedtuple(
    "Now",
    [
        "h",  # s
        "time",  # s since the start, at the end of the substep
        "is_first_pass",  # multipliers start from 0
    ],
)
"""When a pass is."""

Forced = namedtuple(
    "Forced",
    [
        "most",  # (o,) share of its length, that a stick of each object may keep being too long by
        "kept",  # share of the stretch of a step ago that it keeps
    ],
)
"""What sticks may be too long by, see `particles.constraints.kept_length`."""


@dataclass(slots=True)
class Moving:
    """What a constraint may read and, in ``x``, change during one pass of a substep."""

    x: Floats  # (n, 3) m
    previous: Floats  # (n, 3) m, x*
    inverse_mass: Floats  # (n,) 1/kg, 0 = pinned
    h: float  # s
    time: float  # s since the start, at the end of the substep
    is_first_pass: bool  # multipliers start from 0
    animated: Sequence[AnimatedSettings]  # one for each of Model.objects
    owners: Any = None  # rigid bodies, see rigid.owners: only velocity and spin may be changed
    push: Floats = field(default_factory=lambda: np.zeros((0, 3)))  # (b, 3) N·s that ties give them
    ground: Any = None  # what `Lying` ones may lie on, see `contacts.supports`, or nothing
    forced: Forced | None = None  # what objects are forced to be longer by, None where none is
    steps_known: int = 0  # substeps before this one that scratch still holds the multipliers of
    threads: int = 1  # that a constraint's own loops may take
    particles: Particles = field(init=False)  # x, previous and inverse_mass, as kernels get them

    def __post_init__(self) -> None:
        self.particles = Particles(self.x, self.previous, self.inverse_mass)

    @property
    def now(self) -> Now:
        """The moment, as kernels get it."""
        return Now(self.h, self.time, self.is_first_pass)

    def is_forced(self, object: int) -> bool:
        """Whether something presses an object to be longer than it is, see `forced_stretch`."""
        return self.forced is not None and bool(self.forced.most[object] > 0.0)

    def per_step(self, object: int) -> float:
        """1/h² over the stiffness factor of an object, s⁻²: compliances times this are α̃."""
        return 1.0 / (self.h**2 * max(self.animated[object].stiffness, 1e-12))


class Projected(Protocol):
    """What has its turn in each pass."""

    def project(self, moving: Moving, multiplier: Floats) -> None:
        """Project once, in place; multiplier is its own scratch."""
        ...


class Constraint(Projected, Protocol):
    """All constraints of one kind that one object has: constant arrays and their projection.

    A frozen dataclass in a file of its own, with the formula and its source above the kernel.
    `ModelBuilder.add_constraint` takes it. What only some kinds can do is a protocol of its own,
    in a file of `particles.constraints`, and whoever asks for it names no kind.
    """

    @property
    def object(self) -> int:
        """Index into `Model.objects` of the object that it belongs to."""
        ...

    @property
    def particles(self) -> Ints:
        """Every particle that it names, for the check that they exist."""
        ...

    @property
    def multiplier_count(self) -> int:
        """Multipliers λ that it carries from pass to pass of one step: as many get `project`."""
        ...
