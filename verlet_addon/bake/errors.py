"""What can stop a bake, and the checks that find it before anything is changed."""

from __future__ import annotations

import bpy

from ...core.errors import VerletError
from ..blender.types import Animatable


class BakeError(VerletError):
    """A bake that cannot be written or freed: nothing has been changed.

    ``object_name`` is the object to look at, ``problem`` says what is wrong and the way out.
    """

    def __init__(self, object_name: str, problem: str) -> None:
        self.object_name = object_name
        self.problem = problem
        super().__init__(f"{object_name}: {problem}")


def require_editable_object(ob: bpy.types.Object) -> None:
    """Raise when the object belongs to a library: its animation cannot be replaced here."""
    if ob.library is not None:
        raise BakeError(
            ob.name,
            f"the object is linked from {ob.library.filepath}, so it cannot hold a bake. "
            "Make it local first (Object › Relations › Make Local).",
        )
    if ob.override_library is not None:
        raise BakeError(
            ob.name,
            "the object is a library override, so its bake could not be freed again. "
            "Make it local first (Object › Library Override › Clear, or Make Local).",
        )


def require_editable_animation(ob: bpy.types.Object, datablock: Animatable | None) -> None:
    """Raise when the NLA editor holds the action of ``datablock`` open: Blender then locks it."""
    animation = datablock.animation_data if datablock is not None else None
    if animation is not None and animation.use_tweak_mode:
        raise BakeError(
            ob.name,
            "an NLA strip is being tweaked, so the action cannot be replaced. "
            "Leave tweak mode first (Tab in the NLA editor).",
        )
