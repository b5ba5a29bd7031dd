import pytest

from tools.peers import rigid_table
from tools.peers.pages import with_part
from tools.peers.rigid_table import AWAKE, OURS, RIVAL, Case, Results, Row

HEAP = {
    "finished": True,
    "frames": 240,
    "ms_moving": 4.0,
    "kinetic_j": 0.0,
    "lost": 0,
    "depth_end_mm": 0.5,
    "depth_over_time_mm": 9.0,
    "depth_peak_mm": 30.0,
    "wall_end_mm": 0.2,
    "at_rest": 200,
    "asleep": 200,
}


def row(settings, runs, ours=None, **figures):
    made = Row(settings)
    for ms in runs:
        mine = {"ms_mean": ours, "cpu_ms_mean": ours} if ours else None
        made.add({**HEAP, "ms_mean": ms, "cpu_ms_mean": 2 * ms, **figures}, mine)
    return made


def case(**rows):
    made = Case("Heap of 200 cubes", "heap", 200, "heap")
    names = {"ours": OURS, "awake": AWAKE, "rival": RIVAL, "jolt": "Jolt"}
    made.rows = rows
    made.names = {key: names[key] for key in rows}
    return made


def tables(page):
    for block in page.split("\n\n"):
        lines = [line for line in block.splitlines() if line.startswith("|")]
        if lines:
            yield lines


def line_of(page, title, name):
    block = page.split(f"## {title}\n")[1]
    return next(line for line in block.splitlines() if line.startswith(f"| {name}"))


def test_page():
    results = Results("a machine", missing={"Rapier": "no wheel"})
    results.cases = [
        case(
            ours=row("default", [2.0, 4.0]),
            rival=row("default", [9.0, 8.0, 10.0], 3.0, asleep=None, depth_end_mm=0.67),
            awake=row("sleep off", [4.5], 3.0),
            jolt=row("3 steps", [2.0], 4.0, finished=False, frames=99),
        )
    ]
    results.cost = {
        100: {OURS: row("default", [1.0], ms_moving=1.0)},
        1000: {OURS: row("default", [1.0], ms_moving=10.0), RIVAL: row("default", [50.0])},
    }
    page = rigid_table.page(results)
    assert page.startswith(rigid_table.HEADING)
    # the median of each engine's runs, and of the ratios to our run of the same round
    assert "| **Verlet Physics** | default | 3.00 | 4.00 | 1 | 6.00 | 1 | 0.50 | 9.0 | " in page
    theirs = line_of(page, "Heap of 200 cubes", RIVAL)
    assert theirs.startswith("| Rigid Body | default | 9.00 | 4.00 | 3.00 | 18 | 6.00 | 0.67 |")
    assert "| 2.00 (stopped at frame 99) | 4.00 | 0.50 |" in page
    assert "Rapier could not be measured: no wheel." in page
    # 9 : 3 for the default; 9 : 4.5 with nothing asleep
    goals = [line for line in page.splitlines() if line.startswith("| Heap of 200 cubes |")]
    assert goals[0].startswith("| Heap of 200 cubes | default | 1.5 | 3.00 | 6.00 | yes | yes |")
    assert goals[1].startswith("| Heap of 200 cubes | sleep off | 1.5 | 2.00 | 2.00 | yes | yes |")
    assert "depth at the end mm 0.50 / 0.67" in goals[0]
    assert goals[0].endswith("| yes |")
    assert "| 1,000 | 10 | 10.0 | 1.00 | 4.00 | 4.0 |  |" in page
    for lines in tables(page):
        assert len({line.count("|") for line in lines}) == 1


def test_an_engine_that_failed_says_why():
    failed = Row("3 steps")
    failed.add({"error": "boom"}, None)
    rival, awake = row("default", [9.0]), row("sleep off", [2.0])  # without ours: no ratios
    results = Results("a machine", [case(ours=failed, rival=rival, awake=awake)])
    page = rigid_table.page(results)
    assert "| **Verlet Physics** | 3 steps | boom |" in page
    assert "Nothing to compare with." in page


@pytest.mark.parametrize("key", ["depth_end_mm", "depth_over_time_mm", "wall_end_mm", "lost"])
def test_one_figure_that_is_larger_is_worse(key):
    assert rigid_table.no_worse("heap", HEAP, HEAP)
    assert not rigid_table.no_worse("heap", {**HEAP, key: HEAP[key] + 1}, HEAP)
    assert rigid_table.no_worse("heap", HEAP, {**HEAP, key: HEAP[key] + 1})


def test_what_stands_is_better_than_what_falls():
    standing = {"stands": True, "drift_mm": 9.0, "depth_end_mm": 1.0}
    fallen = {"stands": False, "drift_mm": 5.0, "depth_end_mm": 0.0}
    assert rigid_table.no_worse("pile", standing, fallen)
    assert not rigid_table.no_worse("pile", fallen, standing)
    assert not rigid_table.no_worse("pile", standing, {**standing, "drift_mm": 8.0})


def test_linear_cost_has_exponent_one():
    assert rigid_table.exponent(100, 1.0, 300, 3.0) == pytest.approx(1.0)
    assert rigid_table.exponent(100, 1.0, 1000, 100.0) == pytest.approx(2.0)


def test_parts_of_the_page_are_exchanged_one_by_one():
    first = "<!-- Made by a. -->\n\n# A\n\ntext\n"
    second = "<!-- Made by b. -->\n\n# B\n"
    whole = with_part(with_part("", first), second)
    assert whole == first + "\n" + second
    newer = first.replace("text", "other")
    assert with_part(whole, newer) == newer + "\n" + second
    assert with_part(with_part(whole, newer), newer) == newer + "\n" + second
    assert with_part(whole, second) == whole
