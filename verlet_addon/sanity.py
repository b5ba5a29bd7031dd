"""Whether what was simulated can be what anybody wanted: the ✓ must not stand over flung cloth.

The engine stops only at speeds that its numbers cannot carry. Long before, something has gone
wrong that a person sees at once: cloth torn out by a collider that jumps, edges pulled to twice
their length.
"""

import numpy as np

from .session import Session

WILD_SPEED = 150.0
"""m/s; what falls for ten seconds in still air is slower."""

WILD_STRETCH = 1.0
"""Of the longest edge, as a share of its length: sticks give by a few percent at most."""


def look(running: Session | None) -> None:
    """Note the last simulated frame if something in it is flung away; earlier ones are known."""
    if running is None or running.cache is None or running.first_wild is not None:
        return
    figures, state = running.last_diagnostics, running.cache[running.last]
    if running.last == running.start or figures is None:
        return
    moved = [state.position - state.previous, state.body_position - state.body_previous]
    farthest = max(float(np.abs(way).max(initial=0.0)) for way in moved)
    if figures.stretch_max > WILD_STRETCH or farthest > WILD_SPEED * state.step:
        running.first_wild = running.last
