"""What a truth case is, and the register of all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

CASES: dict[str, Callable[[], Result]] = {}
"""All cases by name, in the order of their definition."""


@dataclass(frozen=True)
class Result:
    """A measured figure against the exact one."""

    measured: float
    expected: float
    tolerance: float  # largest allowed |measured − expected|
    published: str = ""  # what is published of other engines for the same setup

    @property
    def passed(self) -> bool:
        """Whether the figure is true (a NaN is not)."""
        return bool(abs(self.measured - self.expected) <= self.tolerance)


def case(name: str) -> Callable[[Callable[[], Result]], Callable[[], Result]]:
    """Register a function without arguments as a case."""

    def register(run: Callable[[], Result]) -> Callable[[], Result]:
        CASES[name] = run
        return run

    return register


def select(names: list[str]) -> list[str]:
    """Cases by full name or by the first words of it (``bounce`` stands for all bounces).

    Raises `KeyError` with the first name that fits none.
    """
    if not names:
        return list(CASES)
    chosen = []
    for name in names:
        fitting = [known for known in CASES if known == name or known.startswith(name + "-")]
        if not fitting:
            raise KeyError(name)
        chosen += [known for known in fitting if known not in chosen]
    return chosen
