"""Constraints that no single object owns, in the order of their turn, behind sticks and springs.

To add one, write a `Projected` in a file of its own and enter it here, with when a model has any.
"""

from __future__ import annotations

from ..coupling.pin_hold import Tethers
from ..model import Model
from ..model.constraint import Projected
from .constraints.tether import TetherPass


def common_constraints(model: Model, tethers: Tethers) -> tuple[Projected, ...]:
    """Those that a model has any use for; tethers as far as they reach now."""
    if not len(model.tethers):
        return ()
    return (TetherPass(model.tethers, tethers.length, model.particles.inverse_mass),)
