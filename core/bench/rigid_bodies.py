"""Rigid scenes in this engine, timed and measured as in the others: `python -m … bench heap`."""

from __future__ import annotations

import math
import time

import numpy as np

from ..building.builder import ModelBuilder
from ..model import FrameInputs, Model
from ..model.joint_table import OnBody
from ..particles.particle_bodies.four_particles import body_poses
from ..rigid.sleep.stillness import REST_TIME
from ..settings import JointSettings, SolverSettings
from ..step import advance
from .rigid_measure import Figures, body_depths
from .rigid_run import run
from .rigid_scenes import (
    ANGULAR_DAMPING,
    FRAMES_OF_BENCH,
    FRICTION,
    LINEAR_DAMPING,
    NO_BODY,
    SCENES,
    Floats,
    RigidScene,
)
from .run import compile_ahead


def model_of(scene: RigidScene, *, sleeps: bool = True) -> Model:
    """The scene as a model; bodies that touch nothing share no layer."""
    builder = ModelBuilder()
    bodies = [
        builder.add_body(
            f"body {b}",
            "BOX",
            tuple(scene.half[b]),
            scene.position[b],
            scene.orientation[b],
            mass=float(scene.mass[b]),
            drag=LINEAR_DAMPING,
            angular_drag=ANGULAR_DAMPING,
            friction=FRICTION,
            sleeps=sleeps,
            layers=1 if scene.collides else 0,
        )
        for b in range(scene.body_count)
    ]
    for w, (place, half) in enumerate(zip(scene.wall_position, scene.wall_half)):
        builder.add_collider(f"wall {w}", "BOX", tuple(half), place, friction=FRICTION)
    frames = scene.joint_frames() if scene.joint_kind else None
    for j, (pair, point) in enumerate(zip(scene.joint_body, scene.joint_point)):
        first, second = (None if body == NO_BODY else OnBody(bodies[body]) for body in pair)
        builder.add_joint(f"joint {j}", first, second, point, *_limited(scene, frames, j))
    return builder.finalize()


def _limited(
    scene: RigidScene, frames: Floats | None, j: int
) -> tuple[tuple[float, ...], JointSettings]:
    """Orientation and settings of a joint: what the scene says of it, or a ball."""
    if frames is None:
        return (1.0, 0.0, 0.0, 0.0), JointSettings(kind="BALL")
    low, high = scene.joint_limit[j].tolist()
    limits = {"lower": low, "upper": high}
    if scene.joint_kind[j] == "CONE_TWIST":
        limits = {"swing": low, "lower": -high, "upper": high}
    settings = JointSettings(kind=scene.joint_kind[j], is_limited=True, **limits)
    return tuple(frames[j]), settings


def measure(
    scene: RigidScene,
    settings: SolverSettings,
    *,
    sleeps: bool = True,
    frames: int = FRAMES_OF_BENCH,
    seconds: float = math.inf,
) -> Figures:
    """Run a scene for some frames, or until the stepping took some seconds."""
    model = model_of(scene, sleeps=sleeps)
    inputs = FrameInputs()
    state = model.initial_state(step=inputs.duration / settings.substep_count(inputs.duration))

    def step(frame: int) -> None:
        nonlocal state
        state, _ = advance(model, state, inputs, settings)

    def asleep() -> int:
        return int((state.body_rest >= REST_TIME).sum())

    return run(
        scene, step, lambda: body_poses(model, state), asleep, frames=frames, seconds=seconds
    )


def measure_steps(
    scene: RigidScene, *, rate: float, substeps: int, threads: int, steps: int, seconds: float
) -> Figures:
    """Run steps of 1/rate s as a game has them, and sleep off: times in ms, then how it stands.

    Nothing is measured in between. The first step, which finds all contacts, counts as all others
    do; stops after some seconds. Depth and drift are in mm.
    """
    model = model_of(scene, sleeps=False)
    settings = SolverSettings(substep_rate=rate * substeps, threads=threads)
    inputs = FrameInputs(duration=1.0 / rate)
    state = model.initial_state(step=inputs.duration / substeps)
    advance(model, state, inputs, settings)  # loads what it runs with; goes nowhere
    wall, processor = time.perf_counter(), time.process_time()
    done = 0
    while done < steps and time.perf_counter() - wall < seconds:
        state, _ = advance(model, state, inputs, settings)
        done += 1
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    position, orientation = body_poses(model, state)
    depths = body_depths(position, orientation, scene.half, scene.joint_body)
    drift = np.linalg.norm(position - scene.position, axis=1)
    return {
        "bodies": scene.body_count,
        "steps": done,
        "ms": wall / done * 1e3,
        "processor_ms": processor / done * 1e3,
        "depth_mm": float(depths.max(initial=0.0)) * 1e3,
        "drift_mm": float(drift.max()) * 1e3,
    }


def measure_named(name: str, n: int | None, threads: int) -> dict[str, float | int | str]:
    """Figures of one of ``SCENES`` at the default settings, rounded to what they are worth."""
    compile_s = compile_ahead()
    make, usual = SCENES[name]
    figures = measure(make(n or usual), SolverSettings(threads=threads))
    told = {
        key: round(value, 4) if isinstance(value, float) else value
        for key, value in figures.items()
        if value is not None
    }
    return {"scene": name, "n": n or usual, **told, "compile_s": round(compile_s, 2)}
