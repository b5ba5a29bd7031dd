"""A jelly that falls on an edge: a soft body."""

import math

from mathutils import Euler

from .shapes import rounded_box
from .site import Site

SIZE, CUTS = 0.6, 7  # m, cuts of an edge
DROP_HEIGHT = 0.8  # m of its middle above the cursor
RED = (0.7, 0.06, 0.1)


def build(site: Site) -> None:
    """Turned a little, so that it wobbles as it lands."""
    jelly = site.add_mesh(
        "Jelly",
        rounded_box(SIZE, SIZE, SIZE, CUTS),
        RED,
        (0.0, 0.0, DROP_HEIGHT),
        Euler((math.radians(18.0), math.radians(12.0), math.radians(20.0))).to_matrix(),
        is_smooth=True,
    )
    site.set_up(jelly, "SOFT_BODY", "JELLY")
