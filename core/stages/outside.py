"""What acts from outside: now, and in the frame before, so that what begins is known to begin.

x* says the velocity half a step ago, v − a h/2, by the a of before. Where gravity, a field or the
wind begins, ends or is keyed, a jumps by Δa while v stays: then v − (a + Δa) h/2 is what x* has to
say, x* + ½ h² Δa. Position Verlet so laid out goes on as exactly as from its start (Kenwright
§VII). Jumps alone count, at the place where they find a particle; what it meets on its way, Verlet
sums up to second order by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.lib.recfunctions import structured_to_unstructured, unstructured_to_structured

from ..forces.field import FIELD, FIELD_NUMBERS, pack_fields
from ..model.field import Field
from ..model.state import FACTORS, NO_WIND, wind_numbers
from ..settings import AnimatedSettings, WindSettings
from .factors import Factors

if TYPE_CHECKING:
    from ..arrays import Floats
    from ..model import FrameInputs, Model, State
    from ..records import Records

FARTHEST_FIELD = np.finfo(np.float64).max
"""m, how far fields reach in a state that reach everywhere: its numbers are finite."""


@dataclass(frozen=True, eq=False)
class Outside:
    """What acts from outside as long as it is not keyed."""

    gravity: Floats  # (3,) m/s²
    wind: WindSettings
    fields: Records  # (k,) FIELD, without explosions and hits
    factors: Factors  # `FACTORS` count

    @cached_property
    def in_wind(self) -> Floats:
        """Factor of the wind on each particle (n,)."""
        return self.factors.of_particles("wind")

    @cached_property
    def in_fields(self) -> Floats:
        """Factor of force fields on each particle (n,)."""
        return self.factors.of_particles("fields")

    @cached_property
    def bodies_in_fields(self) -> Floats:
        """Factor of force fields on each rigid body (b,)."""
        return self.factors.of_bodies("fields")


def lasting(given: tuple[Field, ...]) -> list[Field]:
    """Fields that act for as long as they are there, not at one moment."""
    return [one for one in given if one.acts and not one.is_impulse]


class Packed:
    """Scratch: what acted last as one array, which stays the same as long as nothing is keyed."""

    def __init__(self, model: Model) -> None:
        self.given: tuple[object, ...] = ()
        self.array: Floats = np.zeros(0)
        self.neutral = (AnimatedSettings(),) * len(model.objects)

    def pack(self, inputs: FrameInputs) -> Floats:
        """The inputs of a frame as `State.acted`; not to be written to."""
        given = (inputs.gravity, inputs.wind, inputs.fields, inputs.animated)
        if given != self.given:
            animated = self.neutral if inputs.animated is None else inputs.animated
            factors = [[getattr(one, name) for name in FACTORS] for one in animated]
            packed = structured_to_unstructured(pack_fields(lasting(inputs.fields)), np.float64)
            parts = (inputs.gravity, wind_numbers(inputs.wind), factors, packed)
            array = np.concatenate([np.asarray(part, dtype=np.float64).ravel() for part in parts])
            array = np.minimum(array, FARTHEST_FIELD)
            array.flags.writeable = False
            self.given, self.array = given, array
        return self.array


def unpack(acted: Floats, model: Model) -> Outside:
    """What `State.acted` says."""
    ends = np.cumsum([3, len(NO_WIND), len(FACTORS) * len(model.objects)])
    gravity, wind, factors, packed = np.split(acted, ends)
    keyed = [
        AnimatedSettings(pin=pin, wind=in_wind, fields=in_fields)
        for pin, in_wind, in_fields in factors.reshape(-1, len(FACTORS)).tolist()
    ]
    return Outside(
        gravity=gravity.copy(),
        wind=WindSettings(tuple(wind[:3].tolist()), *wind[3:].tolist()),
        fields=unstructured_to_structured(packed.reshape(-1, FIELD_NUMBERS), FIELD),
        factors=Factors(tuple(keyed), model),
    )


def acted_before(state: State, now: Floats, model: Model) -> Outside | None:
    """What acted in the frame before, where that is not what acts ``now``, packed alike."""
    if state.acted is now or np.array_equal(state.acted, now):
        return None
    return unpack(state.acted, model)
