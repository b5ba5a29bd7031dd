"""Every truth case holds, and the command that prints them tells the truth about failures."""

import json

import numpy as np
import pytest

from verlet_physics.__main__ import main
from verlet_physics.truth.all import CASES
from verlet_physics.truth.case import Result


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_case(name):
    result = CASES[name]()
    assert result.passed, f"{name}: {result}"


def test_json_line_has_the_promised_keys(capsys):
    assert main(["truth", "bounce-0.5-1", "--json"]) == 0
    line = json.loads(capsys.readouterr().out)
    assert set(line) == {"case", "measured", "expected", "tolerance", "pass"}
    assert line["pass"] is True


def test_a_case_measured_in_whole_arrays_is_a_line_too(capsys, monkeypatch):
    figures = Result(np.float64(1.0), np.float64(0.9), np.float64(0.2))
    monkeypatch.setitem(CASES, "free-flight", lambda: figures)
    assert main(["truth", "free-flight", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["pass"] is True


def test_figures_of_other_engines_stand_beside_ours(capsys):
    assert main(["truth", "rigid-free-momentum", "rigid-bouncing-100"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any("rigid-free-momentum-960" in line and "Simbody .0064" in line for line in lines)
    assert any("rigid-bouncing-100" in line and "RaiSim 186," in line for line in lines)
    assert main(["truth", "rigid-bouncing-100", "--json"]) == 0
    assert "ODE 18808" in json.loads(capsys.readouterr().out)["published"]


def test_a_failing_case_gives_exit_status_1(monkeypatch, capsys):
    monkeypatch.setitem(CASES, "free-flight", lambda: Result(float("nan"), 0.0, 1.0))
    assert main(["truth", "free-flight"]) == 1
    assert "FAIL" in capsys.readouterr().out


@pytest.mark.parametrize("command", [["truth", "no-such"], ["bench", "no-such"]])
def test_unknown_names_are_refused_and_the_known_ones_listed(command, capsys):
    assert main(command) == 2
    error = capsys.readouterr().err
    assert "no-such" in error
    assert ("pendulum-45" if command[0] == "truth" else "hang") in error


def test_a_group_name_stands_for_its_cases(capsys):
    assert main(["truth", "bounce", "--json"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 6


def test_list_names_everything(capsys):
    assert main(["list"]) == 0
    listed = capsys.readouterr().out.split()
    assert {*CASES, "hang", "flag", "drop", "boxes", "kernel", "load"} <= set(listed)


def test_bench_prints_the_promised_keys(capsys):
    assert main(["bench", "hang", "--n", "6", "--threads", "1", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert {
        "scene", "n", "threads", "frames", "substeps", "ms_per_frame", "setup_s", "compile_s",
        "peak_mb", "stretch_mean_pct", "stretch_max_pct", "sag_m", "kinetic_energy_j",
    } <= set(figures)  # fmt: skip
    assert figures["n"] == 6
    assert figures["sag_m"] == pytest.approx(2.0, rel=0.05)
