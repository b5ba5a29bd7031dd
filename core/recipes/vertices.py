"""Vertices → particles: the part of a recipe that is the same for cloth, ropes and all others."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, Ints
from ..building.builder import ModelBuilder
from ..errors import ModelError
from ..particles.constraints.plane import Planes
from .geometry import Geometry, Paint


class SurfaceSettings(Protocol):
    """What the settings of every object made of particles have."""

    @property
    def drag(self) -> float: ...
    @property
    def friction(self) -> float: ...
    @property
    def restitution(self) -> float: ...
    @property
    def meets_others(self) -> bool: ...
    @property
    def plane(self) -> str: ...


def add_vertices(
    builder: ModelBuilder,
    geometry: Geometry,
    settings: SurfaceSettings,
    *,
    mass: ArrayLike,
    radius: ArrayLike,
    pin_weight: ArrayLike,
    velocity: ArrayLike,
    paint: Paint,
    meets_itself: bool = False,
) -> int:
    """Add an object's vertices as particles and pin them; returns its index in builder.objects.

    mass (n,) kg; radius (n,) m or one for all, the distance kept from whatever is met; pin_weight
    (n,), 0 = not pinned; velocity m/s.
    """
    pins = np.broadcast_to(np.asarray(pin_weight, dtype=np.float64), (geometry.count,))
    if not ((pins >= 0.0) & (pins <= 1.0)).all():
        raise ModelError(geometry.name, "pin weights must lie between 0 and 1")
    for name in paint:  # refused before anything is added
        geometry.painted(paint, name)
    first = builder.particle_count
    index = builder.add_particles(
        geometry.name,
        geometry.positions,
        mass=mass,
        velocity=velocity,
        drag=settings.drag * geometry.painted(paint, "drag"),
        radius=radius,
        friction=settings.friction * geometry.painted(paint, "friction"),
        restitution=settings.restitution,
        self_collision=settings.meets_others,
        meets_itself=meets_itself,
    )
    pinned = np.flatnonzero(pins > 0.0).astype(np.int32)
    builder.pin(pinned + first, pins[pinned])
    if settings.plane != "FREE":
        normal = np.eye(3)["XYZ".index(settings.plane)]
        particles = np.arange(first, builder.particle_count)
        builder.add_constraint(Planes.of(builder, index, particles, geometry.positions, normal))
    return index


def surface_masses(geometry: Geometry, density: float) -> Floats:
    """Mass (n,) kg of each vertex: a third of the triangles around it, density in kg/m².

    Where there is no surface a wire of length l weighs as much as a strip as wide as the mean
    edge, and a loose vertex as much as the mean of the others.
    """
    x, triangle = geometry.positions, geometry.triangles
    cross = np.cross(x[triangle[:, 1]] - x[triangle[:, 0]], x[triangle[:, 2]] - x[triangle[:, 0]])
    area = _sums(triangle, np.linalg.norm(cross, axis=1) / 6.0, len(x))
    bare = area <= 0.0
    length = geometry.edge_lengths
    if bare.any() and len(length):
        strip = _sums(geometry.edges, 0.5 * length * length.mean(), len(x))
        area[bare] = strip[bare]
    return density * no_vertex_without(area)


def wire_masses(geometry: Geometry, density: float) -> Floats:
    """Mass (n,) kg of each vertex: half of the edges at it, density in kg/m."""
    share = _sums(geometry.edges, 0.5 * geometry.edge_lengths, geometry.count)
    return density * no_vertex_without(share)


def _sums(rows: Ints, amount: Floats, count: int) -> Floats:
    """What each of ``count`` vertices gets when every row (r, k) gives its amount (r,) to each."""
    share = np.repeat(amount, rows.shape[1])
    # without rows NumPy counts in whole numbers, whatever the weights
    return np.bincount(rows.reshape(-1), share, minlength=count).astype(np.float64)


def no_vertex_without(amount: Floats) -> Floats:
    """Amounts (n,) with the mean where there was nothing, and none below a thousandth of it.

    A sliver next to large faces would otherwise be so light that nothing could hold it.
    """
    bare = amount <= 0.0
    filled = amount.copy()
    filled[bare] = amount[~bare].mean() if (~bare).any() else 1.0
    return np.maximum(filled, 1e-3 * filled.mean())


def mean_of_ends(weight: Floats, pairs: Ints) -> Floats:
    """A painted factor (n,) carried from vertices to pairs (s, 2) of them."""
    return weight[pairs].mean(axis=1)
