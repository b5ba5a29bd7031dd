"""The extension's zips: a clean copy of the sources, the wheels, and Blender's own build tool."""

from __future__ import annotations

import ast
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from tools.environments import Blender, blender_environment, digest_of, site_packages
from tools.kernel_library import PLATFORMS, Platform, build_wheel
from tools.manual_pages import build_manual, manual_sources
from tools.processes import BUILD, ROOT, Failure, locked, output_of, timed

if TYPE_CHECKING:
    from collections.abc import Sequence

ZIPS = BUILD / "zips"


EXTENSION_FILES = ("blender_manifest.toml", "__init__.py", "LICENSE", "README.md")
EXTENSION_FOLDERS = ("core", "verlet_addon")
FOR_BUILDING = (
    *("core/kernels/folder.py", "core/kernels/kernel_files.py", "core/kernels/linking.py"),
    "core/kernels/compiling.py",
    *("core/warm_up.py", "core/compile_together.py"),
)
"""What compiles: an installed extension finds its kernels compiled."""


def extension_sources() -> list[Path]:
    """The files of the extension, relative to the checkout: all that git does not ignore.

    New files that are not committed yet belong to it, so that they can be tested first.
    """
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"]
    status, listing = output_of([*command, *EXTENSION_FILES, *EXTENSION_FOLDERS])
    if status == 0 and listing:
        names = {Path(name) for name in listing.split("\0") if name}
        return sorted(name for name in names if (ROOT / name).is_file())
    found = [ROOT / name for name in EXTENSION_FILES if (ROOT / name).is_file()]
    for folder in EXTENSION_FOLDERS:  # a source archive without git
        found += (path for path in (ROOT / folder).rglob("*") if path.is_file())
    return sorted(path.relative_to(ROOT) for path in found if "__pycache__" not in path.parts)


def uncommitted_sources() -> list[str]:
    """Files of the extension that differ from the last commit."""
    command = ["git", "status", "--porcelain", "--untracked-files=all", "--"]
    status, listing = output_of([*command, *EXTENSION_FILES, *EXTENSION_FOLDERS])
    return [line[3:] for line in listing.splitlines()] if status == 0 else []


def stage_extension(folder: Path, target: Platform | None, wheels: Sequence[Path]) -> None:
    """Copy the extension into a clean folder and name the wheels in its manifest."""
    shutil.rmtree(folder, ignore_errors=True)
    for source in extension_sources():
        (folder / source).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / source, folder / source)
    if target is None:
        return
    (folder / "wheels").mkdir()
    for wheel in wheels:
        shutil.copy2(wheel, folder / "wheels" / wheel.name)
    manifest = folder / "blender_manifest.toml"
    wheel_lines = "".join(f'  "./wheels/{wheel.name}",\n' for wheel in wheels)
    added = f'platforms = ["{target.name}"]\nwheels = [\n{wheel_lines}]\n\n['
    text = manifest.read_text("utf-8")  # the keys go before the first table
    manifest.write_text(re.sub(r"^\[", lambda _: added, text, count=1, flags=re.M), "utf-8")


def build_zip(blender: Blender, target: Platform | None) -> Path:
    """Build and validate a platform's zip, or the one without wheels; nothing when up to date.

    One with this machine's library alone, as tests need it, lies in a folder of its own: it has the
    name of the one for release, and is of no use to older processors.
    """
    interpreter = blender_environment(blender)
    wheels = [build_wheel(target, manifest_version())] if target else []
    name = f"verlet_physics-{manifest_version()}.zip"
    suffix = target.name.replace("-", "_") if target else "without_wheels"
    folder = ZIPS
    if target is not None and target != PLATFORMS[target.name]:
        folder = ZIPS / target.targets[0]
    path = folder / name.replace(".zip", f"-{suffix}.zip")
    folder.mkdir(parents=True, exist_ok=True)
    with locked(ZIPS):
        sources = [ROOT / source for source in extension_sources()]
        inputs = digest_of([*sources, *manual_sources(), *wheels])
        if is_up_to_date(path, inputs):
            return path
        with timed(f"build and validate {path.name}"):
            staging = BUILD / "extension"
            stage_extension(staging, target, wheels)
            for name_of_file in FOR_BUILDING:
                (staging / name_of_file).unlink()
            build_manual(staging / "manual")
            build = ("--source-dir", staging, "--output-filepath")
            if target:  # Blender's tool appends the platform to the name
                blender_tool(interpreter, "build", *build, folder / name, "--split-platforms")
            else:
                blender_tool(interpreter, "build", *build, path)
            blender_tool(interpreter, "validate", path)
            stamp_of(path).write_text(inputs, "utf-8")
    return path


def stamp_of(path: Path) -> Path:
    """The file that remembers from which inputs a zip was made."""
    return path.with_name(f".{path.name}.inputs")


def is_up_to_date(path: Path, inputs: str) -> bool:
    """Whether a zip was made from these inputs."""
    stamp = stamp_of(path)
    return path.exists() and stamp.exists() and stamp.read_text("utf-8") == inputs


def blender_tool(interpreter: Path, command: str, *arguments: object) -> None:
    """Run Blender's own extension tool, which lies inside the bpy wheel."""
    scripts = next(site_packages(interpreter).glob("bpy/*/scripts"))
    tool = scripts / "addons_core" / "bl_pkg" / "cli" / "blender_ext.py"
    tags = scripts / "modules" / "_bpy_internal" / "extensions" / "tags.py"
    status, output = output_of([interpreter, tool, command, "--valid-tags", tags, *arguments])
    if status:
        raise Failure(f"blender_ext.py {command} failed:\n{output}")


def manifest_version() -> str:
    """The extension's version, which stands in the manifest and nowhere else."""
    text = (ROOT / "blender_manifest.toml").read_text("utf-8")
    found = re.search(r'^version = (".+")', text, flags=re.M)
    if found is None:
        raise Failure("blender_manifest.toml names no version")
    return str(ast.literal_eval(found[1]))
