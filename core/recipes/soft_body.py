"""Soft bodies: a skin of springs around a volume, in regions that want back to their shape.

Every stiffness is measured in the body's own weight, so that a jelly wobbles like a jelly at any
size and density: with L its size and ρ its density, shape comes as a frequency in 1/√L, the skin
in ρ g L², and what the volume gives way in ρ g L.
"""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, Ints
from ..building.builder import ModelBuilder
from ..errors import ModelError
from ..forces.wobble import WobbleDamping
from ..geometry.surface import boundary_loops, connected_parts
from ..particles.constraints.repair import REFERENCE_RATE
from ..particles.constraints.shape_match import ShapeMatches
from ..particles.constraints.volume import Volumes
from ..settings import SoftBodySettings
from ..settings.gravity import GRAVITY
from .geometry import Geometry, Paint
from .vertices import add_vertices, mean_of_ends, surface_masses

SHAPE_SWAY = (1.0, 25.0)
"""Hz of a body of one metre at shape just above 0 and at 1, growing by equal ratios between."""

SKIN_STIFFNESS = (1.5, 1000.0)
"""Stiffness of the skin's edges in ρ g L² at stiffness just above 0 and at 1, likewise."""

FOLD_STIFFNESS = (0.5, 300.0)
"""Stiffness of springs over two edges in ρ g L² at bend just above 0 and at 1, likewise."""

SQUEEZE = 3e-4
"""Share of its volume that a body loses under the pressure ρ g L at volume 1; its root at ½."""

WOBBLE_DAMPING = (0.02, 0.6)
"""Share of the critical damping of a wobble at damping 0 and 1; between, it grows with the
square."""

LONG_BODY = 1.7
"""Length in widths above which a body consists of several regions and bends between them."""

PLAIN_SWAY = 3.0
"""Hz at a metre that the damping of a body without shape is measured by."""


def add_soft_body(
    builder: ModelBuilder,
    geometry: Geometry,
    settings: SoftBodySettings,
    *,
    pin_weight: ArrayLike = 0.0,
    velocity: ArrayLike = 0.0,
    paint: Paint = MappingProxyType({}),
) -> int:
    """Add a mesh as a soft body; returns its index in ``builder.objects``.

    Separate parts are soft bodies of their own. Holes are bridged for the volume. pin_weight (n,),
    0 = free … 1 = held; velocity (n, 3) or (3,) m/s; paint: factors on ``stiffness``, ``shape``,
    ``bend``, ``drag`` and ``friction``.

    Raises `ModelError` for a mesh without faces, and where a volume is wanted for surfaces that
    have no inside or no volume.
    """
    triangle = geometry.triangles
    if len(triangle) == 0:
        raise ModelError(geometry.name, "has no faces to make a soft body of; give it some")
    with_volume = settings.volume > 0.0
    if with_volume:
        _check_volume(geometry)
    x = geometry.positions
    part = connected_parts(geometry.count, geometry.edges)
    size = _sizes(x, part)
    typical = float(np.median(size))
    weight = settings.density * GRAVITY
    first = builder.particle_count
    index = add_vertices(
        builder,
        geometry,
        settings,
        mass=_masses(geometry, settings.density, part, size),
        radius=settings.thickness * geometry.mean_edge_length,
        pin_weight=pin_weight,
        velocity=velocity,
        paint=paint,
    )
    pairs = np.concatenate([geometry.edges, geometry.diagonals])
    amount = settings.stiffness * mean_of_ends(geometry.painted(paint, "stiffness"), pairs)
    skin = weight * size[pairs[:, 0]] ** 2 * _between(SKIN_STIFFNESS, amount)
    long = np.linalg.norm(x[pairs[:, 1]] - x[pairs[:, 0]], axis=1) > 0.0
    builder.add_springs(pairs[long] + first, skin[long], together=True)
    if settings.shape > 0.0:
        _add_shape(builder, geometry, settings, part, size, first, index, paint)
    if settings.bend > 0.0:
        pairs = geometry.supports
        bend = settings.bend * mean_of_ends(geometry.painted(paint, "bend"), pairs)
        firm = weight * size[pairs[:, 0]] ** 2 * _between(FOLD_STIFFNESS, bend)
        builder.add_springs(pairs + first, firm, together=True)
    if with_volume:
        softness = SQUEEZE**settings.volume / (weight * typical)
        builder.add_constraint(
            Volumes.of(
                builder,
                index,
                triangle + first,
                pressure=settings.pressure,
                softness=softness,
                close_holes=True,
            )
        )
    sway = _between(SHAPE_SWAY, settings.shape) if settings.shape > 0.0 else PLAIN_SWAY
    share = WOBBLE_DAMPING[0] + (WOBBLE_DAMPING[1] - WOBBLE_DAMPING[0]) * settings.damping**2
    rate = 2.0 * share * 2.0 * np.pi * float(sway) / np.sqrt(typical)
    for p in range(int(part.max()) + 1):
        rows = np.flatnonzero(part == p)
        if len(rows) > 1:
            builder.add_force(WobbleDamping(index, (rows + first).astype(np.int32), rate))
    builder.add_triangles(triangle + first)
    builder.add_surface(triangle + first, False, settings.meets_others, True)
    return index


def _between(limits: tuple[float, float], amount: ArrayLike) -> Floats:
    """The first limit at 0, the second at 1, equal steps of equal ratios between."""
    return limits[0] * (limits[1] / limits[0]) ** np.asarray(amount, dtype=np.float64)


def _check_volume(geometry: Geometry) -> None:
    """Refuse what encloses no volume before anything is added to the builder."""
    way_out = "; or set Volume to 0"
    if boundary_loops(geometry.triangles) is None:
        raise ModelError(
            geometry.name,
            "its faces do not agree on which side is out, or more than two of them meet at an "
            f"edge; use Mesh › Normals › Recalculate Outside, or remove the faces inside{way_out}",
        )
    trial = ModelBuilder()
    trial.add_particles(geometry.name, geometry.positions, mass=1.0)
    try:
        Volumes.of(trial, 0, geometry.triangles, close_holes=True)
    except ModelError as error:
        raise ModelError(geometry.name, f"{error.problem}{way_out}") from None


def _sizes(x: Floats, part: Ints) -> Floats:
    """Size (n,) m of the part that each vertex belongs to: its longest extent."""
    count = int(part.max()) + 1
    low = np.full((count, 3), np.inf)
    high = np.full((count, 3), -np.inf)
    np.minimum.at(low, part, x)
    np.maximum.at(high, part, x)
    extent: Floats = (high - low).max(axis=1)
    floor = float(extent.max()) or 1.0
    return np.maximum(extent, 1e-3 * floor)[part]


def _masses(geometry: Geometry, density: float, part: Ints, size: Floats) -> Floats:
    """Mass (n,) kg: what each part encloses, on its vertices by the area around them.

    A part that encloses next to nothing weighs as much as a shell of a twentieth of its size.
    """
    x, triangle = geometry.positions, geometry.triangles
    area = surface_masses(geometry, 1.0)
    count = int(part.max()) + 1
    middle = np.stack([np.bincount(part, x[:, k], count) for k in range(3)], axis=1)
    away = x - (middle / np.bincount(part, minlength=count)[:, None])[part]
    a, b, c = (away[triangle[:, k]] for k in range(3))
    volume = np.abs(
        np.bincount(part[triangle[:, 0]], (a * np.cross(b, c)).sum(axis=1) / 6.0, count)
    )
    surface = np.bincount(part, area, count)
    extent = np.zeros(count)
    extent[part] = size
    volume = np.maximum(volume, 0.05 * 0.1 * extent * surface)
    return density * area * (volume / surface)[part]


def _add_shape(
    builder: ModelBuilder,
    geometry: Geometry,
    settings: SoftBodySettings,
    part: Ints,
    size: Floats,
    first: int,
    index: int,
    paint: Paint,
) -> None:
    """Clusters that return to their shape as fast as the body should wobble."""
    painted = geometry.painted(paint, "shape")
    clusters, repair = [], []
    for p in range(int(part.max()) + 1):
        rows = np.flatnonzero(part == p)
        if len(rows) == 1:
            continue  # a vertex alone has no shape
        regions = _regions(geometry.positions[rows])
        times = np.bincount(np.concatenate(regions), minlength=len(rows)).mean()
        for region in regions:
            member = rows[region]
            amount = settings.shape * float(painted[member].mean())
            if amount == 0.0:
                continue
            sway = float(_between(SHAPE_SWAY, amount)) / np.sqrt(size[rows[0]])
            stiff = (2.0 * np.pi * sway / REFERENCE_RATE) ** 2 / times
            clusters.append((member + first).astype(np.int32))
            repair.append(stiff / (1.0 + stiff))
    builder.add_constraint(ShapeMatches.of(builder, index, clusters, repair=repair))


def _regions(x: Floats) -> list[Ints]:
    """Overlapping clusters (rows of x) of a part: one of a compact part, several of a long one.

    Centres are the farthest vertices from each other, as far apart as the part is wide.
    """
    middle = x - x.mean(axis=0)
    axes = np.linalg.svd(middle, full_matrices=False)[2]
    extent = np.sort(np.ptp(middle @ axes.T, axis=0))[::-1]
    width = max(float(extent[1]), 0.05 * float(extent[0]))
    everything: Ints = np.arange(len(x), dtype=np.int32)
    if extent[0] <= LONG_BODY * width:
        return [everything]
    nearest = np.linalg.norm(middle - middle[np.argmax(middle @ axes[0])], axis=1)
    centres = [int(np.argmin(nearest))]
    while nearest.max() > width:
        centres.append(int(np.argmax(nearest)))
        nearest = np.minimum(nearest, np.linalg.norm(x - x[centres[-1]], axis=1))
    regions: list[Ints] = [
        np.flatnonzero(np.linalg.norm(x - x[c], axis=1) <= 1.5 * width).astype(np.int32)
        for c in centres
    ]
    return [region for region in regions if len(region) >= 4] or [everything]
