"""The manual's script for Blender runs as it stands, and bakes what it says."""

import re
from pathlib import Path

import bpy
import pytest
from small_scenes import addon, seen

pytestmark = [pytest.mark.usefixtures("scene"), pytest.mark.without_wheels]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "manual" / "python.md"


def test_the_script_through_the_operators(scene):
    script = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)[0]
    exec(compile(script, str(PAGE), "exec"), {})
    sheet = next(ob for ob in scene.objects if ob.verlet.kind == "CLOTH")
    assert addon("properties.bake_record").baked_range(sheet) == (1, 12)
    assert seen(sheet)[:, 2].min() < 0.9
    scene.frame_set(1)
    assert seen(sheet)[:, 2].min() > 0.99
    assert addon("properties.presets").current(sheet, addon("properties.kinds").KINDS["CLOTH"]) == (
        "SILK"
    )
    assert bpy.ops.verlet.free_bake() == {"FINISHED"}
