"""Doctor: everything that is, or may be, wrong with a scene before it is baked, at one press.

What `problems`, `hints` and the plan of each ragdoll say already is gathered, and what only a look
at all meshes and places together can tell is added. It is a look in the start frame; findings are
kept by session id of the scene until the next look, and hold no reference to Blender's data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import bpy

from .. import session
from ..problem import Problem
from ..properties import bake_record, participants
from ..properties.scenes import start_frame
from ..scene import hints
from . import bakes, collider_meshes, meshes, places, world

Check = Callable[[bpy.types.Scene, bpy.types.Depsgraph], Sequence[Problem]]

CHECKS: tuple[Check, ...] = (
    world.of_units,
    meshes.of_scene,
    collider_meshes.of_scene,
    places.sheared_by_parents,
    places.without_floor,
    places.overlapping_bodies,
    places.inside_solids,
    places.crossing_surfaces,
    bakes.of_scene,
)
"""What is looked at besides that which the panel shows anyway, in this order."""


@dataclass
class Examination:
    """What was found in a scene, and whether that is still the scene that was looked at."""

    findings: list[Problem]
    is_stale: bool = False


_known: dict[int, Examination] = {}  # by session id of the scene


def of(scene: bpy.types.Scene) -> Examination | None:
    """What the last look at a scene found; None before the first one."""
    return _known.get(scene.session_uid)


def forget() -> None:
    """Forget all that was found: another file is loaded."""
    _known.clear()


def make_stale() -> None:
    """Something that no operator of the doctor's did was changed, like an undo."""
    for examination in _known.values():
        examination.is_stale = True


def examine(scene: bpy.types.Scene) -> list[Problem]:
    """Look at the whole scene in its start frame; the frame that is shown comes back.

    Errors first, then by object. The same text is given once.
    """
    shown = scene.frame_current, scene.frame_subframe
    found = bakes.missing_files(scene) + bakes.other_rates(scene)
    try:
        depsgraph = _go_to_start(scene)
        found += _known_anyway(scene, depsgraph)
        for check in CHECKS:
            found += check(scene, depsgraph)
    finally:
        if shown != (scene.frame_current, scene.frame_subframe):
            scene.frame_set(shown[0], subframe=shown[1])
    unique = list({problem.message: problem for problem in found}.values())
    order = {ob.session_uid: number for number, ob in enumerate(scene.objects)}
    unique.sort(key=lambda p: (not p.is_error, order.get(p.object_uid, -1)))
    _known[scene.session_uid] = Examination(unique)
    return unique


def _go_to_start(scene: bpy.types.Scene) -> bpy.types.Depsgraph:
    """Build the simulation at the start frame."""
    scene.frame_set(start_frame(scene))  # handlers compare, or build, there
    return bpy.context.evaluated_depsgraph_get()


def _known_anyway(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> list[Problem]:
    """What the panels say of the scene and of each object."""
    running = session.of(scene)
    if running is not None:
        found = list(running.problems)
        if running.failure:
            found.append(Problem(running.failure, is_error=True))
    else:
        from ..scene.reading import read_inputs

        _, found = read_inputs(scene, depsgraph, {})
    for ob in participants.simulated_objects(scene):
        if not bake_record.is_baked(ob):
            found += hints.of_object(ob, scene)
    return found
