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


def rows_of_the_table():
    """The first two cells of each row of the table of a step, from top to bottom: stage, call."""
    table = TEXT.split("| stage | call | what happens |")[1].split("\n\n")[0]
    return [[cell.strip() for cell in line.split("|")[1:3]] for line in table.splitlines()[2:]]


def stages_of_the_table():
    """What the first column says."""
    return [stage for stage, _ in rows_of_the_table() if stage]


def calls_of_stages(statements):
    """What is called of stages in some statements, in the order of the source: `contacts.find`."""
    found = []
    for node in (node for statement in statements for node in ast.walk(statement)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            stage = node.func.value
            if isinstance(stage, ast.Call):  # a stage that is made for one call
                stage = stage.func
            if isinstance(stage, ast.Name):
                found.append((node.end_lineno, node.end_col_offset, stage.id, node.func.attr))
    return [f"{stage}.{name}" for *_, stage, name in sorted(found)]


def test_the_table_has_a_row_for_every_call_of_the_loop_in_its_order():
    source = ast.parse(inspect.getsource(step))
    body = {node.name: node.body for node in source.body if isinstance(node, ast.FunctionDef)}
    loop = next(n for n, part in enumerate(body["_advance_all"]) if isinstance(part, ast.While))
    ways = next(n for n, part in enumerate(body["_run"]) if isinstance(part, ast.If))
    calls = calls_of_stages(body["_advance_all"][loop:]) + calls_of_stages(body["_run"][ways + 1 :])
    rows = [call.strip("`") for _, call in rows_of_the_table() if call]
    assert len(calls) > 40
    assert rows == calls


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


def test_files_of_the_engine_are_named_so_that_one_is_meant():
    engine = [path.relative_to(ROOT).as_posix() for path in (ROOT / "core").rglob("*.py")]
    before, after = TEXT.split("\n# The add-on\n")
    addon, adding = after.split("\n# Where to add a thing\n")
    assert addon
    names = set(re.findall(r"`([\w/]+\.py)`", before + adding))
    meant = {name: [path for path in engine if path.endswith(f"/{name}")] for name in names}
    assert not {name: paths for name, paths in meant.items() if len(paths) > 1}


def test_it_has_three_parts():
    parts = re.findall(r"^# (.+)$", TEXT, re.MULTILINE)
    assert parts[:4] == ["Architecture", "A step", "Rigid bodies", "The add-on"]
