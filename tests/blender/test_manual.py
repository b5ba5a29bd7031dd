"""The manual's script for Blender runs as it stands; F1 opens the page about what is pointed at."""

import re
from pathlib import Path
from urllib.parse import urlparse
from urllib.request import url2pathname

import bpy
import pytest
from bl_operators.wm import WM_OT_doc_view_manual
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


def shown_by_f1(name: str) -> tuple[str, str]:
    """Page and anchor that Blender opens for a name like bpy.ops.verlet.cloth."""
    url = urlparse(WM_OT_doc_view_manual._lookup_rna_url(name))
    assert url.scheme == "file"
    page = Path(url2pathname(url.path))
    text = page.read_text("utf-8")
    assert not url.fragment or f'id="{url.fragment}"' in text, f"{name}: {url.fragment}"
    return page.stem, url.fragment


def test_f1_opens_a_page_about_every_operator():
    pages = {name: shown_by_f1(f"bpy.ops.verlet.{name}") for name in dir(bpy.ops.verlet)}
    general = [name for name, (page, _) in pages.items() if page == "index"]
    assert not general, "these have no page of their own"
    assert pages["cloth"] == ("cloth", "")
    assert pages["soft_body"] == ("soft_body", "")
    assert pages["make_tearable"] == ("cloth", "tearing")
    assert pages["drag_bone"] == ("ragdoll", "held-and-dragged")
    assert pages["add_floor"] == ("collider", "")
    assert pages["add_floor_below"] == ("check", "")


@pytest.mark.parametrize(
    ("group", "name", "page"),
    [
        ("VerletCloth", "thickness", "cloth"),
        ("VerletSoftBody", "drag", "soft_body"),
        ("VerletObject", "pin_group", "pins"),
        ("VerletObject", "impulse_frame", "world"),
        ("VerletBone", "pin_target", "ragdoll"),
        ("VerletJoint", "kind", "joints"),
        ("VerletSolver", "substep_rate", "world"),
        ("VerletScene", "reduce_keys", "bake"),
        ("VerletScene", "own_start", "playing"),
        ("VerletAnimated", "stiffness", "playing"),
    ],
)
def test_f1_on_a_value_opens_the_page_about_it(group, name, page):
    assert shown_by_f1(f"bpy.types.{group}.{name}")[0] == page


def test_the_buttons_of_the_panels_open_pages_that_are_there():
    manual = addon("manual")
    panels = [getattr(bpy.types, name) for name in dir(bpy.types) if name.startswith("VERLET_PT")]
    pages = {panel.page for panel in panels if getattr(panel, "page", "")}
    pages |= {f"manual/{kind.verb}.html" for kind in addon("properties.kinds").KINDS.values()}
    assert len(pages) > 12
    for page in pages:
        assert Path(url2pathname(urlparse(manual.address(page)).path)).is_file(), page
