"""The hanging sheet and its measure, shared by all engines; needs NumPy only.

A sheet of n × n vertices, held by two corners, starts level and swings down for five seconds.
Each engine's script gets one JSON object as its argument and prints one as its last line.
"""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SIZE = 2.0  # m
AREA_DENSITY = 0.3  # kg/m²
DRAG = 1.5  # 1/s
GRAVITY = 9.81  # m/s²
FPS = 24
FRAMES = 120
MEASURED = 24  # the last frames, whose stretch counts


def vertices(n: int) -> np.ndarray:
    """Places (n·n, 3) in metres, row by row, at height 0."""
    u = np.linspace(-SIZE / 2, SIZE / 2, n)
    x, y = np.meshgrid(u, u)
    return np.stack([x.ravel(), y.ravel(), np.zeros(n * n)], axis=1)


def quads(n: int) -> np.ndarray:
    """The mesh's faces, ((n − 1)², 4)."""
    a = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    return np.stack([a, a + 1, a + n + 1, a + n], axis=1)


def triangles(n: int) -> np.ndarray:
    """The faces cut in two, diagonals alternating, for engines that know no quads."""
    a, b, c, d = quads(n).T
    even = (np.add.outer(np.arange(n - 1), np.arange(n - 1)).ravel() % 2 == 0)[:, None]
    first = np.where(even, np.stack([a, b, c], 1), np.stack([a, b, d], 1))
    second = np.where(even, np.stack([a, c, d], 1), np.stack([b, c, d], 1))
    return np.concatenate([first, second])


def edges(n: int) -> np.ndarray:
    """The edges of the quads, (2·n·(n − 1), 2); no diagonals."""
    index = np.arange(n * n).reshape(n, n)
    along = np.stack([index[:, :-1].ravel(), index[:, 1:].ravel()], axis=1)
    across = np.stack([index[:-1].ravel(), index[1:].ravel()], axis=1)
    return np.concatenate([along, across])


def pins(n: int) -> list[int]:
    """The two corners that hold the sheet."""
    return [n * (n - 1), n * n - 1]


def vertex_mass(n: int) -> float:
    """An equal share of the sheet's mass, kg."""
    return AREA_DENSITY * SIZE**2 / n**2


def stretch(frames: Sequence[np.ndarray], edge: np.ndarray, start: np.ndarray) -> dict[str, float]:
    """Mean and largest stretch of the edges over some frames, in percent of their first length.

    A shortened edge counts as 0 in the mean: slack must not make up for stretch.
    """
    rest = np.linalg.norm(start[edge[:, 0]] - start[edge[:, 1]], axis=1)
    lengths = np.stack([np.linalg.norm(x[edge[:, 0]] - x[edge[:, 1]], axis=1) for x in frames])
    percent = 100.0 * np.maximum(lengths / rest - 1.0, 0.0)
    return {"mean_pct": float(percent.mean()), "largest_pct": float(percent.max())}


def request() -> dict[str, Any]:
    """What to simulate: n, the seconds after which to stop, and the engine's own settings."""
    return {"n": 32, "seconds": 60.0, **json.loads(sys.argv[1] if len(sys.argv) > 1 else "{}")}


def simulate(
    n: int,
    seconds: float,
    version: str,
    step: Callable[[int], object],
    read: Callable[[], np.ndarray],
    between: Callable[[], object] = lambda: None,
) -> None:
    """Run the frames, timing ``step`` only, and print the figures.

    ``step`` gets the frame's number, ``read`` returns the places; ``between`` runs untimed.
    """
    start = vertices(n)
    if not np.allclose(read(), start, atol=1e-4):
        raise RuntimeError("the sheet does not start where it should")
    timed: list[float] = []
    processor: list[float] = []
    last: list[np.ndarray] = []
    for frame in range(1, FRAMES + 1):
        begun, used = time.perf_counter(), time.process_time()
        step(frame)
        timed.append(time.perf_counter() - begun)
        processor.append(time.process_time() - used)
        place = np.array(read(), dtype=np.float64)
        if not np.isfinite(place).all():
            raise RuntimeError(f"places that are not finite in frame {frame}")
        last = [*last[1 - MEASURED :], place]
        between()
        if sum(timed) > seconds:
            break
    figures = {
        "version": version,
        "frames": len(timed),
        "finished": len(timed) == FRAMES,
        "ms": 1e3 * float(np.median(timed)),
        "cpu_ms": 1e3 * float(np.median(processor)),
        **stretch(last, edges(n), start),
        "sag_m": float(-last[-1][:, 2].min()),
    }
    print(json.dumps(figures), flush=True)
