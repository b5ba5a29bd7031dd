"""Volumes: closed surfaces that keep what they enclose, or a multiple of it.

    C = V(x) − p V₀,   V = ⅙ Σ a · (b × c) over the triangles,   ∂V/∂a = ⅙ Σ b × c

(Müller et al. 2007, "Position Based Dynamics", §4.4, with the pressure factor p). With the
compliance α in m³/Pa the multiplier λ/h² is the pressure inside in Pa: a liquid of bulk modulus K
has α = V₀/K, and 0 lets nothing give way.
"""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...arrays import Floats, Ints
from ...elementary import power
from ...errors import ModelError
from ...geometry.surface import boundary_loops, connected_parts
from ...kernels.jit import inline, kernel
from ...model.constraint import Moving
from ...records import Records, records
from ...vec3 import ZERO, between, cross, divide, dot, length, load, move, shift, store
from .checks import numbers, rows_of_particles, vertices

if TYPE_CHECKING:
    from .building import Building

LEAST_VOLUME_SHARE = 1e-9
"""A volume below this many times the cube of the surface's extent counts as none."""

LONGEST_WAY = 0.1
"""Edges of a cube of the rest volume that a vertex moves in one pass at most.

A collapsed surface has next to no gradient left, and would be shot out of any proportion.
"""


CLOSED_PART = np.dtype(
    [
        ("first_vertex", np.int32),
        ("last_vertex", np.int32),  # the one after it
        ("first_triangle", np.int32),
        ("last_triangle", np.int32),
        ("rest_volume", np.float64),  # m³
        ("pressure", np.float64),  # factor on the rest volume
        ("compliance", np.float64),  # m³/Pa
    ],
    align=True,
)


VolumeScratch = namedtuple(
    "VolumeScratch",
    [
        "multiplier",  # (v,) λ, carried from pass to pass
        "gradient",  # (2, q, 3) m², of the volume by each vertex now and one step ago
    ],
)


@dataclass(frozen=True, eq=False)
class Volumes:
    """What the closed parts of one object enclose. Made by `Volumes.of`."""

    object: int
    vertex: Ints  # (q,) particles, part by part
    triangle: Ints  # (f, 3) rows of vertex, part by part, wound outward
    parts: Records  # (v,) CLOSED_PART

    @classmethod
    def of(
        cls,
        builder: Building,
        object: int,
        triangles: ArrayLike,
        *,
        pressure: float = 1.0,
        compliance: float = 0.0,
        softness: float | None = None,
        close_holes: bool = False,
    ) -> Volumes:
        """The volumes of the separate parts of a surface (f, 3) of particles of the whole model.

        pressure: the volume wanted, in rest volumes. compliance m³/Pa, for every part; softness
        1/Pa in its place is the compliance of a cubic metre, the inverse of a bulk modulus.
        close_holes: holes are closed by fans of triangles (a net that bears no force itself);
        otherwise a surface with holes is refused.

        Raises `ModelError` for open, wrongly wound and flat surfaces.
        """
        name = builder.objects[object].name
        faces = rows_of_particles(builder, object, "triangle", triangles, 3)
        if len(faces) == 0:
            raise ModelError(name, "has no faces to enclose a volume; give it some")
        faces = _closed(builder, object, faces, close_holes)
        vertex, local = np.unique(faces, return_inverse=True)
        local = local.reshape(-1, 3)
        part = connected_parts(
            len(vertex), np.concatenate([local[:, :2], local[:, 1:]]).astype(np.int32)
        )
        by_part = np.argsort(part, kind="stable")
        rank = np.empty(len(vertex), dtype=np.int32)
        rank[by_part] = np.arange(len(vertex))
        face_part = part[local[:, 0]]
        by_face = np.argsort(face_part, kind="stable")
        triangle = rank[local[by_face]]
        count = int(part.max()) + 1
        triangle_start = np.searchsorted(face_part[by_face], np.arange(count + 1))
        vertex_start = np.searchsorted(part[by_part], np.arange(count + 1))
        vertex = vertex[by_part]

        rest = _rest_volumes(builder, object, vertex, triangle, vertex_start, triangle_start)
        soft = numbers(builder, object, "compliance", compliance, (count,), least=0.0)
        if softness is not None:
            soft = rest * numbers(builder, object, "softness", softness, (count,), least=0.0)
        parts = records(
            CLOSED_PART,
            first_vertex=vertex_start[:-1],
            last_vertex=vertex_start[1:],
            first_triangle=triangle_start[:-1],
            last_triangle=triangle_start[1:],
            rest_volume=rest,
            pressure=numbers(builder, object, "pressure", pressure, (count,), least=0.0),
            compliance=soft,
        )
        return cls(
            object,
            np.ascontiguousarray(vertex, dtype=np.int32),
            np.ascontiguousarray(triangle, dtype=np.int32),
            parts,
        )

    @property
    def rest_volume(self) -> Floats:
        """(v,) m³ of each part."""
        volume: Floats = self.parts["rest_volume"]
        return volume

    @property
    def particles(self) -> Ints:
        """Every particle of the surfaces."""
        return self.vertex

    @property
    def multiplier_count(self) -> int:
        """λ of each part, and two gradients of each vertex."""
        return len(self.parts) + 6 * len(self.vertex)

    def project(self, moving: Moving, multiplier: Floats) -> None:
        """Project part after part."""
        animated = moving.animated[self.object]
        count = len(self.parts)
        project_volumes(
            moving.particles,
            self.vertex,
            self.triangle,
            self.parts,
            animated.pressure,
            moving.per_step(self.object),
            moving.is_first_pass,
            VolumeScratch(multiplier[:count], multiplier[count:].reshape(2, -1, 3)),
        )


def enclosed(x: Floats, triangle: Ints) -> float:
    """Volume in m³ inside a closed surface (f, 3) of places x (n, 3)."""
    a, b, c = x[triangle[:, 0]], x[triangle[:, 1]], x[triangle[:, 2]]
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


@inline
def _add_gradient(x, origin, vertex, corners, gradient):
    """Add what one triangle does to ∂V/∂ of its corners; returns its share of the volume, m³.

    origin: the particle from which everything is measured, so that far places cost no digits.
    """
    volume = 0.0
    for corner in range(3):
        a = between(x, origin, vertex[corners[(corner + 1) % 3]])
        b = between(x, origin, vertex[corners[(corner + 2) % 3]])
        n = divide(cross(a, b), 6.0)
        move(gradient, corners[corner], n)
        if corner == 0:
            volume = dot(n, between(x, origin, vertex[corners[0]]))
    return volume


@inline
def _farthest(inverse_mass, vertex, gradient, first, last, added):
    """How far m a pressure impulse moves the vertex that it moves farthest."""
    farthest = 0.0
    for i in range(first, last):
        w = inverse_mass[vertex[i]]
        farthest = max(farthest, w * length(load(gradient, i)) * abs(added))
    return farthest


# Δλ = −(C + α̃λ)/(Σ w ∇C·∇C* + α̃), Δx = w ∇C* Δλ, with ∇C* the gradient one step ago: pressure on
# the surface as it stood then has neither force nor torque on the whole, so that both momenta are
# kept to rounding (see `stick.momentum`).
@kernel
def project_volumes(
    particles, vertex, triangle, parts, pressure_factor, per_step, first_pass, scratch
):
    """Bring every part to its volume.

    vertex, triangle: see `Volumes`; per_step: 1/h² over the stiffness factor.
    """
    x, previous, inverse_mass = particles
    multiplier, gradient = scratch
    for v in range(parts.shape[0]):
        part = parts[v]
        if first_pass:
            multiplier[v] = 0.0
        first, last = part["first_vertex"], part["last_vertex"]
        for i in range(first, last):
            store(gradient[0], i, ZERO)
            store(gradient[1], i, ZERO)
        origin = vertex[first]
        volume = 0.0
        for t in range(part["first_triangle"], part["last_triangle"]):
            volume += _add_gradient(x, origin, vertex, triangle[t], gradient[0])
            _add_gradient(previous, origin, vertex, triangle[t], gradient[1])
        now = 0.0
        both = 0.0
        for i in range(first, last):
            w = inverse_mass[vertex[i]]
            for k in range(3):
                now += w * gradient[0, i, k] * gradient[0, i, k]
                both += w * gradient[0, i, k] * gradient[1, i, k]
        which = 1
        if not both > 0.5 * now:  # the surface turned or collapsed within one step
            which = 0
            both = now
        if both == 0.0:
            continue
        softness = part["compliance"] * per_step
        error = volume - pressure_factor * part["pressure"] * part["rest_volume"]
        added = -(error + softness * multiplier[v]) / (both + softness)
        farthest = _farthest(inverse_mass, vertex, gradient[which], first, last, added)
        limit = LONGEST_WAY * power(part["rest_volume"], 1.0 / 3.0)
        if farthest > limit:
            added *= limit / farthest
        multiplier[v] += added
        for i in range(first, last):
            shift(x, vertex[i], inverse_mass[vertex[i]] * added, load(gradient[which], i))


def _closed(builder: Building, object: int, faces: Ints, close_holes: bool) -> Ints:
    """Faces (f, 3) of a surface without holes; raises `ModelError` where there is none."""
    name = builder.objects[object].name
    loops = boundary_loops(faces)
    if loops is None:
        raise ModelError(
            name,
            "its faces do not agree on which side is out, or more than two of them meet at an "
            "edge; use Mesh › Normals › Recalculate Outside, or remove the faces inside",
        )
    if loops and not close_holes:
        raise ModelError(
            name,
            f"has a hole at vertices {vertices(builder, object, loops[0][:3])}, so it "
            "encloses no volume; use Mesh › Clean Up › Fill Holes, or let holes be closed",
        )
    for loop in loops:
        hub = np.full(len(loop) - 2, loop[0])
        fan = np.stack([hub, loop[1:-1], loop[2:]], axis=1)
        faces = np.concatenate([faces, fan]).astype(np.int32)
    return faces


def _rest_volumes(
    builder: Building,
    object: int,
    vertex: Ints,
    triangle: Ints,
    vertex_start: NDArray[np.int64],
    triangle_start: NDArray[np.int64],
) -> Floats:
    """Volumes (v,) m³ of parts, whose triangles are turned outward; `ModelError` for flat ones."""
    name = builder.objects[object].name
    count = len(vertex_start) - 1
    x = builder.position[vertex]
    rest = np.zeros(count)
    for v in range(count):
        rows = slice(int(triangle_start[v]), int(triangle_start[v + 1]))
        mine = x[vertex_start[v] : vertex_start[v + 1]]
        rest[v] = enclosed(x - mine.mean(axis=0), triangle[rows])
        extent = float((mine.max(axis=0) - mine.min(axis=0)).max())
        if not abs(rest[v]) > LEAST_VOLUME_SHARE * extent**3:
            raise ModelError(
                name,
                f"the part with vertex {vertices(builder, object, vertex[vertex_start[v]])} "
                "encloses no volume; give it some thickness, or turn pressure off",
            )
        if rest[v] < 0.0:  # wound inward
            triangle[rows] = triangle[rows, ::-1]
            rest[v] = -rest[v]
    return rest
