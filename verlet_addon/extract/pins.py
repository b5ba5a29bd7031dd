"""Which particles of an object are pinned and how firmly, and what is painted on it."""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Floats
from ...core.errors import ModelError
from ..blender.control_points import bezier_mask
from ..blender.data import curve_of, mesh_of
from ..inputs.particle_arrays import CurveArrays
from ..properties.objects import group_of, kind_of
from ..properties.tunable_properties import PAINT_SUFFIX, paintable
from . import tearable
from .curve import pinned_particles
from .vertex_groups import group_weights


def pin_weights(ob: bpy.types.Object, curve: CurveArrays | None) -> Floats:
    """Weight (n,) of each particle's pin, 0 where there is none."""
    if curve is not None:
        return pinned_particles(curve, pinned_points(ob)).astype(np.float64)
    return _weights(ob, ob.verlet.pin_group, "pin group", outside=0.0)


def paint(ob: bpy.types.Object) -> dict[str, Floats]:
    """Factors (n,) that vertex groups paint on parameters of the object's kind."""
    kind = kind_of(ob)
    if kind is None or ob.type != "MESH":
        return {}
    group = group_of(ob, kind)
    chosen = {name: getattr(group, name + PAINT_SUFFIX) for name in paintable(kind.settings)}
    found = {
        name: _weights(ob, vertex_group, f"{name} group", outside=1.0)
        for name, vertex_group in chosen.items()
        if vertex_group
    }
    strength = tearable.strength(ob) if tearable.is_split(ob) else None
    return found if strength is None else found | {"strength": strength}


def _weights(ob: bpy.types.Object, name: str, what: str, *, outside: float) -> Floats:
    if not name:
        return np.full(len(mesh_of(ob).vertices), outside)
    if name not in ob.vertex_groups:
        raise ModelError(
            ob.name,
            f'its {what} "{name}" is missing. Choose another one or clear the field',
        )
    return group_weights(ob, name)


def pinned_points(ob: bpy.types.Object) -> NDArray[np.bool_]:
    """Which control points (p,) of a curve are pinned.

    Raises ModelError when points were added or removed since: their numbers mean others now.
    """
    pinned = np.zeros(len(bezier_mask(curve_of(ob))), np.bool_)
    numbers, count = _stored(ob)
    if not numbers:
        return pinned
    if count != len(pinned):
        raise ModelError(
            ob.name,
            f"it had {count} control points when they were pinned, and has {len(pinned)} now. "
            "Select those to pin in Edit Mode and press Pin, or press Pin Ends",
        )
    pinned[numbers] = True
    return pinned


def store_pinned_points(ob: bpy.types.Object, pinned: NDArray[np.bool_]) -> None:
    """Keep which control points (p,) are pinned."""
    numbers = np.flatnonzero(pinned)
    text = " ".join(map(str, numbers))
    ob.verlet.pin_points = f"{text}/{len(pinned)}" if len(numbers) else ""


def pinned_point_count(ob: bpy.types.Object) -> int:
    """How many control points are pinned, whether or not the curve was edited since."""
    return len(_stored(ob)[0])


def _stored(ob: bpy.types.Object) -> tuple[list[int], int]:
    text, _, count = ob.verlet.pin_points.partition("/")
    numbers = [int(number) for number in text.split()]
    return numbers, int(count) if count else 0
