"""Example scenes: a few ready things, where a camera sees them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import bpy
from mathutils import Vector

from . import THINGS
from .drape import add_sheet
from .shapes import ball
from .site import Site
from .surroundings import add_floor, blow

Place = tuple[float, float, float]
STONE = (0.35, 0.36, 0.38)


@dataclass(frozen=True)
class Example:
    """One entry of the menu of example scenes."""

    identifier: str
    label: str
    tooltip: str
    things: Sequence[tuple[str, Place]]  # names of THINGS, and where in m
    camera: Place  # where it stands
    target: Place  # what it looks at
    frame_end: int = 120
    more: Callable[[Site], None] | None = field(default=None)


def _draped_ball(site: Site) -> None:
    stone = site.add_mesh("Ball", ball(0.6, 24), STONE, (-1.6, 0.0, 0.6), is_smooth=True)
    site.set_up(stone, "COLLIDER")
    add_sheet(site, [stone])


EXAMPLES = {
    example.identifier: example
    for example in (
        Example(
            "WIND",
            "Flag and Curtain",
            "Cloth in a gusty wind",
            [("flag", (-1.5, 0.0, 0.0)), ("curtain", (1.8, 0.6, 0.0))],
            (0.3, -7.5, 2.0),
            (0.3, 0.0, 1.4),
        ),
        Example(
            "WRECKING",
            "Wrecking Ball",
            "A ball on a chain breaks through a wall of bricks",
            [("brick_wall", (0.0, 0.0, 0.0)), ("wrecking_ball", (0.0, 0.0, 0.0))],
            (7.5, -10.5, 4.2),
            (-0.4, 0.4, 2.0),
        ),
        Example(
            "BRIDGE",
            "Rope Bridge and Ragdoll",
            "A ragdoll falls on a bridge, which gives way under it",
            [("rope_bridge", (0.0, 0.0, 0.0)), ("ragdoll_dummy", (0.2, 0.0, 1.5))],
            (2.6, -8.0, 3.0),
            (0.0, 0.0, 1.3),
        ),
        Example(
            "SOFT",
            "Cloth and Jelly",
            "A sheet is draped over a ball, a jelly wobbles beside it",
            [("jelly", (0.9, 0.0, 0.0))],
            (0.0, -6.5, 2.6),
            (-0.3, 0.0, 0.6),
            more=_draped_ball,
        ),
    )
}
"""By identifier, in the order of the menu."""


def build(example: Example) -> bpy.types.Scene:
    """A new scene of the file, which leaves all others as they are."""
    scene = bpy.data.scenes.new(example.label)
    scene.frame_end = example.frame_end
    view_layer = scene.view_layers[0]
    site = Site(view_layer, scene.collection, (0.0, 0.0, 0.0))
    add_floor(site)
    _add_camera(site, scene, example)
    for name, place in example.things:
        there = Site(view_layer, scene.collection, place)
        THINGS[name].build(there)
        if THINGS[name].wants_wind:
            blow(scene)
        site.active = there.active or there.objects[0]
    if example.more is not None:
        example.more(site)
    view_layer.objects.active = site.active
    return scene


def _add_camera(site: Site, scene: bpy.types.Scene, example: Example) -> None:
    place, target = Vector(example.camera), Vector(example.target)
    turn = (target - place).to_track_quat("-Z", "Y").to_matrix()
    data = bpy.data.cameras.new("Camera")
    data.lens = 40.0
    scene.camera = site.add("Camera", data, place, turn)
    sun = bpy.data.lights.new("Sun", "SUN")
    assert isinstance(sun, bpy.types.SunLight)
    sun.energy = 3.0
    aim = Vector((-0.4, 0.5, -0.8)).to_track_quat("-Z", "Y").to_matrix()
    site.add("Sun", sun, (3.0, -4.0, 6.0), aim)
