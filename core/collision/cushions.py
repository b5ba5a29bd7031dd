"""Cushions: cloth between two bodies that both move keeps them as far apart as it is thick.

A vertex of cloth weighs a hundredth of a gram: what little momentum it carries from one body to the
other in a pass bears next to nothing of a crate. On what nothing moves the vertex can be as heavy
as that (`particles.contacts.squeeze`); between two that move it cannot, for the lower one would
hear of the weight a substep late. So cloth only tells how thick it is between two shapes, and the
bodies' own contacts, which know of stacks, blows and sleep, keep these so far apart, with the
friction of the cloth in place of their own.
"""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import NONE
from ..kernels.jit import kernel, lean_inline
from ..pairs import find_pair

if TYPE_CHECKING:
    from ..arrays import Floats, Ints

Cushions = namedtuple(
    "Cushions",
    [
        "key",  # (m, 2) shapes, low before high, rows sorted
        "thickness",  # (m,) m, between the two
        "grown",  # (m,) m, how much thicker it is than at the last look
        "friction",  # (m,) of the cloth with the one that it rubs less against
        "is_met",  # (m,) 1: there are contacts of the two
        "press",  # (m,) N·s, that these push with in this substep
        "vertices",  # (m,) of cloth that share it
    ],
)
"""Between shapes of bodies that move by themselves."""


def cushions_of(key: Ints, thickness: Floats, friction: Floats, grown: Floats) -> Cushions:
    """Cushions of which it is not known yet whether the two meet."""
    count = len(key)
    is_met, vertices = np.zeros((2, count), dtype=np.int32)
    return Cushions(key, thickness, grown, friction, is_met, np.zeros(count), vertices)


def no_cushions() -> Cushions:
    """Where no cloth is between bodies."""
    nothing = np.zeros(0)
    return cushions_of(np.zeros((0, 2), dtype=np.int32), nothing, nothing, nothing)


@lean_inline
def skin_between(cushions, s, t):
    """How far m shapes s and t keep apart."""
    m = find_pair(cushions.key, s, t)
    return 0.0 if m == NONE else cushions.thickness[m]


@kernel
def note_met(item, count, manifolds, cushions):
    """Note of which cushions the first ``count`` items (m, 3) have contacts."""
    for n in range(count):
        m = find_pair(cushions.key, item[n]["shape"][0], item[n]["shape"][1])
        if m != NONE and manifolds.count[n] > 0:
            cushions.is_met[m] = 1
