"""What bakes leave over when they are freed: the copies that they have made, now without a user.

Blender walks through the whole file for each call that removes data, so the leftovers of many
objects are removed in one (1000 objects: 0.2 s instead of 2).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import bpy

from ..properties.bake_record import BAKE_MARK


@dataclass
class Leftovers:
    """Meshes and actions that freed objects no longer use; others may.

    Objects are freed ``with`` them: at its end what nothing uses is removed.
    """

    meshes: list[bpy.types.Mesh | bpy.types.Curve] = field(default_factory=list)
    actions: list[bpy.types.Action] = field(default_factory=list)

    def add_action(self, action: bpy.types.Action | None) -> None:
        """Note the action of a bake that `animation.give_back` left over, if any."""
        if action is not None:
            self.actions.append(action)

    def __enter__(self) -> Leftovers:
        return self

    def __exit__(self, *error: object) -> None:
        """Remove those that a bake has made and nothing uses: meshes first, they use actions."""
        _remove_unused(self.meshes)
        _remove_unused(action for action in self.actions if action.get(BAKE_MARK))


def _remove_unused(datablocks: Iterable[bpy.types.ID]) -> None:
    unused = {datablock for datablock in datablocks if datablock.users == 0}
    if unused:
        bpy.data.batch_remove(unused)
