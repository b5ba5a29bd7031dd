"""What contacts see of velocities while they are solved: those of now, or of the sweep before.

Gauss–Seidel: each contact sees what those before it have done. Jacobi (Kenwright's "ping-pong"):
all read one copy of the velocities and write the other, which becomes the one to read in the next
sweep, so that the order of contacts means nothing. Many contacts then push one body at once; each
takes only its share, as if the body were cut into as many as contacts hold it (mass splitting:
Tonge, Benevolenski & Voroshilov 2012).

Corrections of either kind are scaled by Kenwright's relaxation coefficient c_r (eq. 10).
"""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING

import numpy as np

from ...kernels.jit import lean_inline
from ...vec3 import load, store

if TYPE_CHECKING:
    from ...settings import SolverSettings
    from ..owners import Owners

VelocityBuffer = namedtuple(
    "VelocityBuffer",
    [
        "velocity",  # (o, 3) m/s
        "spin",  # (o, 3) rad/s
        "sharers",  # (o,) contacts that hold each owner in this sweep; Jacobi only
        "is_jacobi",  # bool
        "relaxation",  # c_r
    ],
)

_NO_SHARERS = np.zeros(0)


def velocity_buffer(owners: Owners, settings: SolverSettings) -> VelocityBuffer:
    """The velocities that contacts read under these settings."""
    relaxation = settings.contact_relaxation
    if settings.relaxation != "JACOBI":
        return VelocityBuffer(owners.velocity, owners.spin, _NO_SHARERS, False, relaxation)
    count = len(owners.velocity)
    apart = (np.zeros((count, 3)), np.zeros((count, 3)), np.zeros(count))
    return VelocityBuffer(*apart, True, relaxation)


@lean_inline
def swap_buffers(buffer, owners):
    """Before a sweep: what is written so far is what it reads."""
    for o in range(buffer.velocity.shape[0]):
        buffer.sharers[o] = 0.0
        store(buffer.velocity, o, load(owners.velocity, o))
        store(buffer.spin, o, load(owners.spin, o))
