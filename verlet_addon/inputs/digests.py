"""Whether what was read is the same as before: parts of records compared, and digests of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from typing import Any

import numpy as np


def are_same(parts: list[Any], others: list[Any]) -> bool:
    """Whether two lists of parts would have one digest; several times as quick as making two."""
    return len(parts) == len(others) and all(map(_is_same, parts, others))


def _is_same(part: Any, other: Any) -> bool:
    if not (isinstance(part, np.ndarray) and isinstance(other, np.ndarray)):
        return bool(_bytes(part) == _bytes(other))
    return part.shape == other.shape and np.array_equal(_bits(part), _bits(other))


def _bits(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def digest_of(parts: Iterable[Any]) -> bytes:
    """Changes when any of the parts does: arrays, bytes, or what its text tells."""
    digest = blake2b(digest_size=16)
    for part in parts:
        digest.update(part if isinstance(part, bytes) else _bytes(part))
    return digest.digest()


def _bytes(part: Any) -> bytes:
    if isinstance(part, np.ndarray):
        return str(part.shape).encode() + np.ascontiguousarray(part).tobytes()
    return str(part).encode()


def digest_of_frame(before: bytes, frame_inputs: Any) -> bytes:
    """What a frame follows from: the one before, and what drives it (a `FrameInputs`)."""
    return digest_of([before, *_parts(frame_inputs)])


def _parts(value: Any) -> list[Any]:
    if isinstance(value, np.ndarray):
        return [value]
    if is_dataclass(value):
        return [part for f in fields(value) for part in _parts(getattr(value, f.name))]
    if isinstance(value, tuple | list):
        return [len(value), *(part for item in value for part in _parts(item))]
    return [repr(value), ";"]
