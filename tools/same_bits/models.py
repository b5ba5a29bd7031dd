"""A file of models that all machines step: `python -m tools.same_bits.models FILE COUNT`.

A model is what NumPy and its BLAS make of it, so each machine would make others. Besides golden
scenes there are COUNT random ones.
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

from verlet_physics.golden import hashes
from verlet_physics.truth.random_scenes import random_scene

RANDOM_FRAMES = 24


def main() -> None:
    """Write the file, all of it or nothing."""
    path, count = Path(sys.argv[1]), int(sys.argv[2])
    aside = path.with_suffix(".part")
    hashes.keep_models(aside, hashes.SCENES)
    kept = pickle.loads(aside.read_bytes())
    for seed in range(count):
        scene = random_scene(seed)
        inputs = [scene.inputs(frame + 1) for frame in range(RANDOM_FRAMES)]
        kept[f"random-{seed}"] = scene.model, inputs, scene.settings
    aside.write_bytes(pickle.dumps(kept))
    aside.replace(path)


if __name__ == "__main__":
    main()
