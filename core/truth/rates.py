"""Cases that hold at the default substep rate and at two others."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ..settings import SolverSettings
from .case import Result, case

RATES = (SolverSettings().substep_rate, 240.0, 960.0)
"""Substeps per second; the default has the plain name of the case."""

FINE_RATES = (RATES[0], RATES[2])
"""Without the coarser one."""

AtRate = Callable[[float], Result]


def at_rates(name: str, rates: tuple[float, ...] = RATES) -> Callable[[AtRate], AtRate]:
    """Register a function of the substep rate once for each rate, as ``name``, ``name-240`` …"""

    def register(run: AtRate) -> AtRate:
        for rate in rates:
            is_default = rate == RATES[0]
            case(name if is_default else f"{name}-{rate:.0f}")(partial(run, rate))
        return run

    return register
