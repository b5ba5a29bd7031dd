"""A sheet of cloth that falls over objects and drapes itself around them."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np

from ..scene.surroundings import bounds
from .shapes import surface
from .site import Site

PARTS_OF_SHEET = 48  # edges along a side
ABOVE = 0.05  # of the objects' size: how far the sheet lies above them at first
LINEN = (0.55, 0.5, 0.42)


def add_sheet(site: Site, objects: Sequence[bpy.types.Object]) -> bpy.types.Object:
    """A square sheet over the common bounding box, large enough to hang halfway down its sides."""
    corners = [bounds(ob) for ob in objects]
    lower = np.min([low for low, _ in corners], axis=0)
    upper = np.max([high for _, high in corners], axis=0)
    size = upper - lower
    largest = float(size.max())
    half = 0.5 * float(size[:2].max()) + 0.6 * float(size[2]) + 0.1 * largest
    side = np.linspace(-half, half, PARTS_OF_SHEET + 1)
    x, y = np.meshgrid(side, side)
    middle = 0.5 * (lower + upper)
    place = (middle[0], middle[1], upper[2] + ABOVE * largest)
    sheet = site.add_mesh(
        "Sheet",
        surface(np.stack([x, y, np.zeros_like(x)], axis=2)),
        LINEN,
        np.subtract(place, site.origin).tolist(),
        is_smooth=True,
    )
    site.set_up(sheet, "CLOTH")
    site.active = sheet
    return sheet
