"""The run of a rigid scene, shared by all engines; needs NumPy only.

Each engine's script gets one JSON object as its argument (`scene`, `n`, `seconds` and the
engine's own settings) and prints one as its last line.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
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

from bench.rigid_run import run  # noqa: E402
from bench.rigid_scenes import SCENES  # noqa: E402


def request() -> dict[str, Any]:
    """What to simulate: scene, n, frames, the seconds after which to stop, the engine's settings.

    n = None stands for the scene's usual one.
    """
    wanted = json.loads(sys.argv[1] if len(sys.argv) > 1 else "{}")
    return {"scene": "heap", "n": None, "frames": 240, "seconds": 60.0, **wanted}


def scene_of(wanted: dict[str, Any]) -> RigidScene:
    """The scene that a request names."""
    make, n = SCENES[wanted["scene"]]
    return make(wanted["n"] or n)


def simulate(
    scene: RigidScene,
    wanted: dict[str, Any],
    version: str,
    step: Callable[[int], object],
    read: Callable[[], tuple[np.ndarray, np.ndarray]],
    asleep: Callable[[], int | None] = lambda: None,
) -> None:
    """Run the frames that a request wants and print the figures."""
    show(
        version,
        run(scene, step, read, asleep, frames=wanted["frames"], seconds=wanted["seconds"]),
    )


def show(version: str, figures: dict[str, Any]) -> None:
    """Print what `rigid_compare` reads."""
    print(json.dumps({"version": version, **figures}), flush=True)
