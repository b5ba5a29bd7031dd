"""A wrecking ball on a chain, drawn aside: rigid bodies and joints under a crane."""

import math

from mathutils import Vector

from .shapes import ball, box, cylinder
from .site import Site

HOOK = 4.4  # m above the cursor
LINKS, LINK, THICK = 10, 0.31, 0.05  # how many; m long, m of radius
RADIUS, MASS = 0.42, 400.0  # m, kg
START = math.radians(-68.0)  # from the plumb line
YELLOW, STEEL, GREY = (0.75, 0.4, 0.03), (0.4, 0.42, 0.45), (0.12, 0.12, 0.13)


def build(site: Site) -> None:
    """The ball passes half a metre above the cursor, along X, in its first second."""
    for name, sides, place in (
        ("Crane Mast", (0.3, 0.3, HOOK + 0.4), (0.0, 2.6, 0.5 * HOOK + 0.2)),
        ("Crane Jib", (0.2, 3.0, 0.2), (0.0, 1.2, HOOK + 0.12)),
    ):
        site.set_up(site.add_mesh(name, box(*sides), YELLOW, place), "COLLIDER")
    hook = Vector((0.0, 0.0, HOOK))
    down = Vector((math.sin(START), 0.0, -math.cos(START)))
    turn = down.to_track_quat("-Z", "Y").to_matrix()
    shape = cylinder(THICK, 0.8 * LINK, 12).moved((0.0, 0.0, -0.4 * LINK))
    mesh = site.mesh("Link", shape, STEEL)
    above = None
    for number in range(LINKS):
        link = site.add(f"Link {number + 1:02}", mesh, hook + (number + 0.5) * LINK * down, turn)
        site.set_up(link, "BODY", "STEEL", shape="CAPSULE")
        site.join(link, above, hook + number * LINK * down)
        above = link
    end = hook + LINKS * LINK * down
    weight = site.add_mesh("Wrecking Ball", ball(RADIUS), GREY, end + RADIUS * down, is_smooth=True)
    site.set_up(weight, "BODY", "STEEL", shape="SPHERE", mass_by="MASS", mass=MASS)
    site.join(weight, above, end)
    site.active = weight
