"""The constant arrays of triangles of cloth and stretches of rope, parts of a `Model`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..arrays import Floats, Ints
    from .body_table import MeshTable

ITSELF, OTHERS, MESHES = 1, 2, 4
"""Bits of `SurfaceTable.meets`: its own object, surfaces of other objects, what is led as a mesh:
mesh colliders and `BodySurfaceTable`."""


@dataclass(frozen=True, eq=False)
class PieceTable:
    """f triangles of cloth and e stretches of rope: wind blows on them, bodies touch them."""

    triangle: Ints  # (f, 3) particles
    wire: Ints  # (e, 2) particles
    wire_diameter: Floats  # (e,) m

    def __len__(self) -> int:
        return len(self.triangle) + len(self.wire)


@dataclass(frozen=True, eq=False)
class SurfaceTable:
    """g triangles that nothing of a surface passes through, q quads; n particles in all."""

    triangle: Ints  # (g, 3) particles
    meets: Ints  # (g,) bits: `ITSELF`, `OTHERS`, `MESHES`
    quad: Ints  # (q, 4) particles of faces drawn as triangles 0 1 2 and 0 2 3, see `sharp_quads`
    thread: Ints  # (s, 2) particles that close on each other: one corner of the surface
    parts_meshes: NDArray[np.bool_]  # (n,) of those that mesh colliders do not pass through

    def __len__(self) -> int:
        return len(self.triangle)


@dataclass(frozen=True, eq=False)
class BodySurfaceTable:
    """m bodies as they are drawn: what cloth does not pass through, whatever their shapes."""

    body: Ints  # (m,) row of the body
    friction: Floats  # (m,)
    meshes: MeshTable  # vertices in the frames of the bodies

    def __len__(self) -> int:
        return len(self.body)
