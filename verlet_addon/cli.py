"""``blender -b FILE --command verlet_bake [options]``: bake on a farm.

The file is written only when all that was asked for is done: a partial bake over the only copy
would pass for a whole one.
"""

import argparse
import sys

import bpy

from ..core.errors import VerletError
from . import doctor
from .bake import restore, scene_bake
from .blender.commands import Command
from .live import missing_frames
from .properties import bake_record, participants
from .properties.by_path import set_by_path

BAKE_COMMAND = "verlet_bake"


def frame_range(text: str) -> tuple[int, int]:
    """``"A-B"`` or ``"A"`` as first and last frame; frames may be negative."""
    body = text.strip()
    cut = body.find("-", 1)
    first, last = (body[:cut], body[cut + 1 :]) if cut > 0 else (body, body)
    try:
        frames = int(first), int(last)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no frame range; write it like 1-250"
        ) from None
    if frames[1] < frames[0]:
        raise argparse.ArgumentTypeError(f"{text!r} ends before it begins")
    return frames


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the command's own arguments."""
    parser = argparse.ArgumentParser(
        prog=f"blender -b FILE --command {BAKE_COMMAND}",
        description="Bake all that moves in the open file and save it.",
    )
    parser.add_argument(
        "--frames", type=frame_range, metavar="A-B", help="frames to write (default: the scene's)"
    )
    parser.add_argument("--output", metavar="FILE", help="save there and leave the file as it is")
    parser.add_argument(
        "--partial",
        action="store_true",
        help="save also what is incomplete: fewer frames, or not all objects (exits with 1 still)",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="PATH=VALUE",
        help="before that, set what Copy Full Data Path of Blender's menus names; may be repeated",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--resume",
        action="store_true",
        help="keep bakes that hold all the frames, free those that hold fewer and bake them anew; "
        "0 when nothing is left to do",
    )
    what.add_argument("--rebake", action="store_true", help="free all bakes, then bake everything")
    what.add_argument("--free", action="store_true", help="free all bakes and save; bake nothing")
    what.add_argument(
        "--check",
        action="store_true",
        help="say what is or may be wrong with the scene; bake and save nothing (1 for an error)",
    )
    return parser.parse_args(arguments)


def _act(options: argparse.Namespace) -> int:
    """Bake the open file and save it; 0 when all was written, 1 when not, 2 for a wrong call."""
    if not bpy.data.filepath:
        print("Error: no file is open. Name the .blend file before --command", file=sys.stderr)
        return 2
    for setting in options.set:
        path, mark, value = setting.rpartition("=")
        if not mark:
            raise VerletError(f"{setting!r} is no PATH=VALUE")
        set_by_path(path, value)
    if options.check:
        return _check()
    return _free(options) if options.free else _bake_and_save(options)


def _check() -> int:
    found = doctor.examine(bpy.context.scene)
    for problem in found:
        print(f"{'Error' if problem.is_error else 'Warning'}: {problem.message}")
    print(f"{len(found)} finding{'s' if len(found) != 1 else ''}")
    return 1 if any(problem.is_error for problem in found) else 0


def _bake_and_save(options: argparse.Namespace) -> int:
    result = _bake(options)
    if result is None:
        print("Everything is baked already")
        if options.output:
            _save(options.output)
        return 0
    for warning in result.warnings:
        print(f"Warning: {warning}", file=sys.stderr)
    if result.failure:
        print(f"Error: {result.failure}", file=sys.stderr)
    is_whole = bool(result.objects) and not result.failure and not result.warnings
    if not is_whole and not (options.partial and result.objects):
        print(
            "Nothing was saved: the bake is incomplete (--partial saves it all the same)",
            file=sys.stderr,
        )
        return 1
    _save(options.output)
    first, last = result.frames.start, result.frames.stop - 1
    print(f"Baked {len(result.objects)} objects, frames {first} to {last}")
    return 0 if is_whole else 1


def _baked(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    return [ob for ob in participants.simulated_objects(scene) if bake_record.is_baked(ob)]


def _free(options: argparse.Namespace) -> int:
    count = restore.free_many(_baked(bpy.context.scene))
    if not count:
        raise VerletError(f"{bpy.data.filepath}: nothing is baked")
    _save(options.output)
    print(f"Freed {count} objects")
    return 0


def _bake(options: argparse.Namespace) -> scene_bake.BakeResult | None:
    """Simulate and write what is asked for; None when all of it is there."""
    scene = bpy.context.scene
    uid = scene.session_uid
    frames = scene_bake.frames_of(scene, *(options.frames or (None, None)))
    held = _baked(scene)
    if options.resume:
        short = [ob for ob in held if not _holds(ob, frames)]
        if held and not short and not participants.bakeable_objects(scene, None):
            return None
        restore.free_many(short)
    elif options.rebake:
        restore.free_many(held)
    objects = participants.bakeable_objects(scene, None)
    if not objects:
        raise VerletError(
            f"{bpy.data.filepath}: nothing moves that is not baked already (--rebake bakes anew)"
        )
    uids = [ob.session_uid for ob in objects]
    for frame in missing_frames.simulate(scene, frames):
        print(f"\rSimulating frame {frame} of {frames[-1]}", end="", flush=True)
    print()
    return scene_bake.write(missing_frames.find_scene(uid), frames, uids)


def _holds(ob: bpy.types.Object, frames: range) -> bool:
    """Whether an object's bake has all these frames."""
    held = bake_record.baked_range(ob)
    return held is not None and held[0] <= frames[0] and held[1] >= frames[-1]


def _save(output: str | None) -> None:
    if output:
        bpy.ops.wm.save_as_mainfile(filepath=bpy.path.abspath(output), copy=True)
    else:
        bpy.ops.wm.save_mainfile()


_command = Command(BAKE_COMMAND, parse, _act)
run, register, unregister = _command.run, _command.register, _command.unregister
