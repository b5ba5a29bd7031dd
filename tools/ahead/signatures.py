"""Which types each kernel is called with: found by running scenes, not kept by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numba
from numba import types

from verlet_physics import warm_up
from verlet_physics.kernels import jit

SUBSTEP_RATE = 48.0
"""Hz, for scenes with many particles: here they run as plain Python."""
MANY = 50
SHEET = 6
"""Vertices along the edge of a sheet: what threads share does not matter here."""

Signature = tuple[Any, ...]


def signatures() -> dict[int, list[Signature]]:
    """The types of arguments with which the warming scenes call kernels, by place in `_kernels`.

    Raises SystemExit with the names of kernels that no scene reaches.
    """
    found: dict[int, dict[Signature, None]] = {}
    place = {id(kernel): k for k, kernel in enumerate(jit._kernels)}

    def call(kernel: jit.Kernel, *arguments: Any) -> Any:
        signature = tuple(plain_number(numba.typeof(argument)) for argument in arguments)
        found.setdefault(place[id(kernel)], {})[signature] = None
        return kernel.function(*arguments)

    kept = jit.Kernel.__call__, jit.Kernel.on, jit.thread_limit, warm_up.advance, warm_up.SHEET

    def advance(model: Any, state: Any, inputs: Any, settings: Any) -> Any:
        if len(model.particles) > MANY:
            settings = replace(settings, substep_rate=SUBSTEP_RATE)
        return kept[3](model, state, inputs, settings)

    jit.Kernel.__call__, jit.Kernel.on = call, lambda kernel, threads: kernel
    jit.thread_limit, warm_up.advance, warm_up.SHEET = lambda: 1, advance, SHEET
    try:
        for scene in warm_up.SCENES:
            scene()
    finally:
        jit.Kernel.__call__, jit.Kernel.on, jit.thread_limit, warm_up.advance, warm_up.SHEET = kept
    missing = [name_of(k) for k in jit._kernels if place[id(k)] not in found]
    if missing:
        raise SystemExit(f"no scene of core/warm_up.py reaches {', '.join(missing)}")
    return {k: list(signatures) for k, signatures in sorted(found.items())}


def name_of(kernel: jit.Kernel) -> str:
    """A kernel's name inside the package."""
    return f"{kernel.function.__module__.partition('.')[2]}.{kernel.function.__qualname__}"


def plain_number(kind: Any) -> Any:
    """Numbers of all widths as the widest, read-only arrays as any, in tuples too."""
    if isinstance(kind, types.Boolean):
        return kind
    if isinstance(kind, types.Integer):
        return types.int64
    if isinstance(kind, types.Float):
        return types.float64
    if isinstance(kind, types.Array):
        return kind.copy(readonly=False)
    if isinstance(kind, types.BaseTuple):
        pyclass = getattr(kind, "instance_class", tuple)
        return types.BaseTuple.from_types(tuple(map(plain_number, kind)), pyclass)
    return kind
