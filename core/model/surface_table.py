"""The constant arrays of triangles of cloth and stretches of rope, parts of a `Model`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..arrays import Floats, Ints
    from ..records import Records
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
    line: Ints  # (l, 3) what meets these, and each other, but has no face: stretches i j j of rope,
    # and single particles i i i, which do not meet each other so
    line_meets: Ints  # (l,) bits: `ITSELF`, `OTHERS`
    quad: Ints  # (q, 4) particles of faces drawn as triangles 0 1 2 and 0 2 3, see `sharp_quads`
    thread: Ints  # (s, 2) particles that close on each other: one corner of the surface
    parts_meshes: NDArray[np.bool_]  # (n,) of those that mesh colliders do not pass through

    def __len__(self) -> int:
        return len(self.triangle)


BODY_HOLD = np.dtype(
    [
        ("body", np.int32),  # row of it
        ("weight", np.float64),  # share of the vertex; those of a vertex make 1 together
        ("place", np.float64, (3,)),  # m, where the body alone would carry it, in the body's frame
    ],
    align=True,
)
"""By what a body carries a vertex of what is drawn: it lies at the weighted mean of these places.

(Linear blend skinning: Magnenat-Thalmann et al. 1988, "Joint-dependent local deformations".)
"""


@dataclass(frozen=True, eq=False)
class BodySurfaceTable:
    """m surfaces that bodies are drawn as: what cloth does not pass through, whatever their shapes.

    Each is drawn of one body, or is a skin that many carry.
    """

    first_body: Ints  # (m + 1,) into body
    body: Ints  # (k,) rows of the bodies that carry each
    friction: Floats  # (m,)
    meshes: MeshTable  # vertices (v, 3) at the start, in the frame of the first of these
    first_hold: Ints  # (v + 1,) of each vertex
    hold: Records  # (h,) BODY_HOLD

    def __len__(self) -> int:
        return len(self.friction)

    @property
    def is_skin(self) -> NDArray[np.bool_]:
        """(m,) whether several bodies carry a surface."""
        several: NDArray[np.bool_] = np.diff(self.first_body) > 1
        return several
