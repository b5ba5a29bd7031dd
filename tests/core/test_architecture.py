"""docs/ARCHITECTURE.md says what is so: the stages of a step, and files that exist."""

import ast
import inspect
import re
from pathlib import Path

import pytest

from verlet_physics import step
from verlet_physics.golden.hashes import SCENES
from verlet_physics.step import advance

pytestmark = pytest.mark.quick

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs/ARCHITECTURE.md").read_text("utf-8")


def stages_of_the_table():
    """What the first column of the table of a step says, from top to bottom."""
    table = TEXT.split("| stage | what happens |")[1].split("\n\n")[0]
    cells = [line.split("|")[1].strip() for line in table.splitlines()[2:]]
    return [cell for cell in cells if cell]


def test_the_table_names_the_stages_of_the_loop_in_their_order():
    loop = ast.parse(inspect.getsource(step._advance_all))
    timed = [
        (node.lineno, node.args[0].value)
        for node in ast.walk(loop)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "lap"
    ]
    assert stages_of_the_table() == [name for _, name in sorted(timed)]


@pytest.mark.parametrize("name", ["everything-meets", "heap"])
def test_the_table_names_what_the_diagnostics_name(name):
    scene = SCENES[name]()
    state = scene.model.initial_state()
    _, figures = advance(scene.model, state, scene.inputs(scene.model, 0), scene.settings)
    known = list(dict.fromkeys(stages_of_the_table()))
    assert list(figures.stage_seconds) == (known if len(scene.model.particles.mass) else ["bodies"])


def test_every_file_that_is_named_exists():
    names = re.findall(r"`([\w/]+\.py)`", TEXT)
    known = [path.relative_to(ROOT).as_posix() for path in ROOT.glob("*.py")]
    for folder in ("core", "verlet_addon", "tests", "tools"):
        known += [path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob("*.py")]
    missing = {name for name in names if not any(f"/{path}".endswith(f"/{name}") for path in known)}
    assert len(names) > 100
    assert not missing


def test_it_has_three_parts():
    parts = re.findall(r"^# (.+)$", TEXT, re.MULTILINE)
    assert parts[:4] == ["Architecture", "A step", "Rigid bodies", "The add-on"]
