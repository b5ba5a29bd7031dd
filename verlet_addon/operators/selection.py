"""What the verbs share: the selected objects, and one report about all of them."""

from collections.abc import Callable

import bpy

from ...core.errors import VerletError
from ..blender.types import Result
from ..extract.particles import WAY_OUT
from ..properties import participants
from ..scene.named_errors import about


def selected_shapes(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The selected objects that have a shape, of whatever type.

    In a properties editor with a pinned object that one; in Edit Mode the active one too.
    """
    chosen = list(context.selected_objects)
    ob = context.object
    if ob is not None and ob not in chosen and (ob.mode != "OBJECT" or not chosen):
        chosen.append(ob)
    return [ob for ob in chosen if ob.type == "MESH" or ob.type in WAY_OUT]


def object_meant(context: bpy.types.Context, uid: str) -> bpy.types.Object | None:
    """The object of a button beside what is said of it: by session id, "" for the active one."""
    return participants.find_object(int(uid)) if uid else context.object


def objects_meant(context: bpy.types.Context, uid: str) -> list[bpy.types.Object]:
    """Likewise, "" for the selected ones. None where the object is gone."""
    if not uid:
        return list(context.selected_objects)
    ob = object_meant(context, uid)
    return [] if ob is None else [ob]


def may_add(operator: type[bpy.types.Operator], context: bpy.types.Context) -> bool:
    """Whether a new object can go to the active collection; says why not."""
    if context.collection is None or not context.collection.is_editable:
        operator.poll_message_set("The active collection is linked: choose another one")
        return False
    return True


def for_each(
    operator: bpy.types.Operator,
    objects: list[bpy.types.Object],
    change: Callable[[bpy.types.Object], object],
    done: str,
) -> Result:
    """Change the objects one by one and report what was ``done``, and for which it failed why.

    An object that cannot be changed is left as it is and does not keep the others from it.
    """
    problems: list[str] = []
    for ob in objects:
        try:
            with about(ob.name):
                change(ob)
        except VerletError as error:
            problems.append(str(error))
    changed = len(objects) - len(problems)
    if not changed:
        operator.report({"ERROR"}, "\n".join(problems))
        return {"CANCELLED"}
    if problems:
        operator.report({"WARNING"}, f"{_count(changed)} {done}. Not done: " + "; ".join(problems))
    else:
        what = objects[0].name if len(objects) == 1 else _count(changed)
        operator.report({"INFO"}, f"{what} {done}")
    return {"FINISHED"}


def _count(number: int) -> str:
    return f"{number} object{'s' if number != 1 else ''}"
