"""Make the demo files anew: `python dev.py demo-files` runs this in the oldest Blender.

make_demo_files.py EXTENSION.zip FOLDER [NAME…]

Everything is set up with the add-on's own operators, as a person would do it.
"""

import importlib
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "tools" / "inside_blender"))

import installed_extension

if __name__ == "__main__":
    installed_extension.prepare_user_folder()

import bpy

DEMOS = (
    *(
        "flag",
        "tear",
        "drape",
        "table",
        "sack",
        "towels",
        "curtain",
        "boxes",
        "presets",
        "ropes",
        "plants",
        "soft",
        "swarm",
    ),
    *("heap", "bridge", "dominoes", "wrecking", "masonry", "net", "mixed"),
    *("crowd", "robot", "horse"),
    *("stairs", "tumble", "drag", "stumble", "cape", "dressed", "puppets"),
)
"""Modules in scenes/, in the order of the README."""


def main() -> None:
    """Install the zip, build each scene, save it."""
    zip_path, folder = (Path(argument).resolve() for argument in sys.argv[1:3])
    installed_extension.install(zip_path)
    bpy.context.preferences.filepaths.save_version = 0
    for name in sys.argv[3:] or DEMOS:
        importlib.import_module(f"scenes.{name}").build()
        bpy.context.scene.frame_set(1)
        path = folder / f"{name}.blend"
        bpy.ops.wm.save_as_mainfile(filepath=str(path), compress=True, copy=True)
        print(f"wrote {path.name}, {path.stat().st_size / 1024:.0f} kB")


if __name__ == "__main__":
    installed_extension.run_and_leave(main)
