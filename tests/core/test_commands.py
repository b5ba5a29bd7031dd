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


def test_all_tests_run_the_quick_ones_before_what_compiles_or_starts_blender(called):
    dev.test(None)
    assert called[2:] == ["test_quick", "build_library", "test_core", "test_blender"]


def test_each_job_of_ci_waits_for_the_quick_tests():
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    _, *parts = re.split(r"^  (\w+):\n", text[text.index("\njobs:\n") :], flags=re.MULTILINE)
    jobs = dict(zip(parts[::2], parts[1::2], strict=True))
    assert "python dev.py test-quick" in jobs.pop("quick")
    assert {"test", "zips"} <= set(jobs)
    waits_for = {job: re.search(r"^    needs: (\w+)$", jobs[job], re.MULTILINE)[1] for job in jobs}
    for job in jobs:
        while job != "quick":
            job = waits_for[job]


def test_quick_tests_that_take_too_long_are_a_warning_and_no_failure(capsys):
    dev.warn_if_slow(dev.QUICK)
    assert capsys.readouterr().err == ""
    dev.warn_if_slow(dev.QUICK + 1.0)
    assert "warning: the quick tests took 181 s" in capsys.readouterr().err


def test_make_knows_every_command():
    text = (ROOT / "Makefile").read_text("utf-8").replace("\\\n", "")
    rules = re.findall(r"^([\w -]+):$", text, re.MULTILINE)
    named = {name for rule in rules for name in rule.split()}
    phony = set(re.search(r"^\.PHONY: (.+)$", text, re.MULTILINE)[1].split())
    assert named == phony == {"help", *dev.COMMANDS}
