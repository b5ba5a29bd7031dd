"""Commands of dev.py: what `lint` checks, that `test` checks it once, and that make knows all."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import dev  # noqa: E402

pytestmark = pytest.mark.quick


@pytest.fixture
def called(monkeypatch):
    """The names of what is run, in order, in place of running it."""
    names = []
    for name in ("style", "typecheck", "test_quick", "build_library", "test_core", "test_blender"):
        monkeypatch.setattr(dev, name, lambda _, name=name: names.append(name))
    return names


def test_lint_checks_style_and_then_types(called):
    dev.lint(None)
    assert called == ["style", "typecheck"]


def test_all_tests_begin_with_lint_and_check_types_once(called):
    dev.test(None)
    assert called[:2] == ["style", "typecheck"]
    assert len(called) == len(set(called)) == 6


def test_make_knows_every_command():
    text = (ROOT / "Makefile").read_text("utf-8").replace("\\\n", "")
    rules = re.findall(r"^([\w -]+):$", text, re.MULTILINE)
    named = {name for rule in rules for name in rule.split()}
    phony = set(re.search(r"^\.PHONY: (.+)$", text, re.MULTILINE)[1].split())
    assert named == phony == {"help", *dev.COMMANDS}
