"""Curve objects as chains of particles, and particles back as control points."""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Floats
from ...core.errors import ModelError
from ..blender.control_points import (
    automatic_spline,
    bezier_mask,
    curve_coordinates,
    key_coordinates,
)
from ..blender.data import curve_of
from ..inputs.particle_arrays import CurveArrays
from ..splines.nurbs import NurbsShape
from ..splines.spline_fit import (
    Chain,
    SampledSpline,
    chain_of,
    fit_of,
    sampled_bezier,
    sampled_nurbs,
    sampled_polyline,
)
from .mesh import FARTHEST_VERTEX
from .shape_key_mix import mixed_shape_keys

WAY_OUT_OF_OTHER_TYPES = "Use Object › Convert › Curve, or Mesh"


def read_curve(ob: bpy.types.Object) -> CurveArrays:
    """The chains that a rope simulates, shape keys mixed in.

    A poly spline has a particle at each control point; along a Bezier or NURBS spline the
    particles lie on the drawn curve. Raises ModelError for what cannot become a rope.
    """
    if ob.type != "CURVE":
        raise ModelError(
            ob.name,
            f"it is a {ob.type.lower()} object, and only the splines of a curve object can "
            f"become a rope. {WAY_OUT_OF_OTHER_TYPES}",
        )
    if ob.mode == "EDIT":
        ob.update_from_editmode()
    curve = curve_of(ob)
    if not len(curve.splines):
        raise ModelError(
            ob.name,
            "its curve has no splines. Add one in Edit Mode, or remove it from the simulation",
        )
    _require_movable_handles(ob)
    coordinates = _mixed_coordinates(ob)
    _require_finite(ob.name, coordinates)
    splines: list[SampledSpline] = []
    chains: list[Chain] = []
    row = 0
    for number, spline in enumerate(curve.splines, start=1):
        count = len(spline.bezier_points if spline.type == "BEZIER" else spline.points)
        size = 3 * count if spline.type == "BEZIER" else count
        if count < 2:
            raise ModelError(
                ob.name,
                f"its spline {number} has a single point, and a rope needs two. Extrude it "
                "(E) in Edit Mode, or delete it",
            )
        splines.append(_sampled(spline, coordinates[row : row + size]))
        chains.append(chain_of(splines[-1]))
        row += size
        if len(chains[-1].positions) < 2:
            raise ModelError(
                ob.name,
                f"all points of its spline {number} lie in one place. Move them apart in Edit "
                "Mode, or delete the spline",
            )
    return _assembled(splines, chains)


def pinned_particles(arrays: CurveArrays, is_pinned: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which particles (n,) are held when the control points ``is_pinned`` (p,) are."""
    pinned = np.zeros(len(arrays.points), bool)
    pinned[arrays.control_particles[is_pinned]] = True
    return pinned


def _sampled(spline: bpy.types.Spline, coordinates: Floats) -> SampledSpline:
    cyclic = bool(spline.use_cyclic_u)
    if spline.type == "BEZIER":
        return sampled_bezier(coordinates.reshape(-1, 3, 3), cyclic)
    if spline.type == "POLY":
        return sampled_polyline(coordinates, cyclic)
    weights = np.array([point.weight for point in spline.points], np.float64)
    shape = NurbsShape(
        len(coordinates),
        spline.order_u,
        cyclic,
        bool(spline.use_endpoint_u),
        bool(spline.use_bezier_u),
    )
    return sampled_nurbs(coordinates, weights, shape)


def _assembled(splines: list[SampledSpline], chains: list[Chain]) -> CurveArrays:
    edges, control_particles = [], []
    count = 0
    for spline, chain in zip(splines, chains):
        edges.append(chain.edges + count)
        control_particles.append(chain.particles[spline.control_samples] + count)
        count += len(chain.positions)
    fit = fit_of(splines, chains)
    return CurveArrays(
        points=fit.rest_points,
        edges=np.concatenate(edges).astype(np.int32),
        coordinates=fit.rest_coordinates,
        control_particles=np.concatenate(control_particles).astype(np.int32),
        fit=fit,
    )


def _mixed_coordinates(ob: bpy.types.Object) -> Floats:
    """Coordinates (c, 3) with the object's shape keys at their present values."""
    is_bezier = bezier_mask(curve_of(ob))
    mixed = mixed_shape_keys(ob, lambda key: key_coordinates(key, is_bezier).astype(np.float64))
    return curve_coordinates(curve_of(ob)).astype(np.float64) if mixed is None else mixed


def _require_movable_handles(ob: bpy.types.Object) -> None:
    number = automatic_spline(curve_of(ob))
    if number is not None:
        raise ModelError(
            ob.name,
            f"its spline {number + 1} has Automatic or Vector handles, which Blender places "
            "itself and no simulation can move. In Edit Mode select all and press V › Aligned, "
            "or Free",
        )


def _require_finite(name: str, coordinates: Floats) -> None:
    sound = (np.abs(coordinates) < FARTHEST_VERTEX).all(axis=1)  # False for NaN too
    if not sound.all():
        raise ModelError(
            name,
            f"{int((~sound).sum())} coordinates of its control points and handles are infinite "
            "or not numbers (NaN). Delete those points in Edit Mode, or undo what made them",
        )
