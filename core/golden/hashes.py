"""Where golden scenes end, as a hash, and whether they end where they did at another commit.

Two checkouts that hash alike on one machine compute the same bits. With Numba, `sin` and the like
are those of the system, so a file of hashes serves on the machine that it was made on, and says
which that is. One of a library serves for every library, if the same file of models is stepped:
see "Threads and bits" in docs/ARCHITECTURE.md.
"""

from __future__ import annotations

import hashlib
import json
import pickle
import platform
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path

import numpy as np

from ..errors import VerletError
from ..model import FrameInputs, Model, State
from ..particles.particle_bodies.four_particles import body_poses
from ..settings import SolverSettings
from ..step import advance
from . import figure_scenes, particle_scenes, rigid_scenes
from .scene import SCENES, GoldenScene

MODULES = (particle_scenes, rigid_scenes, figure_scenes)
"""Each enters its scenes in `SCENES` when it is imported."""

HASHED = (
    *("position", "previous"),
    *("body_position", "body_previous", "body_orientation", "body_previous_orientation"),
)
"""What of a `State` counts, with broken joints: all that moves.

What contacts remember may be kept in another form.
"""

THREADS = (1, 2)

CUT_ANEW = ("cloth-torn", "rope-snaps")
"""Scenes whose models hold a function, which makes the model of what is torn: not to be kept."""


def final_state(scene: GoldenScene, threads: int) -> State:
    """Where a scene ends on so many threads."""
    state = scene.model.initial_state()
    settings = replace(scene.settings, threads=threads)
    for frame in range(scene.frames):
        state, _ = advance(scene.model, state, scene.inputs(scene.model, frame), settings)
    return state


def state_hash(model: Model, state: State) -> str:
    """16 hexadecimal digits that stand for every bit of `HASHED` and of where all bodies are."""
    digest = hashlib.sha256()
    places, turns = body_poses(model, state)
    moving = {name: getattr(state, name) for name in HASHED}
    moving["joint_broken"] = state.joints.broken
    for name, values in (*moving.items(), ("places", places), ("turns", turns)):
        array = np.ascontiguousarray(values)
        digest.update(f"{name} {array.dtype} {array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()[:16]


def keep_models(path: Path, names: Iterable[str]) -> None:
    """Write models, and what drives them, into a file: other machines make them of other bits."""
    made = {}
    for name in names:
        if name not in CUT_ANEW:
            scene = SCENES[name]()
            inputs = [scene.inputs(scene.model, frame) for frame in range(scene.frames)]
            made[name] = scene.model, inputs, scene.settings
    path.write_bytes(pickle.dumps(made))


def kept_models(path: Path) -> dict[str, Callable[[], GoldenScene]]:
    """How scenes of such a file are made. It can run code: read none that you do not trust."""

    def scene(model: Model, inputs: list[FrameInputs], settings: SolverSettings) -> GoldenScene:
        return GoldenScene(model, lambda _, frame: inputs[frame], settings, len(inputs))

    return {name: partial(scene, *made) for name, made in pickle.loads(path.read_bytes()).items()}


def scene_hashes(name: str, make: Callable[[], GoldenScene] | None = None) -> list[str]:
    """The hash of a scene for each of `THREADS`, or the name of the error that stopped it."""
    hashes = []
    for threads in THREADS:
        try:
            scene = (make or SCENES[name])()
            hashes.append(state_hash(scene.model, final_state(scene, threads)))
        except VerletError as error:
            hashes.append(type(error).__name__)
    return hashes


def machine(models: Path | None = None) -> dict[str, str]:
    """What hashes depend on besides the source; `models` is the file that scenes came from."""
    if models:
        return {"models": hashlib.sha256(models.read_bytes()).hexdigest()[:16]}
    # a model is what NumPy and its BLAS make of it
    return {"numpy": version("numpy"), "processor": _processor()}


def _processor() -> str:
    """The processor's own name, where the system tells it."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def save(path: Path, hashes: dict[str, str], models: Path | None = None) -> None:
    """Write hashes by scene, and the machine and the models that they are good for."""
    kept = {"machine": machine(models), "scenes": hashes}
    path.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


def differences(path: Path, hashes: dict[str, str], models: Path | None = None) -> Iterable[str]:
    """A sentence for each scene that ends elsewhere than the file says, or that is not in both.

    Only scenes in ``hashes`` are looked at, but for those that are gone altogether.
    Raises `ValueError` for a file of another machine, or of other models.
    """
    saved = json.loads(path.read_text("utf-8"))
    here = machine(models)
    there = saved["machine"]
    other = [f"{key} {there.get(key)}" for key in here if there.get(key) != here[key]]
    if other:
        raise ValueError(f"{path} is of another machine: {', '.join(other)}")
    for name, found in hashes.items():
        before = saved["scenes"].get(name)
        if before is None:
            yield f"{name} is new"
        elif before != found:
            yield f"{name} ends elsewhere: {before} before, {found} now"
    for name in saved["scenes"]:
        if name not in SCENES and models is None:
            yield f"{name} is gone"
