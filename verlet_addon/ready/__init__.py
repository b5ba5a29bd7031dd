"""Ready things: objects that are set up and simulate well as they are, one file for each.

A thing is a function that builds it on a `Site`; `operators/add.py` makes a button of each entry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..blender.types import Icon
from . import brick_wall, curtain, flag, jelly, ragdoll_dummy, rope_bridge, wrecking_ball
from .site import Site


@dataclass(frozen=True)
class Thing:
    """One entry of the menu Add › Verlet."""

    identifier: str  # the operator verlet.add_<identifier>
    label: str
    tooltip: str
    icon: Icon
    build: Callable[[Site], None]
    falls: bool = False  # needs something to fall on
    wants_wind: bool = False


THINGS = {
    thing.identifier: thing
    for thing in (
        Thing(
            "flag",
            "Flag",
            "Add a flag of cloth on a pole, and wind where the air is calm",
            "MOD_CLOTH",
            flag.build,
            wants_wind=True,
        ),
        Thing(
            "curtain",
            "Curtain",
            "Add a curtain of cloth that hangs in folds on a rail",
            "MOD_CLOTH",
            curtain.build,
        ),
        Thing(
            "rope_bridge",
            "Rope Bridge",
            "Add a bridge of planks between two pairs of posts, with hand ropes that hold it",
            "OUTLINER_OB_CURVE",
            rope_bridge.build,
        ),
        Thing(
            "jelly",
            "Jelly",
            "Add a soft cube that falls, wobbles and keeps its volume",
            "MOD_SOFT",
            jelly.build,
            falls=True,
        ),
        Thing(
            "brick_wall",
            "Brick Wall",
            "Add a wall of rigid bodies that stands until something hits it",
            "RIGID_BODY",
            brick_wall.build,
            falls=True,
        ),
        Thing(
            "wrecking_ball",
            "Wrecking Ball",
            "Add a heavy ball on a chain that swings across the 3D cursor: add a Brick Wall there",
            "CONSTRAINT",
            wrecking_ball.build,
            falls=True,
        ),
        Thing(
            "ragdoll_dummy",
            "Ragdoll Dummy",
            "Add a person of 1.8 m with bones and joints that goes limp and falls",
            "ARMATURE_DATA",
            ragdoll_dummy.build,
            falls=True,
        ),
    )
}
"""By identifier, in the order of the menu."""
