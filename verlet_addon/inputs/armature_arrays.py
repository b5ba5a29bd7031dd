"""One armature, as it was read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...core.arrays import Floats, Ints
from ...core.recipes.drawn_skin import NO_DRAWN_SKIN, DrawnSkin
from ...core.recipes.skeleton import Skeleton, Skin
from ...core.settings import BoneSettings
from .pin_input import PinInput


@dataclass(frozen=True, eq=False)
class ArmatureArrays:
    """One armature at the start frame; b bones in the order of its data, all in the world."""

    skeleton: Skeleton
    rest: Floats  # (b, 4, 4)
    pose: Floats  # (b, 4, 4)
    before: Floats | None  # (b, 4, 4) a frame earlier; None: it stood still
    skin: Skin
    choices: tuple[BoneSettings, ...]
    has_muscles: bool  # whether any bone follows its keys, now or later
    own_parent: Ints  # (b,) rows of the bones' own parents, whatever stands in for them
    hard: tuple[bool, ...]  # (b,) whether meshes hang on a bone and none is deformed by it
    pins: tuple[PinInput, ...] = ()
    held: frozenset[str] = frozenset()  # bones with constraints of their own
    drawn: DrawnSkin = NO_DRAWN_SKIN  # what clothes keep off, where there are any
    moved_ids: frozenset[int] = frozenset()  # session ids of what a pose of it moves

    def parts(self) -> list[Any]:
        """Everything that the model depends on."""
        bones, drawn = self.skeleton, self.drawn
        return [
            f"{bones.name} {self.choices} {self.hard} {self.has_muscles} {sorted(self.held)}",
            *(bones.parent, bones.deforms, bones.ik_lock, bones.ik_lower, bones.ik_upper),
            *(self.rest, self.pose, "" if self.before is None else self.before),
            *(self.skin.points, self.skin.vertex, self.skin.bone, self.skin.weight),
            *(drawn.points, drawn.triangles, drawn.vertex, drawn.bone, drawn.weight),
            *(part for pin in self.pins for part in pin.parts()),
        ]
