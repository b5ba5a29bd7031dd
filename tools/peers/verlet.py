"""This engine at its default settings, or at another substep rate."""

import os

import sheet

from verlet_physics import FrameInputs, SolverSettings, advance
from verlet_physics.bench.run import compile_ahead, settings_step
from verlet_physics.bench.scenes import hang

wanted = sheet.request()
compile_ahead()
scene = hang(wanted["n"])
settings = SolverSettings(substep_rate=wanted.get("substep_rate", SolverSettings().substep_rate))
state = scene.model.initial_state(step=settings_step(settings, scene))


def step(frame: int) -> None:
    """Advance by one frame."""
    global state
    state, _ = advance(scene.model, state, FrameInputs(duration=1.0 / sheet.FPS), settings)


sheet.simulate(
    wanted["n"],
    wanted["seconds"],
    f"{os.cpu_count()} threads at most",
    step,
    lambda: state.position,
)
