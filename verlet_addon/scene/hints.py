"""Hints on the active object and the scene, each with a button: cheap enough to ask while drawing.

`problems` tells what is wrong with what is simulated; this tells before it is.
"""

from __future__ import annotations

import bpy

from ..blender.data import armature_of, mesh_of
from ..extract.tearable import is_split
from ..problem import Problem
from ..properties.kinds import KINDS, KINDS_THAT_TEAR, RAGDOLL
from ..properties.objects import group_of
from ..properties.participants import has_any
from .surroundings import falls_forever, is_calm

FEW_VERTICES = 25
"""Vertices, as many as a grid of 4 × 4 faces has: fewer can hardly fold."""

FOLDS = {"CLOTH": "fold", "SOFT_BODY": "wobble"}
"""What needs vertices inside its faces, by kind."""

_refused: dict[int, tuple[str, str]] = {}  # session id: message, and the verb to press again


def refuse(ob: bpy.types.Object, message: str, verb: str) -> None:
    """Remember that a verb was refused to an open mesh, so that the panel offers to close it."""
    _refused[ob.session_uid] = message, verb


def forget_refusal(ob: bpy.types.Object) -> None:
    """The mesh is closed, or the object was made something else."""
    _refused.pop(ob.session_uid, None)


def refused_verb(ob: bpy.types.Object) -> str:
    """The verb that was refused because the mesh is open, "" for none."""
    return _refused.get(ob.session_uid, ("", ""))[1]


def of_object(ob: bpy.types.Object | None, scene: bpy.types.Scene) -> list[Problem]:
    """What the active object lacks."""
    if ob is None:
        return []
    found = []
    if ob.session_uid in _refused:
        found.append(_about(ob, _refused[ob.session_uid][0], "verlet.close_holes", "Close Holes"))
    kind = ob.verlet.kind
    if kind in FOLDS and ob.type == "MESH" and len(mesh_of(ob).vertices) < FEW_VERTICES:
        text = f"{ob.name}: {len(mesh_of(ob).vertices)} vertices can hardly {FOLDS[kind]}"
        found.append(_about(ob, text, "verlet.subdivide", "Subdivide"))
    if kind == "ROPE" and ob.type == "MESH" and len(mesh_of(ob).polygons) > 0:
        text = (
            f"{ob.name}: each of its edges is a rope, and its faces hold nothing. For a rope that "
            "is modelled as a tube draw a curve through it"
        )
        found.append(Problem(text, ob.session_uid))
    if kind in KINDS_THAT_TEAR and group_of(ob, KINDS[kind]).strength > 0.0 and not is_split(ob):
        if ob.type == "MESH":
            text = f"{ob.name}: it has a strength, but its faces share their vertices and hold"
            found.append(_about(ob, text, "verlet.make_tearable", "Make Tearable"))
        else:
            text = f"{ob.name}: a curve does not snap. Use Object › Convert › Mesh"
            found.append(Problem(text, ob.session_uid))
    is_pinned_cloth = kind == "CLOTH" and bool(ob.verlet.pin_group)
    if (is_pinned_cloth or kind == "PLANT") and is_calm(scene):
        text = f"{ob.name}: the air is still. Wind makes it wave"
        found.append(Problem(text, 0, "verlet.add_wind", "Add Wind"))
    if kind == RAGDOLL and armature_of(ob).pose_position == "REST":
        text = f"{ob.name}: in Rest Position none of its bones is seen to move"
        found.append(_about(ob, text, "verlet.pose_position", "Pose Position"))
    return found


def of_scene(scene: bpy.types.Scene) -> list[Problem]:
    """What the scene lacks."""
    if has_any(scene) and falls_forever(scene):
        text = "Nothing here is a collider: what falls goes on falling"
        return [Problem(text, 0, "verlet.add_floor", "Add a Floor")]
    return []


def _about(ob: bpy.types.Object, text: str, operator: str, button: str) -> Problem:
    return Problem(text, ob.session_uid, operator, button)
