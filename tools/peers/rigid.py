"""The run of a rigid scene, shared by all engines; needs NumPy only.

Each engine's script gets one JSON object as its argument (`scene`, `n`, `seconds` and the
engine's own settings) and prints one as its last line.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.rigid_scenes import RigidScene


def _load_bench() -> None:
    """Make `core/bench` the package `bench` here: its rigid modules need nothing of the core."""
    folder = Path(__file__).resolve().parents[2] / "core" / "bench"
    spec = importlib.util.spec_from_file_location(
        "bench", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    sys.modules["bench"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["bench"])


_load_bench()

from bench import rigid_measure, rigid_scenes  # noqa: E402

MOVING = 72
"""Frames at the start whose mean tells the cost before anything sleeps."""
FEW = 1000
"""Bodies up to which depths are looked at twice a second; beyond, once in two seconds."""


def request() -> dict[str, Any]:
    """What to simulate: scene, n, the seconds after which to stop, and the engine's settings."""
    wanted = json.loads(sys.argv[1] if len(sys.argv) > 1 else "{}")
    return {"scene": "heap", "seconds": 60.0, "n": None, **wanted}


def scene_of(wanted: dict[str, Any]) -> RigidScene:
    """The scene that a request names."""
    make, n = rigid_scenes.SCENES[wanted["scene"]]
    return make(wanted["n"] or n)


def simulate(
    scene: RigidScene,
    seconds: float,
    version: str,
    step: Callable[[int], object],
    read: Callable[[], tuple[np.ndarray, np.ndarray]],
    asleep: Callable[[], int | None] = lambda: None,
) -> None:
    """Run the frames, timing ``step`` only, and print the figures.

    ``step`` gets the frame's number; ``read`` returns positions (b, 3) and orientations (b, 4);
    ``asleep`` says how many bodies sleep, where an engine tells.
    """
    position, orientation = read()
    turned = abs((orientation * scene.orientation).sum(axis=1))
    if not (np.allclose(position, scene.position, atol=1e-3) and (turned > 0.999).all()):
        raise RuntimeError("the bodies do not start where they should")
    every = rigid_scenes.FPS * 2 if scene.body_count > FEW else rigid_scenes.FPS // 2
    measure = rigid_measure.Measure(scene, rigid_scenes.FPS, every)
    timed: list[float] = []
    processor: list[float] = []
    for frame in range(1, rigid_scenes.FRAMES + 1):
        begun, used = time.perf_counter(), time.process_time()
        step(frame)
        timed.append(1e3 * (time.perf_counter() - begun))
        processor.append(1e3 * (time.process_time() - used))
        measure.add(*read())
        if sum(timed) > 1e3 * seconds:
            break
    # The first frame sets things up: it counts in none of the means, of no engine.
    figures = {
        "version": version,
        "bodies": scene.body_count,
        "frames": len(timed),
        "finished": len(timed) == rigid_scenes.FRAMES,
        "ms": float(np.median(timed[1:])),
        "ms_mean": float(np.mean(timed[1:])),
        "ms_moving": float(np.mean(timed[1:MOVING])),
        "cpu_ms_mean": float(np.mean(processor[1:])),
        "cpu_ms_moving": float(np.mean(processor[1:MOVING])),
        "asleep": asleep(),
        **measure.figures(),
    }
    print(json.dumps(figures), flush=True)
