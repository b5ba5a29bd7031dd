"""What would keep a bake from being written, and preview files that are gone."""

from __future__ import annotations

from pathlib import Path

import bpy

from ...core.errors import VerletError
from .. import session
from ..bake import cache_file, pose_bones, shape_keys, transforms
from ..blender import point_cache
from ..problem import Problem
from ..properties import bake_record, participants
from ..properties.kinds import KINDS
from ..properties.scenes import frame_rate

_REQUIRE = {
    "PARTICLES": shape_keys.require_bakeable,
    "BODY": transforms.require_bakeable,
    "BONES": pose_bones.require_bakeable,
}


def of_scene(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> list[Problem]:
    """Objects that a bake could not be written to."""
    found = []
    for ob in participants.simulated_objects(scene):
        if bake_record.is_baked(ob) or not participants.is_moved(ob):
            continue
        moves, target = KINDS[ob.verlet.kind].moves, scene.verlet.mesh_bake
        try:
            if moves == "PARTICLES" and target in cache_file.FORMATS:
                cache_file.require_bakeable(ob, target)
            else:
                _REQUIRE[moves](ob)
        except VerletError as error:
            text = f"{error} (a bake would not be written)"
            show = "verlet.show_object", "Show Object"
            found.append(Problem(text, ob.session_uid, *show, is_error=True))
    return found


SAME_RATE = 0.01  # share by which frame rates may differ: 23.976 is 24


def other_rates(scene: bpy.types.Scene) -> list[Problem]:
    """Bakes that are played at another frame rate than they were made for."""
    now = frame_rate(scene)
    found = []
    for ob in participants.simulated_objects(scene):
        was = ob.verlet_bake.frame_rate if bake_record.is_baked(ob) else 0.0
        if was and abs(was - now) > SAME_RATE * was:
            pace = "fast" if now > was else "slow"
            times = max(was, now) / min(was, now)
            text = (
                f"{ob.name} was baked at {was:g} frames a second and is played at {now:g}, "
                f"{times:.3g} times too {pace}. "
                "Press Free Bake and Bake, or set the frame rate back (Output › Frame Rate)"
            )
            show = "verlet.show_object", "Show Object"
            found.append(Problem(text, ob.session_uid, *show))
    return found


def missing_files(scene: bpy.types.Scene) -> list[Problem]:
    """Previews and bakes whose files are gone: the objects rest, or show another frame."""
    running = session.of(scene)
    found = []
    for ob in scene.objects:
        lost = cache_file.missing(ob)
        if lost:
            text = (
                f"{ob.name}: the file of its bake is gone ({lost}), so it does not move. Put it "
                "back, or press Free Bake and Bake"
            )
            show = "verlet.show_object", "Show Object"
            found.append(Problem(text, ob.session_uid, *show, is_error=True))
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
