"""What a simulation is made of: what never changes, what moves, what drives it, what it tells."""

from ..settings.gravity import EARTH_GRAVITY
from .diagnostics import Diagnostics
from .inputs import FrameInputs
from .model import SHORTEST_STEP, Model, ObjectSpan
from .state import State

__all__ = [
    "EARTH_GRAVITY",
    "SHORTEST_STEP",
    "Diagnostics",
    "FrameInputs",
    "Model",
    "ObjectSpan",
    "State",
]
