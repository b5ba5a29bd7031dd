"""Whether what was simulated can be what anybody wanted: the ✓ must not stand over flung cloth.

The engine stops only at speeds that its numbers cannot carry. Long before, something has gone
wrong that a person sees at once: cloth torn out by a collider that jumps, edges pulled to twice
their length. Nor over surfaces that pass through each other.
"""

import numpy as np

from ..session import Session
from ..session.phase import EventKind

WILD_SPEED = 150.0
"""m/s; what falls for ten seconds in still air is slower."""

WILD_STRETCH = 1.0
"""Of the longest edge, as a share of its length: sticks give by a few percent at most."""


def look(running: Session) -> None:
    """Note the frame that was simulated just now if it is the first that is not as it should be."""
    figures, state = running.last_diagnostics, running.cache[running.last]
    if figures.crossings:
        running.happened(EventKind.CROSSED, running.last)
    moved = [state.position - state.previous, state.body_position - state.body_previous]
    farthest = max(float(np.abs(way).max(initial=0.0)) for way in moved)
    if figures.stretch_max > WILD_STRETCH or farthest > WILD_SPEED * state.step:
        running.happened(EventKind.FLUNG, running.last)
