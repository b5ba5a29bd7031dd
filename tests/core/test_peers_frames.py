"""The table of whole frames: what is left for the add-on, and where the table stands."""

import pytest

from tools.peers.frame_compare import Frames, page
from tools.peers.pages import with_part

OURS = {
    "version": "5.0.1",
    "ms": 20.0,
    "cpu": 40.0,
    "engine": 10.0,
    "engine_cpu": 24.0,
    "blender_cpu": 8.0,
    "scrub_ms": 2.0,
    "scrub_cpu": 3.0,
    "baked_ms": 2.5,
    "baked_cpu": 3.5,
}
THEIRS = {"version": "5.0.1", "ms": 60.0, "cpu": 60.0, "scrub_ms": 1.0, "scrub_cpu": 1.0}


def row(**changed):
    cubes = Frames("cubes", "cubes", 200, {}, [OURS | changed] * 3, [THEIRS])
    text = page([cubes], "a machine", 3)
    lines = [line for line in text.splitlines() if line.startswith("|")]
    head, _, values = ([cell.strip() for cell in line.split("|")[1:-1]] for line in lines)
    return dict(zip(head, values)), values


def test_the_share_is_what_neither_the_engine_nor_blender_takes():
    assert row()[0]["share"] == "20%"
    assert row(engine_cpu=20.0)[0]["share"] == "**30%**"


def test_times_stand_against_blenders():
    values = row()[1]
    assert values[1:7] == ["20", "60", "3.0", "40", "60", "1.5"]


def test_a_scene_without_a_rival_and_one_that_failed():
    ragdolls = Frames("ragdolls", "ragdolls", 20, {}, [OURS])
    failed = Frames("sheet", "sheet", 64, errors=["no memory"])
    text = page([ragdolls, failed], "a machine", 1)
    assert "| ragdolls | 20 |  |  |" in text
    assert "sheet: no memory." in text


@pytest.mark.parametrize("is_first", [True, False])
def test_the_part_may_come_first(is_first):
    old, new = "<!-- Made by `a` -->\n\n# A\n", "<!-- Made by `b` -->\n\n# B\n"
    page_now = with_part(old, new, is_first=is_first)
    assert page_now == "\n".join([new, old] if is_first else [old, new])
    assert with_part(page_now, new, is_first=is_first) == page_now
