"""The manual: its links lead somewhere, every verb has a page, its script runs as it stands."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.quick

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([DOCS / "index.md", *(DOCS / "manual").glob("*.md")])
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def anchors(page: Path) -> set[str]:
    """What a link may name in a page: its headings as web pages name them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {
        re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in headings
    }


def test_there_are_pages():
    assert len(PAGES) > 15


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_and_pictures_lead_somewhere(page):
    for target in LINK.findall(page.read_text("utf-8")):
        if target.startswith("http"):
            continue
        path, _, anchor = target.partition("#")
        found = (page.parent / path).resolve() if path else page
        assert found.is_file(), f"{page.name}: {target}"
        assert DOCS in found.parents, f"{page.name}: {target} is no page of the manual"
        if anchor:
            assert anchor in anchors(found), f"{page.name}: {target}"


def test_every_page_stands_in_the_contents():
    contents = (ROOT / "mkdocs.yml").read_text("utf-8")
    listed = set(re.findall(r"- (\S+\.md)", contents))
    assert {str(page.relative_to(DOCS)) for page in PAGES} <= listed
    assert all((DOCS / name).is_file() for name in listed)


def test_every_picture_is_shown():
    shown = {
        target for page in PAGES for target in LINK.findall(page.read_text("utf-8"))
    }  # fmt: skip
    for picture in (DOCS / "manual" / "images").iterdir():
        assert f"images/{picture.name}" in shown, picture.name


def test_every_verb_has_a_page_with_a_picture():
    source = (ROOT / "verlet_addon" / "properties" / "kinds.py").read_text("utf-8")
    verbs = re.findall(r'^            "[A-Z_]+",\n            "([a-z_]+)",\n', source, re.MULTILINE)
    assert len(verbs) == 8
    for verb in verbs:
        page = DOCS / "manual" / f"{verb}.md"
        assert f"images/{verb}.jpg" in page.read_text("utf-8"), verb


def scripts() -> list[str]:
    text = (DOCS / "manual" / "python.md").read_text("utf-8")
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


def test_the_script_for_the_engine_alone_runs():
    in_blender, alone = scripts()
    assert "bpy" in in_blender
    assert "bpy" not in alone
    plain = {**os.environ, "VERLET_NO_NUMBA": "1"}  # it is small: to compile takes longer
    done = subprocess.run(
        [sys.executable, "-c", alone], capture_output=True, text=True, check=True, env=plain
    )
    lowest, stretch = map(float, done.stdout.split())
    assert 0.2 < lowest < 0.9
    assert stretch < 0.1
