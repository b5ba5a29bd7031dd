"""A rope bridge: planks on hinges between two banks, and hand ropes that are tied to them."""

import itertools
import math

import bpy
import numpy as np
from mathutils import Matrix

from ...core.arrays import Floats
from ..blender.data import mesh_of
from .shapes import MeshData, box, cylinder
from .site import Site

SPAN, SAG, HEIGHT, WIDTH = 5.0, 0.35, 1.2, 0.9  # m between the banks, high and wide
PLANKS, GAP, THICK = 18, 0.03, 0.05  # how many; m between two, m
BANK, POST = 0.7, 0.9  # m long, m of a post above its bank
DROP_EVERY, DROP_PARTS = 3, 4  # a dropper at every third plank, of so many edges
EARTH, WOOD, HEMP = (0.2, 0.14, 0.09), (0.3, 0.17, 0.08), (0.45, 0.33, 0.17)
HINGE_ALONG_Y = Matrix.Rotation(-0.5 * math.pi, 3, "X")
"""The Z axis of a hinge along Y."""


def build(site: Site) -> None:
    """Along X over the cursor. The ropes' ends are pinned to the posts."""
    banks = []
    for side, name in ((-1.0, "Left"), (1.0, "Right")):
        place = (side * 0.5 * (SPAN + BANK), 0.0, 0.5 * HEIGHT)
        bank = site.add_mesh(f"Bank {name}", box(BANK, WIDTH + 0.3, HEIGHT), EARTH, place)
        banks.append(site.set_up(bank, "COLLIDER"))
        for y, row in ((-0.5 * WIDTH, "Near"), (0.5 * WIDTH, "Far")):
            place = (side * (0.5 * SPAN + 0.08), y, HEIGHT)
            site.add_mesh(f"Post {name} {row}", cylinder(0.05, POST, 12), WOOD, place)
    ends = _hinges()
    planks = _planks(site, ends)
    for number, (a, b) in enumerate(itertools.pairwise([banks[0], *planks, banks[1]])):
        place = (ends[number, 0], 0.0, ends[number, 1])
        plank, other = (b, a) if b in planks else (a, b)
        site.join(plank, other, place, "HINGE", HINGE_ALONG_Y)
    for side, name in ((-1.0, "Near"), (1.0, "Far")):
        _hand_rope(site, f"Hand Rope {name}", side * 0.5 * WIDTH, ends, planks)
    site.active = planks[len(planks) // 2]


def _hinges() -> Floats:
    """Places (PLANKS + 1, 2) in m, x and z, at equal ways along a parabola."""
    x = np.linspace(-0.5 * SPAN, 0.5 * SPAN, 2001)
    z = HEIGHT - 0.5 * THICK - SAG * (1.0 - (2.0 * x / SPAN) ** 2)
    along = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(z)))])
    marks = np.linspace(0.0, along[-1], PLANKS + 1)
    return np.stack([np.interp(marks, along, x), np.interp(marks, along, z)], axis=1)


def _planks(site: Site, ends: Floats) -> list[bpy.types.Object]:
    length = float(np.linalg.norm(ends[1:] - ends[:-1], axis=1).min())
    mesh = site.mesh("Plank", box(length - GAP, WIDTH, THICK), WOOD)
    planks = []
    for number, (a, b) in enumerate(itertools.pairwise(ends)):
        middle, way = 0.5 * (a + b), b - a
        turn = Matrix.Rotation(-math.atan2(way[1], way[0]), 3, "Y")
        plank = site.add(f"Plank {number + 1:02}", mesh, (middle[0], 0.0, middle[1]), turn)
        planks.append(site.set_up(plank, "BODY", "WOOD"))
    return planks


def _hand_rope(
    site: Site, name: str, y: float, ends: Floats, planks: list[bpy.types.Object]
) -> None:
    """A mesh of edges: the rope from post to post, and droppers that are tied to planks."""
    middles = 0.5 * (ends[1:] + ends[:-1])
    rail = np.concatenate([ends[:1], middles, ends[-1:]])
    points = np.column_stack([rail[:, 0], np.full(len(rail), y), rail[:, 1] + POST - 0.03])
    points[[0, -1], 0] += (-0.08, 0.08)  # to the middle of the posts
    vertices = list(points)
    edges = list(itertools.pairwise(range(len(points))))
    ties = []
    for plank in range(DROP_EVERY // 2, PLANKS, DROP_EVERY):
        top, foot = points[plank + 1], np.array([middles[plank, 0], y, middles[plank, 1]])
        chain = [plank + 1, *range(len(vertices), len(vertices) + DROP_PARTS)]
        shares = np.arange(1, DROP_PARTS + 1) / DROP_PARTS
        vertices += list(top + shares[:, None] * (foot - top))
        edges += itertools.pairwise(chain)
        ties.append((planks[plank], foot))
    rope = site.add_mesh(name, MeshData(np.array(vertices), edges=edges), HEMP)
    site.set_up(rope, "ROPE", diameter=0.025, line_density=0.3)
    site.pin(rope, [0, len(points) - 1])
    skin = rope.modifiers.new("Skin", "SKIN")
    assert isinstance(skin, bpy.types.SkinModifier)
    skin.use_smooth_shade = True
    for vertex in mesh_of(rope).skin_vertices[0].data:
        vertex.radius = (0.0125, 0.0125)
    for held, foot in ties:
        site.join(rope, held, foot.tolist(), size=0.06)
