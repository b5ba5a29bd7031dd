"""What a `State` remembers of contacts between rigid bodies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..records import Records
from .state_part import StatePart

REMEMBERED_CONTACT = np.dtype(
    [
        ("shape", np.int32, (2,)),
        ("sub_shape", np.int32),
        ("feature", np.int32),  # which of the points that the two may have
        ("normal_impulse", np.float64),  # N·s
        ("friction_impulse", np.float64, (3,)),  # N·s, along the axes of the world
        ("overlap", np.float64),  # m, what is left of the overlap that the two met with
    ],
    align=True,
)
"""A contact point of the last substep, and what it is known by."""

NOTHING_REMEMBERED: Records = np.zeros(0, dtype=REMEMBERED_CONTACT)
"""Where nothing has touched yet."""


@dataclass(eq=False)
class ContactState(StatePart):
    """The contacts of the last substep."""

    # (c,) REMEMBERED_CONTACT, sorted by shapes and sub-shape; not to be written to
    remembered: Records

    def copy(self) -> ContactState:
        """One that remembers the same."""
        return ContactState(self.remembered)

    @classmethod
    def at_start(cls) -> ContactState:
        """Nothing has touched yet."""
        return cls(NOTHING_REMEMBERED)
