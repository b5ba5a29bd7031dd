"""Measures the hanging sheet in all engines in turn and writes the page with the tables."""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.environments import (
    BLENDERS,
    JOLT_REQUIREMENTS,
    PYPBD_REQUIREMENTS,
    blender_environment,
    core_environment,
    default_blender,
    ensure_environment,
)
from tools.peers.pages import write_part
from tools.peers.table import HALF_RATE, Results, Tried, choose, page
from tools.processes import ROOT, Failure, clean_environment, output_of, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

HERE = Path(__file__).resolve().parent
Settings = dict[str, float]


@dataclass(frozen=True)
class Peer:
    """An engine, its defaults, and settings in the order of their cost."""

    name: str
    script: str
    environment: Callable[[], Path]
    default: Settings
    ladder: tuple[Settings, ...]
    label: str  # describes settings; takes their names
    variables: tuple[tuple[str, str], ...] = ()

    def describe(self, settings: Settings) -> str:
        """The settings as the table shows them."""
        return self.label.format(**settings) if settings else "default"


def _blender() -> Path:
    return blender_environment(BLENDERS["5.2"])


def jolt_environment() -> Path:
    """The environment of Jolt, for cloth and for rigid bodies."""
    return ensure_environment("jolt", "3.13", JOLT_REQUIREMENTS)


def _pypbd() -> Path:
    return ensure_environment("peers", default_blender().python, PYPBD_REQUIREMENTS)


PEERS = (
    Peer(
        HALF_RATE,
        "verlet.py",
        core_environment,
        {"substep_rate": 240.0},
        (),
        "{substep_rate:g} substeps a second",
    ),
    Peer(
        "Cloth modifier",
        "cloth_modifier.py",
        _blender,
        {},
        tuple(
            {"quality": quality, "tension": tension}
            for quality, tension in (
                *((1, 300), (1, 1000), (1, 3000), (2, 1000), (2, 3000)),
                *((3, 1000), (3, 3000), (5, 3000), (5, 10000)),
            )
        ),
        "quality {quality}, stiffness {tension}",
    ),
    Peer(
        "XPBD node",
        "xpbd_node.py",
        _blender,
        {},
        tuple(
            {"substeps": substeps, "iterations": iterations}
            for substeps, iterations in (
                *((48, 1), (96, 1), (96, 2), (192, 1), (192, 2), (384, 1), (384, 2), (768, 1)),
            )
        ),
        "{substeps} substeps × {iterations}",
    ),
    Peer(
        "Jolt",
        "jolt.py",
        jolt_environment,
        {"substeps": 4, "iterations": 10, "damping": 0.1},
        tuple(
            {"substeps": substeps, "iterations": iterations}
            for substeps, iterations in (*((10, 10), (10, 20), (20, 20), (40, 20)),)
        ),
        "{substeps} substeps × {iterations}",
    ),
    Peer(
        "pyPBD",
        "position_based.py",
        _pypbd,
        {"steps": 8, "substeps": 5, "iterations": 1, "drag": False},
        tuple(
            {"steps": 8, "substeps": substeps, "iterations": 1, "drag": True}
            for substeps in (10, 20, 40, 80, 160)
        ),
        "{steps} steps × {substeps} substeps × {iterations}",
        (("OMP_NUM_THREADS", "1"),),
    ),
)


@dataclass(frozen=True)
class Limits:
    """How much time the measuring may take."""

    rounds: int
    run: float  # s of stepping, after which a run is stopped
    search: float  # s for the search through one peer's settings at one n
    again: float  # s: what took longer is not measured again


def simulate(
    interpreter: Path, script: str, request: dict[str, Any], variables: Sequence[tuple[str, str]]
) -> dict[str, Any]:
    """Run one engine's script; its figures, or `error`."""
    environment = {**clean_environment(), **dict(variables), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            [interpreter, HERE / script, json.dumps(request)],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=3 * request["seconds"] + 120,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"error": "did not end in time"}
    for line in reversed(done.stdout.splitlines()):
        if line.startswith("{"):
            figures: dict[str, Any] = json.loads(line)
            return figures
    return {"error": (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]}


def record(one: Tried, figures: dict[str, Any], ours: dict[str, Any] | None = None) -> None:
    """Add a run's figures, and their ratio to those of our run."""
    if "error" in figures:
        one.error = figures["error"]
        return
    one.frames, one.finished = figures["frames"], figures["finished"]
    one.mean_pct, one.largest_pct = figures["mean_pct"], figures["largest_pct"]
    one.sag_m = figures["sag_m"]
    one.ms.append(figures["ms"])
    one.cpu_ms.append(figures["cpu_ms"])
    if ours is not None:
        one.ratio.append(figures["ms"] / ours["ms"])
        one.cpu_ratio.append(figures["cpu_ms"] / ours["cpu_ms"])


class Comparison:
    """The measuring: our run goes before each run of a peer."""

    def __init__(self, limits: Limits) -> None:
        """Set up the environments; a peer that cannot be had is noted, not fatal."""
        self.limits = limits
        self.ours = core_environment()
        self.results = Results(machine(), limits.rounds)
        self.interpreters: dict[str, Path] = {}
        for peer in PEERS:
            try:
                self.interpreters[peer.name] = peer.environment()
            except Failure as failure:
                self.results.missing[peer.name] = str(failure).splitlines()[0]

    def measure_ours(self, n: int) -> dict[str, Any]:
        """One run of ours; its figures."""
        figures = simulate(self.ours, "verlet.py", {"n": n, "seconds": self.limits.run}, ())
        if "error" in figures:
            raise Failure(f"our own run failed: {figures['error']}")
        record(self.results.ours.setdefault(n, Tried("default", default=True)), figures)
        return figures

    def measure(self, peer: Peer, n: int, settings: Settings, one: Tried, seconds: float) -> None:
        """One run of ours and one of the peer, which is stopped after some seconds."""
        ours = self.measure_ours(n)
        figures = simulate(
            self.interpreters[peer.name],
            peer.script,
            {"n": n, "seconds": seconds, **settings},
            peer.variables,
        )
        record(one, figures, ours)
        self.results.versions.setdefault(peer.name, figures.get("version", "failed"))
        outcome = one.error or f"{figures['ms']:.1f} ms, mean {one.mean_pct:.3f} %"
        print(
            f"  n {n}  {peer.name}, {one.settings}: {outcome}; ours {ours['ms']:.1f} ms", flush=True
        )

    def measure_peer(self, peer: Peer, n: int, first: int) -> int:
        """Default, then up the ladder from a rung to equal stretch; where to begin at the next n.

        What equals ours at a small n is where a larger one begins, two rungs lower: stretch grows
        with n.
        """
        tried = self.results.peers.setdefault(peer.name, {}).setdefault(n, [])
        settings_of: dict[int, Settings] = {}
        begun = time.monotonic()
        equal_at, rung = None, first
        for rung, settings in enumerate((peer.default, *peer.ladder[first:]), first - 1):
            default = rung == first - 1
            left = self.limits.search - (time.monotonic() - begun)
            if not default and left <= 0:
                break
            one = Tried(peer.describe(settings), default=default)
            tried.append(one)
            settings_of[id(one)] = settings
            self.measure(peer, n, settings, one, self.limits.run if default else left)
            ours = self.results.ours[n]
            if default:
                continue
            if equal_at is None and one.equals(ours, largest=False):
                equal_at = rung
            if one.equals(ours, largest=True) and one.hangs_like(ours):
                break
            if not one.finished:
                break  # the next ones cost more still
        for _ in range(self.limits.rounds - 1):
            for _, one in choose(tried, self.results.ours[n]):
                if (
                    not one.error
                    and statistics.median(one.ms) * one.frames < 1e3 * self.limits.again
                ):
                    self.measure(peer, n, settings_of[id(one)], one, self.limits.run)
        return max(first, (rung if equal_at is None else equal_at) - 2)


def machine() -> str:
    """Processor, cores, system, load and the commit that is measured, for the page."""
    model = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text("utf-8").splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
    cores = os.cpu_count() or 1
    status, commit = output_of(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT)
    measured = f", commit {commit.strip()}" if status == 0 else ""
    return f"{model}, {cores} cores, {platform.system()}{measured}{load(cores)}"


def load(cores: int) -> str:
    """What else the machine was doing at the start, and what that means for the figures."""
    if not hasattr(os, "getloadavg"):
        return ""
    average = os.getloadavg()[0]
    busy = "; **the machine was busy: go by the CPU ratio**" if average > cores / 2 else ""
    return f", load average {average:.1f} at the start{busy}"


def compare(arguments: Sequence[str]) -> None:
    """Measure everything and write the page; `--quick` writes to out/ instead of docs/."""
    parser = argparse.ArgumentParser(prog="dev.py benchmarks")
    parser.add_argument("--quick", action="store_true", help="n = 32 and 64, one round, to out/")
    parser.add_argument("--n", type=int, nargs="+", default=None, help="sheets to measure")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--run-seconds", type=float, default=180.0, help="longest run")
    parser.add_argument("--search-seconds", type=float, default=240.0, help="for a peer and n")
    options = parser.parse_args(arguments)
    limits = Limits(options.rounds, options.run_seconds, options.search_seconds, again=40.0)
    if options.quick:
        limits = Limits(rounds=1, run=20.0, search=60.0, again=10.0)
    sizes = options.n or ([32, 64] if options.quick else [32, 64, 100, 200])
    target = ROOT / ("out" if options.quick else "docs") / "BENCHMARKS.md"
    comparison = Comparison(limits)
    first = dict.fromkeys(comparison.interpreters, 0)
    for n in sizes:
        comparison.measure_ours(n)
        for peer in PEERS:
            if peer.name in first:
                first[peer.name] = comparison.measure_peer(peer, n, first[peer.name])
        write(comparison.results, target)
    print(f"\nThe tables are in {shown(target)}")


def write(results: Results, target: Path) -> None:
    """Write the page, and the figures that it was made from beside the other build products."""
    write_part(target, page(results))
    (ROOT / "out").mkdir(exist_ok=True)
    (ROOT / "out" / "benchmarks.json").write_text(json.dumps(asdict(results), indent=1), "utf-8")
