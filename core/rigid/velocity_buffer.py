"""What contacts see of velocities while they are solved: those of now, or of the pass before.

Gauss–Seidel: each contact sees what those before it have done. Jacobi (Kenwright's "ping-pong"):
all read one copy of the velocities and write the other, which becomes the one to read in the next
pass, so that the order of contacts means nothing. Many contacts then push one body at once; each
takes only its share, as if the body were cut into as many as contacts hold it (mass splitting:
Tonge, Benevolenski & Voroshilov 2012).

Corrections of either kind are scaled by Kenwright's relaxation coefficient c_r (eq. 10).
"""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING

import numpy as np

from ..kernels.jit import lean_inline

if TYPE_CHECKING:
    from ..settings import SolverSettings
    from .owners import Owners

Seen = namedtuple(
    "Seen",
    [
        "velocity",  # (o, 3) m/s
        "spin",  # (o, 3) rad/s
        "holds",  # (o,) contacts that hold each owner in this pass; Jacobi only
        "is_jacobi",  # bool
        "relaxation",  # c_r
    ],
)

_NONE = np.zeros(0)


def what_contacts_see(owners: Owners, settings: SolverSettings) -> Seen:
    """The velocities that contacts read under these settings."""
    relaxation = settings.contact_relaxation
    if settings.relaxation != "JACOBI":
        return Seen(owners.velocity, owners.spin, _NONE, False, relaxation)
    count = len(owners.velocity)
    return Seen(np.zeros((count, 3)), np.zeros((count, 3)), np.zeros(count), True, relaxation)


@lean_inline
def take_turns(seen, owners):
    """Before a pass: what is written so far is what it reads."""
    for o in range(seen.velocity.shape[0]):
        seen.holds[o] = 0.0
        for k in range(3):
            seen.velocity[o, k] = owners.velocity[o, k]
            seen.spin[o, k] = owners.spin[o, k]
