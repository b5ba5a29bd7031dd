"""Preview files that somebody has deleted or damaged are written anew from the frames in memory."""

import bpy

from ..problem import Problem
from ..properties.participants import find_objects
from ..session import Session


def mend_files(running: Session) -> None:
    """Look at every preview file, write those anew that are not whole, and say so in the panel."""
    from . import simulation  # loads the kernels

    wanted = running.particle_objects()
    for participant, ob in zip(wanted, find_objects(wanted)):
        file = running.files.get(participant.uid)
        if ob is None or file is None or file.failure or file.is_whole:
            continue
        frames = range(running.start, running.last + 1)
        file.rewrite(simulation.shown_positions(running, participant.uid, frames))
        ob.update_tag(refresh={"DATA"})
        text = f"{participant.name}: its preview file was gone or damaged and is written anew"
        if bpy.app.background:
            print(f"Verlet Physics: {text}")
        if all(problem.message != text for problem in running.problems):
            running.problems.append(Problem(text, participant.uid))
