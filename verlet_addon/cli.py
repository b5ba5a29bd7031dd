"""``blender -b FILE --command verlet_bake [--frames A-B] [--output FILE]``: bake on a farm."""

import argparse
import sys

import bpy

from ..core.errors import VerletError
from . import baking

COMMAND = "verlet_bake"

_handle: object | None = None


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
        prog=f"blender -b FILE --command {COMMAND}",
        description="Bake all that moves in the open file and save it.",
    )
    parser.add_argument(
        "--frames", type=frame_range, metavar="A-B", help="frames to write (default: the scene's)"
    )
    parser.add_argument("--output", metavar="FILE", help="save there and leave the file as it is")
    return parser.parse_args(arguments)


def run(arguments: list[str]) -> int:
    """Bake the open file and save it; 0 when all was written."""
    try:
        options = parse(arguments)
    except SystemExit as stop:  # argparse has printed why
        return int(stop.code or 0)
    if not bpy.data.filepath:
        print("Error: no file is open. Name the .blend file before --command", file=sys.stderr)
        return 2
    try:
        result = _bake(options)
    except VerletError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    for warning in result.warnings:
        print(f"Warning: {warning}", file=sys.stderr)
    if result.objects:
        _save(options.output)
        first, last = result.frames.start, result.frames.stop - 1
        print(f"Baked {len(result.objects)} objects, frames {first} to {last}")
    if result.failure:
        print(f"Error: {result.failure}", file=sys.stderr)
        return 1
    return 0 if result.objects and not result.warnings else 1


def _bake(options: argparse.Namespace) -> baking.BakeResult:
    scene = bpy.context.scene
    objects = baking.bakeable_objects(scene, None)
    if not objects:
        raise VerletError(f"{bpy.data.filepath}: nothing moves that is not baked already")
    frames = baking.frames_of(scene, *(options.frames or (None, None)))
    for frame in baking.simulate(scene, frames):
        print(f"\rSimulating frame {frame} of {frames[-1]}", end="", flush=True)
    print()
    return baking.write(scene, frames, [ob.session_uid for ob in objects])


def _save(output: str | None) -> None:
    if output:
        bpy.ops.wm.save_as_mainfile(filepath=bpy.path.abspath(output), copy=True)
    else:
        bpy.ops.wm.save_mainfile()


def register() -> None:
    """Make the command known to Blender."""
    global _handle
    _handle = bpy.utils.register_cli_command(COMMAND, run)


def unregister() -> None:
    """Take the command away."""
    global _handle
    if _handle is not None:
        bpy.utils.unregister_cli_command(_handle)
        _handle = None
