"""Evaluations made only to be read: handlers take them neither for frames nor for edits."""

from collections.abc import Iterator
from contextlib import contextmanager

_is_reading = False


def is_reading() -> bool:
    """Whether something is evaluated just now that nobody is to see."""
    return _is_reading


@contextmanager
def reading() -> Iterator[None]:
    """While inside, what is evaluated is only read: nothing is simulated, shown or compared."""
    global _is_reading
    _is_reading = True
    try:
        yield
    finally:
        _is_reading = False
