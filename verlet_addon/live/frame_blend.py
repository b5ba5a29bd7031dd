"""What lies between two frames that drive the simulation, and whether they differ at all.

Read off the fields of `FrameInputs`, whose last word names the quantity: a new field of a known
quantity needs nothing here.
"""

from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from ...core.model import FrameInputs
from ..transforms import affine

STRAIGHT = frozenset({"position", "vertex", "speed", "target"})
"""Quantities that run straight from one frame to the next."""

TURNED = frozenset({"orientation", "pose"})
"""Quaternions, which take the shorter way round. All other quantities jump to the later frame."""


def differ(a: Any, b: Any) -> bool:
    """Whether anything in one differs from the other: plain values, arrays, dataclasses of them."""
    if a is b:
        return False
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return not np.array_equal(a, b)
    if is_dataclass(a) and type(a) is type(b):
        return any(differ(getattr(a, f.name), getattr(b, f.name)) for f in fields(a))
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return any(map(differ, a, b))
    return isinstance(a, np.ndarray) or isinstance(b, np.ndarray) or bool(a != b)


def between(a: FrameInputs, b: FrameInputs, share: float, step: float) -> FrameInputs:
    """Inputs on the way from a to b, in which a frame is a ``step`` of all.

    What differs in nothing is that of b to the last bit, and so is what a does not know.
    """
    found = {
        f.name: _between(f.name.rpartition("_")[2], getattr(a, f.name), getattr(b, f.name), share)
        for f in fields(FrameInputs)
    }
    if b.pull is not None:  # it leads bodies from where they were a frame ago
        start = _between("position", a.body_position, b.body_position, share - step)
        found["pull"] = replace(b.pull, start=start, end=found["body_position"])
    if b.grab is not None:  # its hand runs straight through all of them
        start, end = (tuple(b.grab.place_at(part).tolist()) for part in (share - step, share))
        found["grab"] = replace(b.grab, start=start, end=end)
    return FrameInputs(**found)


def _between(quantity: str, a: Any, b: Any, share: float) -> Any:
    if quantity not in STRAIGHT | TURNED or a is None or b is None or np.array_equal(a, b):
        return b
    if quantity in TURNED:
        return affine.blended_rotations(a, b, share)
    return (1.0 - share) * a + share * b
