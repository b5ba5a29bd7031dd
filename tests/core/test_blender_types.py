"""The types of Blender's API find what is misspelt, and what one supported Blender lacks."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tools.blender_stubs import STUBS, stubs  # noqa: E402

OLDEST, NEWEST = STUBS
HEAD = """
import bpy
import numpy as np

ob: bpy.types.Object = bpy.data.objects[0]
mesh: bpy.types.Mesh = bpy.data.meshes[0]
action: bpy.types.Action = bpy.data.actions[0]
layout: bpy.types.UILayout
flat = np.empty(3, np.float32)
"""
RIGHT = {
    "attribute": "ob.location",
    "method": 'mesh.vertices.foreach_get("co", flat)',
    "argument": 'bpy.data.objects.new(name="Box", object_data=mesh)',
    "icon": 'layout.label(text="Play", icon="PLAY")',
    "our property": "ob.verlet.kind",
    "our setting": "ob.verlet.cloth.bend_group",
    "our item": 'ob.verlet.kind == "CLOTH"',
}
WRONG = {
    "attribute": ("ob.locaton", "attr-defined"),
    "method": ('mesh.vertices.foreach_gett("co", flat)', "attr-defined"),
    "argument": ('bpy.data.objects.new(title="Box", object_data=mesh)', "call-arg"),
    "icon": ('layout.label(text="Play", icon="PLAYY")', "arg-type"),
    "our property": ("ob.verlet.knid", "attr-defined"),
    "our setting": ("ob.verlet.cloth.bned", "attr-defined"),
    "our item": ('ob.verlet.kind == "CLOHT"', "comparison-overlap"),
}
OF_ONE = {OLDEST: "action.fcurves", NEWEST: "action.slots"}
"""What only one of the two has: code that uses it belongs into `blender/compat.py`."""


def complaints(folder: Path, version: str, *lines: str) -> list[str]:
    """What mypy says of each expression: "" or its code."""
    source = folder / "looked_at.py"
    source.write_text(HEAD + "\n".join(lines) + "\n", "utf-8")
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml")]
    command += ["--cache-dir", str(ROOT / "build/typecheck/.mypy_cache" / version), str(source)]
    known = {**os.environ, "MYPYPATH": str(stubs(version))}
    done = subprocess.run(
        command, cwd=folder, env=known, capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found = [""] * len(lines)
    for complaint in done.stdout.splitlines():
        if ": error:" in complaint:
            row = int(complaint.split(":")[1]) - len(HEAD.splitlines()) - 1
            found[row] = complaint.rpartition("[")[2].rstrip("]")
    return found


@pytest.mark.parametrize("version", STUBS)
def test_what_is_misspelt_is_found(tmp_path, version):
    assert complaints(tmp_path, version, *RIGHT.values()) == [""] * len(RIGHT)
    wrong = [expression for expression, _ in WRONG.values()]
    assert complaints(tmp_path, version, *wrong) == [code for _, code in WRONG.values()]


@pytest.mark.parametrize("version", STUBS)
def test_what_only_the_other_one_has_is_found(tmp_path, version):
    expected = ["" if version == known else "attr-defined" for known in OF_ONE]
    assert complaints(tmp_path, version, *OF_ONE.values()) == expected
