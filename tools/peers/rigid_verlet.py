"""This engine at its default settings, or with what the request says.

Settings: ``substep_rate``, ``sleeps``.
"""

import os

import rigid

from verlet_physics import SolverSettings
from verlet_physics.bench.rigid_bodies import measure
from verlet_physics.bench.run import compile_ahead

wanted = rigid.request()
compile_ahead()
rate = wanted.get("substep_rate", SolverSettings().substep_rate)
figures = measure(
    rigid.scene_of(wanted),
    SolverSettings(substep_rate=rate),
    sleeps=wanted.get("sleeps", True),
    frames=wanted["frames"],
    seconds=wanted["seconds"],
)
rigid.show(f"{os.cpu_count()} threads at most", figures)
