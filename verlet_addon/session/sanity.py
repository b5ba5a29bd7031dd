"""Whether what was simulated can be what anybody wanted: the ✓ must not stand over flung cloth.

The engine stops only at speeds that its numbers cannot carry. Long before, something has gone
wrong that a person sees at once: cloth torn out by a collider that jumps, edges pulled to twice
their length. Nor over surfaces that pass through each other.
"""

import math
from collections.abc import Sequence

from ...core.model import Diagnostics, State
from ...core.settings.gravity import GRAVITY
from .phase import EventKind

WILD_FALL = 15.0
"""s; who falls for so long is wild: 150 m/s by the gravity of the earth, or where it is less."""

WILD_STRETCH = 1.0
"""Of the longest edge, as a share of its length and beyond what it is forced to: sticks give by a
few percent at most."""


def faults_of(state: State, figures: Diagnostics, gravity: Sequence[float]) -> frozenset[EventKind]:
    """What is to be said of a frame that was simulated just now: `FLUNG`, `CROSSED`, `FORCED`.

    gravity (3,) m/s²; a scene whose unit is a centimetre has a hundred times that of the earth.
    """
    found = {EventKind.CROSSED} if figures.crossings else set()
    if figures.forced:
        found.add(EventKind.FORCED)
    asked = max((one.share for one in figures.forced), default=0.0)
    pairs = (state.position, state.previous), (state.body_position, state.body_previous)
    ways = [now - before for now, before in pairs if len(now)]
    wild = WILD_FALL * max(GRAVITY, math.hypot(*gravity))
    farthest = max((max(float(way.max()), -float(way.min())) for way in ways), default=0.0)
    if figures.stretch_max > WILD_STRETCH + asked or farthest > wild * state.step:
        found.add(EventKind.FLUNG)
    return frozenset(found)
