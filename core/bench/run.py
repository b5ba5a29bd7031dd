"""Timing and measuring of scenes."""

from __future__ import annotations

import statistics
import sys
import time

import numpy as np

from ..kernels import jit
from ..model import State
from ..particles.particle_bodies.four_particles import body_poses
from ..settings import SolverSettings
from ..step import advance
from .scenes import SCENES, Scene

Figures = dict[str, float | int | str]


def run_scene(name: str, n: int | None, threads: int) -> Figures:
    """Simulate a scene; returns its figures by the names that the README lists."""
    compile_s = compile_ahead()
    make, default_n = SCENES[name]
    started = time.perf_counter()
    scene = make(n or default_n)
    setup = time.perf_counter() - started
    return {
        "scene": name,
        "n": n or default_n,
        **simulate(scene, threads),
        "setup_s": round(setup, 4),
        "compile_s": round(compile_s, 2),
        "peak_mb": round(peak_megabytes(), 1),
    }


def compile_ahead() -> float:
    """Compile what the cache folder lacks; returns the seconds spent, 0 when it lacked nothing."""
    if jit.compiled_by() != "Numba":
        return 0.0
    from ..warm_up import warm_up

    seconds = warm_up()
    return seconds if jit.compile_count() else 0.0


def simulate(scene: Scene, threads: int = 0) -> Figures:
    """Run all frames of a scene: milliseconds (the median frame) and quality (the last second)."""
    settings = SolverSettings(threads=threads)
    model = scene.model
    state = model.initial_state(step=settings_step(settings, scene))
    start = state
    seconds, stretch, deepest = [], [], 0.0
    figures = None
    used = 1
    for frame in range(scene.frames):
        begun = time.perf_counter()
        state, figures = advance(model, state, scene.inputs, settings)
        seconds.append(time.perf_counter() - begun)
        used = max(used, figures.threads)
        if frame >= scene.frames - 24:
            stretch.append((figures.stretch_mean, figures.stretch_max))
            deepest = max(deepest, figures.penetration)
    assert figures is not None
    result: Figures = {
        "threads": used,
        "frames": scene.frames,
        "substeps": figures.substeps,
        "ms_per_frame": round(1e3 * statistics.median(seconds), 3),
        "kinetic_energy_j": round(figures.kinetic_energy, 6),
    }
    if len(model.sticks):
        result["stretch_mean_pct"] = round(100 * float(np.mean([m for m, _ in stretch])), 4)
        result["stretch_max_pct"] = round(100 * max(m for _, m in stretch), 3)
        result["sag_m"] = round(sag(start, state), 5)
    if len(model.shapes.kind):
        result["penetration_mm"] = round(1e3 * deepest, 4)
    if len(model.bodies):
        result["drift_mm"] = round(1e3 * _drift(scene, state, settings), 3)
    return result


def settings_step(settings: SolverSettings, scene: Scene) -> float:
    """The substep in seconds that a scene is stepped with."""
    return scene.inputs.duration / settings.substep_count(scene.inputs.duration)


def sag(start: State, state: State) -> float:
    """How far the lowest particle hangs below the highest starting place, m."""
    return float(start.position[:, 2].max() - state.position[:, 2].min())


def _drift(scene: Scene, state: State, settings: SolverSettings) -> float:
    """Farthest that a body moves in one more second, m: 0 once everything rests."""
    before, _ = body_poses(scene.model, state)
    for _ in range(24):
        state, _ = advance(scene.model, state, scene.inputs, settings)
    after, _ = body_poses(scene.model, state)
    return float(np.linalg.norm(after - before, axis=1).max())


def peak_megabytes() -> float:
    """Largest memory that this process has held, MB; 0 where the system does not tell."""
    if sys.platform == "win32":
        return 0.0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024.0 * 1024.0 if sys.platform == "darwin" else 1024.0)
