"""Which objects of particles sleep through a frame: those that nothing from outside wakes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from ..model import FrameInputs, Model, State
from ..model.awake_part import awake_part
from ..model.rest_table import WAKING_FACTORS
from ..rigid.sleep.stillness import REST_TIME
from ..settings import AnimatedSettings, SolverSettings
from ..workspace import Workspace
from .outside import Packed

Mask = NDArray[np.bool_]

PARTS_KEPT = 4
"""Models of what is awake that are kept, the latest ones."""


NO_PARTICLES: Ints = np.zeros(0, dtype=np.int32)


class AwakePart(NamedTuple):
    """A model while some of its objects sleep."""

    awake: Model
    sleeping: Ints  # particles that do


class SleeperScratch:
    """Models without what sleeps, and which object each particle and pin belongs to."""

    def __init__(self, model: Model) -> None:
        self.parts: dict[bytes, AwakePart] = {}
        self.object_of: Ints = model.particle_object
        self.pin_object: Ints = self.object_of[model.pins.particle]

    def part(self, model: Model, asleep: Mask) -> AwakePart:
        """The model while the objects that are ``asleep`` (o,) are."""
        key = asleep.tobytes()
        found = self.parts.pop(key, None)
        if found is None:
            sleeping = np.flatnonzero(asleep[self.object_of]).astype(np.int32)
            found = AwakePart(awake_part(model, asleep), sleeping)
            while len(self.parts) >= PARTS_KEPT:
                del self.parts[next(iter(self.parts))]
        self.parts[key] = found
        return found


def keyed_factors(animated: tuple[AnimatedSettings, ...] | None, count: int) -> Floats:
    """`WAKING_FACTORS` factors (count, f) of all objects."""
    if animated is None:
        return np.ones((count, len(WAKING_FACTORS)))
    return np.array(
        [[getattr(one, name) for name in WAKING_FACTORS] for one in animated], np.float64
    )


def sleepers_of(
    model: Model, work: Workspace, state: State, inputs: FrameInputs, settings: SolverSettings
) -> Mask:
    """Objects (o,) that lie still in a frame unless something touches them.

    Gravity, wind and fields that begin, end or change wake all, as do explosions and hits in their
    moment; pins, hands and keyed factors wake what they act on, with all that is joined to it.
    """
    asleep = state.rest.time >= REST_TIME
    if not asleep.any():
        return asleep
    scratch = work.scratch(SleeperScratch, model)
    end = state.time + inputs.duration
    is_struck = any(
        one.acts and one.is_impulse and state.time <= one.time < end for one in inputs.fields
    )
    acted = work.scratch(Packed, model).pack(inputs)
    is_disturbed = is_struck or not np.array_equal(state.acted, acted)
    if is_disturbed or settings.takes_springs_as_forces:
        return np.zeros_like(asleep)
    is_woken = np.zeros(len(asleep), dtype=bool)
    if inputs.animated is not None or (state.rest.factors != 1.0).any():
        factors = keyed_factors(inputs.animated, len(asleep))
        is_woken = (state.rest.factors != factors).any(axis=1)
    weight = model.pins.weight if inputs.pin_weight is None else inputs.pin_weight
    moved = weight != state.rest.pin_weight
    if inputs.pin_position is not None:
        moved = moved | (inputs.pin_position != state.pin_position).any(axis=1)
    is_woken[scratch.pin_object[moved]] = True
    if inputs.grab is not None:
        is_woken[scratch.object_of[inputs.grab.particle]] = True
    return without_islands(model, asleep, is_woken) if is_woken.any() else asleep


def standing_particles(model: Model, work: Workspace, state: State, inputs: FrameInputs) -> Mask:
    """Particles (n,) of objects that are awake, but have got nowhere in the last frame.

    Not those whose pins move from now on.
    """
    stands = (state.rest.time > 0.0) & (state.rest.time < REST_TIME)
    scratch = work.scratch(SleeperScratch, model)
    if stands.any() and inputs.pin_position is not None:
        moved = (inputs.pin_position != state.pin_position).any(axis=1)
        stands[scratch.pin_object[moved]] = False
    mask: Mask = stands[scratch.object_of]
    return mask


def without_islands(model: Model, some: Mask, is_woken: Mask) -> Mask:
    """Those of some objects (o,) that nothing joins to any that is woken (o,)."""
    island = model.rests.island
    left: Mask = some & ~np.isin(island, island[is_woken & (island >= 0)])
    return left
