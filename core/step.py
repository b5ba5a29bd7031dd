"""`advance`: one frame of the whole scene, as the paper reads.

Each substep: forces → integrate → contacts → relax (sticks, springs, tethers, bodies, contacts).
The stages themselves are in `stages.py`.
"""

from __future__ import annotations

from .model import Diagnostics, FrameInputs, Model, State
from .settings import SolverSettings
from .stages import FrameStages


def advance(
    model: Model, state: State, inputs: FrameInputs, settings: SolverSettings
) -> tuple[State, Diagnostics]:
    """Advance ``state`` by one frame; returns the new state and figures about it.

    A pure function of its arguments: same bits on every run and for every number of threads.
    One model may be advanced by one thread at a time (it owns the scratch memory).

    Raises `SimulationDiverged` when a coordinate stops being finite or a particle exceeds
    ``settings.speed_limit``, and `ModelError` for inputs of the wrong shape; ``state`` is never
    written to, so it is still good then.
    """
    frame = FrameStages(model, state, inputs, settings)
    for substep in range(frame.substeps):
        with frame.timed("forces"):
            frame.apply_wind(substep)
        with frame.timed("integrate"):
            frame.integrate()
            frame.drive(substep)
        with frame.timed("contacts"):
            frame.find_contacts()
            frame.bounce_particles()
        for iteration in range(settings.iterations):
            with frame.timed("distances"):
                frame.relax_distances(substep, iteration)
                frame.relax_tethers(substep)
            with frame.timed("bodies"):
                frame.relax_bodies()
            with frame.timed("contacts"):
                frame.settle_contacts(iteration)
                frame.collide_particles()
    return frame.finish()
