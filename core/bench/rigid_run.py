"""Times and measures a rigid scene in any engine, which comes as two functions.

The interpreters of other engines read this file too, so it needs NumPy and its neighbours only.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from .rigid_measure import Figures, Measure
from .rigid_scenes import FPS, FRAMES_OF_BENCH, Floats, RigidScene

MOVING = 72
"""Frames at the start whose mean tells the cost before anything sleeps."""
FEW_BODIES = 1000
"""Bodies up to which depths are looked at twice a second; beyond, once in two seconds."""


def run(
    scene: RigidScene,
    step: Callable[[int], object],
    read: Callable[[], tuple[Floats, Floats]],
    asleep: Callable[[], int | None] = lambda: None,
    *,
    frames: int = FRAMES_OF_BENCH,
    seconds: float = np.inf,
) -> Figures:
    """Run the frames, timing ``step`` only; returns times in ms and what `Measure` finds.

    ``step`` gets the frame's number; ``read`` returns positions (b, 3) and orientations (b, 4);
    ``asleep`` says how many bodies sleep, where an engine tells. Stops after some seconds of
    stepping. Raises RuntimeError when the bodies do not start where the scene has them, and for
    poses that are not finite.
    """
    position, orientation = read()
    cosine = np.abs((orientation * scene.orientation).sum(axis=1))
    if not (np.allclose(position, scene.position, atol=1e-3) and (cosine > 0.999).all()):
        raise RuntimeError("the bodies do not start where they should")
    measure = Measure(scene, FPS, 2 * FPS if scene.body_count > FEW_BODIES else FPS // 2)
    wall: list[float] = []
    processor: list[float] = []
    for frame in range(1, frames + 1):
        begun, used = time.perf_counter(), time.process_time()
        step(frame)
        wall.append(1e3 * (time.perf_counter() - begun))
        processor.append(1e3 * (time.process_time() - used))
        measure.add(*read())
        if sum(wall) > 1e3 * seconds:
            break
    # The first frame sets things up in some engines: it counts in no mean, of none.
    return {
        "bodies": scene.body_count,
        "frames": len(wall),
        "finished": len(wall) == frames,
        "ms_per_frame": float(np.median(wall[1:])),
        "ms_mean": float(np.mean(wall[1:])),
        "ms_moving": float(np.mean(wall[1:MOVING])),
        "cpu_ms_mean": float(np.mean(processor[1:])),
        "cpu_ms_moving": float(np.mean(processor[1:MOVING])),
        "asleep": asleep(),
        **measure.figures(),
    }
