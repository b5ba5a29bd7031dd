"""Benchmarks that are ratios, both sides measured in turn in one run."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from ..model import FrameInputs
from ..particles.constraints.distance import Pass, Springs, Sticks, relax_distances
from ..particles.constraints.stick import MOMENTUM
from ..records import Particles
from ..settings import SolverSettings
from ..step import advance
from .run import Figures, compile_ahead
from .scenes import hang

_C_SOURCE = """
void relax(double *x, const double *o, const double *w, const int *stick, const double *rest,
           long count) {
  for (long s = 0; s < count; s++) {
    long a = stick[2 * s], b = stick[2 * s + 1];
    double wa = w[a], wb = w[b], r = rest[s], rr = r * r;
    double dx = x[3 * b] - x[3 * a], dy = x[3 * b + 1] - x[3 * a + 1],
           dz = x[3 * b + 2] - x[3 * a + 2];
    double ex = o[3 * b] - o[3 * a], ey = o[3 * b + 1] - o[3 * a + 1],
           ez = o[3 * b + 2] - o[3 * a + 2];
    double dd = dx * dx + dy * dy + dz * dz, de = dx * ex + dy * ey + dz * ez, f;
    if (de > 0.5 * (dd > rr ? dd : rr)) {
      f = 0.5 * (dd - rr) / ((wa + wb) * de);
    } else {
      f = (dd - rr) / ((wa + wb) * (dd + rr + 1e-300));
      ex = dx; ey = dy; ez = dz;
    }
    x[3 * a] += wa * f * ex; x[3 * a + 1] += wa * f * ey; x[3 * a + 2] += wa * f * ez;
    x[3 * b] -= wb * f * ex; x[3 * b + 1] -= wb * f * ey; x[3 * b + 2] -= wb * f * ez;
  }
}
"""


def kernel_against_c(n: int | None, threads: int) -> Figures:
    """Nanoseconds per stick of the compiled kernel and of the same loop in C (one thread)."""
    del threads
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return {"scene": "kernel", "error": "no C compiler (cc, gcc, clang) on PATH"}
    compile_ahead()
    model = hang(n or 100).model
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "relax.c")
        library = Path(folder, "relax.so")
        source.write_text(_C_SOURCE)
        subprocess.run(
            [compiler, "-O3", "-march=native", "-shared", "-fPIC", "-o", library, source],
            check=True,
        )
        c_relax = ctypes.CDLL(str(library)).relax
    x = model.particles.position.copy()
    previous = model.particles.position.copy()
    nothing = np.zeros_like(model.schedule.task_spring)
    strained = np.zeros(len(model.schedule.task_stick) - 1, dtype=np.int32)
    count, tasks = len(model.sticks), len(model.schedule.task_stick) - 1
    particles = Particles(x, previous, model.particles.inverse_mass)
    sticks = Sticks(
        model.sticks.pair, model.sticks.rest_length, model.schedule.task_stick, np.empty(0)
    )
    springs = Springs(
        model.springs.pair,
        model.springs.rest_length,
        model.springs.compliance,
        np.empty(0),
        nothing,
        np.empty(0),
    )
    now = Pass(MOMENTUM, 1.0, turn=0, is_first=True, is_last=True, h=1 / 480)

    def address(array: np.ndarray) -> ctypes.c_void_p:
        return ctypes.c_void_p(array.ctypes.data)

    def ours() -> None:
        relax_distances(particles, sticks, springs, now, 0, tasks, 0.02, strained)

    def theirs() -> None:
        c_relax(
            address(x),
            address(previous),
            address(model.particles.inverse_mass),
            address(model.sticks.pair),
            address(model.sticks.rest_length),
            ctypes.c_long(count),
        )

    timed: dict[str, list[float]] = {"ours": [], "theirs": []}
    for _ in range(15):
        for name, run in (("ours", ours), ("theirs", theirs)):
            begun = time.perf_counter()
            for _ in range(50):
                run()
            timed[name].append((time.perf_counter() - begun) / 50 / count * 1e9)
    mine, c = statistics.median(timed["ours"]), statistics.median(timed["theirs"])
    return {
        "scene": "kernel",
        "n": n or 100,
        "threads": 1,
        "sticks": count,
        "ns_per_stick": round(mine, 3),
        "c_ns_per_stick": round(c, 3),
        "ratio": round(mine / c, 3),
    }


def _keep_busy(stop: multiprocessing.synchronize.Event) -> None:
    while not stop.is_set():
        for _ in range(100_000):
            pass


def under_load(n: int | None, threads: int) -> Figures:
    """Milliseconds per frame of the hanging sheet alone and with one other process on a core.

    Turns alternate; each turn is 60 frames, of which the mean counts: stalls must show.
    """
    compile_ahead()
    scene = hang(n or 100)
    settings = SolverSettings(threads=threads)
    context = multiprocessing.get_context("spawn")
    turns: dict[bool, list[float]] = {False: [], True: []}
    state = scene.model.initial_state()
    for _ in range(60):
        state, _ = advance(scene.model, state, FrameInputs(), settings)
    for turn in range(6):
        busy = turn % 2 == 1
        stop = context.Event()
        other = context.Process(target=_keep_busy, args=(stop,), daemon=True)
        if busy:
            other.start()
            time.sleep(1.0)
        begun = time.perf_counter()
        for _ in range(60):
            state, _ = advance(scene.model, state, FrameInputs(), settings)
        turns[busy].append((time.perf_counter() - begun) / 60 * 1e3)
        if busy:
            stop.set()
            other.join()
    alone, loaded = statistics.median(turns[False]), statistics.median(turns[True])
    return {
        "scene": "load",
        "n": n or 100,
        "threads": threads,
        "cores": os.cpu_count() or 1,
        "ms_per_frame": round(alone, 3),
        "ms_per_frame_loaded": round(loaded, 3),
        "ratio": round(loaded / alone, 3),
    }


SOLVERS: dict[str, dict[str, Any]] = {
    "plain": {},
    "over_relaxed": {"over_relaxation": 1.5},
    "chebyshev": {"acceleration": "CHEBYSHEV"},
    "jacobi": {"relaxation": "JACOBI"},
    "jacobi_over_relaxed": {"relaxation": "JACOBI", "over_relaxation": 1.8},
    "jacobi_chebyshev": {"relaxation": "JACOBI", "acceleration": "CHEBYSHEV"},
    "adaptive": {"tolerance": 1e-4},
}
"""Solver modes that are compared."""


def solver_modes(n: int | None, threads: int) -> Figures:
    """Every solver mode on the hanging sheet at few, long steps: 48 a second, 20 passes.

    Milliseconds a frame, stretch in % and residual in mm, means over the last second.
    """
    compile_ahead()
    figures: Figures = {"scene": "solvers", "n": n or 64, "threads": threads}
    for name, more in SOLVERS.items():
        scene = hang(n or 64)
        settings = SolverSettings(
            substep_rate=48.0, iterations=20, strain_limit=0.0, threads=threads, **more
        )
        state = scene.model.initial_state(step=1 / 48)
        rows = []
        for _ in range(scene.frames):
            begun = time.perf_counter()
            state, d = advance(scene.model, state, scene.inputs, settings)
            ms = 1e3 * (time.perf_counter() - begun)
            rows.append((ms, 100 * d.stretch_mean, 100 * d.stretch_max, 1e3 * d.residual, d.passes))
        means = np.mean(rows[-24:], axis=0)
        for label, value in zip(
            ("ms", "stretch_mean_pct", "stretch_max_pct", "residual_mm", "passes"),
            means,
            strict=True,
        ):
            figures[f"{name}_{label}"] = round(float(value), 4)
    return figures


COMPARISONS = {"kernel": kernel_against_c, "load": under_load, "solvers": solver_modes}
