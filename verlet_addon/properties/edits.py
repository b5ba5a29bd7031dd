"""What happens when the user changes a property: frames may be out of date, and what else is
selected gets the same value.
"""

from collections.abc import Callable
from typing import Any

import bpy

from .. import session
from . import rest_pose

Update = Callable[[Any, bpy.types.Context], None]

_EDITED_BY_HAND = {"VIEW_3D", "PROPERTIES"}


def after_edit(name: str) -> Update:
    """What happens when the user changes the property called ``name``."""

    def update(group: Any, context: bpy.types.Context) -> None:
        session.suspect_all()
        _read_again(group.id_data)
        _copy_to_selected(group, name, context)

    return update


def after_live_edit(name: str) -> Update:
    """The same for what is read in every frame: it acts from the next one on."""

    def update(group: Any, context: bpy.types.Context) -> None:
        session.improvise_all(group.id_data.session_uid)
        _read_again(group.id_data)
        _copy_to_selected(group, name, context)

    return update


def _read_again(data: bpy.types.ID) -> None:
    """What was read of a datablock and kept no longer counts."""
    session.note_edit(data.session_uid)
    rest_pose.look_again(data.session_uid)


def _copy_to_selected(group: Any, name: str, context: bpy.types.Context) -> None:
    """An edit by hand on the active object holds for all selected objects of its kind.

    Scripts set one property on one object, so only edits from the panels are passed on. The
    others are not the active object, so that their own updates end here.
    """
    ob = group.id_data
    by_hand = context.area is not None and context.area.type in _EDITED_BY_HAND
    if not by_hand or not isinstance(ob, bpy.types.Object) or ob != context.object:
        return
    path = group.path_from_id()
    for other in context.selected_objects:
        if other != ob and other.is_editable and _is_alike(other.verlet, ob.verlet):
            setattr(other.path_resolve(path), name, getattr(group, name))


def after_bone_edit(name: str) -> Update:
    """The same for the property called ``name`` of a pose bone or of its group.

    An edit by hand on the active bone holds for all selected bones.
    """

    def update(group: Any, context: bpy.types.Context) -> None:
        session.suspect_all()
        session.note_edit(group.id_data.session_uid)
        active = context.active_pose_bone
        by_hand = context.area is not None and context.area.type in _EDITED_BY_HAND
        if not by_hand or active is None or group not in (active, active.verlet):
            return
        for bone in context.selected_pose_bones or ():
            if bone != active and bone.id_data.is_editable:
                setattr(bone if group == active else bone.verlet, name, getattr(group, name))

    return update


def _is_alike(a: Any, b: Any) -> bool:
    """Whether two objects are the same in the simulation."""
    return a.kind == b.kind and a.is_joint == b.is_joint
