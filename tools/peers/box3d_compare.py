"""This engine beside Box3D on scenes of its own benchmark, at the same steps, substeps and threads.

`python3 dev.py benchmarks --box3d …/build/bin/benchmark`: a program built from Box3D's sources with
`-DBOX3D_BENCHMARKS=ON`, which is no part of this project. The two take turns, so that a busy
machine is as busy for both. Scenes with its own shapes and ragdolls are left out.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tools.environments import core_environment
from tools.processes import ROOT, Failure

if TYPE_CHECKING:
    from collections.abc import Sequence

RATE, SUBSTEPS = 60, 4
STEPS = {"large_pyramid": 200, "many_pyramids": 100}
"""Scenes, and of how many steps Box3D's benchmark runs each."""
LONGEST = 60.0
"""s after which our run stops; its steps are alike."""
COLUMNS = (
    *("scene", "threads", "ours, ms", "processor", "Box3D, ms", "processor"),
    *("times", "deepest, mm", "drift, mm"),
)

Row = dict[str, float]


def run_ours(scene: str, threads: int) -> Row:
    """Means of one of our runs, ms a step, and how the scene stands at its end."""
    request = {"scene": scene, "threads": threads, "rate": RATE, "substeps": SUBSTEPS}
    request |= {"steps": STEPS[scene], "seconds": LONGEST}
    script = ROOT / "tools" / "peers" / "rigid_steps.py"
    command = [str(core_environment()), str(script), json.dumps(request)]
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    figures: Row = json.loads(told.splitlines()[-1])
    return figures


def run_box3d(program: Path, scene: str, threads: int) -> Row:
    """The same of one of Box3D's, whose program tells ms for all steps.

    Its processor time has making the scene in it, which is little.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [str(program.resolve()), f"-b={scene}", f"-t={threads}", f"-w={threads}", "-r=1"]
    with tempfile.TemporaryDirectory() as folder:  # it leaves a table where it runs
        told = subprocess.run(
            command, check=True, stdout=subprocess.PIPE, text=True, cwd=folder
        ).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = re.search(r"run 0\s*:\s*([\d.]+) \(ms\)", told)
    if found is None:
        raise Failure(f"{program} does not tell its time for {scene}:\n{told}")
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"ms": float(found[1]) / STEPS[scene], "processor_ms": 1e3 * seconds / STEPS[scene]}


def _medians(rows: Sequence[Row]) -> Row:
    return {key: statistics.median(row[key] for row in rows) for key in rows[0]}


def compare_box3d(arguments: Sequence[str]) -> None:
    """Measure in turns and print a table of medians."""
    parser = argparse.ArgumentParser(prog="dev.py benchmarks --box3d")
    parser.add_argument("program", type=Path, help="Box3D's benchmark, built")
    parser.add_argument("--scene", nargs="+", choices=STEPS, default=list(STEPS))
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    if not options.program.is_file():
        raise Failure(f"{options.program} is not there: build Box3D with BOX3D_BENCHMARKS=ON")
    print(
        time.strftime("%Y-%m-%d"), f"{SUBSTEPS} substeps of steps of 1/{RATE} s, means of ms a step"
    )
    print(*(f"{name:>13}" for name in COLUMNS))
    for scene in options.scene:
        for threads in options.threads:
            ours, theirs = [], []
            for _ in range(options.rounds):
                ours.append(run_ours(scene, threads))
                theirs.append(run_box3d(options.program, scene, threads))
            a, b = _medians(ours), _medians(theirs)
            shown = (a["ms"], a["processor_ms"], b["ms"], b["processor_ms"], a["ms"] / b["ms"])
            figures = (*shown, a["depth_mm"], a["drift_mm"])
            cells = (f"{figure:13.2f}" for figure in figures)
            print(f"{scene:>13} {threads:13d}", *cells, flush=True)
