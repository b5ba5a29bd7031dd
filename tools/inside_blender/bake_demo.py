"""Bake one demo file in this process's Blender and render it: `dev.py demo` runs this.

python tools/inside_blender/bake_demo.py EXTENSION.zip FILE.blend OUTPUT_FOLDER

The pictures are rendered from the saved file with the extension disabled, so they also prove
that the bake is native Blender data which plays without it.
"""

import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import installed_extension

if __name__ == "__main__":
    installed_extension.prepare_user_folder()

import bpy
from PIL import Image, ImageDraw, ImageFont

SHEET_TILE_COUNT = 12
SHEET_COLUMNS = 4
SHEET_TILE_WIDTH = 400
SHEET_GAP = 4
MOVIE_WIDTH = 640

seconds: dict[str, float] = {}


@contextmanager
def timed(part: str) -> Iterator[None]:
    """Measure and print one part of the work."""
    start = time.perf_counter()
    yield
    seconds[part] = round(time.perf_counter() - start, 2)
    print(f"  {seconds[part]:7.2f} s  {part}", flush=True)


def main() -> None:
    """Install, bake, save, render."""
    zip_path, blend, folder = (Path(argument).resolve() for argument in sys.argv[1:4])
    baked = folder / f"{blend.stem}_baked.blend"
    with timed("install the extension"):
        installed_extension.install(zip_path)
    with timed("open the file"):
        bpy.ops.wm.open_mainfile(filepath=str(blend))
    with timed("bake"):
        bake()
    bpy.context.preferences.filepaths.save_version = 0  # no .blend1 beside it
    with timed("save the baked file"):
        bpy.ops.wm.save_as_mainfile(filepath=str(baked), compress=True, copy=True)
    installed_extension.disable()
    bpy.ops.wm.open_mainfile(filepath=str(baked))
    scene = bpy.context.scene
    with timed("check the motion"):
        distance = largest_movement(scene)
    use_quick_workbench(scene)
    with timed("render the contact sheet"):
        sheet = render_sheet(scene, folder / f"{blend.stem}_sheet.png")
    with timed("render the movie"):
        movie = render_movie(scene, folder / f"{blend.stem}.mp4")
    report = {
        "file": blend.name,
        "blender": bpy.app.version_string,
        "frames": [scene.frame_start, scene.frame_end],
        "largest_movement_m": round(distance, 3),
        "seconds": seconds,
    }
    (folder / f"{blend.stem}.json").write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    print(f"  largest movement {distance:.2f} m; wrote {baked.name}, {sheet.name}, {movie.name}")


def bake() -> None:
    """Bake all that is set up in the scene; errors that the operator reports are raised here."""
    result = bpy.ops.verlet.bake()
    if result != {"FINISHED"}:
        raise RuntimeError(f"bpy.ops.verlet.bake() returned {result}")


def largest_movement(scene: bpy.types.Scene) -> float:
    """How far any vertex gets from its place in the first frame, in metres, at five frames."""
    frames = np.linspace(scene.frame_start, scene.frame_end, 5).round().astype(int)
    first = vertex_positions(scene, int(frames[0]))
    distance = 0.0
    for frame in frames[1:]:
        for name, places in vertex_positions(scene, int(frame)).items():
            if not np.isfinite(places).all():
                raise RuntimeError(f"{name} has NaN or infinite coordinates at frame {frame}")
            if name in first and first[name].shape == places.shape and places.size:
                distance = max(distance, np.linalg.norm(places - first[name], axis=1).max())
    if distance < 1e-4:
        raise RuntimeError("nothing moves in the baked file")
    return float(distance)


def vertex_positions(scene: bpy.types.Scene, frame: int) -> dict[str, np.ndarray]:
    """Evaluated vertices of every visible mesh in world space: (vertices, 3), metres."""
    scene.frame_set(frame)
    positions = {}
    for instance in bpy.context.evaluated_depsgraph_get().object_instances:
        if instance.object.type != "MESH" or instance.is_instance:
            continue
        mesh = instance.object.data
        local = np.empty(3 * len(mesh.vertices), np.float32)
        mesh.vertices.foreach_get("co", local)
        matrix = np.array(instance.matrix_world)
        positions[instance.object.name] = local.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
    return positions


def use_quick_workbench(scene: bpy.types.Scene) -> None:
    """The quickest pictures in software: Workbench, as small as the movie is."""
    if scene.camera is None:
        raise RuntimeError("the scene has no camera")
    scene.render.engine = "BLENDER_WORKBENCH"
    scene.render.resolution_percentage = 100
    height = MOVIE_WIDTH * scene.render.resolution_y / scene.render.resolution_x
    scene.render.resolution_x = MOVIE_WIDTH
    scene.render.resolution_y = 2 * round(height / 2)  # H.264 wants even sizes
    scene.render.use_file_extension = False


def use_format(settings: bpy.types.ImageFormatSettings, media: str, file_format: str) -> None:
    """Choose a file format; from Blender 5.0 on its kind must be chosen first."""
    if hasattr(settings, "media_type"):
        settings.media_type = media
    settings.file_format = file_format


def render_sheet(scene: bpy.types.Scene, path: Path) -> Path:
    """Render some frames and lay them out in one picture with their frame numbers."""
    scene.display.render_aa = "8"
    use_format(scene.render.image_settings, "IMAGE", "PNG")
    frames = np.linspace(scene.frame_start, scene.frame_end, SHEET_TILE_COUNT)
    width = SHEET_TILE_WIDTH
    height = round(width * scene.render.resolution_y / scene.render.resolution_x)
    rows = -(-SHEET_TILE_COUNT // SHEET_COLUMNS)
    size = (SHEET_COLUMNS * (width + SHEET_GAP), rows * (height + SHEET_GAP))
    sheet = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(size=18)
    with tempfile.TemporaryDirectory() as folder:
        for tile, frame in enumerate(sorted({int(frame) for frame in frames.round()})):
            scene.frame_set(frame)
            scene.render.filepath = str(Path(folder, f"{frame}.png"))
            with silent_output():
                bpy.ops.render.render(write_still=True)
            row, column = divmod(tile, SHEET_COLUMNS)
            x, y = column * (width + SHEET_GAP), row * (height + SHEET_GAP)
            with Image.open(scene.render.filepath) as picture:
                sheet.paste(picture.convert("RGB").resize((width, height)), (x, y))
            label = f"frame {frame}"
            draw.text((x + 8, y + 6), label, "white", font, stroke_width=2, stroke_fill="black")
    sheet.save(path)
    return path


def render_movie(scene: bpy.types.Scene, path: Path) -> Path:
    """Render every frame into a movie with Blender's own FFmpeg.

    Without shadows, which in software take two thirds of the time, and with jagged edges.
    """
    scene.display.render_aa = "OFF"
    scene.display.shading.show_shadows = False
    use_format(scene.render.image_settings, "VIDEO", "FFMPEG")
    ffmpeg = scene.render.ffmpeg
    ffmpeg.format = "MPEG4"
    ffmpeg.codec = "H264"
    ffmpeg.constant_rate_factor = "HIGH"
    ffmpeg.ffmpeg_preset = "REALTIME"
    with tempfile.TemporaryDirectory() as folder:
        scene.render.filepath = str(Path(folder, path.name))
        with silent_output():
            bpy.ops.render.render(animation=True)
        shutil.move(scene.render.filepath, path)
    return path


@contextmanager
def silent_output() -> Iterator[None]:
    """Keep Blender's line per frame, and the driver's notes, off the terminal."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = {stream: os.dup(stream) for stream in (1, 2)}
    with Path(os.devnull).open("w") as nothing:
        for stream in kept:
            os.dup2(nothing.fileno(), stream)
    try:
        yield
    finally:
        for stream, original in kept.items():
            os.dup2(original, stream)
            os.close(original)


if __name__ == "__main__":
    installed_extension.run_and_leave(main)
