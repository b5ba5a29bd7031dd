"""What moves: positions now and before, rotations, and what the solver remembers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, get_type_hints

import numpy as np

from ..arrays import Floats
from ..settings import WindSettings
from .contact_state import ContactState
from .cushion_state import CushionState
from .joint_table import JointState
from .particle_table import BallState
from .rest_table import RestState
from .state_part import StatePart
from .stretch_state import StretchState
from .tear_table import TearState

FACTORS = ("pin", "wind", "fields")
"""Animated factors on forces."""


def wind_numbers(wind: WindSettings) -> tuple[float, ...]:
    """The settings of the wind, one after the other."""
    velocity, *others = (getattr(wind, one.name) for one in fields(wind))
    return (*velocity, *others)


NO_WIND = wind_numbers(WindSettings())

NEVER_WRITTEN = ("mesh_vertex", "acted", "step", "time", "frame")
"""What copies of a state have in common: numbers, and what is never written to."""


@dataclass
class State:
    """What moves. `advance` reads one state and returns another; it never writes to its input."""

    position: Floats  # (n, 3) m
    # (n, 3) m, x*. (x − x*)/step is the velocity half a substep ago, so that x* is the place one
    # substep ago (Verlet, leapfrog), or the velocity at x itself (the other integrators).
    previous: Floats
    pin_position: Floats  # (p, 3) m, where pins were driven last
    collider_position: Floats  # (colliders, 3) m
    collider_orientation: Floats  # (colliders, 4)
    collider_velocity: Floats  # (colliders, 3) m/s, in the last frame
    body_position: Floats  # (b, 3) m, x: centres of mass
    body_previous: Floats  # (b, 3) m, x*
    body_orientation: Floats  # (b, 4), q: principal axes
    body_previous_orientation: Floats  # (b, 4), q*: the turn from it to q is the spin
    body_rest: Floats  # (b,) s for which the body has been still, `LED` where animation leads it
    body_load: Floats  # (b, 3) m/s², gravity and forces on the body when it was last awake
    body_hold: Floats  # (b, 2, 3) N and N·m that stretched cloth held it with in the last substep
    # (v, 3) m, of all mesh shapes, in the frames of the shapes; not to be written to
    mesh_vertex: Floats
    contacts: ContactState
    cushions: CushionState
    balls: BallState
    joints: JointState
    tears: TearState
    rest: RestState
    stretch: StretchState
    # what acted from outside in the last frame: gravity (3,) m/s², the wind's numbers, FACTORS of
    # each object, force fields (`stages.outside`). x* is laid out for it; not to be written to
    acted: Floats
    step: float  # s, the substep that separates previous from position
    time: float  # s since the start
    frame: int

    def copy(self) -> State:
        """An independent copy, but of what is never written to."""
        twin = object.__new__(State)
        copied = vars(twin)
        for name, value in vars(self).items():
            copied[name] = value if name in NEVER_WRITTEN else value.copy()
        return twin

    def columns(self) -> dict[str, Any]:
        """All that it holds by name: what a part holds as ``part.name``."""
        found = {}
        for name, value in vars(self).items():
            if isinstance(value, StatePart):
                found.update({f"{name}.{own}": array for own, array in vars(value).items()})
            else:
                found[name] = value
        return found

    @staticmethod
    def of_columns(columns: Mapping[str, Any]) -> State:
        """The state that holds these. Raises KeyError where one is missing."""
        whole: dict[str, Any] = {}
        for one in fields(State):
            kind = STATE_PARTS.get(one.name)
            whole[one.name] = (
                columns[one.name]
                if kind is None
                else kind(*(columns[f"{one.name}.{own.name}"] for own in fields(kind)))
            )
        return State(**whole)


STATE_PARTS: dict[str, Any] = {
    name: kind
    for name, kind in get_type_hints(State).items()
    if isinstance(kind, type) and issubclass(kind, StatePart)
}
"""What kind of thing each part of a state is."""

STATE_COLUMNS = tuple(
    column
    for one in fields(State)
    for column in (
        [f"{one.name}.{own.name}" for own in fields(STATE_PARTS[one.name])]
        if one.name in STATE_PARTS
        else [one.name]
    )
)
"""Names of all that a state holds, in the order of `State.columns`."""


def acting_at_first(gravity: tuple[float, float, float], objects: int) -> Floats:
    """`State.acted` of a start that is laid out for gravity alone, m/s²."""
    acted = np.array([*gravity, *NO_WIND, *[1.0] * (len(FACTORS) * objects)])
    acted.flags.writeable = False
    return acted
