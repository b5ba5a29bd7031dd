"""What would keep a bake from being written, and preview files that are gone."""

from __future__ import annotations

from pathlib import Path

import bpy

from ...core.errors import VerletError
from .. import participants, session
from ..bake import point_cache, pose_bones, restore, shape_keys, transforms
from ..kinds import KINDS
from ..session import Problem

_REQUIRE = {
    "PARTICLES": shape_keys.require_bakeable,
    "BODY": transforms.require_bakeable,
    "BONES": pose_bones.require_bakeable,
}


def of_scene(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> list[Problem]:
    """Objects that a bake could not be written to."""
    found = []
    for ob in participants.simulated_objects(scene):
        if restore.is_baked(ob) or not participants.is_moved(ob):
            continue
        try:
            _REQUIRE[KINDS[ob.verlet.kind].moves](ob)
        except VerletError as error:
            text = f"{error} (a bake would not be written)"
            show = "verlet.show_object", "Show Object"
            found.append(Problem(text, ob.session_uid, *show, is_error=True))
    return found


def missing_files(scene: bpy.types.Scene) -> list[Problem]:
    """Previews whose files are gone or damaged: the objects rest, or show another frame."""
    running = session.of(scene)
    found = []
    for ob in scene.objects:
        modifier = point_cache.attached(ob)
        if modifier is None or ob.library is not None:
            continue
        file = None if running is None else running.files.get(ob.session_uid)
        is_there = Path(bpy.path.abspath(modifier.filepath)).is_file()
        if is_there and (file is None or file.is_whole):
            continue
        text = f"{ob.name}: its preview file is gone or damaged, so it does not show its motion"
        found.append(Problem(text, ob.session_uid, "verlet.reset", "Simulate Anew"))
    return found
