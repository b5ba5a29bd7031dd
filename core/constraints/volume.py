"""Volumes: closed surfaces that keep what they enclose, or a multiple of it.

    C = V(x) − p V₀,   V = ⅙ Σ a · (b × c) over the triangles,   ∂V/∂a = ⅙ Σ b × c

(Müller et al. 2007, "Position Based Dynamics", §4.4, with the pressure factor p). With the
compliance α in m³/Pa the multiplier λ/h² is the pressure inside in Pa: a liquid of bulk modulus K
has α = V₀/K, and 0 lets nothing give way.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ModelError
from ..jit import kernel
from ..model import Floats, Ints
from ..surface import boundary_loops, connected_parts
from .base import Moving
from .checks import numbers, rows_of_particles, vertices

if TYPE_CHECKING:
    from ..builder import ModelBuilder

FLAT = 1e-9
"""A volume below this many times the cube of the surface's extent counts as none."""

LONGEST_WAY = 0.1
"""Edges of a cube of the rest volume that a vertex moves in one pass at most.

A collapsed surface has next to no gradient left, and would be shot out of any proportion.
"""


@dataclass(frozen=True, eq=False)
class Volumes:
    """What the closed parts of one object enclose. Made by `Volumes.of`."""

    object: int
    vertex: Ints  # (q,) particles, part by part
    vertex_start: Ints  # (v + 1,) first vertex of each part
    triangle: Ints  # (f, 3) rows of vertex, part by part, wound outward
    triangle_start: Ints  # (v + 1,)
    rest_volume: Floats  # (v,) m³
    pressure: Floats  # (v,) factor on the rest volume
    compliance: Floats  # (v,) m³/Pa

    @classmethod
    def of(
        cls,
        builder: ModelBuilder,
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

        x = builder.position[vertex]
        rest = np.zeros(count)
        for v in range(count):
            rows = slice(int(triangle_start[v]), int(triangle_start[v + 1]))
            mine = x[vertex_start[v] : vertex_start[v + 1]]
            rest[v] = enclosed(x - mine.mean(axis=0), triangle[rows])
            extent = float((mine.max(axis=0) - mine.min(axis=0)).max())
            if not abs(rest[v]) > FLAT * extent**3:
                raise ModelError(
                    name,
                    f"the part with vertex {vertices(builder, object, vertex[vertex_start[v]])} "
                    "encloses no volume; give it some thickness, or turn pressure off",
                )
            if rest[v] < 0.0:  # wound inward
                triangle[rows] = triangle[rows, ::-1]
                rest[v] = -rest[v]
        soft = numbers(builder, object, "compliance", compliance, (count,), least=0.0)
        if softness is not None:
            soft = rest * numbers(builder, object, "softness", softness, (count,), least=0.0)
        return cls(
            object,
            np.ascontiguousarray(vertex, dtype=np.int32),
            vertex_start.astype(np.int32),
            np.ascontiguousarray(triangle, dtype=np.int32),
            triangle_start.astype(np.int32),
            rest,
            numbers(builder, object, "pressure", pressure, (count,), least=0.0),
            soft,
        )

    @property
    def particles(self) -> Ints:
        """Every particle of the surfaces."""
        return self.vertex

    @property
    def multiplier_count(self) -> int:
        """λ of each part, and two gradients of each vertex."""
        return len(self.rest_volume) + 6 * len(self.vertex)

    def project(self, moving: Moving, multiplier: Floats) -> None:
        """Project part after part."""
        animated = moving.animated[self.object]
        count = len(self.rest_volume)
        project_volumes(
            moving.x,
            moving.previous,
            moving.inverse_mass,
            self.vertex,
            self.vertex_start,
            self.triangle,
            self.triangle_start,
            self.rest_volume,
            self.pressure,
            animated.pressure,
            self.compliance,
            1.0 / (moving.h**2 * max(animated.stiffness, 1e-12)),
            moving.is_first_pass,
            multiplier[:count],
            multiplier[count:].reshape(2, -1, 3),
        )


def enclosed(x: Floats, triangle: Ints) -> float:
    """Volume in m³ inside a closed surface (f, 3) of places x (n, 3)."""
    a, b, c = x[triangle[:, 0]], x[triangle[:, 1]], x[triangle[:, 2]]
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


# Δλ = −(C + α̃λ)/(Σ w ∇C·∇C* + α̃), Δx = w ∇C* Δλ, with ∇C* the gradient one step ago: pressure on
# the surface as it stood then has neither force nor torque on the whole, so that both momenta are
# kept to rounding (see `stick.momentum`).
@kernel
def project_volumes(
    x,
    previous,
    inverse_mass,
    vertex,
    vertex_start,
    triangle,
    triangle_start,
    rest_volume,
    pressure,
    pressure_factor,
    compliance,
    per_step,
    first_pass,
    pull,
    gradient,
):
    """Bring every part to its volume.

    pull (v,) carries λ; gradient (2, q, 3) m² is scratch for both gradients of each vertex.
    """
    for v in range(rest_volume.shape[0]):
        if first_pass:
            pull[v] = 0.0
        first = vertex_start[v]
        last = vertex_start[v + 1]
        for i in range(first, last):
            for k in range(3):
                gradient[0, i, k] = 0.0
                gradient[1, i, k] = 0.0
        origin = vertex[first]  # everything is measured from here: far places cost no digits
        volume = 0.0
        for t in range(triangle_start[v], triangle_start[v + 1]):
            for which in range(2):
                for corner in range(3):
                    i = vertex[triangle[t, (corner + 1) % 3]]
                    j = vertex[triangle[t, (corner + 2) % 3]]
                    if which == 0:
                        ax = x[i, 0] - x[origin, 0]
                        ay = x[i, 1] - x[origin, 1]
                        az = x[i, 2] - x[origin, 2]
                        bx = x[j, 0] - x[origin, 0]
                        by = x[j, 1] - x[origin, 1]
                        bz = x[j, 2] - x[origin, 2]
                    else:
                        ax = previous[i, 0] - previous[origin, 0]
                        ay = previous[i, 1] - previous[origin, 1]
                        az = previous[i, 2] - previous[origin, 2]
                        bx = previous[j, 0] - previous[origin, 0]
                        by = previous[j, 1] - previous[origin, 1]
                        bz = previous[j, 2] - previous[origin, 2]
                    nx = (ay * bz - az * by) / 6.0
                    ny = (az * bx - ax * bz) / 6.0
                    nz = (ax * by - ay * bx) / 6.0
                    mine = triangle[t, corner]
                    gradient[which, mine, 0] += nx
                    gradient[which, mine, 1] += ny
                    gradient[which, mine, 2] += nz
                    if which == 0 and corner == 0:
                        p = vertex[mine]
                        volume += (
                            nx * (x[p, 0] - x[origin, 0])
                            + ny * (x[p, 1] - x[origin, 1])
                            + nz * (x[p, 2] - x[origin, 2])
                        )
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
        softness = compliance[v] * per_step
        error = volume - pressure_factor * pressure[v] * rest_volume[v]
        added = -(error + softness * pull[v]) / (both + softness)
        farthest = 0.0
        for i in range(first, last):
            w = inverse_mass[vertex[i]]
            gg = 0.0
            for k in range(3):
                gg += gradient[which, i, k] * gradient[which, i, k]
            farthest = max(farthest, w * math.sqrt(gg) * abs(added))
        limit = LONGEST_WAY * rest_volume[v] ** (1.0 / 3.0)
        if farthest > limit:
            added *= limit / farthest
        pull[v] += added
        for i in range(first, last):
            p = vertex[i]
            for k in range(3):
                x[p, k] += inverse_mass[p] * added * gradient[which, i, k]
