"""Measures the rigid scenes in all engines in turn and writes their part of the page."""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from tools.environments import (
    BLENDERS,
    PYBULLET_REQUIREMENTS,
    RAPIER_REQUIREMENTS,
    blender_environment,
    core_environment,
    default_blender,
    ensure_environment,
)
from tools.peers.compare import jolt_environment, machine, simulate
from tools.peers.pages import write_part
from tools.peers.rigid_table import AWAKE, COARSE, OURS, RIVAL, Case, Results, Row, page
from tools.processes import ROOT, Failure, run, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path


@dataclass(frozen=True)
class Engine:
    """An engine at one setting."""

    name: str
    script: str
    environment: Callable[[], Path]
    label: str
    settings: dict[str, Any]
    each_round: bool = False
    most_bodies: int = 5000  # of the heaps of which the cost is measured
    has_limits: bool = False  # its script knows hinges and cones, not balls alone
    kinds: tuple[str, ...] = ()  # of the only scenes that it is measured on; none: all

    @property
    def key(self) -> str:
        """What tells it from all others."""
        return f"{self.name}, {self.label}"


def _blender() -> Path:
    return blender_environment(BLENDERS["5.0"])


def _rapier() -> Path:
    return ensure_environment("rapier", default_blender().python, RAPIER_REQUIREMENTS)


def _pybullet() -> Path:
    return ensure_environment("pybullet", default_blender().python, PYBULLET_REQUIREMENTS)


ENGINES = (
    Engine(OURS, "rigid_verlet.py", core_environment, "default", {}, True, has_limits=True),
    Engine(RIVAL, "rigid_blender.py", _blender, "default", {}, True, 3000, has_limits=True),
    Engine(
        *(AWAKE, "rigid_verlet.py", core_environment, "sleep off", {"sleeps": False}, True, 0),
        has_limits=True,
    ),
    Engine(
        *(COARSE, "rigid_verlet.py", core_environment, "240 steps a second"),
        *({"substep_rate": 240.0}, True, 0),
        kinds=("chain", "ragdolls"),
        has_limits=True,
    ),
    Engine("Jolt", "rigid_jolt.py", jolt_environment, "3 steps", {}),
    Engine(
        *("Jolt", "rigid_jolt.py", jolt_environment, "10 steps, slop 1 mm"),
        {"substeps": 10, "slop": 1e-3},
        most_bodies=0,
    ),
    Engine("Rapier", "rigid_rapier.py", _rapier, "3 steps", {}),
    Engine("Rapier", "rigid_rapier.py", _rapier, "10 steps", {"substeps": 10}, most_bodies=0),
    Engine("PyBullet", "rigid_pybullet.py", _pybullet, "10 steps × 10", {}, most_bodies=0),
)
CASES = (
    ("Heap of 200 cubes", "heap", 200, "heap"),
    ("Heap of 1000 cubes", "heap", 1000, "heap"),
    ("Chain of 21 links, both ends pinned", "chain", 21, "chain"),
    ("Chain of 21 links, one end pinned", "chain_one", 21, "chain"),
    ("Chain whose last link is 100 times as heavy", "chain_heavy", 21, "chain"),
    ("Stack of 10 cubes", "stack", 10, "pile"),
    ("Stack whose top is 10 times as heavy", "stack_10", 10, "pile"),
    ("Stack whose top is 100 times as heavy", "stack_100", 10, "pile"),
    ("Pyramid of base 10", "pyramid", 10, "pile"),
    ("20 ragdolls of 11 bodies, one above the other", "ragdolls", 20, "ragdolls"),
)
BODIES = (100, 300, 1000, 3000, 5000)
FALLING = 72
"""Frames of the heaps of which the cost is measured: three seconds."""
LONGEST = 25.0
"""s of stepping after which an engine that is only shown beside the others is stopped."""


class Comparison:
    """The measuring: first every engine once, then ours and the rival again."""

    def __init__(self) -> None:
        """Set up the environments; an engine that cannot be had is noted, not fatal."""
        self.results = Results(machine(), [Case(*case) for case in CASES])
        self.interpreters: dict[str, Path] = {}
        for engine in ENGINES:
            if engine.name in (*self.interpreters, *self.results.missing):
                continue
            try:
                self.interpreters[engine.name] = engine.environment()
            except Failure as failure:
                self.results.missing[engine.name] = str(failure).splitlines()[0]
        compiler = [self.interpreters[OURS], "-m", "verlet_physics", "compile"]
        run(compiler, "compiling the kernels")

    def simulate(self, engine: Engine, scene: str, n: int, frames: int = 240) -> dict[str, Any]:
        """One run; its figures, or `error`."""
        request = {"scene": scene, "n": n, "frames": frames, **engine.settings}
        request["seconds"] = 120.0 if engine.each_round else LONGEST
        figures = simulate(self.interpreters[engine.name], engine.script, request, ())
        if "error" not in figures:
            self.results.versions.setdefault(engine.name, figures["version"])
        outcome = figures.get("error") or f"{figures['ms_mean']:.3f} ms"
        print(f"  {scene} {n}  {engine.key}: {outcome}", flush=True)
        return figures

    def measure_case(self, case: Case, again: bool) -> None:
        """One round of a scene; our run comes first and is what the others compare with."""
        ours: dict[str, Any] | None = None
        for engine in ENGINES:
            if engine.name not in self.interpreters or (again and not engine.each_round):
                continue
            if case.kind == "ragdolls" and not engine.has_limits:
                continue
            if engine.kinds and case.kind not in engine.kinds:
                continue
            figures = self.simulate(engine, case.scene, case.n)
            row = case.rows.setdefault(engine.key, Row(engine.label))
            case.names[engine.key] = engine.name
            row.add(figures, ours)
            if engine.name == OURS and "error" not in figures:
                ours = figures

    def measure_cost(self, n: int) -> None:
        """One heap of n cubes in every engine."""
        rows = self.results.cost.setdefault(n, {})
        for engine in ENGINES:
            if engine.name in self.interpreters and n <= engine.most_bodies:
                figures = self.simulate(engine, "heap_spread", n, FALLING)
                rows.setdefault(engine.name, Row(engine.label)).add(figures, None)


def compare_rigid(arguments: Sequence[str]) -> None:
    """Measure everything and write the page's part; `--quick` writes to out/ instead of docs/."""
    parser = argparse.ArgumentParser(prog="dev.py benchmarks --rigid")
    parser.add_argument("--quick", action="store_true", help="small scenes, one round, to out/")
    parser.add_argument("--scene", nargs="+", help="only these of the scenes; to out/")
    parser.add_argument("--rounds", type=int, default=3, help="of ours and Blender's")
    parser.add_argument("--minutes", type=float, default=6.0, help="after which no round begins")
    options = parser.parse_args(arguments)
    partly = bool(options.quick or options.scene)
    target = ROOT / ("out" if partly else "docs") / "BENCHMARKS.md"
    comparison = Comparison()
    begun = time.monotonic()
    results = comparison.results
    if options.quick:
        results.cases = [case for case in results.cases if case.n < 1000]
    if options.scene:
        results.cases = [case for case in results.cases if case.scene in options.scene]
    for number in range(1 if options.quick else options.rounds):
        for case in results.cases:
            if number == 0 or time.monotonic() - begun < 60 * options.minutes:
                comparison.measure_case(case, again=number > 0)
        if number == 0 and not options.scene:
            for n in BODIES[: 2 if options.quick else len(BODIES)]:
                comparison.measure_cost(n)
        write(results, target)
    print(f"\nThe tables are in {shown(target)}")


def write(results: Results, target: Path) -> None:
    """Write the page's part, and its figures beside the other build products."""
    write_part(target, page(results))
    (ROOT / "out").mkdir(exist_ok=True)
    figures = json.dumps(asdict(results), indent=1)
    (ROOT / "out" / "benchmarks_rigid.json").write_text(figures, "utf-8")
