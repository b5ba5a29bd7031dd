"""A wall of rigid bricks in running bond: every other course begins with half a brick."""

import itertools

import bpy

from .shapes import box
from .site import Color, Site

DEPTH, LENGTH, HEIGHT = 0.24, 0.4, 0.2  # m of a brick: through the wall, along it, tall
COURSES, PER_COURSE = 7, 5
TONES: tuple[Color, ...] = ((0.42, 0.13, 0.08), (0.5, 0.17, 0.1), (0.36, 0.1, 0.06))


def build(site: Site) -> None:
    """Along Y. Bricks of one length and tone share a mesh."""
    meshes: dict[tuple[float, Color], bpy.types.Mesh] = {}
    tones = itertools.cycle(TONES)
    numbers = itertools.count(1)
    for course in range(COURSES):
        is_whole = course % 2 == 0
        widths = [1.0] * PER_COURSE if is_whole else [0.5, *[1.0] * (PER_COURSE - 1), 0.5]
        left = -0.5 * PER_COURSE * LENGTH
        for width in widths:
            place = (0.0, left + 0.5 * width * LENGTH, (course + 0.5) * HEIGHT)
            kind = width, next(tones)
            if kind not in meshes:
                meshes[kind] = site.mesh("Brick", box(DEPTH, width * LENGTH, HEIGHT), kind[1])
            brick = site.add(f"Brick {next(numbers):02}", meshes[kind], place)
            site.set_up(brick, "BODY", "STONE")
            left += width * LENGTH
