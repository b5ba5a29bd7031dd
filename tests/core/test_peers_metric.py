import math

import numpy as np
import pytest

from tools.peers import sheet, table
from tools.peers.table import Results, Tried

pytestmark = pytest.mark.quick


def square(n):
    return sheet.vertices(n), sheet.edges(n)


def test_the_grid_has_the_edges_of_its_quads_and_no_diagonals():
    start, edge = square(5)
    assert len(edge) == 2 * 5 * 4
    lengths = np.linalg.norm(start[edge[:, 0]] - start[edge[:, 1]], axis=1)
    assert lengths == pytest.approx(np.full(len(edge), sheet.SIZE / 4))
    sides = {tuple(sorted(pair)) for quad in sheet.quads(5) for pair in zip(quad, np.roll(quad, 1))}
    assert {tuple(sorted(pair)) for pair in edge} == sides


def test_triangles_cover_the_sheet_with_one_normal():
    start = sheet.vertices(6)
    a, b, c = (start[corner] for corner in sheet.triangles(6).T)
    normal = np.cross(b - a, c - a)
    assert (normal[:, 2] > 0).all()
    assert normal[:, 2].sum() / 2 == pytest.approx(sheet.SIZE**2)


def test_pins_and_mass():
    start = sheet.vertices(4)
    assert start[sheet.pins(4)].tolist() == [[-1, 1, 0], [1, 1, 0]]
    assert sheet.vertex_mass(4) * 16 == pytest.approx(1.2)


def test_stretch_of_a_quad_by_hand():
    start, edge = square(2)  # four edges of 2 m
    longer = start.copy()
    longer[:, 0] *= 1.1  # two edges of 2.2 m
    shorter = start.copy()
    shorter[:, 1] *= 0.5  # two edges of 1 m: slack is no negative stretch
    assert sheet.stretch([longer], edge, start) == pytest.approx(
        {"mean_pct": 5.0, "largest_pct": 10.0}
    )
    assert sheet.stretch([shorter], edge, start) == {"mean_pct": 0.0, "largest_pct": 0.0}
    both = sheet.stretch([longer, shorter], edge, start)
    assert both == pytest.approx({"mean_pct": 2.5, "largest_pct": 10.0})


def test_stretch_ignores_where_the_sheet_is_and_how_it_is_turned():
    start, edge = square(4)
    turn = np.array([[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]])
    moved = start @ turn.T + (3.0, -2.0, 7.0)
    assert sheet.stretch([moved], edge, start)["largest_pct"] == pytest.approx(0.0, abs=1e-9)


def tried(settings, ms, mean, largest, sag=2.0, **more):
    one = Tried(settings, frames=120, mean_pct=mean, largest_pct=largest, sag_m=sag, **more)
    one.finished = more.get("finished", True)
    one.ms, one.ratio = [ms], [ms / 2.0]
    one.cpu_ms, one.cpu_ratio = [ms], [ms / 2.0]
    return one


OURS = tried("default", 2.0, 0.05, 0.8)
OURS.ratio, OURS.cpu_ratio = [], []


def test_the_cheapest_setting_of_equal_stretch_is_chosen():
    default = tried("default", 9.0, 0.3, 9.0, default=True)
    slow = tried("slow", 80.0, 0.01, 0.1)
    mean_only = tried("mean", 20.0, 0.05, 3.0)
    both = tried("both", 50.0, 0.04, 0.8)
    assert table.choose([default, slow, mean_only, both], OURS) == [
        ("default", default),
        ("equal mean", mean_only),
        ("equal mean and largest", both),
    ]


def test_one_row_when_one_setting_serves_both():
    default = tried("default", 9.0, 0.01, 0.1, default=True)
    assert table.choose([default], OURS) == [("default; equal mean and largest", default)]


def test_a_sheet_that_does_not_come_down_or_finish_is_not_equal():
    afloat = tried("afloat", 10.0, 0.01, 0.1, sag=1.2)
    stopped = tried("stopped", 5.0, 0.01, 0.1, finished=False)
    good = tried("good", 30.0, 0.02, 0.5)
    assert table.choose([afloat, stopped, good], OURS) == [
        ("equal mean and largest", good),
        ("equal mean and largest, but does not hang right", afloat),
    ]


def test_the_least_stretch_is_shown_when_none_is_equal():
    worse, better = tried("a", 3.0, 0.9, 9.0), tried("b", 30.0, 0.06, 2.0)
    assert table.choose([worse, better], OURS) == [("least mean reached", better)]


def test_linear_cost_has_exponent_one():
    assert table.exponent(32, 1.0, 64, 4.0) == pytest.approx(1.0)
    assert table.exponent(50, 1.0, 100, 16.0) == pytest.approx(2.0)


def test_page():
    results = Results("a machine", 1, missing={"Jolt": "no Python 3.13"})
    results.ours = {64: OURS, 128: tried("default", 8.0, 0.06, 1.0)}
    failed = Tried("x", default=True, error="boom")
    results.peers = {
        "Cloth modifier": {64: [tried("default", 40.0, 0.3, 9.0, default=True)]},
        "XPBD node": {64: [failed]},
        # half the time of the default, and stretched less than the modifier
        table.HALF_RATE: {64: [tried("240 substeps", 1.0, 0.1, 2.0, default=True)]},
    }
    page = table.page(results)
    assert page.startswith("<!-- Made by `python dev.py benchmarks`")
    assert (
        "| **Verlet Physics** | default |  | 2.00 | 0.050 | 0.80 | 2.000 | 1 | 2.00 | 1 |" in page
    )
    assert "| Cloth modifier | default | default; least mean reached | 40 | 0.300 | 9.00" in page
    goal = (
        "| Cloth modifier | 64 | default (default; least mean reached) | {} | 15 | {} | {} | {} |"
    )
    assert goal.format("default", "20.0", "20.0", "yes") in page
    assert goal.format("240 substeps", "40.0", "40.0", "yes") in page
    assert "| XPBD node | x | default | boom |" in page
    assert "| Jolt |  | no Python 3.13 |" in page
    assert "| 128 | 16,384 | 8.00 | 488 | 1.00 |" in page
    for table_ in page.split("\n\n"):
        lines = [line for line in table_.splitlines() if line.startswith("|")]
        assert len({line.count("|") for line in lines}) <= 1


def test_a_setting_that_never_ran_costs_infinitely_much():
    assert table.milliseconds(Tried("x")) == math.inf
