"""Errors of the engine in the name of the object that they are about. Loads no kernels."""

from collections.abc import Iterator
from contextlib import contextmanager

from ...core.errors import ModelError


@contextmanager
def about(name: str) -> Iterator[None]:
    """Errors that name nothing are about the object called ``name``."""
    try:
        yield
    except ModelError as error:
        if error.object_name:
            raise
        raise ModelError(name, error.problem) from None
